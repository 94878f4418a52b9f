private import Basics
private import CVips
private import Files
private import Platform
private import Synchronization

/// The libvips of the process, which is started when it is first needed.
///
/// Starting it changes no state that other code of the process could see; separate functions do that.
package enum VipsLibrary {
    private static let isWithoutPlugins = Atomic(false)
    private static let usesHEIF = Atomic(false)

    /// Starts libvips without its plug-ins (HEIF, JPEG XL, ImageMagick, OpenSlide, PDF).
    ///
    /// Loading them takes ten times as long as the rest of the start. Has an effect only before the first
    /// use of libvips; the environment variable VIPSHOME is changed while libvips starts.
    ///
    /// - Parameter exceptHEIF: whether the plug-in of HEIF is loaded nevertheless.
    package static func leaveOutPlugins(exceptHEIF: Bool = false) {
        usesHEIF.store(exceptHEIF, ordering: .relaxed)
        isWithoutPlugins.store(true, ordering: .relaxed)
    }

    private static let started: Bool = {
        guard LibVips.problem == nil else { return false }
        // libvips searches plug-ins below this folder, which does not exist; the variable is restored afterwards.
        let plugin = usesHEIF.load(ordering: .relaxed) ? LibVips.plugin("vips-heif") : nil
        let isBare =
            isWithoutPlugins.load(ordering: .relaxed)
            && (plugin != nil || !usesHEIF.load(ordering: .relaxed))
        let home = unsafe g_getenv("VIPSHOME").map { unsafe String(cString: $0) }
        if isBare { unsafe g_setenv("VIPSHOME", "/nonexistent", 1) }
        defer {
            if isBare {
                if let home { unsafe g_setenv("VIPSHOME", home, 1) } else { unsafe g_unsetenv("VIPSHOME") }
            }
        }
        // The name only appears in libvips' own messages.
        guard unsafe vips_init("viewport") == 0 else { return false }
        if isBare, let plugin { LibVips.loadPlugin(plugin) }
        isRunning.store(true, ordering: .sequentiallyConsistent)
        process.store(getpid(), ordering: .relaxed)
        applyConfiguration()
        applyConcurrency()
        return true
    }()

    /// The process that has started it; 0 if it is not started.
    private static let process = Atomic<Int32>(0)

    /// Whether another process has started it, from which this one was forked: its threads were left behind, and
    /// operations would wait for them.
    package static var isInherited: Bool { ![0, getpid()].contains(process.load(ordering: .relaxed)) }

    private static let hasFailed = Atomic(false)

    /// Whether it was needed and could not be used: what failed then says nothing about a file.
    package static var isUnusable: Bool { hasFailed.load(ordering: .relaxed) || isInherited }

    /// Whether it can be used; starts it.
    package static var canStart: Bool {
        do {
            try start()
            return true
        } catch {
            return false
        }
    }

    /// Starts libvips; later calls cost nothing.
    ///
    /// - Throws: `VipsError` where libvips cannot start.
    package static func start() throws(VipsError) {
        guard started else {
            hasFailed.store(true, ordering: .relaxed)
            throw VipsError(operation: "vips_init", reason: .failed, log: LibVips.problem ?? takeLog())
        }
        guard !isInherited else {
            throw VipsError(
                operation: "vips_init", reason: .failed,
                log: "it was started before this process was forked from another one")
        }
    }

    /// Configures libvips and GLib's messages for this package alone, now or when libvips starts.
    ///
    /// Disables libvips' operation cache, which would keep files open, blocks its untrusted loaders for all code
    /// of the process, drops GLib's messages to standard error, and starts as many threads as the process has processors
    /// unless VIPS_CONCURRENCY is set.
    package static func configureProcess() {
        isConfigured.store(true, ordering: .sequentiallyConsistent)
        guard isRunning.load(ordering: .sequentiallyConsistent) else { return }
        applyConfiguration()
        applyConcurrency()
    }

    /// Empties libvips' operation cache, which may keep files open and pixels in memory; does not start libvips.
    package static func dropOperationCache() {
        if isRunning.load(ordering: .sequentiallyConsistent) { vips_cache_drop_all() }
    }

    private static let isConfigured = Atomic(false)
    private static let dropsMessages = Atomic(false)

    /// Drops what libvips and its decoders write to C's stream of errors, from the start of libvips on.
    ///
    /// libjxl and dav1d write lines there for damaged files, and have no setting for it. Descriptor 2 stays as it is.
    package static func dropMessages() { dropsMessages.store(true, ordering: .sequentiallyConsistent) }

    private static func applyConfiguration() {
        if dropsMessages.exchange(false, ordering: .sequentiallyConsistent) { MessageStream.drop() }
        guard isConfigured.load(ordering: .sequentiallyConsistent) else { return }
        vips_cache_set_max(0)
        vips_block_untrusted_set(allowsUntrustedLoaders ? 0 : 1)
        // Warnings of decoders would be written to standard error; relevant ones are returned as errors.
        unsafe g_log_set_default_handler({ _, _, _, _ in }, nil)
    }

    /// Allows the loaders that libvips marks as untrusted (SVG, PDF, JPEG 2000, OpenSlide, …) for this package.
    ///
    /// Loaders that the program itself has blocked in libvips stay blocked.
    package static func allowUntrustedLoaders() throws(VipsError) {
        untrustedLoadersAreOpen.store(true, ordering: .relaxed)
        try start()
        applyConfiguration()
    }

    private static let untrustedLoadersAreOpen = Atomic(false)

    /// Whether `allowUntrustedLoaders` was called.
    package static var allowsUntrustedLoaders: Bool { untrustedLoadersAreOpen.load(ordering: .relaxed) }

    /// Limits the threads of one operation, now or when libvips starts; does not start it.
    ///
    /// Reading tiles in parallel is faster than decoding one tile with several threads.
    package static func setConcurrency(_ threads: Int) {
        wantedConcurrency.store(threads, ordering: .sequentiallyConsistent)
        if isRunning.load(ordering: .sequentiallyConsistent) { applyConcurrency() }
    }

    private static let isRunning = Atomic(false)

    /// 0 if nothing was set.
    private static let wantedConcurrency = Atomic(0)

    private static func applyConcurrency() {
        let wanted = wantedConcurrency.load(ordering: .sequentiallyConsistent)
        if wanted > 0 {
            vips_concurrency_set(Int32(wanted))
        } else if isConfigured.load(ordering: .sequentiallyConsistent),
            ProcessEnvironment.variable("VIPS_CONCURRENCY") == nil
        {
            // libvips does not know the quotas of control groups.
            vips_concurrency_set(Int32(clamping: Processors.count))
        }
    }

    /// The version of the library, such as "8.14.1", which is loaded but not started; nil where it cannot be loaded.
    package static var loadedVersion: String? {
        guard LibVips.problem == nil else { return nil }
        return (0..<3).map { "\(vips_version(Int32($0)))" }.joined(separator: ".")
    }

    /// Returns its version, such as "8.14.1".
    ///
    /// - Throws: `VipsError` where libvips cannot start.
    package static func version() throws(VipsError) -> String {
        try start()
        return loadedVersion ?? ""
    }

    /// Returns whether libvips was built with an operation, such as "jp2kload".
    package static func hasOperation(_ nickname: String) -> Bool { (try? VipsOperation(nickname)) != nil }

    /// Takes the last message of libvips: the first ones are about bytes, the last one about the file.
    static func takeLog() -> String {
        isAlone ? takeSharedLog() : turn.withValueEvenIfCancelled { _ in takeSharedLog() }
    }

    /// Returns the message of work that fails, which is never that of another thread; nil if the work does not fail.
    ///
    /// libvips has one buffer of messages for all threads, each of which may write to it, and empties it when it reads its own.
    /// The work is repeated until it has the same message twice: meanwhile other threads whose work fails wait for the
    /// buffer, so each of them adds one message at most.
    package static func reason(_ work: () throws(VipsError) -> Void) -> String? {
        turn.withValueEvenIfCancelled { _ in
            $isAlone.withValue(true) {
                var last: String?
                for _ in 0..<maximumAttempts {
                    _ = takeSharedLog()
                    do throws(VipsError) {
                        try work()
                        return nil
                    } catch {
                        if error.log == last { break }
                        last = error.log
                    }
                }
                return last
            }
        }
    }

    private static let maximumAttempts = 8
    /// Who reads the buffer of messages.
    private static let turn = Exclusive(())
    /// Whether the current thread has the buffer of messages for itself.
    @TaskLocal private static var isAlone = false

    private static func takeSharedLog() -> String {
        // vips_error_buffer_copy locks, copies and clears: the only call that is thread-safe.
        guard let text = unsafe vips_error_buffer_copy() else { return "" }
        defer { unsafe g_free(text) }
        let lines = unsafe String(cString: text).split(whereSeparator: \.isNewline)
        // Short lines are numbers of a decoder, not sentences.
        return String((lines.last { $0.count > 20 } ?? lines.last ?? "").prefix(200))
    }
}

