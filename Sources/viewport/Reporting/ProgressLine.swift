#if CommandLine
import Synchronization
import Thumbnails
import WorkReporting

/// A line on the terminal with progress and time left, shown after a second.
struct ProgressLine {
    private let title: String
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var shown = ""

    init(_ title: String) {
        self.title = title
    }

    /// Shows a fraction from 0 to 1 and the time left; nothing if standard error is not a terminal.
    mutating func show(_ share: Double) {
        let left = TimeLeft.sentence(share: share, after: ContinuousClock.now - start).map { ", \($0)" } ?? ""
        show("\(Int(min(max(share, 0), 1) * 100)) %\(left)")
    }

    /// Shows what is done: files and groups are counted, and other work is a share.
    mutating func show(_ progress: WorkProgress) {
        switch progress.what {
        case .files, .groups: show(count: progress.done, of: progress.total)
        case .rows, .comparisons, .thousandths: show(progress.fraction)
        }
    }

    /// Shows a count and, if it is known, the total.
    mutating func show(count: Int, of total: Int? = nil) {
        guard let total, total >= count else { return show("\(count)") }
        let left = TimeLeft.sentence(
            share: Double(count) / Double(max(1, total)), after: ContinuousClock.now - start)
        show("\(count) of \(total)\(left.map { ", \($0)" } ?? "")")
    }

    private mutating func show(_ state: String) {
        let now = ContinuousClock.now
        // At most ten updates per second.
        guard StandardError.showsProgress, now - start > .seconds(1), now - last > .milliseconds(100) else {
            return
        }
        let line = "\(title) \(state)"
        guard line != shown else { return }
        StandardError.write("\r\(line)\u{1B}[K")
        (shown, last) = (line, now)
    }

    /// Removes the line.
    mutating func clear() {
        guard !shown.isEmpty else { return }
        StandardError.write("\r\u{1B}[K")
        shown = ""
    }
}

/// The time left, estimated from the completed fraction.
enum TimeLeft {
    /// Returns "21 s left"; nil if too little is done for an estimate.
    static func sentence(share: Double, after time: Duration) -> String? {
        let seconds = time / .seconds(1)
        guard share > 0.01, share < 1, seconds > 0 else { return nil }
        let whole = Int((seconds * (1 - share) / share).rounded(.up))
        return switch whole {
        case ..<100: "\(whole) s left"
        case ..<6000: "\(whole / 60) min left"
        default: "\(whole / 3600) h \(whole / 60 % 60) min left"
        }
    }
}

/// A progress line for concurrent threads.
final class SharedProgressLine: Sendable {
    private let line: Mutex<ProgressLine>

    init(_ title: String) {
        line = Mutex(ProgressLine(title))
    }

    func show(_ share: Double) { line.withLock { $0.show(share) } }

    func show(_ progress: WorkProgress) { line.withLock { $0.show(progress) } }

    func show(share count: Int, of total: Int) { show(Double(count) / Double(max(1, total))) }

    func show(count: Int, of total: Int? = nil) { line.withLock { $0.show(count: count, of: total) } }

    func clear() { line.withLock { $0.clear() } }
}

/// A progress bar on the terminal, with rate and time left of a batch.
final class BatchProgressLine: Sendable {
    private let start = ContinuousClock.now
    /// When the line was last updated, and whether it is visible.
    private let shown = Mutex<(last: ContinuousClock.Instant, isThere: Bool)>((.now, false))

    /// Updates the line, at most ten times per second; does nothing if standard error is not a terminal.
    func show(_ summary: BatchSummary) {
        guard StandardError.showsProgress else { return }
        let now = ContinuousClock.now
        shown.withLock { shown in
            guard now - shown.last > .milliseconds(100) else { return }
            StandardError.write("\r\(Self.text(summary, now - start))\u{1B}[K")
            shown = (now, true)
        }
    }

    /// Removes the line, before other output.
    func clear() {
        shown.withLock { shown in
            guard shown.isThere else { return }
            StandardError.write("\r\u{1B}[K")
            shown.isThere = false
        }
    }

    /// Returns "[#####---------------]  25 %  312 files, 45.2/s, 21 s left, 1 failed".
    static func text(_ summary: BatchSummary, _ time: Duration) -> String {
        let seconds = max(time / .seconds(1), 0.001)
        var parts: [String] = []
        let rate = (Double(summary.done) / seconds * 10).rounded() / 10
        parts.append("\(summary.done) files, \(rate)/s")
        var bar = ""
        if let share = summary.fraction {
            let filled = Int(share * 20)
            bar = "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
            bar += "] \(Int(share * 100)) %  "
            if let left = TimeLeft.sentence(share: share, after: time) { parts.append(left) }
        }
        if summary.failed > 0 { parts.append("\(summary.failed) failed") }
        return bar + parts.joined(separator: ", ")
    }
}
#endif
