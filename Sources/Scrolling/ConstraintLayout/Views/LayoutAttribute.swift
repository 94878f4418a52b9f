/// Edge, center, baseline or size of a view that constraints relate.
public enum LayoutAttribute: String, Sendable, Hashable, CaseIterable {
    /// Left edge.
    case left
    /// Right edge.
    case right
    /// Top edge.
    case top
    /// Bottom edge.
    case bottom
    /// Left in languages written from left to right, else right.
    case leading
    /// Right in languages written from left to right, else left.
    case trailing
    /// Width.
    case width
    /// Height.
    case height
    /// Middle between left and right.
    case centerX
    /// Middle between top and bottom.
    case centerY
    /// Baseline of the first line of text; the top edge of views without text.
    case firstBaseline
    /// Baseline of the last line of text; the bottom edge of views without text.
    case lastBaseline

    /// The direction that the attribute measures.
    public var axis: LayoutAxis {
        switch self {
        case .left, .right, .leading, .trailing, .width, .centerX: .horizontal
        case .top, .bottom, .height, .centerY, .firstBaseline, .lastBaseline: .vertical
        }
    }

    /// Whether the attribute is a length, not a position.
    public var isSize: Bool { self == .width || self == .height }

    var isAbsoluteEdge: Bool { self == .left || self == .right }
    var isDirected: Bool { self == .leading || self == .trailing }

    /// Returns why no constraint can relate two attributes; nil if one can.
    public func obstacle(to other: LayoutAttribute) -> String? {
        if isSize != other.isSize { return "a size cannot be related to a position" }
        if isSize { return nil }
        if axis != other.axis { return "a horizontal position cannot be related to a vertical one" }
        if isAbsoluteEdge && other.isDirected || isDirected && other.isAbsoluteEdge {
            return "left and right cannot be related to leading and trailing"
        }
        return nil
    }
}

/// Direction of measurement.
public enum LayoutAxis: String, Sendable, Hashable, CaseIterable {
    /// Left to right.
    case horizontal
    /// Top to bottom.
    case vertical
}

/// Direction of reading, which leading and trailing follow.
public enum LayoutDirection: String, Sendable, Hashable, CaseIterable {
    /// As English.
    case leftToRight
    /// As Arabic and Hebrew.
    case rightToLeft
}

/// Rectangle in points, with the origin at the top left.
public struct LayoutRect: Hashable, Codable, Sendable {
    /// Distance of the left edge from that of the superview, in points.
    public var x: Double
    /// Distance of the top edge from that of the superview, in points.
    public var y: Double
    /// Width in points, never negative.
    public var width: Double
    /// Height in points, never negative.
    public var height: Double

    /// Makes a rectangle of its left and top edge and its size, in points.
    public init(x: Double = 0, y: Double = 0, width: Double = 0, height: Double = 0) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

/// Width and height in points.
public struct LayoutSize: Hashable, Codable, Sendable {
    /// Width in points.
    public var width: Double
    /// Height in points.
    public var height: Double

    /// Makes a size in points.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// Natural size of a view's content, in points; nil where the content has none.
public struct IntrinsicSize: Hashable, Codable, Sendable {
    /// Natural width in points; nil if the content has none.
    public var width: Double?
    /// Natural height in points; nil if the content has none.
    public var height: Double?

    /// Makes a size of which both parts are optional.
    public init(width: Double? = nil, height: Double? = nil) {
        self.width = width
        self.height = height
    }
}

/// One priority for each axis.
public struct AxisPriorities: Hashable, Sendable {
    /// Priority for the width.
    public var horizontal: LayoutPriority
    /// Priority for the height.
    public var vertical: LayoutPriority

    /// Makes priorities of both axes.
    public init(horizontal: LayoutPriority, vertical: LayoutPriority) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// Makes the same priority for both axes.
    public init(_ both: LayoutPriority) { self.init(horizontal: both, vertical: both) }

    /// Returns the priority of an axis.
    public subscript(axis: LayoutAxis) -> LayoutPriority { axis == .horizontal ? horizontal : vertical }
}

/// Distances from the edges of a view to its margins, in points.
public struct LayoutMargins: Hashable, Codable, Sendable {
    /// Distance from the top edge downwards, in points.
    public var top: Double
    /// Distance from the leading edge inwards, in points.
    public var leading: Double
    /// Distance from the bottom edge upwards, in points.
    public var bottom: Double
    /// Distance from the trailing edge inwards, in points.
    public var trailing: Double

    /// Makes margins.
    public init(top: Double, leading: Double, bottom: Double, trailing: Double) {
        self.top = top
        self.leading = leading
        self.bottom = bottom
        self.trailing = trailing
    }

    /// Makes four equal margins.
    public init(_ all: Double) { self.init(top: all, leading: all, bottom: all, trailing: all) }
}

extension LayoutRect: CustomStringConvertible {
    /// `x,y,width,height`.
    public var description: String { listed([x, y, width, height]) }
}

extension LayoutSize: CustomStringConvertible {
    /// `widthxheight`, such as `640x480`.
    public var description: String { "\(plain(width))x\(plain(height))" }
}

extension IntrinsicSize: CustomStringConvertible {
    /// `widthxheight`, with `-` for a side that the content leaves open.
    public var description: String { "\(width.map(plain) ?? "-")x\(height.map(plain) ?? "-")" }
}

extension LayoutMargins: CustomStringConvertible {
    /// `top,leading,bottom,trailing`.
    public var description: String { listed([top, leading, bottom, trailing]) }
}

private func listed(_ numbers: [Double]) -> String { numbers.map(plain).joined(separator: ",") }

/// The number without a fraction of zero.
private func plain(_ number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
