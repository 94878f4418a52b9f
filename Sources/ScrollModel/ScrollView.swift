public import ViewportGeometry

/// A scroll view as a value: what is visible, what moves it, and nothing of how it is drawn.
///
/// It behaves as UIScrollView is documented to, with three differences that everything else follows from:
/// time is an argument, never read from a clock; every operation returns the events it caused; and motion is
/// in closed form, so any number of steps ends at the same place. Sizes are points; zoomScale is view points
/// per image point. Input that is not a finite number is refused: no operation traps, none leaves a NaN
/// behind.
public struct ScrollView: Equatable, Sendable {
    // Changed by operations only, because these have consequences.
    /// The size of the window through which the content is seen.
    public internal(set) var bounds: Size<ViewSpace>
    /// The size of the content before zoom and rotation.
    public internal(set) var viewSize: Size<ImageSpace>
    /// View points per image point.
    public internal(set) var zoomScale = 1.0
    /// The least scale that zooming may rest at.
    public internal(set) var minimumZoomScale = 1.0
    /// The greatest scale that zooming may rest at.
    public internal(set) var maximumZoomScale = 1.0
    /// The content point at the top-left corner of the bounds.
    public internal(set) var contentOffset = Point<ContentSpace>.zero
    /// Distances that the program adds around the content.
    public internal(set) var contentInset = EdgeInsets.zero
    /// Distances that bars and notches cover.
    public internal(set) var safeAreaInsets = EdgeInsets.zero
    /// Where content smaller than the bounds rests.
    public internal(set) var contentAlignment = ContentAlignment.topLeading
    /// How the content is turned.
    public internal(set) var contentRotation = Rotation.none
    /// How the offset is rounded before it is seen.
    public internal(set) var rounding = Rounding.none
    /// Whether the content is anchored at its bottom, as in a chat.
    public internal(set) var isReversed = false

    // Free to change at any time: they are looked at when the next gesture needs them.
    /// Whether the content may be pulled beyond its edges.
    public var bounces = true
    /// Whether the zoom may be pulled beyond its limits.
    public var bouncesZoom = true
    /// Whether content that is not taller than the bounds may be pulled up and down nevertheless.
    public var alwaysBounceVertical = false
    /// Whether content that is not wider than the bounds may be pulled left and right nevertheless.
    public var alwaysBounceHorizontal = false
    /// Whether the content rests at multiples of the bounds.
    public var isPagingEnabled = false
    /// Whether a drag that starts along one axis stays on it.
    public var isDirectionalLockEnabled = false
    /// Whether fingers, wheel and keys scroll.
    public var isScrollEnabled = true
    /// How fast a flick loses its velocity.
    public var decelerationRate = DecelerationRate.normal

    /// The time that `advance(to:)` has reached, in seconds; what happens, happens now.
    public internal(set) var time = 0.0
    /// What moves the content by itself.
    var motion = Motion.none
    /// What the fingers are doing.
    var gesture = Gesture()

    /// The edges of the range that the offset is at.
    var edges: UInt8 = 0
    /// What the last operation was asked for, and what came of it.
    var explanation = Explanation()

    /// A scroll view of the size `bounds` over content of the size `viewSize`, at zoom 1 and its top-left
    /// corner.
    ///
    /// A size that is negative or not finite counts as zero.
    public init(bounds: Size<ViewSpace>, viewSize: Size<ImageSpace>) {
        self.bounds = Size(width: Self.length(bounds.width), height: Self.length(bounds.height))
        self.viewSize = Size(width: Self.length(viewSize.width), height: Self.length(viewSize.height))
        arriveQuietly()
    }
}

extension ScrollView {
    /// The greatest length, in points, that a size or an inset may have.
    ///
    /// It keeps every product that is computed from lengths and scales far from overflow.
    package static let greatestLength = 1e12
    /// The scales that a zoom limit may have.
    package static let possibleScales = 1e-9...1e9

    /// A length that may be used: not negative, finite.
    static func length(_ value: Double) -> Double {
        value > 0 && value.isFinite ? min(value, greatestLength) : 0
    }

    /// Whether a number may be used as a scale; it is taken into the possible ones later.
    static func isScale(_ value: Double) -> Bool { value > 0 && value.isFinite }

