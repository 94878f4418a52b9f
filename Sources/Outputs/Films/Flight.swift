package import ImageReading
package import Pictures
package import ScrollModel
package import ViewportGeometry
internal import ViewportRendering
package import Viewports

/// What a frame of a film shows.
package enum FilmView: Sendable {
    /// A part of the image.
    case part(Viewport)
    /// A look into the panorama that the image shows.
    case look(LookFrame, Panorama)

    func picture(of file: ImageFile, by renderer: ViewportRenderer) throws -> Picture {
        switch self {
        case .part(let viewport):
            try renderer.renderSynchronously(viewport, of: file).picture
        case .look(let frame, let panorama):
            try renderer.renderSynchronously(frame, into: panorama, of: file).picture
        }
    }
}

/// The frames of a flight through an image.
package struct Flight: Sendable {
    /// The path of a flight.
    package enum Path: Sendable {
        /// Over the flat image.
        case parts(FlightPath)
        /// From look to look into a panorama.
        case looks(LookPath, LookProjection, Panorama)
    }

    /// Where a path is at a time.
    package enum Place: Equatable, Sendable {
        case rect(Rect<ImageSpace>)
        case look(Look)
    }

    package let path: Path
    /// The size of a frame.
    private let size: Size<ViewSpace>
    private let framesPerSecond: Double

    package init(_ path: Path, size: Size<ViewSpace>, framesPerSecond: Double) {
        self.path = path
        self.size = size
        self.framesPerSecond = framesPerSecond
    }

    /// The number of frames.
    package var count: Int {
        switch path {
        case .parts(let path): path.frameCount(framesPerSecond: framesPerSecond)
        case .looks(let path, _, _): path.frameCount(framesPerSecond: framesPerSecond)
        }
    }

    /// The duration in seconds.
    package var duration: Double {
        switch path {
        case .parts(let path): path.duration
        case .looks(let path, _, _): path.duration
        }
    }

    /// The places of the poses.
    package var stops: [Place] {
        switch path {
        case .parts(let path): path.stops.map(Place.rect)
        case .looks(let path, _, _): path.stops.map(Place.look)
        }
    }

    /// Returns the time of a frame in seconds, and the place that it shows.
    package func frame(_ number: Int) -> (time: Double, place: Place) {
        let time = number == count - 1 ? duration : Double(number) / framesPerSecond
        return (time, place(number))
    }

    private func place(_ number: Int) -> Place {
        switch path {
        case .parts(let path): .rect(path.rect(ofFrame: number, framesPerSecond: framesPerSecond))
        case .looks(let path, _, _): .look(path.look(ofFrame: number, framesPerSecond: framesPerSecond))
        }
    }

    /// Returns what a frame shows, by the request that `render` makes of the same rectangle or look.
    ///
    /// - Parameter imageSize: the upright size of the image.
    package func view(_ number: Int, in imageSize: PixelSize<UprightGrid>) throws(RenderingError) -> FilmView
    {
        switch (place(number), path) {
        case (.look(let look), .looks(_, let projection, let panorama)):
            return .look(LookFrame(look, projection, size: size), panorama)
        case (.rect(let rect), _):
            return .part(try viewport(rect, in: imageSize))
        case (.look, .parts):
            preconditionFailure("parts of the image have no looks")
        }
    }

    private func viewport(
        _ rect: Rect<ImageSpace>, in imageSize: PixelSize<UprightGrid>
    ) throws(RenderingError) -> Viewport {
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
