package import Files
package import Foundation

/// An import as the ledger of the library has it.
package struct ImportRecord: Equatable, Sendable {
    /// The number, which is greater for later imports.
    package let id: Int64
    /// When it began.
    package let date: Date
    /// The absolute paths of its sources.
    package let sources: [FilePath]
    /// Whether it removed sources after copying them.
    package let moves: Bool
    /// The number of files that it had found.
    package let discovered: Int
    /// How it ended; nil if it was killed, or is running.
    package let end: End?
    /// The number of files with each outcome, by the outcome's name.
    package var counts: [String: Int] = [:]

    package init(
        id: Int64, date: Date, sources: [FilePath], moves: Bool, discovered: Int, end: End?
    ) {
        (self.id, self.date, self.sources) = (id, date, sources)
        (self.moves, self.discovered, self.end) = (moves, discovered, end)
    }

    /// How an import ends.
    package enum End: String, Sendable { case finished, stopped }

    /// The number of files whose outcome is known; a killed import has not done the others.
    package var done: Int { counts.values.reduce(0, +) }
}

/// What became of one file of an import.
package struct ImportedFileRecord: Equatable, Sendable {
    /// How the reason of a file begins that was imported although something is missing of it.
    package static let damageMark = "is damaged, and was imported nevertheless: "

    /// The position in the plan of the import.
    package var number: Int
    /// The absolute path of the file, or of the entry of an archive, when it was imported.
    package var source: FilePath
    package var bytes: Int
    /// The name of the outcome.
    package var outcome: String
    /// The path below the root at that time.
    package var path: FilePath?
    /// The evidence that the library had the file already.
    package var evidence: String?
    package var reason: String?
    /// Whether the source was removed.
    package var isRemoved: Bool

    package init(
        number: Int, source: FilePath, bytes: Int, outcome: String, path: FilePath?, evidence: String?,
        reason: String?, isRemoved: Bool
    ) {
        (self.number, self.source, self.bytes, self.outcome) = (number, source, bytes, outcome)
        (self.path, self.evidence, self.reason, self.isRemoved) = (path, evidence, reason, isRemoved)
    }
}

/// Where a file of the library came from.
package struct ImportOrigin: Equatable, Sendable {
    /// The number of the import.
    package let id: Int64
    package let date: Date
    /// The absolute path of the source at that time.
    package let source: FilePath
    /// Whether the import removed the source.
    package let isRemoved: Bool
    /// Whether the import brought the file; otherwise the library had it already.
    package let isBrought: Bool

    package init(id: Int64, date: Date, source: FilePath, isRemoved: Bool, isBrought: Bool) {
        (self.id, self.date, self.source) = (id, date, source)
        (self.isRemoved, self.isBrought) = (isRemoved, isBrought)
    }
}

extension ImportOrigin: CustomStringConvertible {
    /// "import 3 of 2026-05-25 copied it from /media/card/a.jpg".
    package var description: String {
        let day = date.ISO8601Format().prefix(10)
        return "import \(id) of \(day) \(isRemoved ? "moved" : isBrought ? "copied" : "found") it "
            + "\(isBrought ? "from" : "at") \(source)"
    }
}
