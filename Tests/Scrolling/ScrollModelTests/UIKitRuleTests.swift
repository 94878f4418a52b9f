import Foundation
import ScrollModel
import Testing
import ViewportGeometry

/// Rules of UIScrollView's documentation and headers for properties added in later versions.
@Suite("As UIScrollView documents it,")
struct UIKitRuleTests {
    @Test("setting bounces sets both axes, and it is true if both are")
    func bouncesSetsBoth() {
        var view = Script().view
        #expect(view.bounces && view.bouncesHorizontally && view.bouncesVertically)
        view.bouncesHorizontally = false
        #expect(!view.bounces && view.bouncesVertically)
        view.bounces = true
        #expect(view.bouncesHorizontally)
        view.bounces = false
        #expect(!view.bouncesHorizontally && !view.bouncesVertically)
    }

    @Test("an axis that does not bounce stops at its edge", arguments: [true, false])
    func bouncesPerAxis(_ horizontally: Bool) {
        var script = Script {
            $0.bouncesHorizontally = horizontally
            $0.bouncesVertically = !horizontally
        }
        script.drag(from: (100, 100), to: (200, 200), seconds: 1, lifts: false)
        #expect((script.view.contentOffset.x < 0) == horizontally)
        #expect((script.view.contentOffset.y < 0) == !horizontally)
        script.touch(.ended, 200, 200)
        script.wait(3)
        #expect(script.view.contentOffset == .zero)
    }

    @Test("a flick into an edge goes beyond it only along an axis that bounces", arguments: [true, false])
    func flickPerAxis(_ vertically: Bool) {
        var script = Script { $0.bouncesVertically = vertically }
        script.drag(from: (100, 400), to: (100, 100), seconds: 0.1)
        var furthest = 0.0
        for _ in 0..<400 {
            script.wait(0.01)
            furthest = max(furthest, script.view.contentOffset.y)
        }
        #expect((furthest > 540.001) == vertically)
        #expect(script.view.contentOffset.y == 540)
    }

    @Test("content always bounces only along an axis that bounces")
    func alwaysBounces() {
        var script = Script(over: (100, 100)) {
            $0.alwaysBounceVertical = true
            $0.bouncesVertically = false
        }
        script.drag(from: (100, 100), to: (100, 200), seconds: 1)
        #expect(script.log.isEmpty)
    }

    /// A pager of ten pages whose first page was dragged to the left and let go.
    private static func flickedPager(after seconds: Double) -> ScrollView {
        var view = ScrollView(
            bounds: Size(width: 100, height: 100), viewSize: Size(width: 1000, height: 100))
        view.isPagingEnabled = true
        for (time, x, phase) in [(0, 80, .began), (0.02, 60, .moved), (0.04, 40, .moved), (0.05, 30, .ended)]
            as [(Double, Double, TouchPhase)]
        {
            view.advance(to: time)
            view.touches(Touch(id: 1, location: Point(x: x, y: 50)), phase: phase)
        }
        view.advance(to: 0.05 + seconds)
        return view
    }

    @Test(
        "stopping while paging updates the offset to a page boundary, the nearest",
        arguments: [0.001, 0.02, 0.05, 0.1, 0.2])
    func stopsOnPages(_ seconds: Double) {
        var view = Self.flickedPager(after: seconds)
        let offset = view.contentOffset.x
        #expect(view.isDecelerating && offset > 0 && offset < 100)
        let events = view.stop()
        #expect(view.contentOffset == Point(x: offset < 50 ? 0 : 100, y: 0) && !view.isMoving)
        #expect(events.map { "\($0.name)" }.contains("didEndDecelerating"))
        let rest = view.contentOffset
        view.advance(to: 9)
        #expect(view.contentOffset == rest)
    }

