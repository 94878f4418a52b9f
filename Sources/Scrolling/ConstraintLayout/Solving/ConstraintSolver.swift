/// Incremental solver of linear equations and inequalities with priorities: the Cassowary algorithm.
///
/// The solver keeps a simplex tableau (Badros, Borning and Stuckey 2001) and changes only what an added, removed or edited constraint
/// touches. It is a value: a copy can be changed to see what would follow.
///
/// Required constraints hold, to a rounding error of about 1e-8. Of the others, those of the highest priority are met as well as
/// possible (the sum of their absolute errors is least), then those of the next priority without loss for the higher, and so on.
/// Solvers with numbers as weights only approximate that order: for kiwisolver, a thousand weak constraints equal a single one of
/// medium strength.
///
/// A constraint becomes an equation by symbols that it alone has: a slack or an error for each direction in which it may be off, a marker
/// if it may not. By these symbols it is found again, to remove it, to change its constant, and to name those that contradict
/// a new one: the row that cannot be satisfied has their symbols.
///
/// Most constraints of a layout introduce a variable. They only define it and need no search, until another constraint depends on
/// it. Factors and constants are limited, so that rounding errors stay far below a pixel.
public struct ConstraintSolver: Sendable {
    /// Name of a constraint in a solver, for removal and editing.
    public struct ID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry: Sendable {
        var constraint: LinearConstraint
        /// The slack, error or marker that only this constraint has.
        var marker: Symbol
        /// What the marker adds to the expression of the constraint, per unit.
        var factor: Double
        /// A second error symbol, of the opposite direction.
        var other: Symbol = -1
        /// The free symbol that the constraint defines, or -1.
        var defined: Symbol = -1
        var edits: Variable?
    }

    private var tableau = Tableau()
    private var entries: [Int: Entry] = [:]
    private var owners: [Symbol: Int] = [:]
    private var edits: [Variable: ID] = [:]
    private var next = 0

    /// Makes a solver without variables.
    public init() {}

    /// Makes a variable; with `nonnegative`, it is required to be at least 0.
    public mutating func makeVariable(nonnegative: Bool = false) -> Variable {
        Variable(symbol: tableau.makeSymbol(nonnegative ? .restricted : .free))
    }

    /// Returns the value of a variable in the current solution; 0 if no constraint determines it.
    public func value(of variable: Variable) -> Double { tableau.value(of: variable.symbol) }

    /// The values of all variables, which take less time together than each alone.
    public var solution: Solution { Solution(values: tableau.values()) }

    /// The values of all variables of a ``ConstraintSolver`` at one time.
    public struct Solution: Sendable {
        fileprivate let values: [Double]

        /// Returns the value of a variable; 0 if no constraint determines it.
        public func value(of variable: Variable) -> Double { values[Int(variable.symbol)] }

        /// Returns how far a constraint is from holding: 0 if it holds.
        public func violation(of constraint: LinearConstraint) -> Double {
            let value = constraint.expression.terms.reduce(constraint.expression.constant) {
                $0 + $1.factor * self.value(of: $1.variable)
            }
            return switch constraint.relation {
            case .equal: abs(value)
            case .lessThanOrEqual: max(value, 0)
            case .greaterThanOrEqual: max(-value, 0)
            }
        }
    }

    /// The constraint of an identifier, with its current constant; nil after removal.
    public func constraint(_ id: ID) -> LinearConstraint? { entries[id.number]?.constraint }

    // MARK: Adding

    /// Adds a constraint and solves again.
    ///
    /// Throws ``SolverError`` if it is required and conflicts with required constraints that were added before, or if a number
    /// is not finite or too large. The solver is then as before.
    @discardableResult
    public mutating func add(_ constraint: LinearConstraint) throws(SolverError) -> ID {
        guard constraint.isInRange else { throw .outOfRange }
        var row = Row()
        row.constant = constraint.expression.constant
        for (variable, factor) in constraint.expression.terms where factor != 0 {
            row.add(variable.symbol, times: factor)
        }
        var entry = mark(constraint, in: &row)
        if let cell = row.cells.first(where: { tableau.isUnbound($0.symbol) }) {
            row.solve(for: cell.symbol)
            tableau.define(row)
            entry.defined = cell.symbol
            return register(entry)
        }
        row = tableau.expand(row)
        // The constant becomes the value of what the row is solved for.
        if row.constant < 0 { row.multiply(by: -1) }

        if let subject = subject(of: row) {
            insert(row, solvedFor: subject)
        } else if row.cells.allSatisfy({ tableau.kind($0.symbol) == .marker }) {
            // Redundant, or in conflict with the equations of these markers.
            // The rounding error of a row grows with its numbers.
            let scale = max(1, abs(constraint.expression.constant))
            guard row.constant < 1e-7 * scale else {
                tableau.discard(entry.marker)
                throw .unsatisfiable(with: constraints(of: row))
            }
            row.constant = 0
            insert(row, solvedFor: entry.marker)
        } else if let conflict = insertArtificially(row, &entry) {
            throw .unsatisfiable(with: conflict)
        }
        tableau.optimize()
        return register(entry)
    }

