/// SHA-256 of bytes that arrive in pieces.
///
/// Source: FIPS 180-4.
package struct SHA256: ~Copyable {
    private var context = DigestContext(.sha256)

    package init() {}

    package mutating func update(_ bytes: Span<UInt8>) { context.update(bytes) }

    package consuming func finalize() -> Digest { context.finalize() }

    /// Returns the hash of bytes in memory.
    package static func hash(_ bytes: Span<UInt8>) -> Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize()
    }

    /// Returns the hash of a string's UTF-8.
    package static func hash(_ text: String) -> Digest { hash(Array(text.utf8).span) }

    /// Returns the keyed hash of a message (HMAC).
    ///
    /// Source: RFC 2104.
    package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> Digest {
        DigestContext.authenticationCode(of: message, key: key)
    }

    /// Returns whether two byte strings are equal, in a time that depends on their lengths alone.
    package static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        // Codes with a random key have the same length, and the time to compare them reveals nothing about the bytes.
        var generator = SystemRandomNumberGenerator()
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return DigestContext.isEqual(
            authenticationCode(of: one, key: key), authenticationCode(of: other, key: key))
    }
}

/// MD5, for standards that derive names from it; not for security.
///
/// Source: RFC 1321.
package enum MD5 {
    /// Returns the hash of bytes in memory.
    package static func hash(_ bytes: Span<UInt8>) -> Digest {
        var context = DigestContext(.md5)
        context.update(bytes)
        return context.finalize()
    }

    /// Returns the hash of a string's UTF-8.
    package static func hash(_ text: String) -> Digest { hash(Array(text.utf8).span) }
}
