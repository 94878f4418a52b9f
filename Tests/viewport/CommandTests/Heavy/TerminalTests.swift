import Foundation
import Platform
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("A terminal as standard output")
struct TerminalTests {
    /// A pseudo-terminal: what is written to `program` can be read from `screen`.
    private struct Terminal {
        let screen: FileHandle
        let program: FileHandle

        init() throws {
            var (first, second) = (Int32(-1), Int32(-1))
            // Both numbers are written before the call returns.
            guard unsafe openpty(&first, &second, nil, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
            for descriptor in [first, second] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            screen = FileHandle(fileDescriptor: first, closeOnDealloc: true)
            program = FileHandle(fileDescriptor: second, closeOnDealloc: true)
        }

        /// What is on the screen, once no process has the terminal any more; reading fails at its end.
        var text: String { text { _ in false } }

        /// What is on the screen, until it has something.
        func text(until isEnough: (String) -> Bool) -> String {
            var text: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                // The call writes at most `count` bytes.
                let count = unsafe read(screen.fileDescriptor, &bytes, bytes.count)
                guard count > 0 else { return String(decoding: text, as: UTF8.self) }
                text += bytes.prefix(count)
                let shown = String(decoding: text, as: UTF8.self)
                if isEnough(shown) { return shown }
            }
        }
    }

    /// Runs the program at a terminal; returns its code, what is on the screen, and its messages.
    private static func run(
        _ arguments: [String], in folder: TemporaryFolder
    ) async throws -> (code: Int32, screen: String, errors: String) {
        let terminal = try Terminal()
        let process = BuiltProgram("viewport").process(arguments)
        process.currentDirectoryURL = folder.url
        process.standardInput = try FileHandle(forReadingFrom: folder.url.appendingPathComponent("photo.jpg"))
        process.standardOutput = terminal.program
        let errors = folder.url.appendingPathComponent("errors")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.start()
        try terminal.program.close()
        // The terminal keeps what is written: less than its buffer holds.
        await process.end()
        return (
            process.terminationStatus, terminal.text,
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
        let terminal = try Terminal()
        let process = BuiltProgram("viewport").process(arguments)
        let input = Pipe()
        process.currentDirectoryURL = folder.url
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.program
        try process.start()
        try terminal.program.close()
        try input.fileHandleForReading.close()
        // The command waits until the line was seen.
        let shown = terminal.text { $0.contains(line) }
        #expect(shown.contains(line), "\(shown)")
        try input.fileHandleForWriting.write(contentsOf: folder.data("photo.jpg"))
        try input.fileHandleForWriting.close()
        await process.end()
        let rest = shown + terminal.text { _ in false }
        let last = rest.components(separatedBy: "\r").last { $0.contains("\u{1B}[K") }
        #expect(last?.hasPrefix("\u{1B}[K") == true, "\(rest.debugDescription)")
    }

    @Test("as standard error shows nothing with --quiet", .ownThread)
    func quiet() async throws {
        let folder = try Self.folder()
        let terminal = try Terminal()
        let process = BuiltProgram("viewport").process(["info", "photo.jpg", "--quiet"])
        process.currentDirectoryURL = folder.url
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.program
        try process.start()
        try terminal.program.close()
        await process.end()
        #expect(terminal.text { _ in false }.isEmpty)
    }
}
