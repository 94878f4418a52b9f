package import HTTPTypes
package import NIOCore

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
