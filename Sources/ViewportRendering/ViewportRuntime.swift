internal import Files
internal import Vips

/// What rendering shares with all other code of the process: libvips, and the messages of GLib.
///
/// Rendering changes none of these by itself. A program that is about images calls `configureProcess`; a program
/// that uses libvips or GLib for other things, too, leaves that out and gets the same pixels.
public enum ViewportRuntime {
    /// Sets libvips up for this package, for the whole process; libvips need not have started.
    ///
    /// Sets the size of libvips' cache of operations to 0, shuts its untrusted loaders for all code, and drops what
    /// GLib would write to standard error by a log handler of its own. Without this call warnings of decoders appear
    /// there, and libvips may keep operations of the last hundred images.
    public static func configureProcess() { VipsLibrary.configureProcess() }

    /// Opens loaders that libvips does not trust with hostile files (SVG, PDF, JPEG 2000, …) for all images.
    ///
    /// Formats that the program has blocked in libvips itself stay shut unless it calls `configureProcess`.
    ///
    /// - Throws: `RenderingError.library` where libvips does not start.
    public static func allowUntrustedLoaders() throws(RenderingError) {
        do {
            try VipsLibrary.allowUntrustedLoaders()
        } catch {
            throw .library(detail: error.log)
        }
    }

    /// Has libvips start without its plug-ins, for a program that opens this one file and writes what is built in.
    ///
    /// It saves most of the start, and sets the environment variable VIPSHOME while libvips starts. Files of formats
    /// that come as plug-ins cannot be opened afterwards; where the file is of one of them, nothing is left out.
    public static func leaveOutPlugins(unlessNeededFor path: String) {
        guard let head = try? InputFile.prefix(12, of: path), ImageFormat.isBuiltIn(head) else { return }
        VipsLibrary.leaveOutPlugins()
    }

    /// Limits the threads of each libvips operation of the process, for programs that render many images at once.
    public static func limitOperationThreads(to count: Int) { VipsLibrary.setConcurrency(count) }
}
