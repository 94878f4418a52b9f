internal import Resampling
public import ViewportGeometry

/// A rendered image in memory: rows from the top, samples interleaved, alpha last and straight.
///
/// `pixels(as:bytesPerRow:)` and `copyPixels(into:as:bytesPerRow:)` convert its pixels to other formats;
/// `init(pixels:size:format:bytesPerRow:profile:)` creates a picture from pixels in memory.
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

    /// - Precondition: as many bytes as pixels have.
    package init(
        size: PixelSize<OutputGrid>, bands: Int, depth: Int, hasAlpha: Bool, profile: [UInt8]?,
        interpretation: String, bytes: [UInt8]
    ) {
        self.size = size
        self.bands = bands
        self.depth = depth
        self.hasAlpha = hasAlpha
        self.profile = profile
        self.interpretation = interpretation
        self.bytes = bytes
    }
}

// Not `Codable`: files are the format of pictures, see `PictureEncoder`.
extension Picture: Hashable {
    /// Hashes size and format; comparing two pictures compares all pixels.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(size)
        hasher.combine(bands)
        hasher.combine(depth)
        hasher.combine(hasAlpha)
    }
}

extension Picture: CustomStringConvertible {
    /// Size, samples and depth: "1024x768 RGBA, 8 bits".
    public var description: String {
        let color =
            switch (bands - (hasAlpha ? 1 : 0), interpretation) {
            case (1, _): hasAlpha ? "gray and alpha" : "gray"
            case (4, "cmyk"): hasAlpha ? "CMYK and alpha" : "CMYK"
            case (3, _): hasAlpha ? "RGBA" : "RGB"
            default: "\(bands) bands"
            }
        return "\(size) \(color), \(depth) bits" + (profile == nil ? "" : ", with a profile")
    }
}

extension Picture {
    /// Creates a picture of opaque sRGB pixels, three bytes each, rows from the top.
    ///
    /// - Precondition: as many bytes as width x height x 3.
    package init(width: Int, height: Int, rgb bytes: [UInt8]) {
        precondition(bytes.count == width * height * 3)
        self.init(
            size: PixelSize(width: width, height: height), bands: 3, depth: 8, hasAlpha: false, profile: nil,
            interpretation: "srgb", bytes: bytes)
    }

    /// Creates a picture of sRGB pixels, with alpha or opaque, rows from the top.
    ///
    /// - Precondition: as many bytes as pixels times 4 or 3.
    package init(size: PixelSize<OutputGrid>, bytes: [UInt8], hasAlpha: Bool) {
        let bands = hasAlpha ? 4 : 3
        precondition(bytes.count == size.area * bands)
        self.init(
            size: size, bands: bands, depth: 8, hasAlpha: hasAlpha, profile: nil, interpretation: "srgb",
            bytes: bytes)
    }
}

extension Picture {
    /// Returns a part of the picture.
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
    /// Returns the samples as RGBA of 8 bits.
    ///
    /// - Throws: `RenderingError.cannotEncode` for deeper samples or other color spaces.
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

    /// Returns the samples as RGB of 8 bits, without opacity.
    ///
    /// - Throws: `RenderingError.cannotEncode`, as `rgba()`.
    package func rgb() throws(RenderingError) -> [UInt8] {
        guard bands != 3 || depth != 8 else { return bytes }
        let rgba = try rgba()
        var result: [UInt8] = []
        result.reserveCapacity(size.area * 3)
        for pixel in stride(from: 0, to: rgba.count, by: 4) {
            result.append(rgba[pixel])
            result.append(rgba[pixel + 1])
            result.append(rgba[pixel + 2])
        }
        return result
    }
}
