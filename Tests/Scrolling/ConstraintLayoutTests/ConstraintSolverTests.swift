import ConstraintLayout
import Testing

@Suite("A solver")
struct ConstraintSolverTests {
    @Test("keeps required constraints, and optional ones by priority")
    func priorities() throws {
        var solver = ConstraintSolver()
        let x = solver.makeVariable()
        try solver.add(LinearConstraint(LinearExpression(x) - 10, .greaterThanOrEqual))
        try solver.add(LinearConstraint(LinearExpression(x) - 5, .equal, priority: .high))
        try solver.add(LinearConstraint(LinearExpression(x) - 50, .equal, priority: .low))
        #expect(solver.value(of: x) == 10)
    }

    @Test("gives up any number of weaker constraints for one that is stronger by a little")
    func strictOrder() throws {
        var solver = ConstraintSolver()
        let x = solver.makeVariable()
        try solver.add(LinearConstraint(LinearExpression(x), .equal, priority: 500.5))
        for _ in 0..<1000 {
            try solver.add(LinearConstraint(LinearExpression(x) - 100, .equal, priority: 500))
        }
        #expect(solver.value(of: x) == 0)
    }

    @Test("makes the sum of the errors of one priority least")
    func sameErrors() throws {
        var solver = ConstraintSolver()
        let x = solver.makeVariable()
        for wish in [0.0, 30, 100] {
            try solver.add(LinearConstraint(LinearExpression(x) - wish, .equal, priority: .low))
        }
        #expect(solver.value(of: x) == 30)
    }

