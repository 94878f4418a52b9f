private import Platform
private import Synchronization

#if os(Linux)
/// Alarms of Linux's pressure stall information, and a timed wait for them that another thread can end.
///
/// Source: the kernel's Documentation/accounting/psi.rst.
package final class PressureAlarms: Sendable {
    /// The end of a wait.
    package enum Wakeup: Equatable, Sendable {
        /// The trigger at this position of the list fired.
        case alarm(Int)
        case timeout
        /// `interrupt()` was called.
        case interruption
    }

    private let triggers: Mutex<[Int32]>
    /// Readable after `interrupt()`.
    private let (wakeup, signal): (Int32, Int32)

    /// Sets triggers such as "some 200000 2000000" on a file such as /proc/pressure/memory.
    ///
    /// Without privileges, the window must be a multiple of two seconds.
    ///
    /// - Parameter triggers: May be empty: then the file is not opened, and only the time and `interrupt()` end a wait.
    /// - Throws: `FileError` if the system has no such file, or refuses a trigger.
    package init(_ path: String, triggers: [String]) throws(FileError) {
        var ends: [Int32] = [-1, -1]
        // The array is written by the call and outlives it.
        guard unsafe pipe(&ends) == 0 else { throw .unreadable(systemReason()) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var opened: [Int32] = []
        for trigger in triggers {
            let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { opened.append(descriptor) }
            // The system reads a C string, with its zero.
            guard descriptor >= 0, OutputFile.write((Array(trigger.utf8) + [0]).span, to: descriptor) else {
                let reason = systemReason()
                for descriptor in opened + ends { close(descriptor) }
                throw .unwritable(reason)
            }
        }
        self.triggers = Mutex(opened)
        (wakeup, signal) = (ends[0], ends[1])
    }

    deinit {
        for descriptor in triggers.withLock({ $0 }) + [wakeup, signal] { close(descriptor) }
    }

    /// Whether there are triggers; those of a cgroup end when it is removed.
    package var hasTriggers: Bool { triggers.withLock { !$0.isEmpty } }

    /// Blocks until a trigger fires, the time is over, or `interrupt()` is called.
    ///
    /// For one thread at a time.
    ///
    /// - Parameter milliseconds: nil for no limit.
    package func wait(milliseconds: Int?) -> Wakeup {
        let triggers = triggers.withLock { $0 }
        var files = triggers.map { pollfd(fd: $0, events: Int16(POLLPRI), revents: 0) }
        files.append(pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0))
        // The array is written by the call and outlives it.
        let count = unsafe poll(&files, nfds_t(files.count), milliseconds.map { Int32(clamping: $0) } ?? -1)
        guard count > 0 else { return .timeout }
        if files[triggers.count].revents != 0 { return .interruption }
        if files.contains(where: { $0.revents & Int16(POLLERR | POLLNVAL) != 0 }) {
            self.triggers.withLock { $0 = [] }
            for descriptor in triggers { close(descriptor) }
            return .timeout
        }
        return files.lastIndex { $0.revents & Int16(POLLPRI) != 0 }.map { .alarm($0) } ?? .timeout
    }

    /// Ends the current wait and all later ones, from any thread.
    package func interrupt() { _ = OutputFile.write([1].span, to: signal) }
}

/// The C library's heap.
package enum Heap {
    /// Returns freed memory to the system; does nothing where the C library cannot (musl).
    package static func trim() { _ = mallocTrim?(0) }

    /// Makes all threads share a heap whose large blocks are returned to the system when they are freed; does nothing where
    /// the C library cannot (musl), or where the variables `MALLOC_…_` set it.
    package static func returnFreedMemory() {
        set([
            ("MALLOC_TRIM_THRESHOLD_", -1, 1_000_000), ("MALLOC_MMAP_THRESHOLD_", -3, 1_000_000),
            ("MALLOC_ARENA_MAX", -8, 2),
        ])
    }

    /// Fixes the sizes of what is returned to the system, for a program that ends soon.
    ///
    /// The C library raises them with the first large block that is freed. Other threads' heaps then return and fetch the
    /// memory of each strip of a picture: half of the time of reading an uncompressed one. Blocks up to the size of a
    /// band of rows stay in the heap; larger ones take more memory there.
    package static func fixThresholds() {
        set([("MALLOC_TRIM_THRESHOLD_", -1, 16 << 20), ("MALLOC_MMAP_THRESHOLD_", -3, 4 << 20)])
    }

    /// Source: mallopt(3).
    private static func set(_ settings: [(name: String, number: Int32, value: Int32)]) {
        // `int mallopt(int param, int value)`.
        guard let address = unsafe dlsym(dlopen(nil, RTLD_LAZY), "mallopt") else { return }
        let mallopt = unsafe unsafeBitCast(address, to: (@convention(c) (Int32, Int32) -> Int32).self)
        for setting in settings where ProcessEnvironment.variable(setting.name) == nil {
            _ = mallopt(setting.number, setting.value)
        }
    }

    // malloc.h is not part of Swift's module of the C library.
    private static let mallocTrim: (@convention(c) @Sendable (Int) -> Int32)? = {
        // The handle of the program itself, which is never closed.
        guard let address = unsafe dlsym(dlopen(nil, RTLD_LAZY), "malloc_trim") else { return nil }
        // `int malloc_trim(size_t pad)`, malloc_trim(3).
        return unsafe unsafeBitCast(address, to: (@convention(c) @Sendable (Int) -> Int32).self)
    }()
}
#endif
