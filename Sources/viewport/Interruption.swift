import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Ctrl-C and a request to end, noted instead of obeyed at once, so that what is half made can be taken away.
final class Interruption {
    /// The process was asked to end.
    struct Stopped: Error {
        let signal: Int32
    }

    /// Whether a signal has come; may be asked from any thread.
    final class Flag: Sendable {
        private let signal = Atomic<Int32>(0)

        fileprivate func raise(_ number: Int32) { signal.store(number, ordering: .relaxed) }

        var isRaised: Bool { signal.load(ordering: .relaxed) != 0 }

        /// - Throws: `Stopped` where a signal has come.
        func check() throws {
            let number = signal.load(ordering: .relaxed)
            if number != 0 { throw Stopped(signal: number) }
        }
    }

    let flag = Flag()
    private var sources: [any DispatchSourceSignal] = []

    /// Has a write beyond the limit of file sizes (`ulimit -f`) fail instead of ending the process.
    static func takeFileSizeLimitAsError() { _ = signal(SIGXFSZ, SIG_IGN) }

    init() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // The source sees the signal only where the process does not obey it.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [flag] in flag.raise(number) }
            source.activate()
            sources.append(source)
        }
    }
}