    @Test(
        "a drag that turns before it ends goes on in the direction of its last movement",
        arguments: [60, 120, 500], [true, false])
    func turns(_ rate: Int, _ isVertical: Bool) {
        var view = ScrollView(
            bounds: Size(width: 500, height: 500), viewSize: Size(width: 9000, height: 9000))
        view.setContentOffset(Point(x: 4000, y: 4000))
        func move(_ time: Double, _ phase: TouchPhase) {
            // 1000 points a second for 120 ms, then back at 500 for 40 ms.
            let way = time < 0.12 ? time * 1000 : 120 - (time - 0.12) * 500
            view.advance(to: time)
            let place = Point<ViewSpace>(x: isVertical ? 200 : 200 + way, y: isVertical ? 200 + way : 200)
            view.touches(Touch(id: 1, location: place), phase: phase) { velocity, _ in
                let along = isVertical ? velocity.y : velocity.x
                // Content moves against the finger; between two samples, the turn is not known exactly.
                #expect(along > 0.2 && along < 0.55, "\(along)")
            }
        }
        move(0, .began)
        for frame in 1..<(rate * 16 / 100) { move(Double(frame) / Double(rate), .moved) }
        move(0.16, .ended)
    }

    @Test("a finger that trembles as it is lifted does not stop a flick")
    func trembles() {
        var view = ScrollView(
            bounds: Size(width: 500, height: 500), viewSize: Size(width: 9000, height: 9000))
        view.setContentOffset(Point(x: 4000, y: 4000))
        for (time, x, phase) in [
            (0, 100, .began), (0.05, 150, .moved), (0.1, 200, .moved), (0.12, 199.2, .moved),
            (0.12, 199.2, .ended),
        ] as [(Double, Double, TouchPhase)] {
            view.advance(to: time)
            view.touches(Touch(id: 1, location: Point(x: x, y: 50)), phase: phase) { velocity, _ in
                #expect(velocity.x < -0.7)
            }
        }
        #expect(view.isDecelerating)
    }

    @Test("a tap on the status bar scrolls to the top and reports it")
    func statusBar() {
        var script = Script { $0.setContentInset(EdgeInsets(top: 20)) }
        script.view.setContentOffset(Point(x: 50, y: 300))
        script.act { $0.statusBarTap() }
        #expect(script.names == "shouldScrollToTop" && script.view.isAnimating)
        script.wait(1, steps: 10)
        #expect(script.runs == "shouldScrollToTop didScroll reachedEdge didScrollToTop")
        #expect(script.view.contentOffset == Point(x: 50, y: -20))
        script.log = []
        script.act { $0.statusBarTap() }
        #expect(script.log.isEmpty)
        script.view.setContentOffset(Point(x: 50, y: 300))
        script.act { $0.statusBarTap(animated: nil) }
        #expect(script.runs == "shouldScrollToTop didScroll reachedEdge didScrollToTop")
    }

    @Test("a status bar tap has no effect if it is not allowed")
    func statusBarRefused() {
        var script = Script()
        script.view.setContentOffset(Point(x: 0, y: 300))
        script.act { $0.statusBarTap { false } }
        #expect(script.names == "shouldScrollToTop" && !script.view.isAnimating)
        script.log = []
        script.view.scrollsToTop = false
        script.act { $0.statusBarTap() }
        script.view.scrollsToTop = true
        script.view.isScrollEnabled = false
        script.act { $0.statusBarTap() }
        #expect(script.log.isEmpty && script.view.contentOffset.y == 300)
    }

    @Test("a finger stops the animation to the top, which then does not arrive")
    func statusBarCaught() {
        var script = Script()
        script.view.setContentOffset(Point(x: 0, y: 300))
        script.act { $0.statusBarTap() }
        script.wait(0.1)
        script.touch(.began, 100, 100)
        script.wait(1)
        #expect(script.runs == "shouldScrollToTop didScroll didEndScrollingAnimation")
        #expect(script.view.contentOffset.y > 0 && script.view.contentOffset.y < 300)
    }

    /// The bounds are 320 x 460; the safe area is 47, 10, 34 and 20.
    static let safeArea = EdgeInsets(top: 47, left: 10, bottom: 34, right: 20)

