import Synchronization

/// A line on the terminal that says how far work has come, once it has taken a second.
struct ProgressLine {
    private let title: String
    private let start = ContinuousClock.now
    private var shown = ""

    init(_ title: String) {
        self.title = title
    }

    /// Shows a share from 0 to 1; nothing where standard error is no terminal.
    mutating func show(_ share: Double) { show("\(Int(share * 100)) %") }

    /// Shows how many were done, where nobody knows of how many.
    mutating func show(count: Int) { show("\(count)") }

    private mutating func show(_ state: String) {
        guard StandardError.isTerminal, ContinuousClock.now - start > .seconds(1) else { return }
        let line = "\(title) \(state)"
        guard line != shown else { return }
        StandardError.write("\r\(line)")
        shown = line
    }

    /// Takes the line away.
    mutating func clear() {
        guard !shown.isEmpty else { return }
        StandardError.write("\r" + String(repeating: " ", count: shown.count) + "\r")
        shown = ""
    }
}

/// The same line, shown from threads that work at the same time.
final class SharedProgressLine: Sendable {
    private let line: Mutex<ProgressLine>

    init(_ title: String) {
        line = Mutex(ProgressLine(title))
    }

    func show(_ share: Double) { line.withLock { $0.show(share) } }

    func show(count: Int) { line.withLock { $0.show(count: count) } }

    func clear() { line.withLock { $0.clear() } }
}
