import ConstraintLayout
import Testing

@Suite("A visual format")
struct VisualFormatTests {
    let page = Page("a", "b", "c")
    let metrics = ["gap": 15.0, "wide": 100.0, "weak": 50.0, "minus": -5.0]

    func read(_ format: String, _ options: VisualFormatOptions = []) throws(LayoutSyntaxError) -> [String] {
        try VisualFormat.constraints(
            format, views: page.views, metrics: metrics, options: options, superview: page.root
        ).map(\.description)
    }

    @Test(
        "is read whole",
        arguments: [
            ("[a]", []),
            ("[a(50)]", ["a.width == 50"]),
            ("H:[a]-[b]", ["b.leading == a.trailing + 8"]),
            ("[a][b]", ["b.leading == a.trailing"]),
            ("V:[a]-10-[b]", ["b.top == a.bottom + 10"]),
            ("|[a]|", ["a.leading == superview.leading", "superview.trailing == a.trailing"]),
            (
                "|-[a]-|",
                ["a.leading == superview.margins.leading", "superview.margins.trailing == a.trailing"]
            ),
            ("V:|-[a]-|", ["a.top == superview.margins.top", "superview.margins.bottom == a.bottom"]),
            ("V:|-25-[a(21)]", ["a.height == 21", "a.top == superview.top + 25"]),
            (
                "|-gap-[a]-0.5-|",
                ["a.leading == superview.leading + 15", "superview.trailing == a.trailing + 0.5"]
            ),
            ("|-(-10)-[a]", ["a.leading == superview.leading - 10"]),
            ("[a]-(minus)-[b]", ["b.leading == a.trailing - 5"]),
            ("[a]-(>=8,<=20@low)-[b]", ["b.leading >= a.trailing + 8", "b.leading <= a.trailing + 20 @250"]),
            ("[a]-(==gap@weak)-[b]", ["b.leading == a.trailing + 15 @50"]),
            ("[a]-(>=20)-|", ["superview.trailing >= a.trailing + 20"]),
            ("[a(==b)]", ["a.width == b.width"]),
            ("V:[a(b)]", ["a.height == b.height"]),
            (
                "[a(>=wide@750,==b,<=200@high)]",
                ["a.width >= 100 @750", "a.width == b.width", "a.width <= 200 @750"]
            ),
            ("[a(>=b@99.5)]", ["a.width >= b.width @99.5"]),
            (
                " V:| - [ a ( >= 1 , <= 2 @ 3 ) ] - ( 4 ) - [ b ] ",
                [
                    "a.height >= 1", "a.height <= 2 @3", "a.top == superview.margins.top",
                    "b.top == a.bottom + 4",
                ]
            ),
            ("[a]-[b]-[c]", ["b.leading == a.trailing + 8", "c.leading == b.trailing + 8"]),
        ])
    func reading(format: String, expected: [String]) throws {
        #expect(try read(format) == expected)
    }

    @Test(
        "aligns neighbors by its options",
        arguments: [
            ("V:[a][b]", "alignAllLeft", ["b.left == a.left"]),
            ("V:[a][b]", "alignAllRight", ["b.right == a.right"]),
            ("V:[a][b][c]", "alignAllLeading", ["b.leading == a.leading", "c.leading == b.leading"]),
            ("V:[a][b]", "alignAllTrailing", ["b.trailing == a.trailing"]),
            ("V:|[a][b]|", "alignAllCenterX", ["b.centerX == a.centerX"]),
            ("[a][b]", "alignAllTop", ["b.top == a.top"]),
            ("[a][b]", "alignAllBottom", ["b.bottom == a.bottom"]),
            ("[a][b]", "alignAllCenterY", ["b.centerY == a.centerY"]),
            ("[a][b]", "alignAllFirstBaseline", ["b.firstBaseline == a.firstBaseline"]),
            ("[a][b]", "alignAllLastBaseline", ["b.lastBaseline == a.lastBaseline"]),
            ("|[a]", "alignAllTop", []),
        ])
    func alignment(format: String, name: String, expected: [String]) throws {
        let option = try #require(VisualFormatOptions(named: name))
        let all = try read(format, option)
        #expect(Array(all.suffix(expected.count)) == expected)
        #expect(all.count == (try read(format)).count + expected.count)
    }

