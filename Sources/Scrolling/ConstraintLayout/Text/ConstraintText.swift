extension LayoutConstraint {
    /// Reads the text form of a constraint, such as `photo.width <= 0.5 * superview.width + 10 @750`.
    ///
    /// The left side is a view and an attribute. The right side is a sum of numbers, metrics and at most one attribute of a view, which
    /// can be multiplied and divided by numbers. The view `superview` is the root of the views; `NAME.margins` is the margins
    /// guide of a view. A position without a view on the right is measured in the superview.
    public static func parse(
        _ text: String, views: [String: LayoutItem], metrics: [String: Double] = [:]
    ) throws(LayoutSyntaxError) -> LayoutConstraint {
        var parser = ConstraintParser(scanner: TextScanner(text), views: views, metrics: metrics)
        return try parser.constraint()
    }
}

private struct ConstraintParser {
    /// Number, or number times an attribute of an item.
    struct Term {
        var factor: Double
        var item: (item: LayoutItem, attribute: LayoutAttribute, offset: Int)?
    }

    var scanner: TextScanner
    let views: [String: LayoutItem]
    let metrics: [String: Double]

    mutating func constraint() throws(LayoutSyntaxError) -> LayoutConstraint {
        scanner.skipSpaces()
        guard let name = scanner.name() else { throw scanner.expected("a view") }
        let first = try attribute(of: name)
        guard let relation = scanner.relation() else { throw scanner.expected("==, <= or >=") }
        let right = try sum()
        if let second = right.term.item, let obstacle = first.attribute.obstacle(to: second.attribute) {
            throw scanner.error(obstacle, at: second.offset)
        }
        let priority = try scanner.priority(metrics) ?? .required
        scanner.skipSpaces()
        guard scanner.isAtEnd else { throw scanner.expected("an operator, a priority or the end") }
        return LayoutConstraint(
            first.item, first.attribute, relation, right.term.item?.item, right.term.item?.attribute,
            multiplier: right.term.item == nil ? 1 : right.term.factor, constant: right.constant,
            priority: priority)
    }

    /// Reads terms with their signs.
    mutating func sum() throws(LayoutSyntaxError) -> (term: Term, constant: Double) {
        var found = Term(factor: 0, item: nil)
        var constant = 0.0
        var sign: Double = scanner.take("-") ? -1 : 1
        while true {
            let term = try product()
            if let item = term.item {
                if let former = found.item {
                    guard former.item === item.item, former.attribute == item.attribute else {
                        throw scanner.error("the right side can name one attribute only", at: item.offset)
                    }
                }
                found = Term(factor: found.factor + sign * term.factor, item: item)
            } else {
                constant += sign * term.factor
            }
            if scanner.take("+") {
                sign = 1
            } else if scanner.take("-") {
                sign = -1
            } else {
                return (found, constant)
            }
        }
    }

    /// Reads factors, divisors and at most one attribute.
    mutating func product() throws(LayoutSyntaxError) -> Term {
        var result = try factor()
        while true {
            scanner.skipSpaces()
            let start = scanner.offset
            if scanner.take("*") {
                let next = try factor()
                if let item = next.item, result.item != nil {
                    throw scanner.error("attributes cannot be multiplied by each other", at: item.offset)
                }
                result = Term(factor: result.factor * next.factor, item: result.item ?? next.item)
            } else if scanner.take("/") {
                scanner.skipSpaces()
                let place = scanner.offset
                let next = try factor()
                guard next.item == nil else {
                    throw scanner.error("nothing can be divided by an attribute", at: place)
                }
                guard next.factor != 0 else { throw scanner.error("division by zero", at: place) }
                result.factor /= next.factor
            } else {
                return result
            }
            guard result.factor.magnitude <= (result.item == nil ? 1e9 : 1e6) else {
                throw scanner.error("the product is too large", at: start)
            }
        }
    }

    mutating func factor() throws(LayoutSyntaxError) -> Term {
        if scanner.take("-") {
            guard let number = try scanner.value(metrics) else { throw scanner.expected("a number") }
            return Term(factor: -number)
        }
        if let number = try scanner.number() { return Term(factor: number) }
        let start = scanner.offset
        guard let name = scanner.name() else { throw scanner.expected("a number, a metric or a view") }
        // A dot makes it a view, so that metrics and views can have the same names.
        if scanner.peek(".") {
            let (item, attribute) = try attribute(of: name, at: start)
            return Term(factor: 1, item: (item, attribute, start))
        }
        if let metric = metrics[name] {
            guard metric.magnitude <= 1e9 else {
                throw scanner.error("the metric “\(name)” is not finite or too large", at: start)
            }
            return Term(factor: metric)
        }
        guard views[name] == nil, name != "superview" else {
            throw scanner.error("“\(name)” needs an attribute, as in \(name).width")
        }
        throw scanner.error("there is no metric or view “\(name)”", at: start)
    }

    /// Reads `.attribute` or `.margins.attribute` after the name of a view.
    mutating func attribute(
        of name: String, at start: Int? = nil
    ) throws(LayoutSyntaxError) -> (item: LayoutItem, attribute: LayoutAttribute) {
        let start = start ?? scanner.offset - name.count
        guard var item = views[name] ?? (name == "superview" ? root : nil) else {
            throw scanner.error("there is no view “\(name)”", at: start)
        }
        while true {
            guard scanner.take(".") else {
                throw scanner.error("“\(name)” needs an attribute, as in \(name).width")
            }
            scanner.skipSpaces()
            let place = scanner.offset
            guard let word = scanner.name() else { throw scanner.expected("an attribute") }
            if word == "margins", let view = item as? LayoutView {
                item = view.layoutMarginsGuide
            } else if let attribute = LayoutAttribute(rawValue: word) {
                return (item, attribute)
            } else {
                let all = LayoutAttribute.allCases.map(\.rawValue).joined(separator: ", ")
                throw scanner.error("there is no attribute “\(word)”; attributes are \(all)", at: place)
            }
        }
    }

    /// The root of the tree that the views are in.
    private var root: LayoutItem? {
        let view = views.sorted { $0.key < $1.key }.lazy.compactMap {
            $0.value as? LayoutView ?? $0.value.container
        }
        .first
        return view.flatMap { sequence(first: $0, next: \.superview).reversed().first }
    }
}
