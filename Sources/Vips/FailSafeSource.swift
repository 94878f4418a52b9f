internal import CVips
private import Synchronization

/// Feeds a saver that must not be stopped midway: pixels that fail, or are no longer wanted, are black.
package final class FailSafeSource: Sendable {
    private let isStopped = Atomic(false)
    private let failed = Mutex<VipsError?>(nil)

    package init() {}

    /// Computes no more pixels: the rest is black.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Why pixels could not be computed; nil where all could.
    package var failure: VipsError? { failed.withLock { $0 } }

    fileprivate var passesPixels: Bool { !isStopped.load(ordering: .relaxed) }

    fileprivate func fail() {
        stop()
        let log = VipsLibrary.takeLog()
        failed.withLock { $0 = $0 ?? VipsError(operation: "read", reason: .failed, log: log) }
    }
}

extension VipsImage {
    /// The same pixels for a saver that must not be stopped midway: where they fail they are black, and `source`
    /// knows why.
    ///
    /// libvips 8.14's TIFF saver reads from null when its pixels fail before each level of a JPEG pyramid has begun.
    package func failSafe(_ source: FailSafeSource) throws(VipsError) -> VipsImage {
        guard let pointer = unsafe vips_image_new() else {
            throw VipsError(operation: "image_new", reason: .failed, log: VipsLibrary.takeLog())
        }
        let image = unsafe VipsImage(owning: pointer)
        // The list of inputs ends in nil; the size, the type and all metadata are this image's.
        var inputs: [UnsafeMutablePointer<CVips.VipsImage>?] = unsafe [self.pointer, nil]
        guard unsafe vips_image_pipeline_array(pointer, VIPS_DEMAND_STYLE_THINSTRIP, &inputs) == 0 else {
            throw VipsError(operation: "read", reason: .failed, log: VipsLibrary.takeLog())
        }
        // The new image owns the box, and with it this image, and lets go of both when it is freed.
        let box = unsafe Unmanaged.passRetained(FailSafeBox(self, source)).toOpaque()
        unsafe g_object_set_data_full(
            UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self), "viewport-fail-safe", box
        ) { box in
            if let box = unsafe box { unsafe Unmanaged<FailSafeBox>.fromOpaque(box).release() }
        }
        guard
            unsafe vips_image_generate(
                pointer, vips_start_one, generateFailSafe, vips_stop_one, self.pointer, box) == 0
        else { throw VipsError(operation: "read", reason: .failed, log: VipsLibrary.takeLog()) }
        return image
    }
}

/// Carries an image and its source through C.
private final class FailSafeBox: Sendable {
    let image: VipsImage
    let source: FailSafeSource

    init(_ image: VipsImage, _ source: FailSafeSource) {
        self.image = image
        self.source = source
    }
}

/// Fills the part of the image that a region asks for: libvips' VipsGenerateFn.
///
/// - Parameter sequence: the region of the image that `vips_start_one` made for this thread.
private func generateFailSafe(
    _ region: UnsafeMutablePointer<CVips.VipsRegion>?, _ sequence: UnsafeMutableRawPointer?,
    _ image: UnsafeMutableRawPointer?, _ box: UnsafeMutableRawPointer?,
    _ stop: UnsafeMutablePointer<gboolean>?
) -> Int32 {
    guard let region = unsafe region, let sequence = unsafe sequence, let box = unsafe box else { return -1 }
    let source = unsafe Unmanaged<FailSafeBox>.fromOpaque(box).takeUnretainedValue().source
    let input = unsafe sequence.assumingMemoryBound(to: CVips.VipsRegion.self)
    var area = unsafe region.pointee.valid
    if source.passesPixels {
        // The region shows the pixels of the input, which are not copied.
        if unsafe vips_region_prepare(input, &area) == 0,
            unsafe vips_region_region(region, input, &area, area.left, area.top) == 0
        {
            return 0
        }
        source.fail()
    }
    unsafe vips_region_black(region)
    return 0
}

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
