public import ViewportGeometry

/// Recognizes a finger that comes in from an edge of the screen, as UIScreenEdgePanGestureRecognizer does.
///
/// Touches are given in points of the screen as it is held upright, whichever way it is held now; edges,
/// translation and velocity are those of the interface as it is turned, so that the gesture always happens at
/// the same place of what is seen. Like the scroll view, it is a value, and time is an argument.
public struct ScreenEdgePanRecognizer: Equatable, Sendable {
    /// The progress of a gesture.
    @frozen
    public enum State: UInt8, Equatable, Sendable {
        /// No finger, or one that may still come in from an edge.
        case possible
        /// The finger has come in far enough.
        case began
        /// The finger has moved on.
        case changed
        /// The finger has left after the gesture began.
        case ended
        /// The system has taken the finger away.
        case cancelled
        /// It is another gesture.
        case failed
    }

    /// The turn of the interface on the screen; left and right say where the home button is.
    @frozen
    public enum InterfaceOrientation: UInt8, CaseIterable, Equatable, Sendable {
        /// Upright.
        case portrait
        /// Upside down.
        case portraitUpsideDown
        /// On its side, the home button left.
        case landscapeLeft
        /// On its side, the home button right.
        case landscapeRight
    }

    /// The edges that it accepts.
    public var edges: RectEdge.Set
    /// The size of the screen held upright, in points.
    public let screen: Size<ViewSpace>
    /// How the interface is turned; a change counts from the next touch on.
    public var orientation: InterfaceOrientation

    /// The progress of the gesture.
    public private(set) var state = State.possible
    /// The edge that the finger has come in from; nil until it has begun.
    public private(set) var edge: RectEdge?
    /// How far the finger has come since it touched the screen, in points of the interface.
    public private(set) var translation = Point<ViewSpace>.zero

    /// Points from the edge within which the finger must come down.
    public static let edgeWidth = 20.0
    /// Points that it must come in before the gesture begins.
    public static let threshold = 10.0

    private var candidates: RectEdge.Set = []
    private var finger: Int?
    private var start = Point<ViewSpace>.zero
    private var held = InterfaceOrientation.portrait
    private var tracker = VelocityTracker()
    private var time = 0.0

    /// A recognizer for a screen of this size, held upright, in points; one that is not finite recognizes only
    /// its top and left edge.
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

    /// Handles what has happened to a finger at a time, in seconds; returns the new state.
    ///
    /// A touch or a time that is not finite changes nothing.
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
            // A second finger makes it another gesture, unless this one has begun.
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

    /// Whether the finger has come in more than it has gone along the edge.
    private func isInwards(from edge: RectEdge) -> Bool {
        let (x, y) = (translation.x, translation.y)
        return switch edge {
        case .top: y > x.magnitude
        case .left: x > y.magnitude
        case .bottom: -y > x.magnitude
        case .right: -x > y.magnitude
        }
    }

    /// A point of the upright screen in the interface as it is held.
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
