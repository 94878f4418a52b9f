internal import ViewportGeometry

/// What the fingers are doing, and from which state of the content they took it up.
///
/// A gesture is always reckoned from where it was taken up, never from the event before: the result does not
/// depend on how many events there were.
struct Gesture: Equatable, Sendable {
    enum Mode: UInt8, Equatable, Sendable {
        /// No finger, or fingers that rest.
        case resting
        /// The content follows the middle of the fingers.
        case dragging
        /// Two fingers hold the content.
        case pinching
        /// One finger zooms by going up and down, after a tap.
        case sliding
        /// Something else has taken over; the fingers mean nothing until all have left.
        case ignored
    }

    enum Lock: UInt8, Equatable, Sendable { case none, horizontal, vertical }

    var mode = Mode.resting
    var lock = Lock.none
    var fingers = 0
    var firstID = 0
    var secondID = 0
    var first = Point<ViewSpace>.zero
    var second = Point<ViewSpace>.zero

    /// The middle of the fingers, and the distance between them, when the gesture was taken up.
    var anchor = Point<ViewSpace>.zero
    var spread = 0.0
    /// The offset then, as if no band had drawn it back.
    var origin = Point<ContentSpace>.zero
    /// The scale then, as it was seen and as if no band had drawn it back.
    var scale = 1.0
    var pull = 1.0
    /// The offset when the drag began: paging counts from there.
    var dragStart = Point<ContentSpace>.zero
    var tracker = VelocityTracker()

    /// When the first finger came down, whether any has moved since, and how many taps in a row this may be.
    var downTime = 0.0
    var hasMoved = false
    var taps = 0
    var hadTwoFingers = false
    /// The end of the last tap, for the next to follow it.
    var tapTime = -1.0
    var tapPoint = Point<ViewSpace>.zero
    var tapCount = 0

    /// Movement, in points, up to which a finger rests.
    ///
    /// UIKit waits for about ten points and starts the content from there. Here the content jumps under the
    /// finger as soon as it counts as moving, so that a drag by n points scrolls by n points.
    static let slop = 3.0
    /// Seconds that a tap may take, and that the next may follow it after.
    static let tapDuration = 0.3
    /// Points that the second tap may be away from the first.
    static let tapDistance = 40.0
    /// Points of a one-finger zoom that double the scale.
    static let slide = 128.0

    /// The middle of the fingers.
    var center: Point<ViewSpace> {
        guard fingers > 1 else { return first }
        return Point(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    /// The distance between the fingers.
    var distance: Double {
        let (x, y) = (first.x - second.x, first.y - second.y)
        return (x * x + y * y).squareRoot()
    }

    static func distance(_ a: Point<ViewSpace>, _ b: Point<ViewSpace>) -> Double {
        let (x, y) = (a.x - b.x, a.y - b.y)
        return (x * x + y * y).squareRoot()
    }

    /// Takes note of where a finger is; false if the finger is not known or has not moved.
    mutating func place(_ touch: Touch) -> Bool {
        if fingers > 0, touch.id == firstID {
            guard touch.location != first else { return false }
            first = touch.location
            return true
        }
        if fingers > 1, touch.id == secondID {
            guard touch.location != second else { return false }
            second = touch.location
            return true
        }
        return false
    }

    /// Whether it is one that fingers can make; what was read from a file may be anything.
    var isSound: Bool {
        let places = [first, second, anchor]
        return (0...2).contains(fingers) && tracker.isSound && (mode == .resting || fingers > 0)
            && (mode != .pinching || fingers == 2) && spread >= 0 && spread.isFinite
            && places.allSatisfy { $0.x.magnitude <= 1e12 && $0.y.magnitude <= 1e12 }
            && origin.isFinite && origin.x.magnitude < 1e30 && origin.y.magnitude < 1e30
            && dragStart.isFinite && scale > 1e-12 && scale < 1e12 && pull > 1e-60 && pull < 1e60
    }

    /// Whether a finger is one of those that count.
    func knows(_ id: Int) -> Bool {
        fingers > 0 && id == firstID || fingers > 1 && id == secondID
    }
}

#if !hasFeature(Embedded)
    extension Gesture: Codable {}
    extension Gesture.Mode: Codable {}
    extension Gesture.Lock: Codable {}
#endif
