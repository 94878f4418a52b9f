internal import Basics
internal import ImageMetadata
public import ImageReading
public import PictureEncoding
internal import Pictures
internal import ViewportGeometry
public import Viewports

extension RenderedGainMap {
    /// Rotates the map as its picture was rotated by any angle; corners keep the brightness of the picture.
    package mutating func rotate(degrees: Double) throws(RenderingError) {
        picture = try picture.rotated(degrees: degrees, background: values.neutralColor)
    }
}

extension ViewportRenderer {
    /// Renders the gain map of a file for a viewport of its picture; returns nil where the file has none.
    ///
    /// The map keeps its resolution relative to the picture. Outside of the image it leaves the background as it is.
    /// Apple's maps become maps of Ultra HDR. Work runs on the same threads as that of
    /// ``ViewportRenderer/render(_:of:progress:)``.
    ///
    /// - Throws: `RenderingError.gainMap` where the map is incomplete, lacks numbers or belongs to an HDR picture;
    ///   of another kind where the file cannot be read; `CancellationError`.
    public func renderGainMap(_ viewport: Viewport, of file: ImageFile) async throws -> RenderedGainMap? {
        try await BlockingExecutor.shared.run { try renderGainMapSynchronously(viewport, of: file) }
    }

    /// Renders the gain map of a file, as ``renderGainMap(_:of:)``, on the calling thread, which is blocked until then.
    ///
    /// - Throws: `RenderingError` as the other; `CancellationError` where the surrounding task, if any, is cancelled.
    public func renderGainMapSynchronously(_ viewport: Viewport, of file: ImageFile) throws
        -> RenderedGainMap?
    {
        guard let map = try file.readGainMap() else { return nil }
        guard let values = map.values, map.defect == nil else {
            throw RenderingError.gainMap(file: file.path, reason: map.defect ?? "its numbers are missing")
        }
        guard !values.isBaseHDR else {
            throw RenderingError.gainMap(
                file: file.path, reason: "its picture is HDR, and Ultra HDR requires an SDR picture")
        }
        guard values.alternateHeadroom > values.baseHeadroom else {
            throw RenderingError.gainMap(
                file: file.path, reason: "its headroom is 1, so that it changes nothing")
        }
        let image = try file.picture(of: map)
        var renderer = self
        renderer.options.colorMode = .keep
        renderer.options.keepsCMYK = false
        renderer.options.depth = 8
        // Other kernels overshoot, which would make bright edges brighter than the HDR picture.
        renderer.options.kernel = options.kernel == .nearest ? .nearest : .linear
        renderer.options.background = values.neutralColor
        renderer.options.allowsEmptyPicture = true
        let (made, _) = try renderer.renderSynchronously(
            viewport.scaled(from: file.uprightSize, to: image.uprightSize), of: image)
        guard made.bands == 1 || made.bands == 3, made.depth == 8 else {
            throw RenderingError.gainMap(file: file.path, reason: "it is neither gray nor RGB")
        }
        // Apple's map is gray, whatever its decoder makes of it.
        let samples = map.kind == .apple ? made.firstBand(through: values.appleSamples) : made.bytes
        let bands = map.kind == .apple ? 1 : made.bands
        // Its samples are no colors: a profile has no meaning.
        let picture = Picture(
            size: made.size, bands: bands, depth: 8, hasAlpha: false, profile: nil,
            interpretation: bands == 1 ? "b-w" : "srgb", bytes: samples)
        return RenderedGainMap(picture: picture, values: values)
    }
}

extension Picture {
    /// Returns the first band of all pixels, each sample replaced by that of a table.
    fileprivate func firstBand(through table: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: bands).map { table[Int(bytes[$0])] }
    }
}

extension Viewport {
    /// Returns the viewport of another image that shows the same at another resolution, at most at this one's.
    fileprivate func scaled(
        from size: PixelSize<UprightGrid>, to other: PixelSize<UprightGrid>
    ) -> Viewport {
        let (x, y) = (
            Double(other.width) / Double(size.width), Double(other.height) / Double(size.height)
        )
        return Viewport(
            imageRect: Rect(
                x: imageRect.minX * x, y: imageRect.minY * y, width: imageRect.width * x,
                height: imageRect.height * y),
            size: PixelSize(
                width: min(Viewport.pixels(Double(self.size.width) * x), self.size.width),
                height: min(Viewport.pixels(Double(self.size.height) * y), self.size.height)),
            isSubpixel: true)
    }
}

extension GainMapValues {
    /// The color of samples that leave the picture as it is.
    fileprivate var neutralColor: Color { Color(red: neutral.x, green: neutral.y, blue: neutral.z) }
}
