import TestSupport
import Testing
import ViewportGeometry

@testable import TerminalGraphics

@Suite("What a terminal answers")
struct AnswerTests {
    struct Terminal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The answers, with "^[" for escapes and "^G" for bells.
        var text: String
        var variables: [String: String] = ["TERM": "xterm-256color"]
        var graphics: GraphicsProtocol
        var cell: [Int]?
        var isWrapped = false

        var bytes: [UInt8] {
            Array(text.replacing("^[", with: "\u{1B}").replacing("^G", with: "\u{07}").utf8)
        }
    }

    static let terminals = [
        Terminal(
            testDescription: "xterm without graphics",
            text:
                "^[P>|XTerm(379)^[\\^[[4;316;484t^[[6;13;6t^[]11;rgb:ffff/ffff/ffff^[\\^[[?1;0;256S^[[?2;3;0S"
                + "^[[?64;1;2;6;9;15;16;17;18;21;22;28c",
            graphics: .blocks, cell: [6, 13]),
        Terminal(
            testDescription: "xterm as a VT340",
            text: "^[P>|XTerm(379)^[\\^[[4;316;484t^[[6;13;6t^[]11;rgb:ffff/ffff/ffff^[\\^[[?1;0;16S"
                + "^[[?2;0;484;316S^[[?63;1;2;4;6;9;15;16;22;28c",
            graphics: .sixel, cell: [6, 13]),
        Terminal(
            testDescription: "kitty",
            text:
                "^[_Gi=31;OK^[\\^[P>|kitty(0.26.5)^[\\^[[4;400;640t^[[6;18;9t^[]11;rgb:0000/0000/0000^[\\^[[?62;c",
            variables: ["TERM": "xterm-kitty"], graphics: .kitty, cell: [9, 18]),
        Terminal(
            testDescription: "foot",
            text: "^[P>|foot(1.13.1)^[\\^[[4;480;800t^[[6;20;10t^[]11;rgb:24/24/24^[\\^[[?1;0;1024S"
                + "^[[?2;0;800;480S^[[?62;4;22;28c",
            variables: ["TERM": "foot"], graphics: .sixel, cell: [10, 20]),
        Terminal(
            testDescription: "WezTerm, which knows them all",
            text: "^[_Gi=31;OK^[\\^[P>|WezTerm 20240203-110809-5046fc22^[\\^[[4;528;880t^[[6;22;11t"
                + "^[]11;rgb:0000/0000/0000^[\\^[[?65;4;6;18;22c",
            variables: ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], graphics: .kitty,
            cell: [11, 22]),
        Terminal(
            testDescription: "WezTerm whose graphics of kitty are off",
            text: "^[P>|WezTerm 20220101^[\\^[[?65;4;6;18;22c", graphics: .iterm2),
        Terminal(
            testDescription: "iTerm2",
            text: "^[P>|iTerm2 3.4.19^[\\^[[4;1000;1600t^[]11;rgb:1e1e/1e1e/1e1e^G"
                + "^[]1337;ReportCellSize=17.0;8.0;2.0^[\\^[[?62;4c",
            variables: ["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], graphics: .iterm2),
        Terminal(
            testDescription: "tmux",
            text: "^[P>|tmux 3.3a^[\\^[[?1;2c",
            variables: ["TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0", "LC_TERMINAL": "iTerm2"],
            graphics: .blocks),
        Terminal(
            testDescription: "tmux with sixels",
            text: "^[P>|tmux 3.5a^[\\^[[4;480;800t^[[6;20;10t^[[?1;2;4c",
            variables: ["TERM": "screen-256color", "TMUX": "/tmp/tmux-0/default,1,0"], graphics: .sixel,
            cell: [10, 20]),
        Terminal(
            testDescription: "screen", text: "^[[?1;2c",
            variables: ["TERM": "screen", "STY": "12.pts-0.host"], graphics: .blocks),
        Terminal(
            testDescription: "the Linux console", text: "^[[?6c", variables: ["TERM": "linux"],
            graphics: .blocks),
        Terminal(testDescription: "silence", text: "", graphics: .blocks),
    ]

    private static func answers(_ bytes: [UInt8], pieces: Int = 1) -> TerminalAnswers {
        var (input, answers) = (TerminalInput(), TerminalAnswers())
        for start in stride(from: 0, to: bytes.count, by: max(1, bytes.count / pieces)) {
            let piece = bytes[start..<min(start + max(1, bytes.count / pieces), bytes.count)]
            for token in input.take(Array(piece)) { answers.take(token) }
        }
        return answers
    }

    @Test("selects how it shows pictures", arguments: terminals)
    func graphics(_ terminal: Terminal) {
        let answers = Self.answers(terminal.bytes)
        let environment = TerminalEnvironment { terminal.variables[$0] }
        let abilities = environment.abilities(answers)
        #expect(abilities.graphics == terminal.graphics && !abilities.isInTmux)
        #expect(answers.isComplete == !terminal.text.isEmpty)
        #expect(answers.cell.map { [$0.width, $0.height] } == terminal.cell)
    }

    @Test("may come in any pieces", arguments: terminals)
    func pieces(_ terminal: Terminal) {
        let whole = Self.answers(terminal.bytes)
        for pieces in [2, 3, 7, 1000] { #expect(Self.answers(terminal.bytes, pieces: pieces) == whole) }
    }

    @Test("may be among keys and garbage", arguments: terminals)
    func garbage(_ terminal: Terminal) {
        let whole = Self.answers(terminal.bytes)
        for noise in [
            "q\u{1B}[A", "\u{1B}[999;1\u{18}", "\u{FF}\u{80}", "\u{1B}]0;title\u{07}", "\u{1B}P\u{03}",
        ] {
            #expect(Self.answers(Array(noise.utf8) + terminal.bytes + Array(noise.utf8)) == whole)
        }
    }

    @Test("has colors, sizes and the limit of sixels")
    func details() {
        let answers = Self.answers(Self.terminals[1].bytes)
        #expect(answers.name == "XTerm(379)" && answers.background == [1, 1, 1])
        #expect(answers.sixelColors == 16 && answers.sixelLimit == PixelSize(width: 484, height: 316))
        #expect(TerminalEnvironment { _ in nil }.abilities(answers).sixelColors == 16)
        let gray = Self.answers(Self.terminals[3].bytes).background
        #expect(gray == [Double](repeating: 36.0 / 255, count: 3))
    }

    @Test(
        "is left out where it makes no sense",
        arguments: [
            "[6;0;0t", "[6;99999;99999t", "[6;20t", "[4;-1;-1t", "[?1;3;0S", "[?2;0;1S", "[?1;0;1S",
            "]11;rgb:zz/00/00\u{07}", "]11;rgb:00/00\u{07}", "]11;#000000\u{07}", "_Gi=31;ENOENT:no\u{1B}\\",
            "[?;;;;;S", "[?99999999999999999999999;0;4S", "_Gi=32;OK\u{1B}\\",
        ])
    func senseless(_ text: String) {
        #expect(Self.answers([0x1B] + Array(text.utf8)) == TerminalAnswers())
    }

    @Test("asks multiplexers nothing that they take for a title", arguments: ["TMUX", "STY"])
    func questions(_ name: String) {
        func questions(_ variables: [String: String]) -> String {
            String(decoding: TerminalAnswers.questions(TerminalEnvironment { variables[$0] }), as: UTF8.self)
        }
        #expect(questions(["TERM": "xterm"]).contains("_G") && !questions([name: "1"]).contains("_G"))
        #expect(questions([name: "1"]).hasSuffix("\u{1B}[c"))
    }

    @Test("takes any bytes")
    func anything() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<300 {
            let signs: [UInt8] = [0x1B, 0x5B, 0x50, 0x5D, 0x5F, 0x3B, 0x3F, 0x63, 0x74, 0x5C, 0x07, 0x31]
            let bytes = (0..<200).map { _ in
                Bool.random(using: &random)
                    ? signs.randomElement(using: &random)! : UInt8.random(in: 0...255, using: &random)
            }
            _ = Self.answers(bytes)
        }
        var input = TerminalInput()
        let endless = [0x1B, 0x50] + [UInt8](repeating: 0x41, count: 1 << 16)
        #expect(input.take(endless).count <= 1 << 16)
        #expect(ViewerKey(input.take([0x03]).last!) == .interrupt)
    }

    @Test(
        "of what was chosen goes through tmux to the terminal around it",
        arguments: [(GraphicsProtocol.kitty, true), (.iterm2, true), (.sixel, true), (.blocks, false)])
    func chosen(_ graphics: GraphicsProtocol, _ isWrapped: Bool) {
        let tmux = TerminalEnvironment { ["TERM": "tmux-256color", "TMUX": "1"][$0] }
        let abilities = tmux.abilities(Self.answers(Array("\u{1B}[?1;2c".utf8)), chosen: graphics)
        #expect(abilities.graphics == graphics && abilities.isInTmux == isWrapped)
        let own = tmux.abilities(Self.answers(Array("\u{1B}[?1;2;4c".utf8)), chosen: .sixel)
        #expect(!own.isInTmux)
    }

    @Test(
        "leaves half blocks 256 colors where it has no more",
        arguments: [
            (["TERM": "screen"], false), (["TERM": "screen", "COLORTERM": "truecolor"], false),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], false), (["TERM": "linux"], true),
            (["TERM": "screen-256color", "TMUX": "1"], true),
        ] as [([String: String], Bool)])
    func colors(_ variables: [String: String], _ hasTrueColor: Bool) {
        let environment = TerminalEnvironment { variables[$0] }
        #expect(environment.abilities(TerminalAnswers()).hasTrueColor == hasTrueColor)
    }
}

