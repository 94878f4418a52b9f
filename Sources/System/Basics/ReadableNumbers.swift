extension Duration {
    /// Text for people: "12.3 ms", or "4.2 s" from one second on.
    package var readable: String {
        let milliseconds = self / .milliseconds(1)
        return milliseconds < 1000 ? "\(milliseconds.tenths) ms" : "\((milliseconds / 1000).tenths) s"
    }
}

extension Int {
    /// The number with its noun: "1 file", "2 files".
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

    /// A number of bytes for people: "512 bytes", "1.2 MB".
    package var readableBytes: String {
        guard magnitude >= 1000 else { return counted("byte") }
        let units = ["kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(self) / 1000, 0)
        // The limit is where the number would be rounded to 1000.0.
        while value.magnitude >= 999.95, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        return "\(value.tenths) \(units[unit])"
    }
}

extension [String] {
    /// The texts as a list with a word before the last one: "a, b or c".
    package func listed(_ word: String) -> String {
        guard let last, count > 1 else { return joined() }
        return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
    }
}

extension Double {
    /// The number with one decimal.
    fileprivate var tenths: String { "\((self * 10).rounded() / 10)" }
}

extension [(Int, String)] {
    /// The counts that are not 0, after a text: "312 made, 4 failed".
    package func listed(after start: String) -> String {
        ([start] + filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
    }
}
