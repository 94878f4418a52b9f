package import ImageReading
package import Pictures
package import ScrollModel
package import ViewportGeometry
internal import ViewportRendering
package import Viewports

/// The frames of a flight through an image.
package struct Flight: Sendable {
    package let path: FlightPath
    /// The size of a frame.
    private let size: Size<ViewSpace>
    private let framesPerSecond: Double

    package init(_ path: FlightPath, size: Size<ViewSpace>, framesPerSecond: Double) {
        self.path = path
        self.size = size
        self.framesPerSecond = framesPerSecond
    }

    /// The number of frames.
    package var count: Int { path.frameCount(framesPerSecond: framesPerSecond) }

    /// Returns the time of a frame in seconds, and the part of the image that it shows.
    package func frame(_ number: Int) -> (time: Double, rect: Rect<ImageSpace>) {
        let time = number == count - 1 ? path.duration : Double(number) / framesPerSecond
        return (time, path.rect(ofFrame: number, framesPerSecond: framesPerSecond))
    }

    /// Returns the viewport of a frame, by the request that `render` makes of the same rectangle.
    ///
    /// - Parameter imageSize: the upright size of the image.
    package func viewport(
        _ number: Int, in imageSize: PixelSize<UprightGrid>
    ) throws(RenderingError) -> Viewport {
        let rect = path.rect(ofFrame: number, framesPerSecond: framesPerSecond)
        var request = ViewportRequest(.rectInContentMode(.points(rect), .scaleToFill, bounds: size))
        request.isSubpixel = true
        guard let resolved = request.resolve(in: imageSize.imageSize) else {
            let pixels = PixelSize<OutputGrid>(width: Int(size.width), height: Int(size.height))
            throw .invalidViewport(Viewport(imageRect: rect, size: pixels))
        }
        return resolved.viewport
    }
}

extension FlightPath {
    /// Returns the poses of a slow zoom: the end is around the place of libvips' attention crop of its size.
    ///
    /// - Parameter size: the size of a frame.
    package static func kenBurns(in file: ImageFile, size: Size<ViewSpace>) throws -> [Pose] {
        let imageSize = file.uprightSize.imageSize
        let request = ViewportRequest(.fitted(Size(width: 512, height: 512)))
        guard let whole = request.resolve(in: imageSize) else {
            throw RenderingError.outside(file: file.path, size: file.uprightSize)
        }
        let look = try ViewportRenderer().renderSynchronously(whole.viewport, of: file).picture
        func poses(_ x: Double, _ y: Double) -> [Pose] {
            kenBurns(towards: Point(x: x, y: y), size: size, imageSize: imageSize)
        }
        let part = poses(0, 0)[1].rect
        func share(_ length: Double, _ whole: Double, _ pixels: Int) -> Int {
            max(1, Int((length / whole * Double(pixels)).rounded()))
        }
        let found = try look.mostInterestingRect(
            PixelSize(
                width: share(part.width, imageSize.width, look.size.width),
                height: share(part.height, imageSize.height, look.size.height)), by: "attention")
        let x = (Double(found.x) + Double(found.width) / 2) / Double(look.size.width) * imageSize.width
        let y = (Double(found.y) + Double(found.height) / 2) / Double(look.size.height) * imageSize.height
        return poses(x, y)
    }
}
