import Foundation
import Platform
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport show")
struct ShowCommandTests {
    /// The program at a terminal.
    private struct Shown {
        let terminal: PseudoTerminal
        let process: Process
        private let errorFile: URL
        /// Is there as long as the program.
        private let folder: TemporaryFolder

        /// - Parameter answers: what the terminal answers, the last of it DA1; nil where it is silent.
        init(
            _ arguments: [String], in folder: TemporaryFolder, answers: String? = Shown.sixels,
            standardInput: FileHandle? = nil, environment: [String: String] = [:],
            through program: BuiltProgram? = nil
        ) throws {
            self.folder = folder
            terminal = try PseudoTerminal()
            let viewport = BuiltProgram("viewport")
            let variables = ["TERM": "xterm", "TMUX": "", "STY": "", "TERM_PROGRAM": "", "LC_TERMINAL": ""]
            process = (program ?? viewport).process(
                arguments, environment: variables.merging(environment) { $1 })
            process.currentDirectoryURL = folder.url
            errorFile = folder.url.appendingPathComponent("errors-\(UUID().uuidString)")
            try Data().write(to: errorFile)
            process.standardError = try FileHandle(forWritingTo: errorFile)
            // They wait for the questions: the program waits a second only, in which the tests may not come to their turn.
            if let answers { terminal.type(answers) }
            try terminal.start(process, standardInput: standardInput)
        }

        static let sixels =
            "\u{1B}]11;rgb:ff/ff/ff\u{1B}\\\u{1B}[?1;0;256S\u{1B}[?2;0;1000;1000S\u{1B}[?62;4c"

        /// Waits for a text of the status line.
        func shows(_ text: String, after start: Int = 0) async {
            #expect(await terminal.shows(text, after: start, process), "\(text): \(errors)")
        }

        /// The code of the end, 128 and the number for a signal.
        func end() async -> Int32 {
            await process.end()
            let isExit = process.terminationReason == .exit
            return isExit ? process.terminationStatus : 128 + process.terminationStatus
        }

