package import ImageReading
package import PictureEncoding
package import Pictures
package import ViewportGeometry
package import ViewportRendering
package import Viewports

/// The steps from a finished picture to the bytes of its file: rotation, metadata of the source, gain map.
package struct PictureFinisher {
    private let encoder: PictureEncoder
    private let renderer: ViewportRenderer
    private let file: ImageFile
    /// Whether the picture gets the EXIF, XMP and IPTC of the file.
    package var keepsMetadata = false
    /// Whether the picture gets the gain map of the file.
    package var keepsGainMap = false
    /// The degrees clockwise by which the picture is rotated; its canvas grows.
    package var rotation = 0.0

    /// - Parameter renderer: the one that made the pictures.
    package init(_ encoder: PictureEncoder, after renderer: ViewportRenderer, of file: ImageFile) {
        (self.encoder, self.renderer, self.file) = (encoder, renderer, file)
    }

    /// Returns the file of a picture, its size, and the blocks of metadata that its format cannot hold, such as "EXIF".
    ///
    /// - Parameter viewport: what the picture shows; nil for a look, which has neither metadata nor a gain map.
    /// - Throws: `RenderingError` or `CancellationError`.
    package func finish(
        _ picture: Picture, showing viewport: Viewport?
    ) throws -> (bytes: [UInt8], size: PixelSize<OutputGrid>, leftOut: [String]) {
        var picture = picture
        var map =
            try keepsGainMap
            ? viewport.flatMap { try renderer.renderGainMapSynchronously($0, of: file) } : nil
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
        return (bytes, picture.size, leftOut)
    }
}
