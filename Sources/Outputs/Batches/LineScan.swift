internal import Basics

/// Finds the identity of an item in a line of a manifest or of results, without building JSON.
///
/// Lines that are not read, because they are unusual or invalid, are left to `ManifestLine` and `PastResult`. Those that
/// are read have the same key, path and id there.
struct LineScan {
    private var outline = JSONOutline()
    private let prefix: [UInt8]
    private let takesRelativePaths: Bool
    private let isOfLine: Bool
    private let readsResults: Bool
    /// The path as given.
    private(set) var givenPath: [UInt8] = []
    /// The path relative to the root.
    private(set) var path: [UInt8] = []
    /// The id; nil if there is none.
    private(set) var id: [UInt8]?
    /// The key of the item.
    private(set) var key: [UInt8] = []

    /// - Parameter readsResults: whether lines are results, which name the identity of their items.
    init(_ root: BatchRoot, readsResults: Bool = false) {
        self.readsResults = readsResults
        prefix = Array(root.absolutePrefix.utf8)
        takesRelativePaths = root.isForManifest
        isOfLine = root.hasItemsOfLines
    }

    /// The members of the last line.
    var members: [JSONOutline.Member] { outline.members }

    /// Returns a member of the last line.
    func member(_ name: StaticString, _ line: Span<UInt8>) -> JSONOutline.Member? {
        for member in outline.members where line.has(name, at: member.name) { return member }
        return nil
    }

    /// Whether the last line has one of some members.
    func hasMember(of names: [StaticString], _ line: Span<UInt8>) -> Bool {
        for name in names where member(name, line) != nil { return true }
        return false
    }

