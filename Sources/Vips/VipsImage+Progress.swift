private import CVips
private import Synchronization

/// Saving that can be watched and stopped.
extension VipsImage {
    /// Writes the image to a file as `save` does, and tells how far it is.
    ///
    /// - Parameter goesOn: told the share that is computed, from 0 to 1, on one of libvips' threads; saving
    ///   stops soon after it says false.
    /// - Throws: `VipsError`, also when it was stopped.
    package func save(
        _ path: String, with saver: String, _ arguments: [String: VipsArgument],
        goesOn: @escaping @Sendable (Double) -> Bool
    ) throws(VipsError) {
        // Signals and the stop are this saving's own, so they go to a copy.
        let copy = try operation("copy").image()
        unsafe vips_image_set_progress(copy.pointer, 1)
        let box = unsafe Unmanaged.passRetained(ProgressBox(goesOn))
        defer { unsafe box.release() }
        let callback:
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<VipsProgress>?, gpointer?) -> Void = {
                image, progress, box in
                guard let image = unsafe image, let progress = unsafe progress?.pointee, let box = unsafe box
                else {
                    return
                }
                let goesOn = unsafe Unmanaged<ProgressBox>.fromOpaque(box).takeUnretainedValue().goesOn
                let share = unsafe Double(progress.npels) / Double(max(1, progress.tpels))
                if !goesOn(min(share, 1)) {
                    unsafe vips_image_set_kill(image.assumingMemoryBound(to: CVips.VipsImage.self), 1)
                }
            }
        // GObject calls handlers by the signature of their signal, which is the closure's.
        let handler = unsafe g_signal_connect_data(
            UnsafeMutableRawPointer(copy.pointer), "eval", unsafeBitCast(callback, to: GCallback.self),
            box.toOpaque(), nil, GConnectFlags(rawValue: 0))
        defer { unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(copy.pointer), handler) }
        try copy.save(path, with: saver, arguments)
    }
}

/// Carries a Swift closure through C.
private final class ProgressBox: Sendable {
    let goesOn: @Sendable (Double) -> Bool

    init(_ goesOn: @escaping @Sendable (Double) -> Bool) {
        self.goesOn = goesOn
    }
}
