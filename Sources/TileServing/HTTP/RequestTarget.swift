internal import Files
internal import HTTPTypes
internal import Hummingbird

/// What a request asks for, and of whom.
///
/// Of "http://host/path" only the path is left when it comes here; `Host` says the name.
struct RequestTarget {
    /// Not decoded; "*" where a client asks for the options of the whole server.
    let path: Substring
    /// What follows the question mark, not decoded.
    let query: Substring
    /// The server's name and port as the client wrote them; nil where it says nothing, which no browser does.
    let host: String?
    let authority: Authority?

    /// The longest address that is looked at.
    private static let longest = 4096

    /// - Throws: `Failure` where it is no address of a server like this one.
    init(_ request: Request) throws(Failure) {
        let target = request.head.path ?? ""
        guard target.utf8.count <= Self.longest,
            target.hasPrefix("/") || (target == "*" && request.method == .options)
        else { throw Failure(.badRequest, "the address is no path of at most \(Self.longest) bytes") }
        // The first of several is taken out of the headers.
        guard request.headers[Self.hostName] == nil else {
            throw Failure(.badRequest, "the request has more than one Host header")
        }
        host = request.head.authority.flatMap { $0.isEmpty ? nil : $0 }
        authority = host.flatMap { Authority($0) }
        guard host == nil || authority != nil else {
            throw Failure(.badRequest, "the Host header is no name and port of a server")
        }
        path = target.prefix { $0 != "?" }
        query = target.dropFirst(path.count + 1)
    }

    private static let hostName = HTTPField.Name("Host")!
}

/// Percent-encoding of URLs, strictly: what is no encoding is an error, and decoding happens once.
///
/// Source: RFC 3986, section 2.
package enum PercentCoding {
    /// The text that a part of a path stands for, as `PathText` has it; nil where it is no encoding.
    package static func decode(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return PathText.decode(bytes)
    }

    /// A text as one part of a path: everything but letters, digits and -._~ is encoded.
    package static func encode(_ text: some StringProtocol) -> String {
        var result = ""
        for byte in PathText.bytes(text) {
            if isUnreserved(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += byte < 16 ? "%0" : "%"
                result += String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
