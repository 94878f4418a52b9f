/// Simplex tableau in basic feasible form, with sparse rows, columns and lexicographic costs.
///
/// Free symbols are the unrestricted variables of the user: once basic they stay basic. Restricted symbols are never negative.
/// Markers stay at zero: they label required equations and never become basic by an optimization.
///
/// Source: Badros, Borning and Stuckey, "The Cassowary Linear Arithmetic Constraint Solving Algorithm", 2001. The paper's two
/// tableaus, of free and of restricted symbols, are one here: `kinds` tells their rows apart. Symbols that are not basic are 0.
/// After a constraint was added or removed, the primal simplex follows (`optimize`), after a new constant the dual one
/// (`restoreFeasibility`).
///
/// Rows that only define a variable are in `definitions` instead. While they were in the tableau, each view of a column had a row
/// with a cell for each view before it: 1,000 views took 278 ms, and 3 ms without that.
struct Tableau: Sendable {
    enum Kind: UInt8, Sendable { case free, restricted, marker, unused }

    private(set) var kinds: [Kind] = []
    private(set) var rows: [Row] = []
    private var columns = Columns()
    private(set) var definitions = Definitions()
    private var costs: [Cost] = []
    /// The row that a symbol is basic in, or -1.
    private var rowNumbers: [Int32] = []
    private var unusedSymbols: [Symbol] = []
    private var unusedRows: [Int32] = []
    /// Symbols whose cost became negative; some are not any more.
    private var candidates: [Symbol] = []
    /// Rows whose restricted symbol became negative; some are not any more.
    private var infeasible: [Int32] = []
    private var scratch: [Row.Cell] = []
    /// Coefficients of a row that is expanded, and zeros.
    private var weights: [Double] = []

    // MARK: Symbols

    mutating func makeSymbol(_ kind: Kind, cost: Cost = .none) -> Symbol {
        if let symbol = unusedSymbols.popLast() {
            kinds[Int(symbol)] = kind
            costs[Int(symbol)] = cost
            return symbol
        }
        kinds.append(kind)
        costs.append(cost)
        rowNumbers.append(-1)
        columns.append()
        definitions.appendSymbol()
        weights.append(0)
        return Symbol(kinds.count - 1)
    }

    /// Removes a symbol that is not basic from all rows.
    mutating func discard(_ symbol: Symbol) {
        for number in columns.take(symbol) { rows[Int(number)].remove(symbol) }
        kinds[Int(symbol)] = .unused
        costs[Int(symbol)] = .none
        unusedSymbols.append(symbol)
    }

    func kind(_ symbol: Symbol) -> Kind { kinds[Int(symbol)] }
    func row(of symbol: Symbol) -> Row? {
        let number = rowNumbers[Int(symbol)]
        return number < 0 ? nil : rows[Int(number)]
    }

    func value(of symbol: Symbol) -> Double {
        guard definitions.number(of: symbol) != nil else { return rowValue(of: symbol) }
        var values: [Symbol: Double] = [:]
        for number in definitions.closure(of: [symbol]) {
            let row = definitions[number]
            values[row.basic] = row.cells.reduce(row.constant) {
                $0 + $1.coefficient * (values[$1.symbol] ?? rowValue(of: $1.symbol))
            }
        }
        return values[symbol] ?? 0
    }

    /// The values of all symbols.
    func values() -> [Double] {
        var values = kinds.indices.map { rowValue(of: Symbol($0)) }
        definitions.evaluate(&values)
        return values
    }

    private func rowValue(of symbol: Symbol) -> Double {
        let number = rowNumbers[Int(symbol)]
        return number < 0 ? 0 : rows[Int(number)].constant
    }

    /// How many rows a symbol occurs in, at most.
    func uses(of symbol: Symbol) -> Int { columns.count(of: symbol) }

    /// Whether a symbol occurs in no row.
    func isNew(_ symbol: Symbol) -> Bool { rowNumbers[Int(symbol)] < 0 && columns.count(of: symbol) == 0 }

    /// Whether a free symbol occurs nowhere, so that a row can define it.
    func isUnbound(_ symbol: Symbol) -> Bool {
        kinds[Int(symbol)] == .free && isNew(symbol) && definitions.number(of: symbol) == nil
            && !definitions.isMentioned(symbol)
    }

