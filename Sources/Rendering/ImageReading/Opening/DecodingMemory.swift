internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

extension ImageFile {
    /// An estimate of the memory that reading all of the image needs beside the picture that it becomes, in bytes.
    ///
    /// Decoders of whole images need that memory for every part of it, too. Measured with 8-bit samples; photographs in HEIF
    /// took 3 to 7 bytes per pixel, and AVIF of high speed settings may take more.
    package var decodingByteCount: Int {
        let base = 16 << 20
        guard let perPixel = wholeBytesPerPixel else { return base }
        let samples = Double(max(1, bands)) / 3 * Double(max(1, sampleByteCount))
        let area = min(storedSize.area, source.capabilities.greatestWholeArea ?? .max)
        return base + Int(Double(area) * perPixel * samples)
    }

    /// An estimate of the memory that a small part needs, in bytes.
    package var partByteCount: Int {
        switch source.capabilities.access {
        case .random where source.capabilities.wholeRowLevels.isEmpty: 2 << 20
        // Neighbors in a row of tiles are read together.
        case .random: 36 << 20
        case .scanned, .sequential, .drawn: decodingByteCount
        }
    }

    /// The memory of a decoder that holds the whole image, for a pixel of three samples; nil for others.
    private var wholeBytesPerPixel: Double? {
        switch source.capabilities.access {
        case .random, .drawn: return nil
        case .scanned: return source.capabilities.blocks == nil && format == .jpeg ? 6 : nil
        case .sequential: break
        }
        return switch format {
        case .heif: 7
        case .jpegXL: 8
        case .gif: 6
        case .png, .jpeg: 4.5
        case .webp: 8
        case .jpeg2000: 6
        // Strips are read row by row; the rare ones that are decoded as a whole have their own limit.
        case .tiff: nil
        default: 4
        }
    }

    private var sampleByteCount: Int {
        guard let reader = try? source.open(pyramid.full) else { return 1 }
        return reader.pixels.layout.type.bytes
    }
}
