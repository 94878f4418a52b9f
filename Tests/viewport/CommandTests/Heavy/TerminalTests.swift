import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("A terminal as standard output")
struct TerminalTests {
    /// Runs the program at a terminal; returns its code, what is on the screen, and its messages.
    private static func run(
        _ arguments: [String], in folder: TemporaryFolder
    ) async throws -> (code: Int32, screen: String, errors: String) {
        let terminal = try PseudoTerminal()
        let process = BuiltProgram("viewport").process(arguments)
        process.currentDirectoryURL = folder.url
        let errors = folder.url.appendingPathComponent("errors")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try terminal.start(
            process, standardInput: FileHandle(forReadingFrom: folder.url.appendingPathComponent("photo.jpg"))
        )
        await process.end()
        return (
            process.terminationStatus, String(decoding: await terminal.rest(), as: UTF8.self),
            try String(contentsOf: errors, encoding: .utf8)
        )
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .up)
        try Data(#"{"views":{}}"#.utf8).write(
            to: folder.url.appendingPathComponent("page.json"))
        let film = FilmMaker.film(brand: "mp42")
        let packet = XMPMaker.packet([("GCamera:MicroVideoOffset", "\(film.count)")])
        try Data(PhotoMaker.jpeg(xmp: packet) + film).write(
            to: folder.url.appendingPathComponent("motion.jpg"))
        return folder
    }

    static let pictures: [[String]] = [
        ["render", "photo.jpg", "-o", "-"], ["render", "-"], ["render", "/dev/stdin", "-o", "-"],
        ["render", "photo.jpg", "--iiif", "full/max/0/default.jpg", "-o", "-"],
        ["thumbnail", "photo.jpg", "-o", "-"], ["thumbnail", "-"],
        ["compose", "page.json", "--size", "40x30", "-o", "-"],
        ["fly", "photo.jpg", "--ken-burns", "-s", "32x24", "--fps", "1", "-o", "-"],
        ["extract-video", "motion.jpg", "-o", "-"],
    ]

    @Test("gets no pictures", arguments: pictures)
    func refused(_ arguments: [String]) async throws {
        let (code, screen, errors) = try await Self.run(arguments, in: try Self.folder())
        #expect(code == 64 && screen.isEmpty, "\(code) \(errors)")
        #expect(errors.contains("terminal") && errors.contains("-o"), "\(errors)")
        #expect(errors.split(separator: "\n").count == 1, "\(errors)")
    }

    #if Library
    @Test("gets no contact sheets")
    func sheet() async throws {
        let folder = try Self.folder()
        for (arguments, expected) in [
            (["library", "init", "."], 0), (["library", "sheet", ".", "-o", "-"], 64),
        ] as [([String], Int32)] {
            let (code, _, errors) = try await Self.run(
                arguments + ["--catalog", folder.path("catalog")], in: folder)
            #expect(code == expected, "\(errors)")
        }
    }
    #endif

    @Test(
        "gets texts, line by line",
        arguments: [["info", "photo.jpg"], ["help"], ["--version"], ["settings"]])
    func texts(_ arguments: [String]) async throws {
        let (code, screen, errors) = try await Self.run(arguments, in: try Self.folder())
        #expect(code == 0 && screen.hasSuffix("\r\n"), "\(errors)")
    }

    /// Commands that wait for their input, and what they show of their progress.
    static let waiting: [(arguments: [String], line: String)] = [
        (["info", "/dev/stdin"], "info"), (["replay", "/dev/stdin"], "replay"),
        (["render", "/dev/stdin", "-o", "view.png"], "render"),
    ]

    @Test(
        "as standard error shows that a command works, and removes the line", .ownThread, arguments: waiting)
    func progress(_ arguments: [String], _ line: String) async throws {
        let folder = try Self.folder()
        let terminal = try PseudoTerminal()
        let process = BuiltProgram("viewport").process(arguments)
        let input = Pipe()
        process.currentDirectoryURL = folder.url
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        try terminal.startWithErrors(process)
        try input.fileHandleForReading.close()
        // The command waits until the line was seen.
        #expect(await terminal.shows(line, process), "\(terminal.text)")
        try input.fileHandleForWriting.write(contentsOf: folder.data("photo.jpg"))
        try input.fileHandleForWriting.close()
        await process.end()
        let rest = String(decoding: await terminal.rest(), as: UTF8.self)
        let last = rest.components(separatedBy: "\r").last { $0.contains("\u{1B}[K") }
        #expect(last?.hasPrefix("\u{1B}[K") == true, "\(rest.debugDescription)")
    }

    @Test("as standard error shows nothing with --quiet", .ownThread)
    func quiet() async throws {
        let folder = try Self.folder()
        let terminal = try PseudoTerminal()
        let process = BuiltProgram("viewport").process(["info", "photo.jpg", "--quiet"])
        process.currentDirectoryURL = folder.url
        process.standardOutput = FileHandle.nullDevice
        try terminal.startWithErrors(process)
        await process.end()
        #expect(await terminal.rest().isEmpty)
    }
}
