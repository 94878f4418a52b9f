internal import Basics
internal import ConstraintLayout
internal import Files
internal import ViewportGeometry
internal import ViewportRendering

/// The design of a page: views, and constraints that give them their frames at any size.
///
/// Read from JSON; see the article "Pages of pictures and text".
package struct PageLayout: Sendable {
    let file: LayoutFile
    /// The views, in painting order: that of the file.
    let views: [PageView]
    let direction: LayoutDirection
    private let common: Block
    private let portrait: Block
    private let landscape: Block

    /// The path of the layout file.
    package var path: String { file.path }

    /// The bytes of the layout file.
    var bytes: [UInt8] { file.bytes }

    /// Reads a layout file.
    ///
    /// - Throws: `PageError` with the line, the view and the key.
    package init(_ path: String) throws(PageError) {
        file = try LayoutFile(path)
        let top = try LayoutObject(
            file.json, in: file, at: [], nil,
            known: Block.keys + ["views", "direction", "portrait", "landscape"])
        direction =
            try top.value("direction", "leftToRight or rightToLeft", LayoutDirection.init(rawValue:))
            ?? .leftToRight
        guard let members = top.value("views")?.members else {
            throw file.error(at: [.member("views")], nil, "views", "is missing, or is not an object of views")
        }
        var views: [PageView] = []
        for member in members { views.append(try PageView(member, in: file)) }
        self.views = views
        common = try Block(top)
        portrait = try Self.block("portrait", of: top)
        landscape = try Self.block("landscape", of: top)
    }

    private static func block(_ name: String, of top: LayoutObject) throws(PageError) -> Block {
        guard let json = top.value(name) else { return Block() }
        return try Block(
            LayoutObject(json, in: top.file, at: [.member(name)], name, known: Block.keys))
    }

    /// Returns the metrics and rules for an orientation; its own ones follow the common ones.
    func rules(isPortrait: Bool) -> (metrics: [String: Double], rules: [LayoutRule]) {
        let own = isPortrait ? portrait : landscape
        return (common.metrics.merging(own.metrics) { $1 }, common.rules + own.rules)
    }

    /// The paths that the layout itself names, for comparison in later runs.
    package var imagePaths: [String] {
        views.compactMap { view in
            guard case .picture(let picture) = view.content, !picture.image.hasPlaceholders else {
                return nil
            }
            return imagePath(picture.image.filled { _ in "" })
        }
    }

    /// Returns the path of a picture, which is relative to the layout file.
    func imagePath(_ path: String) -> String {
        guard !FilePath(path).isAbsolute, let folder = FilePath(file.path).parent else { return path }
        return folder.appending(FilePath(path)).text
    }

    /// A block of metrics, formats and constraints.
    private struct Block: Sendable {
        static let keys = ["metrics", "formats", "constraints"]

        var metrics: [String: Double] = [:]
        var rules: [LayoutRule] = []

        init() {}

        init(_ object: LayoutObject) throws(PageError) {
            metrics = try object.namedNumbers("metrics")
            for key in ["formats", "constraints"] {
                guard let value = object.value(key) else { continue }
                guard let list = value.array else { throw object.error(key, "is not a list") }
                for (index, entry) in list.enumerated() {
                    rules.append(try LayoutRule(entry, index, of: key, in: object))
                }
            }
        }
    }
}

/// A visual format or a constraint of a layout, with its position in the file.
struct LayoutRule: Sendable {
    let text: String
    let isFormat: Bool
    let options: VisualFormatOptions
    let steps: [JSONStep]
    /// The block in errors.
    let part: String?
    /// "formats[2]".
    let key: String

    init(_ json: JSONValue, _ index: Int, of list: String, in object: LayoutObject) throws(PageError) {
        steps = object.steps + [.member(list), .element(index)]
        (part, key, isFormat) = (object.part, "\(list)[\(index)]", list == "formats")
        if let text = json.string {
            (self.text, options) = (text, [])
            return
        }
        guard isFormat, json.members != nil else {
            throw object.file.error(at: steps, part, key, "is not a string")
        }
        let format = try LayoutObject(
            json, in: object.file, at: steps, object.part, known: ["format", "options"])
        guard let text = try format.string("format") else {
            throw object.file.error(at: steps, part, key, "has no \"format\"")
        }
        var options: VisualFormatOptions = []
        for (number, name) in (format.value("options")?.array ?? []).enumerated() {
            guard let option = name.string.flatMap(VisualFormatOptions.init(named:)) else {
                throw object.file.error(
                    at: steps + [.member("options"), .element(number)], part, "\(key).options",
                    "\(name) is not an option of visual formats, such as \"alignAllCenterY\"")
            }
            options.formUnion(option)
        }
        (self.text, self.options) = (text, options)
    }
}

/// A view of a page.
struct PageView: Sendable {
    /// What a view shows.
    enum Content: Sendable {
        case picture(PictureContent)
        case text(TextContent)
        /// A rectangle of one color.
        case panel(Color)
        /// Nothing: a view that only takes space.
        case space
    }

    let name: String
    let content: Content
    /// Priorities of the width and the height; nil for the defaults of Auto Layout.
    let hugging: [Double]?
    let resistance: [Double]?

