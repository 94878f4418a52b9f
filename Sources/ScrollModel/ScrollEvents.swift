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
