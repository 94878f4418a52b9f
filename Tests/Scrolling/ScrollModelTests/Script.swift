import ScrollModel
import ViewportGeometry

/// A scroll view with a log of its events, for tests that play gestures.
struct Script {
    var view: ScrollView
    var log: [ScrollEvent] = []

    init(
        _ bounds: (Double, Double) = (320, 460), over size: (Double, Double) = (1000, 1000),
        zoom: ClosedRange<Double> = 1...1, _ change: (inout ScrollView) -> Void = { _ in }
    ) {
        view = ScrollView(
            bounds: Size(width: bounds.0, height: bounds.1), viewSize: Size(width: size.0, height: size.1))
        view.setZoomLimits(minimum: zoom.lowerBound, maximum: zoom.upperBound)
        change(&view)
    }

    /// The names of the events, separated by spaces.
    var names: String { log.map { "\($0.name)" }.joined(separator: " ") }

    /// The names of the events, with repeated names written once.
    var runs: String {
        var names: [String] = []
        for event in log where names.last != "\(event.name)" { names.append("\(event.name)") }
        return names.joined(separator: " ")
    }

    mutating func act(_ action: (inout ScrollView) -> ScrollEvents) { log += Array(action(&view)) }

    mutating func touch(_ phase: TouchPhase, _ x: Double, _ y: Double, id: Int = 1) {
        act { $0.touches(Touch(id: id, location: Point(x: x, y: y)), phase: phase) }
    }

    mutating func touch(_ phase: TouchPhase, _ a: (Double, Double), _ b: (Double, Double)) {
        act {
            $0.touches(
                Touch(id: 1, location: Point(x: a.0, y: a.1)), Touch(id: 2, location: Point(x: b.0, y: b.1)),
                phase: phase)
        }
    }

    mutating func wait(_ seconds: Double, steps: Int = 1) {
        let start = view.time
        for step in 1...steps { act { $0.advance(to: start + seconds * Double(step) / Double(steps)) } }
    }

    /// Moves a finger between two points at constant speed, and optionally lifts it.
    mutating func drag(
        from: (Double, Double), to: (Double, Double), seconds: Double, steps: Int = 10, pause: Double = 0,
        lifts: Bool = true
    ) {
        touch(.began, from.0, from.1)
        for step in 1...steps {
            wait(seconds / Double(steps))
            let share = Double(step) / Double(steps)
            touch(.moved, from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
        }
        if pause > 0 { wait(pause) }
        if lifts { touch(.ended, to.0, to.1) }
    }
}

extension Double {
    /// Whether two numbers are equal within rounding error.
    func isClose(to other: Double, _ tolerance: Double = 1e-9) -> Bool {
        (self - other).magnitude <= tolerance * Swift.max(1, other.magnitude)
    }
}
