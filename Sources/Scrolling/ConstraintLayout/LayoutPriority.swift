/// Strength of a constraint, from above 0 to 1000.
///
/// Priorities are strictly ordered: the solver gives up any number of constraints of a lower priority for the smallest
/// improvement of a constraint of a higher priority. Constraints of the same priority share their error: the sum of its absolute
/// values is least.
public struct LayoutPriority: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number, in 0.001…1000.
    public let rawValue: Double

    /// Makes a priority; numbers outside of 0.001…1000 become the nearest end, and NaN becomes required.
    public init(rawValue: Double) {
        self.rawValue = rawValue.isNaN ? 1000 : min(max(rawValue, 0.001), 1000)
    }

    /// 1000: the constraint holds, or the layout leaves it out and reports a conflict.
    public static let required = Self(rawValue: 1000)
    /// 750: the resistance of content against being cut off.
    public static let high = Self(rawValue: 750)
    /// 250: the hugging of content.
    public static let low = Self(rawValue: 250)

    /// Compares by number.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension LayoutPriority: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Makes a priority of a literal, such as `999.5`.
    public init(floatLiteral value: Double) { self.init(rawValue: value) }
    /// Makes a priority of a literal, such as `999`.
    public init(integerLiteral value: Int) { self.init(rawValue: Double(value)) }
    /// The number, in its shortest form.
    public var description: String { rawValue.shortest }
}

extension Double {
    /// The number without ".0".
    var shortest: String {
        guard let whole = Int(exactly: self) else { return "\(self)" }
        return "\(whole)"
    }
}
