import ScrollModel
import TestSupport
import Testing
import ViewportControl
import ViewportGeometry

/// A delegate that records its calls, and answers as it is told.
@MainActor
private final class Recorder: ScrollViewDelegate {
    let name: String
    let log: Calls
    var zoomingView: View?
    var agrees = true
    var retarget: ((Point<ContentSpace>) -> Point<ContentSpace>)?
    var onScroll: (() -> Void)?

    init(_ name: String, _ log: Calls) { (self.name, self.log) = (name, log) }

    func scrollViewDidScroll(_ scrollView: DelegatedScrollView) {
        log.add("\(name) didScroll")
        onScroll?()
    }
    func scrollViewWillEndDragging(
        _ scrollView: DelegatedScrollView, withVelocity velocity: Velocity,
        targetContentOffset: inout Point<ContentSpace>
    ) {
        log.add("\(name) willEndDragging \(targetContentOffset.y)")
        targetContentOffset = retarget?(targetContentOffset) ?? targetContentOffset
    }
    func scrollViewDidEndDragging(_ scrollView: DelegatedScrollView, willDecelerate decelerate: Bool) {
        log.add("\(name) didEndDragging \(decelerate)")
    }
    func viewForZooming(in scrollView: DelegatedScrollView) -> View? {
        log.add("\(name) viewForZooming")
        return zoomingView
    }
    func scrollViewWillBeginZooming(_ scrollView: DelegatedScrollView, with view: View?) {
        log.add("\(name) willBeginZooming \(view === zoomingView)")
    }
    func scrollViewShouldScrollToTop(_ scrollView: DelegatedScrollView) -> Bool {
        log.add("\(name) shouldScrollToTop")
        return agrees
    }
    func scrollView(_ scrollView: DelegatedScrollView, didReachEdge edge: RectEdge) {
        log.add("\(name) didReachEdge \(edge)")
    }
}

@MainActor
private final class Calls {
    private(set) var calls: [String] = []
    func add(_ call: String) { calls.append(call) }
    func take() -> [String] {
        defer { calls = [] }
        return calls
    }
}

private func touch(_ y: Double) -> Touch { Touch(id: 1, location: Point(x: 50, y: y)) }

/// A list of 100 x 1000 points in a view of 100 x 200.
@MainActor
private func makeList(height: Double = 1000) -> DelegatedScrollView {
    DelegatedScrollView(
        ScrollView(bounds: Size(width: 100, height: 200), viewSize: Size(width: 100, height: height)))
}

@Suite("A relay of delegates")
@MainActor
struct DelegateRelayTests {
    @Test("calls its delegates in order, once each, and not those that are gone")
    func order() {
        let (log, list) = (Calls(), makeList())
        let (a, b) = (Recorder("a", log), Recorder("b", log))
        var gone: Recorder? = Recorder("gone", log)
        let relay = DelegateRelay(a, b, a, gone!)
        relay.add(relay)
        #expect(relay.delegates.count == 3)
        list.delegate = relay
        gone = nil
        list.perform { $0.setContentOffset(Point(x: 0, y: 10)) }
        #expect(log.take() == ["a didScroll", "b didScroll"])
        relay.remove(a)
        list.perform { $0.setContentOffset(Point(x: 0, y: 20)) }
        #expect(log.take() == ["b didScroll"])
        list.delegate = nil
        list.perform { $0.setContentOffset(Point(x: 0, y: 30)) }
        #expect(log.take().isEmpty && list.model.contentOffset.y == 30)
    }

