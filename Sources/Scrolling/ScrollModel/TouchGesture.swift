public import ViewportGeometry

/// The gesture of the fingers, and the state of the content from which it is computed.
///
/// A gesture is always computed from its base, never from the previous event, so that the result does not
/// depend on the number of events.
struct TouchGesture: Equatable, Sendable {
    enum Mode: UInt8, Equatable, Sendable {
        /// No fingers, or fingers that have not moved.
        case resting
        /// The content follows the center of the fingers.
        case dragging
        /// Two fingers zoom and move the content.
        case pinching
        /// One finger zooms by moving up and down, after a tap.
        case oneFingerZooming
        /// An animation has taken over; the fingers are ignored until all are lifted.
        case ignored
    }

    enum Lock: UInt8, Equatable, Sendable { case none, horizontal, vertical }

    /// A tap: touches that ended without moving.
    enum Tap { case single, double, twoFingers }

    private(set) var mode = Mode.resting
    private(set) var lock = Lock.none
    private(set) var fingers = 0
    private var firstID = 0
    private var secondID = 0
    private(set) var first = Point<ViewSpace>.zero
    private var second = Point<ViewSpace>.zero

    /// The center of the fingers and the distance between them at the base.
    private(set) var anchor = Point<ViewSpace>.zero
    private(set) var spread = 0.0
    /// The offset at the base, without the resistance of the rubber band.
    private(set) var origin = Point<ContentSpace>.zero
    /// The scale at the base, with and without the resistance of the rubber band.
    private(set) var scale = 1.0
    private(set) var pull = 1.0
    /// The offset at the start of the drag, from which paging counts.
    private(set) var dragStart = Point<ContentSpace>.zero
    private var tracker = VelocityTracker()

    /// The time of the first touch, whether a finger has moved since, and the number of taps in a row.
    private var downTime = 0.0
    private var hasMoved = false
    private var taps = 0
    private var hadTwoFingers = false
    /// Time, location and count of the last tap.
    private var tapTime = -1.0
    private var tapPoint = Point<ViewSpace>.zero
    private var tapCount = 0

    /// The movement, in points, up to which a finger counts as resting.
    ///
    /// UIKit waits for about ten points and starts scrolling from there. Here the content jumps under the
    /// finger when the drag begins, so that a drag by n points scrolls by n points.
    private static let slop = 3.0
    /// The maximum duration of a tap, and of the pause before the next tap, in seconds.
    private static let tapDuration = 0.3
    /// The maximum distance between two taps, in points.
    private static let tapDistance = 40.0
    /// The distance, in points, at which a one-finger zoom doubles the scale.
    private static let zoomDistance = 128.0

    /// The center of the fingers.
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

    /// The octaves by which a one-finger zoom has zoomed in.
    var octaves: Double { (first.y - anchor.y) / Self.zoomDistance }

    /// Whether a movement would zoom: with two fingers, or with one after a tap.
    var wouldZoom: Bool { fingers > 1 || taps == 2 }

    /// Returns the velocity of the fingers, in points per second.
    func velocity(at time: Double) -> (x: Double, y: Double) { tracker.velocity(at: time) }

    /// Returns whether a finger takes part in the gesture.
    func isTracking(_ id: Int) -> Bool {
        fingers > 0 && id == firstID || fingers > 1 && id == secondID
    }
}

extension TouchGesture {
    /// Adds the first finger.
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

    /// Records the location of a finger.
    ///
    /// Returns false if it is not tracked or has not moved.
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

    /// Returns how many of two touches are tracked fingers.
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

    /// Removes the fingers of two touches.
    ///
    /// Without fingers the gesture rests.
    mutating func remove(_ a: Touch?, _ b: Touch?, cancelled: Bool) {
        let stay = fingers - count(a, b)
        // Touches that the system took away are no tap.
        if cancelled { hasMoved = true }
        if leaves(a, b).first, stay == 1 { (firstID, first) = (secondID, second) }
        fingers = stay
        if stay == 0 {
            (mode, lock) = (.resting, .none)
        } else {
            // Two fingers that have not moved may still be a two-finger tap.
            taps = 0
        }
    }

    /// Returns the tap that ended at `time`, or nil if the touches were not a tap.
    mutating func endTap(at center: Point<ViewSpace>, time: Double) -> Tap? {
        guard !hasMoved, time - downTime <= Self.tapDuration else { return nil }
        if hadTwoFingers || taps == 2 {
            // The next tap is a first one: three taps are not two double taps.
            tapCount = 0
            return hadTwoFingers ? .twoFingers : .double
        }
        (tapTime, tapPoint, tapCount) = (time, center, 1)
        return .single
    }

    /// Rebases the gesture on a state of the content.
    mutating func rebase(scale: Double, pull: Double, origin: Point<ContentSpace>, time: Double) {
        anchor = center
        // Scales are quotients by the spread, so it is never zero.
        spread = max(fingers > 1 ? distance : 0, 1)
        (self.scale, self.pull, self.origin) = (scale, pull, origin)
        tracker.start(at: anchor, time: time)
    }

