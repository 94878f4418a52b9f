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
}