    @Test("gets the events of the view's own operations, whose results can be read from the view")
    func ownOperations() {
        let (log, list) = (Calls(), makeList())
        let recorder = Recorder("a", log)
        list.delegate = recorder
        list.setContentOffset(Point(x: 0, y: 10), animated: false)
        #expect(log.take() == ["a didScroll"] && list.contentOffset.y == 10 && !list.isAnimating)
        list.setContentOffset(Point(x: 0, y: 20), animated: true)
        #expect(list.isAnimating && list.contentOffset.y == 10)
        list.perform { $0.advance(to: 1) }
        #expect(log.take() == ["a didScroll"] && list.contentOffset == list.model.contentOffset)
        list.contentOffset = Point(x: 0, y: 30)
        #expect(log.take() == ["a didScroll"] && list.model.contentOffset.y == 30)
        list.bounces = false
        #expect(!list.model.bouncesVertically && log.take().isEmpty)
    }

    @Test("holds its delegates weakly, and the view its relay")
    func weakly() {
        let list = makeList()
        weak var relay: DelegateRelay?
        weak var delegate: Recorder?
        do {
            let (made, recorder) = (DelegateRelay(), Recorder("a", Calls()))
            made.add(recorder)
            list.delegate = made
            (relay, delegate) = (made, recorder)
            #expect(list.delegate != nil)
        }
        #expect(relay == nil && delegate == nil && list.delegate == nil)
    }

    @Test("returns the first view for zooming that is not nil, without asking the rest")
    func zooming() {
        let (log, list) = (Calls(), makeList())
        let (a, b, c) = (Recorder("a", log), Recorder("b", log), Recorder("c", log))
        (b.zoomingView, c.zoomingView) = (View(), View())
        let relay = DelegateRelay(a, b, c)
        #expect(relay.viewForZooming(in: list) === b.zoomingView)
        #expect(log.take() == ["a viewForZooming", "b viewForZooming"])
        #expect(DelegateRelay(a).viewForZooming(in: list) == nil)
        #expect(DelegateRelay().viewForZooming(in: list) == nil)
    }

    @Test(
        "scrolls to the top only if all agree, and asks all",
        arguments: [[true, true], [false, true], [true, false], []])
    func scrollsToTop(_ answers: [Bool]) {
        let (log, list) = (Calls(), makeList())
        let recorders = answers.enumerated().map { index, answer in
            let recorder = Recorder("\(index)", log)
            recorder.agrees = answer
            return recorder
        }
        let relay = DelegateRelay()
        for recorder in recorders { relay.add(recorder) }
        list.delegate = relay
        list.perform { $0.setContentOffset(Point(x: 0, y: 100)) }
        _ = log.take()
        let events = list.statusBarTap(animated: nil)
        #expect(log.take().count { $0.hasSuffix("shouldScrollToTop") } == answers.count)
        #expect((list.model.contentOffset.y == 0) == answers.allSatisfy { $0 })
        #expect(events.first == .shouldScrollToTop)
        // At the top nobody is asked.
        list.perform { $0.setContentOffset(.zero) }
        _ = log.take()
        #expect(list.statusBarTap(animated: nil).isEmpty && log.take().isEmpty)
    }

    /// Drags the content up by 60 points and lets it go at speed.
    private func flick(_ list: DelegatedScrollView) -> ScrollEvents {
        list.touches(touch(150), phase: .began)
        for step in 1...6 {
            list.perform { $0.advance(to: Double(step) / 60) }
            list.touches(touch(150 - 10 * Double(step)), phase: .moved)
        }
        return list.touches(touch(90), phase: .ended)
    }

    @Test("passes the target of a drag from one delegate to the next, and the content comes to rest there")
    func target() {
        let (log, list) = (Calls(), makeList())
        let (a, b) = (Recorder("a", log), Recorder("b", log))
        a.retarget = { _ in Point(x: 0, y: 300) }
        b.retarget = { Point(x: $0.x, y: $0.y + 100) }
        let relay = DelegateRelay(a, b)
        list.delegate = relay
        _ = flick(list)
        let calls = log.take().filter { !$0.hasSuffix("didScroll") }
        #expect(calls.count == 4)
        #expect(calls[1...] == ["b willEndDragging 300.0", "a didEndDragging true", "b didEndDragging true"])
        list.perform { $0.advance(by: 60) }
        #expect(list.model.contentOffset.y == 400)
    }

