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

/// What is sent back: a status, headers and bytes.
package struct Reply: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: ByteBuffer
    /// Instead of a body: bytes that come bit by bit.
    package var stream: ByteStream?
    /// Whether only pages of this server may read it, also where those of others may read the route's other replies.
    package var isPrivate = false

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Bytes of a media type that come bit by bit.
    package init(_ status: HTTPResponse.Status = .ok, stream: ByteStream, _ mediaType: String) {
        self.init(status, headers: [.contentType: mediaType])
        self.stream = stream
    }

    /// A text of a media type.
    package init(_ status: HTTPResponse.Status = .ok, text: String, _ mediaType: String) {
        self.init(status, headers: [.contentType: mediaType], body: ByteBuffer(string: text))
    }

    /// The way to another address.
    package static func seeOther(_ address: String) -> Reply {
        Reply(.seeOther, headers: [.location: address])
    }
}

/// Bytes that are sent as they come: each is asked for when the one before it has been taken.
package struct ByteStream: Sendable {
    package typealias Bytes = AsyncSequence<ByteBuffer, any Error> & Sendable

    let bytes: any Bytes
    /// How many there will be, where that is known.
    let length: Int?

    package init(_ bytes: any Bytes, length: Int? = nil) {
        self.bytes = bytes
        self.length = length
    }
}

/// Why a request is not answered with what it asks for: a status and one sentence for people.
package struct Failure: Error, Sendable {
    package var status: HTTPResponse.Status
    package var sentence: String
    /// Seconds after which it may be tried again.
    package var retryAfter: Int?
    /// As of a reply.
    var isPrivate = false

    package init(_ status: HTTPResponse.Status, _ sentence: String, retryAfter: Int? = nil) {
        self.status = status
        self.sentence = sentence
        self.retryAfter = retryAfter
    }

    /// More files are open than the system lets the process have.
    static let noDescriptors = Failure(
        .serviceUnavailable, "the server has too many files open; try again", retryAfter: 2)
    /// A page of another origin asks for what only pages of this server may read.
    static let foreign = {
        var failure = Failure(
            .forbidden, "only pages of this server may read this; open its address in the browser itself")
        failure.isPrivate = true
        return failure
    }()
    package static let notFound = Failure(.notFound, "there is no such image here")
    static let busy = Failure(.serviceUnavailable, "the server has too much to do; try again", retryAfter: 2)
    static let tooSlow = Failure(
        .serviceUnavailable, "the picture took too long; try again, or ask for a smaller one", retryAfter: 10)

    /// The failure as it is sent.
    var reply: Reply {
        var reply = Reply(status, text: sentence + "\n", "text/plain; charset=utf-8")
        reply.headers[.cacheControl] = "no-store"
        reply.isPrivate = isPrivate
        if let retryAfter { reply.headers[.retryAfter] = "\(retryAfter)" }
        return reply
    }
}

extension HTTPField.Name {
    /// Source: RFC 8288.
    static let link = HTTPField.Name("Link")!
}
