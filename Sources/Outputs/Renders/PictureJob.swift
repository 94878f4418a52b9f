internal import ImageReading
package import PictureEncoding
package import ViewportRendering

/// Pictures to make of one file: each request in each format.
package struct PictureJob: Sendable {
    /// What the pictures show.
    package var requests: [PictureRequest]
    /// The formats; a IIIF request has its own.
    package var encoders: [PictureEncoder]
    /// Kernel, colors, background and depth.
    ///
    /// Formats without transparency get an opaque background.
    package var rendering = RenderOptions()
    /// Whether pictures of files with 16 bits have them, too, in formats that hold them.
    package var keepsDepth = false
    /// The degrees clockwise by which finished pictures are rotated; their canvas grows.
    package var rotation = 0.0
    /// Whether pictures get the EXIF, XMP and IPTC of the file.
    package var keepsMetadata = false
    /// Whether pictures get the gain map of the file.
    package var gainMap = GainMapChoice.leftOut
    /// Whether views of an animation have all of its frames, in formats that hold them.
    package var keepsFrames = false
    /// Whether a file without metadata of a panorama is one.
    package var assumesPanorama = false
    /// Whether the compressed data of a JPEG is copied; the rectangle is extended to whole blocks.
    package var isLossless = false

    package init(_ requests: [PictureRequest], _ encoders: [PictureEncoder]) {
        (self.requests, self.encoders) = (requests, encoders)
    }

    /// The same for each request alone.
    package var ofOneRequest: [PictureJob] {
        requests.map { request in
            var job = self
            job.requests = [request]
            return job
        }
    }

    /// Returns the options for pictures of a file in a format.
    func options(for format: PictureFormat, of file: ImageFile) -> RenderOptions {
        var options = rendering
        if keepsDepth { options.depth = format.isDeep && file.isDeep && !hasFrames(format, file) ? 16 : 8 }
        options.background = options.background.opaque(unless: format.hasAlpha)
        options.keepsCMYK = options.keepsCMYK || format.hasCMYK && file.interpretation == "cmyk"
        return options
    }

    /// Whether views of a file have all of its frames in a format.
    func hasFrames(_ format: PictureFormat, _ file: ImageFile) -> Bool {
        keepsFrames && file.isAnimated && AnimationEncoder.Format(format) != nil
    }
}

extension ImageFile {
    /// Whether its samples have 16 bits.
    fileprivate var isDeep: Bool { interpretation.hasSuffix("16") }
}
