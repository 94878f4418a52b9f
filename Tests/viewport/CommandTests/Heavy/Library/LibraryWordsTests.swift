#if Library
import Foundation
import PhotoCatalog
import TestSupport
import Testing

@testable import viewport

@Suite("The words of libraries on the command line")
struct LibraryWordsTests {
    private static let program = BuiltProgram("viewport")

    /// The words of the table, with the options that take them.
    static let words: [(option: String, word: String)] =
        AssetRequest.Parameter.allCases.flatMap { parameter in
            parameter.words.flatMap { [$0.word] + $0.others }.map { ("--\(parameter.rawValue)", $0) }
        } + QueryRule.all.map { ("--where", $0.example) }

    @Test("are those of pages and of Swift, in upper case, too")
    func accepted() throws {
        for (option, word) in Self.words {
            for value in [word, option == "--where" ? word : word.uppercased()] {
                #expect(throws: Never.self, "\(option) \(value)") {
                    try ViewportCommand.parse(["library", "list", "photos", option, value])
                }
            }
        }
        for option in AssetRequest.Parameter.allCases {
            #expect(throws: (any Error).self) {
                try ViewportCommand.parse(["library", "list", "photos", "--\(option.rawValue)"])
            }
        }
    }

    @Test("are listed by viewport help query, as text and as JSON")
    func help() async throws {
        for arguments in [["help", "query"], ["query"]] {
            let result = try await Self.program.run(arguments)
            #expect(result.code == 0 && result.errors.isEmpty)
            for (option, word) in Self.words {
                #expect(result.text.contains(option) && result.text.contains(word), "\(option) \(word)")
            }
            #expect(result.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
        let result = try await Self.program.run(["help", "query", "--json"])
        #expect(result.code == 0 && result.errors.isEmpty)
        let lines = try result.text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(
            lines.compactMap { $0["name"] as? String } == AssetRequest.Parameter.allCases.map(\.rawValue))
        #expect(lines.compactMap { $0["condition"] as? String } == QueryRule.all.map(\.name))
    }

    @Test(
        "that are wrong are named with the nearest one, or with the help that lists them",
        arguments: [
            ("--where", "foldr:x", "did you mean folder:"), ("--where", "xyz:1", "`viewport help query`"),
            ("--where", "is:pickd", "did you mean is:picked?"), ("--group-by", "mnth", "did you mean month?"),
            ("--sort", "descc", "did you mean desc?"), ("--filter", "jepg", "did you mean jpeg?"),
            ("--group", "month", "did you mean --group-by month?"),
        ])
    func wrong(_ option: String, _ value: String, _ words: String) async throws {
        let result = try await Self.program.run(["library", "list", "photos", option, value])
        #expect(result.code == 64 && result.errors.contains(words), "\(result.errors)")
    }

    @Test("find an asset by its file name, the end of its path, or its path from the current folder")
    func names() async throws {
        let library = try LibraryProgram()
        for (index, path) in ["may/a.jpg", "june/a.jpg", "june/b.jpg", "c.jpg", "june/c.jpg"].enumerated() {
            try library.write(
                "library/\(path)", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(index)))
        }
        try await library.run("init")
        try await library.run("index")
        for (name, path) in [
            ("b.jpg", "june/b.jpg"), ("B.JPG", "june/b.jpg"), ("may/a.jpg", "may/a.jpg"), ("c.jpg", "c.jpg"),
            (library.root + "/june/c.jpg", "june/c.jpg"),
        ] {
            let shown = try await library.run("show", name, "--json")
            #expect(shown.lines.first?["path"] as? String == path, "\(name): \(shown.errors)")
        }
        let rated = try await library.run("edit", "b.jpg", "--rating", "4")
        #expect(rated.code == 0 && rated.text == "1 of 1 assets edited\n", "\(rated.errors)")
        for command in [["show", "a.jpg"], ["edit", "a.jpg", "--rating", "4"]] {
            let several = try await library.run(
                all: ["library", command[0], library.root] + command.dropFirst())
            #expect(several.code == 64)
            #expect(
                several.errors.hasPrefix(
                    "viewport: 2 assets are called a.jpg: june/a.jpg, may/a.jpg; name one by its path"))
        }
        // A path of the end only: "a.jpg" is no end of "ba.jpg".
        #expect(try await library.run("show", ".jpg").code == 64)
    }

    @Test("that find nothing are named, with the conditions that they may mean")
    func nothing() async throws {
        let library = try LibraryProgram()
        try library.write("library/a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: 1))
        try await library.run("init")
        try await library.run("index")
        try await library.run("edit", "a.jpg", "--rating", "4")
        let sentence = "did you mean 'stars:4 month:may'?\n"
        for options in [[], ["--json"]] {
            let nothing = try await library.run(
                all: ["library", "find", library.root, "4 stars may"] + options)
            #expect(nothing.code == 0 && nothing.text.isEmpty && nothing.errors.hasSuffix(sentence))
        }
        #expect(try await library.run("list", "--where", "4 stars may").errors.hasSuffix(sentence))
        let found = try await library.run("find", "stars:4", "month:may", "--json")
        #expect(found.lines.map { $0["path"] as? String } == ["a.jpg"], "\(found.errors)")
        #expect(try await library.run("find", "strs:4").code == 64)
    }

    @Test("select a group by the name that groups prints")
    func group() async throws {
        let library = try LibraryProgram()
        try library.write("library/a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: 1))
        try library.write("library/trip/b.jpg", TinyPhoto.jpeg(date: "2014:05:26 10:00:00", salt: 2))
        try await library.run("init")
        try await library.run("index")
        let groups = try await library.run("groups", "--json").text.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let trip = try #require(groups.first { $0?["name"] as? String == "trip" }??["group"] as? String)
        let listed = try await library.run("list", "--group", trip, "--json")
        #expect(listed.json["path"] as? String == "trip/b.jpg" && !listed.text.contains("\"a.jpg\""))
        #expect(try await library.run("list", "--group", "album-99").code == 66)
        #expect(try await library.run("list", "--group", trip, "--album", "Picks").code == 64)
    }
}
#endif
