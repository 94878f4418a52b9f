internal import ViewportGeometry

/// The velocity of a finger over its last 100 milliseconds.
///
/// It is the way from where the finger was 100 ms ago, between two samples if need be, to where it is now: a
/// function of the path, not of how often the path was looked at. Samples closer than 16 ms replace each
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
    /// A finger that has not been heard of since lies still.
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