    /// Whether a symbol that is not defined occurs in a row or is basic in one.
    mutating func isInRows(_ symbol: Symbol) -> Bool {
        guard rowNumbers[Int(symbol)] < 0 else { return true }
        columns[symbol].removeAll { rows[Int($0)][symbol] == 0 }
        return columns.count(of: symbol) > 0
    }

    mutating func addCost(_ cost: Cost, times factor: Double, to symbol: Symbol) {
        costs[Int(symbol)].add(cost, times: factor)
        if costs[Int(symbol)].isNegative { candidates.append(symbol) }
    }

    /// Removes the cost of a symbol from the objective, wherever the symbol is.
    mutating func removeCost(_ cost: Cost, of symbol: Symbol) {
        guard let row = row(of: symbol) else { return addCost(cost, times: -1, to: symbol) }
        for cell in row.cells { addCost(cost, times: -cell.coefficient, to: cell.symbol) }
    }

    // MARK: Rows

    /// Replaces defined and basic symbols by what they are sums of.
    mutating func expand(_ row: Row) -> Row {
        var constant = row.constant
        var touched: [Symbol] = []
        func touch(_ cell: Row.Cell, times factor: Double, _ weights: inout [Double]) {
            // A weight that cancelled out is touched again, and counts once because it is taken out.
            if weights[Int(cell.symbol)] == 0 { touched.append(cell.symbol) }
            weights[Int(cell.symbol)] += cell.coefficient * factor
        }
        func take(_ symbol: Symbol, _ weights: inout [Double]) -> Double {
            defer { weights[Int(symbol)] = 0 }
            return weights[Int(symbol)]
        }
        for cell in row.cells { touch(cell, times: 1, &weights) }
        for number in definitions.closure(of: touched).reversed() {
            let definition = definitions[number]
            let weight = take(definition.basic, &weights)
            guard weight != 0 else { continue }
            constant += weight * definition.constant
            for cell in definition.cells { touch(cell, times: weight, &weights) }
        }
        for symbol in touched where rowNumbers[Int(symbol)] >= 0 {
            let weight = take(symbol, &weights)
            guard weight != 0 else { continue }
            let other = rows[Int(rowNumbers[Int(symbol)])]
            constant += weight * other.constant
            for cell in other.cells { touch(cell, times: weight, &weights) }
        }
        var cells: [Row.Cell] = []
        for symbol in touched {
            let weight = take(symbol, &weights)
            if abs(weight) >= rounding { cells.append(Row.Cell(symbol: symbol, coefficient: weight)) }
        }
        cells.sort { $0.symbol < $1.symbol }
        return Row(constant: constant, sortedCells: cells)
    }

    /// Defines the basic symbol of a row that occurs nowhere.
    mutating func define(_ row: Row) { definitions.insert(row) }

    /// Removes the definition of a symbol; with `keeping`, the symbol becomes basic in its expanded row.
    mutating func undefine(_ symbol: Symbol, keeping: Bool) {
        guard keeping else { return definitions.remove(symbol) }
        var row = expand(Row(sortedCells: [Row.Cell(symbol: symbol, coefficient: 1)]))
        definitions.remove(symbol)
        row.basic = symbol
        insert(row)
    }

    /// Inserts a row whose basic symbol occurs nowhere else, or substitutes it where it does.
    mutating func insert(_ row: Row) {
        let number: Int32
        if let unused = unusedRows.popLast() {
            number = unused
            rows[Int(number)] = row
        } else {
            number = Int32(rows.count)
            rows.append(row)
        }
        for cell in row.cells { columns.insert(number, into: cell.symbol) }
        rowNumbers[Int(row.basic)] = number
        substitute(row.basic)
    }

    /// Removes the row that a symbol is basic in; the symbol is then neither basic nor in any row.
    mutating func removeRow(of symbol: Symbol) {
        let number = rowNumbers[Int(symbol)]
        rows[Int(number)] = Row()
        rowNumbers[Int(symbol)] = -1
        unusedRows.append(number)
    }

