public import Foundation

/// A change of a library that can be undone.
public struct LibraryOperation: Identifiable, Hashable, Codable, Sendable {
    /// The identifier; later operations have greater ones.
    public let id: Int64
    /// What was done, such as "edit 12 assets".
    public let name: String
    /// When it was done.
    public let date: Date
    /// Whether it was carried out to its end; otherwise its process was killed, and the next operation repairs it.
    package let isFinished: Bool

    package init(id: Int64, name: String, date: Date, isFinished: Bool) {
        (self.id, self.name, self.date, self.isFinished) = (id, name, date, isFinished)
    }
}

extension LibraryOperation: CustomStringConvertible {
    /// What was done: "edit 12 assets".
    public var description: String { isFinished ? name : "\(name), not finished" }
}
