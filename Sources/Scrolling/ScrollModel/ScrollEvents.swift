public import ViewportGeometry

/// The events of one operation, in order, without heap allocation.
///
/// The kinds are packed into two words, five bits each. Associated values are stored once, because no
/// operation ends two drags or two zooms. The capacity of 24 events exceeds what any operation causes.
@frozen
public struct ScrollEvents: Equatable, Sendable {
    private var kinds: UInt64 = 0
    private var moreKinds: UInt64 = 0
    private var length: UInt8 = 0
    private var velocity = Velocity.zero
    private var target = Point<ContentSpace>.zero
    private var scale = 0.0

    private static let kindsPerWord = 12

    package init() {}

    /// Appends an event.
    package mutating func append(_ event: ScrollEvent) {
        guard length < 2 * Self.kindsPerWord else { return }
        let kind: UInt8
        switch event {
        case .didScroll: kind = 0
        case .didZoom: kind = 1
        case .willBeginDragging: kind = 2
        case .willEndDragging(let velocity, let target):
            kind = 3
            self.velocity = velocity
            self.target = target
        case .didEndDragging(let willDecelerate): kind = willDecelerate ? 5 : 4
        case .willBeginDecelerating: kind = 6
        case .didEndDecelerating: kind = 7
        case .willBeginZooming: kind = 8
        case .didEndZooming(let scale):
            kind = 9
            self.scale = scale
        case .didEndScrollingAnimation: kind = 10
        case .didChangeAdjustedContentInset: kind = 11
        case .reachedEdge(let edge): kind = 12 + edge.rawValue
        case .shouldScrollToTop: kind = 16
        case .didScrollToTop: kind = 17
        }
        append(kind: kind)
    }

    /// Appends the events of another list.
    package mutating func append(_ others: ScrollEvents) {
        for position in 0..<Int(others.length) where length < 2 * Self.kindsPerWord {
            let kind = others.kind(at: position)
            if kind == 3 { (velocity, target) = (others.velocity, others.target) }
            if kind == 9 { scale = others.scale }
            append(kind: kind)
        }
    }

    private mutating func append(kind: UInt8) {
        let position = UInt64(length)
        if length < Self.kindsPerWord {
            kinds |= UInt64(kind) &<< (5 &* position)
        } else {
            moreKinds |= UInt64(kind) &<< (5 &* (position &- UInt64(Self.kindsPerWord)))
        }
        length += 1
    }

    /// Returns the kind of the event at a position.
    ///
    /// Kinds have the order of ``ScrollEvent``, with two for `didEndDragging` and one per edge for
    /// `reachedEdge`.
    package func kind(at position: Int) -> UInt8 {
        let isFirst = position < Self.kindsPerWord
        let index = isFirst ? position : position &- Self.kindsPerWord
        return UInt8(truncatingIfNeeded: (isFirst ? kinds : moreKinds) &>> (5 &* UInt64(index))) & 31
    }
}

extension ScrollEvents {
    /// Returns the events of two operations, in order; as a list, which has no capacity.
    public static func + (first: ScrollEvents, second: ScrollEvents) -> [ScrollEvent] {
        Array(first) + Array(second)
    }
}

extension ScrollEvents: RandomAccessCollection {
    /// Zero: the position of the event that came first.
    public var startIndex: Int { 0 }
    /// The number of events.
    public var endIndex: Int { Int(length) }

    /// Returns the event at a position from `startIndex` up to `endIndex`.
    ///
    /// Any other position traps.
    public subscript(position: Int) -> ScrollEvent {
        precondition(position >= 0 && position < length, "no event at this position")
        let kind = kind(at: position)
        switch kind {
        case 0: return .didScroll
        case 1: return .didZoom
        case 2: return .willBeginDragging
        case 3: return .willEndDragging(velocity: velocity, target: target)
        case 4, 5: return .didEndDragging(willDecelerate: kind == 5)
        case 6: return .willBeginDecelerating
        case 7: return .didEndDecelerating
        case 8: return .willBeginZooming
        case 9: return .didEndZooming(atScale: scale)
        case 10: return .didEndScrollingAnimation
        case 11: return .didChangeAdjustedContentInset
        case 16: return .shouldScrollToTop
        case 17: return .didScrollToTop
        default: return .reachedEdge(RectEdge(rawValue: kind - 12) ?? .top)
        }
    }
}

