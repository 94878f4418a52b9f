public import ViewportGeometry

/// What the fingers are doing, and from which state of the content they took it up.
///
/// A gesture is always computed from where it was taken up, never from the event before: the result does not
/// depend on how many events there were.
struct TouchGesture: Equatable, Sendable {
    enum Mode: UInt8, Equatable, Sendable {
        /// No finger, or fingers that rest.
        case resting
        /// The content follows the middle of the fingers.
        case dragging
        /// Two fingers hold the content.
        case pinching
        /// One finger zooms by going up and down, after a tap.
        case oneFingerZooming
        /// Something else has taken over; the fingers mean nothing until all have left.
        case ignored
    }

    enum Lock: UInt8, Equatable, Sendable { case none, horizontal, vertical }

    /// What fingers meant that have left without having moved.
    enum Tap { case single, double, twoFingers }

    private(set) var mode = Mode.resting
    private(set) var lock = Lock.none
    private(set) var fingers = 0
    private var firstID = 0
    private var secondID = 0
    private(set) var first = Point<ViewSpace>.zero
    private var second = Point<ViewSpace>.zero

    /// The middle of the fingers, and the distance between them, when the gesture was taken up.
    private(set) var anchor = Point<ViewSpace>.zero
    private(set) var spread = 0.0
    /// The offset then, as if no band had drawn it back.
    private(set) var origin = Point<ContentSpace>.zero
    /// The scale then, as it was seen and as if no band had drawn it back.
    private(set) var scale = 1.0
    private(set) var pull = 1.0
    /// The offset when the drag began: paging counts from there.
    private(set) var dragStart = Point<ContentSpace>.zero
    private var tracker = VelocityTracker()

    /// When the first finger came down, whether any has moved since, and how many taps in a row this may be.
    private var downTime = 0.0
    private var hasMoved = false
    private var taps = 0
    private var hadTwoFingers = false
    /// The end of the last tap, for the next to follow it.
    private var tapTime = -1.0
    private var tapPoint = Point<ViewSpace>.zero
    private var tapCount = 0

    /// Movement, in points, up to which a finger rests.
    ///
    /// UIKit waits for about ten points and starts the content from there. Here the content jumps under the
    /// finger as soon as it counts as moving, so that a drag by n points scrolls by n points.
    private static let slop = 3.0
    /// Seconds that a tap may take, and that the next may follow it after.
    private static let tapDuration = 0.3
    /// Points that the second tap may be away from the first.
    private static let tapDistance = 40.0
    /// Points of a one-finger zoom that double the scale.
    private static let zoomDistance = 128.0

