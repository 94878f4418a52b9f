"""Run programs in turns; medians, and ratios of runs that were neighbors."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

CHILD = Path(__file__).with_name("child.py")


@dataclass
class Run:
    """One run of one program."""

    seconds: float
    processor: float
    megabytes: float
    failure: str | None


def run(command, environment=None, limit=300):
    """Run a command to its end, or for `limit` seconds of a processor."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHILD), str(limit), *map(str, command)],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        errors="replace",
    )
    words = complaint(done.stderr)
    if done.returncode != 0:
        return Run(0, 0, 0, words)
    seconds, processor, peak, status = done.stdout.split()
    failure = None if status == "0" else f"exit {status}: {words}"
    return Run(float(seconds), float(processor), float(peak) / 1e6, failure)


def complaint(text):
    """The line that says why: Python's last, the first of others; without the machine's folders."""
    lines = text.strip().splitlines() or ["no message"]
    line = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    return re.sub(r"(?<!\w)/\S+/", "", line)


@dataclass
class Series:
    """The runs of one contestant; a slow one sits out the later rounds."""

    runs: list[Run]

    @property
    def seconds(self):
        return median(run.seconds for run in self.runs)

    @property
    def processor(self):
        return median(run.processor for run in self.runs)

    @property
    def megabytes(self):
        return median(run.megabytes for run in self.runs)

    def ratio(self, other, value="seconds"):
        """The median of the ratios of each round: what slows the machine for a while slows both."""
        pairs = zip(self.runs, other.runs)
        return median(getattr(a, value) / max(getattr(b, value), 1e-9) for a, b in pairs)


def in_turns(contestants, rounds, first):
    """A B C, A B C …: the series of each; `first` has the seconds of a run before, by contestant."""
    series = {contestant.name: Series([]) for contestant in contestants}
    for number in range(rounds):
        for place, contestant in enumerate(contestants):
            # One round at least; a minute for ours and what it is compared with first, less for the others.
            if number > 0 and first[contestant.name] * number > (60 if place < 2 else 10):
                continue
            contestant.prepare()
            done = run(contestant.command, contestant.environment)
            if done.failure:
                raise RuntimeError(f"{contestant.name}: {done.failure}")
            series[contestant.name].runs.append(done)
    return series
