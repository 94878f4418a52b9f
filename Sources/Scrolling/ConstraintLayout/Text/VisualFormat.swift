/// Reader of Auto Layout's visual format language.
///
/// A format describes views from one edge to the other: `H:|-[photo(>=100)]-gap-[title(==photo@750)]-(>=8,<=20@low)-|`.
public enum VisualFormat {
    /// Distance of `-` between two views, in points.
    ///
    /// At a superview, `-` is the superview's margin, as in UIKit.
    public static let standardSpacing = 8.0

    /// Reads a format, and returns its constraints from left to right, those of the options last.
    ///
    /// `superview` is what `|` means. Throws ``LayoutSyntaxError``, whose offset is the character.
    public static func constraints(
        _ format: String, views: [String: LayoutItem], metrics: [String: Double] = [:],
        options: VisualFormatOptions = [], superview: LayoutView
    ) throws(LayoutSyntaxError) -> [LayoutConstraint] {
        var parser = FormatParser(
            scanner: TextScanner(format), views: views, metrics: metrics, options: options,
            superview: superview)
        return try parser.constraints()
    }
}

/// Alignment of neighboring views of a visual format, and the direction of horizontal formats.
public struct VisualFormatOptions: OptionSet, Hashable, Sendable {
    /// Bits of the options.
    public let rawValue: Int

    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Aligns left edges, in vertical formats.
    public static let alignAllLeft = Self(rawValue: 1 << 1)
    /// Aligns right edges, in vertical formats.
    public static let alignAllRight = Self(rawValue: 1 << 2)
    /// Aligns top edges, in horizontal formats.
    public static let alignAllTop = Self(rawValue: 1 << 3)
    /// Aligns bottom edges, in horizontal formats.
    public static let alignAllBottom = Self(rawValue: 1 << 4)
    /// Aligns leading edges, in vertical formats.
    public static let alignAllLeading = Self(rawValue: 1 << 5)
    /// Aligns trailing edges, in vertical formats.
    public static let alignAllTrailing = Self(rawValue: 1 << 6)
    /// Aligns horizontal centers, in vertical formats.
    public static let alignAllCenterX = Self(rawValue: 1 << 9)
    /// Aligns vertical centers, in horizontal formats.
    public static let alignAllCenterY = Self(rawValue: 1 << 10)
    /// Aligns last baselines, in horizontal formats.
    public static let alignAllLastBaseline = Self(rawValue: 1 << 11)
    /// Aligns first baselines, in horizontal formats.
    public static let alignAllFirstBaseline = Self(rawValue: 1 << 12)
    /// Reads horizontal formats from the leading to the trailing edge, as without a direction.
    public static let directionLeadingToTrailing: Self = []
    /// Reads horizontal formats from left to right, in all languages.
    public static let directionLeftToRight = Self(rawValue: 1 << 16)
    /// Reads horizontal formats from right to left, in all languages.
    public static let directionRightToLeft = Self(rawValue: 1 << 17)

    /// The options with their names, as ``init(named:)`` reads them.
    static let names: [(name: String, option: Self, attribute: LayoutAttribute?)] = [
        ("alignAllLeft", .alignAllLeft, .left), ("alignAllRight", .alignAllRight, .right),
        ("alignAllTop", .alignAllTop, .top), ("alignAllBottom", .alignAllBottom, .bottom),
        ("alignAllLeading", .alignAllLeading, .leading), ("alignAllTrailing", .alignAllTrailing, .trailing),
        ("alignAllCenterX", .alignAllCenterX, .centerX), ("alignAllCenterY", .alignAllCenterY, .centerY),
        ("alignAllLastBaseline", .alignAllLastBaseline, .lastBaseline),
        ("alignAllFirstBaseline", .alignAllFirstBaseline, .firstBaseline),
        ("directionLeadingToTrailing", .directionLeadingToTrailing, nil),
        ("directionLeftToRight", .directionLeftToRight, nil),
        ("directionRightToLeft", .directionRightToLeft, nil),
    ]

    /// Makes the option of a name, such as `alignAllTop`; nil for other names.
    public init?(named name: String) {
        guard let found = Self.names.first(where: { $0.name == name }) else { return nil }
        self = found.option
    }
}

private struct FormatParser {
    /// One condition: of a size, or of a distance.
    struct Predicate {
        var relation = LayoutRelation.equal
        var constant = 0.0
        var item: LayoutItem?
        var priority = LayoutPriority.required
    }
    enum Spacing {
        case standard
        case predicates([Predicate])
    }

    var scanner: TextScanner
    let views: [String: LayoutItem]
    let metrics: [String: Double]
    let options: VisualFormatOptions
    let superview: LayoutView

    private var isVertical = false
    private var found: [LayoutConstraint] = []

    init(
        scanner: TextScanner, views: [String: LayoutItem], metrics: [String: Double],
        options: VisualFormatOptions, superview: LayoutView
    ) {
        self.scanner = scanner
        self.views = views
        self.metrics = metrics
        self.options = options
        self.superview = superview
    }

    mutating func constraints() throws(LayoutSyntaxError) -> [LayoutConstraint] {
        if scanner.take("V:") { isVertical = true } else { _ = scanner.take("H:") }
        try checkOptions()
        var row: [LayoutItem] = []
        var spacing: Spacing?
        if scanner.take("|") {
            spacing = try connection()
            guard scanner.peek("[") else { throw scanner.expected("a view in brackets") }
            let first = try view()
            connect(nil, spacing, first)
            row = [first]
        } else {
            guard scanner.peek("[") else { throw scanner.expected("| or a view in brackets") }
            row = [try view()]
        }
        while true {
            scanner.skipSpaces()
            if scanner.isAtEnd { break }
            spacing = try connection()
            if scanner.peek("[") {
                let next = try view()
                connect(row.last, spacing, next)
                row.append(next)
            } else if scanner.take("|") {
                connect(row.last, spacing, nil)
                scanner.skipSpaces()
                guard scanner.isAtEnd else { throw scanner.error("nothing can follow the last |") }
                break
            } else {
                throw scanner.expected(
                    spacing == nil ? "-, | or a view in brackets" : "| or a view in brackets")
            }
        }
        align(row)
        return found
    }