        /// The messages; none if they cannot be read.
        var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 1200, height: 900).save(folder.path("photo.jpg"), oriented: .up)
        try TestImages.photo(width: 90, height: 60, seed: 2).save(folder.path("small.png"), with: "pngsave")
        try Data("no image".utf8).write(to: folder.url.appendingPathComponent("broken.jpg"))
        return folder
    }

    @Test("moves and zooms with keys, and shows what is visible")
    func keys() async throws {
        let shown = try Shown(["show", "photo.jpg"], in: Self.folder())
        // 460 rows of 24 lines are left for 900.
        await shown.shows("photo.jpg  jpeg  1200x900  51 %  0,0,1200,900")
        await shown.shows("\u{1B}P0;1;0q\"1;1;800;460")
        #expect(shown.terminal.isRaw && shown.terminal.text.contains("\u{1B}[?1049h"))
        for (key, status) in [
            ("+", "72 %  47,131,1107,636"), ("-", "51 %  0,0,1200,900"), ("1", "100 %  201,220,800,460"),
            ("\u{1B}[C", "100 %  281,220,800,460"), ("\u{1B}[A", "100 %  281,174,800,460"),
            ("\u{1B}[1;2D", "100 %  0,174,800,460"), ("\u{1B}[6~", "100 %  0,440,800,460"),
            ("\u{1B}[B", nil), ("0", "51 %  0,0,1200,900"),
        ] {
            let start = shown.terminal.count
            shown.terminal.type(key)
            // A key that moves nothing draws nothing.
            if let status { await shown.shows(status + "\u{1B}[?7h\u{1B}[?2026l", after: start) }
        }
        shown.terminal.type("q")
        #expect(await shown.end() == 0)
        #expect(!shown.terminal.isRaw)
        await shown.shows("\u{1B}[?25h\u{1B}[?1049l")
        #expect(shown.errors.isEmpty)
    }

    @Test(
        "restores the terminal at every end",
        arguments: [
            ("q", 0, 0), ("\u{1B}", 0, 0), ("\u{03}", 0, 130), ("", SIGTERM, 143), ("", SIGHUP, 129),
            ("", SIGINT, 130), ("", SIGQUIT, 131),
        ])
    func ends(_ key: String, _ signal: Int32, _ code: Int32) async throws {
        let shown = try Shown(["show", "photo.jpg"], in: Self.folder())
        await shown.shows("51 %")
        #expect(shown.terminal.isRaw)
        shown.terminal.type(key)
        if signal != 0 { kill(shown.process.processIdentifier, signal) }
        #expect(await shown.end() == code)
        #expect(!shown.terminal.isRaw)
        await shown.shows("\u{1B}[?25h\u{1B}[?1049l")
        #expect(shown.errors.isEmpty)
    }

    @Test("takes keys together that come while a picture is made")
    func burst() async throws {
        let shown = try Shown(["show", "photo.jpg"], in: Self.folder())
        await shown.shows("51 %")
        shown.terminal.type("1" + String(repeating: "\u{1B}[D\u{1B}[C", count: 200) + "\u{1B}[D")
        await shown.shows("100 %  121,220,800,460\u{1B}[?7h\u{1B}[?2026l")
        shown.terminal.type("q")
        #expect(await shown.end() == 0)
        #expect(shown.terminal.text.ranges(of: "\u{1B}[?2026h").count < 100)
    }

    @Test("draws again in another size")
    func resized() async throws {
        let shown = try Shown(["show", "photo.jpg"], in: Self.folder())
        await shown.shows("51 %")
        shown.terminal.resize(columns: 40, rows: 12)
        kill(shown.process.processIdentifier, SIGWINCH)
        await shown.shows("\u{1B}P0;1;0q\"1;1;400;220")
        await shown.shows("\u{1B}[12;1H\u{1B}[0m\u{1B}[K\u{1B}[?7lphoto.jpg  jpeg  1200x900  24 %")
        shown.terminal.type("q")
        #expect(await shown.end() == 0)
    }

    @Test("shows the next image and the previous one, and at the end what was wrong with others")
    func several() async throws {
        let shown = try Shown(["show", "photo.jpg", "broken.jpg", "small.png"], in: Self.folder())
        await shown.shows("1/3  photo.jpg")
        shown.terminal.type("n")
        await shown.shows("2/3  broken.jpg: ")
        shown.terminal.type("]")
        await shown.shows("3/3  small.png  png  90x60  100 %  0,0,90,60")
        let start = shown.terminal.count
        shown.terminal.type("n[p[")
        await shown.shows("1/3  photo.jpg", after: start)
        shown.terminal.type("q")
        #expect(await shown.end() == 3)
        let errors = shown.errors.split(separator: "\n")
        #expect(errors.count == 1 && errors[0].hasPrefix("viewport: broken.jpg: "))
    }

    @Test(
        "draws as the terminal answers",
        arguments: [
            ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62c", "\u{1B}_Ga=T,f=100,"), ("\u{1B}[?62;4c", "\u{1B}P0;1;0q"),
            ("\u{1B}P>|iTerm2 3.4\u{1B}\\\u{1B}[?62;4c", "\u{1B}]1337;File=inline=1;"), ("\u{1B}[?6c", "m▀"),
        ])
    func protocols(_ answers: String, _ start: String) async throws {
        let shown = try Shown(["small.png"], in: Self.folder(), answers: answers)
        await shown.shows(start)
        shown.terminal.type("q")
        #expect(await shown.end() == 0)
    }

    @Test("prints pictures without keys, and with a line below each", arguments: [true, false])
    func once(_ hasKeyboard: Bool) async throws {
        let folder = try Self.folder()
        let null = hasKeyboard ? nil : FileHandle.nullDevice
        let shown = try Shown(
            ["show", "small.png", "photo.jpg", "--protocol", "blocks"] + (hasKeyboard ? ["--once"] : []),
            in: folder, answers: nil, standardInput: null)
        #expect(await shown.end() == 0)
        await shown.shows("photo.jpg  jpeg  1200x900\r\n")
        let lines = shown.terminal.text.split(separator: "\r\n")
        // 60 rows of 90 are shown in 44 rows of 80, and 900 of 1200 in 44 of 59.
        #expect(lines.filter { $0.contains("▀") }.count == 44)
        #expect(lines.first?.count { $0 == "▀" } == 66)
        #expect(lines[22] == "small.png  png  90x60")
        #expect(!shown.terminal.text.contains("\u{1B}[?1049h") && !shown.terminal.isRaw)
    }

    @Test("asks a silent terminal for a while only")
    func silence() async throws {
        let shown = try Shown(["show", "--once", "small.png"], in: Self.folder(), answers: nil)
        #expect(await shown.end() == 0)
        await shown.shows("▀")
        #expect(!shown.terminal.isRaw)
    }

    @Test("writes no control characters of names")
    func names() async throws {
        let folder = try Self.folder()
        let name = "a\u{1B}[31m\u{07}.png"
        try TestImages.photo(width: 9, height: 6).save(folder.path(name), with: "pngsave")
        for arguments in [["show", name, "--once"], ["show", name]] {
            let shown = try Shown(arguments, in: folder)
            await shown.shows(#"a\u{1B}[31m\u{07}.png  png  9x6"#)
            shown.terminal.type("q")
            #expect(await shown.end() == 0)
            #expect(!shown.terminal.text.contains(name))
        }
    }

    @Test("takes keys from the controlling terminal where standard input is the image")
    func pipe() async throws {
        guard let setsid = BuiltProgram(installed: "setsid") else {
            try Test.cancel("setsid is not installed")
        }
        let line = "cat photo.jpg | '\(BuiltProgram("viewport").url.path)' show -"
        let shown = try Shown(["-c", "sh", "-c", line], in: Self.folder(), through: setsid)
        await shown.shows("standard input  jpeg  1200x900  51 %")
        shown.terminal.type("q")
        #expect(await shown.end() == 0)
        #expect(!shown.terminal.isRaw)
    }

    @Test(
        "needs a terminal, and names other commands without one",
        arguments: [
            (["show", "photo.jpg"], ["viewport render photo.jpg -o", "--protocol"]),
            (["photo.jpg"], ["viewport show photo.jpg", "viewport render photo.jpg"]),
            (["."], ["viewport serve . --open", "viewport show ./*.jpg"]),
            (["phot.jpg"], ["not a command"]), (["inof"], ["did you mean `viewport info`?"]),
        ])
    func noTerminal(_ arguments: [String], _ words: [String]) async throws {
        let folder = try Self.folder()
        let result = try await BuiltProgram("viewport").run(arguments, in: folder.url)
        withExtendedLifetime(folder) {}
        #expect(result.code == 64 && result.output.isEmpty)
        for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(
        "writes the bytes of a protocol anywhere",
        arguments: [
            ("kitty", "\u{1B}_Ga=T,f=100,q=2"), ("iterm2", "\u{1B}]1337;File="),
            ("sixel", "\u{1B}P0;1;0q\"1;1;90;60"),
            ("blocks", "\u{1B}[38;2;"),
        ])
    func bytes(_ name: String, _ start: String) async throws {
        let folder = try Self.folder()
        let result = try await BuiltProgram("viewport").run(
            ["show", "small.png", "--protocol", name], in: folder.url)
        withExtendedLifetime(folder) {}
        #expect(result.code == 0 && result.errors.isEmpty)
        #expect(result.text.hasPrefix(start) && result.text.hasSuffix("\n"))
    }

    #if Library
    @Test("names the place where the towns are installed, else its coordinates")
    func places() async throws {
        let folder = try Self.folder()
        let path = folder.path("paris.jpg")
        try TestImages.photo(width: 90, height: 60).save(path, with: "jpegsave")
        let located = TinyPhoto.located(
            Array(try folder.data("paris.jpg")), north: [48, 51, 30], east: [2, 17, 24])
        try Data(located).write(to: URL(fileURLWithPath: path))
        let towns = "lat,lon,name,admin1,admin2,cc\n48.85341,2.3488,Paris,Ile-de-France,Paris,FR\n"
        try Data(towns.utf8).write(to: folder.url.appendingPathComponent("towns.csv"))
        let environment = ["XDG_DATA_HOME": folder.path("data")]
        for (place, isNamed) in [("48.85833, 2.29", false), ("Paris, Ile-de-France, FR (GeoNames)", true)] {
            if isNamed {
                let result = try await BuiltProgram("viewport").run(
                    ["library", "places", "install", "towns.csv"], in: folder.url, environment: environment)
                #expect(result.code == 0, "\(result.errors)")
            }
            let shown = try Shown(
                ["show", "--once", "paris.jpg"], in: folder, environment: environment)
            await shown.shows("paris.jpg  jpeg  90x60  \(place)\r\n")
            #expect(await shown.end() == 0)
        }
    }
    #endif
}
