internal import Digests
internal import HTTPTypes

/// A picture and everything that its bytes depend on: what caches are asked for.
package struct PictureIdentity: Hashable, Sendable {
    fileprivate let parts: [String]

    package init(_ parts: String...) {
        self.parts = parts
    }
}

/// What tells one state of a resource from all others, for caches of clients.
///
/// Source: RFC 9110, sections 8.8.3 and 13.
package struct EntityTag: Hashable, Sendable {
    /// Thirty-two hexadecimal digits in quotes.
    package let text: String

    /// Of everything that the bytes depend on.
    package init(_ parts: String...) {
        self.init(parts)
    }

    package init(_ identity: PictureIdentity) {
        self.init(identity.parts)
    }

    private init(_ parts: [String]) {
        var hash = SHA256()
        for part in parts {
            // Lengths keep "a", "bc" from "ab", "c".
            hash.update(Array("\(part.utf8.count):\(part)".utf8).span)
        }
        text = "\"\(hash.finalize().bytes.prefix(16).hexadecimal)\""
    }

    /// Whether the client has these bytes already.
    package func isKnown(to call: Call) -> Bool {
        guard let known = call[.ifNoneMatch] else { return false }
        return known == "*"
            || known.split(separator: ",").contains { tag in
                var tag = tag[...]
                while tag.first == " " { tag.removeFirst() }
                while tag.last == " " { tag.removeLast() }
                return (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == text
            }
    }
}
