package import Basics
internal import Files

/// A template for the paths of outputs, with placeholders.
///
/// Values never leave the folder that the template names: `..`, `.` and empty parts are dropped.
package struct OutputTemplate: Sendable {
    package enum Place: String, CaseIterable, Sendable {
        case id, name, stem, ext, dir, size, width, height, format
    }

    private enum Piece {
        case text([UInt8])
        case place(Place)
    }

    /// A path component; with places it can become several, or none.
    private struct Part {
        var pieces: [Piece]

        var text: String {
            let bytes = pieces.flatMap { piece -> [UInt8] in
                if case .text(let text) = piece { text } else { [] }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        var isFixed: Bool { pieces.allSatisfy { if case .text = $0 { true } else { false } } }
    }

    private let parts: [Part]
    private let isAbsolute: Bool
    package let text: String

    /// Creates a template of a batch.
    package init(named text: String) throws(BatchError) {
        do throws(InvalidText) {
            try self.init(text)
        } catch {
            throw .badTemplate(text, reason: "\(error)")
        }
    }

    package init(_ text: String) throws(InvalidText) {
        let path = FilePath(text)
        guard !path.name.text.isEmpty else {
            throw InvalidText("it names a folder; add a name such as {name}-{size}.jpg")
        }
        var parts: [Part] = []
        for part in path.names { parts.append(Part(pieces: try Self.pieces(part))) }
        (self.parts, self.text, isAbsolute) = (parts, text, path.isAbsolute)
    }

    private static func pieces(_ part: FilePath) throws(InvalidText) -> [Piece] {
        var (pieces, rest): ([Piece], Substring.UTF8View) = ([], part.text[...].utf8)
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            if open > rest.startIndex { pieces.append(.text(Array(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: UInt8(ascii: "}")) else {
                throw InvalidText("a { without its }")
            }
            let name = String(Substring(rest[rest.index(after: open)..<close]))
            guard let place = Place(rawValue: name) else {
                let known = Place.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
                throw InvalidText("{\(name)} is unknown; known are \(known)")
            }
            pieces.append(.place(place))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(Array(rest))) }
        return pieces
    }

    package func uses(_ place: Place) -> Bool {
        parts.flatMap(\.pieces).contains { if case .place(place) = $0 { true } else { false } }
    }

    /// What names have behind their last dot.
    package enum Ending: Equatable, Sendable {
        /// The same text for all outputs.
        case fixed(String)
        /// One place, such as `{format}`.
        case place(Place)
    }

    /// What all names have behind their last dot; nil where it is of several pieces, or no dot is fixed.
    package var ending: Ending? {
        guard let pieces = parts.last?.pieces, let last = pieces.last else { return nil }
        switch last {
        case .text(let text):
            let dot = text.lastIndex(of: UInt8(ascii: "."))
            return dot.map { .fixed(String(decoding: text[($0 + 1)...], as: UTF8.self)) }
        case .place(let place):
            guard case .text(let text)? = pieces.dropLast().last, text.last == UInt8(ascii: ".") else {
                return nil
            }
            return .place(place)
        }
    }

    /// The common folder of all outputs; "" for the current one.
    package var folder: String {
        let path = parts.dropLast().prefix(while: \.isFixed).map(\.text).joined(separator: "/")
        return isAbsolute ? "/" + path : path
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
        if isAbsolute { path.append(Self.slash) }
        for number in parts.indices {
            if needsSlash { path.append(Self.slash) }
            let start = path.count
            var isFixed = true
            for piece in parts[number].pieces {
                switch piece {
                case .text(let text): path += text
                case .place(let place):
                    isFixed = false
                    value(place, &path)
                }
            }
            if !isFixed { Self.dropDots(&path, from: start) }
            if path.count > start {
                needsSlash = true
            } else {
                if needsSlash { path.removeLast() }
                if number == parts.count - 1 { return false }
            }
        }
        return true
    }

    private static let slash = UInt8(ascii: "/")

    /// Drops the empty components, `.` and `..` that follow an index.
    private static func dropDots(_ path: inout [UInt8], from start: Int) {
        var (component, end) = (start, start)
        for index in start...path.count {
            guard index == path.count || path[index] == slash else { continue }
            let length = index - component
            let isDropped =
                length <= 2 && path[component..<index].allSatisfy { $0 == UInt8(ascii: ".") }
            if !isDropped {
                if end > start {
                    path[end] = slash
                    end += 1
                }
                if end != component {
                    for offset in 0..<length { path[end + offset] = path[component + offset] }
                }
                end += length
            }
            component = index + 1
        }
        path.removeSubrange(end...)
    }
}

/// The paths of an item's outputs: one for each size and format.
package struct OutputNaming: Sendable {
    /// What tells an output of an item from its others.
    package struct Size: Sendable {
        fileprivate let text, width, height, format: [UInt8]

        package init(_ text: String, width: Int? = nil, height: Int? = nil, format: String = "") {
            self.text = Array(text.utf8)
            self.format = Array(format.utf8)
            self.width = width.map { Array("\($0)".utf8) } ?? []
            self.height = height.map { Array("\($0)".utf8) } ?? []
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
                given.string?.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == 0 }) == false
            else {
                throw BatchFailure(
                    "bad-option", "\(item.path): \(member) \(given) is not the path of a file")
            }
            return [path]
        }
        var paths: [String] = []
        // Standard input has no name.
        let given = item.path == "-" ? "stdin" : item.relativePath
        let name = ItemName(path: Array(given.utf8), id: item.idText.map { Array($0.utf8) })
        for number in sizes.indices {
            var path: [UInt8] = []
            guard append(number, of: name, to: &path) else {
                throw .collision(item, "the template \(template.text) gives it an empty name; add {name}")
            }
            paths.append(String(decoding: path, as: UTF8.self))
        }
        return paths
    }

    /// Whether the outputs of an item get different names.
    package var tellsApart: Bool {
        let sample = BatchItem(line: 1, path: "a.png", file: "a.png", relativePath: "a.png")
        return ((try? outputs(of: sample)).map { Set($0.map { FilePath($0) }).count == $0.count }) ?? true
    }

    /// The number of outputs.
    var count: Int { sizes.count }

    /// Appends the path of an output; returns false if its name is empty.
    func append(_ number: Int, of name: ItemName, to path: inout [UInt8]) -> Bool {
        let size = sizes[number]
        return template.append(to: &path) { place, bytes in
            switch place {
            case .size: bytes += size.text
            case .width: bytes += size.width
            case .height: bytes += size.height
            case .format: bytes += size.format
            case .id, .name, .stem, .ext, .dir: name.append(place, to: &bytes)
            }
        }
    }
}

/// The values of places that an item's path and id have.
struct ItemName {
    private let path: [UInt8]
    private let id: [UInt8]?
    private let slash: Int?
    private let dot: Int?

    /// - Parameter path: the path relative to the root.
    init(path: [UInt8], id: [UInt8]?) {
        (self.path, self.id) = (path, id)
        slash = path.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map { $0 + 1 } ?? 0
        dot = path[start...].lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == start ? nil : $0 }
    }

    func append(_ place: OutputTemplate.Place, to bytes: inout [UInt8]) {
        let start = slash.map { $0 + 1 } ?? 0
        switch place {
        case .id: bytes += id ?? path
        case .name: bytes += path[start...]
        case .stem: bytes += path[start..<(dot ?? path.count)]
        case .ext: if let dot { bytes += path[(dot + 1)...] }
        case .dir:
            guard let slash else { return bytes.append(UInt8(ascii: ".")) }
            bytes += path[..<max(1, slash)]
        case .size, .width, .height, .format: break
        }
    }
}
