package import HTTPTypes
package import NIOCore

/// A request as routes see it: the parts of its path as they came, not decoded.
package struct Call: Sendable {
    package let method: HTTPRequest.Method
    /// What lies between the slashes.
    package let path: [Substring]
    /// What follows the question mark, not decoded.
    package let query: Substring
    package let headers: HTTPFields
    /// The address of the server, as the client sees it, without a slash at its end.
    package let base: String
    /// Whether a page of another origin asks.
    package let isForeign: Bool
    /// The client's connection.
    package let channel: any Channel

    /// A header's value.
    package subscript(name: HTTPField.Name) -> String? { headers[name] }

    /// The value of a name in the query; nil where it is not there or no encoding of a text.
    package func value(_ name: String) -> String? {
        for pair in query.split(separator: "&") where pair.hasPrefix(name + "=") {
            // Forms write spaces so.
            let value = pair.dropFirst(name.utf8.count + 1).map { $0 == "+" ? "%20" : String($0) }
            return PercentCoding.decode(value.joined())
        }
        return nil
    }
}

/// Something that answers requests: the seam for all that the server shows.
package protocol Route: Sendable {
    /// The first part of the paths that it answers; empty for "/".
    var prefix: String { get }
    /// Whether pages of other origins may read what is answered, unless a reply is private.
    var isOpen: Bool { get }
    /// Answers a request whose path begins with `prefix`.
    ///
    /// - Throws: `Failure`, or anything else, which the client is not told of.
    func reply(to call: Call) async throws -> Reply
}

extension Route {
    package var isOpen: Bool { false }
}
