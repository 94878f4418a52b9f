private import Synchronization

/// The progress of several pieces of work as that of one.
///
/// Each piece reports to the closure of its own, on any thread, and the whole is reported as thousandths, by the rules of
/// ``WorkProgress``: one call at a time, never less than before, and exactly 1 once all pieces are done.
///
/// ```swift
/// let total = CombinedProgress(of: viewports.count) { print("\(Int(100 * $0.fraction)) %") }
/// for (index, viewport) in viewports.enumerated() {
///     group.addTask { try await renderer.render(viewport, of: file, progress: total.part(index)) }
/// }
/// ```
///
/// A piece that fails or is cancelled leaves the whole below 1.
public final class CombinedProgress: Sendable {
    private struct State {
        var fractions: [Double]
        var whole = 0.0
        var left: Int
    }

    private let weights: [Double]
    private let reporter: ProgressReporter
    private let state: Mutex<State>

    /// Creates the progress of pieces that take about as long as each other.
    ///
    /// - Parameters:
    ///   - count: the number of pieces.
    ///   - report: receives the progress of the whole, one call at a time, on the threads that do the work; it must not
    ///     block for long.
    public convenience init(of count: Int, report: @escaping @Sendable (WorkProgress) -> Void) {
        self.init(weights: Array(repeating: 1, count: max(0, count)), report: report)
    }

    /// Creates the progress of pieces of different lengths.
    ///
    /// - Parameters:
    ///   - weights: how long each piece takes, in any unit, such as its pixels; those that are not positive count as none.
    ///   - report: as in ``init(of:report:)``.
    public init(weights: [Double], report: @escaping @Sendable (WorkProgress) -> Void) {
        let weights = weights.map { $0 > 0 && $0.isFinite ? $0 : 0 }
        let sum = weights.reduce(0, +)
        self.weights = weights.map { sum > 0 && sum.isFinite ? $0 / sum : 0 }
        reporter = ProgressReporter(.thousandths, of: 1000, report)
        state = Mutex(State(fractions: weights.map { _ in 0 }, left: weights.count))
    }

    /// Returns the closure for the progress of a piece, by its index from 0; one that does not exist has no effect.
    public func part(_ index: Int) -> @Sendable (WorkProgress) -> Void {
        { self.note($0.fraction, of: index) }
    }

    private func note(_ fraction: Double, of index: Int) {
        let (whole, isDone) = state.withLock { state in
            guard state.fractions.indices.contains(index), fraction > state.fractions[index] else {
                return (state.whole, false)
            }
            state.whole += (fraction - state.fractions[index]) * weights[index]
            state.fractions[index] = fraction
            if fraction == 1 { state.left -= 1 }
            return (state.whole, state.left == 0)
        }
        if isDone { reporter.finish() } else { reporter.report(fraction: whole) }
    }
}
