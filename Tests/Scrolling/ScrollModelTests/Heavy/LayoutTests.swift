import ScrollModel
import Testing
import ViewportGeometry

@Suite("A layout")
struct LayoutTests {
    @Test("of any content mode places the image as UIView does", arguments: ContentMode.allCases)
    func contentModes(_ mode: ContentMode) {
        for (width, height) in [(200.0, 100.0), (50, 100), (300, 40), (10, 20)] {
            var view = Script((100, 100), over: (width, height), zoom: 0.01...100).view
            view.show(mode)
            let image = Rect<ImageSpace>(x: 0, y: 0, width: width, height: height)
            let shown = view.convert(image, to: ViewSpace.self)
            // A scroll view has one scale: modes with two fit instead.
            let uniform: ContentMode = mode == .scaleToFill || mode == .redraw ? .scaleAspectFit : mode
            let frame = uniform.frame(
                of: Size(width: width, height: height), in: Size(width: 100, height: 100))
            #expect(shown.minX.isClose(to: frame.minX) && shown.minY.isClose(to: frame.minY))
            #expect(shown.width.isClose(to: frame.width) && shown.height.isClose(to: frame.height))
        }
    }

    @Test("of reversed content is aligned with the bottom and keeps its distance from it")
    func reversed() {
        var view = Script((100, 400), over: (100, 200)).view
        view.setReversed(true)
        #expect(view.contentOffset.y == -200)
        view.setContentSize(Size(width: 100, height: 1000))
        #expect(view.contentOffset.y == 600)
        view.setContentOffset(Point(x: 0, y: 500))
        view.setContentSize(Size(width: 100, height: 1500))
        #expect(view.contentOffset.y == 1000)
        view.setBounds(Size(width: 100, height: 200))
        #expect(view.maximumContentOffset.y - view.contentOffset.y == 100)
    }

    @Test("of the full image looks the same as that of its thumbnail")
    func replaced() {
        var view = Script((320, 460), over: (400, 300), zoom: 0.5...4).view
        view.zoom(to: Rect(x: 100, y: 100, width: 160, height: 100))
        let before = view.visibleRect
        view.setViewSize(Size(width: 4000, height: 3000), keepingPlace: true)
        let after = view.visibleRect
        #expect(after.minX.isClose(to: before.minX * 10) && after.width.isClose(to: before.width * 10))
        #expect(view.maximumZoomScale.isClose(to: 0.4))
    }

    @Test(
        "fits rotated content and clamps it along its own sides",
        arguments: [0.0, 30, 45, 90, 135, 180, 200, 270, 359.5])
    func turned(_ degrees: Double) {
        var view = Script((400, 300), over: (2000, 1000), zoom: 0.01...8).view
        view.setContentAlignment(.center)
        view.setContentRotation(Rotation(degrees: degrees))
        view.setZoomScale(view.fittingZoomScale)
        let corners = [(0.0, 0.0), (2000, 0), (0, 1000), (2000, 1000)].map {
            view.convert(Point<ImageSpace>(x: $0.0, y: $0.1), to: ViewSpace.self)
        }
        #expect(corners.allSatisfy { $0.x > -1e-9 && $0.x < 400 + 1e-9 && $0.y > -1e-9 && $0.y < 300 + 1e-9 })
        view.setZoomScale(1)
        for corner in [Point<ImageSpace>(x: 0, y: 0), Point(x: 2000, y: 0), Point(x: 0, y: 1000)] {
            let there = view.convert(corner, to: ContentSpace.self)
            view.setContentOffset(view.clampedContentOffset(Point(x: there.x - 200, y: there.y - 150)))
            let seen = view.convert(corner, to: ViewSpace.self)
            #expect(seen.x >= -1e-6 && seen.x <= 400 + 1e-6 && seen.y >= -1e-6 && seen.y <= 300 + 1e-6)
            // The center of the visible part is never outside the image.
            let middle = view.visibleRect.center
            #expect(middle.x >= 0 && middle.x <= 2000 && middle.y >= 0 && middle.y <= 1000)
        }
    }

