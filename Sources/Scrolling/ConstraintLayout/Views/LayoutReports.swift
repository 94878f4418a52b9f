/// Constraint that a layout left out, because it contradicts required constraints.
public struct LayoutConflict: CustomStringConvertible {
    /// The constraint without effect.
    public let constraint: LayoutConstraint
    /// Required constraints that it contradicts, together with the size of the root.
    public let others: [LayoutConstraint]
    /// Whether a number of the constraint is not finite or too large; its priority is then of no account.
    public let isOutOfRange: Bool

    /// One sentence that names all constraints.
    public var description: String {
        let reason =
            if isOutOfRange {
                "its numbers are not finite or too large"
            } else if others.isEmpty {
                "it contradicts the size of the root, or makes a size negative"
            } else {
                "it contradicts \(others.map(\.name).joined(separator: ", "))"
            }
        return "\(constraint.name) was left out: \(reason)"
    }
}

/// View or guide whose position or size on one axis the constraints do not determine.
public struct LayoutAmbiguity: CustomStringConvertible {
    /// The view or guide that is not determined.
    public let item: LayoutItem
    /// The axis on which another frame would be as good.
    public let axis: LayoutAxis

    /// The name of the item, and the axis: `photo (horizontal)`.
    public var description: String { "\(item.name) (\(axis.rawValue))" }
}

extension LayoutConstraint {
    /// The identifier and the text form.
    fileprivate var name: String { identifier.map { "\($0) (\(description))" } ?? description }
}
