package import Basics

/// Four characters that name a part of a file: a box, an item, a brand, a chunk.
package struct FourCC: Hashable, Sendable {
    /// The four characters as a big-endian number.
    package let code: UInt32
}

extension FourCC: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral text: StaticString) {
        self.init("\(text)")
    }

    /// Creates the type of a text; characters after the fourth one are ignored, and missing ones are spaces.
    package init(_ text: String) {
        let characters = text.unicodeScalars.map { UInt32($0.value & 0xFF) } + [0x20, 0x20, 0x20, 0x20]
        self.init(code: characters.prefix(4).reduce(0) { $0 << 8 | $1 })
    }

    /// The four bytes.
    package var bytes: [UInt8] { code.bytes(.big) }

    package var description: String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
}

extension ByteSource {
    /// The four characters at an offset.
    package func fourCC(at offset: Int) -> FourCC? {
        bits(4, at: offset).map { FourCC(code: UInt32(truncatingIfNeeded: $0)) }
    }
}
