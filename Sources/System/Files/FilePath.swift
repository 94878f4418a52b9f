private import Platform

/// A path or a name of a file, whose bytes decide whether it equals another one, and their order.
///
/// `String` compares by canonical equivalence: "é" as one scalar and "e" with a combining accent are equal texts, but
/// two files. It also takes "/" and a combining mark after it as one character, so that it does not split there.
/// Code that compares, sorts, groups or splits paths uses this type.
package struct FilePath: Hashable, Sendable {
    /// The path in the encoding of `PathText`.
    package let text: String

    package init(_ text: some StringProtocol) {
        var text = String(text)
        text.makeContiguousUTF8()
        self.text = text
    }

    package static func == (a: Self, b: Self) -> Bool {
        a.text.utf8.count == b.text.utf8.count && order(a, b) == 0
    }

    package func hash(into hasher: inout Hasher) {
        unsafe withBytes { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// The bytes are read before this call returns.
    private func withBytes<Result>(_ read: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        // The initializer made them contiguous.
        unsafe text.utf8.withContiguousStorageIfAvailable(read)!
    }
}

extension FilePath: Comparable {
    /// Returns whether the bytes of the first path come before those of the second.
    package static func < (a: Self, b: Self) -> Bool { order(a, b) < 0 }

    /// Less than 0 where the bytes of the first path come before those of the second, 0 where they are equal.
    private static func order(_ a: Self, _ b: Self) -> Int {
        unsafe a.withBytes { a in
            unsafe b.withBytes { b in
                let count = min(a.count, b.count)
                let order = count == 0 ? 0 : unsafe memcmp(a.baseAddress!, b.baseAddress!, count)
                return order == 0 ? a.count - b.count : Int(order)
            }
        }
    }
}

extension FilePath: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral text: String) { self.init(text) }

    package var description: String { PathText.shown(text) }
}

extension FilePath: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension FilePath {
    /// The bytes of "/" and ".".
    private static let slash = UInt8(ascii: "/")
    private static let point = UInt8(ascii: ".")

    /// The last name in the path.
    package var name: Self {
        guard let slash = text.utf8.lastIndex(of: Self.slash) else { return self }
        return Self(text[text.utf8.index(after: slash)...])
    }

    /// The path of the folder: "." for a name, "/" for what is in the root.
    package var folder: Self { parent ?? "." }

    /// The path before the last "/"; nil for a name.
    package var parent: Self? {
        guard let slash = text.utf8.lastIndex(of: Self.slash) else { return nil }
        return slash == text.startIndex ? "/" : Self(text[..<slash])
    }

    /// The names in the path, without empty ones.
    package var names: [Self] { text.utf8.split(separator: Self.slash).map { Self(Substring($0)) } }

    /// The bytes of the name behind its last point, without the point; nil if it has none, or begins with it.
    package var fileExtension: Self? {
        let name = name.text
        guard let point = name.utf8.lastIndex(of: Self.point), point > name.startIndex else { return nil }
        return Self(name[name.utf8.index(after: point)...])
    }

    /// The path without its extension and the point before it.
    package var withoutExtension: Self {
        guard let fileExtension else { return self }
        return Self(text[..<text.utf8.index(text.endIndex, offsetBy: -fileExtension.text.utf8.count - 1)])
    }

    /// Whether it begins at the root.
    package var isAbsolute: Bool { hasPrefix("/") }

    /// Whether its name begins with a point.
    package var isHidden: Bool { name.hasPrefix(".") }

    /// Whether it begins with these bytes.
    package func hasPrefix(_ prefix: some StringProtocol) -> Bool { text.utf8.starts(with: prefix.utf8) }

    /// Whether it ends with these bytes.
    package func hasSuffix(_ suffix: some StringProtocol) -> Bool {
        text.utf8.count >= suffix.utf8.count && text.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The path below a folder; nil if it is not below it.
    package func below(_ folder: Self) -> Self? {
        if folder.text.isEmpty { return hasPrefix("/") ? nil : self }
        let start = folder.hasSuffix("/") ? folder.text : folder.text + "/"
        guard hasPrefix(start) else { return nil }
        return Self(text[text.utf8.index(text.startIndex, offsetBy: start.utf8.count)...])
    }

    /// Whether it is a folder, or lies below it.
    package func isIn(_ folder: Self) -> Bool { self == folder || below(folder) != nil }

    /// The path of a name, or of a relative path, in this folder.
    package func appending(_ name: Self) -> Self {
        if text.isEmpty { return name }
        return Self(hasSuffix("/") ? text + name.text : "\(text)/\(name.text)")
    }
}

extension FilePath {
    /// The extension with the point before it; empty without one.
    package var ending: String { fileExtension.map { ".\($0.text)" } ?? "" }

    /// The path with these characters behind it.
    package func adding(_ suffix: some StringProtocol) -> Self { Self(text + suffix) }

    /// The path of another name in the same folder.
    package func renamed(_ name: Self) -> Self { parent?.appending(name) ?? name }
}
