/// Gives the views of a tree their frames, so that constraints hold.
///
/// Changes of constraints, constants, intrinsic sizes and ``size`` are edits of the solved system, made by the next ``layout()``.
/// A layout always has a result: a required constraint that contradicts those added before is left out and reported.
public final class LayoutEngine {
    /// The view that contains all others; its frame is the origin and ``size``.
    public let root: LayoutView
    /// Size of the root in points; values that are negative or not finite count as 0.
    public var size: LayoutSize
    /// Constraints in the order of their addition.
    public private(set) var constraints: [LayoutConstraint] = []
    /// Required constraints that the last layout left out, each with those that it contradicts.
    public private(set) var conflicts: [LayoutConflict] = []

    /// A constraint as the solver has it.
    private struct Added {
        var constraint: LayoutConstraint
        var id: ConstraintSolver.ID?
        var constant: Double
    }
    /// The intrinsic size of one axis of a view as the solver has it.
    private struct Natural: Equatable {
        var length: Double
        var hugging: LayoutPriority
        var resistance: LayoutPriority
    }

    private var solver = ConstraintSolver()
    private var boxes: LayoutBoxes
    private var added: [ObjectIdentifier: Added] = [:]
    private var names: [ConstraintSolver.ID: LayoutConstraint] = [:]
    private var pending: [LayoutConstraint] = []
    private var sizes: [LayoutAxis: (id: ConstraintSolver.ID, length: Double)] = [:]
    private var naturals: [[LayoutAxis: (natural: Natural, ids: [ConstraintSolver.ID])]] = []
    private var needsRebuild = true

    /// Makes an engine without constraints.
    public init(root: LayoutView, size: LayoutSize) {
        self.root = root
        self.size = size
        boxes = LayoutBoxes(tree: root)
    }

    /// Adds constraints; those that were added before are ignored.
    public func add(_ constraints: [LayoutConstraint]) {
        for constraint in constraints where added[ObjectIdentifier(constraint)] == nil {
            added[ObjectIdentifier(constraint)] = Added(
                constraint: constraint, id: nil, constant: constraint.constant)
            self.constraints.append(constraint)
            pending.append(constraint)
        }
    }

    /// Removes constraints; others are ignored.
    public func remove(_ constraints: [LayoutConstraint]) {
        var removed: Set<ObjectIdentifier> = []
        for constraint in constraints {
            guard let former = added.removeValue(forKey: ObjectIdentifier(constraint)) else { continue }
            removed.insert(ObjectIdentifier(constraint))
            if let id = former.id {
                solver.remove(id)
                names[id] = nil
            }
        }
        guard !removed.isEmpty else { return }
        self.constraints.removeAll { removed.contains(ObjectIdentifier($0)) }
        pending.removeAll { removed.contains(ObjectIdentifier($0)) }
        // What was left out may now fit.
        if !conflicts.isEmpty { needsRebuild = true }
    }

    // MARK: Layout

    /// Solves, and sets the frames of all views and guides of the tree.
    ///
    /// Views with ``LayoutView/heightForWidth`` take two passes: the first finds their widths, the second their heights. A width that
    /// depends on such a height is that of the first pass.
    public func layout() {
        let tree = LayoutBoxes(tree: root)
        if needsRebuild || tree.stamps != boxes.stamps || !update() { rebuild(tree) }
        setNaturals()
        readFrames()
    }

    /// Solves everything anew, in the order of addition.
    private func rebuild(_ tree: LayoutBoxes) {
        solver = ConstraintSolver()
        boxes = tree
        boxes.makeVariables(in: &solver)
        names = [:]
        conflicts = []
        naturals = Array(repeating: [:], count: boxes.items.count)
        let box = boxes.boxes[0]
        for (axis, variable) in [(LayoutAxis.horizontal, box.width), (.vertical, box.height)] {
            let length = length(of: axis)
            let expression = LinearExpression([(variable, 1)], constant: -length)
            // The first constraints cannot conflict.
            if let id = try? solver.add(LinearConstraint(expression, .equal)) { sizes[axis] = (id, length) }
        }
        for constraint in constraints { insert(constraint) }
        pending = []
        needsRebuild = false
    }

    /// Edits the solved system; returns false if it has to be solved anew.
    private func update() -> Bool {
        let isResized = LayoutAxis.allCases.contains { sizes[$0]?.length != length(of: $0) }
        let edited = constraints.filter { $0.constant != added[ObjectIdentifier($0)]?.constant }
        if isResized || !edited.isEmpty || !pending.isEmpty, !conflicts.isEmpty { return false }
        do {
            for (axis, size) in sizes where size.length != length(of: axis) {
                try solver.setConstant(-length(of: axis), of: size.id)
                sizes[axis]?.length = length(of: axis)
            }
            for constraint in edited {
                guard let id = added[ObjectIdentifier(constraint)]?.id,
                    let linear = boxes.linear(constraint)
                else { return false }
                try solver.setConstant(linear.expression.constant, of: id)
                added[ObjectIdentifier(constraint)]?.constant = constraint.constant
            }
        } catch {
            return false
        }
        for constraint in pending { insert(constraint) }
        pending = []
        return true
    }

    private func insert(_ constraint: LayoutConstraint) {
        var entry = Added(constraint: constraint, id: nil, constant: constraint.constant)
        defer { added[ObjectIdentifier(constraint)] = entry }
        guard let linear = boxes.linear(constraint) else { return }
        do throws(SolverError) {
            let id = try solver.add(linear)
            entry.id = id
            names[id] = constraint
        } catch {
            var others: [LayoutConstraint] = []
            if case .unsatisfiable(let ids) = error { others = ids.compactMap { names[$0] } }
            conflicts.append(LayoutConflict(constraint: constraint, others: others))
        }
    }