    /// Records the location of the fingers for their velocity.
    mutating func track(at time: Double) { tracker.add(center, time: time) }

    /// Returns whether resting fingers have moved far enough to begin a gesture.
    mutating func leavesRest() -> Bool {
        let moved = Self.distance(center, anchor)
        let change = fingers > 1 ? (distance - spread).magnitude : 0
        guard max(moved, change) > Self.slop else { return false }
        hasMoved = true
        return true
    }

    /// Begins a pinch, or a one-finger zoom.
    mutating func beginZooming() { mode = fingers > 1 ? .pinching : .oneFingerZooming }

    /// Begins a drag from an offset, locked to an axis if the fingers moved clearly along it.
    mutating func beginDragging(from offset: Point<ContentSpace>, locksDirection: Bool) {
        mode = .dragging
        dragStart = offset
        lock = .none
        guard locksDirection else { return }
        // At least twice as far as along the other axis; a diagonal drag stays free until it ends.
        let (x, y) = ((center.x - anchor.x).magnitude, (center.y - anchor.y).magnitude)
        if x >= 2 * y { lock = .horizontal } else if y >= 2 * x { lock = .vertical }
    }

    /// Ends the gesture.
    ///
    /// The fingers stay tracked.
    mutating func rest() { mode = .resting }

    /// Ignores the fingers until all are lifted.
    mutating func ignore() { mode = .ignored }

    /// Whether the state is consistent; decoded input may not be.
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

/// The velocity of a finger over the last 100 milliseconds, or since it turned.
///
/// It is computed from the position 100 ms ago, interpolated between samples, to the current position: a
/// function of the path, not of the sampling rate. Samples closer than 16 ms replace each other, so that
/// eight suffice for any event rate.
struct VelocityTracker: Equatable, Sendable {
    static let window = 0.1
    private static let spacing = 0.016
    /// The way back, in points, from which on a turn is one and not the trembling of a finger that is lifted.
    private static let leastTurn = 1.0

    private var times = SIMD8<Double>(repeating: 0)
    private var xs = SIMD8<Double>(repeating: 0)
    private var ys = SIMD8<Double>(repeating: 0)
    private var count = 0
    private var newest = 0
    private var lastTime = 0.0
    private var last = Point<ViewSpace>.zero

    /// Whether the ring buffer is consistent; decoded input may not be.
    var isSound: Bool { (0...8).contains(count) && (0...7).contains(newest) }

    /// Removes all samples and adds one.
    mutating func start(at point: Point<ViewSpace>, time: Double) {
        count = 0
        keep(point, time)
        (last, lastTime) = (point, time)
    }

    /// Adds a sample.
    mutating func add(_ point: Point<ViewSpace>, time: Double) {
        // The previous sample is kept if it is far enough from the last kept one. The newest is always
        // available.
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

    /// Returns the velocity at `time`, in points per second.
    ///
    /// Without a sample in the window the velocity is zero.
    func velocity(at time: Double) -> (x: Double, y: Double) {
        guard count > 0, lastTime > time - Self.window else { return (0, 0) }
        return (mean(xs, to: last.x, at: time), mean(ys, to: last.y, at: time))
    }

    /// The mean velocity along one axis, in the window and since the last turn.
    private func mean(_ positions: SIMD8<Double>, to last: Double, at time: Double) -> Double {
        let since = time - Self.window
        var (laterTime, later) = (lastTime, last)
        var index = newest
        for _ in 0..<count {
            let (earlierTime, earlier) = (times[index & 7], positions[index & 7])
            let way = last - later
            // What was before a turn would throw the content against the last movement.
            if way.magnitude >= Self.leastTurn, way * (later - earlier) < 0 { break }
            if earlierTime <= since {
                let share = laterTime > earlierTime ? (since - earlierTime) / (laterTime - earlierTime) : 0
                return (last - (earlier + (later - earlier) * share)) / Self.window
            }
            (laterTime, later) = (earlierTime, earlier)
            index = (index + 7) & 7
        }
        // The path is shorter than the window.
        let span = time - laterTime
        return span > 1e-6 ? (last - later) / span : 0
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
    /// The location, in view points.
    public var location: Point<ViewSpace>

    /// Creates a touch at a location in view points.
    @inlinable
    public init(id: Int, location: Point<ViewSpace>) {
        self.id = id
        self.location = location
    }
}

/// What happened to a finger, with the names of UITouch.Phase.
@frozen
public enum TouchPhase: UInt8, Equatable, Sendable {
    /// The finger touched the screen.
    case began
    /// The finger moved.
    case moved
    /// The finger was lifted.
    case ended
    /// The system took the finger away: the gesture ends without a flick.
    case cancelled
}

#if !hasFeature(Embedded)
extension Touch: Codable, Hashable {}
extension TouchPhase: Codable {}
#endif
