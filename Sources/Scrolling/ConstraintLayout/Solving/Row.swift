/// Index of a column of the tableau: a variable of the user, a slack, an error or a marker.
typealias Symbol = Int32

/// Coefficients and costs below this are rounding errors.
let rounding = 1e-8

/// One equation of the tableau: the basic symbol is the constant plus the weighted symbols of the cells.
struct Row: Sendable {
    struct Cell: Sendable {
        var symbol: Symbol
        var coefficient: Double
    }

    var basic: Symbol = -1
    var constant = 0.0
    /// Sorted by symbol, contiguous, and without zeros.
    private(set) var cells: [Cell] = []

    init(basic: Symbol = -1, constant: Double = 0, sortedCells: [Cell] = []) {
        self.basic = basic
        self.constant = constant
        cells = sortedCells
    }

    /// The position of a symbol, or where it would be inserted.
    private func position(of symbol: Symbol) -> Int {
        var low = 0
        var high = cells.count
        while low < high {
            let middle = (low + high) >> 1
            if cells[middle].symbol < symbol { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The coefficient of a symbol; 0 if there is none.
    subscript(symbol: Symbol) -> Double {
        let position = position(of: symbol)
        guard position < cells.count, cells[position].symbol == symbol else { return 0 }
        return cells[position].coefficient
    }

    /// Adds a symbol times a coefficient.
    mutating func add(_ symbol: Symbol, times coefficient: Double) {
        let position = position(of: symbol)
        if position < cells.count, cells[position].symbol == symbol {
            cells[position].coefficient += coefficient
            if abs(cells[position].coefficient) < rounding { cells.remove(at: position) }
        } else if abs(coefficient) >= rounding {
            cells.insert(Cell(symbol: symbol, coefficient: coefficient), at: position)
        }
    }

    /// Removes a symbol; returns whether it was there.
    @discardableResult
    mutating func remove(_ symbol: Symbol) -> Bool {
        let position = position(of: symbol)
        guard position < cells.count, cells[position].symbol == symbol else { return false }
        cells.remove(at: position)
        return true
    }

    mutating func multiply(by factor: Double) {
        constant *= factor
        for index in cells.indices { cells[index].coefficient *= factor }
    }

    /// Adds the right side of another row times a factor, and forgets a symbol.
    ///
    /// `scratch` is memory for the sum, used again by the next call. The number of this row is added to the columns of symbols that
    /// were not in it.
    mutating func add(
        _ other: Row, times factor: Double, forgetting symbol: Symbol, number: Int32,
        columns: inout Columns, scratch: inout [Cell]
    ) {
        constant += factor * other.constant
        scratch.removeAll(keepingCapacity: true)
        var mine = 0
        var theirs = 0
        while theirs < other.cells.count {
            let cell = other.cells[theirs]
            theirs += 1
            while mine < cells.count, cells[mine].symbol < cell.symbol {
                if cells[mine].symbol != symbol { scratch.append(cells[mine]) }
                mine += 1
            }
            var sum = factor * cell.coefficient
            if mine < cells.count, cells[mine].symbol == cell.symbol {
                sum += cells[mine].coefficient
                mine += 1
            } else if abs(sum) >= rounding {
                columns.insert(number, into: cell.symbol)
            }
            if abs(sum) >= rounding { scratch.append(Cell(symbol: cell.symbol, coefficient: sum)) }
        }
        while mine < cells.count {
            if cells[mine].symbol != symbol { scratch.append(cells[mine]) }
            mine += 1
        }
        swap(&cells, &scratch)
    }

    /// Solves for a symbol of the cells: it becomes basic, and the symbol that was basic gets its cell.
    mutating func solve(for symbol: Symbol) {
        let coefficient = self[symbol]
        remove(symbol)
        let former = basic
        basic = symbol
        multiply(by: -1 / coefficient)
        if former >= 0 { add(former, times: 1 / coefficient) }
    }
}

/// For each symbol, the rows that it may occur in.
///
/// A superset: rows that lose a symbol stay listed until the list is used up, so readers check the row.
struct Columns: Sendable {
    private var lists: [[Int32]] = []

    mutating func append() { lists.append([]) }
    mutating func insert(_ row: Int32, into symbol: Symbol) {
        lists[Int(symbol)].append(row)
        // A row that repeatedly loses and gains a symbol is listed each time.
        let count = lists[Int(symbol)].count
        if count >= 256, count & (count - 1) == 0 { lists[Int(symbol)] = Set(lists[Int(symbol)]).sorted() }
    }
    func count(of symbol: Symbol) -> Int { lists[Int(symbol)].count }
    subscript(symbol: Symbol) -> [Int32] {
        get { lists[Int(symbol)] }
        set { lists[Int(symbol)] = newValue }
    }

    mutating func take(_ symbol: Symbol) -> [Int32] {
        let list = lists[Int(symbol)]
        lists[Int(symbol)] = []
        return list
    }
}
