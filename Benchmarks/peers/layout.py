"""Times ConstraintLayout beside kiwisolver: 1,000 views of 4 constraints, and edits of the page's width.

    layout.py PROGRAM [--rounds N] [--check]

PROGRAM is Tests/Tools/solve-constraints, a release build. Both solve the same systems, interleaved; building the constraints is not
measured. With --check it fails if a solution takes more than 50 ms, an edit more than 1 ms, or either more than 1.5
times kiwisolver's time.
"""

import argparse
import statistics
import subprocess
import sys
import time

import kiwisolver as kiwi

STRENGTHS = {1000: kiwi.strength.required, 750: kiwi.strength.strong, 500: kiwi.strength.medium, 250: kiwi.strength.weak}
VIEWS = 1000
ROOT = 0  # the variable of the root's width


def left(i): return 4 * i + 1
def top(i): return 4 * i + 2
def width(i): return 4 * i + 3
def height(i): return 4 * i + 4


def grid(i):
    """A contact sheet of ten columns: sizes are preferred, distances required."""
    beside = {left(i - 1): -1, width(i - 1): -1} if i % 10 else {}
    above = {top(i - 10): -1, height(i - 10): -1} if i >= 10 else {}
    yield "==", 1000, -8, {left(i): 1, **beside}
    yield "==", 1000, -8, {top(i): 1, **above}
    yield "==", 750, 9, {width(i): 1, ROOT: -0.1}
    yield "==", 500, -40, {height(i): 1}


def form(i):
    """Rows of label and field that keep inside the page, with least and preferred sizes."""
    above = {top(i - 2): -1, height(i - 2): -1} if i % 40 >= 2 else {}
    yield "==", 1000, -8, {top(i): 1, **above}
    if i % 2:
        yield "==", 1000, -8, {left(i): 1, left(i - 1): -1, width(i - 1): -1}
        yield "<=", 1000, 8, {left(i): 1, width(i): 1, ROOT: -1}
        yield "==", 1000, 0, {height(i): 1, height(i - 1): -1}
    else:
        yield "==", 1000, -8, {left(i): 1}
        yield "==", 500, -100, {width(i): 1}
        yield ">=", 750, -21, {height(i): 1}


def free(i):
    """Views with intrinsic sizes, aligned to the center of the page."""
    yield "==", 1000, 0, {left(i): 1, width(i): 0.5, ROOT: -0.5}
    yield "==", 1000, -10.0 * i, {top(i): 1}
    yield "<=", 250, -100, {width(i): 1}
    yield ">=", 750, -60.0 - i % 50, {width(i): 1}


def column(i):
    """One column of views with preferred heights, each below the one before."""
    yield "==", 1000, -8, {left(i): 1}
    yield "==", 1000, -8, {top(i): 1, **({top(i - 1): -1, height(i - 1): -1} if i else {})}
    yield "==", 1000, 16, {width(i): 1, ROOT: -1}
    yield "==", 750, -20.0 - i % 7, {height(i): 1}


class Ours:
    def __init__(self, program, constraints):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines = [f"new {4 * VIEWS + 1}", "hold"]
        for relation, priority, constant, factors in constraints:
            terms = " ".join(f"{variable} {factor}" for variable, factor in factors.items())
            lines.append(f"add {relation} {priority} {constant} {terms}")
        self.process.stdin.write("\n".join(lines + ["end"]) + "\n")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def solve(self):
        milliseconds = float(self.ask("measure"))
        self.process.stdin.write(f"edit {ROOT} 999\n")
        return milliseconds

    def edit(self, value):
        return float(self.ask(f"measure {ROOT} {value}"))

    def values(self):
        return [float(value) for value in self.ask("values").split("|")[0].split()]


class Kiwi:
    def __init__(self, constraints):
        self.variables = [kiwi.Variable(str(i)) for i in range(4 * VIEWS + 1)]
        self.constraints = []
        for relation, priority, constant, factors in constraints:
            terms = [kiwi.Term(self.variables[variable], factor) for variable, factor in factors.items()]
            expression = kiwi.Expression(terms, constant)
            self.constraints.append(kiwi.Constraint(expression, relation, STRENGTHS[priority]))

    def solve(self):
        self.solver = kiwi.Solver()
        add = self.solver.addConstraint
        start = time.perf_counter()
        for constraint in self.constraints:
            add(constraint)
        self.solver.updateVariables()
        milliseconds = (time.perf_counter() - start) * 1000
        self.solver.addEditVariable(self.variables[ROOT], kiwi.strength.create(999, 0, 0))
        return milliseconds

    def edit(self, value):
        start = time.perf_counter()
        self.solver.suggestValue(self.variables[ROOT], value)
        self.solver.updateVariables()
        return (time.perf_counter() - start) * 1000

    def values(self):
        return [variable.value() for variable in self.variables]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    failed = False
    print(f"{VIEWS} views of 4 constraints, milliseconds (median of {options.rounds} interleaved rounds)")
    print(f"{'system':8}{'':8}{'ours':>10}{'kiwisolver':>12}{'ratio':>8}")
    for system in [grid, form, free, column]:
        constraints = [("==", 250, -1000, {ROOT: 1})] + [c for i in range(VIEWS) for c in system(i)]
        contenders = [Ours(options.program, constraints), Kiwi(constraints)]
        solves, edits = ([], []), ([], [])
        for number in range(options.rounds):
            for contender, times in zip(contenders, solves):
                times.append(contender.solve())
            for step in range(5):
                for contender, times in zip(contenders, edits):
                    times.append(contender.edit(1000 + 37 * step + number))
            ours, theirs = (contender.values() for contender in contenders)
            assert max(abs(a - b) for a, b in zip(ours, theirs)) < 1e-4, "the solutions differ"
        for name, times, limit in [("solve", solves, 50), ("edit", edits, 1)]:
            ours, theirs = map(statistics.median, times)
            misses = ours > limit or ours > 1.5 * theirs
            failed |= misses
            print(f"{system.__name__:8}{name:8}{ours:10.3f}{theirs:12.3f}{ours / theirs:8.2f}{'  missed' if misses else ''}")
    # What layouts take in all: resolving attributes, solving, and setting frames.
    pages = [list(map(float, contenders[0].ask(f"page {VIEWS}").split())) for _ in range(options.rounds)]
    for name, times, limit in zip(["layout", "edit"], zip(*pages), [50, 1]):
        ours = statistics.median(times)
        failed |= ours > limit
        print(f"{'engine':8}{name:8}{ours:10.3f}{'  missed' if ours > limit else ''}")
    sys.exit(1 if failed and options.check else 0)


main()
