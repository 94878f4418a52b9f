import Files

/// Rows of text under a header, printed as they come.
struct Table {
    struct Column {
        enum Alignment { case left, right }

        let title: String
        let alignment: Alignment
        let least: Int

        /// - Parameter least: the characters that it is wide at least.
        init(_ title: String, _ alignment: Alignment = .left, least: Int = 0) {
            self.title = title
            self.alignment = alignment
            self.least = max(least, title.count)
        }
    }

    private let columns: [Column]

    /// Prints the header.
    init(_ columns: [Column]) {
        self.columns = columns
        add(columns.map(\.title))
    }

    /// Prints a row; control characters of names do not reach the terminal.
    func add(_ cells: [String]) {
        let texts = zip(columns, cells).map { column, cell in
            let text = String(
                PathText.shown(cell).unicodeScalars.map {
                    $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0)
                })
            let space = String(repeating: " ", count: max(0, column.least - text.count))
            return column.alignment == .left ? text + space : space + text
        }
        var line = texts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        print(line)
    }
}
