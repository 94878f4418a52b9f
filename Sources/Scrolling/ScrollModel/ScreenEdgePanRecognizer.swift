public import ViewportGeometry

/// Recognizes a pan that starts at an edge of the screen, as UIScreenEdgePanGestureRecognizer does.
///
/// Touches are in points of the upright screen, regardless of how it is held. Edges, translation and velocity
/// are those of the rotated interface. Like the scroll view, the recognizer is a value, and time is an
/// argument.
public struct ScreenEdgePanRecognizer: Equatable, Sendable {
    /// The progress of a gesture.
    @frozen
    public enum State: UInt8, Equatable, Sendable {
        /// No finger, or a finger that may still pan from an edge.
        case possible
        /// The finger has moved far enough from the edge.
        case began
        /// The finger has moved again.
        case changed
        /// The finger was lifted after the gesture began.
        case ended
        /// The system cancelled the touch.
        case cancelled
        /// The touches are another gesture.
        case failed
    }

    /// The orientation of the interface.
    ///
    /// Left and right name the side of the home button.
    @frozen
    public enum InterfaceOrientation: UInt8, CaseIterable, Equatable, Sendable {
        /// Upright.
        case portrait
        /// Upside down.
        case portraitUpsideDown
        /// Sideways, with the home button on the left.
        case landscapeLeft
        /// Sideways, with the home button on the right.
        case landscapeRight
    }

    /// The edges of the interface at which a pan may start.
    public var edges: RectEdge.Set
    /// The size of the upright screen, in points.
    public let screen: Size<ViewSpace>
    /// The orientation of the interface.
    ///
    /// A change takes effect with the next touch.
    public var orientation: InterfaceOrientation

    /// The progress of the gesture.
    public private(set) var state = State.possible
    /// The edge at which the pan started; nil until the gesture begins.
    public private(set) var edge: RectEdge?
    /// The distance that the finger has moved, in points of the interface.
    public private(set) var translation = Point<ViewSpace>.zero

    /// The greatest distance from the edge, in points, at which the touch may begin.
    public static let edgeWidth = 20.0
    /// The distance, in points, that the finger must move before the gesture begins.
    public static let threshold = 10.0

    private var candidates: RectEdge.Set = []
    private var finger: Int?
    private var start = Point<ViewSpace>.zero
    private var held = InterfaceOrientation.portrait
    private var tracker = VelocityTracker()
    private var time = 0.0

    /// Creates a recognizer for an upright screen of the size `screen`, in points.
    ///
    /// With a size that is not finite it recognizes only the top and left edges.
    public init(
        edges: RectEdge.Set, screen: Size<ViewSpace>, orientation: InterfaceOrientation = .portrait
    ) {
        self.edges = edges
        self.screen = screen
        self.orientation = orientation
    }

    /// The velocity of the finger over its last 100 milliseconds, in points of the interface per second.
    public var velocity: Velocity {
        let (x, y) = tracker.velocity(at: time)
        return Velocity(x: x, y: y)
    }

    /// Handles a touch at a time in seconds and returns the new state.
    ///
    /// A location or time that is not finite has no effect.
    @discardableResult
    public mutating func touch(_ touch: Touch, phase: TouchPhase, at time: Double) -> State {
        guard touch.location.isFinite, time.isFinite else { return state }
        self.time = time
        switch phase {
        case .began: begin(touch)
        case .moved: move(touch)
        case .ended, .cancelled:
            guard touch.id == finger else { return state }
            if phase == .ended { move(touch) }
            finger = nil
            let isUnderWay = state == .began || state == .changed
            state = isUnderWay ? (phase == .ended ? .ended : .cancelled) : .failed
        }
        return state
    }

    private mutating func begin(_ touch: Touch) {
        guard finger == nil else {
            // A second finger before the gesture begins makes it another gesture.
            if state == .possible { state = .failed }
            return
        }
        finger = touch.id
        held = orientation
        (edge, translation) = (nil, .zero)
        start = turned(touch.location)
        tracker.start(at: start, time: time)
        let size = held.isLandscape ? (screen.height, screen.width) : (screen.width, screen.height)
        candidates = []
        if start.y <= Self.edgeWidth { candidates.insert(.top) }
        if start.x <= Self.edgeWidth { candidates.insert(.left) }
        if start.y >= size.1 - Self.edgeWidth { candidates.insert(.bottom) }
        if start.x >= size.0 - Self.edgeWidth { candidates.insert(.right) }
        candidates.formIntersection(edges)
        state = candidates.isEmpty ? .failed : .possible
    }

    private mutating func move(_ touch: Touch) {
        guard touch.id == finger, state != .failed else { return }
        let point = turned(touch.location)
        tracker.add(point, time: time)
        translation = Point(x: point.x - start.x, y: point.y - start.y)
        guard state == .possible else {
            state = .changed
            return
        }
        guard max(translation.x.magnitude, translation.y.magnitude) >= Self.threshold else { return }
        for bit in 0..<UInt8(4) where edge == nil {
            guard let side = RectEdge(rawValue: bit), candidates.contains(RectEdge.Set(side)) else {
                continue
            }
            if isInwards(from: side) { edge = side }
        }
        state = edge == nil ? .failed : .began
    }

    /// Whether the finger has moved farther from the edge than along it.
    private func isInwards(from edge: RectEdge) -> Bool {
        let (x, y) = (translation.x, translation.y)
        return switch edge {
        case .top: y > x.magnitude
        case .left: x > y.magnitude
        case .bottom: -y > x.magnitude
        case .right: -x > y.magnitude
        }
    }

    /// Converts a point of the upright screen to the rotated interface.
    private func turned(_ point: Point<ViewSpace>) -> Point<ViewSpace> {
        switch held {
        case .portrait: point
        case .portraitUpsideDown: Point(x: screen.width - point.x, y: screen.height - point.y)
        case .landscapeLeft: Point(x: screen.height - point.y, y: point.x)
        case .landscapeRight: Point(x: point.y, y: screen.width - point.x)
        }
    }
}

extension ScreenEdgePanRecognizer.InterfaceOrientation {
    fileprivate var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}
