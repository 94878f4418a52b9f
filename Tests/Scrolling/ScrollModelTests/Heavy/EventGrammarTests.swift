import ScrollModel
import Testing
import ViewportGeometry

@Suite("The log of events")
struct EventGrammarTests {
    @Test("of a flick has UIScrollView's order")
    func flick() throws {
        var script = Script(over: (1000, 5000))
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.1)
        script.wait(5, steps: 50)
        let grammar = try Regex(
            "willBeginDragging( didScroll)+ willEndDragging didEndDragging willBeginDecelerating( didScroll)+"
                + " didEndDecelerating")
        #expect(script.names.wholeMatch(of: grammar) != nil, "\(script.names)")
        #expect(script.log.contains(.didEndDragging(willDecelerate: true)))
    }

    @Test("of a drag without a flick ends with the finger")
    func drag() throws {
        var script = Script()
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.5, pause: 0.2)
        script.wait(1)
        #expect(script.runs == "willBeginDragging didScroll willEndDragging didEndDragging")
        #expect(script.log.last == .didEndDragging(willDecelerate: false))
        #expect(script.view.contentOffset == Point(x: 0, y: 100))
    }

    @Test("reports the velocity in points per millisecond and a target that is then reached")
    func target() throws {
        var script = Script(over: (1000, 5000))
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.1)
        var told: (Velocity, Point<ContentSpace>)?
        for case .willEndDragging(let velocity, let target) in script.log { told = (velocity, target) }
        let (velocity, target) = try #require(told)
        #expect(velocity.y.isClose(to: 1) && velocity.x == 0)
        #expect(target.y.isClose(to: 599.5, 1e-6))
        #expect(script.view.projectedRestingState.contentOffset == target)
        script.wait(3.4)
        #expect(script.view.isDecelerating)
        script.wait(0.06)
        #expect(!script.view.isDecelerating)
        #expect(script.view.contentOffset == target)
    }

    @Test("lets the program change the target within the range")
    func edited() {
        var script = Script(over: (1000, 5000))
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.1, lifts: false)
        script.act {
            $0.touches(Touch(id: 1, location: Point(x: 100, y: 300)), phase: .ended) { _, target in
                target.y = 1000
            }
        }
        script.wait(20, steps: 40)
        #expect(script.view.contentOffset == Point(x: 0, y: 1000))
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.1, lifts: false)
        script.act {
            $0.touches(Touch(id: 1, location: Point(x: 100, y: 300)), phase: .ended) { _, target in
                target.y = 1100
            }
        }
        #expect(script.log.last == .didEndDragging(willDecelerate: false))
        #expect(script.view.contentOffset == Point(x: 0, y: 1100))
    }

    @Test("of an interrupted deceleration ends it before the next drag")
    func interrupted() {
        var script = Script(over: (1000, 9000))
        script.drag(from: (100, 400), to: (100, 300), seconds: 0.1)
        script.wait(0.3, steps: 3)
        script.drag(from: (100, 400), to: (100, 390), seconds: 0.2, pause: 0.2)
        #expect(
            script.runs
                == "willBeginDragging didScroll willEndDragging didEndDragging willBeginDecelerating didScroll "
                + "didEndDecelerating willBeginDragging didScroll willEndDragging didEndDragging")
    }

    @Test("of a pinch beyond the limit ends after the bounce, at the limit")
    func pinch() throws {
        var script = Script(zoom: 1...2)
        script.touch(.began, (150, 200), (170, 200))
        for step in 1...10 {
            script.wait(0.02)
            script.touch(.moved, (150 - Double(step) * 5, 200), (170 + Double(step) * 5, 200))
        }
        #expect(script.view.isZooming && script.view.zoomScale > 2)
        script.touch(.ended, (100, 200), (220, 200))
        #expect(script.view.isZoomBouncing && !script.view.isZooming)
        script.wait(3, steps: 30)
        let grammar = try Regex(
            "willBeginZooming( didScroll didZoom)+( reachedEdge)*( didScroll didZoom)+( reachedEdge)* didEndZooming"
        )
        #expect(script.names.wholeMatch(of: grammar) != nil, "\(script.names)")
        #expect(script.log.last == .didEndZooming(atScale: 2))
        #expect(script.view.zoomScale == 2)
    }

    @Test("of animated changes ends with the animation")
    func animated() {
        var script = Script(zoom: 1...4)
        script.act { $0.setContentOffset(Point(x: 100, y: 100), animated: .standard) }
        #expect(script.log.isEmpty && script.view.isAnimating)
        script.wait(1, steps: 20)
        #expect(script.runs == "didScroll didEndScrollingAnimation")
        #expect(script.view.contentOffset == Point(x: 100, y: 100))
        script.log = []
        script.act { $0.setZoomScale(2, animated: .standard) }
        script.wait(1, steps: 1)
        #expect(script.names == "willBeginZooming didScroll didZoom didEndScrollingAnimation didEndZooming")
        script.log = []
        script.act { $0.setZoomScale(2, animated: .standard) }
        script.act { $0.setContentOffset($0.contentOffset, animated: .standard) }
        #expect(script.log.isEmpty)
    }

    @Test("of immediate changes is one didScroll if anything moved")
    func instant() {
        var script = Script()
        script.act { $0.setContentOffset(Point(x: 10, y: 10)) }
        #expect(script.names == "didScroll")
        script.act { $0.setContentInset(EdgeInsets(top: 10)) }
        #expect(script.names == "didScroll didChangeAdjustedContentInset")
    }

    @Test("reports an edge once per arrival")
    func edges() {
        var script = Script()
        for y in [300.0, 540, 600, 540, 500, 540] { script.act { $0.setContentOffset(Point(x: 5, y: y)) } }
        #expect(script.log.filter { $0 == .reachedEdge(.bottom) }.count == 2)
        script.act { $0.setContentSize(Size(width: 1000, height: 2000)) }
        script.act { $0.setContentOffset(Point(x: 5, y: 1540)) }
        #expect(script.log.filter { $0 == .reachedEdge(.bottom) }.count == 3)
    }
}
