/// What the pixels given to a `PNGEncoder` are: size, samples and color.
///
/// Rows follow each other without gaps. Samples of 16 bits are native-endian `UInt16`; alpha is not
/// premultiplied and comes last.
public struct PNGFormat: Hashable, Sendable {
    /// The samples of one pixel, by their number.
    public enum Channels: Int, CaseIterable, Hashable, Sendable {
        case gray = 1
        case grayAlpha = 2
        case rgb = 3
        case rgba = 4
    }

    /// The bits of one sample.
    public enum BitDepth: Int, CaseIterable, Hashable, Sendable {
        case eight = 8
        case sixteen = 16
    }

    /// What the numbers mean as colors.
    public enum ColorSpace: Hashable, Sendable {
        /// Tagged with an sRGB chunk, perceptual intent.
        case sRGB
        /// Tagged with this ICC profile; `name` is 1 to 79 printable Latin-1 characters.
        case icc(profile: [UInt8], name: String)
        /// Not tagged.
        case untagged
    }

    public var width: Int
    public var height: Int
    public var channels: Channels
    public var bitDepth: BitDepth
    public var colorSpace: ColorSpace
    /// Pixels per meter, the same in both directions; nil leaves the resolution open.
    public var pixelsPerMeter: UInt32?

    public init(
        width: Int, height: Int, channels: Channels, bitDepth: BitDepth = .eight,
        colorSpace: ColorSpace = .sRGB, pixelsPerMeter: UInt32? = nil
    ) {
        self.width = width
        self.height = height
        self.channels = channels
        self.bitDepth = bitDepth
        self.colorSpace = colorSpace
        self.pixelsPerMeter = pixelsPerMeter
    }

    /// The bytes of one pixel.
    public var bytesPerPixel: Int { channels.rawValue * bitDepth.rawValue / 8 }
}

extension PNGFormat {
    /// The bytes that the pixels take, or why there can be no such PNG.
    func byteCount() throws(PNGEncodingError) -> Int {
        guard width > 0, height > 0, width <= Self.longestSide, height <= Self.longestSide else {
            throw .unsupportedSize(width: width, height: height)
        }
        let (bytes, overflow) = (width * bytesPerPixel).multipliedReportingOverflow(by: height)
        // Filtered rows need one byte more each, and compression room beside them.
        guard !overflow, bytes <= Int.max / 4 else { throw .unsupportedSize(width: width, height: height) }
        return bytes
    }

    /// The longest side that a PNG header can name.
    private static let longestSide = 0x7FFF_FFFF
}

/// Why pixels could not be written as a PNG.
public enum PNGEncodingError: Error, Hashable, Sendable {
    /// A side is zero, negative or above 2^31 - 1, or the pixels would not fit into memory.
    case unsupportedSize(width: Int, height: Int)
    /// The pixels given are not as many bytes as the format says.
    case sizeMismatch(expected: Int, actual: Int)
    /// The profile is empty, or its name is not 1 to 79 printable Latin-1 characters.
    case invalidProfile
    /// libdeflate had no memory for its state.
    case outOfMemory
}

extension PNGEncodingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unsupportedSize(let width, let height):
            "a PNG cannot be \(width)x\(height): each side must be 1 to 2147483647 pixels"
        case .sizeMismatch(let expected, let actual):
            "the pixels are \(actual) bytes where the format needs \(expected)"
        case .invalidProfile:
            "the ICC profile is empty or its name is not 1 to 79 printable Latin-1 characters"
        case .outOfMemory:
            "not enough memory to compress the PNG"
        }
    }
}
