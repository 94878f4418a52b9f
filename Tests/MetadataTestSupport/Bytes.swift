/// A number as bytes, the highest first.
package func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A number as bytes, the lowest first.
package func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Text as bytes.
package func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Four characters as bytes, © as QuickTime writes it.
package func code(_ type: String) -> [UInt8] { type.unicodeScalars.map { UInt8($0.value) } }

/// A box of an ISO base media file.
package func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    let content = content.flatMap(\.self)
    return big(content.count + 8, 4) + code(type) + content
}

/// A chunk of a RIFF file, padded to an even length.
package func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    text(type) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
}