    private mutating func register(_ entry: Entry) -> ID {
        next += 1
        entries[next] = entry
        owners[entry.marker] = next
        if entry.other >= 0 { owners[entry.other] = next }
        return ID(number: next)
    }

    /// Adds to the row of a constraint what makes it an equation: slacks, errors with their cost, a marker.
    private mutating func mark(_ constraint: LinearConstraint, in row: inout Row) -> Entry {
        let direction: Double = constraint.relation == .lessThanOrEqual ? 1 : -1
        let required = constraint.priority == .required
        let cost = Cost(at: constraint.priority.rawValue)
        switch (constraint.relation, required) {
        case (.equal, true):
            let marker = tableau.makeSymbol(.marker)
            row.add(marker, times: 1)
            return Entry(constraint: constraint, marker: marker, factor: 1)
        case (.equal, false):
            let over = tableau.makeSymbol(.restricted, cost: cost)
            let under = tableau.makeSymbol(.restricted, cost: cost)
            row.add(over, times: -1)
            row.add(under, times: 1)
            return Entry(constraint: constraint, marker: over, factor: -1, other: under)
        case (_, true):
            let slack = tableau.makeSymbol(.restricted)
            row.add(slack, times: direction)
            return Entry(constraint: constraint, marker: slack, factor: direction)
        case (_, false):
            let slack = tableau.makeSymbol(.restricted)
            let error = tableau.makeSymbol(.restricted, cost: cost)
            row.add(slack, times: direction)
            row.add(error, times: -direction)
            return Entry(constraint: constraint, marker: slack, factor: direction, other: error)
        }
    }

    /// The symbol that a new row can be solved for without a search; the constant of the row is not negative.
    private func subject(of row: Row) -> Symbol? {
        var free: Symbol?
        var new: Symbol?
        var uses = Int.max
        for cell in row.cells {
            switch tableau.kind(cell.symbol) {
            case .free:
                // The symbol of the fewest rows fills in the fewest.
                let count = tableau.uses(of: cell.symbol)
                if count < uses { (free, uses) = (cell.symbol, count) }
            // Of this sign, its value is not negative.
            case .restricted where cell.coefficient < 0 && tableau.isNew(cell.symbol): new = cell.symbol
            default: break
            }
        }
        return free ?? new
    }

    private mutating func insert(_ row: Row, solvedFor symbol: Symbol) {
        var row = row
        row.solve(for: symbol)
        tableau.insert(row)
    }

    /// Inserts a row with an artificial symbol that is then made zero at any cost; returns the conflict if it cannot be.
    private mutating func insertArtificially(_ row: Row, _ entry: inout Entry) -> [ID]? {
        let artificial = tableau.makeSymbol(.restricted, cost: Cost(at: .infinity))
        var row = row
        row.basic = artificial
        tableau.insert(row)
        tableau.optimize()
        if let end = tableau.row(of: artificial) {
            let scale = max(1, abs(entry.constraint.expression.constant))
            guard end.constant < 1e-7 * scale else {
                tableau.removeCost(Cost(at: .infinity), of: artificial)
                // No other row contains the new symbols: only the artificial's row comes from the new constraint.
                tableau.removeRow(of: artificial)
                for symbol in [artificial, entry.marker, entry.other] where symbol >= 0 {
                    tableau.discard(symbol)
                }
                tableau.optimize()
                return constraints(of: end)
            }
            let pivot = end.cells.filter { tableau.kind($0.symbol) == .restricted }
                .max { abs($0.coefficient) < abs($1.coefficient) }
            if let pivot {
                tableau.pivot(entering: pivot.symbol, leaving: artificial)
            } else if end[entry.marker] != 0 {
                tableau.pivot(entering: entry.marker, leaving: artificial)
            } else {
                tableau.removeRow(of: artificial)
            }
        }
        tableau.removeCost(Cost(at: .infinity), of: artificial)
        tableau.discard(artificial)
        return nil
    }

