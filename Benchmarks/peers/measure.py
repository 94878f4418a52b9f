"""Runs programs in interleaved rounds; medians, and ratios within rounds."""

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
    """A run of a program."""

    seconds: float
    processor: float
    megabytes: float
    failure: str | None


def run(command, environment=None, limit=300):
    """Runs a command, for at most `limit` CPU seconds."""
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
    """The line with the reason: the last one of Python tracebacks, else the first; without folders."""
    lines = text.strip().splitlines() or ["no message"]
    line = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    return re.sub(r"(?<!\w)/\S+/", "", line)


@dataclass
class Series:
    """The runs of a contender; slow ones skip the later rounds."""

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
        """The median of the ratios of each round: a slow phase of the machine affects both."""
        pairs = zip(self.runs, other.runs)
        return median(getattr(a, value) / max(getattr(b, value), 1e-9) for a, b in pairs)


def interleaved(contenders, rounds, first):
    """Runs A B C, A B C, …; `first` has the seconds of an earlier run of each contender."""
    series = {contender.name: Series([]) for contender in contenders}
    for number in range(rounds):
        for place, contender in enumerate(contenders):
            # At least one round; up to a minute for the first two contenders, 10 s for the others.
            if number > 0 and first[contender.name] * number > (60 if place < 2 else 10):
                continue
            contender.prepare()
            done = run(contender.command, contender.environment)
            if done.failure:
                raise RuntimeError(f"{contender.name}: {done.failure}")
            series[contender.name].runs.append(done)
    return series