/// The shared library libvips, loaded when the first of its functions is called.
///
/// It depends on a hundred libraries, and linking those takes most of the time of a small job; much
/// work with JPEGs needs none of them. Where a program links libvips itself, that one is used.
enum LibVips {
    /// Its name where it is loaded on demand; nil where programs link it.
    #if os(Linux)
    private static let name: String? = "libvips.so.42"
    #else
    private static let name: String? = nil
    #endif

    /// The reason why it cannot be loaded; nil where it is loaded.
    static let problem: String? = {
        guard unsafe library.address == nil else { return nil }
        return unsafe dlerror().map { unsafe String(cString: $0) } ?? "libvips is not installed"
    }()

    private static let library = Library()

    // Never closed, and dlsym may be called from all threads.
    @safe private struct Library: @unchecked Sendable {
        // libvips' modules refer to it by name, so its symbols need not be global.
        let address = unsafe dlopen(LibVips.name, RTLD_LAZY)
    }

    /// Returns the path of one of libvips' plug-ins, which lie in a folder next to the library; nil where there is none.
    static func plugin(_ name: String) -> String? {
        guard problem == nil, let start = unsafe dlsym(library.address, "vips_init"),
            let file = unsafe cvips_library_path(start)
        else { return nil }
        let folder = unsafe String(cString: file).split(separator: "/", omittingEmptySubsequences: false)
            .dropLast()
        let path =
            folder.joined(separator: "/") + "/vips-modules-\(vips_version(0)).\(vips_version(1))/\(name).so"
        return unsafe access(path, R_OK) == 0 ? path : nil
    }