    @Test("without delegates leaves a drag as the plain model performs it")
    func plain() {
        let (list, other) = (makeList(), makeList())
        list.delegate = DelegateRelay()
        let (events, others) = (flick(list), flick(other))
        #expect(Array(events) == Array(others) && list.model == other.model)
    }

    @Test("lets an operation during willEndDragging replace the target")
    func reentrant() {
        let (log, list) = (Calls(), makeList())
        let a = Recorder("a", log)
        a.retarget = { [unowned list] _ in
            list.perform { $0.setContentOffset(Point(x: 0, y: 555)) }
            return Point(x: 0, y: 100)
        }
        list.delegate = a
        _ = flick(list)
        list.perform { $0.advance(by: 60) }
        #expect(list.model.contentOffset.y == 555)
    }

    @Test(
        "forwards the same calls as a plain list would, over random operations",
        arguments: 0..<20 as Range<UInt64>)
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (log, list, relay) = (Calls(), makeList(), DelegateRelay())
        let all = (0..<6).map { Recorder("\($0)", log) }
        var expected: [Int] = []
        var target = 0.0
        list.delegate = relay
        for _ in 0..<200 {
            let index = Int(random.next() % 6)
            switch random.next() % 5 {
            case 0:
                relay.add(all[index])
                if !expected.contains(index) { expected.append(index) }
            case 1:
                relay.remove(all[index])
                expected.removeAll { $0 == index }
            case 2 where !expected.isEmpty:
                // During the call, the first delegate removes another or itself, and adds a third.
                let (first, removed) = (expected[0], index)
                let added = (removed + 1 + Int(random.next() % 5)) % 6
                all[first].onScroll = {
                    relay.remove(all[removed])
                    relay.add(all[added])
                    all[first].onScroll = nil
                }
                let called = expected.filter { $0 == first || $0 != removed }
                expected.removeAll { $0 == removed }
                if !expected.contains(added) { expected.append(added) }
                target = target == 100 ? 200 : 100
                list.perform { $0.setContentOffset(Point(x: 0, y: target)) }
                #expect(log.take() == called.map { "\($0) didScroll" })
            default:
                target = target == 100 ? 200 : 100
                list.perform { $0.setContentOffset(Point(x: 0, y: target)) }
                #expect(log.take() == expected.map { "\($0) didScroll" })
            }
            #expect(relay.delegates.compactMap { ($0 as? Recorder)?.name } == expected.map { "\($0)" })
        }
    }
}

@Suite("A delegated scroll view")
@MainActor
struct DelegatedScrollViewTests {
    @Test("reports an edge once per arrival, and again after content was added there")
    func edges() {
        let (list, relay) = (makeList(), DelegateRelay())
        var arrivals = 0
        relay.onReachBottom = { _ in arrivals += 1 }
        list.delegate = relay
        for _ in 0..<3 { list.perform { $0.setContentOffset(Point(x: 0, y: 800)) } }
        #expect(arrivals == 1)
        list.perform { $0.setContentOffset(Point(x: 0, y: 700)) }
        list.perform { $0.setContentOffset(Point(x: 0, y: 800)) }
        #expect(arrivals == 2)
        list.addContent(500, at: .bottom)
        #expect(arrivals == 2 && list.model.contentOffset.y == 800)
        list.perform { $0.setContentOffset(Point(x: 0, y: 1300)) }
        #expect(arrivals == 3)
    }

    @Test("loads more whenever a closure adds content at the bottom")
    func endless() {
        let (list, relay) = (makeList(), DelegateRelay())
        relay.onReachBottom = { $0.addContent(300, at: .bottom) }
        list.delegate = relay
        for _ in 0..<5 { list.perform { $0.press(.end) } }
        #expect(list.model.viewSize.height == 2500)
        #expect(list.model.contentOffset.y == 2000)
    }

