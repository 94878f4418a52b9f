/// How much of a piece of work is done.
///
/// The values that one piece of work reports never decrease, and the last one of work that succeeds has the fraction 1,
/// exactly. They come on the threads that do the work, one at a time.
public struct WorkProgress: Hashable, Codable, Sendable {
    /// What is counted.
    public enum What: String, Hashable, Codable, Sendable {
        /// Rows of pixels of the output.
        case rows
        /// Files, or assets of a library, which are files, too.
        case files
        /// Groups of duplicates.
        case groups
        /// Comparisons of two files.
        case comparisons
        /// Thousandths of work of several kinds.
        case thousandths
    }

    /// What is counted.
    public let what: What
    /// The number of things that are done.
    public let done: Int
    /// The number of all things, at least as many as `done`; nil as long as it is unknown.
    public let total: Int?

    /// The share of the work that is done, from 0 to 1: an estimate as long as the total is unknown, and 0 without one.
    public let fraction: Double

    /// Creates the progress of counted things.
    ///
    /// - Parameters:
    ///   - total: the number of all things, which is raised to `done`; nil if it is unknown.
    ///   - fraction: the share of the work, where it is not that of the things; is limited to 0...1.
    public init(_ what: What, done: Int, of total: Int?, fraction: Double? = nil) {
        (self.what, self.done) = (what, max(0, done))
        self.total = total.map { max($0, done, 0) }
        let share = self.total.map { $0 == 0 ? 1 : Double(max(0, done)) / Double($0) }
        self.fraction = fraction.map { $0.isFinite ? min(max($0, 0), 1) : 0 } ?? share ?? 0
    }
}

extension WorkProgress {
    /// Decodes progress; numbers are limited as by `init`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(What.self, forKey: .what), done: try values.decode(Int.self, forKey: .done),
            of: try values.decodeIfPresent(Int.self, forKey: .total),
            fraction: try values.decodeIfPresent(Double.self, forKey: .fraction))
    }
}

extension WorkProgress: CustomStringConvertible {
    /// A text such as "12 of 40 files".
    public var description: String { total.map { "\(done) of \($0) \(what)" } ?? "\(done) \(what)" }
}
