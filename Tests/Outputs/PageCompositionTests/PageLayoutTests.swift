import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import PageComposition

@Suite("The layout of a page", .ownThread)
struct PageLayoutTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func layout(_ json: String) throws -> PageLayout {
        try Data(json.utf8).write(to: folder.url.appendingPathComponent("page.json"))
        return try PageLayout(folder.path("page.json"))
    }

    func page(_ json: String, _ width: Double = 320, _ height: Double = 480) throws -> Page {
        try PageComposer(size: Size(width: width, height: height)).page(try layout(json))
    }

    /// A layout, and the end of the error that it gives.
    static let faults: [(String, String)] = [
        ("{\n\"views\": {}\n", "line 3: is not JSON from here on"),
        ("{\"views\": {},\n \"views\": {}}", "line 2: the name \"views\" is given twice"),
        ("[]", "line 1: is not an object with \"views\""),
        ("{}", "line 1: views: is missing, or is not an object of views"),
        (
            "{\"views\": {},\n\"view\": 1}",
            "line 2: view: is not a key here; known are constraints, direction, formats, landscape, metrics, portrait, views"
        ),
        (
            "{\"views\": {\n\"a b\": {}}}",
            "line 2: view a b: is not a name for a view; use letters, digits and _, and not \"superview\""
        ),
        (
            "{\"views\": {\"superview\":\n{}}}",
            "line 2: view superview: is not a name for a view; use letters, digits and _, and not \"superview\""
        ),
        (
            "{\"views\": {\n\"p\": {\"color\":\n\"blau\"}}}",
            "line 3: view p: color: \"blau\" is not a CSS color"
        ),
        ("{\"views\": {\"p\": {\"color\":\n7}}}", "line 2: view p: color: is not a string"),
        (
            "{\"views\": {\"p\": {\"color\": \"red\",\n\"lines\": 1}}}",
            "line 2: view p: lines: is not a key here; known are color, hugging, resistance"
        ),
        (
            "{\"views\": {\"t\": {\"text\": \"x\",\n\"align\": \"left\"}}}",
            "line 2: view t: align: \"left\" is not an alignment; known are leading, center, trailing, justified"
        ),
        (
            "{\"views\": {\"t\": {\"text\":\n\"{date\"}}}",
            "line 2: view t: text: has a { without its }; write {{ for a brace"
        ),
        (
            "{\"views\": {\"t\": {\"text\": \"x\",\n\"lines\": -1}}}",
            "line 2: view t: lines: is not a whole number from 0"
        ),
        (
            "{\"views\": {\"i\": {\"image\": \"x\",\n\"rect\": [1, 2, 3]}}}",
            "line 2: view i: rect: is not a list of 4 numbers"
        ),
        (
            "{\"views\": {\"i\": {\"image\": \"x\",\n\"rect\": [1, 2, -3, 4]}}}",
            "line 2: view i: rect: width and height are not above 0"
        ),
        (
            "{\"views\": {\"i\": {\n\"hugging\": [1, 2000]}}}",
            "line 2: view i: hugging: is not a priority from 1 to 1000, or a list of two"
        ),
        ("{\"views\": {}, \"metrics\":\n{\"gap\": \"7\"}}", "line 2: metrics.gap: is not a number"),
        ("{\"views\": {}, \"metrics\": {\n\"gap\": 1e400}}", "line 2: metrics.gap: is not a number"),
        ("{\"views\": {}, \"portrait\":\n{\"formats\": {}}}", "line 2: portrait: formats: is not a list"),
        ("{\"views\": {}, \"constraints\": [\n\n7]}", "line 3: constraints[0]: is not a string"),
        (
            "{\"views\": {}, \"formats\": [{\"format\": \"|\", \"options\":\n[\"alignAll\"]}]}",
            "line 2: formats[0].options: \"alignAll\" is not an option of visual formats, such as \"alignAllCenterY\""
        ),
        (
            "{\"views\": {}, \"direction\":\n\"up\"}",
            "line 2: direction: \"up\" is not leftToRight or rightToLeft"
        ),
    ]

    @Test("names the line, the view and the key of a fault", arguments: faults)
    func fault(_ json: String, _ expected: String) async throws {
        let error = #expect(throws: PageError.self) { try layout(json) }
        #expect(error?.description == "\(folder.path("page.json")), \(expected)")
    }

    /// A layout with views a and b that cannot be laid out, and the end of the error.
    static let badRules: [(String, String)] = [
        ("\"constraints\": [\n\"a.width == \"]", "line 2: constraints[0]: \"a.width == \": "),
        ("\"formats\": [\"H:|[a]|\",\n\"H:|[c]|\"]", "line 2: formats[1]: \"H:|[c]|\": "),
        (
            "\"portrait\": {\"constraints\":\n[\"a.colour == 1\"]}",
            "line 2: portrait: constraints[0]: \"a.colour == 1\": "
        ),
    ]

    @Test("names the line and the character of a rule that cannot be read", arguments: badRules)
    func badRule(_ rules: String, _ expected: String) async throws {
        let error = #expect(throws: PageError.self) {
            try page("{\"views\": {\"a\": {}, \"b\": {}}, \(rules)}")
        }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("\(folder.path("page.json")), \(expected)"), "\(text)")
        #expect(text.contains(/at character [0-9]+$/), "\(text)")
    }

    @Test("adds the block of the orientation to the common one, and its metrics replace common ones")
    func orientation() async throws {
        let json = """
            {"views": {"a": {}}, "metrics": {"w": 10}, "formats": ["V:|-5-[a(20)]"],
             "portrait": {"constraints": ["a.leading == 1", "a.width == w"]},
             "landscape": {"metrics": {"w": 30}, "constraints": ["a.leading == 2", "a.width == w"]}}
            """
        #expect(try page(json, 320, 480).parts[0].frame == Rect(x: 1, y: 5, width: 10, height: 20))
        #expect(try page(json, 480, 320).parts[0].frame == Rect(x: 2, y: 5, width: 30, height: 20))
        #expect(try page(json, 400, 400).isPortrait)
    }

    @Test("paints views in the order of the file")
    func order() async throws {
        let json = """
            {"views": {"z": {"color": "red"}, "a": {"color": "#00f8"}, "m": {"color": "lime"}},
             "formats": ["H:|[z]|", "V:|[z]|", "H:|[a(4)]", "V:|[a]|", "H:|[m(2)]", "V:|[m]|"]}
            """
        let picture = try page(json, 8, 2).picture(background: .white)
        #expect(picture.bands == 3)
        #expect(Array(picture.bytes[0..<3]) == [0, 255, 0])
        #expect(Array(picture.bytes[6..<9]) == [119, 0, 136])
        #expect(Array(picture.bytes[12..<15]) == [255, 0, 0])
    }

    @Test("keeps the alpha of a page whose paper is transparent")
    func alpha() async throws {
        let json =
            "{\"views\": {\"a\": {\"color\": \"#ff000080\"}}, \"formats\": [\"H:|[a(1)]\", \"V:|[a]|\"]}"
        let picture = try page(json, 2, 1).picture(background: .transparent)
        #expect(picture.bytes == [255, 0, 0, 128, 0, 0, 0, 0])
    }

    @Test("reports what does not hold and what is not determined")
    func reports() async throws {
        let result = try page(
            "{\"views\": {\"a\": {}}, \"constraints\": [\"a.width == 10\", \"a.width == 20\", \"a.left == 3\"]}"
        )
        #expect(result.broken.count == 1 && result.conflicts.count == 1)
        #expect(!result.ambiguous.isEmpty)
        let json = "\(try #require(result.json.first { $0.0 == "size" }?.1))"
        #expect(json == "[320,480]")
    }

    @Test("gives pictures their shape, and their size in pixels where nothing else does")
    func pictures() async throws {
        try TestImages.photo(width: 90, height: 60).save(folder.path("a.png"), with: "pngsave", [:])
        let views = "\"views\": {\"a\": {\"image\": \"a.png\"}}"
        let wide = try page(
            "{\(views), \"constraints\": [\"a.left == 0\", \"a.top == 0\", \"a.width == 30\"]}")
        #expect(wide.parts[0].frame == Rect(x: 0, y: 0, width: 30, height: 20))
        #expect(wide.ambiguous.isEmpty && wide.broken.isEmpty)
        let free = try page("{\(views), \"constraints\": [\"a.left == 0\", \"a.top == 0\"]}")
        #expect(free.parts[0].frame == Rect(x: 0, y: 0, width: 90, height: 60))
    }

    @Test(
        "shows paper where a rectangle reaches beyond its picture",
        arguments: ["center", "scaleToFill", "scaleAspectFit", "scaleAspectFill", "topLeft"])
    func beyond(_ mode: String) async throws {
        try TestImages.flat([0, 0, 0], width: 20, height: 20).save(folder.path("a.png"), with: "pngsave")
        let json = """
            {"views": {"a": {"image": "a.png", "contentMode": "\(mode)", "rect": [15, 15, 100, 100]}},
             "formats": ["H:|[a]|", "V:|[a]|"]}
            """
        let picture = try page(json, 20, 20).picture(background: .white)
        #expect(picture.bytes.suffix(3) == [255, 255, 255])
        #expect((picture.bytes.first == 255) == (mode == "center"))
    }

    @Test("stores only the opaque part of a picture in a PDF, as JPEG")
    func opaque() async throws {
        try TestImages.photo(width: 20, height: 20).save(folder.path("a.png"), with: "pngsave")
        let json = "{\"views\": {\"a\": {\"image\": \"a.png\"}}, \"formats\": [\"H:|[a]|\", \"V:|[a]|\"]}"
        let file = try page(json, 60, 20).pdf(background: .white, quality: nil, isLossless: false)
        let text = String(file.map { Character(Unicode.Scalar($0)) })
        #expect(
            text.contains("/DCTDecode") && text.contains("/Width 20 /Height 20") && !text.contains("/SMask"))
        #expect(text.contains("q 20 0 0 -20 20 20 cm /Im0 Do Q"))
    }

    @Test(
        "rounds every edge to the nearest pixel, so that neighbors stay neighbors",
        arguments: [
            (Rect<ViewSpace>(x: 0.5, y: 0.49, width: 1, height: 1), [1, 0, 1, 1]),
            (Rect(x: 10.2, y: 0, width: 10.2, height: 0), [10, 0, 10, 0]),
            (Rect(x: 20.4, y: -0.6, width: 10.2, height: 1), [20, -1, 11, 1]),
            (Rect(x: 0.4999999999, y: 0, width: 1e12, height: 1), [1, 0, 999_999_999, 1]),
        ])
    func rounding(_ frame: Rect<ViewSpace>, _ expected: [Int]) {
        let rect = Page(size: Size(width: 100, height: 100), scale: 1).pixelRect(frame)
        #expect([rect.x, rect.y, rect.width, rect.height] == expected)
    }

    @Test("refuses a page with too many pixels before it paints")
    func tooLarge() async throws {
        let page = try page("{\"views\": {}}", 65_000, 65_000)
        #expect(throws: RenderingError.self) { try page.picture(background: .white) }
        #expect(throws: RenderingError.self) {
            try page.pdf(background: .white, quality: nil, isLossless: false)
        }
    }
}
