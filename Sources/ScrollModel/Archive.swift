public import ViewportGeometry

extension ScrollView {
    /// What is worth keeping of a scroll view's place: the same on every screen size.
    ///
    /// It holds the image point in the middle, the zoom relative to the one that fits, and the rotation;
    /// never an offset, which means another place as soon as the bounds are another size.
    public struct Archive: Equatable, Sendable {
        /// The version of the form that this code writes.
        public static let currentVersion = 1

        /// The image point in the middle of the bounds.
        public let center: Point<ImageSpace>
        /// The zoom scale, in units of the one at which the whole content just fits.
        public let zoom: Double
        /// The rotation, clockwise, in degrees.
        public let rotation: Double

        /// An archive of a place; nil if a number is not finite, or the zoom not positive.
        public init?(center: Point<ImageSpace>, zoom: Double, rotation: Double = 0) {
            guard center.isFinite, zoom > 0, zoom.isFinite, rotation.isFinite else { return nil }
            self.center = center
            self.zoom = zoom
            self.rotation = rotation
        }
    }

    /// The place that is seen now.
    public var archive: Archive {
        let middle = convert(Point<ViewSpace>(x: bounds.width / 2, y: bounds.height / 2), to: ImageSpace.self)
        let archive = Archive(
            center: middle, zoom: zoomScale / fittingZoomScale, rotation: contentRotation.degrees)
        // All three are finite for every state that operations can reach; the middle of the image is one of
        // them.
        return archive ?? Archive(fitting: viewSize)
    }

    /// Shows an archived place, as near as the limits let it.
    @discardableResult
    public mutating func restore(_ archive: Archive) -> ScrollEvents {
        rearrange { view, _ in
            view.contentRotation = Rotation(degrees: archive.rotation)
            let most = Self.possibleScales.upperBound
            view.zoomScale = view.limitedScale(min(archive.zoom * view.fittingZoomScale, most))
            let image = Point<ImageSpace>(x: view.near(archive.center.x), y: view.near(archive.center.y))
            let middle = view.convert(image, to: ContentSpace.self)
            view.moveInRange(
                view.bounded(
                    Point(x: middle.x - view.bounds.width / 2, y: middle.y - view.bounds.height / 2)))
        }
    }

    /// An image coordinate that no later product can take out of the finite numbers.
    private func near(_ value: Double) -> Double {
        min(max(value, -Self.greatestLength), Self.greatestLength)
    }
}

extension ScrollView.Archive {
    /// The whole of an image, fitted.
    init(fitting size: Size<ImageSpace>) {
        center = Point(x: size.width / 2, y: size.height / 2)
        zoom = 1
        rotation = 0
    }
}
