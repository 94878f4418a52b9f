"""Let the contestants of one work run: check that they agree, then time them in turns."""

import shutil
from dataclasses import dataclass, field

import agree
import measure
import programs


@dataclass
class Result:
    """A work that was measured: ratios are ours to the other's, by the other's name."""

    work: object
    series: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)
    skipped: str | None = None
    disk: float | None = None

    @property
    def ours(self):
        return self.work.contestants[0].name

    @property
    def anchor(self):
        return self.work.contestants[1].name

    def others(self):
        return [name for name in self.series if name != self.ours]

    def ratio(self, other, value="seconds"):
        return self.series[self.ours].ratio(self.series[other], value)

    def figures(self):
        """(what, ratio, target) against the anchor.

        Time is what a user waits. On a busy machine a program of several threads gets more of it than one of
        a single thread; the time of a processor tells what it took.
        """
        if self.skipped or self.anchor not in self.series:
            return []
        figures = [("time", self.ratio(self.anchor), self.work.time)]
        figures.append(("processor", self.ratio(self.anchor, "processor"), None))
        figures.append(("memory", self.ratio(self.anchor, "megabytes"), self.work.memory))
        if self.disk is not None:
            figures.append(("disk", self.disk, self.work.disk))
        return figures


def hold(work, rounds, say):
    """Run one work; `say` is told what cannot be done, and why."""
    result = Result(work)
    if work.needs and not programs.has_command(work.needs):
        result.skipped = f"`viewport {work.needs}` is not there yet"
        return result
    if work.before:
        shutil.rmtree(work.before.environment["XDG_CACHE_HOME"], ignore_errors=True)
        done = measure.run(work.before.command, work.before.environment)
        if done.failure:
            result.skipped = done.failure
            return result
    ready, first = first_runs(work, result, say)
    if work.contestants[0].name not in first:
        result.skipped = result.notes[-1]
        return result
    result.disk = disk(work)
    result.series = measure.in_turns(ready, rounds, first)
    return result


def first_runs(work, result, say):
    """Run everybody once: whoever fails, or shows something else, does not take part."""
    ready, first = [], {}

    def leave_out(contestant, why):
        result.notes.append(f"{contestant.name}: {why}")
        say(f"  {contestant.name} is left out: {why}")

    for contestant in work.contestants:
        if contestant.command is None:
            leave_out(contestant, contestant.absent)
            continue
        contestant.prepare()
        done = measure.run(contestant.command, contestant.environment, work.limit)
        if done.failure:
            leave_out(contestant, done.failure)
        elif wrong := agree.disagreement(work.contestants[0], contestant):
            leave_out(contestant, f"its output is not ours: {wrong}")
        else:
            ready.append(contestant)
            first[contestant.name] = done.seconds
        if not ready:
            # Nobody can agree with an output that is not there.
            break
    return ready, first


def disk(work):
    """Ours to theirs, in bytes of what is written."""
    if work.disk is None:
        return None
    ours, theirs = (size(contestant.output) for contestant in work.contestants[:2])
    return ours / theirs if theirs else None


def size(path):
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
