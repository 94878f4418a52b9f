"""Runs the contenders of a task: checks that their outputs agree, then times them in interleaved rounds."""

import shutil
from dataclasses import dataclass, field

import agree
import measure
import programs


@dataclass
class Result:
    """The measurements of a task. Ratios are those of viewport to another contender."""

    task: object
    series: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)
    skipped: str | None = None
    disk: float | None = None

    @property
    def ours(self):
        return self.task.contenders[0].name

    @property
    def anchor(self):
        return self.task.contenders[1].name

    def others(self):
        return [name for name in self.series if name != self.ours]

    def ratio(self, other, value="seconds"):
        return self.series[self.ours].ratio(self.series[other], value)

    def figures(self):
        """Tuples (quantity, ratio, target), compared with the anchor.

        Time is wall-clock time. On a busy machine, a program with several threads gets a larger share of the
        machine than one with a single thread; CPU time is independent of that.
        """
        if self.skipped or self.anchor not in self.series:
            return []
        figures = [("time", self.ratio(self.anchor), self.task.time)]
        figures.append(("CPU time", self.ratio(self.anchor, "processor"), self.task.cpu))
        figures.append(("memory", self.ratio(self.anchor, "megabytes"), self.task.memory))
        if self.disk is not None:
            figures.append(("disk", self.disk, self.task.disk))
        return figures


def measure_task(task, rounds, say):
    """Runs a task; `say` receives what is left out, and why."""
    result = Result(task)
    if task.needs and not programs.has_command(task.needs):
        result.skipped = f"`viewport {task.needs}` is not in this program"
        return result
    if task.before:
        # What makes a file for a task has no cache.
        if "XDG_CACHE_HOME" in task.before.environment:
            shutil.rmtree(task.before.environment["XDG_CACHE_HOME"], ignore_errors=True)
        done = measure.run(task.before.command, task.before.environment)
        if done.failure:
            result.skipped = done.failure
            return result
    ready, first = first_runs(task, result, say)
    if task.contenders[0].name not in first:
        result.skipped = result.notes[-1]
        return result
    result.disk = disk(task)
    result.series = measure.interleaved(ready, rounds, first)
    return result


def first_runs(task, result, say):
    """Runs every contender once. Those that fail, or whose output differs, are left out."""
    ready, first = [], {}

    def leave_out(contender, why):
        result.notes.append(f"{contender.name}: {why}")
        say(f"  {contender.name} is left out: {why}")

    for contender in task.contenders:
        if contender.command is None:
            leave_out(contender, contender.absent)
            continue
        contender.prepare()
        done = measure.run(contender.command, contender.environment, task.limit)
        if done.failure:
            leave_out(contender, done.failure)
        elif wrong := agree.disagreement(task.contenders[0], contender):
            leave_out(contender, f"its output differs: {wrong}")
        else:
            ready.append(contender)
            first[contender.name] = done.seconds
        if not ready:
            # Without our output there is nothing to compare with.
            break
    return ready, first


def disk(task):
    """The ratio of the sizes of the outputs."""
    if task.disk is None:
        return None
    ours, theirs = (size(contender.output) for contender in task.contenders[:2])
    return ours / theirs if theirs else None


def size(path):
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
