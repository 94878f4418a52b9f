internal import Resampling
public import ViewportGeometry
internal import Vips

/// A rendered image in memory: rows from the top, samples interleaved, alpha last and straight.
///
/// `pixels(as:bytesPerRow:)` and `copyPixels(into:as:bytesPerRow:)` give its pixels in other formats, and
/// `init(pixels:size:format:bytesPerRow:profile:)` makes a picture of a program's own.
public struct Picture: Sendable {
    /// The width and height in pixels.
    public let size: PixelSize<OutputGrid>
    /// Samples per pixel: 1 gray, 2 gray and alpha, 3 color, 4 color and alpha (or CMYK where it was kept).
    public let bands: Int
    /// Bits per sample, 8 or 16 in the machine's byte order.
    public let depth: Int
    /// Whether the last band is alpha.
    public let hasAlpha: Bool
    /// The profile of its colors; nil for sRGB.
    public let profile: [UInt8]?
    /// libvips' nickname of its color space.
    package let interpretation: String
    /// The samples of all pixels, without gaps.
    public let bytes: [UInt8]
}

extension Picture {
    /// Opaque pixels of sRGB, three bytes each, rows from the top.
    ///
    /// - Precondition: as many bytes as width x height x 3.
    package init(width: Int, height: Int, rgb bytes: [UInt8]) {
        precondition(bytes.count == width * height * 3)
        self.init(
            size: PixelSize(width: width, height: height), bands: 3, depth: 8, hasAlpha: false, profile: nil,
            interpretation: "srgb", bytes: bytes)
    }
}

extension Picture {
    /// Returns the rectangle of a size that libvips finds the most interesting.
    ///
    /// - Parameter interest: libvips' name of the measure, as "entropy" or "attention".
    /// - Throws: `RenderingError.library` where libvips cannot analyze the picture.
    package func mostInterestingRect(
        _ size: PixelSize<OutputGrid>, by interest: String
    ) throws(RenderingError) -> PixelRect<OutputGrid> {
        let (width, height) = (min(size.width, self.size.width), min(size.height, self.size.height))
        do {
            let corner = try image().interestingPlace(width: width, height: height, by: interest)
            return PixelRect(x: corner.x, y: corner.y, width: width, height: height)
        } catch {
            throw .library(detail: error.log)
        }
    }

    /// A part of the picture.
    package func cropped(to rect: PixelRect<OutputGrid>) -> Picture {
        precondition(PixelRect(size).contains(rect), "a part of a picture lies in it")
        let pixelBytes = bands * depth / 8
        var part = RowCollector(byteCount: rect.size.area * pixelBytes)
        for y in rect.y..<rect.maxY {
            let start = (y * size.width + rect.x) * pixelBytes
            bytes.withRow(start..<(start + rect.width * pixelBytes)) { part.push($0) }
        }
        return Picture(
            size: rect.size, bands: bands, depth: depth, hasAlpha: hasAlpha, profile: profile,
            interpretation: interpretation, bytes: part.pixels)
    }
}

extension Picture {
    /// The samples as RGBA of 8 bits.
    ///
    /// - Throws: `RenderingError.cannotEncode` where they are deeper or no such colors.
    package func rgba() throws(RenderingError) -> [UInt8] {
        guard depth == 8, (1...4).contains(bands), bands != 4 || hasAlpha else {
            throw .cannotEncode(format: "animation", detail: "frames are sRGB of 8 bits")
        }
        guard bands < 4 else { return bytes }
        let colors = hasAlpha ? bands - 1 : bands
        var result: [UInt8] = []
        result.reserveCapacity(size.area * 4)
        for pixel in stride(from: 0, to: bytes.count, by: bands) {
            for band in 0..<3 { result.append(bytes[pixel + (colors == 1 ? 0 : band)]) }
            result.append(hasAlpha ? bytes[pixel + bands - 1] : 255)
        }
        return result
    }
}
