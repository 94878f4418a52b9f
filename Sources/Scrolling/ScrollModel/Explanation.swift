public import ViewportGeometry

extension ScrollView {
    /// The limits that changed the result of an operation.
    @frozen
    public struct Limits: OptionSet, Equatable, Sendable {
        /// One bit per limit.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The request was below ``ScrollView/minimumZoomScale``.
        @inlinable public static var minimumZoomScale: Limits { Limits(rawValue: 1) }
        /// The request was above ``ScrollView/maximumZoomScale``.
        @inlinable public static var maximumZoomScale: Limits { Limits(rawValue: 2) }
        /// The request was to the left of ``ScrollView/minimumContentOffset``.
        @inlinable public static var minimumContentOffsetX: Limits { Limits(rawValue: 4) }
        /// The request was to the right of ``ScrollView/maximumContentOffset``.
        @inlinable public static var maximumContentOffsetX: Limits { Limits(rawValue: 8) }
        /// The request was above ``ScrollView/minimumContentOffset``.
        @inlinable public static var minimumContentOffsetY: Limits { Limits(rawValue: 16) }
        /// The request was below ``ScrollView/maximumContentOffset``.
        @inlinable public static var maximumContentOffsetY: Limits { Limits(rawValue: 32) }
    }

    /// The requested and the resulting scale and offset of an operation, and the limits between them.
    public struct Explanation: Equatable, Sendable {
        /// The offset without limits, at the resulting scale.
        public private(set) var askedOffset = Point<ContentSpace>.zero
        /// The offset that the operation set or animates to, within the limits.
        public private(set) var gotOffset = Point<ContentSpace>.zero
        /// The scale that the operation requested, in view points per image point.
        public private(set) var askedScale = 1.0
        /// The scale that the operation set or animates to, within the limits.
        public private(set) var gotScale = 1.0
        /// The limits that the operation hit.
        public private(set) var limits: Limits = []

        init() {}

        /// Creates an explanation of a state that equals the request.
        @inline(never)
        init(_ view: ScrollView) {
            askedOffset = view.contentOffset
            gotOffset = view.contentOffset
            askedScale = view.zoomScale
            gotScale = view.zoomScale
        }

        /// Records an offset and the limits that it hit.
        @inline(never)
        mutating func setOffset(asked: Point<ContentSpace>, got: Point<ContentSpace>) {
            (askedOffset, gotOffset) = (asked, got)
            limits.formUnion(.between(asked: asked, got: got))
        }

        /// Records the requested scale and the limit that it exceeds.
        @inline(never)
        mutating func setScale(asked: Double, minimum: Double, maximum: Double) {
            askedScale = asked
            if asked < minimum { limits.insert(.minimumZoomScale) }
            if asked > maximum { limits.insert(.maximumZoomScale) }
        }

        /// Records the resulting scale.
        mutating func setScale(got: Double) { gotScale = got }

        /// Removes the limits and records a scale that equals the request.
        mutating func reset(scale: Double) {
            (askedScale, gotScale, limits) = (scale, scale, [])
        }
    }

    /// The request and result of the last operation, and the limits that it hit.
    ///
    /// The result of an animated operation is its target. Rounding to pixels is not a limit.
    public var explain: Explanation { explanation }
}

extension ScrollView.Limits {
    /// The names of the limits, in a fixed order.
    public var names: [StaticString] {
        var names: [StaticString] = []
        if contains(.minimumZoomScale) { names.append("minimumZoomScale") }
        if contains(.maximumZoomScale) { names.append("maximumZoomScale") }
        if contains(.minimumContentOffsetX) { names.append("minimumContentOffset.x") }
        if contains(.maximumContentOffsetX) { names.append("maximumContentOffset.x") }
        if contains(.minimumContentOffsetY) { names.append("minimumContentOffset.y") }
        if contains(.maximumContentOffsetY) { names.append("maximumContentOffset.y") }
        return names
    }

    /// Returns the limits that `asked` exceeds, given the offset clamped to the range.
    ///
    /// A difference below a thousandth of a point is rounding error, not a limit.
    static func between(asked: Point<ContentSpace>, got: Point<ContentSpace>) -> Self {
        var limits: Self = []
        if asked.x < got.x - 1e-3 { limits.insert(.minimumContentOffsetX) }
        if asked.x > got.x + 1e-3 { limits.insert(.maximumContentOffsetX) }
        if asked.y < got.y - 1e-3 { limits.insert(.minimumContentOffsetY) }
        if asked.y > got.y + 1e-3 { limits.insert(.maximumContentOffsetY) }
        return limits
    }
}

#if !hasFeature(Embedded)
extension ScrollView.Explanation: Codable, Hashable {}
extension ScrollView.Limits: Codable, Hashable {}

extension ScrollView.Explanation: CustomStringConvertible {
    /// "900,587.5 at 2.0", and what was asked for and hit which limits, if any.
    public var description: String {
        let got = "\(gotOffset) at \(gotScale)"
        guard !limits.isEmpty else { return got }
        return "\(got), asked \(askedOffset) at \(askedScale), hit \(limits)"
    }
}

extension ScrollView: CustomStringConvertible {
    /// Bounds, offset, content and scale: "390x844 at 0,12.5 of 780x600, scale 0.2".
    public var description: String { "\(bounds) at \(contentOffset) of \(contentSize), scale \(zoomScale)" }
}

extension PanoramaView: CustomStringConvertible {
    /// Bounds and look: "390x844, yaw 30.0, pitch -10.0, roll 0.0, fov 90.0".
    public var description: String { "\(bounds), \(look)" }
}

extension ScrollView.Limits: CustomStringConvertible {
    /// The names of the limits: "minimumZoomScale, maximumContentOffset.x".
    public var description: String { names.map { "\($0)" }.joined(separator: ", ") }
}
#endif
