import Synchronization
import Thumbnails

/// A bar on the terminal with the rate of a batch and the time that is left.
final class BatchProgressLine: Sendable {
    private let start = ContinuousClock.now
    /// When the line was shown last, and whether it is there.
    private let shown = Mutex<(last: ContinuousClock.Instant, isThere: Bool)>((.now, false))

    /// Shows it, ten times a second at most; nothing where standard error is no terminal.
    func show(_ summary: Batch.Summary) {
        guard StandardError.showsProgress else { return }
        let now = ContinuousClock.now
        shown.withLock { shown in
            guard now - shown.last > .milliseconds(100) else { return }
            StandardError.write("\r\(Self.text(summary, now - start))\u{1B}[K")
            shown = (now, true)
        }
    }

    /// Takes the line away when something else is to be written.
    func clear() {
        shown.withLock { shown in
            guard shown.isThere else { return }
            StandardError.write("\r\u{1B}[K")
            shown.isThere = false
        }
    }

    /// "[#####---------------]  25 %  312 files, 45.2/s, 21 s left, 1 failed".
    static func text(_ summary: Batch.Summary, _ time: Duration) -> String {
        let seconds = max(time / .seconds(1), 0.001)
        var parts: [String] = []
        let rate = (Double(summary.done) / seconds * 10).rounded() / 10
        parts.append("\(summary.done) files, \(rate)/s")
        var bar = ""
        if let share = summary.share {
            let filled = Int(share * 20)
            bar = "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
            bar += "] \(Int(share * 100)) %  "
            if let left = TimeLeft.sentence(share: share, after: time) { parts.append(left) }
        }
        if summary.failed > 0 { parts.append("\(summary.failed) failed") }
        return bar + parts.joined(separator: ", ")
    }
}