    nonisolated static let growths: [(reversed: Bool, edge: RectEdge, length: Double, moves: Double)] = [
        (false, .top, 300, 300), (false, .bottom, 300, 0), (true, .top, 300, 300), (true, .bottom, 300, 0),
        (false, .top, -100, -100), (true, .top, -100, -100), (false, .bottom, -100, 0),
    ]

    @Test("grows at either edge without moving what is seen, also reversed and zoomed", arguments: growths)
    func growth(reversed: Bool, edge: RectEdge, length: Double, moves: Double) {
        for scale in [1.0, 2] {
            let list = makeList()
            list.perform { $0.setZoomLimits(minimum: 0.5, maximum: 4) }
            list.perform { $0.setReversed(reversed) }
            list.perform { $0.setZoomScale(scale) }
            list.perform { $0.setContentOffset(Point(x: 0, y: 400)) }
            let height = list.model.viewSize.height
            list.addContent(length, at: edge)
            #expect(list.model.contentOffset.y == 400 + moves)
            #expect(list.model.viewSize.height == height + length / scale)
        }
    }

    @Test("ignores content of an impossible length", arguments: [Double.nan, .infinity, -.infinity])
    func impossible(_ length: Double) {
        let list = makeList()
        let before = list.model
        #expect(list.addContent(length, at: .top).isEmpty && list.model == before)
    }

    @Test("removes no more content than there is")
    func removal() {
        let list = makeList()
        list.addContent(-5000, at: .top)
        #expect(list.model.viewSize.height == 0 && list.model.contentOffset.y == 0)
    }

    @Test("continues a deceleration while content is added at the top")
    func decelerating() {
        let (list, other) = (makeList(height: 100_000), makeList(height: 100_000))
        for view in [list, other] {
            view.perform { $0.setContentOffset(Point(x: 0, y: 5000)) }
            view.touches(touch(150), phase: .began)
            view.perform { $0.advance(to: 0.05) }
            view.touches(touch(50), phase: .moved)
            view.touches(touch(50), phase: .ended)
            view.perform { $0.advance(to: 0.2) }
        }
        list.addContent(700, at: .top)
        #expect(list.model.isDecelerating)
        for view in [list, other] { view.perform { $0.advance(to: 20) } }
        #expect(abs(list.model.contentOffset.y - other.model.contentOffset.y - 700) < 1)
    }

    @Test("gives its events to readers, the newest ones to slow readers, and ends with the view")
    func streams() async {
        var list: DelegatedScrollView? = makeList()
        let (all, few) = (list!.events(), list!.events(buffering: 2))
        for y in 1...5 { list?.perform { $0.setContentOffset(Point(x: 0, y: Double(y))) } }
        list?.perform { $0.setContentOffset(Point(x: 0, y: 800)) }
        list = nil
        var (events, last): ([ScrollEvent], [ScrollEvent]) = ([], [])
        for await event in all { events.append(event) }
        for await event in few { last.append(event) }
        #expect(events == Array(repeating: .didScroll, count: 6) + [.reachedEdge(.bottom)])
        #expect(last == [.didScroll, .reachedEdge(.bottom)])
    }

    @Test("delivers the events of a model that something else owns")
    func received() {
        let (log, list) = (Calls(), makeList())
        let delegate = Recorder("a", log)
        list.delegate = delegate
        var model = ScrollView(
            bounds: Size(width: 100, height: 200), viewSize: Size(width: 100, height: 1000))
        list.receive(model.setContentOffset(Point(x: 0, y: 800)), from: model)
        #expect(log.take() == ["a didScroll", "a didReachEdge bottom"] && list.model == model)
    }

    @Test("takes the size of its frame when it is laid out")
    func layout() {
        let (controller, list) = (ViewController(), makeList())
        controller.view = list
        let window = Window(size: Size(width: 300, height: 500), root: controller)
        window.show()
        window.update()
        #expect(list.model.bounds == Size(width: 300, height: 500))
    }
}
