internal import HTTPTypes
internal import NIOCore

/// What tells one state of a resource from all others, for caches of clients.
///
/// Source: RFC 9110, sections 8.8.3 and 13.
package struct EntityTag: Hashable, Sendable {
    /// Sixteen hexadecimal digits in quotes.
    package let text: String

    /// Of everything that the bytes depend on.
    package init(_ parts: String...) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for part in parts {
            // A byte that no text has keeps "a", "bc" from "ab", "c".
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        text = "\"" + String(repeating: "0", count: 16 - digits.count) + digits + "\""
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
