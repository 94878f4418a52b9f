internal import CVips
private import Synchronization

/// Supplies a saver that must not be stopped midway: pixels that fail, or are no longer needed, are black.
package final class FailSafeSource: Sendable {
    private let isStopped = Atomic(false)
    private let failed = Mutex<VipsError?>(nil)

    package init() {}

    /// Stops computing pixels: the rest is black.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The error of pixels that could not be computed; nil where none failed.
    package var failure: VipsError? { failed.withLock { $0 } }

    fileprivate var passesPixels: Bool { !isStopped.load(ordering: .relaxed) }

    fileprivate func fail() {
        stop()
        let log = VipsLibrary.takeLog()
        failed.withLock { $0 = $0 ?? VipsError(operation: "read", reason: .failed, log: log) }
    }
}

extension VipsImage {
    /// Returns the image for a saver that must not be stopped midway: pixels that fail are black, and `source`
    /// has the error.
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

/// Fills the requested part of a region: libvips' VipsGenerateFn.
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

/// Computations that report progress and can be stopped.
extension VipsImage {
    /// Writes the image to a file as `save` does, and reports progress.
    ///
    /// - Parameter continues: receives the share that is computed, from 0 to 1, on any thread; saving stops
    ///   soon after it returns false.
    /// - Throws: `VipsError`, also where it was stopped.
    package func save(
        _ path: String, with saver: String, _ arguments: [String: VipsArgument],
        continues: @Sendable (Double) -> Bool
    ) throws(VipsError) {
        try watched(continues) { image throws(VipsError) in try image.save(path, with: saver, arguments) }
    }

    /// Runs a computation on this image's pixels that can be stopped between tiles or strips.
    ///
    /// - Parameters:
    ///   - continues: receives the share that is computed, from 0 to 1, on any thread; libvips stops soon after
    ///     it returns false, and `body` fails.
    ///   - body: computes with a copy of the image, which it must not keep.
    package func watched<R>(
        _ continues: @Sendable (Double) -> Bool, _ body: (VipsImage) throws(VipsError) -> R
    ) throws(VipsError) -> R {
        // Signal and stop must only concern this computation, so they are set on a copy.
        let copy = try operation("copy").image()
        let result: Result<R, VipsError> = withoutActuallyEscaping(continues) { continues in
            let box = unsafe Unmanaged.passRetained(ProgressBox(continues))
            defer { unsafe box.release() }
            unsafe vips_image_set_progress(copy.pointer, 1)
            let callback:
                @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<VipsProgress>?, gpointer?) -> Void = {
                    image, progress, box in
                    guard let image = unsafe image, let progress = unsafe progress?.pointee,
                        let box = unsafe box
                    else { return }
                    let watcher = unsafe Unmanaged<ProgressBox>.fromOpaque(box).takeUnretainedValue()
                    let share = unsafe Double(progress.npels) / Double(max(1, progress.tpels))
                    if !watcher.continues(min(share, 1)) {
                        unsafe vips_image_set_kill(image.assumingMemoryBound(to: CVips.VipsImage.self), 1)
                    }
                }
            // GObject calls handlers by the signature of their signal, which is the closure's.
            let handler = unsafe g_signal_connect_data(
                UnsafeMutableRawPointer(copy.pointer), "eval", unsafeBitCast(callback, to: GCallback.self),
                box.toOpaque(), nil, GConnectFlags(rawValue: 0))
            // Afterwards libvips does not refer to the box.
            defer { unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(copy.pointer), handler) }
            do throws(VipsError) {
                return .success(try body(copy))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// Carries a Swift closure through C.
private final class ProgressBox: Sendable {
    let continues: @Sendable (Double) -> Bool

    init(_ continues: @escaping @Sendable (Double) -> Bool) {
        self.continues = continues
    }
}
