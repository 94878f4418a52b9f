public import ViewportGeometry

/// A scroll view as a value: what is visible, what moves it, and nothing of how it is drawn.
///
/// It behaves as UIScrollView is documented to, with three differences that everything else follows from:
/// time is an argument, never read from a clock; every operation returns the events it caused; and motion is
/// in closed form, so any number of steps ends at the same place. Sizes are points; zoomScale is view points
/// per image point. Input that is not a finite number is refused: no operation traps, none leaves a NaN
/// behind.
public struct ScrollView: Equatable, Sendable {
    // Changed by operations only, because these have consequences.
    /// The size of the window through which the content is seen.
    public internal(set) var bounds: Size<ViewSpace>
    /// The size of the content before zoom and rotation.
    public internal(set) var viewSize: Size<ImageSpace>
    /// View points per image point.
    public internal(set) var zoomScale = 1.0
    /// The least scale that zooming may rest at.
    public internal(set) var minimumZoomScale = 1.0
    /// The greatest scale that zooming may rest at.
    public internal(set) var maximumZoomScale = 1.0
    /// The content point at the top-left corner of the bounds.
    public internal(set) var contentOffset = Point<ContentSpace>.zero
    /// Distances that the program adds around the content.
    public internal(set) var contentInset = EdgeInsets.zero
    /// Distances that bars and notches cover.
    public internal(set) var safeAreaInsets = EdgeInsets.zero
    /// Where content smaller than the bounds rests.
    public internal(set) var contentAlignment = ContentAlignment.topLeading
    /// How the content is turned.
    public internal(set) var contentRotation = Rotation.none
    /// How the offset is rounded before it is seen.
    public internal(set) var rounding = Rounding.none
    /// Whether the content is anchored at its bottom, as in a chat.
    public internal(set) var isReversed = false

    // Free to change at any time: they are looked at when the next gesture needs them.
    /// Whether the content may be pulled beyond its edges.
    public var bounces = true
    /// Whether the zoom may be pulled beyond its limits.
    public var bouncesZoom = true
    /// Whether content that is not taller than the bounds may be pulled up and down nevertheless.
    public var alwaysBounceVertical = false
    /// Whether content that is not wider than the bounds may be pulled left and right nevertheless.
    public var alwaysBounceHorizontal = false
    /// Whether the content rests at multiples of the bounds.
    public var isPagingEnabled = false
    /// Whether a drag that starts along one axis stays on it.
    public var isDirectionalLockEnabled = false
    /// Whether fingers, wheel and keys scroll.
    public var isScrollEnabled = true
    /// How fast a flick loses its velocity.
    public var decelerationRate = DecelerationRate.normal

    /// The time that `advance(to:)` has reached, in seconds; what happens, happens now.
    public internal(set) var time = 0.0
    /// What moves the content by itself.
    var motion = Motion.none
    /// What the fingers are doing.
    var gesture = Gesture()

    /// The edges of the range that the offset is at.
    var edges: UInt8 = 0
    /// What the last operation was asked for, and what came of it.
    var explanation = Explanation()

    /// A scroll view of the size `bounds` over content of the size `viewSize`, at zoom 1 and its top-left
    /// corner.
    ///
    /// A size that is negative or not finite counts as zero.
    public init(bounds: Size<ViewSpace>, viewSize: Size<ImageSpace>) {
        self.bounds = Size(width: Self.length(bounds.width), height: Self.length(bounds.height))
        self.viewSize = Size(width: Self.length(viewSize.width), height: Self.length(viewSize.height))
        arriveQuietly()
    }
}

extension ScrollView {
    /// The greatest length, in points, that a size or an inset may have.
    ///
    /// It keeps every product that is computed from lengths and scales far from overflow.
    package static let greatestLength = 1e12
    /// The scales that a zoom limit may have.
    package static let possibleScales = 1e-9...1e9

    /// A length that may be used: not negative, finite.
    static func length(_ value: Double) -> Double {
        value > 0 && value.isFinite ? min(value, greatestLength) : 0
    }

    /// Whether a number may be used as a scale; it is taken into the possible ones later.
    static func isScale(_ value: Double) -> Bool { value > 0 && value.isFinite }

    /// Takes the state as it is for the new normal, without events.
    @inline(never)
    mutating func arriveQuietly() {
        contentOffset = range.clamped(contentOffset)
        edges = edgesReached
        explanation = Explanation(self)
    }
}
