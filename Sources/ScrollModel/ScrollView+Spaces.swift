public import ViewportGeometry

extension ScrollView {
    /// The part of the image's plane that the bounds show, in image points; it may reach beyond the image.
    ///
    /// For turned content it is the smallest upright rectangle around the turned window.
    public var visibleRect: Rect<ImageSpace> {
        convert(Rect<ViewSpace>(x: 0, y: 0, width: bounds.width, height: bounds.height), to: ImageSpace.self)
    }

    public func convert(_ point: Point<ViewSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        Point(x: point.x + contentOffset.x, y: point.y + contentOffset.y)
    }

    public func convert(_ point: Point<ContentSpace>, to: ViewSpace.Type) -> Point<ViewSpace> {
        Point(x: point.x - contentOffset.x, y: point.y - contentOffset.y)
    }

    public func convert(_ point: Point<ContentSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        image(point, at: zoomScale)
    }

    /// The image point at a content point, at some scale.
    @inline(never)
    func image(_ point: Point<ContentSpace>, at scale: Double) -> Point<ImageSpace> {
        guard contentRotation.sine != 0 || contentRotation.cosine != 1 else {
            return Point(x: point.x / scale, y: point.y / scale)
        }
        let size = contentSize(at: scale)
        let (x, y) = contentRotation.turnedBack(
            (point.x - size.width / 2) / scale, (point.y - size.height / 2) / scale)
        return Point(x: x + viewSize.width / 2, y: y + viewSize.height / 2)
    }

    public func convert(_ point: Point<ImageSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        content(point, at: zoomScale)
    }

    /// The content point at an image point, at some scale.
    @inline(never)
    func content(_ point: Point<ImageSpace>, at scale: Double) -> Point<ContentSpace> {
        guard contentRotation.sine != 0 || contentRotation.cosine != 1 else {
            return Point(x: point.x * scale, y: point.y * scale)
        }
        let size = contentSize(at: scale)
        let (x, y) = contentRotation.turned(point.x - viewSize.width / 2, point.y - viewSize.height / 2)
        return Point(x: x * scale + size.width / 2, y: y * scale + size.height / 2)
    }

    public func convert(_ point: Point<ViewSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        convert(convert(point, to: ContentSpace.self), to: ImageSpace.self)
    }

    public func convert(_ point: Point<ImageSpace>, to: ViewSpace.Type) -> Point<ViewSpace> {
        convert(convert(point, to: ContentSpace.self), to: ViewSpace.self)
    }

    /// The smallest upright rectangle, in image points, around a rectangle of the view.
    public func convert(_ rect: Rect<ViewSpace>, to: ImageSpace.Type) -> Rect<ImageSpace> {
        let content = Rect<ContentSpace>(
            x: rect.minX + contentOffset.x, y: rect.minY + contentOffset.y, width: rect.width,
            height: rect.height)
        return convert(content, to: ImageSpace.self)
    }

    /// The smallest upright rectangle, in image points, around a rectangle of the content.
    public func convert(_ rect: Rect<ContentSpace>, to: ImageSpace.Type) -> Rect<ImageSpace> {
        let extent = contentRotation.extent(width: rect.width / zoomScale, height: rect.height / zoomScale)
        guard contentRotation != .none else {
            let origin = convert(rect.origin, to: ImageSpace.self)
            return Rect(origin: origin, size: Size(width: extent.width, height: extent.height))
        }
        let middle = convert(rect.center, to: ImageSpace.self)
        return Rect(
            x: middle.x - extent.width / 2, y: middle.y - extent.height / 2,
            width: extent.width, height: extent.height)
    }

    /// The smallest upright rectangle of the content around a rectangle of the image.
    public func convert(_ rect: Rect<ImageSpace>, to: ContentSpace.Type) -> Rect<ContentSpace> {
        let extent = contentRotation.extent(width: rect.width * zoomScale, height: rect.height * zoomScale)
        guard contentRotation != .none else {
            let origin = convert(rect.origin, to: ContentSpace.self)
            return Rect(origin: origin, size: Size(width: extent.width, height: extent.height))
        }
        let middle = convert(rect.center, to: ContentSpace.self)
        return Rect(
            x: middle.x - extent.width / 2, y: middle.y - extent.height / 2,
            width: extent.width, height: extent.height)
    }

    /// The smallest upright rectangle of the view around a rectangle of the image.
    public func convert(_ rect: Rect<ImageSpace>, to: ViewSpace.Type) -> Rect<ViewSpace> {
        let content = convert(rect, to: ContentSpace.self)
        return Rect(
            origin: convert(content.origin, to: ViewSpace.self),
            size: Size(width: content.width, height: content.height))
    }
}
