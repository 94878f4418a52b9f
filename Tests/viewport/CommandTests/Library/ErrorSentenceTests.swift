import Foundation
import TestSupport
import Testing

/// What is said to a user who may not read or write what a command needs.
@Suite("A sentence of an error")
struct ErrorSentenceTests {
    private static let program = BuiltProgram("viewport")
    /// The test may run as root, who may read everything.
    private static let isRoot = geteuid() == 0

    /// The commands, where "CLOSED" is a folder without access, "FILE" a file, "LIBRARY" that of another user, and a part of
    /// what is said.
    static let commands: [(command: String, part: String)] = others + servers

    #if Server
    private static let servers: [(command: String, part: String)] = [
        ("serve CLOSED --port 0", "Permission denied"),
        ("serve CLOSED/a.jpg --port 0", "Permission denied"),
        ("serve MISSING --port 0", "there is no such image or folder"),
    ]
    #else
    private static let servers: [(command: String, part: String)] = []
    #endif

    private static let others: [(command: String, part: String)] = [
        ("library init FILE", "it is a file, not a folder"),
        ("library init CLOSED", "Permission denied"),
        ("library init CLOSED/new", "Permission denied"),
        ("library import FILE CLOSED", "Permission denied"),
        ("library import FILE OPEN", "it is a file, not a folder"),
        ("library import CLOSED OPEN", "Permission denied"),
        ("library show LIBRARY a.jpg", "Permission denied"),
        ("library list LIBRARY", "Permission denied"),
        ("library index LIBRARY", "Permission denied"),
        ("library verify LIBRARY", "Permission denied"),
        ("library import LIBRARY OPEN", "Permission denied"),
        ("library list CLOSED", "Permission denied"),
        ("library list OPEN", "there is no library"),
        ("info CLOSED/a.jpg", "Permission denied"),
        ("info CLOSED", "Permission denied"),
        ("render CLOSED/a.jpg -o OPEN/a.png", "Permission denied"),
        ("site CLOSED -o OPEN/site", "Permission denied"),
    ]

    @Test("states its path and its reason once", arguments: commands)
    func once(_ command: String, _ part: String) async throws {
        let folder = try TemporaryFolder()
        for name in ["closed", "open", "library/.viewport-library"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try Data("x".utf8).write(to: folder.url.appendingPathComponent("file"))
        try Data("x".utf8).write(
            to: folder.url.appendingPathComponent("library/.viewport-library/catalogue.sqlite"))
        func allow(_ mode: Int, _ name: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path(name))
        }
        try allow(0o755, ".")
        try allow(0o777, "open")
        for name in ["closed", "library/.viewport-library"] { try allow(0, name) }
        defer { for name in ["closed", "library/.viewport-library"] { try? allow(0o700, name) } }
        let names = [
            "FILE": "file", "CLOSED": "closed", "MISSING": "missing", "LIBRARY": "library", "OPEN": "open",
        ]
        let arguments = command.split(separator: " ").map { word -> String in
            let parts = word.split(separator: "/", maxSplits: 1)
            guard let name = names[String(parts[0])] else { return String(word) }
            return ([folder.path(name)] + parts.dropFirst().map(String.init)).joined(separator: "/")
        }
        let environment = [
            "HOME": folder.path("open"), "XDG_CACHE_HOME": folder.path("open"),
            "XDG_STATE_HOME": folder.path("open"), "XDG_DATA_HOME": folder.path("open"),
        ]
        let result: BuiltProgram.Result
        if Self.isRoot {
            let setpriv = try #require(BuiltProgram(installed: "setpriv"))
            result = try await setpriv.run(
                ["--reuid=65534", "--regid=65534", "--clear-groups", Self.program.url.path] + arguments,
                environment: environment)
        } else {
            result = try await Self.program.run(arguments, environment: environment)
        }
        let sentence = result.errors.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(result.code != 0 && sentence.contains(part), "\(sentence)\(result.text)")
        #expect(!sentence.contains("\n"), "\(sentence)")
        for clause in [
            folder.url.path, "Permission denied", "cannot be read", "check the path", "does not exist",
        ] {
            #expect(sentence.components(separatedBy: clause).count <= 2, "\(clause): \(sentence)")
        }
    }
}
