public import ViewportGeometry

/// A scroll view as a value: what is visible, what moves it, and nothing of how it is drawn.
///
/// It behaves as UIScrollView is documented to, with three differences that everything else follows from:
/// time is an argument, never read from a clock; every operation returns the events it caused; and motion is
/// in closed form, so any number of steps ends at the same place. Sizes are points; zoomScale is view points
/// per image point. Input that is not a finite number changes nothing and causes no event: no operation
/// traps, none leaves a NaN behind.
public struct ScrollView: Equatable, Sendable {
    /// Sizes, insets, limits, scale and offset; it guards its numbers itself.
    var geometry: ContentGeometry
    /// What the fingers are doing; it guards its own state.
    var gesture = TouchGesture()
    /// What moves the content by itself.
    private(set) var motion = Motion.none
    /// The edges of the range that the offset is at.
    private var edges: UInt8 = 0
    /// What the last operation was asked for, and what came of it.
    var explanation = Explanation()
    /// The time that `advance(to:)` has reached, in seconds; what happens, happens now.
    public private(set) var time = 0.0

    /// Whether the content may be pulled beyond its left and right edges.
    ///
    /// Content turned by anything but quarters bounces only if this and ``bouncesVertically`` are true.
    public var bouncesHorizontally = true
    /// Whether the content may be pulled beyond its top and bottom edges.
    public var bouncesVertically = true
    /// Whether the zoom may be pulled beyond its limits.
    public var bouncesZoom = true
    /// Whether the content rests at multiples of the bounds.
    public var isPagingEnabled = false
    /// Whether a drag that starts along one axis stays on it.
    public var isDirectionalLockEnabled = false
    /// Whether fingers, wheel, keys and the status bar scroll.
    public var isScrollEnabled = true
    /// Whether a tap on the status bar scrolls to the top: see ``statusBarTap(animated:shouldScrollToTop:)``.
    public var scrollsToTop = true
    /// The rate at which a flick loses its velocity.
    public var decelerationRate = DecelerationRate.normal

    /// Makes a scroll view of the size `bounds` over content of the size `viewSize`, at zoom 1 and its
    /// top-left corner.
    ///
    /// A size that is negative or not finite counts as zero; one above 1e12 points counts as that.
    public init(bounds: Size<ViewSpace>, viewSize: Size<ImageSpace>) {
        geometry = ContentGeometry(bounds: bounds, viewSize: viewSize)
        geometry.setOffset(range.clamped(contentOffset))
        edges = edgesReached
        explanation = Explanation(self)
    }

    /// Whether the content may be pulled beyond its edges; setting it sets both axes, as in UIKit.
    ///
    /// It is true if ``bouncesHorizontally`` and ``bouncesVertically`` are.
    public var bounces: Bool {
        get { bouncesHorizontally && bouncesVertically }
        set { (bouncesHorizontally, bouncesVertically) = (newValue, newValue) }
    }
}

/// How every operation changes the state and finds out which events that causes.
extension ScrollView {
    /// A scale and the offset that holds at it.
    struct Placement: Equatable, Sendable {
        var scale: Double
        var offset: Point<ContentSpace>
    }

    /// The present scale and offset.
    var placement: Placement { Placement(scale: zoomScale, offset: contentOffset) }

    /// What is compared to know whether anything changed.
    struct Snapshot {
        let placement: Placement
        let insets: EdgeInsets
    }

    var snapshot: Snapshot {
        @inline(never) get { Snapshot(placement: placement, insets: geometry.insets(at: zoomScale)) }
    }

    /// Adds the events of what changed since a snapshot: insets, offset, scale, and edges that were reached.
    @inline(never)
    mutating func noteChanges(since old: Snapshot, in events: inout ScrollEvents) {
        if geometry.insets(at: zoomScale) != old.insets { events.append(.didChangeAdjustedContentInset) }
        if contentOffset != old.placement.offset { events.append(.didScroll) }
        if zoomScale != old.placement.scale { events.append(.didZoom) }
        let now = edgesReached
        guard now != edges else { return }
        let arrived = now & ~edges
        edges = now
        guard arrived != 0 else { return }
        for bit in 0..<UInt8(4) where arrived & (1 << bit) != 0 {
            if let edge = RectEdge(rawValue: bit) { events.append(.reachedEdge(edge)) }
        }
    }

    /// The edges that the offset is at or beyond; none along an axis that has nothing to scroll.
    private var edgesReached: UInt8 {
        let range = range
        let (a, b) = range.axes(contentOffset)
        var edges: UInt8 = 0
        // Half a thousandth of a point: resting offsets of springs come this near and no nearer.
        if !range.second.isPoint {
            if b <= range.second.lower + 5e-4 { edges |= 1 << RectEdge.top.rawValue }
            if b >= range.second.upper - 5e-4 { edges |= 1 << RectEdge.bottom.rawValue }
        }
        if !range.first.isPoint {
            if a <= range.first.lower + 5e-4 { edges |= 1 << RectEdge.left.rawValue }
            if a >= range.first.upper - 5e-4 { edges |= 1 << RectEdge.right.rawValue }
        }
        return edges
    }

