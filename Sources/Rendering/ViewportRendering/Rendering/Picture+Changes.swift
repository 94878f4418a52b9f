internal import PictureEncoding
package import Pictures
internal import TilePyramid
package import ViewportGeometry
internal import Vips

extension Picture {
    /// Returns the most interesting rectangle of a size, by a measure of libvips.
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
}

/// IIIF's changes to a finished picture.
extension Picture {
    /// Returns the picture mirrored, then rotated clockwise; the canvas grows.
    ///
    /// - Parameter keepsCornersEmpty: whether the corners become transparent instead of white.
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

    /// Returns the picture rotated clockwise by any angle; the canvas grows, and its corners are background.
    ///
    /// Where the background is not opaque, the picture gets an alpha channel.
    ///
    /// - Throws: `RenderingError.pictureTooLarge` before anything is computed.
    package func rotated(degrees: Double, background: Color) throws(RenderingError) -> Picture {
        let turned: VipsImage
        do throws(VipsError) {
            turned = try image().rotated(degrees: degrees, onto: background)
        } catch {
            throw .library(detail: error.log)
        }
        // The size is known before the pixels are computed.
        let size = PixelSize<OutputGrid>(width: turned.width, height: turned.height)
        let limit = RenderOptions().maximumPictureArea
        guard size.area <= limit else { throw .pictureTooLarge(size: size, limit: limit) }
        return try computed { () throws(VipsError) in turned }
    }

    /// Returns the picture in a IIIF quality.
    func recolored(_ quality: IIIFRequest.Quality) throws(RenderingError) -> Picture {
        switch quality {
        case .default, .color: return self
        case .gray: return try inGray()
        case .bitonal:
            let gray = try inGray()
            var samples = gray.bytes
            for index in stride(from: 0, to: samples.count, by: gray.bands) {
                samples[index] = samples[index] < 128 ? 0 : 255
            }
            return gray.with(samples, size: gray.size)
        }
    }

    /// Returns the picture in gray, with its opacity.
    package func inGray() throws(RenderingError) -> Picture {
        let colors = bands - (hasAlpha ? 1 : 0)
        return colors == 1
            ? self : try viaVips { image throws(VipsError) in try image.converted(to: "b-w") }
    }

    private func with(_ bytes: [UInt8], size: PixelSize<OutputGrid>) -> Picture {
        Picture(
            size: size, bands: bands, depth: depth, hasAlpha: hasAlpha, profile: profile,
            interpretation: interpretation, bytes: bytes)
    }

    private func viaVips(
        _ change: (VipsImage) throws(VipsError) -> VipsImage
    ) throws(RenderingError) -> Picture {
        try computed { () throws(VipsError) in try change(image()) }
    }

    /// Computes a change of this picture with libvips.
    private func computed(_ image: () throws(VipsError) -> VipsImage) throws(RenderingError) -> Picture {
        var options = RenderOptions()
        // The profile is kept.
        if profile != nil { options.colorMode = .keep }
        do throws(VipsError) {
            return try Picture(image(), options)
        } catch {
            throw .library(detail: error.log)
        }
    }
}

extension VipsImage {
    /// Returns the image rotated by any angle, with a color in the corners; adds alpha where the color needs it.
    fileprivate func rotated(degrees: Double, onto color: Color) throws(VipsError) -> VipsImage {
        let maximum = format == .uint16 ? 65535.0 : 255
        var image = self
        if interpretation == "b-w", !color.isGray { image = try converted(to: "srgb") }
        if interpretation == "grey16", !color.isGray { image = try converted(to: "rgb16") }
        if color.alpha < 1, !hasAlpha { image = try image.joined(constant: maximum) }
        let rgb = [color.red, color.green, color.blue]
        let isInk = interpretation == "cmyk"
        let colors = image.bands - (image.hasAlpha ? 1 : 0)
        var corner = (0..<colors).map { $0 < 3 ? (isInk ? 1 - rgb[$0] : rgb[$0]) * maximum : 0 }
        if image.hasAlpha { corner.append(color.alpha * maximum) }
        return try image.rotated(degrees: degrees, background: corner)
    }
}
