import ScrollModel
import Testing
import ViewportGeometry

@Suite("A scroll view at rest")
struct ScrollViewStateTests {
    static func view(
        _ width: Double = 320, _ height: Double = 460, over across: Double = 1000, _ down: Double = 1000,
        zoom limits: ClosedRange<Double> = 0.1...4
    ) -> ScrollView {
        var view = ScrollView(
            bounds: Size(width: width, height: height), viewSize: Size(width: across, height: down))
        view.setZoomLimits(minimum: limits.lowerBound, maximum: limits.upperBound)
        return view
    }

    @Test("zooms about the center of its bounds, as measured on a device")
    func measuredZoom() {
        var view = Self.view()
        #expect(Array(view.setZoomScale(2)) == [.didScroll, .didZoom])
        #expect(view.contentOffset == Point(x: 160, y: 230))
        #expect(view.contentSize == Size(width: 2000, height: 2000))
        #expect(view.setZoomScale(2).isEmpty)
    }

    @Test("prints as one short line")
    func description() throws {
        var view = Self.view()
        view.setZoomScale(0.5)
        #expect("\(view)" == "320x460 at 0,0 of 500x500, scale 0.5")
        let panorama = try #require(Panorama(size: Size(width: 2000, height: 1000)))
        let turned = PanoramaView(panorama, bounds: Size(width: 320, height: 240))
        #expect("\(turned)".hasPrefix("320x240, yaw 0.0, pitch 0.0, roll 0.0, fov "))
    }

    @Test("stores any offset, in range or not")
    func offset() {
        var view = Self.view()
        #expect(Array(view.setContentOffset(Point(x: -50, y: 900))) == [.didScroll, .reachedEdge(.bottom)])
        #expect(view.contentOffset == Point(x: -50, y: 900))
        #expect(view.setContentOffset(Point(x: -50, y: 900)).isEmpty)
        #expect(view.setContentOffset(Point(x: .nan, y: 0)).isEmpty)
    }

    @Test("zooms to a rectangle of the image")
    func zoomToRect() {
        var view = Self.view()
        view.zoom(to: Rect(x: 400, y: 400, width: 160, height: 100))
        #expect(view.zoomScale == 2)
        #expect(view.contentOffset == Point(x: 480 * 2 - 160, y: 450 * 2 - 230))
        view.zoom(to: Rect(x: 500, y: 500, width: 0, height: 0))
        #expect(view.zoomScale == 4)
        #expect(view.contentOffset == Point(x: 2000 - 160, y: 2000 - 230))
        view.zoom(to: Rect(x: 0, y: 0, width: 1e6, height: 1))
        #expect(view.zoomScale == 0.1)
        #expect(
            view.explain.limits.names.map { "\($0)" } == [
                "minimumZoomScale", "maximumContentOffset.x", "minimumContentOffset.y",
            ])
    }

    @Test(
        "scrolls a rectangle into view by the smallest distance",
        arguments: [
            (Rect<ContentSpace>(x: 10, y: 10, width: 50, height: 50), 0.0, 0.0),
            (Rect(x: 400, y: 10, width: 50, height: 50), 130, 0),
            (Rect(x: 400, y: 900, width: 50, height: 50), 130, 490),
            (Rect(x: 100, y: 10, width: 500, height: 50), 100, 0),
            (Rect(x: 2000, y: 10, width: 500, height: 50), 0, 0),
            (Rect(x: 10, y: 10, width: 0, height: 50), 0, 0),
            (Rect(x: 990, y: 10, width: 500, height: 50), 680, 0),
        ])
    func rectToVisible(_ rect: Rect<ContentSpace>, x: Double, y: Double) {
        var view = Self.view()
        view.scrollRectToVisible(rect)
        #expect(view.contentOffset == Point(x: x, y: y))
        #expect(view.scrollRectToVisible(rect).isEmpty)
    }

    @Test("aligns small content")
    func alignment() {
        var view = Self.view(over: 100, 200)
        #expect(view.maximumContentOffset == .zero)
        #expect(view.adjustedContentInset == .zero)
        view.setContentAlignment(.center)
        #expect(view.contentOffset == Point(x: -110, y: -130))
        #expect(view.adjustedContentInset == EdgeInsets(top: 130, left: 110, bottom: 130, right: 110))
        #expect(view.minimumContentOffset == view.maximumContentOffset)
    }

    @Test("keeps the center and a fitting scale when its bounds change")
    func boundsChange() {
        var view = Self.view()
        view.setZoomScale(2)
        view.setContentOffset(Point(x: 500, y: 500))
        view.setBounds(Size(width: 460, height: 320))
        #expect(view.contentOffset == Point(x: 430, y: 570))
        view.setZoomScale(view.fittingZoomScale)
        view.setBounds(Size(width: 640, height: 500))
        #expect(view.zoomScale == 0.5)
    }

    @Test("shows no unnecessary empty space beside rotated content, and all of its corners")
    func turned() {
        var view = Self.view(100, 100, over: 1000, 10)
        view.setContentRotation(Rotation(degrees: 45))
        view.setContentOffset(view.clampedContentOffset(Point(x: 1e6, y: 0)))
        let end = view.convert(Point<ImageSpace>(x: 1000, y: 5), to: ViewSpace.self)
        #expect(end.x > 0 && end.x <= 100 && end.y > 0 && end.y <= 100)
        view.setContentRotation(Rotation(degrees: 90))
        #expect(view.contentSize.width == 10 && view.contentSize.height == 1000)
        #expect(view.maximumContentOffset == Point(x: 0, y: 900))
    }

    @Test("moves by itself until it rests, and its events can be joined")
    func moving() {
        var view = ScrollView(
            bounds: Size(width: 100, height: 100), viewSize: Size(width: 1000, height: 1000))
        #expect(!view.isMoving)
        let began = view.touches(Touch(id: 1, location: Point(x: 90, y: 50)), phase: .began)
        #expect(!view.isMoving && view.isTracking)
        view.advance(to: 0.02)
        let moved = view.touches(Touch(id: 1, location: Point(x: 50, y: 50)), phase: .moved)
        view.advance(to: 0.04)
        let ended = view.touches(Touch(id: 1, location: Point(x: 20, y: 50)), phase: .ended)
        #expect(view.isMoving)
        var events = began + moved + ended
        #expect(events == Array(began) + Array(moved) + Array(ended))
        while view.isMoving { events += view.advance(by: 1.0 / 60) }
        #expect(events.last == .didEndDecelerating && view.advance(by: 1).isEmpty)
        view.zoom(to: Rect(x: 0, y: 0, width: 50, height: 50), animated: true)
        #expect(view.isMoving == view.isAnimating)
    }
}
