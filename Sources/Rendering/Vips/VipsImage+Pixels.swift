internal import Basics
internal import CVips
package import ViewportGeometry

/// Pixels in memory as input and output of libvips.
extension VipsImage {
    /// Creates an image from pixels in memory, which are copied: rows from the top, samples interleaved.
    ///
    /// - Parameter threads: the most threads of operations on the image; nil for the setting of the process.
    /// - Throws: `VipsError` where the number of bytes is not width x height x bands x sample.
    package static func pixels(
        _ bytes: [UInt8], width: Int, height: Int, bands: Int, format: SampleFormat, interpretation: String,
        threads: Int? = nil
    ) throws(VipsError) -> VipsImage {
        try VipsLibrary.start()
        let image = unsafe bytes.withUnsafeBytes { buffer in
            unsafe vips_image_new_from_memory_copy(
                buffer.baseAddress, buffer.count, Int32(width), Int32(height), Int32(bands), format.vips)
        }
        guard let image = unsafe image else {
            throw VipsError(operation: "new_from_memory", reason: .failed, log: VipsLibrary.takeLog())
        }
        let owned = unsafe VipsImage(owning: image)
        let type = unsafe vips_enum_from_nick("viewport", vips_interpretation_get_type(), interpretation)
        guard type >= 0 else {
            throw VipsError(
                operation: "new_from_memory", reason: .badArgument("interpretation"),
                log: VipsLibrary.takeLog())
        }
        // The image is not shared yet; an operation that relabels it costs more than a small picture.
        unsafe image.pointee.Type = VipsInterpretation(rawValue: type)
        owned.limitThreads(threads)
        return owned
    }

    /// Computes all pixels: rows from the top, samples interleaved.
    package func pixels() throws(VipsError) -> VipsPixels {
        var count = 0
        guard let address = unsafe vips_image_write_to_memory(pointer, &count) else {
            throw VipsError(operation: "write_to_memory", reason: .failed, log: VipsLibrary.takeLog())
        }
        return unsafe VipsPixels(owning: address, count: count)
    }
}

/// The computed pixels of an image, as one block.
///
// The memory is never written after it is made.
@safe package final class VipsPixels: @unchecked Sendable {
    private let address: UnsafeMutableRawPointer
    package let count: Int

    init(owning address: UnsafeMutableRawPointer, count: Int) {
        unsafe self.address = address
        self.count = count
    }

    deinit {
        unsafe g_free(address)
    }

    /// Returns the bytes as an array.
    package func copied() -> [UInt8] {
        // Exactly `count` bytes were computed at `address`.
        unsafe Array(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// Lends the bytes.
    package func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // Alive as long as self, and self as long as the call.
        let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(address), byteCount: count)
        return try body(span)
    }
}

/// A region of an image that computes the pixels of rectangles.
///
/// libvips binds a region to the thread that created it, so it only exists inside `withRegion`.
@safe package struct VipsRegion: ~Copyable {
    private let region: UnsafeMutablePointer<CVips.VipsRegion>
    private let pixelBytes: Int

    fileprivate init(_ image: VipsImage) throws(VipsError) {
        guard let region = unsafe vips_region_new(image.pointer) else {
            throw VipsError(operation: "region", reason: .failed, log: VipsLibrary.takeLog())
        }
        unsafe self.region = region
        pixelBytes = image.bands * image.format.bytes
    }

    deinit {
        unsafe g_object_unref(region)
    }

    /// Computes the pixels of `rect`; the rows can be read until the next call.
    package func prepare(_ rect: PixelRect<StoredGrid>) throws(VipsError) {
        var area = CVips.VipsRect(
            left: Int32(rect.x), top: Int32(rect.y), width: Int32(rect.width), height: Int32(rect.height))
        guard unsafe vips_region_prepare(region, &area) == 0 else {
            throw VipsError(operation: "read", reason: .failed, log: VipsLibrary.takeLog())
        }
    }

    /// Lends the bytes of one row of a prepared rectangle.
    package func withRow<R, E: Error>(
        _ y: Int, of rect: PixelRect<StoredGrid>, _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        // The region holds `rect` since `prepare`; VIPS_REGION_ADDR is that row's first pixel.
        let start = unsafe UnsafeRawPointer(
            cvips_region_addr(region, Int32(rect.x), Int32(y), pixelBytes)!)
        return try body(unsafe RawSpan(_unsafeStart: start, byteCount: rect.width * pixelBytes))
    }
}

extension VipsImage {
    /// Lends a region, which is created and freed on the calling thread.
    package func withRegion<R>(_ body: (borrowing VipsRegion) throws -> R) throws -> R {
        let region = try VipsRegion(self)
        return try body(region)
    }
}