    /// The middle of the fingers.
    var center: Point<ViewSpace> {
        guard fingers > 1 else { return first }
        return Point(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    /// The distance between the fingers.
    var distance: Double { Self.distance(first, second) }

    private static func distance(_ a: Point<ViewSpace>, _ b: Point<ViewSpace>) -> Double {
        let (x, y) = (a.x - b.x, a.y - b.y)
        return (x * x + y * y).squareRoot()
    }

    /// The octaves that a one-finger zoom has gone in.
    var octaves: Double { (first.y - anchor.y) / Self.zoomDistance }

    /// Whether two fingers, or one after a tap, would zoom.
    var wouldZoom: Bool { fingers > 1 || taps == 2 }

    /// The velocity of the fingers, in points per second.
    func velocity(at time: Double) -> (x: Double, y: Double) { tracker.velocity(at: time) }

    /// Whether a finger is one of those that count.
    func isTracking(_ id: Int) -> Bool {
        fingers > 0 && id == firstID || fingers > 1 && id == secondID
    }
}

extension TouchGesture {
    /// Begins with a first finger.
    mutating func addFirst(_ touch: Touch, at time: Double) {
        mode = .resting
        fingers = 1
        (firstID, first) = (touch.id, touch.location)
        let follows =
            time - tapTime <= Self.tapDuration
            && Self.distance(touch.location, tapPoint) <= Self.tapDistance
        taps = follows && tapCount == 1 ? 2 : 1
        downTime = time
        hasMoved = false
        hadTwoFingers = false
    }

    /// Adds a second finger.
    mutating func addSecond(_ touch: Touch) {
        if mode == .oneFingerZooming { mode = .pinching }
        fingers = 2
        (secondID, second) = (touch.id, touch.location)
        taps = 0
        hadTwoFingers = true
    }

    /// Takes note of where a finger is; false if the finger does not count or has not moved.
    mutating func move(_ touch: Touch) -> Bool {
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

    /// How many of two touches are fingers that count.
    func count(_ first: Touch?, _ second: Touch?) -> Int {
        let leaving = leaves(first, second)
        return (leaving.first ? 1 : 0) + (leaving.second ? 1 : 0)
    }

    private func leaves(_ a: Touch?, _ b: Touch?) -> (first: Bool, second: Bool) {
        (
            fingers > 0 && (a?.id == firstID || b?.id == firstID),
            fingers > 1 && (a?.id == secondID || b?.id == secondID)
        )
    }

    /// Removes the fingers of two touches; with none left the gesture rests.
    mutating func remove(_ a: Touch?, _ b: Touch?, cancelled: Bool) {
        let stay = fingers - count(a, b)
        if cancelled { hasMoved = true }
        if leaves(a, b).first, stay == 1 { (firstID, first) = (secondID, second) }
        fingers = stay
        if stay == 0 {
            (mode, lock) = (.resting, .none)
        } else {
            // What two fingers did without moving may still be a tap of both.
            taps = 0
        }
    }

    /// The tap that fingers made which have left without having moved; nil if it was none.
    mutating func endTap(at center: Point<ViewSpace>, time: Double) -> Tap? {
        guard !hasMoved, time - downTime <= Self.tapDuration else { return nil }
        if hadTwoFingers || taps == 2 {
            tapCount = 0
            return hadTwoFingers ? .twoFingers : .double
        }
        (tapTime, tapPoint, tapCount) = (time, center, 1)
        return .single
    }

    /// Takes the gesture up from the state of the content: what was done until now is forgotten.
    mutating func rebase(scale: Double, pull: Double, origin: Point<ContentSpace>, time: Double) {
        anchor = center
        spread = max(fingers > 1 ? distance : 0, 1)
        (self.scale, self.pull, self.origin) = (scale, pull, origin)
        tracker.start(at: anchor, time: time)
    }

    /// Notes where the fingers are, for their velocity.
    mutating func track(at time: Double) { tracker.add(center, time: time) }

    /// Whether fingers that rested have moved far enough to mean something.
    mutating func leavesRest() -> Bool {
        let moved = Self.distance(center, anchor)
        let change = fingers > 1 ? (distance - spread).magnitude : 0
        guard max(moved, change) > Self.slop else { return false }
        hasMoved = true
        return true
    }

    /// Begins a pinch, or a one-finger zoom.
    mutating func beginZooming() { mode = fingers > 1 ? .pinching : .oneFingerZooming }

    /// Begins a drag from an offset, locked to an axis if the fingers went clearly along one.
    mutating func beginDragging(from offset: Point<ContentSpace>, locksDirection: Bool) {
        mode = .dragging
        dragStart = offset
        lock = .none
        guard locksDirection else { return }
        // Twice as far as along the other; a diagonal drag is free until it ends.
        let (x, y) = ((center.x - anchor.x).magnitude, (center.y - anchor.y).magnitude)
        if x >= 2 * y { lock = .horizontal } else if y >= 2 * x { lock = .vertical }
    }

    /// Lets the fingers rest where they are.
    mutating func rest() { mode = .resting }

    /// Lets the fingers mean nothing until all have left.
    mutating func ignore() { mode = .ignored }

    /// Whether it is one that fingers can make; a decoded one may be anything.
    var isSound: Bool {
        let places = [first, second, anchor]
        return (0...2).contains(fingers) && tracker.isSound && (mode == .resting || fingers > 0)
            && (mode != .pinching || fingers == 2) && spread >= 0 && spread.isFinite
            && places.allSatisfy { $0.x.magnitude <= 1e12 && $0.y.magnitude <= 1e12 }
            && origin.isFinite && origin.x.magnitude < 1e30 && origin.y.magnitude < 1e30
            && dragStart.isFinite && scale > 1e-12 && scale < 1e12 && pull > 1e-60 && pull < 1e60
    }
}

#if !hasFeature(Embedded)
extension TouchGesture: Codable {}
extension TouchGesture.Mode: Codable {}
extension TouchGesture.Lock: Codable {}
#endif

/// The velocity of a finger over its last 100 milliseconds.
///
/// It is the distance from where the finger was 100 ms ago, between two samples if need be, to where it is now:
/// a function of the path, not of how often the path was sampled. Samples closer than 16 ms replace each
/// other, so eight are enough for any event rate.
struct VelocityTracker: Equatable, Sendable {
    static let window = 0.1
    private static let spacing = 0.016

    private var times = SIMD8<Double>(repeating: 0)
    private var xs = SIMD8<Double>(repeating: 0)
    private var ys = SIMD8<Double>(repeating: 0)
    private var count = 0
    private var newest = 0
    private var lastTime = 0.0
    private var last = Point<ViewSpace>.zero

    /// Whether its ring is one that samples can make; what was read from a file may be anything.
    var isSound: Bool { (0...8).contains(count) && (0...7).contains(newest) }

    /// Forgets everything but one place.
    mutating func start(at point: Point<ViewSpace>, time: Double) {
        count = 0
        keep(point, time)
        (last, lastTime) = (point, time)
    }

    /// Notes where the finger is.
    mutating func add(_ point: Point<ViewSpace>, time: Double) {
        // The one before is kept when it is far enough from the last kept one; the newest is always at hand.
        if lastTime - times[newest & 7] >= Self.spacing { keep(last, lastTime) }
        (last, lastTime) = (point, time)
    }

    private mutating func keep(_ point: Point<ViewSpace>, _ time: Double) {
        newest = count == 0 ? 0 : (newest + 1) & 7
        times[newest & 7] = time
        xs[newest & 7] = point.x
        ys[newest & 7] = point.y
        count = min(count + 1, 8)
    }

    /// The velocity at `time`, in points per second.
    ///
    /// A finger without a sample within the window lies still.
    func velocity(at time: Double) -> (x: Double, y: Double) {
        let since = time - Self.window
        guard count > 0, lastTime > since else { return (0, 0) }
        var (laterTime, later) = (lastTime, last)
        var index = newest
        for _ in 0..<count {
            let earlierTime = times[index & 7]
            let earlier = Point<ViewSpace>(x: xs[index & 7], y: ys[index & 7])
            if earlierTime <= since {
                let share = laterTime > earlierTime ? (since - earlierTime) / (laterTime - earlierTime) : 0
                let x = earlier.x + (later.x - earlier.x) * share
                let y = earlier.y + (later.y - earlier.y) * share
                return ((last.x - x) / Self.window, (last.y - y) / Self.window)
            }
            (laterTime, later) = (earlierTime, earlier)
            index = (index + 7) & 7
        }
        let span = time - laterTime
        return span > 1e-6 ? ((last.x - later.x) / span, (last.y - later.y) / span) : (0, 0)
    }
}

#if !hasFeature(Embedded)
extension VelocityTracker: Codable {}
#endif

/// A finger on the screen.
@frozen
public struct Touch: Equatable, Sendable {
    /// The identity of the finger, the same from its first event to its last.
    public var id: Int
    /// Where it is, in view points.
    public var location: Point<ViewSpace>

    /// A finger at a place.
    @inlinable
    public init(id: Int, location: Point<ViewSpace>) {
        self.id = id
        self.location = location
    }
}

/// What has happened to a finger.
@frozen
public enum TouchPhase: UInt8, Equatable, Sendable {
    /// It has come down.
    case began
    /// It has moved.
    case moved
    /// It has left the screen.
    case ended
    /// The system has taken it away: nothing that it meant counts any more.
    case cancelled
}
