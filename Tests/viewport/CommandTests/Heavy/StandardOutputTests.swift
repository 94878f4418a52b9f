import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("Standard output that cannot be written")
struct StandardOutputTests {
    private static let viewport = BuiltProgram("viewport")

    /// What is wrong with standard output.
    enum Fault: String, CaseIterable {
        case full
        case closed
        /// A pipe whose reader has ended.
        case unread

        /// The redirection of a shell.
        fileprivate var script: String {
            switch self {
            case .full: "exec \"$@\" >/dev/full"
            case .closed: "exec \"$@\" >&-"
            case .unread:
                "pipe=$(mktemp -u); mkfifo \"$pipe\"; exec 3<>\"$pipe\" 4>\"$pipe\" 3<&-; rm \"$pipe\"; "
                    + "exec \"$@\" >&4 4>&-"
            }
        }
    }

    /// Runs a command whose results cannot be written.
    private static func run(
        _ arguments: [String], _ fault: Fault, in folder: TemporaryFolder,
        environment: [String: String] = [:],
        input: String? = nil
    ) async throws -> BuiltProgram.Result {
        let bash = try #require(BuiltProgram(installed: "bash"))
        return try await bash.run(
            ["-c", fault.script, "bash", viewport.url.path] + arguments, in: folder.url,
            input: input.map { Data($0.utf8) }, environment: environment)
    }

    /// Checks that a command says that its results are incomplete, or ends quietly if nobody reads them.
    private static func check(_ result: BuiltProgram.Result, _ fault: Fault, _ arguments: [String]) {
        let text = arguments.joined(separator: " ")
        #expect(result.code == (fault == .unread ? 141 : 73), "\(text): \(result.code) \(result.errors)")
        let sentences = result.errors.split(separator: "\n").filter { $0.contains("standard output") }
        #expect(sentences.count == (fault == .unread ? 0 : 1), "\(text): \(result.errors)")
        #expect(sentences.allSatisfy { $0.contains("incomplete") }, "\(text): \(result.errors)")
    }

    @Test("is an error of every command that prints a result", .heavy, arguments: Fault.allCases)
    func commands(_ fault: Fault) async throws {
        let (intact, environment) = try await SchemaTests.folder()
        let (folder, other) = try await SchemaTests.folder()
        var count = 0
        for (arguments, _) in SchemaTests.commands {
            for arguments in [arguments, arguments + ["--json"]]
            where arguments.contains("--json") || arguments[0] == "library" {
                let expected = try await Self.viewport.run(
                    arguments, in: intact.url, environment: environment)
                let result = try await Self.run(arguments, fault, in: folder, environment: other)
                if expected.output.isEmpty {
                    #expect(result.code == expected.code, "\(arguments): \(result.errors)")
                } else {
                    count += 1
                    Self.check(result, fault, arguments)
                }
            }
        }
        #expect(count > 40)
    }

    /// Commands without JSON, and what the argument parser prints.
    static let texts: [[String]] = [
        [], ["help"], ["--help"], ["--version"], ["help", "formats"], ["exit-codes"],
        ["help", "library", "list"],
        ["render", "--help"], ["library", "help"], ["--generate-completion-script", "bash"],
        ["--generate-completion-script=fish"], ["--experimental-dump-help"], ["info", "photo.jpg"],
        ["info", "photo.jpg", "photo.jpg", "--json"], ["settings"], ["doctor"], ["cache"],
        ["cache", "clear"],
        ["render", "photo.jpg"], ["render", "photo.jpg", "-o", "out/"], ["render", "photo.jpg", "-o", "-"],
        ["render", "photo.jpg", "--iiif", "full/max/0/default.jpg", "-o", "-"],
        ["render", "photo.jpg", "-o", "view.png", "--json"], ["thumbnail", "photo.jpg"],
        ["thumbnail", "photo.jpg", "-o", "-"], ["thumbnail", "photo.jpg", "photo.jpg", "--json"],
        ["thumbnail", "--manifest", "list", "-o", "small/{stem}.jpg"], ["thumbnail", "merge", "results"],
        ["fly", "photo.jpg", "--ken-burns", "-s", "32x24", "--fps", "1", "-o", "-"],
        ["fly", "photo.jpg", "--ken-burns", "-s", "32x24", "--fps", "1", "--print-frames"],
        ["replay", "script"], ["replay", "-"], ["compose", "page.json", "--size", "40x30", "-o", "-"],
        ["compose", "page.json", "--size", "40x30", "--json", "-o", "page.png"],
        ["extract-video", "motion.jpg", "-o", "-"],
    ]