    private func length(of axis: LayoutAxis) -> Double {
        let length = axis == .horizontal ? size.width : size.height
        return length.isFinite ? min(max(length, 0), 1e9) : 0
    }

    // MARK: Intrinsic sizes

    /// Brings the intrinsic sizes into the solver: first the widths, then the heights, which can depend on them.
    private func setNaturals() {
        let views = boxes.items.dropFirst().compactMap { $0 as? LayoutView }
        for view in views {
            setNatural(view.intrinsicContentSize.width, of: view, .horizontal)
            setNatural(
                view.heightForWidth == nil ? view.intrinsicContentSize.height : nil, of: view, .vertical)
        }
        let wrapping = views.filter { $0.heightForWidth != nil }
        let widths = wrapping.map { max(solver.value(of: boxes.boxes[$0.slot].width), 0) }
        for (view, width) in zip(wrapping, widths) {
            setNatural(view.heightForWidth?(width), of: view, .vertical)
        }
    }

    private func setNatural(_ length: Double?, of view: LayoutView, _ axis: LayoutAxis) {
        let isHorizontal = axis == .horizontal
        let natural = length.flatMap { length -> Natural? in
            guard length.isFinite else { return nil }
            return Natural(
                length: min(max(length, 0), 1e9),
                hugging: isHorizontal ? view.contentHugging.horizontal : view.contentHugging.vertical,
                resistance: isHorizontal
                    ? view.compressionResistance.horizontal : view.compressionResistance.vertical)
        }
        let former = naturals[view.slot][axis]
        guard natural != former?.natural else { return }
        for id in former?.ids ?? [] { solver.remove(id) }
        naturals[view.slot][axis] = nil
        guard let natural else { return }
        let box = boxes.boxes[view.slot]
        let expression = LinearExpression(
            [(isHorizontal ? box.width : box.height, 1)], constant: -natural.length)
        let sides: [(LayoutRelation, LayoutPriority)] =
            natural.hugging == natural.resistance
            ? [(.equal, natural.hugging)]
            : [(.lessThanOrEqual, natural.hugging), (.greaterThanOrEqual, natural.resistance)]
        // A required intrinsic size that contradicts the constraints yields to them.
        let ids = sides.compactMap { relation, priority in
            try? solver.add(LinearConstraint(expression, relation, priority: priority))
        }
        naturals[view.slot][axis] = (natural, ids)
    }

    private func readFrames() {
        for (item, box) in zip(boxes.items, boxes.boxes) {
            func value(_ variable: Variable?) -> Double { variable.map(solver.value(of:)) ?? 0 }
            let insets = box.insets
            item.rootFrame = LayoutRect(
                x: value(box.x) + insets.left, y: value(box.y) + insets.top,
                width: max(value(box.width) - insets.left - insets.right, 0),
                height: max(value(box.height) - insets.top - insets.bottom, 0))
        }
    }

    // MARK: Reports

    /// Constraints that do not hold in the last layout: conflicts, and optional ones that stronger constraints prevent.
    public var brokenConstraints: [LayoutConstraint] {
        constraints.filter { constraint in
            guard let linear = boxes.linear(constraint) else { return false }
            guard added[ObjectIdentifier(constraint)]?.id != nil else {
                return conflicts.contains { $0.constraint === constraint }
            }
            return solver.violation(of: linear) > 0.0005
        }
    }

    /// Views and guides that have another frame in another layout that is just as good, with the axis.
    public var ambiguities: [LayoutAmbiguity] {
        let boxes = zip(boxes.items, boxes.boxes).dropFirst().filter { item, _ in
            !((item as? LayoutGuide).map { $0 === $0.owner?.marginsGuide } ?? false)
        }
        let variables = boxes.flatMap { _, box in [box.x, box.width, box.y, box.height].compactMap { $0 } }
        let undetermined = solver.undetermined(variables)
        return boxes.flatMap { item, box in
            [(LayoutAxis.horizontal, box.x, box.width), (.vertical, box.y, box.height)].compactMap {
                axis, origin, length in
                let isAmbiguous =
                    undetermined.contains(length) || origin.map(undetermined.contains) == true
                return isAmbiguous ? LayoutAmbiguity(item: item, axis: axis) : nil
            }
        }
    }

    /// Views with an entry in ``ambiguities``.
    public var ambiguousViews: [LayoutView] {
        var last: LayoutView?
        return ambiguities.compactMap { ambiguity in
            guard let view = ambiguity.item as? LayoutView, view !== last else { return nil }
            last = view
            return view
        }
    }
}

/// Required constraint that was left out, because it contradicts others.
public struct LayoutConflict: CustomStringConvertible {
    /// The constraint without effect.
    public let constraint: LayoutConstraint
    /// Required constraints that it contradicts, together with the size of the root.
    public let others: [LayoutConstraint]

    /// One sentence that names all constraints.
    public var description: String {
        let reason = others.isEmpty ? "the size of the root" : others.map(\.name).joined(separator: ", ")
        return "\(constraint.name) was left out: it contradicts \(reason)"
    }
}

/// View or guide whose position or size on one axis the constraints do not determine.
public struct LayoutAmbiguity: CustomStringConvertible {
    /// The view or guide.
    public let item: LayoutItem
    /// The axis on which another frame would be as good.
    public let axis: LayoutAxis

    /// Name and axis.
    public var description: String { "\(item.name) (\(axis.rawValue))" }
}

extension LayoutConstraint {
    /// The identifier and the text form.
    fileprivate var name: String { identifier.map { "\($0) (\(description))" } ?? description }
}