    @Test("refuses a required constraint that contradicts others, names them, and stays as it was")
    func conflict() throws {
        var solver = ConstraintSolver()
        let (x, y, z) = (solver.makeVariable(), solver.makeVariable(), solver.makeVariable())
        let first = try solver.add(LinearConstraint(LinearExpression(x), .equal, LinearExpression(y) + 10))
        try solver.add(LinearConstraint(LinearExpression(z), .equal, LinearExpression(constant: 3)))
        let second = try solver.add(LinearConstraint(LinearExpression(y) - 5, .greaterThanOrEqual))
        #expect(throws: SolverError.unsatisfiable(with: [first, second])) {
            try solver.add(LinearConstraint(LinearExpression(x) - 14, .lessThanOrEqual))
        }
        #expect(throws: SolverError.unsatisfiable(with: [first])) {
            try solver.add(LinearConstraint(LinearExpression(x), .equal, LinearExpression(y)))
        }
        try solver.add(LinearConstraint(LinearExpression(x) - 15, .lessThanOrEqual))
        #expect([x, y, z].map(solver.value(of:)) == [15, 5, 3])
    }

    @Test("accepts repeated required constraints, and keeps the last when the others are removed")
    func redundancy() throws {
        var solver = ConstraintSolver()
        let x = solver.makeVariable()
        let fixed = LinearConstraint(LinearExpression(x) - 7, .equal)
        let ids = try (0..<3).map { _ in try solver.add(fixed) }
        let wish = try solver.add(LinearConstraint(LinearExpression(x) - 50, .equal, priority: .low))
        solver.remove(ids[0])
        solver.remove(ids[2])
        #expect(solver.value(of: x) == 7)
        solver.remove(ids[1])
        #expect(solver.value(of: x) == 50)
        solver.remove(wish)
        solver.remove(wish)
        #expect(solver.constraint(wish) == nil)
        #expect(solver.undetermined([x]) == [x])
    }

    @Test("moves edited variables as far as stronger constraints allow")
    func edits() throws {
        var solver = ConstraintSolver()
        let left = solver.makeVariable()
        let width = solver.makeVariable(nonnegative: true)
        let right = LinearExpression([(left, 1), (width, 1)])
        try solver.add(LinearConstraint(right - 100, .lessThanOrEqual))
        try solver.add(LinearConstraint(LinearExpression(width) - 30, .equal, priority: .low))
        try solver.addEditVariable(left, priority: .high)
        for (value, expected) in [(10.0, [10.0, 30]), (90, [90, 10]), (150, [100, 0]), (-20, [-20, 30])] {
            try solver.suggest(value, for: left)
            #expect([solver.value(of: left), solver.value(of: width)] == expected)
        }
        solver.removeEditVariable(left)
        try solver.suggest(50, for: left)
        #expect(solver.value(of: width) == 30)
    }

    @Test("throws for an edit that required constraints prevent, and stays as it was")
    func requiredEdit() throws {
        var solver = ConstraintSolver()
        let x = solver.makeVariable()
        let limit = try solver.add(LinearConstraint(LinearExpression(x) - 100, .lessThanOrEqual))
        try solver.addEditVariable(x, priority: .required)
        try solver.suggest(80, for: x)
        #expect(throws: SolverError.unsatisfiable(with: [limit])) { try solver.suggest(120, for: x) }
        #expect(solver.value(of: x) == 80)
        try solver.suggest(100, for: x)
        #expect(solver.value(of: x) == 100)
    }

    @Test(
        "refuses numbers that are not finite or too large", arguments: [Double.nan, .infinity, 1e10, -1e10])
    func range(number: Double) throws {
        var solver = ConstraintSolver()
        let x = solver.makeVariable()
        #expect(throws: SolverError.outOfRange) {
            try solver.add(LinearConstraint(LinearExpression(x) + number, .equal))
        }
        #expect(throws: SolverError.outOfRange) {
            try solver.add(LinearConstraint(LinearExpression(x) * number, .equal))
        }
        try solver.addEditVariable(x)
        #expect(throws: SolverError.outOfRange) { try solver.suggest(number, for: x) }
        #expect(solver.value(of: x) == 0)
    }

    @Test("is a value: a copy changes alone")
    func value() throws {
        var solver = ConstraintSolver()
        let x = solver.makeVariable()
        var copy = solver
        try copy.add(LinearConstraint(LinearExpression(x) - 4, .equal))
        #expect(solver.value(of: x) == 0)
        #expect(copy.value(of: x) == 4)
    }

    @Test("proves which variables have other values in solutions that are as good")
    func ambiguity() throws {
        var solver = ConstraintSolver()
        let (x, y, z) = (solver.makeVariable(), solver.makeVariable(), solver.makeVariable())
        // x is between 0 and 10, y at its end, z follows x.
        try solver.add(LinearConstraint(LinearExpression(x), .greaterThanOrEqual))
        try solver.add(LinearConstraint(LinearExpression(x) - 10, .lessThanOrEqual))
        try solver.add(LinearConstraint(LinearExpression(y) - 10, .lessThanOrEqual))
        try solver.add(LinearConstraint(LinearExpression(y) - 20, .equal, priority: .low))
        try solver.add(LinearConstraint(LinearExpression(z), .equal, LinearExpression(x) * 2))
        #expect(solver.undetermined([x, y, z]) == [x, z])
        try solver.add(LinearConstraint(LinearExpression(z) - 40, .equal, priority: 0.5))
        #expect(solver.undetermined([x, y, z]) == [])
        #expect([x, y, z].map(solver.value(of:)) == [10, 10, 20])
    }

    @Test("stays exact over many edits, additions and removals")
    func drift() throws {
        var solver = ConstraintSolver()
        let variables = (0..<20).map { _ in solver.makeVariable() }
        var random = SeededGenerator(seed: 5)
        try solver.addEditVariable(variables[0], priority: .high)
        for (one, next) in zip(variables, variables.dropFirst()) {
            try solver.add(LinearConstraint(LinearExpression(next), .equal, LinearExpression(one) * 0.5 + 7))
        }
        for round in 0..<500 {
            let value = Double.random(in: -1000...1000, using: &random)
            try solver.suggest(value, for: variables[0])
            let id = try solver.add(
                LinearConstraint(
                    LinearExpression(variables.randomElement(using: &random)!) - value,
                    LayoutRelation.allCases[round % 3], priority: .low))
            if round % 2 == 0 { solver.remove(id) }
        }
        try solver.suggest(100, for: variables[0])
        var expected = 100.0
        for variable in variables {
            #expect(abs(solver.value(of: variable) - expected) < 1e-9)
            expected = expected * 0.5 + 7
        }
    }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