    /// Reads what lies between two views: nothing, `-`, `-n-` or `-(…)-`.
    mutating func connection() throws(LayoutSyntaxError) -> Spacing? {
        guard scanner.take("-") else { return nil }
        if scanner.peek("[") || scanner.peek("|") { return .standard }
        let predicates: [Predicate]
        if scanner.peek("(") {
            predicates = try self.predicates(ofView: false)
        } else {
            guard let value = try scanner.value(metrics) else {
                throw scanner.expected("a distance, | or a view in brackets")
            }
            predicates = [Predicate(constant: value)]
        }
        guard scanner.take("-") else { throw scanner.expected("-") }
        return .predicates(predicates)
    }

    /// Reads `[name]` or `[name(…)]`.
    mutating func view() throws(LayoutSyntaxError) -> LayoutItem {
        guard scanner.take("[") else { throw scanner.expected("[") }
        let item = try namedItem()
        if scanner.peek("(") {
            let attribute: LayoutAttribute = isVertical ? .height : .width
            for predicate in try predicates(ofView: true) {
                found.append(
                    LayoutConstraint(
                        item, attribute, predicate.relation, predicate.item, constant: predicate.constant,
                        priority: predicate.priority))
            }
        }
        guard scanner.take("]") else { throw scanner.expected("]") }
        return item
    }

    mutating func namedItem() throws(LayoutSyntaxError) -> LayoutItem {
        scanner.skipSpaces()
        let start = scanner.offset
        guard let name = scanner.name() else { throw scanner.expected("the name of a view") }
        guard let item = views[name] else { throw scanner.error("there is no view “\(name)”", at: start) }
        return item
    }

    /// Reads `(condition, condition…)`.
    mutating func predicates(ofView: Bool) throws(LayoutSyntaxError) -> [Predicate] {
        guard scanner.take("(") else { throw scanner.expected("(") }
        var list: [Predicate] = []
        repeat {
            var predicate = Predicate()
            predicate.relation = scanner.relation() ?? .equal
            let isNegative = scanner.take("-")
            scanner.skipSpaces()
            let start = scanner.offset
            var probe = scanner
            if ofView, !isNegative, let name = probe.name(), metrics[name] == nil {
                guard let item = views[name] else {
                    throw scanner.error("there is no view or metric “\(name)”", at: start)
                }
                predicate.item = item
                scanner = probe
            } else {
                guard let value = try scanner.value(metrics) else {
                    throw scanner.expected(ofView ? "a number, a metric or a view" : "a number or a metric")
                }
                predicate.constant = isNegative ? -value : value
                if ofView, predicate.constant < 0 {
                    throw scanner.error("sizes cannot be negative", at: start)
                }
            }
            predicate.priority = try scanner.priority(metrics) ?? .required
            list.append(predicate)
        } while scanner.take(",")
        guard scanner.take(")") else { throw scanner.expected(", or )") }
        return list
    }

    // MARK: Constraints

    /// The edges that a format starts and ends at.
    private var edges: (start: LayoutAttribute, end: LayoutAttribute) {
        if isVertical { return (.top, .bottom) }
        if options.contains(.directionLeftToRight) { return (.left, .right) }
        if options.contains(.directionRightToLeft) { return (.right, .left) }
        return (.leading, .trailing)
    }

    /// Relates neighbors; nil is the superview.
    private mutating func connect(_ before: LayoutItem?, _ spacing: Spacing?, _ after: LayoutItem?) {
        var predicates = [Predicate()]
        var container: LayoutItem = superview
        switch spacing {
        case nil: break
        case .predicates(let list): predicates = list
        case .standard where before == nil || after == nil: container = superview.layoutMarginsGuide
        case .standard: predicates[0].constant = VisualFormat.standardSpacing
        }
        let (start, end) = edges
        let (later, laterEdge) = after.map { ($0, start) } ?? (container, end)
        let (earlier, earlierEdge) = before.map { ($0, end) } ?? (container, start)
        let isReversed = !isVertical && options.contains(.directionRightToLeft)
        for predicate in predicates {
            found.append(
                LayoutConstraint(
                    later, laterEdge, isReversed ? predicate.relation.flipped : predicate.relation, earlier,
                    earlierEdge, constant: isReversed ? -predicate.constant : predicate.constant,
                    priority: predicate.priority))
        }
    }

    private mutating func align(_ row: [LayoutItem]) {
        for (_, option, attribute) in VisualFormatOptions.names where options.contains(option) {
            guard let attribute else { continue }
            for (item, next) in zip(row, row.dropFirst()) {
                found.append(LayoutConstraint(next, attribute, .equal, item))
            }
        }
    }

    /// Refuses alignments along the format, and two directions.
    private func checkOptions() throws(LayoutSyntaxError) {
        for (name, option, attribute) in VisualFormatOptions.names where options.contains(option) {
            if let attribute, (attribute.axis == .vertical) == isVertical {
                throw scanner.error(
                    "\(name) cannot align views of a \(isVertical ? "vertical" : "horizontal") format", at: 0)
            }
        }
        if options.isSuperset(of: [.directionLeftToRight, .directionRightToLeft]) {
            throw scanner.error("a format has one direction", at: 0)
        }
    }
}