    @Test("has more than one alignment, and a direction")
    func directions() throws {
        #expect(
            try read("|-5-[a]-[b]-9-|", [.alignAllTop, .alignAllBottom, .directionLeftToRight]) == [
                "a.left == superview.left + 5", "b.left == a.right + 8", "superview.right == b.right + 9",
                "b.top == a.top", "b.bottom == a.bottom",
            ])
        #expect(
            try read("|-5-[a]-(>=3)-[b]-|", .directionRightToLeft) == [
                "a.right == superview.right - 5", "b.right <= a.left - 3",
                "superview.margins.left == b.left",
            ])
        #expect(try read("[a][b]", .directionLeadingToTrailing) == ["b.leading == a.trailing"])
        #expect(try read("V:[a][b]", .directionRightToLeft) == ["b.top == a.bottom"])
        #expect(VisualFormatOptions(named: "directionRightToLeft") == .directionRightToLeft)
        #expect(VisualFormatOptions(named: "alignAllMiddle") == nil)
    }

    @Test(
        "has errors that point at the character",
        arguments: [
            ("", 0, "expected | or a view in brackets, found the end"),
            ("|", 1, "expected a view in brackets, found the end"),
            ("V:|-|", 4, "expected a view in brackets, found “|”"),
            ("X:[a]", 0, "expected | or a view in brackets, found “X”"),
            ("[d]", 1, "there is no view “d”"),
            ("[]", 1, "expected the name of a view, found “]”"),
            ("[a", 2, "expected ], found the end"),
            ("[a]-", 4, "expected a distance, | or a view in brackets, found the end"),
            ("[a]-5[b]", 5, "expected -, found “[”"),
            ("[a]-far-[b]", 4, "there is no metric “far”"),
            ("[a]--5-[b]", 4, "expected a distance, | or a view in brackets, found “-”"),
            ("[a]5[b]", 3, "expected -, | or a view in brackets, found “5”"),
            ("[a]-5-", 6, "expected | or a view in brackets, found the end"),
            ("[a]-()-[b]", 5, "expected a number or a metric, found “)”"),
            ("[a()]", 3, "expected a number, a metric or a view, found “)”"),
            ("[a(>=d)]", 5, "there is no view or metric “d”"),
            ("[a]-(b)-[c]", 5, "there is no metric “b”"),
            ("[a(50,)]", 6, "expected a number, a metric or a view, found “)”"),
            ("[a(50]", 5, "expected , or ), found “]”"),
            ("[a(-50)]", 4, "sizes cannot be negative"),
            ("[a(50@0)]", 6, "priorities are above 0 and at most 1000"),
            ("[a(50@strong)]", 6, "there is no priority or metric “strong”"),
            ("|[a]|[b]", 5, "nothing can follow the last |"),
            ("[a(1.)(2)]", 6, "expected ], found “(”"),
        ])
    func errors(format: String, offset: Int, message: String) {
        let error = #expect(throws: LayoutSyntaxError.self) { try read(format) }
        #expect(error?.offset == offset, "\(error?.description ?? "")")
        #expect(error?.message == message)
    }

    @Test("refuses options that do not fit")
    func badOptions() {
        for (format, options) in [
            ("[a][b]", VisualFormatOptions.alignAllLeft), ("[a][b]", .alignAllCenterX),
            ("V:[a][b]", .alignAllTop), ("V:[a][b]", .alignAllLastBaseline),
            ("[a][b]", [.directionLeftToRight, .directionRightToLeft]),
        ] {
            #expect(throws: LayoutSyntaxError.self) { try read(format, options) }
        }
    }

    @Test("never traps, whatever the characters are", arguments: 0..<10)
    func fuzz(seed: UInt64) {
        var fuzzer = TextFuzzer(seed: seed)
        var count = 0
        for _ in 0..<1000 {
            let text = fuzzer.text(of: [
                "H:|-[a(>=wide@750,<=200)]-gap-[b(==a)]-(>=8,<=20@low)-|", "V:|-25-[a(21)]",
                "[a]-(-5)-[b][c]",
                "|[a]|",
            ])
            let options = [VisualFormatOptions.alignAllTop, .alignAllLeft, []][count % 3]
            do throws(LayoutSyntaxError) {
                page.engine.add(
                    try VisualFormat.constraints(
                        text, views: page.views, metrics: metrics, options: options, superview: page.root))
                count += 1
            } catch {
                #expect(error.text == text)
                #expect((0...text.count).contains(error.offset), "\(text)")
                count += 1
            }
        }
        page.engine.layout()
        #expect(page["a"].frame.width >= 0)
    }
}
