internal import ViewportGeometry

/// The affine map between image points and content points: a scale and a rotation about the center.
struct ContentMap {
    let scale: Double
    let rotation: Rotation
    let imageCenter: Point<ImageSpace>
    let contentCenter: Point<ContentSpace>

    /// Whether the map only scales.
    ///
    /// Points are then multiplied and divided exactly once.
    private var isUpright: Bool { rotation.sine == 0 && rotation.cosine == 1 }

    /// The image point at a content point.
    @inline(never)
    func image(_ point: Point<ContentSpace>) -> Point<ImageSpace> {
        if isUpright { return Point(x: point.x / scale, y: point.y / scale) }
        let (x, y) = rotation.turnedBack(
            (point.x - contentCenter.x) / scale, (point.y - contentCenter.y) / scale)
        return Point(x: x + imageCenter.x, y: y + imageCenter.y)
    }

    /// The content point at an image point.
    @inline(never)
    func content(_ point: Point<ImageSpace>) -> Point<ContentSpace> {
        if isUpright { return Point(x: point.x * scale, y: point.y * scale) }
        let (x, y) = rotation.turned(point.x - imageCenter.x, point.y - imageCenter.y)
        return Point(x: x * scale + contentCenter.x, y: y * scale + contentCenter.y)
    }

    /// The smallest upright rectangle of the image around a rectangle of the content.
    @inline(never)
    func image(_ rect: Rect<ContentSpace>) -> Rect<ImageSpace> {
        let extent = rotation.extent(width: rect.width / scale, height: rect.height / scale)
        return upright(extent, around: rect, image)
    }

    /// The smallest upright rectangle of the content around a rectangle of the image.
    @inline(never)
    func content(_ rect: Rect<ImageSpace>) -> Rect<ContentSpace> {
        let extent = rotation.extent(width: rect.width * scale, height: rect.height * scale)
        return upright(extent, around: rect, content)
    }

    private func upright<From, To>(
        _ extent: (width: Double, height: Double), around rect: Rect<From>,
        _ convert: (Point<From>) -> Point<To>
    ) -> Rect<To> {
        let size = Size<To>(width: extent.width, height: extent.height)
        if isUpright { return Rect(origin: convert(rect.origin), size: size) }
        let center = convert(rect.center)
        return Rect(
            origin: Point(x: center.x - size.width / 2, y: center.y - size.height / 2), size: size)
    }
}