/// An event of a scroll view, named after the method of UIScrollViewDelegate.
@frozen
public enum ScrollEvent: Equatable, Sendable {
    /// The offset changed.
    case didScroll
    /// The zoom scale changed. Follows the `didScroll` of the same change.
    case didZoom
    /// A finger starts to drag the content.
    case willBeginDragging
    /// The finger is lifted at `velocity`, in points per *millisecond*. The content will come to rest at
    /// `target`.
    case willEndDragging(velocity: Velocity, target: Point<ContentSpace>)
    /// The finger was lifted; false means that the content rests already.
    case didEndDragging(willDecelerate: Bool)
    /// The released content goes on with the velocity of the finger, or returns into its range.
    case willBeginDecelerating
    /// The content has come to rest, or a finger stopped it.
    case didEndDecelerating
    /// A pinch or an animated zoom begins.
    case willBeginZooming
    /// The zoom has ended, including the bounce. The scale is within its limits.
    case didEndZooming(atScale: Double)
    /// An animation has arrived, or another operation replaced it.
    case didEndScrollingAnimation
    /// The content inset changed, or the part of the safe area that is added to it.
    case didChangeAdjustedContentInset
    /// The offset reached an edge of its range. Sent once per arrival.
    case reachedEdge(RectEdge)
    /// A tap on the status bar is about to scroll to the top.
    case shouldScrollToTop
    /// The content has arrived at the top after a tap on the status bar.
    case didScrollToTop
}

extension ScrollEvent {
    /// The name of the event in logs: the delegate method without `scrollView`.
    public var name: StaticString {
        switch self {
        case .didScroll: "didScroll"
        case .didZoom: "didZoom"
        case .willBeginDragging: "willBeginDragging"
        case .willEndDragging: "willEndDragging"
        case .didEndDragging: "didEndDragging"
        case .willBeginDecelerating: "willBeginDecelerating"
        case .didEndDecelerating: "didEndDecelerating"
        case .willBeginZooming: "willBeginZooming"
        case .didEndZooming: "didEndZooming"
        case .didEndScrollingAnimation: "didEndScrollingAnimation"
        case .didChangeAdjustedContentInset: "didChangeAdjustedContentInset"
        case .reachedEdge: "reachedEdge"
        case .shouldScrollToTop: "shouldScrollToTop"
        case .didScrollToTop: "didScrollToTop"
        }
    }
}

/// An edge of a rectangle, with the names of UIRectEdge.
@frozen
public enum RectEdge: UInt8, CaseIterable, Equatable, Sendable {
    /// The edge with the smallest *y*.
    case top
    /// The edge with the smallest *x*.
    case left
    /// The edge with the largest *y*.
    case bottom
    /// The edge with the largest *x*.
    case right

    /// A set of edges.
    @frozen
    public struct Set: OptionSet, Equatable, Sendable {
        /// One bit per edge.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Creates a set of one edge.
        @inlinable
        public init(_ edge: RectEdge) { rawValue = 1 << edge.rawValue }

        /// The top edge.
        @inlinable public static var top: Set { Set(.top) }
        /// The left edge.
        @inlinable public static var left: Set { Set(.left) }
        /// The bottom edge.
        @inlinable public static var bottom: Set { Set(.bottom) }
        /// The right edge.
        @inlinable public static var right: Set { Set(.right) }
        /// All four edges.
        @inlinable public static var all: Set { [.top, .left, .bottom, .right] }
    }
}

/// A velocity of the content offset.
///
/// The unit is documented where the type is used.
@frozen
public struct Velocity: Equatable, Sendable {
    /// The component along *x*.
    public var x: Double
    /// The component along *y*.
    public var y: Double

    /// Creates a velocity; positive components increase the content offset.
    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The velocity at rest.
    @inlinable
    public static var zero: Self { Self(x: 0, y: 0) }
}

#if !hasFeature(Embedded)
// Replay writes events as JSON, so they have no other one.
extension ScrollEvent: Hashable {}
extension RectEdge: Codable {}
extension RectEdge.Set: Codable, Hashable {}

extension Velocity: Codable, Hashable, CustomStringConvertible {
    /// `x,y`.
    public var description: String { Point<ViewSpace>(x: x, y: y).description }
}
#endif