    /// Replaces a symbol that has just become basic by its row, in all other rows and in the costs.
    private mutating func substitute(_ symbol: Symbol) {
        let source = rowNumbers[Int(symbol)]
        let row = rows[Int(source)]
        for number in columns.take(symbol) where number != source {
            let coefficient = rows[Int(number)][symbol]
            guard coefficient != 0 else { continue }
            rows[Int(number)].add(
                row, times: coefficient, forgetting: symbol, number: number, columns: &columns,
                scratch: &scratch)
            noteFeasibility(of: number)
        }
        let cost = costs[Int(symbol)]
        guard !cost.isNone else { return }
        costs[Int(symbol)] = .none
        for cell in row.cells { addCost(cost, times: cell.coefficient, to: cell.symbol) }
    }

    /// Exchanges a basic symbol with one of the cells of its row.
    mutating func pivot(entering: Symbol, leaving: Symbol) {
        let number = rowNumbers[Int(leaving)]
        rows[Int(number)].solve(for: entering)
        rowNumbers[Int(leaving)] = -1
        rowNumbers[Int(entering)] = number
        columns.insert(number, into: leaving)
        substitute(entering)
    }

    private mutating func noteFeasibility(of number: Int32) {
        let row = rows[Int(number)]
        switch kinds[Int(row.basic)] {
        case .restricted where row.constant < -rounding: infeasible.append(number)
        case .marker where abs(row.constant) > rounding: infeasible.append(number)
        default: break
        }
    }

    /// Adds to the value of a symbol: what its column contributes to all rows, and to the definition of another.
    mutating func shift(_ symbol: Symbol, definitionOf defined: Symbol, by amount: Double) {
        if defined >= 0 { definitions.shift(symbol, of: defined, by: amount) }
        let own = rowNumbers[Int(symbol)]
        if own >= 0 {
            rows[Int(own)].constant -= amount
            return noteFeasibility(of: own)
        }
        // A row can be listed more than once.
        let numbers = Set(columns[symbol]).sorted()
        columns[symbol] = numbers
        for number in numbers {
            let coefficient = rows[Int(number)][symbol]
            guard coefficient != 0 else { continue }
            rows[Int(number)].constant += coefficient * amount
            noteFeasibility(of: number)
        }
    }

    // MARK: Optimization

    /// Pivots until no symbol lowers the cost; returns false if one lowers it without a bound.
    @discardableResult
    mutating func optimize() -> Bool {
        for _ in 0..<pivotLimit {
            guard let entering = nextEntering() else { return true }
            guard let leaving = leaving(for: entering) else { return false }
            pivot(entering: entering, leaving: leaving)
        }
        return true
    }

    /// A bound that correct pivots never meet; rounding errors could make them cycle.
    private var pivotLimit: Int { 1000 + 20 * kinds.count }

    /// The first symbol that lowers the cost (Bland's rule, which does not cycle).
    private mutating func nextEntering() -> Symbol? {
        candidates.removeAll {
            !costs[Int($0)].isNegative || rowNumbers[Int($0)] >= 0 || kinds[Int($0)] == .marker
        }
        return candidates.min()
    }

    /// The basic symbol that reaches zero first when another grows.
    private func leaving(for entering: Symbol) -> Symbol? {
        var found: Symbol?
        var least = Double.infinity
        for number in columns[entering] {
            let row = rows[Int(number)]
            // Free symbols may become negative and limit nothing.
            guard row.basic >= 0, kinds[Int(row.basic)] != .free else { continue }
            let coefficient = row[entering]
            let ratio: Double
            // A marker must stay at zero, in either direction.
            if kinds[Int(row.basic)] == .marker, coefficient != 0 {
                ratio = 0
            } else if coefficient < 0 {
                ratio = max(-row.constant / coefficient, 0)
            } else {
                continue
            }
            if ratio < least || (ratio == least && row.basic < found!) {
                least = ratio
                found = row.basic
            }
        }
        return found
    }