    /// Reads a line; returns false if it is left to the parser.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        guard outline.readObject(line), let given = member("path", line), readID(line) else { return false }
        givenPath.removeAll(keepingCapacity: true)
        switch given.kind {
        case .string, .escapedString: JSONOutline.append(given.value, of: line, to: &givenPath)
        default: return false
        }
        guard readPath() else { return false }
        key.removeAll(keepingCapacity: true)
        if let id {
            key += id
        } else {
            key += path
            guard isOfLine(line) else { return true }
            guard let rest = rest(line) else { return false }
            key.append(UInt8(ascii: " "))
            key += rest
        }
        return true
    }

    /// Returns the path of a member as a template without places gives it; nil if it is left to the template.
    func plainPath(_ member: JSONOutline.Member, _ line: Span<UInt8>) -> [UInt8]? {
        guard member.kind == .string, !member.value.isEmpty else { return nil }
        // Like the key, it has no scalars that combine with a slash.
        var path: [UInt8] = []
        for index in member.value {
            let byte = line[index]
            guard byte != UInt8(ascii: "{"), byte != 0 else { return nil }
            if byte == UInt8(ascii: "/"), path.last == byte { continue }
            path.append(byte)
        }
        return path.last == UInt8(ascii: "/") || !Self.isComposed(path) ? nil : path
    }

    /// Whether the members of the line tell items of one file apart.
    func isOfLine(_ line: Span<UInt8>) -> Bool {
        guard readsResults else { return isOfLine }
        return member("identity", line).map { line.has("line", at: $0.value) && $0.kind == .string } ?? false
    }

    private mutating func readID(_ line: Span<UInt8>) -> Bool {
        id = nil
        guard let member = member("id", line) else { return true }
        var bytes: [UInt8] = []
        switch member.kind {
        case .null: return true
        case .string, .escapedString: JSONOutline.append(member.value, of: line, to: &bytes)
        case .integer where Self.isCanonical(member.value, line): bytes.append(member.value, of: line)
        default: return false
        }
        guard !bytes.isEmpty, Self.isComposed(bytes) else { return false }
        id = bytes
        return true
    }

    /// Takes a path without `.`, `..` and empty components, which is normal already.
    private mutating func readPath() -> Bool {
        guard !givenPath.isEmpty, Self.isComposed(givenPath) else { return false }
        let isAbsolute = givenPath[0] == UInt8(ascii: "/")
        guard isAbsolute || takesRelativePaths else { return false }
        var start = isAbsolute ? 1 : 0
        for index in start...givenPath.count {
            guard index == givenPath.count || givenPath[index] == UInt8(ascii: "/") else { continue }
            let length = index - start
            let hasDots =
                length <= 2 && givenPath[start..<index].allSatisfy { $0 == UInt8(ascii: ".") }
            // Dots alone, or nothing.
            guard !hasDots else { return false }
            start = index + 1
        }
        // The root itself has the empty path.
        guard !isAbsolute || !prefix.dropLast().elementsEqual(givenPath) else { return false }
        path.removeAll(keepingCapacity: true)
        path +=
            isAbsolute && givenPath.starts(with: prefix) ? givenPath.dropFirst(prefix.count) : givenPath[...]
        return !path.isEmpty
    }

    /// Returns the other members of the last line as `JSONValue` prints them; nil if they are left to it.
    func rest(_ line: Span<UInt8>) -> [UInt8]? {
        var rest: [UInt8] = []
        rest.reserveCapacity(line.count + 2)
        rest.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in outline.members where !Self.isReserved(member.name, line) {
            if !isFirst { rest.append(UInt8(ascii: ",")) }
            isFirst = false
            rest.append(UInt8(ascii: "\""))
            rest.append(member.name, of: line)
            rest += "\":".utf8
            switch member.kind {
            case .string:
                rest.append(UInt8(ascii: "\""))
                rest.append(member.value, of: line)
                rest.append(UInt8(ascii: "\""))
            case .integer, .number, .bool, .null:
                guard line[member.value.lowerBound] != UInt8(ascii: "-") else { return nil }
                rest.append(member.value, of: line)
            case .array:
                // Numbers are printed as they are written, but for a negative zero.
                for index in member.value {
                    switch line[index] {
                    case 0x30...0x39, UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "["),
                        UInt8(ascii: "]"):
                        rest.append(line[index])
                    case UInt8(ascii: "-") where (0x31...0x39).contains(line[index + 1]):
                        rest.append(line[index])
                    case 0x20: break
                    default: return nil
                    }
                }
            case .object, .escapedString: return nil
            }
        }
        rest.append(UInt8(ascii: "}"))
        // It also excludes the scalars of bytes that are not UTF-8, which are printed as escapes.
        return Self.isComposed(rest) ? rest : nil
    }

    private static func isReserved(_ name: Range<Int>, _ line: Span<UInt8>) -> Bool {
        reserved.names.contains { other in
            other.count == name.count
                && (0..<name.count).allSatisfy {
                    reserved.text[other.lowerBound + $0] == line[name.lowerBound + $0]
                }
        }
    }

    /// The reserved names in one array: an array for each would be retained and released for each member of a line.
    private static let reserved: (text: [UInt8], names: [Range<Int>]) = {
        var (text, names): ([UInt8], [Range<Int>]) = ([], [])
        for name in BatchResult.members {
            names.append(text.count..<text.count + name.utf8.count)
            text += name.utf8
        }
        return (text, names)
    }()

    /// Whether an integer fits and is printed as it is written.
    private static func isCanonical(_ number: Range<Int>, _ line: Span<UInt8>) -> Bool {
        number.count <= 18 && line[number.lowerBound] != UInt8(ascii: "-")
    }

    /// Whether a text is in Unicode NFC for sure, and has no zero.
    ///
    /// The scalars that it allows neither decompose nor combine, as Unicode's table DerivedNormalizationProps says:
    /// Latin, Cyrillic, kana, unified ideographs and Hangul syllables.
    private static func isComposed(_ text: [UInt8]) -> Bool {
        var at = 0
        while at < text.count {
            let byte = text[at]
            if byte < 0x80 {
                guard byte != 0 else { return false }
                at += 1
            } else if byte < 0xE0 {
                let scalar = Int(byte & 0x1F) << 6 | Int(text[at + 1] & 0x3F)
                guard scalar < 0x300 || (0x400..<0x483).contains(scalar) else { return false }
                at += 2
            } else if byte < 0xF0 {
                let scalar =
                    Int(byte & 0x0F) << 12 | Int(text[at + 1] & 0x3F) << 6 | Int(text[at + 2] & 0x3F)
                switch scalar {
                case 0x3041..<0x3097, 0x30A0..<0x3100, 0x4E00..<0xA000, 0xAC00..<0xD7A4: at += 3
                default: return false
                }
            } else {
                return false
            }
        }
        return true
    }
}

extension JSONOutline.Member {
    /// The value of an integer that is not negative; nil for other values.
    func number(_ text: Span<UInt8>) -> Int? {
        guard kind == .integer, value.count <= 18 else { return nil }
        var number = 0
        for index in value {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            number = number * 10 + Int(text[index] - 0x30)
        }
        return number
    }
}