    /// Does what a program asks for: ends what moves the content, changes it, and lets the fingers go on from
    /// there.
    mutating func perform(_ events: inout ScrollEvents, _ change: (inout Self) -> Void) {
        let before = beginChanging(&events)
        change(&self)
        endChanging(before, &events)
    }

    // Not inlined, as those below: every operation would carry a copy of them to the browser.
    @inline(never)
    private mutating func beginChanging(_ events: inout ScrollEvents) -> Snapshot {
        interrupt(&events)
        return snapshot
    }

    @inline(never)
    private mutating func endChanging(_ before: Snapshot, _ events: inout ScrollEvents) {
        noteChanges(since: before, in: &events)
        rebaseGesture()
    }

    /// Does what changes the range under the content.
    ///
    /// An animation arrives first. A drag goes on from where the content is then, and a deceleration goes on
    /// with its velocity into the new range, without an event.
    mutating func rearrange(_ change: (inout Self) -> Void) -> ScrollEvents {
        var events = ScrollEvents()
        let (before, velocity) = beginRearranging(&events)
        change(&self)
        endRearranging(before, velocity, &events)
        return events
    }

    @inline(never)
    private mutating func beginRearranging(_ events: inout ScrollEvents) -> (Snapshot, Velocity) {
        arrive(&events)
        explanation = Explanation(self)
        return (snapshot, velocity)
    }

    @inline(never)
    private mutating func endRearranging(
        _ before: Snapshot, _ velocity: Velocity, _ events: inout ScrollEvents
    ) {
        noteChanges(since: before, in: &events)
        if isDecelerating {
            let deceleration = deceleration(from: velocity, paging: isPagingEnabled)
            if deceleration.duration > 0 || deceleration.rest != contentOffset {
                begin(.deceleration(deceleration))
            } else {
                begin(.none)
                events.append(.didEndDecelerating)
            }
        }
        rebaseGesture()
    }

    /// Replaces what moves the content; the events of the old motion are the caller's.
    @inline(never)
    mutating func begin(_ new: Motion) { motion = new }

    /// Lets time pass without moving anything; false if it has passed already.
    mutating func pass(to time: Double) -> Bool {
        guard time > self.time, time.isFinite else { return false }
        self.time = time
        return true
    }

    /// Goes to a placement at once.
    mutating func jump(to goal: Placement?) {
        guard let goal else { return }
        geometry.setScale(goal.scale)
        geometry.setOffset(goal.offset)
    }

    /// Moves to an offset, taken into range unless fingers or a bounce hold it beyond.
    @inline(never)
    mutating func keepOrMoveInRange(_ asked: Point<ContentSpace>) {
        guard isDragging || isZooming || isDecelerating else { return moveInRange(asked) }
        geometry.setOffset(asked)
        explanation.setOffset(asked: contentOffset, got: contentOffset)
        explanation.setScale(got: zoomScale)
    }

    /// Moves to an offset as near to the one asked for as the range lets it, and explains it.
    @inline(never)
    mutating func moveInRange(_ asked: Point<ContentSpace>) {
        let got = range.clamped(asked)
        explanation.setOffset(asked: asked, got: got)
        explanation.setScale(got: zoomScale)
        geometry.setOffset(got)
    }

    /// A scale taken into the limits, which it notes where it hits them.
    @inline(never)
    mutating func limitedScale(_ asked: Double) -> Double {
        explanation = Explanation(self)
        explanation.setScale(asked: asked, minimum: minimumZoomScale, maximum: maximumZoomScale)
        return min(max(asked, minimumZoomScale), maximumZoomScale)
    }

    /// Takes the place of a state in motion: at rest, with no finger on it.
    mutating func settleQuietly() {
        gesture = TouchGesture()
        if case .deceleration(let deceleration) = motion {
            geometry.setOffset(deceleration.rest)
            motion = .none
        }
        var events = ScrollEvents()
        arrive(&events)
        edges = edgesReached
    }
}

#if !hasFeature(Embedded)
extension ScrollView.Placement: Codable {}

extension ScrollView {
    /// What of a coded scroll view no operation sets.
    struct Course: Codable {
        var time: Double
        var motion: Motion
        var gesture: TouchGesture
        var edges: UInt8
        var explanation: Explanation
    }

    var course: Course {
        get {
            Course(
                time: time, motion: motion, gesture: gesture, edges: edges, explanation: explanation)
        }
        set {
            time = newValue.time.isFinite ? newValue.time : 0
            motion = newValue.motion
            gesture = newValue.gesture
            edges = newValue.edges
            explanation = newValue.explanation
        }
    }
}
#endif
