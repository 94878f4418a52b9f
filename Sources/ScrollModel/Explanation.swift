public import ViewportGeometry

extension ScrollView {
    /// The limits that kept an operation from giving what it was asked for.
    @frozen
    public struct Limits: OptionSet, Equatable, Sendable {
        /// One bit per limit.
        public let rawValue: UInt8

        /// The limits of these bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The least scale.
        @inlinable public static var minimumZoomScale: Limits { Limits(rawValue: 1) }
        /// The greatest scale.
        @inlinable public static var maximumZoomScale: Limits { Limits(rawValue: 2) }
        /// The least offset along *x*.
        @inlinable public static var minimumContentOffsetX: Limits { Limits(rawValue: 4) }
        /// The greatest offset along *x*.
        @inlinable public static var maximumContentOffsetX: Limits { Limits(rawValue: 8) }
        /// The least offset along *y*.
        @inlinable public static var minimumContentOffsetY: Limits { Limits(rawValue: 16) }
        /// The greatest offset along *y*.
        @inlinable public static var maximumContentOffsetY: Limits { Limits(rawValue: 32) }
    }

    /// What an operation was asked for, what it gave, and why these differ.
    public struct Explanation: Equatable, Sendable {
        /// The offset that would have been without limits, at the scale that was got.
        public private(set) var askedOffset = Point<ContentSpace>.zero
        /// The offset that came of it.
        public private(set) var gotOffset = Point<ContentSpace>.zero
        /// The scale that was asked for.
        public private(set) var askedScale = 1.0
        /// The scale that came of it.
        public private(set) var gotScale = 1.0
        /// The limits that were hit.
        public private(set) var limits: Limits = []

        init() {}

        /// The explanation of a state that is as it was asked to be.
        @inline(never)
        init(_ view: ScrollView) {
            askedOffset = view.contentOffset
            gotOffset = view.contentOffset
            askedScale = view.zoomScale
            gotScale = view.zoomScale
        }

        /// Notes an offset, and the limits between the one asked for and the one got.
        mutating func setOffset(asked: Point<ContentSpace>, got: Point<ContentSpace>) {
            (askedOffset, gotOffset) = (asked, got)
            limits.formUnion(.between(asked: asked, got: got))
        }

        /// Notes the scale asked for, and the limit that it leaves.
        mutating func setScale(asked: Double, minimum: Double, maximum: Double) {
            askedScale = asked
            if asked < minimum { limits.insert(.minimumZoomScale) }
            if asked > maximum { limits.insert(.maximumZoomScale) }
        }

        /// Notes the scale that came of it.
        mutating func setScale(got: Double) { gotScale = got }

        /// Forgets the limits, and says that the scale is what was asked for.
        mutating func reset(scale: Double) {
            (askedScale, gotScale, limits) = (scale, scale, [])
        }
    }

    /// What the last operation was asked for, what it gave, and which limits it hit.
    ///
    /// An animated operation is explained by where it will arrive; pixel rounding counts as given.
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

    /// The limits that lie between two offsets, where `got` is `asked` taken into range.
    ///
    /// Less than a thousandth of a point is arithmetic, not a limit.
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
extension ScrollView.Explanation: Codable {}
extension ScrollView.Limits: Codable {}
#endif
