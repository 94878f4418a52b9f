import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import viewport

/// `Tests/completions.sh` completes lines in shells.
@Suite("Completions")
struct CompletionTests {
    /// An argument that takes a value, of a command such as "library list".
    struct Taking: Sendable, CustomTestStringConvertible {
        var command: String
        var name: String
        var completion: String?

        var testDescription: String { "\(command) \(name)" }
    }

    private static func taking(_ command: [String: Any], below path: [String] = []) -> [Taking] {
        let arguments = command["arguments"] as? [[String: Any]] ?? []
        let own = arguments.filter { $0["kind"] as? String != "flag" }.map { argument in
            let name = argument["preferredName"] as? [String: Any]
            return Taking(
                command: path.joined(separator: " "),
                name: (name?["name"] ?? argument["valueName"]) as? String ?? "",
                completion: (argument["completionKind"] as? [String: Any])?.keys.first)
        }
        let children = command["subcommands"] as? [[String: Any]] ?? []
        return own
            + children.filter { $0["commandName"] as? String != "help" }.flatMap { child in
                taking(child, below: path + [child["commandName"] as? String ?? ""])
            }
    }

    /// Names of numbers, sizes, words and the like, which no shell can complete.
    private static let free: Set<String> = [
        "add-keyword", "asset", "assets", "assume-zone", "attribution", "base-url", "caption", "class",
        "clock-offset",
        "columns", "count", "cover",
        "crop-size",
        "date",
        "depth", "distance", "duration", "ending", "exit-when-idle", "fill", "fov", "fps", "from", "group",
        "hold", "host",
        "id",
        "iiif", "jobs", "keep-all",
        "keywords", "label", "language", "layout", "limit", "link", "location", "look", "map-attribution",
        "map-tiles", "max-area",
        "max-entry",
        "max-errors",
        "max-gap",
        "max-pixels", "memory", "min-detail", "name-rule", "near", "new-name", "number", "older-than",
        "overlap", "page", "per-class",
        "place",
        "port",
        "quality",
        "rating", "rect", "remote", "remote-memory", "remote-timeout", "remove-keyword", "rights",
        "samples-per-archive", "scale",
        "seed",
        "shard",
        "shift",
        "size", "text", "tile-size", "title", "to", "token", "trusted-proxy", "url", "value", "via", "where",
        "words",
        "zoom", "min-zoom", "max-zoom", "center", "offset", "rotate", "max-sharpening",
    ]

    @Test("exist for every argument that is no number and no free text")
    func complete() throws {
        let dump =
            try JSONSerialization.jsonObject(with: Data(ViewportCommand._dumpHelp().utf8)) as? [String: Any]
        let all = Self.taking(try #require(dump?["command"] as? [String: Any]))
        let without = Set(
            all.filter { $0.completion == nil && !Self.free.contains($0.name) }.map(\.testDescription))
        #expect(all.count > 200 && without.isEmpty, "\(without.sorted())")
    }

    #if Library
    @Test(
        "of albums are those of the library on the line",
        arguments: [
            ("library", [], ["Picks", "Hikes", "it's: $(x)"], "fish"),
            ("'library'", [], ["Picks", "Hikes", "it's\\: $(x)", " "], "zsh"),
            ("\"library\"", [], ["'Picks'", "'Hikes'", "'it'\\''s: $(x)'"], "bash"),
            ("l\\ibrary", ["--sort", "asc", "-q"], ["Picks", "Hikes", "it's: $(x)"], "fish"),
            (
                "nowhere", ["--catalog", "library/.viewport-library/catalogue.sqlite"],
                ["Picks", "Hikes", "it's: $(x)"], "fish"
            ),
            ("nowhere", [], [], "fish"), ("--album", [], [], "fish"),
        ] as [(String, [String], [String], String)])
    func albums(_ library: String, _ options: [String], _ expected: [String], _ shell: String) async throws {
        let program = try LibraryProgram()
        try await program.run("init")
        for name in ["Hikes", "it's: $(x)", "two\nlines"] {
            try await program.run(all: ["library", "albums", "create", program.root, name])
        }
        let hidden = program.folder.path("library/.viewport-library")
        let before = try FileManager.default.contentsOfDirectory(atPath: hidden).sorted()
        let line = ["viewport", "library", "list", library] + options + ["--album", ""]
        let result = try await BuiltProgram("viewport").run(
            ["---completion", "library", "list", "--", "--album", "\(line.count - 1)", "0"] + line,
            in: program.folder.url, environment: ["SAP_SHELL": shell])
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        let words = result.text.split(separator: "\n").map { String($0) }
        #expect(words == expected)
        // Reading leaves no files beside the catalog.
        #expect(try FileManager.default.contentsOfDirectory(atPath: hidden).sorted() == before)
    }
    #endif
}
