/// Variables of the items of one view tree, and constraints in terms of them.
struct LayoutBoxes {
    /// Variables of an item; those of the root's origin are zero, and a margins guide has those of its owner.
    struct Box {
        var x: Variable?
        var y: Variable?
        var width: Variable
        var height: Variable
        var insets = (left: 0.0, top: 0.0, right: 0.0, bottom: 0.0)
        /// Whether the subviews of a view are read from right to left.
        var isMirrored: Bool
    }

    /// What the variables and constraints of an item depend on, besides its intrinsic size.
    struct Stamp: Equatable {
        var item: ObjectIdentifier
        var container: ObjectIdentifier?
        var firstBaseline: Double?
        var lastBaseline: Double?
        var margins: LayoutMargins?
        var direction: LayoutDirection?

        init(_ view: LayoutView) {
            item = ObjectIdentifier(view)
            container = view.superview.map(ObjectIdentifier.init)
            firstBaseline = view.firstBaseline
            lastBaseline = view.lastBaseline
            margins = view.marginsGuide == nil ? nil : view.layoutMargins
            direction = view.layoutDirection
        }

        init(_ guide: LayoutGuide) {
            item = ObjectIdentifier(guide)
            container = guide.owner.map(ObjectIdentifier.init)
        }
    }

    /// Views and guides, each after the view that contains it; the first is the root.
    private(set) var items: [LayoutItem] = []
    private var stamps: [Stamp] = []
    private(set) var boxes: [Box] = []

    /// Collects a tree, without variables.
    init(tree root: LayoutView) {
        _ = Self.visit(root) { item, stamp in
            items.append(item)
            stamps.append(stamp)
            return true
        }
    }

    /// Whether a tree still has these items, with all that their variables and constraints depend on.
    func matches(tree root: LayoutView) -> Bool {
        var index = 0
        let isSame = Self.visit(root) { item, stamp in
            defer { index += 1 }
            // Another engine can have laid out the same items.
            return index < stamps.count && stamps[index] == stamp && item.slot == index
        }
        return isSame && index == stamps.count
    }

    /// Visits views, each before its guides and subviews, until the closure returns false; returns its last result.
    private static func visit(_ root: LayoutView, _ body: (LayoutItem, Stamp) -> Bool) -> Bool {
        var open = [root]
        while let view = open.popLast() {
            guard body(view, Stamp(view)), view.layoutGuides.allSatisfy({ body($0, Stamp($0)) }) else {
                return false
            }
            if let guide = view.marginsGuide, !body(guide, Stamp(guide)) { return false }
            open.append(contentsOf: view.subviews.reversed())
        }
        return true
    }

    /// Makes the variables of all items; the first item is the root.
    mutating func makeVariables(in solver: inout ConstraintSolver) {
        for (slot, item) in items.enumerated() {
            item.slot = slot
            if let guide = item as? LayoutGuide, let owner = guide.owner, guide === owner.marginsGuide {
                var box = boxes[owner.slot]
                let margins = owner.layoutMargins
                box.insets = (
                    box.isMirrored ? margins.trailing : margins.leading, margins.top,
                    box.isMirrored ? margins.leading : margins.trailing, margins.bottom
                )
                boxes.append(box)
                continue
            }
            boxes.append(
                Box(
                    x: slot == 0 ? nil : solver.makeVariable(), y: slot == 0 ? nil : solver.makeVariable(),
                    width: solver.makeVariable(nonnegative: true),
                    height: solver.makeVariable(nonnegative: true),
                    isMirrored: (item as? LayoutView)?.effectiveLayoutDirection == .rightToLeft))
        }
    }

    /// The variables of an item of the tree.
    subscript(item: LayoutItem) -> Box? {
        item.slot < items.count && items[item.slot] === item ? boxes[item.slot] : nil
    }

    // MARK: Constraints

    /// Expresses a constraint by variables; nil if one of its items is not in the tree.
    func linear(_ constraint: LayoutConstraint) -> LinearConstraint? {
        guard let first = self[constraint.first] else { return nil }
        var expression = LinearExpression(constant: -constraint.constant)
        expression.terms.reserveCapacity(4)
        let attribute = constraint.firstAttribute
        let isDirected = attribute.isDirected || constraint.secondAttribute?.isDirected == true
        // The origin of the container cancels out where nothing is multiplied.
        let origin = attribute.isSize ? 0 : constraint.second == nil ? 1 : 1 - constraint.multiplier
        let container = isDirected || origin != 0 ? self.container(of: constraint) : nil
        let box = container.flatMap { self[$0] }
        let isMirrored = isDirected && box?.isMirrored == true
        let sign: Double = isMirrored ? -1 : 1
        add(
            attribute.resolved(mirrored: isMirrored), of: constraint.first, first, times: sign,
            to: &expression)
        if let item = constraint.second, let other = constraint.secondAttribute {
            guard let second = self[item] else { return nil }
            add(
                other.resolved(mirrored: isMirrored), of: item, second,
                times: -constraint.multiplier * sign, to: &expression)
        }
        if origin != 0, let container, let box {
            let edge: LayoutAttribute = attribute.axis == .vertical ? .top : isMirrored ? .right : .left
            add(edge, of: container, box, times: -origin * sign, to: &expression)
        }
        return LinearConstraint(expression, constraint.relation, priority: constraint.priority)
    }

    /// Adds an attribute, in points of the root, to an expression.
    private func add(
        _ attribute: LayoutAttribute, of item: LayoutItem, _ box: Box, times factor: Double,
        to expression: inout LinearExpression
    ) {
        let isHorizontal = attribute.axis == .horizontal
        let start = isHorizontal ? box.insets.left : box.insets.top
        let end = isHorizontal ? box.insets.right : box.insets.bottom
        /// The position is the origin plus a share of the length, plus a constant.
        var share = 0.0
        var constant = 0.0
        switch attribute {
        case .left, .leading, .top: constant = start
        case .right, .trailing, .bottom: (share, constant) = (1, -end)
        case .centerX, .centerY: (share, constant) = (0.5, (start - end) / 2)
        case .width, .height: (share, constant) = (1, -start - end)
        case .firstBaseline: constant = start + ((item as? LayoutView)?.firstBaseline ?? 0)
        case .lastBaseline: (share, constant) = (1, -end - ((item as? LayoutView)?.lastBaseline ?? 0))
        }
        if !attribute.isSize, let origin = isHorizontal ? box.x : box.y {
            expression.terms.append((origin, factor))
        }
        if share != 0 { expression.terms.append((isHorizontal ? box.width : box.height, share * factor)) }
        expression.constant += constant * factor
    }

    /// The nearest view that contains both items, or is one of them and contains the other.
    private func container(of constraint: LayoutConstraint) -> LayoutView? {
        guard let second = constraint.second, second !== constraint.first else {
            return constraint.first.container ?? items[0] as? LayoutView
        }
        var candidate = constraint.first as? LayoutView ?? constraint.first.container
        while let view = candidate {
            var other = second as? LayoutView ?? second.container
            while let ancestor = other, ancestor !== view { other = ancestor.superview }
            if other != nil { return view }
            candidate = view.superview
        }
        return items[0] as? LayoutView
    }
}

extension LayoutAttribute {
    /// The edge that leading or trailing is.
    fileprivate func resolved(mirrored: Bool) -> LayoutAttribute {
        switch self {
        case .leading: mirrored ? .right : .left
        case .trailing: mirrored ? .left : .right
        default: self
        }
    }
}