    @Test(
        "the safe area is added at the edges of the behavior",
        arguments: [
            (ContentInsetAdjustmentBehavior.always, (100.0, 100.0), safeArea),
            (.never, (1000, 1000), .zero), (.scrollableAxes, (320, 460), .zero),
            (.scrollableAxes, (1000, 460), EdgeInsets(left: 10, right: 20)),
            (.scrollableAxes, (320, 1000), EdgeInsets(top: 47, bottom: 34)),
            (.scrollableAxes, (1000, 1000), safeArea), (.automatic, (1000, 1000), safeArea),
            (.automatic, (100, 100), .zero),
        ])
    func adjustment(
        _ behavior: ContentInsetAdjustmentBehavior, _ size: (Double, Double), _ expected: EdgeInsets
    ) {
        var view = Script(over: size).view
        view.setSafeAreaInsets(Self.safeArea)
        view.setContentInsetAdjustmentBehavior(behavior)
        #expect(view.adjustedContentInset == expected)
        view.setContentInset(EdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        #expect(
            view.adjustedContentInset == expected + EdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        #expect(view.minimumContentOffset.y == -view.adjustedContentInset.top)
    }

    @Test("an axis that always bounces counts as one that scrolls")
    func adjustmentAlwaysBounces() {
        var view = Script(over: (100, 100)).view
        view.setSafeAreaInsets(Self.safeArea)
        view.setContentInsetAdjustmentBehavior(.scrollableAxes)
        view.alwaysBounceVertical = true
        #expect(view.adjustedContentInset == EdgeInsets(top: 47, bottom: 34))
    }

    @Test("changes of the adjusted inset are reported, also by a zoom that makes an axis scroll")
    func adjustmentEvents() {
        var script = Script(over: (320, 460), zoom: 1...4)
        script.act { $0.setContentInsetAdjustmentBehavior(.scrollableAxes) }
        #expect(script.log.isEmpty)
        script.act { $0.setSafeAreaInsets(Self.safeArea) }
        #expect(script.log.isEmpty)
        script.act { $0.setZoomScale(2) }
        #expect(script.names == "didChangeAdjustedContentInset didScroll didZoom")
        script.log = []
        script.act { $0.setContentInsetAdjustmentBehavior(.never) }
        #expect(script.log.first == .didChangeAdjustedContentInset)
        script.log = []
        script.act { $0.setSafeAreaInsets(.zero) }
        #expect(script.log.isEmpty)
    }

    @Test("the fitting scale ignores a safe area that is not added at that scale")
    func adjustmentFits() {
        var view = Script(over: (1000, 1000), zoom: 0.1...4).view
        view.setSafeAreaInsets(EdgeInsets(left: 100, right: 60))
        #expect(view.fittingZoomScale == 0.16)
        view.setContentInsetAdjustmentBehavior(.scrollableAxes)
        #expect(view.fittingZoomScale == 0.32)
        view.setZoomScale(view.fittingZoomScale)
        #expect(view.adjustedContentInset == .zero)
    }

    @Test("paging reports its target like any other drag, unlike UIScrollView")
    func pagingTellsItsTarget() {
        var script = Script { $0.isPagingEnabled = true }
        script.drag(from: (310, 100), to: (270, 100), seconds: 0.05)
        #expect(
            script.log.contains {
                if case .willEndDragging(_, let target) = $0 { target == Point(x: 320, y: 0) } else { false }
            })
    }

    @Test("limits in the wrong order have no effect, unlike in UIScrollView")
    func invertedLimits() {
        var view = Script(zoom: 1...4).view
        let before = view
        #expect(view.setZoomLimits(minimum: 3, maximum: 2).isEmpty)
        #expect(view == before)
    }

    /// Older versions wrote the same format without the newer properties.
    @Test("a scroll view coded by an older version is still decoded")
    func oldCoding() throws {
        var script = Script(over: (1000, 5000)) { $0.bounces = false }
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.1)
        let data = try JSONEncoder().encode(script.view)
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        for name in [
            "bouncesHorizontally", "bouncesVertically", "scrollsToTop", "contentInsetAdjustmentBehavior",
        ] {
            #expect(object.removeValue(forKey: name) != nil)
        }
        let old = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder().decode(ScrollView.self, from: old) == script.view)
        script.view.bouncesVertically = true
        script.view.scrollsToTop = false
        script.view.setContentInsetAdjustmentBehavior(.never)
        let new = try JSONEncoder().encode(script.view)
        #expect(try JSONDecoder().decode(ScrollView.self, from: new) == script.view)
    }
}
