internal import CVips

/// Pixels in files without a header, and savers that are watched.
extension VipsImage {
    /// An image of 8-bit samples that lie in a file, rows from the top; the file is mapped, not read.
    ///
    /// - Throws: `VipsError` where the file is shorter than width x height x bands.
    package static func rawFile(
        _ path: String, width: Int, height: Int, bands: Int, interpretation: String
    ) throws(VipsError) -> VipsImage {
        try VipsLibrary.start()
        guard
            let image = unsafe vips_image_new_from_file_raw(
                path, Int32(width), Int32(height), Int32(bands), 0)
        else { throw VipsError(operation: "new_from_file_raw", reason: .failed, log: VipsLibrary.takeLog()) }
        return try unsafe VipsImage(owning: image).relabelled(interpretation)
    }

    /// Writes the image to a file, telling the share that is done, from 0 to 1.
    ///
    /// - Parameter goesOn: called on threads of libvips; false stops the saver, which then throws.
    package func save(
        _ path: String, with saver: String, _ arguments: [String: VipsArgument] = [:],
        goesOn: @escaping @Sendable (Double) -> Bool
    ) throws(VipsError) {
        let watched = try operation("copy").image()
        // Released below, when the saver has returned and cannot call any more.
        let watcher = unsafe Unmanaged.passRetained(Watcher(goesOn))
        let handler:
            @convention(c) (
                UnsafeMutablePointer<CVips.VipsImage>?, UnsafeMutablePointer<VipsProgress>?,
                UnsafeMutableRawPointer?
            ) -> Void = { image, progress, watcher in
                guard let progress = unsafe progress, let watcher = unsafe watcher else { return }
                // Retained until the saver has returned.
                let tell = unsafe Unmanaged<Watcher>.fromOpaque(watcher).takeUnretainedValue()
                if unsafe !tell.goesOn(Double(progress.pointee.percent) / 100) {
                    unsafe vips_image_set_kill(image, 1)
                }
            }
        unsafe vips_image_set_progress(watched.pointer, 1)
        // GObject calls handlers with the arguments of the signal, whatever type they are passed as.
        let signal = unsafe g_signal_connect_data(
            watched.pointer, "eval", unsafeBitCast(handler, to: GCallback.self), watcher.toOpaque(), nil,
            GConnectFlags(rawValue: 0))
        defer {
            unsafe g_signal_handler_disconnect(watched.pointer, signal)
            unsafe watcher.release()
        }
        try watched.save(path, with: saver, arguments)
    }
}

/// What is told of a saver's progress.
private final class Watcher: Sendable {
    let goesOn: @Sendable (Double) -> Bool

    init(_ goesOn: @escaping @Sendable (Double) -> Bool) {
        self.goesOn = goesOn
    }
}
