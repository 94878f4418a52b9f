import ArgumentParser
import Basics

/// The options of a command as its help knows them.
///
/// Making the list takes milliseconds: it is only made for arguments that need a second look.
struct OptionNames {
    struct Known {
        /// "--rect", "-Q".
        var names: [String]
        var takesValue: Bool
        var isRepeating: Bool
        var valueName: String?
        var defaultValue: String?
        var abstract: String?

        /// Whether it is the option of that name, else that of a property.
        func matches(_ property: String, _ name: String?) -> Bool {
            if let name { return names.contains(name) }
            return names.isEmpty && valueName == property
        }
    }

    let all: [Known]

    init(of command: any ParsableCommand.Type) {
        let root = (try? JSONValue(parsing: command._dumpHelp()))?["command"]
        all = (root?["arguments"]?.array ?? []).map { argument in
            Known(
                names: (argument["names"]?.array ?? []).compactMap { name in
                    guard let text = name["name"]?.string else { return nil }
                    return (name["kind"]?.string == "long" ? "--" : "-") + text
                },
                takesValue: argument["kind"]?.string == "option",
                isRepeating: argument["isRepeating"] == .bool(true),
                valueName: argument["valueName"]?.string, defaultValue: argument["defaultValue"]?.string,
                abstract: argument["abstract"]?.string)
        }
    }

    func takesValue(_ name: String) -> Bool { all.contains { $0.takesValue && $0.names.contains(name) } }

    func isKnown(_ name: String) -> Bool { all.contains { $0.names.contains(name) } }

    /// The long name of an option that has a short one.
    func long(_ name: String) -> String {
        let option = all.first { $0.names.contains(name) }
        return option?.names.first { $0.hasPrefix("--") } ?? name
    }
}

/// What somebody may have meant.
enum Suggestion {
    /// The choice that is fewest typing mistakes away, and at most a third of its letters.
    static func nearest(to text: String, of choices: [String]) -> String? {
        let text = text.lowercased()
        let ranked = choices.map { (choice: $0, distance: distance(text, $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.choice.count / 3) ? best.choice : nil
    }

    /// Letters to add, remove, change or swap with the next one.
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
