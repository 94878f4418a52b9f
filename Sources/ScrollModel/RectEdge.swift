/// An edge of a rectangle, as UIRectEdge names them.
@frozen
public enum RectEdge: UInt8, CaseIterable, Equatable, Sendable {
    case top, left, bottom, right

    /// Some edges of a rectangle.
    @frozen
    public struct Set: OptionSet, Equatable, Sendable {
        public let rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// One edge.
        @inlinable
        public init(_ edge: RectEdge) { rawValue = 1 << edge.rawValue }

        @inlinable public static var top: Set { Set(.top) }
        @inlinable public static var left: Set { Set(.left) }
        @inlinable public static var bottom: Set { Set(.bottom) }
        @inlinable public static var right: Set { Set(.right) }
        @inlinable public static var all: Set { [.top, .left, .bottom, .right] }
    }
}