    /// The constraints whose markers and slacks are in a row: those that a contradiction is made of.
    private func constraints(of row: Row, except number: Int = 0) -> [ID] {
        Set((row.cells.map(\.symbol) + [row.basic]).compactMap { owners[$0] }).sorted()
            .compactMap { $0 == number ? nil : ID(number: $0) }
    }

    // MARK: Removing and editing

    /// Removes a constraint and solves again; does nothing if it was removed before.
    public mutating func remove(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id.number) else { return }
        if let variable = entry.edits { edits[variable] = nil }
        owners[entry.marker] = nil
        owners[entry.other] = nil
        if entry.constraint.priority != .required {
            let cost = Cost(at: entry.constraint.priority.rawValue)
            if entry.constraint.relation == .equal { tableau.removeCost(cost, of: entry.marker) }
            tableau.removeCost(cost, of: entry.other)
        }
        if entry.defined >= 0 {
            tableau.undefine(entry.defined, keeping: tableau.isInRows(entry.marker))
        }
        tableau.release(entry.marker)
        for symbol in [entry.marker, entry.other] where symbol >= 0 {
            if tableau.row(of: symbol) != nil { tableau.removeRow(of: symbol) }
            tableau.discard(symbol)
        }
        tableau.optimize()
    }

    /// Replaces the constant of a constraint's expression and solves again.
    ///
    /// Throws ``SolverError`` if required constraints do not allow it; the solver is then as before.
    public mutating func setConstant(_ constant: Double, of id: ID) throws(SolverError) {
        guard var entry = entries[id.number] else { return }
        let former = entry.constraint.expression.constant
        entry.constraint.expression.constant = constant
        guard entry.constraint.isInRange else { throw .outOfRange }
        guard constant != former else { return }
        let amount = (constant - former) / entry.factor
        tableau.shift(entry.marker, definitionOf: entry.defined, by: amount)
        if let row = tableau.restoreFeasibility() {
            let conflict = constraints(of: row, except: id.number)
            tableau.shift(entry.marker, definitionOf: entry.defined, by: -amount)
            _ = tableau.restoreFeasibility()
            tableau.optimize()
            throw .unsatisfiable(with: conflict)
        }
        entries[id.number] = entry
    }

    /// Makes a variable editable by ``suggest(_:for:)``, starting at its current value.
    @discardableResult
    public mutating func addEditVariable(_ variable: Variable, priority: LayoutPriority = .high)
        throws(SolverError)
        -> ID
    {
        if let id = edits[variable] { remove(id) }
        let constant = -value(of: variable)
        let id = try add(
            LinearConstraint(
                LinearExpression([(variable, 1)], constant: constant), .equal, priority: priority))
        edits[variable] = id
        entries[id.number]?.edits = variable
        return id
    }

    /// Moves an edited variable to a value, or as near to it as stronger constraints allow, and solves again.
    ///
    /// Does nothing if the variable is not edited. Throws ``SolverError`` if the edit is required and cannot be met.
    public mutating func suggest(_ value: Double, for variable: Variable) throws(SolverError) {
        guard let id = edits[variable] else { return }
        try setConstant(-value, of: id)
    }

    /// Ends the editing of a variable; it then takes the value that the constraints give it.
    public mutating func removeEditVariable(_ variable: Variable) {
        if let id = edits[variable] { remove(id) }
    }

    // MARK: Ambiguity

    /// Returns the variables, of these, that have other values in another solution that is just as good.
    ///
    /// Of the solutions of least cost, it finds the slacks and errors that are zero in all of them. What the remaining ones can move is the
    /// null space of the equations. At first, each variable was made least and greatest: 2.6 s for 1,000 views instead of 2 ms.
    public func undetermined(_ variables: [Variable]) -> Set<Variable> {
        var probe = tableau
        probe.freezeCosts()
        probe.freezeImpliedZeros()
        return Set(probe.loose(variables.map(\.symbol)).map(Variable.init))
    }
}

extension LinearConstraint {
    /// Whether all numbers are finite and small enough for exact arithmetic to a billionth of a point.
    fileprivate var isInRange: Bool {
        let limit = 1e9
        return abs(expression.constant) <= limit
            && expression.terms.allSatisfy { abs($0.factor) <= 1e6 }
    }
}

/// Reason why a ``ConstraintSolver`` refused a constraint.
public enum SolverError: Error, Hashable, Sendable {
    /// The constraint contradicts required constraints that were added before; those that take part are listed.
    case unsatisfiable(with: [ConstraintSolver.ID])
    /// A factor is not finite or above 1e6, or a constant above 1e9.
    case outOfRange
}
