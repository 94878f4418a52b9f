#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The size, samples and color space of the pixels of a PNG.
///
/// Samples of 16 bits are native-endian `UInt16`; alpha is straight (not premultiplied) and comes last.
public struct PNGFormat: Hashable, Codable, Sendable {
    /// The samples of one pixel; the raw value is the number of samples.
    public enum Channels: Int, CaseIterable, Hashable, Codable, Sendable {
        /// One sample: gray.
        case gray = 1
        /// Gray and alpha.
        case grayAlpha = 2
        /// Red, green and blue.
        case rgb = 3
        /// Red, green, blue and alpha.
        case rgba = 4
    }

    /// The order of the color samples in memory.
    public enum SampleOrder: String, Hashable, Codable, Sendable {
        /// Red first.
        case rgb
        /// Blue first, as in the BGRA of many window systems.
        case bgr
    }

    /// The number of bits per sample.
    public enum BitDepth: Int, CaseIterable, Hashable, Codable, Sendable {
        /// One byte.
        case eight = 8
        /// Two bytes in native order.
        case sixteen = 16
    }

    /// The color space of the samples.
    public enum ColorSpace: Hashable, Codable, Sendable {
        /// Tagged with an sRGB chunk, perceptual intent.
        case sRGB
        /// Tagged with this ICC profile; `name` is 1 to 79 printable Latin-1 characters.
        case icc(profile: [UInt8], name: String)
        /// The file states none; programs assume sRGB.
        case untagged
    }

    /// Colors stated by numbers, for the chunk cICP; samples have full range.
    package struct ColorNumbers: Hashable, Codable, Sendable {
        package var primaries: UInt8
        package var transfer: UInt8

        package init(primaries: UInt8, transfer: UInt8) {
            (self.primaries, self.transfer) = (primaries, transfer)
        }
    }

    /// The number of pixels in a row.
    public var width: Int
    /// The number of rows.
    public var height: Int
    /// The samples of one pixel, without padding.
    public var channels: Channels
    /// The number of bits per sample in memory.
    public var bitDepth: BitDepth
    /// The order of the color samples in memory; ignored for gray.
    public var sampleOrder: SampleOrder
    /// The color space that the file states; samples are not converted.
    public var colorSpace: ColorSpace
    /// The primaries and the transfer function of the samples by the numbers of ITU-T H.273; nil writes none.
    package var colorNumbers: ColorNumbers?
    /// The number of pixels per meter in both directions; nil writes no resolution.
    public var pixelsPerMeter: UInt32?

    /// Creates a format.
    ///
    /// Accepts any values: encoding throws where PNG does not support them.
    public init(
        width: Int, height: Int, channels: Channels, bitDepth: BitDepth = .eight,
        sampleOrder: SampleOrder = .rgb, colorSpace: ColorSpace = .sRGB, pixelsPerMeter: UInt32? = nil
    ) {
        self.width = width
        self.height = height
        self.channels = channels
        self.bitDepth = bitDepth
        self.sampleOrder = sampleOrder
        self.colorSpace = colorSpace
        self.pixelsPerMeter = pixelsPerMeter
    }

    /// The size of a pixel in bytes.
    public var bytesPerPixel: Int { channels.rawValue * bitDepth.rawValue / 8 }
}

extension PNGFormat: CustomStringConvertible {
    /// Size, samples and depth: "1024x768 RGBA, 8 bits".
    public var description: String {
        let color =
            switch channels {
            case .gray: "gray"
            case .grayAlpha: "gray and alpha"
            case .rgb: sampleOrder == .rgb ? "RGB" : "BGR"
            case .rgba: sampleOrder == .rgb ? "RGBA" : "BGRA"
            }
        return "\(width)x\(height) \(color), \(bitDepth.rawValue) bits"
    }
}

extension PNGFormat {
    /// Whether red and blue must be swapped.
    var isSwapped: Bool { sampleOrder == .bgr && channels.rawValue >= 3 }

    /// Returns the rows in memory; `stride(of:_:)` must have checked the size.
    func rows(_ bytes: UnsafeByteView, stride: Int) -> PixelRows {
        PixelRows(bytes: bytes, rowBytes: width * bytesPerPixel, stride: stride, height: height)
    }

    /// Returns the distance between the starts of two rows in `byteCount` bytes.
    ///
    /// - Throws: `PNGEncodingError` if the sizes do not match, or PNG does not support them.
    func stride(of byteCount: Int, _ bytesPerRow: Int?) throws(PNGEncodingError) -> Int {
        let unsupported = PNGEncodingError.unsupportedSize(width: width, height: height)
        guard width > 0, height > 0, width <= Self.longestSide, height <= Self.longestSide else {
            throw unsupported
        }
        let rowBytes = width * bytesPerPixel
        let (bytes, overflow) = rowBytes.multipliedReportingOverflow(by: height)
        // Each filtered row needs one more byte, and compression needs additional room.
        guard !overflow, bytes <= Int.max / 4 else { throw unsupported }
        guard let bytesPerRow else {
            guard byteCount == bytes else { throw .sizeMismatch(expected: bytes, actual: byteCount) }
            return rowBytes
        }
        guard bytesPerRow >= rowBytes else {
            throw .rowsOverlap(bytesPerRow: bytesPerRow, minimum: rowBytes)
        }
        let (before, isTooLong) = bytesPerRow.multipliedReportingOverflow(by: height - 1)
        guard !isTooLong, before <= byteCount, rowBytes <= byteCount - before else {
            let (needed, isHuge) = before.addingReportingOverflow(rowBytes)
            throw .sizeMismatch(expected: isTooLong || isHuge ? .max : needed, actual: byteCount)
        }
        return bytesPerRow
    }

    /// The longest side that a PNG header can contain.
    private static let longestSide = 0x7FFF_FFFF
}

/// A reason why pixels cannot be encoded as a PNG.
public enum PNGEncodingError: Error, Hashable, Sendable {
    /// A side is zero, negative or above 2^31 - 1, or the pixels do not fit into memory.
    case unsupportedSize(width: Int, height: Int)
    /// The pixels have fewer or more bytes than the format requires.
    case sizeMismatch(expected: Int, actual: Int)
    /// The distance between the starts of two rows is less than the size of a row.
    case rowsOverlap(bytesPerRow: Int, minimum: Int)
    /// The profile is empty, or its name is not 1 to 79 printable Latin-1 characters.
    case invalidProfile
    /// The frame rate of an animation is not a positive, finite number.
    case invalidFrameRate(Double)
    /// Memory for the compressor could not be allocated.
    case outOfMemory
}

extension PNGEncodingError: CustomStringConvertible, LocalizedError {
    /// The reason as a sentence without a period.
    public var description: String {
        switch self {
        case .unsupportedSize(let width, let height):
            "a PNG cannot be \(width)x\(height): each side must be 1 to 2147483647 pixels"
        case .sizeMismatch(let expected, let actual):
            "the pixels are \(actual) bytes where the format needs \(expected)"
        case .rowsOverlap(let bytesPerRow, let minimum):
            "rows are \(bytesPerRow) bytes apart where the format needs \(minimum)"
        case .invalidProfile:
            "the ICC profile is empty or its name is not 1 to 79 printable Latin-1 characters"
        case .invalidFrameRate(let rate):
            "an animation cannot have \(rate) frames per second"
        case .outOfMemory:
            "not enough memory to compress the PNG"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
