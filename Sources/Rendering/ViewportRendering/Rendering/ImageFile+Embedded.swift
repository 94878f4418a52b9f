package import ImageReading
internal import TilePyramid
package import Viewports

extension ImageFile {
    /// Returns the file, read from the picture that it holds of itself where that has enough pixels for viewports.
    ///
    /// It must have at least 256 pixels on the long side, at least one for each pixel of the viewports, and the aspect
    /// and orientation of the image.
    package func reducedToEmbedded(for viewports: [Viewport]) -> ImageFile {
        guard let embedded = source.capabilities.embedded else { return self }
        let step = max(embedded.level.downsampleX, embedded.level.downsampleY)
        let isEnough = viewports.allSatisfy { viewport in
            Coverage(viewport, of: uprightSize).map { $0.scale * step <= 1.000_001 } ?? false
        }
        guard isEnough, let decoded = embedded.decoded() else { return self }
        return reading(from: decoded)
    }
}
