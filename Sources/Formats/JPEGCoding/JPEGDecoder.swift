private import CTurboJPEG

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Decodes whole JPEGs in memory with libjpeg-turbo.
///
/// Uses TurboJPEG's interface, which decodes in one call and returns errors. `JPEGRowDecoder` decodes row by row.
@safe package struct JPEGDecoder: ~Copyable {
    // Owned: made in init, destroyed in deinit.
    private let handle: tjhandle

    /// - Throws: `JPEGDecodingError` if memory for a decoder cannot be allocated.
    package init() throws(JPEGDecodingError) {
        guard let handle = unsafe tjInitDecompress() else { throw JPEGDecodingError(reason: "no memory") }
        unsafe self.handle = handle
    }

    deinit {
        // The handle is private and not used after this.
        unsafe tjDestroy(handle)
    }

    /// Decodes a JPEG at 1/1, 1/2, 1/4 or 1/8 into rows of gray, RGB or CMYK samples.
    ///
    /// Uses libjpeg's defaults: accurate transform, fancy upsampling. Each side is divided by `denominator` and
    /// rounded up.
    ///
    /// - Parameter bands: 1 for gray, 3 for RGB, 4 for CMYK as it is stored: most programs store it inverted.
    /// - Precondition: `denominator` is 1, 2, 4 or 8.
    /// - Throws: `JPEGDecodingError` for errors and, if `isStrict`, warnings.
    package func decode(
        _ jpeg: [UInt8], denominator: Int, bands: Int, isStrict: Bool = true
    ) throws(JPEGDecodingError) -> DecodedJPEG {
        // Bytes have no padding, and the array outlives the span.
        try decode(unsafe jpeg.span.bytes, denominator: denominator, bands: bands, isStrict: isStrict)
    }

    /// Decodes a JPEG in borrowed memory.
    ///
    /// - Parameter isStrict: Whether a warning, such as for truncated data, is an error; otherwise missing samples are
    ///   middle gray.
    package func decode(
        _ jpeg: RawSpan, denominator: Int, bands: Int, isStrict: Bool = true
    ) throws(JPEGDecodingError) -> DecodedJPEG {
        precondition([1, 2, 4, 8].contains(denominator), "libjpeg has no such scale")
        let formats = [1: TJPF_GRAY, 3: TJPF_RGB, 4: TJPF_CMYK]
        guard let format = formats[bands] else { preconditionFailure("gray, RGB or CMYK") }
        let size = try size(of: jpeg)
        let eighths = 8 / denominator
        let (width, height) = (Self.scaled(size.width, eighths), Self.scaled(size.height, eighths))
        // TurboJPEG expects the size of the result, not the scale: several scales of a tiny image have the same size.
        guard Self.scaled(size.width, eighths + 1) > width || Self.scaled(size.height, eighths + 1) > height
        else {
            throw JPEGDecodingError(reason: "too few pixels to find the scale")
        }
        var code: Int32 = -1
        let flags = isStrict ? TJFLAG_STOPONWARNING : 0
        // TurboJPEG reads `jpeg` and writes exactly width x height x bands bytes before it returns.
        let samples = unsafe [UInt8](unsafeUninitializedCapacity: width * height * bands) { buffer, count in
            code = unsafe jpeg.withUnsafeBytes { bytes in
                unsafe tjDecompress2(
                    handle, Self.address(bytes), UInt(bytes.count), buffer.baseAddress, Int32(width),
                    Int32(width * bands), Int32(height), format.rawValue, flags)
            }
            // After a warning the image is complete, unless the header caused it.
            if code != 0, !isStrict, unsafe tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) {
                code = 0
            }
            if code != 0 { unsafe buffer.initialize(repeating: 0) }
            count = width * height * bands
        }
        guard code == 0 else { throw error() }
        return DecodedJPEG(width: width, height: height, bands: bands, samples: samples)
    }

    /// Decodes a JPEG at 1/1 or 1/2 into the rows of planes from `row` on, without converting colors.
    ///
    /// At 1/2 each plane is reduced by libjpeg's inverse transform of 4x4 coefficients.
    ///
    /// - Precondition: `denominator` is 1 or 2; the planes have the JPEG's sampling and room for it; its sides are
    ///   whole MCUs.
    /// - Throws: `JPEGDecodingError` for errors and warnings.
    package func decode(
        _ jpeg: [UInt8], denominator: Int, into planes: inout SamplePlanes, row: Int
    ) throws(JPEGDecodingError) {
        precondition(denominator == 1 || denominator == 2, "planes are not reduced further")
        let size = try size(of: jpeg)
        let (width, height) = (size.width / denominator, size.height / denominator)
        precondition(size.width % (8 * planes.sampling.across) == 0 && width <= planes.width)
        precondition(size.height % (8 * planes.sampling.down) == 0 && row + height <= planes.height)
        precondition(row >= 0 && row % planes.sampling.down == 0)
        let starts = planes.starts(row: row)
        var strides = starts.indices.map { Int32(planes.size(of: $0).width) }
        // TurboJPEG writes rows of the planes, which the preconditions leave room for, before it returns.
        let code = unsafe planes.samples.withUnsafeMutableBufferPointer { samples -> Int32 in
            let base = samples.baseAddress
            var addresses = unsafe starts.map { start in unsafe base.map { unsafe $0 + start } }
            return unsafe tjDecompressToYUVPlanes(
                handle, jpeg, UInt(jpeg.count), &addresses, Int32(width), &strides, Int32(height),
                TJFLAG_STOPONWARNING)
        }
        guard code == 0 else { throw error() }
    }

    /// Returns the size in a JPEG's header, at full scale.
    package func size(of jpeg: [UInt8]) throws(JPEGDecodingError) -> (width: Int, height: Int) {
        // Bytes have no padding, and the array outlives the span.
        try size(of: unsafe jpeg.span.bytes)
    }

    private func size(of jpeg: RawSpan) throws(JPEGDecodingError) -> (width: Int, height: Int) {
        var (width, height, sampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        // The four numbers are written before the call returns.
        let code = unsafe jpeg.withUnsafeBytes { bytes in
            unsafe tjDecompressHeader3(
                handle, Self.address(bytes), UInt(bytes.count), &width, &height, &sampling, &colors)
        }
        guard code == 0 else { throw error() }
        return (Int(width), Int(height))
    }

    private func error() -> JPEGDecodingError {
        // The text belongs to the handle and is copied immediately.
        JPEGDecodingError(reason: unsafe String(cString: tjGetErrorStr2(handle)))
    }

    private static func address(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        // Raw bytes are read as bytes.
        unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }

    /// Returns a length multiplied by eighths, rounded up.
    private static func scaled(_ length: Int, _ eighths: Int) -> Int { (length * eighths + 7) / 8 }
}

