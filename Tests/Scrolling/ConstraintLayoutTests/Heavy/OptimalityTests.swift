import ConstraintLayout
import Testing

/// Compares the solver with a search of all vertices, which does not use the simplex algorithm.
@Suite("The optimum of a random system")
struct OptimalityTests {
    struct Line {
        var relation: LayoutRelation
        var priority: LayoutPriority
        var constant: Double
        var factors: [Double]

        func value(at point: [Double]) -> Double { zip(factors, point).reduce(constant) { $0 + $1.0 * $1.1 } }

        func error(at point: [Double]) -> Double {
            let value = value(at: point)
            return switch relation {
            case .equal: abs(value)
            case .lessThanOrEqual: max(value, 0)
            case .greaterThanOrEqual: max(-value, 0)
            }
        }
    }

    /// Errors of a point: those of required constraints must be zero, the rest is compared by priority.
    func errors(_ lines: [Line], at point: [Double]) -> [Double] {
        [LayoutPriority.required, .high, 500, .low].map { priority in
            lines.reduce(0) { $0 + ($1.priority == priority ? $1.error(at: point) : 0) }
        }
    }

    func isBetter(_ one: [Double], than other: [Double]) -> Bool {
        for (a, b) in zip(one, other) where abs(a - b) > 1e-6 { return a < b }
        return false
    }

    /// All points where two lines meet: one of them is an optimum, because errors are piecewise linear.
    func vertices(_ lines: [Line]) -> [[Double]] {
        var points: [[Double]] = []
        for (index, one) in lines.enumerated() {
            for other in lines[..<index] {
                let determinant = one.factors[0] * other.factors[1] - one.factors[1] * other.factors[0]
                guard abs(determinant) > 1e-9 else { continue }
                points.append([
                    (one.factors[1] * other.constant - other.factors[1] * one.constant) / determinant,
                    (other.factors[0] * one.constant - one.factors[0] * other.constant) / determinant,
                ])
            }
        }
        return points
    }

    @Test("is not worse than any vertex, and required constraints hold", arguments: 0..<10)
    func optimality(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var solver = ConstraintSolver()
            let variables = [solver.makeVariable(), solver.makeVariable()]
            // Both axes, so that there is a vertex.
            var lines = [
                Line(relation: .equal, priority: .low, constant: 0, factors: [1, 0]),
                Line(relation: .equal, priority: .low, constant: 0, factors: [0, 1]),
            ]
            for _ in 0..<Int.random(in: 1...7, using: &random) {
                lines.append(
                    Line(
                        relation: LayoutRelation.allCases.randomElement(using: &random)!,
                        priority: [.required, .high, 500, .low].randomElement(using: &random)!,
                        constant: Double(Int.random(in: -9...9, using: &random)),
                        factors: (0..<2).map { _ in [-1, -0.5, 0, 1, 2].randomElement(using: &random)! }))
            }
            var kept: [Line] = []
            for line in lines {
                let expression = LinearExpression(
                    Array(zip(variables, line.factors)), constant: line.constant)
                do throws(SolverError) {
                    try solver.add(LinearConstraint(expression, line.relation, priority: line.priority))
                    kept.append(line)
                } catch {
                    // Then no vertex fulfills it together with those before.
                    let required = kept.filter { $0.priority == .required } + [line]
                    let isPossible = vertices(required + kept).contains { point in
                        required.allSatisfy { $0.error(at: point) < 1e-6 }
                    }
                    #expect(!isPossible)
                }
            }
            let ours = errors(kept, at: variables.map(solver.value(of:)))
            #expect(ours[0] < 1e-6)
            for point in vertices(kept) {
                let theirs = errors(kept, at: point)
                #expect(!isBetter(theirs, than: ours), "\(point) is better in \(kept)")
            }
        }
    }
}
