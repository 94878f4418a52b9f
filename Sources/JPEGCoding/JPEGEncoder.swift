private import CTurboJPEG

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Encodes pixels as baseline JPEGs with libjpeg-turbo, as libvips does by default.
///
/// It uses the accurate transform, the standard's tables, and color at half the resolution below a quality of 90.
package struct JPEGEncoder: Sendable {
    /// 1 to 100; other values are clamped.
    package var quality: Int

    /// libvips' default.
    package static let usualQuality = 75

    package init(quality: Int = usualQuality) {
        self.quality = quality
    }

    /// Returns the bytes of a file, which are the same for the same pixels.
    ///
    /// - Parameter pixels: The rows from the top without gaps: gray, or RGB interleaved.
    /// - Throws: `JPEGEncodingError` where a side is above 65500 or there is no memory.
    /// - Precondition: as many bytes as width x height x bands, and 1 or 3 bands.
    package func encode(
        _ pixels: [UInt8], width: Int, height: Int, bands: Int
    ) throws(JPEGEncodingError) -> [UInt8] {
        precondition(width > 0 && height > 0 && pixels.count == width * height * bands)
        precondition(bands == 1 || bands == 3, "gray or RGB")
        guard max(width, height) <= Self.maximumSide else {
            throw JPEGEncodingError(reason: "a JPEG has at most \(Self.maximumSide) pixels along a side")
        }
        guard let handle = unsafe tjInitCompress() else { throw JPEGEncodingError(reason: "no memory") }
        // Nothing uses the handle after this call.
        defer { unsafe tjDestroy(handle) }
        let sampling = (bands == 1 ? TJSAMP_GRAY : quality < 90 ? TJSAMP_420 : TJSAMP_444).rawValue
        let format = (bands == 1 ? TJPF_GRAY : TJPF_RGB).rawValue
        let capacity = Int(tjBufSize(Int32(width), Int32(height), Int32(sampling)))
        var code: Int32 = -1
        // TurboJPEG reads `pixels` and writes at most `capacity` bytes before it returns.
        let file = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var address = buffer.baseAddress
            var size = UInt(capacity)
            code = unsafe tjCompress2(
                handle, pixels, Int32(width), 0, Int32(height), Int32(format), &address, &size,
                Int32(sampling), Int32(min(max(quality, 1), 100)), TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC)
            count = code == 0 ? Int(size) : 0
        }
        guard code == 0 else {
            // The text belongs to the handle and is copied at once.
            throw JPEGEncodingError(reason: unsafe String(cString: tjGetErrorStr2(handle)))
        }
        return file
    }

    /// libjpeg's limit.
    private static let maximumSide = 65500
}

/// libjpeg-turbo's reason why it cannot encode pixels.
package struct JPEGEncodingError: Error, Sendable {
    package let reason: String
}

extension JPEGEncodingError: CustomStringConvertible, LocalizedError {
    package var description: String { "the pixels cannot be encoded as JPEG: \(reason)" }
    package var errorDescription: String? { description }
}
