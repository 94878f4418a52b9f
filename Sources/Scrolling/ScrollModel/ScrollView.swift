public import ViewportGeometry

/// A scroll view as a value type, without drawing.
///
/// It behaves as UIScrollView is documented to, with three differences: time is an argument and never read
/// from a clock; every operation returns the events it caused; and motion is in closed form, so that any
/// number of steps ends at the same state. Sizes are in points; ``zoomScale`` is view points per image point.
/// Input that is not finite changes nothing and causes no event. No operation traps or leaves a NaN.
public struct ScrollView: Equatable, Sendable {
    /// Sizes, insets, limits, scale and offset.
    var geometry: ContentGeometry
    /// The gesture of the fingers on the screen.
    var gesture = TouchGesture()
    /// The animation or deceleration in progress.
    private(set) var motion = Motion.none
    /// The edges of the range at which the offset is.
    private var edges: UInt8 = 0
    /// The request and result of the last operation.
    var explanation = Explanation()
    /// The current time, in seconds.
    ///
    /// Operations happen at this time; see ``advance(to:)``.
    public private(set) var time = 0.0

    /// Whether the content may be pulled beyond its left and right edges.
    ///
    /// Content that is not rotated by a quarter turn bounces only if ``bouncesVertically`` is true, too.
    public var bouncesHorizontally = true
    /// Whether the content may be pulled beyond its top and bottom edges.
    public var bouncesVertically = true
    /// Whether pinches may pull the scale beyond its limits.
    public var bouncesZoom = true
    /// Whether the content comes to rest at multiples of the bounds.
    public var isPagingEnabled = false
    /// Whether a drag that starts along one axis stays on it.
    public var isDirectionalLockEnabled = false
    /// Whether fingers, wheel, keys and the status bar scroll.
    public var isScrollEnabled = true
    /// Whether a tap on the status bar scrolls to the top.
    ///
    /// See ``statusBarTap(animated:shouldScrollToTop:)``.
    public var scrollsToTop = true
    /// The rate at which content loses its velocity after a flick.
    public var decelerationRate = DecelerationRate.normal

    /// Creates a scroll view of the size `bounds` over content of the size `viewSize`, at scale 1 and the
    /// top-left corner.
    ///
    /// A dimension that is negative or not finite counts as zero; one above 1e12 points counts as 1e12.
    public init(bounds: Size<ViewSpace>, viewSize: Size<ImageSpace>) {
        geometry = ContentGeometry(bounds: bounds, viewSize: viewSize)
        geometry.setOffset(range.clamped(contentOffset))
        edges = edgesReached
        explanation = Explanation(self)
    }

    /// Whether the content may be pulled beyond its edges.
    ///
    /// Setting it sets both axes, as in UIKit.
    ///
    /// True if both ``bouncesHorizontally`` and ``bouncesVertically`` are true.
    public var bounces: Bool {
        get { bouncesHorizontally && bouncesVertically }
        set { (bouncesHorizontally, bouncesVertically) = (newValue, newValue) }
    }
}

/// State changes and the events they cause.
extension ScrollView {
    /// A scale and an offset.
    struct Placement: Equatable, Sendable {
        var scale: Double
        var offset: Point<ContentSpace>
    }

    /// The current scale and offset.
    var placement: Placement { Placement(scale: zoomScale, offset: contentOffset) }

    /// The values whose changes cause events.
    struct Snapshot {
        let placement: Placement
        let insets: EdgeInsets
    }

    var snapshot: Snapshot {
        @inline(never) get { Snapshot(placement: placement, insets: geometry.insets(at: zoomScale)) }
    }

    /// Adds the events of changes since a snapshot: insets, offset, scale, and edges that were reached.
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

    /// The edges at or beyond which the offset is; none along an axis that does not scroll.
    private var edgesReached: UInt8 {
        let range = range
        let (a, b) = range.axes(contentOffset)
        var edges: UInt8 = 0
        // Springs come to rest within half a thousandth of a point.
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

    /// Performs a change requested by the program: ends motion, changes the state and rebases the gesture.
    mutating func perform(_ events: inout ScrollEvents, _ change: (inout Self) -> Void) {
        let before = beginChanging(&events)
        change(&self)
        endChanging(before, &events)
    }

    // Not inlined, to keep the WebAssembly module small: every operation would contain a copy.
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

    /// Performs a change of the range.
    ///
    /// An animation arrives first. A drag continues from the new position, and a deceleration continues with
    /// its velocity in the new range, without an event.
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

    /// Replaces the motion.
    ///
    /// The caller adds the events of the old one.
    @inline(never)
    mutating func begin(_ new: Motion) { motion = new }

    /// Sets the time without moving anything.
    ///
    /// Returns false if the time is not later.
    mutating func pass(to time: Double) -> Bool {
        guard time > self.time, time.isFinite else { return false }
        self.time = time
        return true
    }

    /// Sets scale and offset.
    mutating func jump(to goal: Placement?) {
        guard let goal else { return }
        geometry.setScale(goal.scale)
        geometry.setOffset(goal.offset)
    }

    /// Moves to an offset, clamped to the range unless a gesture or a deceleration is in progress.
    @inline(never)
    mutating func keepOrMoveInRange(_ asked: Point<ContentSpace>) {
        guard isDragging || isZooming || isDecelerating else { return moveInRange(asked) }
        geometry.setOffset(asked)
        explanation.setOffset(asked: contentOffset, got: contentOffset)
        explanation.setScale(got: zoomScale)
    }

    /// Moves to the nearest offset in range and records the explanation.
    @inline(never)
    mutating func moveInRange(_ asked: Point<ContentSpace>) {
        let got = range.clamped(asked)
        explanation.setOffset(asked: asked, got: got)
        explanation.setScale(got: zoomScale)
        geometry.setOffset(got)
    }

    /// Returns a scale clamped to its limits and records the limits that it hits.
    @inline(never)
    mutating func limitedScale(_ asked: Double) -> Double {
        explanation = Explanation(self)
        explanation.setScale(asked: asked, minimum: minimumZoomScale, maximum: maximumZoomScale)
        return min(max(asked, minimumZoomScale), maximumZoomScale)
    }

    /// Ends all motion and gestures without events.
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
    /// The coded state that no operation sets.
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
