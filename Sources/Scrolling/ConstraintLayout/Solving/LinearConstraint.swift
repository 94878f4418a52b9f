/// Unknown number of a ``ConstraintSolver``, made by ``ConstraintSolver/makeVariable(nonnegative:)``.
public struct Variable: Hashable, Sendable {
    let symbol: Symbol
}

/// Weighted sum of variables and a constant, such as `2 * width + 10`.
public struct LinearExpression: Sendable {
    /// Variables with their factors; a variable can be repeated.
    public var terms: [(variable: Variable, factor: Double)]
    /// The number that is added to the weighted sum.
    public var constant: Double

    /// Makes the sum of the terms and the constant.
    public init(_ terms: [(variable: Variable, factor: Double)] = [], constant: Double = 0) {
        self.terms = terms
        self.constant = constant
    }

    /// Makes an expression of a single variable.
    public init(_ variable: Variable) { self.init([(variable, 1)]) }

    /// Adds two expressions.
    public static func + (one: Self, other: Self) -> Self {
        Self(one.terms + other.terms, constant: one.constant + other.constant)
    }
    /// Subtracts an expression from another.
    public static func - (one: Self, other: Self) -> Self { one + other * -1 }
    /// Adds a number to the constant.
    public static func + (one: Self, number: Double) -> Self {
        Self(one.terms, constant: one.constant + number)
    }
    /// Subtracts a number from the constant.
    public static func - (one: Self, number: Double) -> Self { one + -number }
    /// Multiplies all factors and the constant by a number.
    public static func * (one: Self, factor: Double) -> Self {
        Self(one.terms.map { ($0.variable, $0.factor * factor) }, constant: one.constant * factor)
    }
}

/// How the two sides of a constraint compare.
public enum LayoutRelation: String, Sendable, Hashable, CaseIterable {
    /// The left side is at most the right side.
    case lessThanOrEqual = "<="
    /// Both sides are the same.
    case equal = "=="
    /// The left side is at least the right side.
    case greaterThanOrEqual = ">="

    /// The relation with its sides exchanged.
    var flipped: Self {
        switch self {
        case .lessThanOrEqual: .greaterThanOrEqual
        case .equal: .equal
        case .greaterThanOrEqual: .lessThanOrEqual
        }
    }
}

/// Relation of a ``LinearExpression`` to zero, with a priority.
public struct LinearConstraint: Sendable {
    /// The left side; the right side is zero.
    public var expression: LinearExpression
    /// How the expression compares with zero.
    public var relation: LayoutRelation
    /// Strength of the constraint; 1000 is required.
    public var priority: LayoutPriority

    /// Makes the constraint `expression relation 0`.
    public init(
        _ expression: LinearExpression, _ relation: LayoutRelation, priority: LayoutPriority = .required
    ) {
        self.expression = expression
        self.relation = relation
        self.priority = priority
    }

    /// Makes the constraint `left relation right`.
    public init(
        _ left: LinearExpression, _ relation: LayoutRelation, _ right: LinearExpression,
        priority: LayoutPriority = .required
    ) {
        self.init(left - right, relation, priority: priority)
    }
}