    private static func folder() async throws -> (TemporaryFolder, environment: [String: String]) {
        let (folder, environment) = try await SchemaTests.folder()
        for (name, text) in [
            ("list", "{\"path\":\"photo.jpg\"}\n"), ("script", script),
            ("page.json", #"{"views":{}}"#),
        ] {
            try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
        }
        let made = try await viewport.run(
            ["thumbnail", "--manifest", "list", "-o", "small/{stem}.jpg", "--results", "results"],
            in: folder.url,
            environment: environment)
        #expect(made.code == 0, "\(made.errors)")
        return (folder, environment)
    }

    private static let script = #"{"setup":{"bounds":[80,60],"viewSize":[100,100]}}"# + "\n"

    @Test("is an error of help, of texts and of pictures, too", arguments: Fault.allCases)
    func texts(_ fault: Fault) async throws {
        let (folder, environment) = try await Self.folder()
        for arguments in Self.texts {
            let expected = try await Self.viewport.run(
                arguments, in: folder.url, input: Data(Self.script.utf8), environment: environment)
            #expect(!expected.output.isEmpty, "\(arguments): \(expected.errors)")
            let result = try await Self.run(
                arguments, fault, in: folder, environment: environment, input: Self.script)
            Self.check(result, fault, arguments)
        }
    }

    @Test("is no error of a command that has no results", arguments: Fault.allCases)
    func nothing(_ fault: Fault) async throws {
        let (folder, environment) = try await SchemaTests.folder()
        let result = try await Self.run(
            ["render", "photo.jpg", "-o", "view.png"], fault, in: folder, environment: environment)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        let missing = try await Self.run(["info", "nosuch.jpg"], fault, in: folder, environment: environment)
        #expect(missing.code == 66, "\(missing.errors)")
    }

    @Test("never puts results into a file that was opened in its place")
    func occupied() async throws {
        let (folder, environment) = try await SchemaTests.folder()
        let photo = try folder.data("photo.jpg")
        let bash = try #require(BuiltProgram(installed: "bash"))
        for streams in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
            let result = try await bash.run(
                [
                    "-c", "exec \"$@\" \(streams)", "bash", Self.viewport.url.path, "library", "index",
                    "--json", "library",
                ],
                in: folder.url, environment: environment)
            #expect(result.code == (streams.contains(" >") || streams.hasPrefix(">") ? 73 : 0), "\(streams)")
        }
        #expect(try folder.data("photo.jpg") == photo)
        let verified = try await Self.viewport.run(
            ["library", "verify", "library"], in: folder.url, environment: environment)
        #expect(verified.code == 0, "\(verified.errors)")
    }

    @Test("stops a batch, which leaves nothing half-written", arguments: Fault.allCases)
    func batch(_ fault: Fault) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .up)
        let lines = (0..<200).map { "{\"path\":\"photo.jpg\",\"id\":\"\($0)\"}" }
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.url.appendingPathComponent("list"))
        try FileManager.default.createDirectory(atPath: folder.path("out"), withIntermediateDirectories: true)
        for (command, output) in [("thumbnail", "out/{id}.jpg"), ("render", "out/{id}.png")] {
            let arguments = [command, "--manifest", "list", "-o", output]
            Self.check(try await Self.run(arguments, fault, in: folder), fault, arguments)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
        // Those that were in progress are finished.
        #expect(!names.isEmpty && names.count < 200)
        for name in names {
            #expect(!name.hasPrefix("."), "\(name)")
            let info = try await Self.viewport.run(["info", "out/\(name)"], in: folder.url)
            #expect(info.code == 0, "\(info.errors)")
        }
    }

    @Test("ends a batch and a long list quietly after the lines that somebody wanted")
    func head() async throws {
        let (folder, environment) = try await SchemaTests.folder()
        let bash = try #require(BuiltProgram(installed: "bash"))
        // More lines than a pipe holds, so that the program writes some after `head` has ended.
        try Data((0..<3000).map { "{\"path\":\"photo.jpg\",\"id\":\($0)}\n" }.joined().utf8).write(
            to: folder.url.appendingPathComponent("list"))
        for arguments in [
            ["thumbnail", "--manifest", "list", "-o", "{id}.jpg"],
            ["info", "--json"] + [String](repeating: "photo.jpg", count: 2000),
        ] {
            let result = try await bash.run(
                ["-c", "\"$@\" | head -n 1; exit ${PIPESTATUS[0]}", "bash", Self.viewport.url.path]
                    + arguments,
                in: folder.url, environment: environment)
            #expect(
                result.code == 141 && result.lines.count == 1 && result.errors.isEmpty, "\(result.errors)")
        }
    }

    #if Server
    @Test("stops a server, whose address nobody could learn", arguments: Fault.allCases)
    func server(_ fault: Fault) async throws {
        let (folder, environment) = try await SchemaTests.folder()
        for arguments in [
            ["serve", "photo.jpg", "--port", "0"], ["serve", "photo.jpg", "--port", "0", "--json"],
        ] {
            let result = try await Self.run(arguments, fault, in: folder, environment: environment)
            Self.check(result, fault, arguments)
        }
    }
    #endif
}
