/// A line of a script that says nothing the player understands; the command line exits with 65 for it.
public struct ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1.
    public let line: Int
    /// What is wrong with it, and what would be right.
    public let reason: String

    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}

/// What is wrong with a value, before it is known which line it stands in.
struct Complaint: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
