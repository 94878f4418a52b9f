/// A file that could not be written.
package struct OutputError: Error, Equatable, Sendable, CustomStringConvertible {
    package let file: String
    package let reason: FileError

    package init(file: String, reason: FileError) { (self.file, self.reason) = (file, reason) }

    package var description: String { "\(file): \(reason)" }

    /// Runs a body that writes a file, and names the file in its error.
    package static func naming<R>(_ file: String, _ body: () throws(FileError) -> R) throws(OutputError) -> R
    {
        do {
            return try body()
        } catch {
            throw OutputError(file: file, reason: error)
        }
    }

    /// Runs a body that writes a file; errors that are not `FileError` are thrown unchanged.
    package static func naming<R>(_ file: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as FileError {
            throw OutputError(file: file, reason: error)
        }
    }
}