    @Test("has indicators as long as the visible share, shortened beyond an edge")
    func indicators() {
        var view = Script((100, 200), over: (100, 400)).view
        #expect(view.horizontalScrollIndicator == nil)
        #expect(view.verticalScrollIndicator == Rect(x: 94, y: 3, width: 3, height: 97))
        view.setContentOffset(Point(x: 0, y: 200))
        #expect(view.verticalScrollIndicator == Rect(x: 94, y: 100, width: 3, height: 97))
        view.setContentOffset(Point(x: 0, y: 240))
        #expect(view.verticalScrollIndicator == Rect(x: 94, y: 140, width: 3, height: 57))
    }

    @Test("has pages, the last one partial")
    func pages() {
        var view = Script((320, 460), over: (1000, 460)).view
        #expect(view.pageCount == (4, 1))
        for (page, x) in [(0, 0.0), (1, 320), (2, 640), (3, 680), (4, 680)] {
            view.scrollToPage(page, 0)
            #expect(view.contentOffset == Point(x: x, y: 0))
            #expect(view.currentPage == (min(page, 3), 0))
        }
    }

    @Test("rounded to pixels has offsets of whole pixels")
    func rounding() {
        var view = Script((101, 101), over: (50, 1000), zoom: 0.1...4) {
            $0.setRounding(.pixel(displayScale: 2))
            $0.setContentAlignment(.center)
        }.view
        for scale in [0.37, 1.2345, 3.3] {
            view.setZoomScale(scale)
            view.setContentOffset(Point(x: 3.1459, y: 7.77))
            #expect((view.contentOffset.x * 2).rounded() == view.contentOffset.x * 2)
            view.setContentOffset(view.maximumContentOffset)
            #expect((view.contentOffset.y * 2).rounded() == view.contentOffset.y * 2)
        }
    }

    @Test("in landscape recognizes edge pans of the rotated interface")
    func edgePan() {
        let screen = Size<ViewSpace>(width: 390, height: 844)
        let starts: [(ScreenEdgePanRecognizer.InterfaceOrientation, Point<ViewSpace>, Point<ViewSpace>)] = [
            (.portrait, Point(x: 5, y: 400), Point(x: 30, y: 400)),
            (.portraitUpsideDown, Point(x: 385, y: 400), Point(x: 360, y: 400)),
            (.landscapeRight, Point(x: 200, y: 5), Point(x: 200, y: 30)),
            (.landscapeLeft, Point(x: 200, y: 840), Point(x: 200, y: 815)),
        ]
        for (orientation, from, to) in starts {
            var pan = ScreenEdgePanRecognizer(edges: .left, screen: screen, orientation: orientation)
            #expect(pan.touch(Touch(id: 1, location: from), phase: .began, at: 0) == .possible)
            #expect(pan.touch(Touch(id: 1, location: to), phase: .moved, at: 0.1) == .began)
            #expect(pan.edge == .left && pan.translation == Point(x: 25, y: 0))
            #expect(pan.velocity.x.isClose(to: 250))
            #expect(pan.touch(Touch(id: 1, location: to), phase: .ended, at: 0.1) == .ended)
        }
        var pan = ScreenEdgePanRecognizer(edges: [.left, .right], screen: screen)
        #expect(pan.touch(Touch(id: 1, location: Point(x: 200, y: 5)), phase: .began, at: 0) == .failed)
        #expect(pan.touch(Touch(id: 1, location: Point(x: 200, y: 5)), phase: .ended, at: 0) == .failed)
        #expect(pan.touch(Touch(id: 2, location: Point(x: 388, y: 50)), phase: .began, at: 1) == .possible)
        #expect(pan.touch(Touch(id: 2, location: Point(x: 380, y: 90)), phase: .moved, at: 1) == .failed)
    }
}
