"""Compares ConstraintLayout with kiwisolver on random systems.

    layout.py PROGRAM [COUNT] [SEED]

PROGRAM is Tests/Tools/solve-constraints. Each system is grown by random constraints, then changed by removals and edits.
After each stage the two solvers must agree on which required constraints cannot hold, on the least error of each
priority, on which variables have one value only, and on these values.
"""

import random
import subprocess
import sys

import kiwisolver as kiwi

# Ours are ordered strictly; kiwi's are weights, far enough apart for the factors used here.
STRENGTHS = {1000: kiwi.strength.required, 750: 1e6, 500: 1e3, 250: 1.0}
PROBE = 1e-3


class Pipe:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = []

    def send(self, *fields):
        self.lines.append(" ".join(str(field) for field in fields))
        self.process.stdin.write(self.lines[-1] + "\n")

    def ask(self, *fields):
        self.send(*fields)
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


class System:
    """The same system in both solvers."""

    def __init__(self, pipe, count):
        self.pipe, self.count = pipe, count
        self.constraints = []  # (relation, priority, constant, {variable: factor}), None after removal or refusal
        self.edits = {}
        pipe.lines = []
        pipe.send("new", count)

    def peer(self, extra=None):
        """kiwi with all constraints that were accepted."""
        solver = kiwi.Solver()
        variables = [kiwi.Variable(str(i)) for i in range(self.count)]

        def add(relation, strength, constant, factors):
            expression = constant
            for variable, factor in factors.items():
                expression = expression + factor * variables[variable]
            solver.addConstraint(kiwi.Constraint(expression, relation) | strength)

        for constraint in self.constraints:
            if constraint:
                relation, priority, constant, factors = constraint
                add(relation, STRENGTHS[priority], constant, factors)
        for variable, (priority, value) in self.edits.items():
            add("==", STRENGTHS[priority], -value, {variable: 1})
        if extra:
            add(*extra)
        solver.updateVariables()
        return [variable.value() for variable in variables]

    def add(self, relation, priority, constant, factors):
        factor_fields = [field for pair in factors.items() for field in pair]
        answer = self.pipe.ask("add", relation, priority, constant, *factor_fields)
        self.constraints.append((relation, priority, constant, factors))
        try:
            self.peer()
            expected = "ok"
        except kiwi.UnsatisfiableConstraint:
            expected = "refused"
            self.constraints[-1] = None
        assert answer == expected, f"{answer}, not {expected}"

    def errors(self, values):
        """The sum of errors of each priority."""
        sums = dict.fromkeys(STRENGTHS, 0.0)
        edits = [("==", priority, -value, {v: 1}) for v, (priority, value) in self.edits.items()]
        for relation, priority, constant, factors in filter(None, self.constraints + edits):
            value = constant + sum(factor * values[v] for v, factor in factors.items())
            sums[priority] += {"==": abs(value), "<=": max(value, 0), ">=": max(-value, 0)}[relation]
        return list(sums.values())

    def compare(self):
        ours, undetermined = self.pipe.ask("values").split("|")
        ours = [float(value) for value in ours.split()]
        undetermined = {int(number) for number in undetermined.split()}
        theirs = self.peer()
        for mine, other in zip(self.errors(ours), self.errors(theirs)):
            assert abs(mine - other) < 1e-5 * max(1, other), f"errors {self.errors(ours)}, not {self.errors(theirs)}"
        for variable in range(self.count):
            low, high = (self.peer(("==", PROBE, -far, {variable: 1}))[variable] for far in (-1e5, 1e5))
            assert (high - low > 1e-5) == (variable in undetermined), f"x{variable} is in {low}...{high}, undetermined: {undetermined}"
            if variable not in undetermined:
                assert abs(ours[variable] - theirs[variable]) < 1e-5, f"x{variable} = {ours[variable]}, not {theirs[variable]}"
        return self.count - len(undetermined)


def run(pipe, random):
    system = System(pipe, random.choice([1, 2, 3, 4, 5, 6, 7, 16]))
    grid = random.random() < 0.5  # layouts have small numbers and many ties

    def number():
        return random.randint(0, 6) * 10 if grid else round(random.uniform(-100, 100), 2)

    def add():
        variables = random.sample(range(system.count), min(system.count, random.choice([1, 1, 2, 2, 2, 3])))
        factors = {v: random.choice([1, 1, -1, -1, 2, 0.5, -0.5]) for v in variables}
        priority = random.choice([1000, 1000, 750, 500, 250])
        system.add(random.choice(["==", "<=", ">="]), priority, number(), factors)

    unique = 0
    for _ in range(random.randint(1, 2 * system.count + 4)):
        add()
    unique += system.compare()
    for _ in range(random.randint(0, system.count)):
        index = random.randrange(len(system.constraints))
        if system.constraints[index]:
            system.constraints[index] = None
            pipe.send("remove", index)
        if random.random() < 0.5:
            add()
    unique += system.compare()
    variable = random.randrange(system.count)
    priority = random.choice([750, 500])
    pipe.send("edit", variable, priority)
    for _ in range(random.randint(1, 4)):
        value = number()
        pipe.send("suggest", variable, value)
        system.edits[variable] = (priority, value)
    unique += system.compare()
    return unique


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    pipe = Pipe(program)
    unique = failures = 0
    for number in range(seed, seed + count):
        try:
            unique += run(pipe, random.Random(number))
        except AssertionError as error:
            failures += 1
            print(f"system {number}: {error}\n  " + "\n  ".join(pipe.lines), file=sys.stderr)
            if failures == 5:
                break
    print(f"{count} systems, three stages each: {unique} unique values are those of kiwisolver {kiwi.__version__}"
          if not failures else "the solvers differ")
    sys.exit(1 if failures else 0)


main()
