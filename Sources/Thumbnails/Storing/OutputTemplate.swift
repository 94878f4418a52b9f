internal import Basics

/// A template for the paths of outputs, with placeholders.
///
/// Values never leave the folder that the template names: `..`, `.` and empty parts are dropped.
package struct OutputTemplate: Sendable {
    package enum Place: String, CaseIterable, Sendable {
        case id, name, stem, ext, dir, size, width, height
    }

    private enum Piece {
        case text(String)
        case place(Place)
    }

    /// The pieces of each path component.
    private let parts: [[Piece]]
    private let isAbsolute: Bool
    package let text: String

    /// A fault in a template.
    package enum SyntaxError: Error, Equatable, CustomStringConvertible {
        case unknownPlace(String)
        case unclosed
        case noName

        package var description: String {
            switch self {
            case .unknownPlace(let name):
                "{\(name)} is unknown; known are "
                    + Place.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
            case .unclosed: "a { without its }"
            case .noName: "it names a folder; add a name such as {name}-{size}.jpg"
            }
        }
    }

    package init(_ text: String) throws(SyntaxError) {
        guard let last = text.split(separator: "/", omittingEmptySubsequences: false).last, !last.isEmpty
        else {
            throw .noName
        }
        var parts: [[Piece]] = []
        for part in text.split(separator: "/") { parts.append(try Self.pieces(part)) }
        (self.parts, self.text, isAbsolute) = (parts, text, text.hasPrefix("/"))
    }

    private static func pieces(_ part: Substring) throws(SyntaxError) -> [Piece] {
        var (pieces, rest): ([Piece], Substring) = ([], part)
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else { throw .unclosed }
            let name = String(rest[rest.index(after: open)..<close])
            guard let place = Place(rawValue: name) else { throw .unknownPlace(name) }
            pieces.append(.place(place))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    package func uses(_ place: Place) -> Bool {
        parts.joined().contains { if case .place(place) = $0 { true } else { false } }
    }

    /// The common folder of all outputs; "" for the current one.
    package var folder: String {
        let fixed = parts.dropLast().prefix {
            $0.allSatisfy { if case .text = $0 { true } else { false } }
        }
        let path = fixed.map(Self.written).joined(separator: "/")
        return isAbsolute ? "/" + path : path
    }

    private static func written(_ pieces: [Piece]) -> String {
        pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    /// Returns the path of an output; nil if its name is empty.
    package func path(_ value: (Place) -> String) -> String? {
        var path: [UInt8] = []
        guard append(to: &path, { $1 += value($0).utf8 }) else { return nil }
        return String(decoding: path, as: UTF8.self)
    }

    /// Appends the path of an output; returns false if its name is empty.
    ///
    /// - Parameter value: appends the value of a place.
    func append(to path: inout [UInt8], _ value: (Place, inout [UInt8]) -> Void) -> Bool {
        var needsSlash = false
        if isAbsolute { path.append(UInt8(ascii: "/")) }
        var filled: [UInt8] = []
        for (number, part) in parts.enumerated() {
            filled.removeAll(keepingCapacity: true)
            var isFixed = true
            for piece in part {
                switch piece {
                case .text(let text): filled += text.utf8
                case .place(let place):
                    isFixed = false
                    value(place, &filled)
                }
            }
            if isFixed {
                if needsSlash { path.append(UInt8(ascii: "/")) }
                path += filled
                needsSlash = true
                continue
            }
            var isEmpty = true
            for component in filled.split(separator: UInt8(ascii: "/"))
            where !component.elementsEqual(".".utf8) && !component.elementsEqual("..".utf8) {
                if needsSlash { path.append(UInt8(ascii: "/")) }
                path += component
                (needsSlash, isEmpty) = (true, false)
            }
            if number == parts.count - 1, isEmpty { return false }
        }
        return true
    }
}

/// The paths of an item's outputs: one for each size.
package struct OutputNaming: Sendable {
    package struct Size: Sendable {
        var text: String
        var width: Int?
        var height: Int?

        package init(_ text: String, width: Int?, height: Int?) {
            (self.text, self.width, self.height) = (text, width, height)
        }
    }

    package let template: OutputTemplate
    private let sizes: [Size]
    /// The member of a line that replaces the template; nil for none.
    let member: StaticString?

    package init(_ template: OutputTemplate, _ sizes: [Size], member: StaticString? = nil) {
        (self.template, self.sizes, self.member) = (template, sizes, member)
    }

    /// Returns the paths of an item's outputs.
    ///
    /// - Throws: `BatchFailure` if a name is empty.
    package func outputs(of item: BatchItem) throws(BatchFailure) -> [String] {
        if let member, let given = item.rest.first(where: { $0.name == "\(member)" })?.value {
            guard let path = given.string.flatMap({ try? OutputTemplate($0) })?.path({ _ in "" }),
                given.string?.contains("{") == false
            else {
                throw BatchFailure(
                    "bad-option", "\(item.path): \(member) \(given) is not the path of a file")
            }
            return [path]
        }
        var paths: [String] = []
        let name = ItemName(path: Array(item.relativePath.utf8), id: item.idText.map { Array($0.utf8) })
        for number in sizes.indices {
            var path: [UInt8] = []
            guard append(number, of: name, to: &path) else {
                throw .collision(item, "the template \(template.text) gives it an empty name; add {name}")
            }
            paths.append(String(decoding: path, as: UTF8.self))
        }
        return paths
    }

    /// The number of outputs.
    var count: Int { sizes.count }

    /// Appends the path of an output; returns false if its name is empty.
    func append(_ number: Int, of name: ItemName, to path: inout [UInt8]) -> Bool {
        let size = sizes[number]
        return template.append(to: &path) { place, bytes in
            switch place {
            case .size: bytes += size.text.utf8
            case .width: if let width = size.width { bytes += "\(width)".utf8 }
            case .height: if let height = size.height { bytes += "\(height)".utf8 }
            case .id, .name, .stem, .ext, .dir: name.append(place, to: &bytes)
            }
        }
    }
}

/// The values of places that an item's path and id have.
struct ItemName {
    /// The path relative to the root.
    var path: [UInt8]
    var id: [UInt8]?

    func append(_ place: OutputTemplate.Place, to bytes: inout [UInt8]) {
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let name = path[(slash.map { $0 + 1 } ?? 0)...]
        let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == name.startIndex ? nil : $0 }
        switch place {
        case .id: bytes += id ?? path
        case .name: bytes += name
        case .stem: bytes += name[..<(dot ?? name.endIndex)]
        case .ext: if let dot { bytes += name[(dot + 1)...] }
        case .dir:
            guard let slash else { return bytes.append(UInt8(ascii: ".")) }
            bytes += slash == 0 ? path[...0] : path[..<slash]
        case .size, .width, .height: break
        }
    }
}
