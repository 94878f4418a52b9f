internal import ImageMetadata

/// What an import will do, file by file, before anything is touched.
public struct ImportPlan: Equatable, Sendable {
    public struct Item: Equatable, Sendable {
        public enum Action: Equatable, Sendable {
            /// Goes to a path below the root.
            case take(to: String)
            /// Is there already, at the path below the root that it would go to: an earlier import brought it.
            case present(at: String)
            /// The library has the same bytes elsewhere, or gets them from another source.
            case duplicate(of: String)
            /// Cannot be read.
            case fail(reason: String)
        }

        /// From the root of the file system.
        public var source: String
        public var bytes: Int
        /// When it was last written, in nanoseconds since 1970.
        var modified: Int
        /// Equal for files that belong together: none of them is removed before all are safe.
        var group: Int
        public var action: Action
    }

    /// Files that belong together follow each other.
    public var items: [Item]
    /// Whether sources are removed once they are safe.
    public var moves: Bool
    /// The zone of dates that name none.
    var assumedZone: AssumedZone?
    /// What dates files that say nothing of a date.
    var undatedBy: UndatedRule?

    public static func == (a: Self, b: Self) -> Bool { a.items == b.items && a.moves == b.moves }

    /// The bytes that will be taken.
    public var bytes: Int {
        items.reduce(0) { sum, item in
            if case .take = item.action { sum + item.bytes } else { sum }
        }
    }
}

extension ImportPlan: CustomStringConvertible {
    /// A line for each file, "copy       /card/a.jpg -> 2014/2014-05-25/a.jpg", and one that counts them.
    public var description: String {
        var counts = (take: 0, present: 0, duplicate: 0, fail: 0)
        var lines: [String] = []
        for item in items {
            switch item.action {
            case .take(let path):
                counts.take += 1
                lines.append("\(moves ? "move" : "copy")       \(item.source) -> \(path)")
            case .present(let path):
                counts.present += 1
                lines.append("present    \(item.source) = \(path)")
            case .duplicate(let path):
                counts.duplicate += 1
                lines.append("duplicate  \(item.source) = \(path)")
            case .fail(let reason):
                counts.fail += 1
                lines.append("unreadable \(item.source): \(reason)")
            }
        }
        let sum =
            "\(counts.take) to \(moves ? "move" : "copy") (\(bytes) bytes), \(counts.present) present, "
            + "\(counts.duplicate) duplicates, \(counts.fail) unreadable"
        return (lines + [sum]).joined(separator: "\n")
    }
}