    /// Loads a plug-in, which registers its operations.
    static func loadPlugin(_ path: String) {
        // Plug-ins make themselves resident, so the handle is not needed. The flag is G_MODULE_BIND_LAZY.
        _ = unsafe g_module_open(path, 1)
    }

    /// Returns a function by its name, with the type of the header.
    ///
    /// - Precondition: there is no `problem`.
    @unsafe static func function<Function>(_ name: String) -> Function {
        guard let address = unsafe dlsym(library.address, name) else {
            fatalError("the installed libvips has no \(name): it is older than the one this was built with")
        }
        // The list of functions has the types of the header.
        return unsafe unsafeBitCast(address, to: Function.self)
    }
}

/// An error of libvips: the operation, the reason, and libvips' message.
package struct VipsError: Error, Sendable, CustomStringConvertible {
    /// The reason of a failure, independent of messages.
    package enum Reason: Sendable, Equatable {
        /// The installed libvips has no operation of this name.
        case missingOperation
        /// The operation has no argument of this name, or of another type.
        case badArgument(String)
        /// No allowed loader recognizes the file.
        case unknownFormat
        /// The operation itself failed.
        case failed
    }

    package var operation: String
    package var reason: Reason
    /// The message for users.
    ///
    /// libvips has one buffer for all threads, so the message may belong to another operation: it is never matched, and
    /// `VipsLibrary.reason` finds the right one.
    package var log: String

    package var description: String {
        log.isEmpty ? "\(operation) failed" : "\(operation): \(log)"
    }
}
