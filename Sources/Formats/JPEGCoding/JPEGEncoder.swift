private import CTurboJPEG

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Encodes pixels as baseline JPEGs with libjpeg-turbo, with the defaults of libvips.
///
/// Uses the accurate transform and the standard's Huffman tables; chroma is subsampled 4:2:0 below quality 90.
package struct JPEGEncoder: Sendable {
    /// The quality, 1 to 100; other values are clamped.
    package var quality: Int

    /// libvips' default.
    package static let usualQuality = 75

    package init(quality: Int = usualQuality) {
        self.quality = quality
    }

    /// Returns the bytes of a JPEG file; equal pixels give equal bytes.
    ///
    /// - Parameters:
    ///   - pixels: The rows from the top without gaps: gray, or interleaved RGB.
    ///   - isCancelled: Returns 1 to stop; called once per row, on the calling thread.
    /// - Throws: `JPEGEncodingError` if a side exceeds 65500, memory is short, or encoding was cancelled.
    /// - Precondition: `pixels` has width x height x bands bytes, and `bands` is 1 or 3.
    package func encode(
        _ pixels: [UInt8], width: Int, height: Int, bands: Int,
        isCancelled: @convention(c) () -> Int32 = { Task.isCancelled ? 1 : 0 }
    ) throws(JPEGEncodingError) -> [UInt8] {
        precondition(width > 0 && height > 0 && pixels.count == width * height * bands)
        precondition(bands == 1 || bands == 3, "gray or RGB")
        guard max(width, height) <= Self.maximumSide else {
            throw JPEGEncodingError(reason: "a JPEG has at most \(Self.maximumSide) pixels along a side")
        }
        guard let encoder = unsafe cjpeg_encoder_new(isCancelled) else {
            throw JPEGEncodingError(reason: "no memory")
        }
        // Nothing uses the encoder after this call.
        defer { unsafe cjpeg_encoder_free(encoder) }
        let halvesColor = bands == 3 && quality < 90
        let sampling = (bands == 1 ? TJSAMP_GRAY : halvesColor ? TJSAMP_420 : TJSAMP_444).rawValue
        let capacity = Int(tjBufSize(Int32(width), Int32(height), Int32(sampling)))
        let quality = Int32(min(max(quality, 1), 100))
        // libjpeg reads rows of `pixels` and writes at most `capacity` bytes, all before the closure returns.
        let file = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = 0
            guard
                unsafe cjpeg_encoder_start(
                    encoder, buffer.baseAddress, capacity, Int32(width), Int32(height), Int32(bands), quality,
                    halvesColor ? 1 : 0) == 1
            else { return }
            let isWritten = unsafe pixels.withUnsafeBufferPointer { pixels in
                (0..<height).allSatisfy { y in
                    unsafe cjpeg_encoder_write(encoder, pixels.baseAddress! + y * width * bands) == 1
                }
            }
            if isWritten { count = unsafe cjpeg_encoder_finish(encoder, buffer.baseAddress) }
        }
        guard !file.isEmpty else { throw JPEGEncodingError(unsafe JPEGContext(encoder.pointee.context)) }
        return file
    }

    /// libjpeg's limit.
    private static let maximumSide = 65500
}

/// The reason why libjpeg-turbo cannot encode pixels.
package struct JPEGEncodingError: Error, Sendable {
    package let reason: String
    /// Whether the caller stopped the work.
    package private(set) var isCancelled = false

    init(reason: String) { self.reason = reason }

    init(_ context: JPEGContext) {
        self.init(reason: context.reason)
        isCancelled = context.isCancelled
    }
}

extension JPEGEncodingError: CustomStringConvertible, LocalizedError {
    package var description: String { "the pixels cannot be encoded as JPEG: \(reason)" }
    package var errorDescription: String? { description }
}
