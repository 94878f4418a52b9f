/// Suggestions for mistyped words.
package enum Suggestion {
    /// Returns the choice with the smallest edit distance, if that is at most a third of its length.
    package static func nearest(to text: String, of choices: [String]) -> String? {
        let text = text.lowercased()
        let ranked = choices.map { (choice: $0, distance: distance(text, $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.choice.count / 3) ? best.choice : nil
    }

    /// Returns the edit distance, with swaps of neighboring letters.
    private static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        guard a.count < 64, b.count < 64 else { return .max }
        var rows = [[Int](0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