    /// Pivots until no restricted symbol is negative, keeping the cost optimal.
    ///
    /// Returns the row that cannot be mended if there is no solution.
    mutating func restoreFeasibility() -> Row? {
        for _ in 0..<pivotLimit {
            guard let number = infeasible.popLast() else { return nil }
            let row = rows[Int(number)]
            guard row.basic >= 0 else { continue }
            switch kinds[Int(row.basic)] {
            case .restricted where row.constant < -rounding: break
            case .marker where abs(row.constant) > rounding: return row
            default: continue
            }
            // The least cost per unit of the row, so that no cost becomes negative.
            var entering: Row.Cell?
            for cell in row.cells where cell.coefficient > 0 && kinds[Int(cell.symbol)] != .marker {
                guard let best = entering else {
                    entering = cell
                    continue
                }
                let order = costs[Int(cell.symbol)].compare(
                    per: cell.coefficient, costs[Int(best.symbol)], per: best.coefficient)
                if order < 0 { entering = cell }
            }
            guard let entering else {
                infeasible.append(number)
                return row
            }
            pivot(entering: entering.symbol, leaving: row.basic)
        }
        return nil
    }

    /// Makes a symbol basic in the row that keeps all others feasible, so that its row can be removed.
    mutating func release(_ symbol: Symbol) {
        guard rowNumbers[Int(symbol)] < 0 else { return }
        var best: (rank: Int, ratio: Double, basic: Symbol)?
        for number in columns[symbol] {
            let row = rows[Int(number)]
            let coefficient = row[symbol]
            guard coefficient != 0 else { continue }
            // After markers, as in the paper: rows that limit the symbol, other restricted ones, free ones.
            let ratio = abs(row.constant / coefficient)
            let rank =
                switch kinds[Int(row.basic)] {
                case .marker: 0
                case .free: 3
                default: coefficient < 0 ? 1 : 2
                }
            if best == nil || (rank, ratio, row.basic) < best! { best = (rank, ratio, row.basic) }
        }
        if let best { pivot(entering: symbol, leaving: best.basic) }
    }

    // MARK: Other solutions of the same cost

    /// Keeps all symbols at zero that cost something: what remains are the solutions of least cost.
    mutating func freezeCosts() {
        for symbol in costs.indices where !costs[symbol].isNone && rowNumbers[symbol] < 0 {
            kinds[symbol] = .marker
        }
        costs = Array(repeating: .none, count: costs.count)
    }

    /// Keeps all restricted symbols at zero that are zero in every solution of the remaining ones.
    ///
    /// Every other one is positive in some solution, and in the mean of these solutions all of them are: there, nothing limits small moves.
    mutating func freezeImpliedZeros() {
        for symbol in kinds.indices.map(Symbol.init)
        where kinds[Int(symbol)] == .restricted && rowValue(of: symbol) < rounding {
            let objective = expand(Row(sortedCells: [Row.Cell(symbol: symbol, coefficient: -1)]))
            guard objective.cells.contains(where: { kinds[Int($0.symbol)] != .marker }) else { continue }
            candidates.removeAll()
            for cell in objective.cells { addCost(Cost(at: 1), times: cell.coefficient, to: cell.symbol) }
            let isLimited = optimize()
            for other in costs.indices where !costs[other].isNone { costs[other] = .none }
            guard isLimited, rowValue(of: symbol) < 10 * rounding else { continue }
            let cell = row(of: symbol)?.cells.first { kinds[Int($0.symbol)] == .restricted }
            if let cell { pivot(entering: cell.symbol, leaving: symbol) }
            kinds[Int(symbol)] = .marker
        }
    }

    /// Returns the symbols, of these, that are not sums of symbols that are kept at zero.
    mutating func loose(_ symbols: [Symbol]) -> [Symbol] {
        var isFixed = kinds.map { $0 == .marker }
        for row in rows where row.basic >= 0 {
            isFixed[Int(row.basic)] = row.cells.allSatisfy { kinds[Int($0.symbol)] == .marker }
        }
        definitions.propagate(&isFixed)
        return symbols.filter { symbol in
            guard !isFixed[Int(symbol)] else { return false }
            // Symbols of definitions can cancel out.
            let row = expand(Row(sortedCells: [Row.Cell(symbol: symbol, coefficient: 1)]))
            return row.cells.contains { kinds[Int($0.symbol)] != .marker }
        }
    }
}