/// The reason why libjpeg-turbo cannot decode a JPEG.
package struct JPEGDecodingError: Error, Sendable {
    package let reason: String
    /// Whether the caller stopped the work.
    package private(set) var isCancelled = false

    package init(reason: String) {
        self.reason = reason
    }

    init(_ context: JPEGContext) {
        self.init(reason: context.reason)
        isCancelled = context.isCancelled
    }
}

extension JPEGDecodingError: CustomStringConvertible, LocalizedError {
    package var description: String { "the JPEG cannot be decoded: \(reason)" }
    package var errorDescription: String? { description }
}

/// The samples of a decoded JPEG: rows from the top, bands interleaved.
package struct DecodedJPEG: Sendable {
    package let width: Int
    package let height: Int
    package let bands: Int
    package let samples: [UInt8]

    /// Calls a closure with the bytes of a range of pixels of a row.
    package func withRow<R>(_ y: Int, columns: Range<Int>, _ body: (RawSpan) throws -> R) rethrows -> R {
        precondition(y >= 0 && y < height && columns.lowerBound >= 0 && columns.upperBound <= width)
        let start = (y * width + columns.lowerBound) * bands
        // Checked above: the bytes are in the array, which outlives the call.
        return try unsafe samples.withUnsafeBytes { bytes in
            try body(
                unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<(start + columns.count * bands)]).bytes)
        }
    }
}
