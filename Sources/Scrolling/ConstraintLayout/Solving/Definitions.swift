/// Free variables that are sums of earlier symbols, as their constraints say.
///
/// Most constraints of a layout introduce a variable: `b.left == a.right + 8` defines the left edge of b, and nothing limits it.
/// Such a row stays as short as the constraint. It is expanded when a later constraint mentions the variable and does not define
/// another one; so a chain of a thousand views has a thousand short rows, not rows of a thousand cells.
struct Definitions: Sendable {
    /// In the order of definition: each row mentions earlier ones, and symbols without a definition.
    ///
    /// Removed rows are empty.
    private var rows: [Row] = []
    /// For each symbol, its row or -1.
    private var numbers: [Int32] = []
    /// For each symbol, how many rows mention it.
    private var mentions: [Int32] = []
    private var count = 0

    mutating func appendSymbol() {
        numbers.append(-1)
        mentions.append(0)
    }

    func number(of symbol: Symbol) -> Int? {
        let number = numbers[Int(symbol)]
        return number < 0 ? nil : Int(number)
    }

    func isMentioned(_ symbol: Symbol) -> Bool { mentions[Int(symbol)] > 0 }
    subscript(number: Int) -> Row { rows[number] }

    /// Defines the basic symbol of a row, which no other row mentions.
    mutating func insert(_ row: Row) {
        if rows.count > 2 * count + 64 { compact() }
        numbers[Int(row.basic)] = Int32(rows.count)
        for cell in row.cells { mentions[Int(cell.symbol)] += 1 }
        rows.append(row)
        count += 1
    }

    /// Removes the definition of a symbol.
    mutating func remove(_ symbol: Symbol) {
        let number = Int(numbers[Int(symbol)])
        for cell in rows[number].cells { mentions[Int(cell.symbol)] -= 1 }
        rows[number] = Row()
        numbers[Int(symbol)] = -1
        count -= 1
    }

    /// Adds an amount of one of its cells to the constant of a definition.
    mutating func shift(_ cell: Symbol, of symbol: Symbol, by amount: Double) {
        let number = Int(numbers[Int(symbol)])
        rows[number].constant += rows[number][cell] * amount
    }

    /// The numbers of the definitions that symbols depend on, ascending.
    func closure(of symbols: some Sequence<Symbol>) -> [Int] {
        var open = symbols.compactMap(number(of:))
        guard !open.isEmpty else { return [] }
        var found: [Int] = []
        var isFound = Array(repeating: false, count: rows.count)
        while let number = open.popLast() {
            guard !isFound[number] else { continue }
            isFound[number] = true
            found.append(number)
            for cell in rows[number].cells {
                if let next = self.number(of: cell.symbol) { open.append(next) }
            }
        }
        return found.sorted()
    }

    /// Adds the values of all defined symbols to those of the others.
    func evaluate(_ values: inout [Double]) {
        for row in rows where row.basic >= 0 {
            values[Int(row.basic)] = row.cells.reduce(row.constant) {
                $0 + $1.coefficient * values[Int($1.symbol)]
            }
        }
    }

    /// Adds the defined symbols that are sums of fixed ones only.
    func propagate(_ isFixed: inout [Bool]) {
        for row in rows where row.basic >= 0 {
            isFixed[Int(row.basic)] = row.cells.allSatisfy { isFixed[Int($0.symbol)] }
        }
    }

    private mutating func compact() {
        rows.removeAll { $0.basic < 0 }
        for (number, row) in rows.enumerated() { numbers[Int(row.basic)] = Int32(number) }
    }
}
