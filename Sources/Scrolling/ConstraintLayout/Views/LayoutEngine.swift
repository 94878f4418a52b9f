/// Gives the views of a tree their frames, so that constraints hold.
///
/// Changes of constraints, constants, intrinsic sizes and ``size`` are edits of the solved system, made by the next ``layout()``.
/// A layout always has a result: a required constraint that contradicts those added before is left out and reported.
///
/// An engine, its views and its constraints are used by one thread at a time: they are classes that are not `Sendable`.
public final class LayoutEngine {
    /// The view that contains all others; its frame is the origin and ``size``.
    public let root: LayoutView
    /// Size of the root in points; values that are negative or not finite count as 0.
    public var size: LayoutSize
    /// Constraints in the order of their addition.
    public var constraints: [LayoutConstraint] { entries.map(\.constraint) }
    /// Required constraints that the last layout left out, each with those that it contradicts.
    ///
    /// Required intrinsic sizes are last: they yield to constraints.
    public var conflicts: [LayoutConflict] {
        leftOut + contents.flatMap { ($0.width?.conflicts ?? []) + ($0.height?.conflicts ?? []) }
    }

    /// A constraint as the solver has it.
    private struct Entry {
        let constraint: LayoutConstraint
        /// Nil for conflicts, for constraints of views outside of the tree, and for those that are new.
        var id: ConstraintSolver.ID?
        var constant: Double
    }
    /// The intrinsic length of one axis of a view as the solver has it.
    private struct Natural {
        var length: Double
        var hugging: LayoutPriority
        var resistance: LayoutPriority
        var ids: [ConstraintSolver.ID] = []
        var conflicts: [LayoutConflict] = []

        func isSame(as other: Natural) -> Bool {
            length == other.length && hugging == other.hugging && resistance == other.resistance
        }
    }
    /// A view of the tree, and what the solver has of its content.
    private struct Content {
        let view: LayoutView
        let box: LayoutBoxes.Box
        var width: Natural?
        var height: Natural?
    }

    private var solver = ConstraintSolver()
    private var boxes: LayoutBoxes
    private var entries: [Entry] = []
    private var leftOut: [LayoutConflict] = []
    private var added: Set<ObjectIdentifier> = []
    /// The last entries, which the solver does not have yet.
    private var pending = 0
    private var sizes: [(axis: LayoutAxis, id: ConstraintSolver.ID, length: Double)] = []
    private var contents: [Content] = []
    private var needsRebuild = true

    /// Makes an engine without constraints, of a root view that gets a size in points.
    public init(root: LayoutView, size: LayoutSize) {
        self.root = root
        self.size = size
        boxes = LayoutBoxes(tree: root)
    }

    /// Adds constraints; those that were added before are ignored.
    public func add(_ constraints: [LayoutConstraint]) {
        for constraint in constraints where added.insert(ObjectIdentifier(constraint)).inserted {
            entries.append(Entry(constraint: constraint, id: nil, constant: constraint.constant))
            pending += 1
        }
    }

    /// Removes constraints; those that were not added are ignored.
    public func remove(_ constraints: [LayoutConstraint]) {
        let removed = Set(constraints.compactMap { added.remove(ObjectIdentifier($0)) })
        guard !removed.isEmpty else { return }
        pending -= entries.suffix(pending).count { removed.contains(ObjectIdentifier($0.constraint)) }
        entries.removeAll { entry in
            guard removed.contains(ObjectIdentifier(entry.constraint)) else { return false }
            if let id = entry.id { solver.remove(id) }
            return true
        }
        // What was left out may now fit.
        if !conflicts.isEmpty { needsRebuild = true }
    }

    // MARK: Layout

    /// Solves, and sets the frames of all views and guides of the tree.
    ///
    /// Views with ``LayoutView/heightForWidth`` take two passes: the first finds their widths, the second their heights. A width that
    /// depends on such a height is that of the first pass.
    public func layout() {
        let isNew = needsRebuild || !boxes.matches(tree: root) || !update()
        if isNew { rebuild() }
        setIntrinsicSizes()
        if !isNew, !conflicts.isEmpty {
            // What is left out depends on the order of addition, not on that of edits.
            rebuild()
            setIntrinsicSizes()
        }
        readFrames()
    }

    /// Solves everything anew, in the order of addition.
    private func rebuild() {
        solver = ConstraintSolver()
        boxes = LayoutBoxes(tree: root)
        boxes.makeVariables(in: &solver)
        leftOut = []
        contents = zip(boxes.items, boxes.boxes).dropFirst().compactMap { item, box in
            (item as? LayoutView).map { Content(view: $0, box: box) }
        }
        let box = boxes.boxes[0]
        sizes = [(LayoutAxis.horizontal, box.width), (.vertical, box.height)].compactMap { axis, variable in
            let length = length(of: axis)
            let expression = LinearExpression([(variable, 1)], constant: -length)
            // The first constraints cannot conflict.
            return (try? solver.add(LinearConstraint(expression, .equal))).map { (axis, $0, length) }
        }
        for index in entries.indices { insert(index) }
        pending = 0
        needsRebuild = false
    }

