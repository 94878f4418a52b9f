/// Relation of two attributes: `first.attribute relation multiplier * second.attribute + constant`.
///
/// Positions are measured in the nearest common superview of both items. With leading or trailing in a view that reads from right to
/// left, the whole constraint is mirrored, also its constant: `a.leading == b.trailing + 8` puts a to the left of b.
public final class LayoutConstraint {
    /// The item on the left side.
    public let first: LayoutItem
    /// The attribute of the first item.
    public let firstAttribute: LayoutAttribute
    /// How the sides compare.
    public let relation: LayoutRelation
    /// The item on the right side; nil for a constant.
    public let second: LayoutItem?
    /// The attribute of the second item; nil for a constant.
    public let secondAttribute: LayoutAttribute?
    /// Factor by which the second attribute is multiplied, before the constant is added.
    public let multiplier: Double
    /// Number that is added on the right side, in points; can be changed at any time.
    public var constant: Double
    /// Strength of the constraint; 1000 is required.
    public let priority: LayoutPriority
    /// Name before the text of the constraint in reports; nil for none.
    public let identifier: String?

    /// Makes a constraint; an engine that it is added to makes it hold.
    ///
    /// Without a second item, the right side is the constant; the second attribute is that of the first item if it is nil. Attributes
    /// that cannot be related (``LayoutAttribute/obstacle(to:)``) are an error of the program.
    public init(
        _ first: LayoutItem, _ attribute: LayoutAttribute, _ relation: LayoutRelation,
        _ second: LayoutItem? = nil, _ secondAttribute: LayoutAttribute? = nil, multiplier: Double = 1,
        constant: Double = 0, priority: LayoutPriority = .required, identifier: String? = nil
    ) {
        let other = second == nil ? nil : secondAttribute ?? attribute
        if let obstacle = other.flatMap(attribute.obstacle(to:)) {
            preconditionFailure("\(attribute) and \(other ?? attribute): \(obstacle)")
        }
        self.first = first
        self.firstAttribute = attribute
        self.relation = relation
        self.second = second
        self.secondAttribute = other
        self.multiplier = multiplier
        self.constant = constant
        self.priority = priority
        self.identifier = identifier
    }
}

extension LayoutConstraint: CustomStringConvertible {
    /// The text form, as ``parse(_:views:metrics:)`` reads it: `photo.width <= 0.5 * superview.width + 10 @750`.
    public var description: String {
        var text = "\(first.name).\(firstAttribute.rawValue) \(relation.rawValue) "
        if let second, let secondAttribute {
            if multiplier != 1 { text += "\(multiplier.shortest) * " }
            text += "\(second.name).\(secondAttribute.rawValue)"
            if constant != 0 {
                text += constant < 0 ? " - \((-constant).shortest)" : " + \(constant.shortest)"
            }
        } else {
            text += constant.shortest
        }
        if priority != .required { text += " @\(priority)" }
        return text
    }
}
