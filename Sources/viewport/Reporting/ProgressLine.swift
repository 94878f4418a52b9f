#if CommandLine
import Dispatch
import Files
import Synchronization
import Thumbnails
import WorkReporting

/// A line on the terminal with the progress of work and the time left, for any thread.
///
/// It is shown when the work has taken half a second, also if the work has not reported anything yet, and removed with
/// the value.
final class ProgressLine: Sendable {
    fileprivate let start = ContinuousClock.now
    private let title: String
    private let state = Mutex<(text: Text?, isListed: Bool)>((nil, false))

    /// Returns what is shown after a time.
    private typealias Text = @Sendable (Duration) -> String

    init(_ title: String) {
        self.title = title
        list()
    }

    /// Shows a fraction from 0 to 1 and the time left.
    func show(_ share: Double) {
        show { "\(Int(min(max(share, 0), 1) * 100)) %" + TimeLeft.ending(share: share, after: $0) }
    }

    /// Shows what is done: files and groups are counted, and other work is a share.
    func show(_ progress: WorkProgress) {
        switch progress.what {
        case .files, .groups: show(count: progress.done, of: progress.total)
        case .rows, .comparisons, .thousandths: show(progress.fraction)
        }
    }

    func show(share count: Int, of total: Int) { show(Double(count) / Double(max(1, total))) }

    /// Shows a count and, if it is known, the total.
    func show(count: Int, of total: Int? = nil) {
        guard let total, total >= count else { return show { _ in "\(count)" } }
        show {
            "\(count) of \(total)"
                + TimeLeft.ending(share: Double(count) / Double(max(1, total)), after: $0)
        }
    }

    /// Shows what a closure returns for the time since the start.
    fileprivate func show(_ text: @escaping @Sendable (Duration) -> String) {
        guard StandardError.showsProgress else { return }
        let wasListed = state.withLock { state in
            state.text = text
            return state.isListed
        }
        if !wasListed { list() }
    }

    /// Removes the line until there is more progress.
    func clear() {
        state.withLock { $0 = (nil, false) }
        ProgressScreen.remove(self)
    }

    private func list() {
        guard StandardError.showsProgress else { return }
        state.withLock { $0.isListed = true }
        ProgressScreen.add(self)
    }

    /// What is shown: the title, and the seconds where nothing is reported; nil before half a second.
    fileprivate func text(at now: ContinuousClock.Instant) -> String? {
        let time = now - start
        guard time > .milliseconds(500) else { return nil }
        guard let text = state.withLock(\.text) else {
            let seconds = time.components.seconds
            return Self.cut(title, seconds < 1 ? "…" : ", \(seconds) s")
        }
        return title.isEmpty ? text(time) : Self.cut(title, " \(text(time))")
    }

    /// Cuts a title so that the line fits into 79 columns: a longer one could not be removed.
    private static func cut(_ title: String, _ rest: String) -> String {
        let title = PathText.shown(title)
        let room = max(8, 79 - rest.count)
        return (title.count > room ? title.prefix(room - 1) + "…" : title[...]) + rest
    }
}

/// The last line of the terminal: the progress of the innermost work, except while other output is written.
enum ProgressScreen {
    private struct Entry {
        weak var line: ProgressLine?
    }

    private struct State {
        var entries: [Entry] = []
        var shown = ""
        /// Nothing is drawn before: other output is being written.
        var paused = ContinuousClock.now
        var timer: (any DispatchSourceTimer)?
        /// The line of the command as a whole.
        var command: ProgressLine?
    }

    private static let state = Mutex(State())

    /// Shows the command's own line where its work has none, until it writes results.
    static func begin(_ command: String) {
        let line = ProgressLine(command)
        state.withLock { $0.command = line }
    }

    /// Removes the line of the command for good: it waits for others, or prints results as they come.
    static func endCommand() {
        guard let line = state.withLock({ $0.command.take() }) else { return }
        line.clear()
    }

    /// Removes the line before other output.
    static func makeRoom() {
        guard StandardError.showsProgress else { return }
        state.withLock { state in
            state.paused = .now + .milliseconds(150)
            draw("", &state)
        }
    }

    fileprivate static func add(_ line: ProgressLine) {
        state.withLock { state in
            state.entries.append(Entry(line: line))
            guard state.timer == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "viewport.progress"))
            timer.setEventHandler { tick() }
            timer.schedule(deadline: .now() + 0.51, repeating: 0.1)
            timer.activate()
            state.timer = timer
        }
    }

    fileprivate static func remove(_ line: ProgressLine) {
        guard StandardError.showsProgress else { return }
        state.withLock { state in
            state.entries.removeAll { $0.line == nil || $0.line === line }
            draw("", &state)
        }
    }

    private static func tick() {
        let now = ContinuousClock.now
        state.withLock { state in
            state.entries.removeAll { $0.line == nil }
            guard now > state.paused else { return }
            draw(state.entries.last?.line?.text(at: now) ?? "", &state)
        }
    }

    private static func draw(_ text: String, _ state: inout State) {
        guard text != state.shown else { return }
        state.shown = text
        StandardError.draw("\r\(text)\u{1B}[K")
    }
}

/// The time left, estimated from the completed fraction.
enum TimeLeft {
    /// Returns ", 21 s left"; nothing if too little is done for an estimate.
    static func ending(share: Double, after time: Duration) -> String {
        sentence(share: share, after: time).map { ", \($0)" } ?? ""
    }

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

/// A progress bar on the terminal, with rate and time left of a batch.
final class BatchProgressLine: Sendable {
    private let line = ProgressLine("")

    func show(_ summary: BatchSummary) { line.show { Self.text(summary, $0) } }

    /// Removes the line.
    func clear() { line.clear() }

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
