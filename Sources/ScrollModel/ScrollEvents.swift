public import ViewportGeometry

/// The events that one operation caused, in order, without any memory of their own.
///
/// The kinds are packed into one word, five bits each; what a few kinds carry is kept beside it, once,
/// because no operation ends two drags or two zooms. There is room for twelve: more than any operation can
/// cause.
@frozen
public struct ScrollEvents: Equatable, Sendable {
    @usableFromInline package private(set) var kinds: UInt64 = 0
    @usableFromInline package private(set) var length: UInt8 = 0
    @usableFromInline package private(set) var velocity = Velocity.zero
    @usableFromInline package private(set) var target = Point<ContentSpace>.zero
    @usableFromInline package private(set) var scale = 0.0

    package static let capacity = 12

    package init() {}

    /// Adds an event at the end.
    package mutating func append(_ event: ScrollEvent) {
        assert(length < Self.capacity, "an operation caused more events than any should")
        guard length < Self.capacity else { return }
        let kind: UInt64
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
        case .reachedEdge(let edge): kind = 12 + UInt64(edge.rawValue)
        }
        kinds |= kind << (5 &* UInt64(length))
        length += 1
    }

    /// Adds all events of another list.
    package mutating func append(_ others: ScrollEvents) {
        for event in others { append(event) }
    }
}

extension ScrollEvents: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { Int(length) }

    public subscript(position: Int) -> ScrollEvent {
        let kind = (kinds >> (5 &* UInt64(position))) & 31
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
        default: return .reachedEdge(RectEdge(rawValue: UInt8(kind - 12)) ?? .top)
        }
    }
}

/// Something that happened to a scroll view, in the words of UIScrollViewDelegate.
@frozen
public enum ScrollEvent: Equatable, Sendable {
    /// The offset changed.
    case didScroll
    /// The zoom scale changed; it follows the `didScroll` of the same change.
    case didZoom
    /// A finger starts to drag the content.
    case willBeginDragging
    /// The finger leaves at `velocity`, in points per *millisecond*; the content will come to rest at
    /// `target`.
    case willEndDragging(velocity: Velocity, target: Point<ContentSpace>)
    /// The finger has left.
    case didEndDragging(willDecelerate: Bool)
    /// The content goes on by itself.
    case willBeginDecelerating
    /// The content has come to rest, or was caught.
    case didEndDecelerating
    /// A pinch or an animated change of the zoom begins.
    case willBeginZooming
    /// It is over, bounces included; the scale lies within the limits.
    case didEndZooming(atScale: Double)
    /// An animated change has arrived, or another took its place.
    case didEndScrollingAnimation
    /// The content inset or the safe area changed.
    case didChangeAdjustedContentInset
    /// The offset arrived at an edge of its range: once per arrival.
    case reachedEdge(RectEdge)
}

extension ScrollEvent {
    /// The event's name in logs: that of the delegate's method without `scrollView`.
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
        }
    }
}

/// An edge of a rectangle, as UIRectEdge names them.
@frozen
public enum RectEdge: UInt8, CaseIterable, Equatable, Sendable {
    case top, left, bottom, right

    /// Some edges of a rectangle.
    @frozen
    public struct Set: OptionSet, Equatable, Sendable {
        public let rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// One edge.
        @inlinable
        public init(_ edge: RectEdge) { rawValue = 1 << edge.rawValue }

        @inlinable public static var top: Set { Set(.top) }
        @inlinable public static var left: Set { Set(.left) }
        @inlinable public static var bottom: Set { Set(.bottom) }
        @inlinable public static var right: Set { Set(.right) }
        @inlinable public static var all: Set { [.top, .left, .bottom, .right] }
    }
}

/// A velocity of the content's offset.
@frozen
public struct Velocity: Equatable, Sendable {
    public var x: Double
    public var y: Double

    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// At rest.
    @inlinable
    public static var zero: Self { Self(x: 0, y: 0) }
}
