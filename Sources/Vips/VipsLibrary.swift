private import CVips
private import Platform
private import Synchronization

/// The one libvips of the process: started once, with the loaders it does not trust shut.
package enum VipsLibrary {
    private static let isWithoutPlugins = Atomic(false)

    /// Leaves out libvips' plug-ins (HEIF, JPEG XL, ImageMagick, OpenSlide, PDF) when it starts.
    ///
    /// Loading them takes ten times as long as all the rest of its start. It has an effect only before the first
    /// use of libvips.
    package static func leaveOutPlugins() {
        isWithoutPlugins.store(true, ordering: .relaxed)
    }

    private static let started: Bool = {
        guard LibVips.problem == nil else { return false }
        // libvips looks for plug-ins below this folder; it names none, and is the environment's again afterwards.
        let isBare = isWithoutPlugins.load(ordering: .relaxed)
        let home = unsafe g_getenv("VIPSHOME").map { unsafe String(cString: $0) }
        if isBare { unsafe g_setenv("VIPSHOME", "/nonexistent", 1) }
        defer {
            if isBare {
                if let home { unsafe g_setenv("VIPSHOME", home, 1) } else { unsafe g_unsetenv("VIPSHOME") }
            }
        }
        // The name only appears in libvips' own messages.
        guard unsafe vips_init("viewport") == 0 else { return false }
        // Caches belong to the layers above: libvips' would keep files open and stale.
        vips_cache_set_max(0)
        vips_block_untrusted_set(1)
        // Warnings of decoders would go to standard error; what matters of them comes back as an error.
        unsafe g_log_set_default_handler({ _, _, _, _ in }, nil)
        isRunning.store(true, ordering: .sequentiallyConsistent)
        applyConcurrency()
        return true
    }()

    /// Starts libvips; later calls cost nothing.
    ///
    /// - Throws: `VipsError` where libvips cannot start.
    package static func start() throws(VipsError) {
        guard started else {
            throw VipsError(operation: "vips_init", reason: .failed, log: LibVips.problem ?? takeLog())
        }
    }

    /// Opens the loaders that libvips calls untrusted (SVG, PDF, JPEG 2000, OpenSlide, …) for the process.
    package static func allowUntrustedLoaders() throws(VipsError) {
        try start()
        vips_block_untrusted_set(0)
        untrustedLoadersAreOpen.store(true, ordering: .relaxed)
    }

    private static let untrustedLoadersAreOpen = Atomic(false)

    /// Whether `allowUntrustedLoaders` was called.
    package static var allowsUntrustedLoaders: Bool { untrustedLoadersAreOpen.load(ordering: .relaxed) }

    /// How many threads one operation may use, from now on or from when libvips starts, which this does not do.
    ///
    /// Tiles are better read in parallel than decoded so.
    package static func setConcurrency(_ threads: Int) {
        wantedConcurrency.store(threads, ordering: .sequentiallyConsistent)
        if isRunning.load(ordering: .sequentiallyConsistent) { applyConcurrency() }
    }

    private static let isRunning = Atomic(false)

    /// 0 for libvips' own choice.
    private static let wantedConcurrency = Atomic(0)

    private static func applyConcurrency() {
        let threads = wantedConcurrency.load(ordering: .sequentiallyConsistent)
        if threads > 0 { vips_concurrency_set(Int32(threads)) }
    }

    /// How many threads libvips uses for one operation: the processors, unless it was set.
    package static var concurrency: Int { LibVips.problem == nil ? Int(vips_concurrency_get()) : 1 }

    /// Its version, as "8.14.1".
    package static func version() throws(VipsError) -> String {
        try start()
        return (0..<3).map { "\(vips_version(Int32($0)))" }.joined(separator: ".")
    }

    /// Whether libvips was built with an operation, as "jp2kload".
    package static func hasOperation(_ nickname: String) -> Bool { (try? VipsOperation(nickname)) != nil }

    /// The last thing that libvips has said: the first ones are about bytes, the last is about the file.
    static func takeLog() -> String {
        // vips_error_buffer_copy takes the lock, copies and clears: the only call that is safe beside others.
        guard let text = unsafe vips_error_buffer_copy() else { return "" }
        defer { unsafe g_free(text) }
        let lines = unsafe String(cString: text).split(whereSeparator: \.isNewline)
        // A line of a few characters is a decoder's number, not a sentence.
        return String((lines.last { $0.count > 20 } ?? lines.last ?? "").prefix(200))
    }
}

/// The shared library libvips, loaded when the first of its functions is called.
///
/// It brings a hundred libraries with it, and linking those takes most of the time that a small job takes; much
/// that is done with JPEGs needs none of them. Where programs link libvips themselves, this finds it there.
enum LibVips {
    /// Its name where it is loaded late; elsewhere programs link it.
    #if os(Linux)
    private static let name: String? = "libvips.so.42"
    #else
    private static let name: String? = nil
    #endif

    /// Why it cannot be loaded; nil where it is loaded.
    static let problem: String? = {
        guard unsafe library.address == nil else { return nil }
        return unsafe dlerror().map { unsafe String(cString: $0) } ?? "libvips is not installed"
    }()

    private static let library = Library()

    // Never closed, and dlsym may be called from all threads.
    @safe private struct Library: @unchecked Sendable {
        // libvips' modules refer to it by name, so its own names need not be seen by others.
        let address = unsafe dlopen(LibVips.name, RTLD_LAZY)
    }

    /// A function by its name, of the type that the caller knows from the header.
    ///
    /// - Precondition: there is no `problem`.
    @unsafe static func function<Function>(_ name: String) -> Function {
        guard let address = unsafe dlsym(library.address, name) else {
            fatalError("the installed libvips has no \(name): it is older than the one this was built with")
        }
        // The list of functions gives each the type that the header declares.
        return unsafe unsafeBitCast(address, to: Function.self)
    }
}

/// What libvips would not do: the operation, a reason that this wrapper knows, and libvips' own words.
package struct VipsError: Error, Sendable, CustomStringConvertible {
    /// Why an operation failed, as far as it can be told without reading messages.
    package enum Reason: Sendable, Equatable {
        /// The installed libvips has no operation of this name.
        case missingOperation
        /// The operation has no argument of this name, or of another type.
        case badArgument(String)
        /// No loader that may be used knows the file.
        case unknownFormat
        /// The operation itself failed.
        case failed
    }

    package var operation: String
    package var reason: Reason
    /// Text for people.
    ///
    /// libvips keeps one buffer for all threads, so it may belong to another operation:
    /// it is shown, never matched on.
    package var log: String

    package var description: String {
        log.isEmpty ? "\(operation) failed" : "\(operation): \(log)"
    }
}
