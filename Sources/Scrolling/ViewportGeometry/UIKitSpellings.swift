#if !hasFeature(Embedded)

extension Rect {
    /// See ``Rect/intersection(_:)``.
    @available(*, unavailable, message: "intersection(_:) returns nil where CGRect's is null")
    public static var null: Self { .zero }

    /// See ``Rect/intersection(_:)``.
    @available(*, unavailable, message: "intersection(_:) returns nil where CGRect's is null")
    public var isNull: Bool { false }

    /// See ``Rect/isFinite``.
    @available(*, unavailable, message: "use optionals instead of special rectangles")
    public static var infinite: Self { .zero }

    /// See ``Rect/isFinite``.
    @available(*, unavailable, message: "use !isFinite")
    public var isInfinite: Bool { false }

    /// Rectangles are `Equatable`.
    @available(*, unavailable, message: "use ==")
    public func equalTo(_ other: Self) -> Bool { self == other }
}

extension Point {
    /// Points are `Equatable`.
    @available(*, unavailable, message: "use ==")
    public func equalTo(_ other: Self) -> Bool { self == other }
}

extension Size {
    /// Sizes are `Equatable`.
    @available(*, unavailable, message: "use ==")
    public func equalTo(_ other: Self) -> Bool { self == other }
}

extension EdgeInsets {
    /// See ``EdgeInsets/init(top:left:bottom:right:)``.
    @available(*, unavailable, renamed: "init(top:left:bottom:right:)")
    public init(top: Double, leading: Double, bottom: Double, trailing: Double) {
        self.init(top: top, left: leading, bottom: bottom, right: trailing)
    }
}

// UIKit's own types would be ambiguous with these.
#if !canImport(UIKit)
/// See ``EdgeInsets``.
@available(*, unavailable, renamed: "EdgeInsets")
public typealias UIEdgeInsets = EdgeInsets
/// See ``EdgeInsets``.
@available(*, unavailable, message: "use EdgeInsets, with left and right")
public typealias NSDirectionalEdgeInsets = EdgeInsets
#endif

#endif
