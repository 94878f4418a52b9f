/// What libvips would not do: the operation, a reason that this wrapper knows, and libvips' own words.
package struct VipsError: Error, Sendable, CustomStringConvertible {
    /// Why an operation failed, as far as it can be told without reading messages.
    package enum Reason: Sendable, Equatable {
        /// The installed libvips has no operation of this name.
        case missingOperation
        /// The operation has no argument of this name, or of another type.
        case badArgument(String)
        /// No loader that may be used knows the file.
        case unknownFormat
        /// The operation itself failed.
        case failed
    }

    package var operation: String
    package var reason: Reason
    /// Text for people.
    ///
    /// libvips keeps one buffer for all threads, so it may belong to another operation:
    /// it is shown, never matched on.
    package var log: String

    package var description: String {
        log.isEmpty ? "\(operation) failed" : "\(operation): \(log)"
    }
}