@Suite("Keys of a terminal")
struct KeyTests {
    @Test(
        "are known in the spellings of terminals",
        arguments: [
            ("[A", .up), ("OA", .up), ("[B", .down), ("[C", .right), ("OD", .left), ("[1;2C", .pageRight),
            ("[1;2A", .pageUp), ("[1;5D", .pageLeft), ("[b", .pageDown), ("[5~", .pageUp), ("[6~", .pageDown),
            ("[5;2~", .pageUp), ("[H", .top), ("[1~", .top), ("[F", .bottom), ("[4~", .bottom), ("OH", .top),
        ] as [(String, ViewerKey)])
    func sequences(_ text: String, _ key: ViewerKey) {
        var input = TerminalInput()
        #expect(input.take([0x1B] + Array(text.utf8)).map { ViewerKey($0) } == [key])
        #expect(!input.isPartial)
    }

    @Test(
        "are known as characters",
        arguments: [
            ("+", .zoomIn), ("=", .zoomIn), ("-", .zoomOut), ("0", .fit), ("1", .full), ("n", .next),
            ("]", .next),
            ("p", .previous), ("[", .previous), ("q", .quit), ("\u{03}", .interrupt), ("\u{1A}", .suspend),
            (" ", .pageDown),
        ] as [(String, ViewerKey)])
    func characters(_ text: String, _ key: ViewerKey) {
        var input = TerminalInput()
        #expect(input.take(Array(text.utf8)).map { ViewerKey($0) } == [key])
    }

    @Test("end with Esc only if nothing follows it")
    func escape() {
        var input = TerminalInput()
        #expect(input.take([0x1B]).isEmpty && input.isPartial)
        #expect(input.flush().map { ViewerKey($0) } == [.quit] && !input.isPartial)
        #expect(input.take([0x1B]).isEmpty)
        #expect(input.take(Array("[A".utf8)).map { ViewerKey($0) } == [.up])
        // A sequence that is cut off is no Esc.
        #expect(input.take([0x1B, 0x5B, 0x31]).isEmpty && input.flush().isEmpty)
    }

    @Test(
        "with Alt, and others, have no meaning",
        arguments: ["\u{1B}q", "\u{1B}[15~", "\u{1B}[I", "ä", "x", "\u{1B}[Z"])
    func others(_ text: String) {
        var input = TerminalInput()
        #expect(input.take(Array(text.utf8)).allSatisfy { ViewerKey($0) == nil })
    }
}
