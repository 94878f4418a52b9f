private import Synchronization

/// How far an export has come, told from several threads.
///
/// The parts of the work have weights; what the listener throws stops the export.
final class ExportProgress: Sendable {
    private let listener: @Sendable (Double) throws -> Void
    private let parts: Mutex<[Part]>

    private struct Part {
        var weight: Double
        var done: Double
    }

    init(weights: [Double], _ listener: @escaping @Sendable (Double) throws -> Void) {
        self.listener = listener
        parts = Mutex(weights.map { Part(weight: $0, done: 0) })
    }

    /// Notes the share of a part that is done, from 0 to 1.
    func tell(_ share: Double, of part: Int) throws {
        let whole = parts.withLock { parts in
            parts[part].done = max(parts[part].done, share)
            let sum = parts.reduce(0) { $0 + $1.weight }
            return parts.reduce(0) { $0 + $1.weight * $1.done } / sum
        }
        try listener(whole)
    }
}
