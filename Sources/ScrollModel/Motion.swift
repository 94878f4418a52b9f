internal import ViewportGeometry

/// What moves the content by itself, as a function of time: nothing is added up from step to step.
enum Motion: Equatable, Sendable {
    case none
    case deceleration(Deceleration)
    case transition(Transition)
    case flight(FlightPlan)

    /// Both coordinates of an offset on their way to rest, along the axes of the range.
    struct Deceleration: Equatable, Sendable {
        var start: Double
        var range: ScrollRange
        var first: Glide
        var second: Glide

        var duration: Double { max(first.duration, second.duration) }
        var rest: Point<ContentSpace> { range.point(first.rest, second.rest) }

        func offset(after t: Double) -> Point<ContentSpace> {
            range.point(first.value(at: t), second.value(at: t))
        }
    }

    /// A change from one place to another in which every image point crosses the screen in a straight line.
    ///
    /// The place on the screen of an image point *p* is *p z - o*: it moves straight if *o* and *z* change by
    /// the same share. The scale itself goes by powers, so that each moment enlarges by the same factor.
    struct Transition: Equatable, Sendable {
        enum Purpose: UInt8, Equatable, Sendable { case scroll, zoom, zoomBounce }

        var start: Double
        var from: ScrollView.Goal
        var to: ScrollView.Goal
        var timing: Timing
        var purpose: Purpose
        /// Both ends are in range, and so is the way between them.
        var staysInRange: Bool

        func place(after t: Double) -> ScrollView.Goal {
            guard t < timing.duration else { return to }
            let progress = timing.progress(at: t)
            let power = Elementary.log(to.scale / from.scale)
            var scale = from.scale
            var share = progress
            if power.magnitude > 1e-9 {
                scale = from.scale * Elementary.exp(power * progress)
                share = (scale - from.scale) / (to.scale - from.scale)
            }
            return ScrollView.Goal(
                scale: scale,
                offset: Point(
                    x: from.offset.x + (to.offset.x - from.offset.x) * share,
                    y: from.offset.y + (to.offset.y - from.offset.y) * share))
        }
    }

    /// A flight with its times.
    struct FlightPlan: Equatable, Sendable {
        var start: Double
        var duration: Double
        var flight: Flight
        var to: ScrollView.Goal
    }
}

#if !hasFeature(Embedded)
    extension Motion: Codable {}
    extension Motion.Deceleration: Codable {}
    extension Motion.Transition: Codable {}
    extension Motion.Transition.Purpose: Codable {}
    extension Motion.FlightPlan: Codable {}
#endif
