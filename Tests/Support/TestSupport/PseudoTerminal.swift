package import Foundation
private import Platform
private import Synchronization

/// A terminal without a screen: standard input and output of a program, what it writes there, and keys.
package final class PseudoTerminal: Sendable {
    /// What was written, shared with the thread that reads it.
    private final class Screen: Sendable {
        let text = Mutex<[UInt8]>([])
    }

    private let screen = Screen()
    /// The side of the person at the terminal, which the reading thread closes.
    private let outside: Int32
    private let inside: Int32

    /// Creates a terminal of 80 by 24 cells of 10 by 20 pixels.
    package init() throws {
        var (outside, inside) = (Int32(-1), Int32(-1))
        // Both numbers are written before the call returns.
        guard unsafe openpty(&outside, &inside, nil, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
        for descriptor in [outside, inside] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        (self.outside, self.inside) = (outside, inside)
        resize(columns: 80, rows: 24)
        Thread.detachNewThread { [screen, outside] in
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                // The call writes at most `count` bytes; it fails when nobody has the inside any more.
                let count = unsafe read(outside, &bytes, bytes.count)
                guard count > 0 else { break }
                screen.text.withLock { $0 += bytes.prefix(count) }
            }
            close(outside)
        }
    }

    deinit { close(inside) }

    /// Starts a process with the terminal as standard output, and as standard input unless it has another one.
    package func start(_ process: Process, standardInput: FileHandle? = nil) throws {
        let handle = FileHandle(fileDescriptor: inside, closeOnDealloc: false)
        process.standardInput = standardInput ?? handle
        process.standardOutput = handle
        try process.start()
    }

    /// Starts a process with the terminal as standard error alone.
    package func startWithErrors(_ process: Process) throws {
        process.standardError = FileHandle(fileDescriptor: inside, closeOnDealloc: false)
        try process.start()
    }

    /// What was written.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The number of bytes that were written.
    package var count: Int { bytes.count }

    private var bytes: [UInt8] { screen.text.withLock { $0 } }

    /// Waits until a text was written behind a number of bytes.
    ///
    /// Returns false if the process ends without it, or writes nothing more for two minutes: it waits for keys.
    package func shows(_ wanted: String, after start: Int = 0, _ process: Process) async -> Bool {
        var (last, before) = (ContinuousClock.now, -1)
        while true {
            let isRunning = process.isRunning
            let written = Data(isRunning ? bytes : await rest())
            if start <= written.count, written.range(of: Data(wanted.utf8), in: start..<written.count) != nil
            {
                return true
            }
            if written.count != before { (last, before) = (.now, written.count) }
            if !isRunning || ContinuousClock.now - last > .seconds(120) { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// What a process has written that has ended.
    package func rest() async -> [UInt8] {
        var before = -1
        while before != count {
            before = count
            try? await Task.sleep(for: .milliseconds(100))
        }
        return bytes
    }

    /// Presses keys.
    package func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        // The array outlives the call.
        _ = unsafe write(outside, bytes, bytes.count)
    }

    /// Changes the size, and nothing else: programs that it does not control get no signal.
    package func resize(columns: Int, rows: Int) {
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(columns * 10),
            ws_ypixel: UInt16(rows * 20))
        #if canImport(Darwin)
        let request: UInt = 0x8008_7467
        #else
        let request = UInt(TIOCSWINSZ)
        #endif
        // `size` is read by the call.
        _ = unsafe ioctl(inside, request, &size)
    }

    /// Whether keys arrive without a line's end, and unseen.
    package var isRaw: Bool {
        var settings = termios()
        // `settings` is written by the call and outlives it.
        guard unsafe tcgetattr(inside, &settings) == 0 else { return false }
        return settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0
    }
}