    init(_ member: JSONValue.Member, in file: LayoutFile) throws(PageError) {
        name = member.name
        let steps = [JSONStep.member("views"), .member(name)]
        let part = "view \(name)"
        let isName = name.first.map { $0.isLetter || $0 == "_" } ?? false
        guard isName, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), name != "superview" else {
            throw file.error(
                at: steps, part, nil,
                "is not a name for a view; use letters, digits and _, and not \"superview\"")
        }
        let kinds = ["image", "text", "color"].filter { member.value[$0] != nil }
        let keys =
            switch kinds.first {
            case "image": PictureContent.keys
            case "text": TextContent.keys
            case "color": ["color"]
            default: [String]()
            }
        let object = try LayoutObject(
            member.value, in: file, at: steps, part, known: keys + ["hugging", "resistance"])
        content =
            switch kinds.first {
            case "image": .picture(try PictureContent(object))
            case "text": .text(try TextContent(object))
            case "color": .panel(try object.color("color") ?? .transparent)
            default: .space
            }
        hugging = try object.priorities("hugging")
        resistance = try object.priorities("resistance")
    }
}

/// A picture of a page.
struct PictureContent: Sendable {
    static let keys = ["image", "contentMode", "rect", "alt"]

    /// The path.
    let image: FilledText
    let mode: ContentMode
    /// The part of the picture that is shown; nil for all of it.
    let rect: Rect<ImageSpace>?
    /// The words that stand for it where it is not seen; nil for those of its caption.
    let alternative: FilledText?

    init(_ object: LayoutObject) throws(PageError) {
        image = try object.filledText("image")
        guard !image.isEmpty else { throw object.error("image", "is empty") }
        let modes = ContentMode.allCases.map(\.rawValue).joined(separator: ", ")
        mode =
            try object.value("contentMode", "a content mode; known are \(modes)", ContentMode.init(rawValue:))
            ?? .scaleAspectFit
        rect = try object.numbers("rect", count: 4).map {
            Rect(x: $0[0], y: $0[1], width: $0[2], height: $0[3])
        }
        alternative = try object.value("alt").map { _ throws(PageError) in try object.filledText("alt") }
        if let rect, rect.isEmpty { throw object.error("rect", "width and height are not above 0") }
    }
}

/// A text of a page.
struct TextContent: Sendable {
    static let keys = ["text", "font", "lines", "color", "align", "of"]

    /// The alignment of lines.
    enum Alignment: String, CaseIterable, Sendable {
        case leading, center, trailing, justified
    }

    let text: FilledText
    let font: String
    /// The most lines; 0 for any number.
    let lines: Int
    let color: Color
    let alignment: Alignment
    /// The view of the picture whose metadata fills the text; nil for the only one.
    let picture: String?

    init(_ object: LayoutObject) throws(PageError) {
        text = try object.filledText("text")
        font = try object.string("font") ?? "Sans 17"
        guard !font.isEmpty, !font.utf8.contains(0) else { throw object.error("font", "is not a font") }
        lines = try object.count("lines") ?? 0
        color = try object.color("color") ?? Color(red: 0, green: 0, blue: 0)
        let names = Alignment.allCases.map(\.rawValue).joined(separator: ", ")
        alignment =
            try object.value("align", "an alignment; known are \(names)", Alignment.init(rawValue:))
            ?? .leading
        picture = try object.string("of")
    }
}

extension LayoutObject {
    fileprivate func color(_ key: String) throws(PageError) -> Color? {
        try value(key, "a CSS color") { Color(css: $0) }
    }

    fileprivate func filledText(_ key: String) throws(PageError) -> FilledText {
        let text = try string(key) ?? ""
        guard let filled = FilledText(text) else {
            throw error(key, "has a { without its }; write {{ for a brace")
        }
        return filled
    }

    /// Returns the priorities of width and height, from a number for both or a list.
    fileprivate func priorities(_ key: String) throws(PageError) -> [Double]? {
        guard let value = value(key) else { return nil }
        let both = value.double.map { [$0, $0] }
        var list = both
        if list == nil { list = try numbers(key, count: 2) }
        guard let list, list.allSatisfy((1...1000).contains) else {
            throw error(key, "is not a priority from 1 to 1000, or a list of two")
        }
        return list
    }
}

/// A text with placeholders: names in braces that values replace.
struct FilledText: Sendable {
    private enum Piece: Sendable {
        case text(String)
        case placeholder(String)
    }

    private var pieces: [Piece] = []

    /// Parses a text; nil for a brace that is not closed.
    ///
    /// `{{` is a brace.
    init?(_ text: String) {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            rest = rest[rest.index(after: open)...]
            if rest.first == "{" {
                pieces.append(.text("{"))
                rest = rest.dropFirst()
                continue
            }
            guard let close = rest.firstIndex(of: "}") else { return nil }
            pieces.append(.placeholder(String(rest[..<close])))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
    }

    var isEmpty: Bool { pieces.isEmpty }

    /// The names in braces.
    var placeholders: [String] {
        pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    var hasPlaceholders: Bool { !placeholders.isEmpty }

    func filled(_ value: (String) -> String) -> String {
        pieces.map {
            switch $0 {
            case .text(let text): text
            case .placeholder(let name): value(name)
            }
        }.joined()
    }
}