    /// Edits the solved system; returns false if it has to be solved anew.
    private func update() -> Bool {
        let resized = sizes.indices.filter { sizes[$0].length != length(of: sizes[$0].axis) }
        let edited = entries.indices.filter { entries[$0].constant != entries[$0].constraint.constant }
        if resized.isEmpty, edited.isEmpty, pending == 0 { return true }
        guard conflicts.isEmpty else { return false }
        do {
            for index in resized {
                let length = length(of: sizes[index].axis)
                try solver.setConstant(-length, of: sizes[index].id)
                sizes[index].length = length
            }
            for index in edited where index < entries.count - pending {
                guard let id = entries[index].id, let linear = boxes.linear(entries[index].constraint) else {
                    return false
                }
                try solver.setConstant(linear.expression.constant, of: id)
                entries[index].constant = entries[index].constraint.constant
            }
        } catch {
            return false
        }
        for index in entries.indices.suffix(pending) { insert(index) }
        pending = 0
        return leftOut.isEmpty
    }

    private func insert(_ index: Int) {
        let constraint = entries[index].constraint
        entries[index].constant = constraint.constant
        entries[index].id = nil
        guard let linear = boxes.linear(constraint) else { return }
        do throws(SolverError) {
            entries[index].id = try solver.add(linear)
        } catch {
            leftOut.append(conflict(of: constraint, error))
        }
    }

    private func conflict(of constraint: LayoutConstraint, _ error: SolverError) -> LayoutConflict {
        guard case .unsatisfiable(let ids) = error else {
            return LayoutConflict(constraint: constraint, others: [], isOutOfRange: true)
        }
        let others = entries.filter { $0.id.map(ids.contains) == true }.map(\.constraint)
        return LayoutConflict(constraint: constraint, others: others, isOutOfRange: false)
    }

    private func length(of axis: LayoutAxis) -> Double {
        let length = axis == .horizontal ? size.width : size.height
        return length.isFinite ? min(max(length, 0), 1e9) : 0
    }

    // MARK: Intrinsic sizes

    /// Brings the intrinsic sizes into the solver: first the widths, then the heights, which can depend on them.
    private func setIntrinsicSizes() {
        for index in contents.indices {
            let view = contents[index].view
            let size = view.intrinsicContentSize
            contents[index].width = natural(
                size.width, replacing: contents[index].width, of: index, .horizontal)
            setHeight(of: index, to: view.heightForWidth == nil ? size.height : nil)
        }
        let wrapping = contents.indices.filter { contents[$0].view.heightForWidth != nil }
        guard !wrapping.isEmpty else { return }
        let solution = solver.solution
        let widths = wrapping.map { max(solution.value(of: contents[$0].box.width), 0) }
        for (index, width) in zip(wrapping, widths) {
            setHeight(of: index, to: contents[index].view.heightForWidth?(width))
        }
    }

    private func setHeight(of index: Int, to height: Double?) {
        contents[index].height = natural(height, replacing: contents[index].height, of: index, .vertical)
    }

    /// Replaces the constraints of an intrinsic length if it changed.
    private func natural(
        _ length: Double?, replacing former: Natural?, of index: Int, _ axis: LayoutAxis
    ) -> Natural? {
        guard length != nil || former != nil else { return nil }
        let view = contents[index].view
        let natural = length.flatMap { length -> Natural? in
            guard length.isFinite else { return nil }
            return Natural(
                length: min(max(length, 0), 1e9), hugging: view.contentHugging[axis],
                resistance: view.compressionResistance[axis])
        }
        if let natural, let former, natural.isSame(as: former) { return former }
        for id in former?.ids ?? [] { solver.remove(id) }
        guard var new = natural else { return nil }
        let box = contents[index].box
        let expression = LinearExpression(
            [(axis == .horizontal ? box.width : box.height, 1)], constant: -new.length)
        let sides: [(LayoutRelation, LayoutPriority)] =
            new.hugging == new.resistance
            ? [(.equal, new.hugging)]
            : [(.lessThanOrEqual, new.hugging), (.greaterThanOrEqual, new.resistance)]
        for (relation, priority) in sides {
            do throws(SolverError) {
                new.ids.append(try solver.add(LinearConstraint(expression, relation, priority: priority)))
            } catch {
                let constraint = LayoutConstraint(
                    view, axis == .horizontal ? .width : .height, relation, constant: new.length,
                    identifier: "intrinsic size")
                new.conflicts.append(conflict(of: constraint, error))
            }
        }
        return new
    }

    private func readFrames() {
        let solution = solver.solution
        func value(_ variable: Variable?) -> Double {
            // Factors far from 1, multiplied by each other many times, exceed all numbers.
            let value = variable.map(solution.value(of:)) ?? 0
            return value.isFinite ? value : 0
        }
        for (item, box) in zip(boxes.items, boxes.boxes) {
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
        let solution = solver.solution
        let isLeftOut = Set(leftOut.map { ObjectIdentifier($0.constraint) })
        let broken = entries.filter { entry in
            guard entry.id != nil else { return isLeftOut.contains(ObjectIdentifier(entry.constraint)) }
            return boxes.linear(entry.constraint).map { solution.violation(of: $0) > 0.0005 } ?? false
        }
        return broken.map(\.constraint) + conflicts.dropFirst(leftOut.count).map(\.constraint)
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
