import ConstraintLayout
import Testing

@Suite("The text of a constraint")
struct ConstraintTextTests {
    let page = Page("photo", "title")
    let metrics = ["gap": 15.0, "strong": 900.0, "photo": 3.0, "bad": .infinity, "nothing": 0]

    func parse(_ text: String) throws(LayoutSyntaxError) -> LayoutConstraint {
        try LayoutConstraint.parse(text, views: page.views, metrics: metrics)
    }

    @Test(
        "is read and written",
        arguments: [
            ("photo.centerX == superview.centerX", "photo.centerX == superview.centerX"),
            (
                "photo.width <= 0.5 * superview.width + 10 @750",
                "photo.width <= 0.5 * superview.width + 10 @750"
            ),
            ("photo.height == 240", "photo.height == 240"),
            ("photo.height==-gap", "photo.height == -15"),
            (
                " photo . width\t>= title.width*2/4-gap @ strong ",
                "photo.width >= 0.5 * title.width - 15 @900"
            ),
            ("photo.left == 10 + title.right @high", "photo.left == title.right + 10 @750"),
            ("photo.left == gap - 2 * title.right @low", "photo.left == -2 * title.right + 15 @250"),
            ("photo.top == title.lastBaseline @required", "photo.top == title.lastBaseline"),
            ("photo.width == photo * 2", "photo.width == 6"),
            ("photo.width == title.width + title.width", "photo.width == 2 * title.width"),
            ("photo.width == 0 * title.width", "photo.width == 0 * title.width"),
            ("photo.leading >= superview.margins.leading", "photo.leading >= superview.margins.leading"),
            (
                "photo.width == .5 * 3 * superview.height + 1.25",
                "photo.width == 1.5 * superview.height + 1.25"
            ),
            ("photo.width == -1 * -2 + 3 - -4", "photo.width == 9"),
            ("superview.width == 1 @0.5", "superview.width == 1 @0.5"),
        ])
    func reading(text: String, written: String) throws {
        let constraint = try parse(text)
        #expect(constraint.description == written)
        #expect(try parse(constraint.description).description == written)
    }

    @Test(
        "has errors that point at the character",
        arguments: [
            ("", 0, "expected a view, found the end"),
            ("photo", 5, "“photo” needs an attribute, as in photo.width"),
            ("photo.", 6, "expected an attribute, found the end"),
            ("foto.width == 1", 0, "there is no view “foto”"),
            ("photo.widht == 1", 6, "there is no attribute “widht”"),
            ("photo.width = 1", 12, "expected ==, <= or >=, found “=”"),
            ("photo.width ==", 14, "expected a number, a metric or a view, found the end"),
            ("photo.width == title", 20, "“title” needs an attribute"),
            ("photo.width == gaps", 15, "there is no metric or view “gaps”"),
            ("photo.width == title.left", 15, "a size cannot be related to a position"),
            ("photo.left == title.top", 14, "a horizontal position cannot be related to a vertical one"),
            ("photo.left == title.leading", 14, "left and right cannot be related to leading and trailing"),
            ("photo.width == title.width + photo.width", 29, "the right side can name one attribute only"),
            ("photo.width == title.width * photo.width", 29, "attributes cannot be multiplied by each other"),
            ("photo.width == 1 / title.width", 19, "nothing can be divided by an attribute"),
            ("photo.width == 1 / 0", 19, "division by zero"),
            ("photo.width == 1 / nothing", 19, "division by zero"),
            ("photo.width == bad", 15, "the metric “bad” is not finite or too large"),
            ("photo.width == 1.2.3", 15, "“1.2.3” is not a number"),
            ("photo.width == 99999999999", 15, "the number is above 1000000000"),
            ("photo.width == 9999999 * title.width", 23, "the product is too large"),
            ("photo.width == 1 @0", 18, "priorities are above 0 and at most 1000"),
            ("photo.width == 1 @1000.5", 18, "priorities are above 0 and at most 1000"),
            ("photo.width == 1 @strongest", 18, "there is no priority or metric “strongest”"),
            ("photo.width == 1 @", 18, "expected a priority, found the end"),
            ("photo.width == 1 2", 17, "expected an operator, a priority or the end, found “2”"),
            ("photo.width == 1 @5 é", 20, "expected an operator, a priority or the end, found “é”"),
        ])
    func errors(text: String, offset: Int, message: String) {
        let error = #expect(throws: LayoutSyntaxError.self) { try parse(text) }
        #expect(error?.offset == offset)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(error?.text == text)
    }

    @Test("has errors with a caret below the character")
    func caret() {
        let error = LayoutSyntaxError(text: "a\t👩‍👩‍👧.width = 1", offset: 10, message: "expected ==")
        #expect(error.description == "expected ==\na 👩‍👩‍👧.width = 1\n          ^")
    }

    @Test("never traps, whatever the characters are", arguments: 0..<10)
    func fuzz(seed: UInt64) {
        var fuzzer = TextFuzzer(seed: seed)
        var read = 0
        for _ in 0..<1000 {
            let text = fuzzer.text(of: [
                "photo.width == 0.5 * superview.width + 10 @750", "title.left >= photo.right - gap",
                "photo.height <= title.height * 2 / 4", "photo.leading == superview.margins.leading",
            ])
            do throws(LayoutSyntaxError) {
                let constraint = try parse(text)
                page.engine.add([constraint])
                read += 1
            } catch {
                #expect(error.text == text)
                #expect((0...text.count).contains(error.offset), "\(text)")
            }
        }
        #expect(read > 20)
        page.engine.layout()
        #expect(page["photo"].frame.width >= 0)
    }
}

/// Damages texts: characters are removed, inserted, repeated and exchanged.
struct TextFuzzer {
    private var random: SeededGenerator
    private let pieces =
        "HV:|-[]()<>==,@+*/. 0123456789abphototitlegap_".map(String.init)
        + [
            "[a]", "<=", ">=", "-(", ")-", "1e400", "99999999999999999999", "é", "👩‍👩‍👧", "\u{301}", "\n", "\0",
            "٣", "½", "-0", "..",
        ]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func text(of seeds: [String]) -> String {
        var characters = seeds.randomElement(using: &random)!.map(String.init)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let place = Int.random(in: 0...characters.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: characters.insert(pieces.randomElement(using: &random)!, at: place)
            case 1 where place < characters.count: characters.remove(at: place)
            case 2 where place < characters.count:
                characters[place] = pieces.randomElement(using: &random)!
            default: characters.insert(contentsOf: characters[place...].prefix(8), at: place)
            }
        }
        return characters.joined()
    }
}
