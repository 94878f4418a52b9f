internal import Containers
internal import Files
public import MemoryWatching
public import Pictures
internal import Synchronization
internal import Vips

/// Process-wide settings of libvips, GLib and the C library.
///
/// Rendering changes none of them by itself. A program that uses libvips only through this package calls
/// `configureProcess`; other programs leave that out and get the same pixels.
public enum ViewportRuntime {
    /// Configures libvips, GLib and the C library for this package, before or after libvips has started.
    ///
    /// Disables libvips' operation cache, blocks its untrusted loaders for all code, installs a log handler that drops
    /// messages of GLib, and limits the threads of an operation to the processors of the process's control group. Without this call, warnings of decoders go to standard error, and libvips may keep the
    /// operations of the last hundred images. On Linux with glibc, it also fixes the sizes from which freed memory is
    /// returned to the system.
    public static func configureProcess() {
        #if os(Linux)
        Heap.fixThresholds()
        #endif
        VipsLibrary.configureProcess()
    }

    /// Drops what decoders write to C's stream of errors, for a program that writes its own messages to descriptor 2.
    package static func dropDecoderMessages() { VipsLibrary.dropMessages() }

    /// Allows the loaders that libvips does not trust with hostile files (SVG, PDF, JPEG 2000, …) for all images.
    ///
    /// Formats that the program has blocked in libvips itself stay blocked unless it calls `configureProcess`.
    ///
    /// - Throws: `RenderingError.library` where libvips does not start.
    public static func allowUntrustedLoaders() throws(RenderingError) {
        do {
            try VipsLibrary.allowUntrustedLoaders()
        } catch {
            throw .library(detail: error.log)
        }
    }

    /// Starts libvips without its plug-ins, for a program that opens one file of a built-in format, or HEIF.
    ///
    /// Saves most of the start-up time. The environment variable VIPSHOME is set while libvips starts. Formats that are
    /// loaded by the plug-ins that are left out cannot be opened afterwards; of HEIF and AVIF only their own plug-in is
    /// loaded, and where the file has another such format, nothing is left out.
    public static func leaveOutPlugins(unlessNeededFor path: String) {
        guard let head = try? InputFile.prefix(12, of: path) else { return }
        let type = FileType(head: head)
        if type?.has(.builtIn) == true { VipsLibrary.leaveOutPlugins() }
        if type == .heif || type == .avif { VipsLibrary.leaveOutPlugins(exceptHEIF: true) }
    }

    /// Empties libvips' operation cache with each warning of `memory`, until the observation is cancelled or released.
    ///
    /// The cache is in use unless ``configureProcess()`` was called.
    public static func releaseOperations(under memory: MemoryWatch) -> MemoryObservation {
        memory.onPressure { if $0 > .normal { VipsLibrary.dropOperationCache() } }
    }

    /// Limits the threads of each libvips operation of the process, for programs that render many images at once.
    public static func limitOperationThreads(to count: Int) { VipsLibrary.setConcurrency(count) }

    private static let copyObserver = Mutex<(@Sendable (RemoteCopy) -> RemoteCopy.Progress)?>(nil)

    /// Calls a closure, on any thread, before a remote file is read as a whole; what it returns receives the progress.
    package static func observeCopies(_ observer: @escaping @Sendable (RemoteCopy) -> RemoteCopy.Progress) {
        copyObserver.withLock { $0 = observer }
    }

    static func announce(_ copy: RemoteCopy) -> RemoteCopy.Progress {
        copyObserver.withLock { $0 }?(copy) ?? { _ in }
    }
}

/// A remote file that has to be read as a whole.
package struct RemoteCopy: Sendable {
    /// Receives the share that is there.
    package typealias Progress = @Sendable (Double) -> Void

    package enum Reason: Sendable {
        case formatWithoutParts, serverWithoutRanges
        /// It is read up to the last scan that is needed, in the worst case all of it.
        case progressiveScans
    }

    package let name: String
    package let bytes: Int
    package let reason: Reason
}
