package import ViewportGeometry

/// What a PNG contains before its image data.
package struct PNGHeader: Hashable, Sendable {
    /// The samples of a pixel; the raw value is that of IHDR.
    package enum ColorType: UInt8, Sendable {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        /// The number of samples per pixel in the file.
        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }
    }

    package let size: PixelSize<StoredGrid>
    /// Bits per sample: 1, 2, 4, 8 or 16.
    package let bitDepth: Int
    package let colorType: ColorType
    /// The colors of a palette as RGB triples.
    package internal(set) var palette: [UInt8] = []
    /// The contents of tRNS: the alpha of palette entries, or the samples of the transparent color.
    package internal(set) var transparency: [UInt8]?
    /// The ICC profile.
    package internal(set) var profile: [UInt8]?
    /// The position of the first IDAT chunk in the file.
    package internal(set) var dataStart = 0

    init(width: Int, height: Int, bitDepth: Int, colorType: ColorType) {
        size = PixelSize(width: width, height: height)
        self.bitDepth = bitDepth
        self.colorType = colorType
    }
}

extension PNGHeader {
    /// Whether pixels have alpha: samples of their own, or those of tRNS.
    package var hasAlpha: Bool { colorType == .grayAlpha || colorType == .rgba || transparency != nil }

    /// The number of samples per pixel that a reader gives: palettes become RGB, tRNS becomes alpha.
    package var bands: Int {
        switch colorType {
        case .gray, .grayAlpha: hasAlpha ? 2 : 1
        case .rgb, .rgba, .palette: hasAlpha ? 4 : 3
        }
    }

    /// The size of a pixel that a reader gives: samples of 16 bits stay so, others become 8.
    package var pixelBytes: Int { bands * (bitDepth == 16 ? 2 : 1) }

    /// The bits of a pixel in the file.
    var storedBits: Int { colorType.channels * bitDepth }

    /// The size of a stored row without its filter byte.
    package var rowBytes: Int { (size.width * storedBits + 7) / 8 }

    /// The position of a row in the inflated stream; the largest integer where it is even larger.
    func position(ofRow row: Int) -> Int {
        let (position, isTooLarge) = row.multipliedReportingOverflow(by: rowBytes + 1)
        return isTooLarge ? .max : position
    }

    /// The distance of filters to the previous pixel, in bytes.
    var filterDistance: Int { max(1, storedBits / 8) }

    /// The bytes of a stored row that hold its first columns.
    func rowBytes(columns: Int) -> Int { (columns * storedBits + 7) / 8 }
}

/// Why regions of a PNG cannot be decoded separately.
///
/// A decoder of whole images may still be able to read the file.
package enum PNGIndexError: Error, Hashable, Sendable {
    /// The bytes do not begin as a PNG.
    case notPNG
    /// The image is stored in seven passes.
    case interlaced
    /// The chunks before the image data violate the standard, or exceed a limit, in the named part.
    case brokenHeader(String)
    /// The file ends too early.
    case truncated
    /// The image data or its checksum is wrong.
    case brokenData
    /// The saved index is of another file or another state of it, or it is damaged.
    case staleIndex
    /// Reading was cancelled.
    case cancelled
}

extension PNGIndexError: CustomStringConvertible {
    /// The reason as a sentence without a period.
    package var description: String {
        switch self {
        case .notPNG: "not a PNG"
        case .interlaced: "the PNG is interlaced (Adam7)"
        case .brokenHeader(let part): "the PNG's header is broken: \(part)"
        case .truncated: "the PNG ends too early"
        case .brokenData: "the PNG's image data is broken"
        case .staleIndex: "the saved index does not belong to this file"
        case .cancelled: "reading the PNG was cancelled"
        }
    }
}
