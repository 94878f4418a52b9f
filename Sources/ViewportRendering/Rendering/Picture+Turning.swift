internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// What IIIF does to a finished picture.
extension Picture {
    /// The picture mirrored, then turned clockwise; the canvas grows.
    ///
    /// - Parameter keepsCornersEmpty: whether the corners become transparent; they become white otherwise.
    func turned(
        _ rotation: IIIFRequest.Rotation, keepsCornersEmpty: Bool
    ) throws(RenderingError) -> Picture {
        let quarters = rotation.degrees / 90
        if let orientation = Orientation(
            degrees: Int(quarters.rounded(.down)) * 90 % 360, mirrored: rotation.isMirrored),
            quarters == quarters.rounded()
        {
            guard orientation != .up else { return self }
            let turned = StoredPicture(bytes: bytes, width: size.width, height: size.height).turned(
                orientation, pixelBytes: bands * depth / 8)
            return with(turned.bytes, size: PixelSize(width: turned.width, height: turned.height))
        }
        return try viaVips { image throws(VipsError) in
            var image = rotation.isMirrored ? try image.turned(.upMirrored) : image
            if keepsCornersEmpty, !image.hasAlpha { image = try image.joined(constant: 255) }
            let corner = [Double](repeating: image.hasAlpha ? 0 : 255, count: image.bands)
            return try image.rotated(degrees: rotation.degrees, background: corner)
        }
    }

    /// The picture in the colours of a quality.
    func recolored(_ quality: IIIFRequest.Quality) throws(RenderingError) -> Picture {
        guard quality == .gray || quality == .bitonal else { return self }
        let colors = bands - (hasAlpha ? 1 : 0)
        let grey =
            colors == 1 ? self : try viaVips { image throws(VipsError) in try image.converted(to: "b-w") }
        guard quality == .bitonal else { return grey }
        var samples = grey.bytes
        for index in stride(from: 0, to: samples.count, by: grey.bands) {
            samples[index] = samples[index] < 128 ? 0 : 255
        }
        return grey.with(samples, size: grey.size)
    }

    private func with(_ bytes: [UInt8], size: PixelSize<OutputGrid>) -> Picture {
        Picture(
            size: size, bands: bands, depth: depth, hasAlpha: hasAlpha, profile: profile,
            interpretation: interpretation, bytes: bytes)
    }

    private func viaVips(
        _ change: (VipsImage) throws(VipsError) -> VipsImage
    ) throws(RenderingError) -> Picture {
        do throws(VipsError) {
            return try Picture(change(image()), RenderOptions())
        } catch {
            throw .library(detail: error.log)
        }
    }
}
