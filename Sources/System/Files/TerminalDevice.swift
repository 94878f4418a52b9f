private import Platform
private import Synchronization

/// The terminal that keys come from.
package final class TerminalDevice: Sendable {
    private let descriptor: Int32
    /// The settings to restore; nil while they are in force.
    private let settings = Mutex<termios?>(nil)

    /// Opens the terminal of standard input, or else the one that controls the process; nil without one.
    ///
    /// - Parameter standardInput: Whether standard input may be it; it may be an image.
    package init?(standardInput: Bool = true) {
        if standardInput, Self.isStandardInput {
            descriptor = STDIN_FILENO
            return
        }
        let opened = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Whether standard input is a terminal.
    package static var isStandardInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether the process may read from it: others are stopped by the system when they do.
    package var isForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// Makes keys arrive at once, unseen and without signals, until `restore`; lines are still written as lines.
    ///
    /// Once more after a shell has changed it meanwhile.
    package func makeRaw() {
        settings.withLock { settings in
            var now = termios()
            // `now` is written by the call and outlives it.
            guard unsafe tcgetattr(descriptor, &now) == 0 else { return }
            let before = settings ?? now
            var raw = before
            // `raw` is changed by the call and outlives it.
            unsafe cfmakeraw(&raw)
            raw.c_oflag = before.c_oflag
            // `raw` is read by the call.
            if unsafe tcsetattr(descriptor, TCSANOW, &raw) == 0 { settings = before }
        }
    }

    /// Restores the settings of before.
    ///
    /// - Parameter dropsInput: Whether keys and answers that nobody has read are lost; else they are the shell's.
    package func restore(dropsInput: Bool) {
        settings.withLock { settings in
            guard var before = settings else { return }
            // `before` is read by the call and outlives it.
            _ = unsafe tcsetattr(descriptor, dropsInput ? TCSAFLUSH : TCSANOW, &before)
            settings = nil
        }
    }

    /// Returns what has arrived, empty if nothing came in that time; nil if the terminal is gone.
    package func read(within milliseconds: Int) -> [UInt8]? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // `poll` is written by the call and outlives it.
        let ready = unsafe Platform.poll(&poll, 1, Int32(clamping: milliseconds))
        guard ready != 0 else { return [] }
        guard ready > 0 else { return errno == EINTR ? [] : nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let room = bytes.count
        // The array is written by the call and outlives it.
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe Platform.read(descriptor, $0.baseAddress!, room)
        }
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}

/// The size of a terminal's window.
package struct WindowSize: Equatable, Sendable {
    /// The cells of text.
    package var columns: Int
    package var rows: Int
    /// The pixels of the text, 0 where the terminal does not tell them.
    package var width = 0
    package var height = 0

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

    /// Reads the size of a terminal; nil if the descriptor is none, or the size is unknown.
    init?(descriptor: Int32) {
        var size = winsize()
        #if canImport(Darwin)
        // TIOCGWINSZ, a macro that Swift does not import.
        let request: UInt = 0x4008_7468
        #else
        let request = UInt(TIOCGWINSZ)
        #endif
        // `size` is written by the call and outlives it.
        guard unsafe ioctl(descriptor, request, &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
        (width, height) = (Int(size.ws_xpixel), Int(size.ws_ypixel))
    }
}