    /// Takes the state as it is for the new normal, without events.
    @inline(never)
    mutating func arriveQuietly() {
        contentOffset = range.clamped(contentOffset)
        edges = edgesReached
        explanation = Explanation(self)
    }
}

/// The one way in which operations change the state and find out which events that causes.
extension ScrollView {
    /// What is compared to know whether anything moved.
    struct Mark {
        let offset: Point<ContentSpace>
        let scale: Double
    }

    var mark: Mark { Mark(offset: contentOffset, scale: zoomScale) }

    /// Adds `didScroll`, `didZoom` and the edges that were reached since `mark`.
    mutating func noteChanges(since mark: Mark, in events: inout ScrollEvents) {
        if contentOffset != mark.offset { events.append(.didScroll) }
        if zoomScale != mark.scale { events.append(.didZoom) }
        let now = edgesReached
        guard now != edges else { return }
        let arrived = now & ~edges
        edges = now
        guard arrived != 0 else { return }
        for bit in 0..<UInt8(4) where arrived & (1 << bit) != 0 {
            if let edge = RectEdge(rawValue: bit) { events.append(.reachedEdge(edge)) }
        }
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
    private mutating func beginChanging(_ events: inout ScrollEvents) -> Mark {
        interrupt(&events)
        return mark
    }

    @inline(never)
    private mutating func endChanging(_ before: Mark, _ events: inout ScrollEvents) {
        noteChanges(since: before, in: &events)
        takeUpGesture()
    }

    /// Does what changes the range under the content.
    ///
    /// An animation arrives first. A drag goes on from where the content is then, and a deceleration goes on
    /// with its velocity into the new range, without an event.
    mutating func rearrange(_ change: (inout Self, inout ScrollEvents) -> Void) -> ScrollEvents {
        var events = ScrollEvents()
        let (before, velocity) = beginRearranging(&events)
        change(&self, &events)
        endRearranging(before, velocity, &events)
        return events
    }

    @inline(never)
    private mutating func beginRearranging(_ events: inout ScrollEvents) -> (Mark, Velocity) {
        arrive(&events)
        explanation = Explanation(self)
        return (mark, velocity)
    }

    @inline(never)
    private mutating func endRearranging(
        _ before: Mark, _ velocity: Velocity, _ events: inout ScrollEvents
    ) {
        noteChanges(since: before, in: &events)
        if isDecelerating {
            let way = way(velocity: velocity, paging: isPagingEnabled)
            if way.duration > 0 || way.rest != contentOffset {
                motion = .deceleration(way)
            } else {
                motion = .none
                events.append(.didEndDecelerating)
            }
        }
        takeUpGesture()
    }

    /// Moves to an offset, taken into range unless fingers or a bounce hold it beyond.
    @inline(never)
    mutating func keepOrMoveInRange(_ asked: Point<ContentSpace>) {
        guard isDragging || isZooming || isDecelerating else { return moveInRange(asked) }
        contentOffset = rounded(asked)
        explanation.askedOffset = contentOffset
        explanation.gotOffset = contentOffset
        explanation.gotScale = zoomScale
    }

    /// Moves to an offset as near to the one asked for as the range lets it, and explains it.
    @inline(never)
    mutating func moveInRange(_ asked: Point<ContentSpace>) {
        let got = range.clamped(asked)
        explanation.askedOffset = asked
        explanation.gotOffset = got
        explanation.gotScale = zoomScale
        explanation.limits.formUnion(.between(asked: asked, got: got))
        contentOffset = rounded(got)
    }

    /// The offset that is seen for an exact one.
    func rounded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        guard rounding != .none else { return offset }
        return Point(x: rounding.rounded(offset.x), y: rounding.rounded(offset.y))
    }

    /// A scale taken into the limits, which it notes where it hits them.
    @inline(never)
    mutating func limitedScale(_ asked: Double) -> Double {
        explanation = Explanation(self)
        explanation.askedScale = asked
        if asked < minimumZoomScale { explanation.limits.insert(.minimumZoomScale) }
        if asked > maximumZoomScale { explanation.limits.insert(.maximumZoomScale) }
        return min(max(asked, minimumZoomScale), maximumZoomScale)
    }

    /// The edges that the offset is at or beyond; none along an axis that has nothing to scroll.
    var edgesReached: UInt8 {
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
}
