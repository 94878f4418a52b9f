package import HTTPTypes
package import NIOCore

/// A request as routes see it: the parts of its path as they came, not decoded.
package struct Call: Sendable {
    package let method: HTTPRequest.Method
    /// What lies between the slashes.
    package let path: [Substring]
    package let headers: HTTPFields
    /// The address of the server, as the client sees it, without a slash at its end.
    package let base: String
    /// The client's connection.
    package let channel: any Channel

    /// A header's value.
    package subscript(name: HTTPField.Name) -> String? { headers[name] }
}

/// Something that answers requests: the seam for all that the server shows.
package protocol Route: Sendable {
    /// The first part of the paths that it answers; empty for "/".
    var prefix: String { get }
    /// Answers a request whose path begins with `prefix`.
    ///
    /// - Throws: `Failure`, or anything else, which the client is not told of.
    func reply(to call: Call) async throws -> Reply
}
