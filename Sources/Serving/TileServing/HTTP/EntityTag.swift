#if Server
internal import Digests
private import Files
internal import HTTPTypes

/// An image and all inputs of its encoded bytes: the key of caches.
package struct RenderIdentity: Hashable, Sendable {
    /// One of them has the path of the image: they are compared by their bytes.
    fileprivate let parts: [FilePath]

    package init(_ parts: String...) {
        self.parts = parts.map { FilePath($0) }
    }
}

/// A strong entity tag, for caches of clients.
///
/// Source: RFC 9110, sections 8.8.3 and 13.
package struct EntityTag: Hashable, Sendable {
    /// 32 hexadecimal digits in quotation marks.
    package let text: String

    /// Creates the tag of bytes from all of their inputs.
    package init(_ parts: String...) {
        self.init(parts)
    }

    package init(_ identity: RenderIdentity) {
        self.init(identity.parts.map(\.text))
    }

    package init(_ parts: [String]) {
        var hash = SHA256()
        for part in parts {
            // The length separates "a", "bc" from "ab", "c".
            hash.update(Array("\(part.utf8.count):\(part)".utf8).span)
        }
        text = "\"\(hash.finalize().hexadecimal(first: 16))\""
    }

    /// Returns whether `If-None-Match` of a request contains the tag.
    package func matches(_ request: RouteRequest) -> Bool {
        request[.ifNoneMatch].map { Self.isTag(text, in: $0) } ?? false
    }

    /// Returns whether the value of a field `If-None-Match` contains a tag.
    static func isTag(_ text: String, in list: String) -> Bool {
        list == "*"
            || list.split(separator: ",").contains { tag in
                var tag = tag[...]
                while tag.first == " " { tag.removeFirst() }
                while tag.last == " " { tag.removeLast() }
                return (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == text
            }
    }
}
#endif
