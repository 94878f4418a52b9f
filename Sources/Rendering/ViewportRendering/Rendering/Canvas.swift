internal import ImageReading
package import Pictures
package import Resampling
package import ViewportGeometry
package import Vips

/// Composes the whole picture: the image on the pixels that it covers, over the background.
struct Canvas {
    let size: PixelSize<OutputGrid>
    let covered: PixelRect<OutputGrid>
    let background: Color

    init(size: PixelSize<OutputGrid>, covered: PixelRect<OutputGrid>, background: Color) {
        self.size = size
        self.covered = covered
        self.background = background.clamped
    }

    /// Composes an image with final colors.
    func compose(_ image: VipsImage) throws(VipsError) -> VipsImage {
        let isWhole = covered == PixelRect(size)
        guard !isWhole || background.alpha > 0 && image.hasAlpha else { return image }
        let maximum = image.format == .uint16 ? 65535.0 : 255
        var image = try colored(image)
        if background.alpha == 1 {
            let color = samples(maximum, bands: image.hasAlpha ? image.bands - 1 : image.bands)
            if image.hasAlpha { image = try image.flattened(background: color, maximumAlpha: maximum) }
            return isWhole ? image : try embed(image, color)
        }
        if !image.hasAlpha { image = try image.joined(constant: maximum) }
        let canvas = isWhole ? image : try embed(image, samples(0, bands: image.bands))
        guard background.alpha > 0 else { return canvas }
        let color = samples(maximum, bands: image.bands - 1) + [background.alpha * maximum]
        return try canvas.over(canvas.filled(color))
    }

    /// Turns and composes 8-bit samples with final colors, without libvips; returns nil where colors must be
    /// blended or converted.
    ///
    /// Where a transparent background is visible, alpha is added. The bytes are incomplete where the task is
    /// cancelled meanwhile.
    func compose(
        _ stored: StoredPicture, _ format: SourcePixelFormat, _ orientation: Orientation
    ) -> (bytes: [UInt8], addsAlpha: Bool)? {
        let bands = format.layout.bands
        if covered == PixelRect(size) {
            guard background.alpha == 0 || !format.layout.hasAlpha else { return nil }
            return (stored.turned(orientation, pixelBytes: bands).bytes, false)
        }
        guard !format.layout.hasAlpha, background.alpha == 1 || background.alpha == 0,
            bands == 3 || background.isGray
        else { return nil }
        let addsAlpha = background.alpha == 0
        let upright = stored.turned(orientation, pixelBytes: bands).bytes
        let empty =
            addsAlpha ? [UInt8](repeating: 0, count: bands + 1) : samples(255, bands: bands).map { UInt8($0) }
        var bytes = [UInt8](room: size.area * empty.count)
        for y in 0..<size.height {
            guard !Task.isCancelled else { return (bytes, addsAlpha) }
            for x in 0..<size.width {
                guard x >= covered.x, x < covered.maxX, y >= covered.y, y < covered.maxY else {
                    bytes += empty
                    continue
                }
                let pixel = ((y - covered.y) * covered.width + x - covered.x) * bands
                bytes += upright[pixel..<(pixel + bands)]
                if addsAlpha { bytes.append(255) }
            }
        }
        return (bytes, addsAlpha)
    }

    /// Returns the image in color where the background has a color.
    private func colored(_ image: VipsImage) throws(VipsError) -> VipsImage {
        switch image.interpretation {
        case "b-w" where !background.isGray: try image.converted(to: "srgb")
        case "grey16" where !background.isGray: try image.converted(to: "rgb16")
        default: image
        }
    }

    private func samples(_ maximum: Double, bands: Int) -> [Double] {
        let all = bands < 3 ? [background.red] : [background.red, background.green, background.blue]
        return (0..<bands).map { $0 < all.count ? (all[$0] * maximum).rounded() : 0 }
    }

    private func embed(_ image: VipsImage, _ color: [Double]) throws(VipsError) -> VipsImage {
        try image.embedded(
            x: covered.x, y: covered.y, width: size.width, height: size.height, background: color)
    }
}

extension Picture {
    /// Creates a picture of background only.
    package init(filling size: PixelSize<OutputGrid>, with color: Color) {
        let samples = color.bytes
        self.init(
            size: size, bands: 4, depth: 8, hasAlpha: true, profile: nil, interpretation: "srgb",
            bytes: (0..<size.area).flatMap { _ in samples })
    }

    /// Computes the pixels of a finished image.
    ///
    /// - Throws: `VipsError`, also where the task is cancelled.
    init(_ image: VipsImage, _ options: RenderOptions) throws(VipsError) {
        let pixels =
            image.width * image.height > Self.uninterruptedArea
            ? try image.watchedByTask { image throws(VipsError) in try image.pixels() } : try image.pixels()
        self.init(
            size: PixelSize(width: image.width, height: image.height), bands: image.bands,
            depth: image.format == .uint16 ? 16 : 8, hasAlpha: image.hasAlpha,
            profile: options.colorMode.carriesProfile ? image.blob("icc-profile-data") : nil,
            interpretation: image.interpretation,
            bytes: pixels.copied())
    }

    /// Smaller pictures, such as tiles, are not worth watching for cancellation.
    private static var uninterruptedArea: Int { 1 << 18 }
}

/// Scaled pixels in stored orientation.
struct StoredPicture {
    let bytes: [UInt8]
    let width: Int
    let height: Int

    func image(_ format: SourcePixelFormat) throws(VipsError) -> VipsImage {
        let image = try VipsImage.pixels(
            bytes, width: width, height: height, bands: format.layout.bands,
            format: format.layout.type.format, interpretation: format.interpretation)
        return try image.withoutMetadata(profile: format.profile)
    }

    /// Returns the pixels upright; incomplete where the task is cancelled meanwhile.
    func turned(_ orientation: Orientation, pixelBytes: Int) -> StoredPicture {
        guard orientation != .up else { return self }
        let size = orientation.uprightSize(PixelSize(width: width, height: height))
        // The offset of the first upright pixel, and the distances to its neighbors to the right and below.
        let first = orientation.stored(
            PixelRect(x: 0, y: 0, width: 1, height: 1), in: PixelSize(width: width, height: height))
        let across = (orientation.transposes ? width : 1) * (orientation.flipsX ? -pixelBytes : pixelBytes)
        let down = (orientation.transposes ? 1 : width) * (orientation.flipsY ? -pixelBytes : pixelBytes)
        let start = (first.y * width + first.x) * pixelBytes
        var upright = [UInt8](zeros: bytes.count)
        var output = upright.mutableSpan
        let input = bytes.span
        var offset = 0
        for y in 0..<size.height {
            guard !Task.isCancelled else { break }
            var pixel = start + y * down
            for _ in 0..<size.width {
                for byte in 0..<pixelBytes { output[offset + byte] = input[pixel + byte] }
                offset += pixelBytes
                pixel += across
            }
        }
        return StoredPicture(bytes: upright, width: size.width, height: size.height)
    }
}

extension SampleLayout.SampleType {
    /// The corresponding type of libvips.
    package var format: SampleFormat {
        switch self {
        case .uint8: .uint8
        case .uint16: .uint16
        case .float32: .float32
        }
    }
}
