package import ImageReading
package import PictureEncoding
package import Pictures
package import ViewportGeometry
package import ViewportRendering
package import Viewports

/// Whether a picture gets the gain map of its file.
package enum GainMapChoice: Hashable, Sendable {
    case leftOut
    /// A map that cannot be kept is an error.
    case kept
    /// A map that cannot be kept is left out, with a note.
    case keptIfPossible
}

/// The steps from a finished picture to the bytes of its file: rotation, metadata of the source, gain map.
package struct PictureFinisher {
    private let encoder: PictureEncoder
    private let renderer: ViewportRenderer
    private let file: ImageFile
    /// Whether the picture gets the EXIF, XMP and IPTC of the file.
    package var keepsMetadata = false
    /// Whether the picture gets the gain map of the file.
    package var gainMap = GainMapChoice.leftOut
    /// The degrees clockwise by which the picture is rotated; its canvas grows.
    package var rotation = 0.0

    /// - Parameter renderer: the one that made the pictures.
    package init(_ encoder: PictureEncoder, after renderer: ViewportRenderer, of file: ImageFile) {
        (self.encoder, self.renderer, self.file) = (encoder, renderer, file)
    }

    /// The file of a picture.
    package struct Finished {
        package var bytes: [UInt8]
        package var size: PixelSize<OutputGrid>
        /// The blocks of metadata that its format cannot hold, such as "EXIF".
        package var leftOut: [String] = []
        /// Whether it has the gain map of the source.
        package var hasGainMap = false
        /// Why it lacks the gain map of the source; nil where nothing is missing.
        package var lacksGainMap: String?
    }

    /// Returns the file of all frames of an animation, which has no gain map.
    ///
    /// - Throws: `RenderingError` or `CancellationError`.
    package func finish(
        _ animation: Animation, as format: AnimationEncoder.Format, showing viewport: Viewport
    ) throws -> Finished {
        var frames = AnimationEncoder(
            format, delays: animation.delays, loop: animation.loop, quality: encoder.quality,
            threads: encoder.threads)
        frames.compression = encoder.compression
        var first: Picture?
        _ = try renderer.renderFrames([viewport], of: animation) { pictures in
            var picture = pictures[0]
            if rotation != 0 {
                picture = try picture.rotated(degrees: rotation, background: renderer.options.background)
            }
            first = first ?? picture
            try frames.appendSynchronously(picture)
        }
        let bytes = try frames.finishedSynchronously()
        // An animation has frames.
        guard let first else { return Finished(bytes: bytes, size: PixelSize(width: 0, height: 0)) }
        guard keepsMetadata else { return Finished(bytes: bytes, size: first.size) }
        let rect = rotation != 0 ? nil : viewport.imageRect
        let (file, leftOut) = try encoder.adding(writingOf: self.file, showing: rect, to: bytes, first)
        return Finished(bytes: file, size: first.size, leftOut: leftOut)
    }

    /// Returns the file of a picture.
    ///
    /// - Parameter viewport: what the picture shows; nil for a look, which has neither metadata nor a gain map.
    /// - Throws: `RenderingError` or `CancellationError`.
    package func finish(
        _ picture: Picture, showing viewport: Viewport?
    ) throws -> Finished {
        var picture = picture
        var (map, lack) = try gainMap(viewport)
        if rotation != 0 {
            picture = try picture.rotated(degrees: rotation, background: renderer.options.background)
            try map?.rotate(degrees: rotation)
        }
        var (bytes, leftOut): ([UInt8], [String])
        if keepsMetadata, let viewport {
            (bytes, leftOut) = try encoder.encodeSynchronously(
                picture, withWritingOf: file, showing: rotation != 0 ? nil : viewport.imageRect)
        } else {
            (bytes, leftOut) = (try encoder.encodeSynchronously(picture), [])
        }
        if let map { bytes = try encoder.addingSynchronously(map, to: bytes) }
        return Finished(
            bytes: bytes, size: picture.size, leftOut: leftOut, hasGainMap: map != nil, lacksGainMap: lack)
    }

    /// Returns the gain map for a picture, or why it has none.
    private func gainMap(_ viewport: Viewport?) throws -> (map: RenderedGainMap?, lack: String?) {
        switch gainMap {
        case .leftOut: return (nil, nil)
        case .kept:
            return (try viewport.flatMap { try renderer.renderGainMapSynchronously($0, of: file) }, nil)
        case .keptIfPossible:
            guard file.gainMap != nil else { return (nil, nil) }
            guard let viewport else { return (nil, "a look of a panorama has none") }
            guard encoder.format == .jpg else { return (nil, "only jpg can hold it") }
            do {
                return (try renderer.renderGainMapSynchronously(viewport, of: file), nil)
            } catch RenderingError.gainMap(_, let reason) {
                return (nil, reason)
            }
        }
    }
}
