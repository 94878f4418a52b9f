import Basics
import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import PageComposition

@Suite("A text of a page", .ownThread, .enabled(if: (try? VipsText.hasFonts) ?? false, "needs fonts"))
struct PageTextTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func page(
        _ views: String, _ rules: String, _ width: Double = 320, _ values: PageComposer.Values = .init(),
        scale: Double = 1
    ) throws -> Page {
        let json = "{\"views\": {\(views)}, \(rules)}"
        try Data(json.utf8).write(to: folder.url.appendingPathComponent("page.json"))
        return try PageComposer(size: Size(width: width, height: 480), scale: scale)
            .page(PageLayout(folder.path("page.json")), values)
    }

    static let words = "The quick brown fox jumps over the lazy dog and runs into the wood"

    @Test("is as high as its lines at the width of its frame")
    func wrapping() async throws {
        let text = "\"t\": {\"text\": \"\(Self.words)\"}"
        func height(_ width: Int) throws -> Double {
            try page(text, "\"formats\": [\"H:|[t(\(width))]\", \"V:|[t]\"]").parts[0].frame.height
        }
        let line = try height(2000)
        #expect(line > 10)
        #expect(try height(320) == 2 * line && height(160) == 4 * line)
    }

    @Test("is as wide as its longest line where nothing else gives its width")
    func natural() async throws {
        let rules = "\"formats\": [\"H:|[t]\", \"V:|[t]\"]"
        let one = try page("\"t\": {\"text\": \"Hello world\"}", rules).parts[0].frame
        let two = try page("\"t\": {\"text\": \"Hello world\\nHello\"}", rules).parts[0].frame
        #expect(one.width == two.width && two.height == 2 * one.height)
        #expect(one.width > 60 && one.width < 140)
        let empty = try page("\"t\": {\"text\": \" \\n \"}", rules).parts[0].frame
        #expect(empty.size == Size(width: 0, height: 0))
    }

    static func content(_ lines: Int, _ font: String = "Sans 17") throws -> TextContent {
        let folder = try TemporaryFolder()
        let json = "{\"views\": {\"t\": {\"text\": \"x\", \"lines\": \(lines), \"font\": \"\(font)\"}}}"
        try Data(json.utf8).write(to: folder.url.appendingPathComponent("page.json"))
        guard case .text(let content) = try PageLayout(folder.path("page.json")).views[0].content else {
            throw CancellationError()
        }
        return content
    }

    static func drawing(_ text: String, lines: Int) throws -> TextDrawing {
        TextDrawing(
            text, try content(lines), try #require(TextDrawing.FontMetrics("Sans 17", scale: 1)), scale: 1)
    }

    @Test("ends in an ellipsis where its lines or its frame end", arguments: [(1, 480), (2, 480), (0, 45)])
    func cut(_ lines: Int, _ height: Int) async throws {
        let drawing = try Self.drawing(Self.words, lines: lines)
        let drawn = try #require(drawing.drawn(width: 160, height: height))
        #expect(drawn.isCut)
        let most = lines == 1 ? 25 : 45
        #expect(drawn.image.height <= most && drawn.image.width <= 160)
        let whole = try #require(drawing.drawn(width: 2000, height: 480))
        #expect(!whole.isCut)
    }

    @Test("shows one line even in a frame that is lower than a line")
    func low() async throws {
        let drawing = try Self.drawing("Hello", lines: 0)
        let drawn = try #require(drawing.drawn(width: 160, height: 3))
        #expect(!drawn.isCut && drawn.image.height > 8)
    }

    @Test("is cut, however long it is", arguments: ["ab cd ", "a", "ש", "\u{200B}"])
    func long(_ piece: String) async throws {
        let text = "x" + String(repeating: piece, count: 100_000 / piece.utf8.count)
        let drawing = try Self.drawing(text, lines: 2)
        #expect(drawing.height(width: 300) <= 60)
        #expect(drawing.drawn(width: 300, height: 480) != nil)
        let endless = try Self.drawing(text, lines: 0)
        _ = endless.height(width: 300)
        #expect(endless.drawn(width: 300, height: 100).map { $0.image.height <= 110 } ?? true)
    }

    @Test("has its baselines where the ink of letters without descenders ends")
    func baselines() async throws {
        let one = try Self.drawing("Hxn", lines: 0)
        let drawn = try #require(one.drawn(width: 300, height: 100))
        #expect(one.baselines.first == drawn.y + drawn.image.height)
        #expect(one.baselines.first + one.baselines.last == one.height(width: nil))
        // The same line, once with letters that other fonts draw.
        let mixed = try Self.drawing("Hxn \u{4E2D}", lines: 0)
        #expect(mixed.baselines.first + mixed.baselines.last == mixed.height(width: nil))
    }

    @Test(
        "has no metrics in a font that is too large", arguments: ["Sans 100000", "Sans 1e9"])
    func sizes(_ font: String) {
        #expect(TextDrawing.FontMetrics(font, scale: 1) == nil)
    }

    @Test("aligns baselines of different fonts")
    func alignment() async throws {
        let result = try page(
            "\"a\": {\"text\": \"H\", \"font\": \"Sans 40\"}, \"b\": {\"text\": \"H\", \"font\": \"Sans 12\"}",
            "\"formats\": [\"H:|[a]-[b]\", \"V:|-20-[a]\"], \"constraints\": [\"b.firstBaseline == a.firstBaseline\"]"
        )
        let picture = try result.picture(background: .white)
        /// The last row with ink among some columns.
        func bottom(_ columns: Range<Int>) -> Int {
            (0..<480).last { y in columns.contains { picture.bytes[(y * 320 + $0) * 3] < 128 } } ?? 0
        }
        let b = result.parts[1].frame
        #expect(bottom(0..<Int(b.minX)) == bottom(Int(b.minX)..<Int(b.maxX)))
    }

    @Test(
        "shows markup characters as they are",
        arguments: ["a & b", "<b>x</b>", "&amp;", "\u{1}", "a\\u0000b"])
    func markup(_ text: String) async throws {
        let escaped = text == "\u{1}" ? "\\u0001" : text
        let result = try page(
            "\"t\": {\"text\": \"\(escaped)\"}", "\"formats\": [\"H:|[t]\", \"V:|[t]\"]")
        #expect(result.parts[0].frame.height > 10 || text == "\u{1}")
        _ = try result.picture(background: .white)
    }

    @Test("starts at the right in a right-to-left language")
    func rightToLeft() async throws {
        let drawing = try Self.drawing("שלום עולם", lines: 0)
        let drawn = try #require(drawing.drawn(width: 300, height: 100))
        #expect(drawn.x + drawn.image.width > 290)
    }

    // MARK: Metadata

    @Test("shows the date and the camera of the picture, and reports what it does not have")
    func metadata() async throws {
        let jpeg = TinyPhoto.jpeg(date: "2014:05:25 10:00:00", make: "Lens", width: 8, height: 8)
        try Data(jpeg).write(to: folder.url.appendingPathComponent("trip.jpg"))
        let facts = PictureFacts(folder.path("trip.jpg")) { _, _ in nil }
        #expect(facts["date"] == "2014-05-25" && facts["name"] == "trip" && facts["place"] == nil)
        #expect(facts["camera"]?.hasPrefix("Lens") == true)
        try TestImages.photo(width: 8, height: 8).save(folder.path("plain.png"), with: "pngsave", [:])
        let result = try page(
            "\"p\": {\"image\": \"plain.png\"}, \"t\": {\"text\": \"{name}{place}{date}\"}",
            "\"formats\": [\"V:|[p][t]\"]")
        #expect(result.missing.count == 2 && result.missing[0].contains("plain.png has no {place}"))
    }

    @Test("is about the picture that it names, and needs one")
    func whichPicture() async throws {
        for name in ["a", "b"] {
            try TestImages.photo(width: 8, height: 8).save(folder.path("\(name).png"), with: "pngsave", [:])
        }
        let pictures = "\"a\": {\"image\": \"a.png\"}, \"b\": {\"image\": \"b.png\"}"
        let rules = "\"formats\": []"
        #expect(throws: PageError.self) { try page("\(pictures), \"t\": {\"text\": \"{name}\"}", rules) }
        #expect(throws: PageError.self) { try page("\"t\": {\"text\": \"{name}\"}", rules) }
        #expect(throws: PageError.self) {
            try page("\(pictures), \"t\": {\"text\": \"{name}\", \"of\": \"c\"}", rules)
        }
        _ = try page("\(pictures), \"t\": {\"text\": \"{name}\", \"of\": \"b\"}", rules)
        let error = #expect(throws: PageError.self) { try page("\"t\": {\"text\": \"{nema}\"}", rules) }
        #expect(error?.description.contains("{nema} has no value") == true)
    }

    @Test("takes values of a manifest first")
    func values() async throws {
        let values = PageComposer.Values([
            .init(name: "title", value: .string("Hello")), .init(name: "n", value: .int(7)),
        ])
        let result = try page(
            "\"t\": {\"text\": \"{title} {n} {{\"}", "\"formats\": [\"V:|[t]\"]", 320, values)
        guard case .text(let drawing, _) = result.parts[0].content else { return #expect(Bool(false)) }
        #expect(drawing.text == "Hello 7 {")
    }

    // MARK: Words in a PDF

    @Test(
        "has its words where they are drawn, line by line",
        arguments: ["leading", "center", "trailing", "justified"])
    func placed(_ alignment: String) async throws {
        let text = "\"t\": {\"text\": \"\(Self.words)\", \"align\": \"\(alignment)\"}"
        let part = try page(text, "\"formats\": [\"H:|[t(160)]\", \"V:|[t]\"]").parts[0]
        guard case .text(let drawing, _) = part.content else { throw CancellationError() }
        let drawn = try #require(drawing.drawn(width: 160, height: Int(part.frame.height)))
        let words = drawing.placedWords(drawn, width: 160)
        #expect(words.map(\.text).joined() == Self.words + " ")
        #expect(words.count == Self.words.split(separator: " ").count)
        #expect(Set(words.map(\.y)).count == 4)
        for (one, next) in zip(words, words.dropFirst()) where one.y == next.y {
            #expect(one.x + one.width <= next.x)
        }
        // Each place has the ink of its word.
        let pixels = try drawn.image.pixels().copied()
        for word in words {
            let rows = (Int(word.y) - drawn.y..<Int(word.y + word.height) - drawn.y)
                .clamped(to: 0..<drawn.image.height)
            let columns = (word.x - drawn.x)..<(word.x - drawn.x + word.width)
            for column in [columns.lowerBound, columns.upperBound - 1] {
                #expect(rows.contains { pixels[$0 * drawn.image.width + column] >= 64 }, "\(word)")
            }
        }
    }

    @Test("keeps empty lines, long words and cut texts together with what is drawn")
    func oddLines() async throws {
        func words(_ text: String, _ width: Int, lines: Int = 0) throws -> [TextDrawing.PlacedWord] {
            let view = "\"t\": {\"text\": \"\(text)\", \"lines\": \(lines)}"
            let part = try page(view, "\"formats\": [\"H:|[t(\(width))]\", \"V:|[t]\"]").parts[0]
            guard case .text(let drawing, _) = part.content,
                let drawn = drawing.drawn(width: width, height: Int(part.frame.height))
            else { return [] }
            return drawing.placedWords(drawn, width: width)
        }
        let spread = try words("one\\n\\ntwo", 200)
        #expect(spread.map(\.text) == ["one ", "two "] && spread[1].y == 2 * spread[1].height)
        let cut = try words(Self.words, 160, lines: 1)
        #expect(cut.last?.text.contains("…") == true && Set(cut.map(\.y)) == [0])
        #expect(try words("Donaudampfschifffahrt", 60).map(\.text) == ["Donaudampfschifffahrt "])
        #expect(try words(" ", 100).isEmpty)
    }

    @Test("is found, copied and read aloud in a PDF, beside the picture that it is about")
    func accessible() async throws {
        try TestImages.photo(width: 40, height: 30).save(folder.path("a.png"), with: "pngsave")
        let views = """
            "a": {"image": "a.png"}, "b": {"image": "a.png", "alt": "Another {name}"}, "bar": {"color": "red"},
            "t": {"text": "Evening at the lake", "of": "a"}
            """
        let rules =
            "\"formats\": [\"H:|[a(40)][b(40)]\", \"H:|[t]|\", \"H:|[bar]|\", \"V:|[a(30)][t]-[bar(2)]\", \"V:|[b(30)]\"]"
        let page = try page(views, rules)
        #expect(page.title == "Evening at the lake")
        #expect(page.parts.map(\.alternative) == ["Evening at the lake", "Another a", nil, nil])
        let file = try page.pdf(background: .white, quality: nil, isLossless: false)
        try Data(file).write(to: folder.url.appendingPathComponent("page.pdf"))
        guard let poppler = BuiltProgram(installed: "pdftotext") else { return }
        let read = try await poppler.run(["page.pdf", "-"], in: folder.url)
        #expect(
            read.errors.isEmpty && read.text.contains("Evening at the lake"), "\(read.text) \(read.errors)")
    }
}
