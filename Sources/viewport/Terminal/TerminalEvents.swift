#if CommandLine
import Dispatch
import Files
import Platform
import TerminalGraphics

/// What a viewer in a terminal reacts to.
enum TerminalEvent: Sendable {
    case key(ViewerKey)
    /// The window has another size, or its contents are lost.
    case resized
    case resumed
    /// A signal asks the process to end.
    case stopped(Int32)
    /// A share of the picture is read.
    case progress(Double)
    /// The bytes that show a picture.
    case drawn([UInt8], image: Int)
    case failed(any Error, image: Int)
    /// The terminal is gone.
    case closed
}

/// Signals and keys as events.
final class TerminalEvents {
    let events: AsyncStream<TerminalEvent>
    let post: AsyncStream<TerminalEvent>.Continuation
    private let interruption: Interruption
    private var sources: [any DispatchSourceSignal] = []

    /// Records signals that end the process.
    init() {
        let (events, post) = AsyncStream.makeStream(of: TerminalEvent.self)
        (self.events, self.post) = (events, post)
        interruption = Interruption { post.yield(.stopped($0)) }
    }

    /// - Throws: `Interruption.Stopped` if a signal has arrived.
    func check() throws { try interruption.flag.check() }

    /// Posts the signals that viewers react to.
    func watchSignals() {
        let queue = DispatchQueue(label: "viewport.terminal")
        let signals: [(Int32, TerminalEvent)] = [
            (SIGWINCH, .resized), (SIGCONT, .resumed), (SIGTSTP, .key(.suspend)),
            (SIGQUIT, .stopped(SIGQUIT)),
        ]
        sources = signals.map { [post] number, event in
            Interruption.source(of: number, on: queue) { post.yield(event) }
        }
    }

    /// Posts the keys of a terminal.
    func readKeys(_ device: TerminalDevice) {
        DispatchQueue(label: "viewport.keys").async { [post] in Self.read(device, post) }
    }

    private static func read(_ device: TerminalDevice, _ post: AsyncStream<TerminalEvent>.Continuation) {
        var input = TerminalInput()
        // A lone escape is a key if nothing follows it.
        while let bytes = device.read(within: input.isPartial ? 50 : -1) {
            for token in bytes.isEmpty ? input.flush() : input.take(bytes) {
                if let key = ViewerKey(token) { post.yield(.key(key)) }
            }
        }
        post.yield(.closed)
    }

    /// Stops the process as Ctrl-Z does; returns when it goes on.
    static func suspend() {
        // Without a shell around it, nobody would continue it.
        guard getsid(0) != getpid() else { return }
        // Not SIGTSTP, which is blocked for the source above.
        kill(getpid(), SIGSTOP)
        // The signal may come to another thread first.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(50))
    }
}
#endif
