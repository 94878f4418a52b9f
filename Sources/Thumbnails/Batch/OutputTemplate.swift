/// Where thumbnails go: a path with places for what tells them apart.
///
/// What is put in the places never leads out of the folder that the template itself names: `..`, `.` and empty
/// parts are left out.
package struct OutputTemplate: Sendable {
    package enum Place: String, CaseIterable, Sendable {
        case id, name, stem, ext, dir, size, width, height
    }

    private enum Piece {
        case text(String)
        case place(Place)
    }

    /// The pieces of each part between slashes.
    private let parts: [[Piece]]
    private let isAbsolute: Bool
    package let text: String

    /// Why a text is no template.
    package enum SyntaxError: Error, Equatable, CustomStringConvertible {
        case unknownPlace(String)
        case unclosed
        case noName

        package var description: String {
            switch self {
            case .unknownPlace(let name):
                "{\(name)} is unknown: there are "
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

    /// The folder that all outputs are in, as far as it is the same for all; "" for the current one.
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

    /// The path of one thumbnail; nil where nothing is left of its name.
    package func path(_ value: (Place) -> String) -> String? {
        var result: [String] = []
        for (number, part) in parts.enumerated() {
            let isFixed = part.allSatisfy { if case .text = $0 { true } else { false } }
            guard !isFixed else {
                result.append(Self.written(part))
                continue
            }
            let filled = part.map {
                switch $0 {
                case .text(let text): text
                case .place(let place): value(place)
                }
            }
            .joined().split(separator: "/").filter { $0 != "." && $0 != ".." }
            if number == parts.count - 1, filled.isEmpty { return nil }
            result += filled.map(String.init)
        }
        return (isAbsolute ? "/" : "") + result.joined(separator: "/")
    }
}