/// Images whose rows are computed in Swift.
extension VipsImage {
    /// Computes one row of an 8-bit image, by its number from the top.
    package typealias RowGenerator = @Sendable (_ y: Int, _ row: inout MutableSpan<UInt8>) -> Void

    /// Creates an 8-bit image whose rows are computed on demand and not stored.
    ///
    /// - Parameter generate: runs on libvips' threads, concurrently and in any order.
    package static func generated(
        width: Int, height: Int, bands: Int, interpretation: String, _ generate: @escaping RowGenerator
    ) throws(VipsError) -> VipsImage {
        try VipsLibrary.start()
        guard let pointer = unsafe vips_image_new() else {
            throw VipsError(operation: "image_new", reason: .failed, log: VipsLibrary.takeLog())
        }
        let image = unsafe VipsImage(owning: pointer)
        let space = unsafe vips_enum_from_nick("viewport", vips_interpretation_get_type(), interpretation)
        guard space >= 0 else {
            throw VipsError(
                operation: "generate", reason: .badArgument("interpretation"), log: VipsLibrary.takeLog())
        }
        unsafe vips_image_init_fields(
            pointer, Int32(width), Int32(height), Int32(bands), VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
            VipsInterpretation(rawValue: space), 1, 1)
        // No images come in: an empty list that ends in nil. Whole rows suit every saver.
        var inputs: [UnsafeMutablePointer<CVips.VipsImage>?] = unsafe [nil]
        guard unsafe vips_image_pipeline_array(pointer, VIPS_DEMAND_STYLE_FATSTRIP, &inputs) == 0 else {
            throw VipsError(operation: "generate", reason: .failed, log: VipsLibrary.takeLog())
        }
        // The image owns the box and lets go of it when it is freed, after its last region.
        let box = unsafe Unmanaged.passRetained(RowBox(generate)).toOpaque()
        unsafe g_object_set_data_full(
            UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self), "viewport-rows", box
        ) { box in
            if let box = unsafe box { unsafe Unmanaged<RowBox>.fromOpaque(box).release() }
        }
        guard unsafe vips_image_generate(pointer, nil, generateRows, nil, box, nil) == 0 else {
            throw VipsError(operation: "generate", reason: .failed, log: VipsLibrary.takeLog())
        }
        return image
    }
}

/// Carries a Swift closure through C.
private final class RowBox: Sendable {
    let generate: VipsImage.RowGenerator

    init(_ generate: @escaping VipsImage.RowGenerator) {
        self.generate = generate
    }
}

/// Fills the requested part of a region: libvips' VipsGenerateFn.
private func generateRows(
    _ region: UnsafeMutablePointer<CVips.VipsRegion>?, _ sequence: UnsafeMutableRawPointer?,
    _ box: UnsafeMutableRawPointer?, _ unused: UnsafeMutableRawPointer?,
    _ stop: UnsafeMutablePointer<gboolean>?
) -> Int32 {
    guard let region = unsafe region, let box = unsafe box else { return -1 }
    let rows = unsafe Unmanaged<RowBox>.fromOpaque(box).takeUnretainedValue()
    let (area, image) = unsafe (region.pointee.valid, region.pointee.im)
    let bands = Int(unsafe vips_image_get_bands(image))
    let width = Int(unsafe vips_image_get_width(image)) * bands
    let isWhole = Int(area.width) * bands == width
    for y in area.top..<(area.top + area.height) {
        // The region owns `width` bytes from here, or as many as `area` is wide.
        guard let start = unsafe cvips_region_addr(region, area.left, y, bands) else { return -1 }
        if isWhole {
            var row = unsafe MutableSpan<UInt8>(
                _unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: width)
            rows.generate(Int(y), &row)
            continue
        }
        // Tiles are cut from the whole row: a generator computes only rows.
        var whole = [UInt8](repeating: 0, count: width)
        var row = whole.mutableSpan
        rows.generate(Int(y), &row)
        unsafe whole.withUnsafeBytes { bytes in
            let part = unsafe bytes.baseAddress! + Int(area.left) * bands
            unsafe start.copyMemory(from: part, byteCount: Int(area.width) * bands)
        }
    }
    return 0
}

extension VipsImage {
    /// Computes something of this image's pixels until the surrounding task is cancelled.
    ///
    /// - Throws: `VipsError`, also where the task is cancelled.
    package func watchedByTask<R>(_ body: (VipsImage) throws(VipsError) -> R) throws(VipsError) -> R {
        try CancellationCheck.run { check throws(VipsError) in
            try watched({ _ in !check.isCancelled }, body)
        }
    }
}
