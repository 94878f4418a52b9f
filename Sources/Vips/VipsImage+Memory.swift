internal import CVips

/// Pixels in memory, to and from libvips.
extension VipsImage {
    /// An image of pixels that are in memory: rows from the top, samples interleaved; the bytes are kept.
    ///
    /// - Throws: `VipsError` where the number of bytes is not width x height x bands x sample.
    package static func pixels(
        _ bytes: [UInt8], width: Int, height: Int, bands: Int, format: SampleFormat, interpretation: String
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
        // Nobody else has seen the image yet; an operation that relabels it costs more than a small picture.
        unsafe image.pointee.Type = VipsInterpretation(rawValue: type)
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

    /// The bytes, as an array.
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
