public import ViewportGeometry

/// The fingers on a view into a panorama, and what they had under them.
struct PanoramaGesture: Equatable, Sendable {
    var count = 0
    var firstID = 0
    var secondID = 0
    var first = Point<ViewSpace>.zero
    var second = Point<ViewSpace>.zero
    /// The direction under the center of the fingers at the start of the gesture.
    var anchor = Direction(x: 0, y: 0, z: 1)
    /// The distance of two fingers, and the zoom without resistance, at the start.
    var spread = 1.0
    var pull = 1.0
    /// How far the look was out of its limits at the start, beside the resistance of the rubber band.
    var slackYaw = 0.0
    var slackPitch = 0.0
    var tracker = VelocityTracker()

    var center: Point<ViewSpace> {
        count < 2 ? first : Point(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    var distance: Double {
        let (x, y) = (first.x - second.x, first.y - second.y)
        return max((x * x + y * y).squareRoot(), 1)
    }
}

/// Fingers.
extension PanoramaView {
    /// Handles one or two fingers.
    ///
    /// A finger keeps the direction below it; two zoom, too. Beyond the limits, the view follows as a rubber band does, and
    /// returns when the fingers are lifted. At a pole it stops.
    public mutating func touches(_ first: Touch, _ second: Touch? = nil, phase: TouchPhase) {
        handle(first, phase)
        if let second { handle(second, phase) }
        if phase == .moved, gesture.count > 0 { follow() }
    }

    private mutating func handle(_ touch: Touch, _ phase: TouchPhase) {
        guard touch.location.isFinite, touch.location.x.magnitude < 1e9, touch.location.y.magnitude < 1e9
        else { return }
        switch phase {
        case .began: add(touch)
        case .moved: move(touch)
        case .ended, .cancelled: remove(touch, isFlick: phase == .ended)
        }
    }

    private mutating func add(_ touch: Touch) {
        motion = .none
        switch gesture.count {
        case 0:
            gesture.count = 1
            (gesture.firstID, gesture.first) = (touch.id, touch.location)
        case 1 where touch.id != gesture.firstID:
            gesture.count = 2
            (gesture.secondID, gesture.second) = (touch.id, touch.location)
        default: return move(touch)
        }
        rebase()
    }

    private mutating func move(_ touch: Touch) {
        if gesture.count > 0, touch.id == gesture.firstID { gesture.first = touch.location }
        if gesture.count > 1, touch.id == gesture.secondID { gesture.second = touch.location }
    }

    private mutating func remove(_ touch: Touch, isFlick: Bool) {
        guard
            gesture.count > 0 && touch.id == gesture.firstID
                || gesture.count > 1 && touch.id == gesture.secondID
        else { return }
        if gesture.count == 2 {
            if touch.id == gesture.firstID {
                (gesture.firstID, gesture.first) = (gesture.secondID, gesture.second)
            }
            gesture.count = 1
            rebase()
            return
        }
        let velocity = isFlick ? gesture.tracker.velocity(at: time) : (x: 0, y: 0)
        gesture = PanoramaGesture()
        release(velocity)
    }

    /// Starts to count from here.
    private mutating func rebase() {
        let center = gesture.center
        gesture.tracker.start(at: center, time: time)
        gesture.anchor = frame.direction(at: center) ?? Direction(x: 0, y: 0, z: 1)
        gesture.spread = gesture.distance
        let (least, greatest) = extents
        gesture.pull = RubberBand.unbandedScale(extent, least, greatest)
        let length = frame.verticalFieldOfView
        gesture.slackPitch = RubberBand.unbanded(pitch, in: pitchSpan, length: length) - pitch
        gesture.slackYaw =
            yawSpan.map {
                RubberBand.unbanded(yaw, in: $0, length: projection.fieldOfView(extent)) - yaw
            } ?? 0
    }

    /// Moves what the fingers had under them below them.
    private mutating func follow() {
        let center = gesture.center
        gesture.tracker.add(center, time: time)
        if gesture.count == 2 {
            let (least, greatest) = extents
            let pulled = gesture.pull * gesture.spread / gesture.distance
            let banded = RubberBand.bandedScale(min(max(pulled, least / 16), greatest * 16), least, greatest)
            extent = min(banded, projection.extent(projection.greatestFieldOfView))
        }
        guard let goal = turned(gesture.anchor, at: center) else { return }
        let reach = panorama.reachesPoles
        let pulled = RubberBand.banded(
            goal.pitch + gesture.slackPitch, in: pitchSpan, length: frame.verticalFieldOfView)
        let span = pitchSpan
        pitch = min(max(pulled, reach.down ? span.lower : -90), reach.up ? span.upper : 90)
        if let span = yawSpan {
            yaw = RubberBand.banded(
                nearest(goal.yaw, to: (span.lower + span.upper) / 2) + gesture.slackYaw, in: span,
                length: projection.fieldOfView(extent))
        } else {
            yaw = goal.yaw
        }
    }

    /// Starts what follows when the last finger is lifted.
    private mutating func release(_ velocity: (x: Double, y: Double)) {
        let (least, greatest) = extents
        guard extent >= least * (1 - 1e-9), extent <= greatest * (1 + 1e-9) else {
            let target = resting(look)
            motion = .transition(from: stand, to: target, timing: .standard, start: time)
            return
        }
        let points = frame.pointsPerDegree
        // Meridians meet at the poles: the same way of a finger is a larger yaw there.
        let (cosine, _) = PortableMath.cosineAndSine(degrees: pitch)
        let across = -velocity.x / max(cosine, 0.2)
        let wide = ScrollRange.Span(lower: -1e9, upper: 1e9)
        let (yaws, pitches) = (yawSpan, pitchSpan)
        let decay = decelerationRate.decay
        let reach = panorama.reachesPoles
        let bounces = velocity.y > 0 ? !reach.up : !reach.down
        motion = .deceleration(
            PanoramaMotion.Deceleration(
                start: time, pointsPerDegree: points,
                across: DecelerationCurve(
                    from: yaw * points, velocity: across,
                    in: yaws.map { ScrollRange.Span(lower: $0.lower * points, upper: $0.upper * points) }
                        ?? wide,
                    decay: decay, bounces: true),
                down: DecelerationCurve(
                    from: pitch * points, velocity: velocity.y,
                    in: ScrollRange.Span(lower: pitches.lower * points, upper: pitches.upper * points),
                    decay: decay, bounces: bounces)))
        advance(to: time)
    }
}

/// Taps, wheels and keys.
extension PanoramaView {
    /// Zooms to a field of view; a point keeps its direction.
    ///
    /// - Parameter point: nil for the middle.
    public mutating func zoom(
        to fieldOfView: Double, about point: Point<ViewSpace>? = nil, animated timing: Timing? = nil
    ) {
        guard fieldOfView.isFinite, point?.isFinite ?? true else { return }
        let limits = fieldOfViewLimits
        let wanted = min(max(fieldOfView, limits.lowerBound), limits.upperBound)
        var goal = self
        goal.motion = .none
        let direction = point.flatMap { frame.direction(at: $0) }
        goal.extent = projection.extent(wanted)
        if let point, let direction, let turned = goal.turned(direction, at: point) {
            (goal.yaw, goal.pitch) = turned
        }
        let look = goal.look
        if let timing { setLook(look, animated: timing) } else { setLook(look) }
    }

    /// Zooms in by a factor of 2 about a point, and from the least field of view back to the greatest.
    public mutating func doubleTap(at point: Point<ViewSpace>, animated timing: Timing? = .standard) {
        let (least, greatest) = extents
        let target = extent <= least * (1 + 1e-9) ? greatest : extent / ScrollView.tapZoomFactor
        zoom(to: projection.fieldOfView(target), about: point, animated: timing)
    }

    /// Zooms so that a rectangle of the view fills it.
    public mutating func zoom(to rect: Rect<ViewSpace>, animated timing: Timing? = nil) {
        guard !rect.isEmpty, rect.isFinite, let middle = frame.direction(at: rect.center) else { return }
        let share = max(rect.width / bounds.width, rect.height / bounds.height)
        let look = Look(
            yaw: middle.longitude / Direction.radian, pitch: middle.latitude / Direction.radian,
            fieldOfView: projection.fieldOfView(extent * share))
        if let timing { setLook(look, animated: timing) } else { setLook(look) }
    }

    /// Turns by the movement of a wheel or trackpad, in points, or zooms about the pointer.
    ///
    /// Positive values look to the right and down, and zoom out.
    public mutating func wheel(dx: Double, dy: Double, at point: Point<ViewSpace>, zooms: Bool = false) {
        guard dx.isFinite, dy.isFinite, point.isFinite else { return }
        guard zooms else { return turn(right: dx, down: dy) }
        let octaves = min(max(dy * ScrollView.wheelOctaves, -60), 60)
        let target = extent * PortableMath.exp(octaves * 0.693_147_180_559_945_3)
        zoom(to: projection.fieldOfView(min(target, 1e6)), about: point)
    }

    /// Turns by a distance in view points of the middle.
    public mutating func turn(right: Double, down: Double, animated timing: Timing? = nil) {
        guard right.isFinite, down.isFinite else { return }
        let points = frame.pointsPerDegree
        var from = stand
        if case .transition(_, let to, _, _) = motion { from = to }
        let look = Look(
            yaw: Look.wrapped(from.yaw + right / points), pitch: from.pitch - down / points,
            fieldOfView: projection.fieldOfView(from.extent))
        if let timing { setLook(look, animated: timing) } else { setLook(look) }
    }

    /// Handles a key as ``ScrollView/press(_:animated:)`` does: arrows and page keys turn, home and end look up and down,
    /// plus and minus zoom, zero returns to the initial look.
    public mutating func press(_ key: ScrollView.Key, animated timing: Timing? = nil) {
        let page = bounds.height * ScrollView.pageShare
        let far = 180 * frame.pointsPerDegree
        switch key {
        case .arrowUp: turn(right: 0, down: -ScrollView.arrowStep, animated: timing)
        case .arrowDown: turn(right: 0, down: ScrollView.arrowStep, animated: timing)
        case .arrowLeft: turn(right: -ScrollView.arrowStep, down: 0, animated: timing)
        case .arrowRight: turn(right: ScrollView.arrowStep, down: 0, animated: timing)
        case .pageUp: turn(right: 0, down: -page, animated: timing)
        case .pageDown: turn(right: 0, down: page, animated: timing)
        case .home: turn(right: 0, down: -far, animated: timing)
        case .end: turn(right: 0, down: far, animated: timing)
        case .plus: zoom(to: projection.fieldOfView(extent / 2), animated: timing)
        case .minus: zoom(to: projection.fieldOfView(extent * 2), animated: timing)
        case .zero:
            let look = panorama.initialLook
            if let timing { setLook(look, animated: timing) } else { setLook(look) }
        }
    }
}

#if !hasFeature(Embedded)
extension PanoramaGesture: Codable {}

/// The complete state, including a gesture or motion in progress.
extension PanoramaView: Codable {
    private enum Key: String, CodingKey {
        case panorama, bounds, projection, look, stand, limits, decelerationRate, time, motion, gesture
    }

    /// Decodes a view; numbers pass the checks of values that a program sets, and impossible gestures throw.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            try values.decode(Panorama.self, forKey: .panorama),
            bounds: try values.decode(Size<ViewSpace>.self, forKey: .bounds),
            projection: try values.decode(LookProjection.self, forKey: .projection))
        let limits = try values.decode([Double].self, forKey: .limits)
        if limits.count == 2 { setFieldOfViewLimits(least: limits[0], greatest: limits[1]) }
        decelerationRate = try values.decode(DecelerationRate.self, forKey: .decelerationRate)
        setLook(try values.decode(Look.self, forKey: .look))
        let time = try values.decode(Double.self, forKey: .time)
        guard time.isFinite, time >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .time, in: values, debugDescription: "the time is not a number from 0 on")
        }
        try restore(
            try values.decode(Stand.self, forKey: .stand),
            try values.decode(PanoramaGesture.self, forKey: .gesture),
            try values.decode(PanoramaMotion.self, forKey: .motion), time,
            DecodingError.dataCorruptedError(
                forKey: .gesture, in: values, debugDescription: "a gesture or motion is impossible"))
    }

    /// Encodes the state.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(panorama, forKey: .panorama)
        try values.encode(bounds, forKey: .bounds)
        try values.encode(projection, forKey: .projection)
        try values.encode(look, forKey: .look)
        try values.encode(stand, forKey: .stand)
        try values.encode(ownLimits, forKey: .limits)
        try values.encode(decelerationRate, forKey: .decelerationRate)
        try values.encode(time, forKey: .time)
        try values.encode(motion, forKey: .motion)
        try values.encode(gesture, forKey: .gesture)
    }
}
#endif
