import ScrollModel
import Testing
import ViewportGeometry

@Suite("A gesture")
struct GestureTests {
    @Test(
        "beyond the edge is resisted by the rubber band, as measured",
        arguments: [(5.0, 2.74), (100, 52.02), (960, 340.65)])
    func rubberBand(_ pull: Double, _ shown: Double) {
        for steps in [1, 7, 100] {
            var script = Script((320, 960), over: (320, 2000))
            script.drag(from: (100, 0), to: (100, pull), seconds: 1, steps: steps, lifts: false)
            #expect((-script.view.contentOffset.y).isClose(to: shown, 0.005 / shown))
        }
    }

    @Test("caught in the rubber band continues without a jump")
    func caught() {
        var script = Script((320, 960), over: (320, 2000))
        script.drag(from: (100, 0), to: (100, 300), seconds: 1, pause: 0.2)
        script.wait(0.05)
        let offset = script.view.contentOffset
        script.touch(.began, 50, 50)
        script.touch(.moved, 50, 60)
        script.touch(.moved, 50, 50)
        #expect(script.view.contentOffset.y.isClose(to: offset.y))
        script.touch(.ended, 50, 50)
        script.wait(3)
        #expect(script.view.contentOffset == .zero)
    }

    @Test(
        "travels and ends according to the rate",
        arguments: [
            (DecelerationRate.normal, 499.50, 3.45), (.fast, 99.50, 0.53),
        ])
    func deceleration(_ rate: DecelerationRate, _ travel: Double, _ seconds: Double) {
        var script = Script(over: (1000, 50000)) { $0.decelerationRate = rate }
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.1)
        script.wait(seconds - 0.01)
        #expect(script.view.isDecelerating)
        script.wait(0.02)
        #expect(!script.view.isDecelerating)
        #expect((script.view.contentOffset.y - 100).isClose(to: travel, 0.005 / travel))
    }

    @Test("has the same velocity at every event rate", arguments: [6, 12, 60, 100, 500])
    func velocity(_ rate: Int) {
        var script = Script(over: (1000, 50000))
        script.touch(.began, 100, 400)
        for step in 1...rate {
            let t = 0.5 * Double(step) / Double(rate)
            script.act { $0.advance(to: t) }
            script.touch(.moved, 100, 400 - 400 * t)
        }
        script.touch(.ended, 100, 200)
        guard case .willEndDragging(let velocity, _) = script.log.dropLast(2).last else {
            Issue.record("no end of the drag in \(script.names)")
            return
        }
        #expect(velocity.y.isClose(to: 0.4))
    }

    @Test("into an edge ends in its spring at the edge")
    func edgeSpring() {
        var script = Script()
        script.drag(from: (100, 400), to: (100, 100), seconds: 0.1)
        var furthest = 0.0
        for _ in 0..<400 {
            script.wait(0.01)
            furthest = max(furthest, script.view.contentOffset.y)
        }
        #expect(furthest > 550 && furthest < 700)
        #expect(script.view.contentOffset == Point(x: 0, y: 540))
        #expect(!script.view.isDecelerating)
    }

    @Test("without bounces stops at the edge")
    func noBounce() {
        var script = Script { $0.bounces = false }
        script.drag(from: (100, 100), to: (100, 200), seconds: 0.1, lifts: false)
        #expect(script.view.contentOffset == .zero)
        script.touch(.ended, 100, 200)
        #expect(script.log.last == .didEndDragging(willDecelerate: false))
    }

    @Test("does not drag content that fits, unless it always bounces")
    func fits() {
        var script = Script(over: (100, 1000))
        script.drag(from: (100, 100), to: (200, 80), seconds: 1, pause: 0.2)
        #expect(script.view.contentOffset == Point(x: 0, y: 20))
        script = Script(over: (100, 100))
        script.drag(from: (100, 100), to: (200, 80), seconds: 1, pause: 0.2)
        #expect(script.log.isEmpty)
        script = Script(over: (100, 100)) { $0.alwaysBounceVertical = true }
        script.drag(from: (100, 100), to: (200, 80), seconds: 1, lifts: false)
        #expect(script.view.contentOffset.x == 0 && script.view.contentOffset.y > 0)
    }

    @Test("locked to a direction stays on it, diagonal or not")
    func lock() {
        var script = Script { $0.isDirectionalLockEnabled = true }
        script.drag(from: (300, 300), to: (200, 280), seconds: 1, pause: 0.2)
        #expect(script.view.contentOffset == Point(x: 100, y: 0))
        script.drag(from: (300, 300), to: (200, 220), seconds: 1, pause: 0.2)
        #expect(script.view.contentOffset == Point(x: 200, y: 80))
    }

    @Test(
        "turns pages",
        arguments: [
            (start: 0.0, dx: -159.0, flick: false, page: 0.0), (0, -160, false, 320), (0, -161, false, 320),
            (0, -40, true, 320), (320, 40, true, 0), (320, 160, false, 0), (320, -40, true, 640),
            (640, -15, false, 640), (640, -25, false, 680), (640, -35, true, 680), (680, 10, false, 680),
            (680, 40, true, 640),
            (0, -300, true, 320),
        ])
    func paging(_ start: Double, _ dx: Double, _ flick: Bool, _ page: Double) {
        var script = Script { $0.isPagingEnabled = true }
        script.view.setContentOffset(Point(x: start, y: 0))
        let from = dx < 0 ? 310.0 : 10
        script.drag(
            from: (from, 100), to: (from + dx, 100), seconds: flick ? 0.05 : 1, pause: flick ? 0 : 0.2)
        script.wait(5, steps: 20)
        #expect(script.view.contentOffset == Point(x: page, y: 0))
    }

    @Test("with two fingers keeps the content under them")
    func pinchAnchor() {
        var script = Script(over: (4000, 4000), zoom: 0.1...8)
        script.view.setContentOffset(Point(x: 1000, y: 1000))
        script.touch(.began, (100, 100), (200, 100))
        let under = script.view.convert(Point<ViewSpace>(x: 150, y: 100), to: ImageSpace.self)
        script.touch(.moved, (120, 200), (320, 200))
        let now = script.view.convert(under, to: ViewSpace.self)
        #expect(now.x.isClose(to: 220) && now.y.isClose(to: 200))
        #expect(script.view.zoomScale == 2)
    }

    @Test("of taps zooms in, out, and with one finger")
    func taps() {
        var script = Script(zoom: 1...4)
        for _ in 0..<2 {
            script.touch(.began, 100, 100)
            script.touch(.ended, 100, 100)
            script.wait(0.1)
        }
        script.wait(1)
        #expect(script.view.zoomScale == 2)
        script.touch(.began, (100, 100), (200, 100))
        script.touch(.ended, (100, 100), (200, 100))
        script.wait(1)
        #expect(script.view.zoomScale == 1)
        script.touch(.began, 100, 100)
        script.touch(.ended, 100, 100)
        script.wait(0.1)
        script.touch(.began, 100, 100)
        script.touch(.moved, 100, 228)
        #expect(script.view.zoomScale.isClose(to: 2) && script.view.isZooming)
        script.touch(.ended, 100, 228)
        #expect(script.log.last == .didEndZooming(atScale: script.view.zoomScale))
    }

    @Test("of the wheel scrolls within range and zooms at the pointer")
    func wheel() {
        var script = Script(zoom: 1...4)
        script.act { $0.wheel(dx: 10, dy: 9999, at: .zero) }
        #expect(script.view.contentOffset == Point(x: 10, y: 540))
        script.view.setContentOffset(Point(x: 100, y: 100))
        script.act { $0.wheel(dx: 0, dy: -500, at: Point(x: 50, y: 60), zooms: true) }
        #expect(script.view.zoomScale.isClose(to: 2))
        #expect(script.view.contentOffset.x.isClose(to: 250) && script.view.contentOffset.y.isClose(to: 260))
    }

    @Test("of a wheel with notches adds up while the content moves")
    func notches() {
        var scrolling = Script(zoom: 1...4)
        var zooming = scrolling
        for _ in 0..<3 {
            scrolling.act { $0.wheel(dx: 0, dy: 100, at: .zero, animated: .standard) }
            scrolling.wait(0.05)
            zooming.act { $0.wheel(dx: 0, dy: -250, at: .zero, zooms: true, animated: .standard) }
            zooming.wait(0.05)
        }
        #expect(scrolling.view.contentOffset.y < 300 && zooming.view.zoomScale < 2.8)
        scrolling.wait(1)
        zooming.wait(1)
        #expect(scrolling.view.contentOffset == Point(x: 0, y: 300))
        #expect(zooming.view.zoomScale.isClose(to: 2 * 2.squareRoot()))
    }
}
