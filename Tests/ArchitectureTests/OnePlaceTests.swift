import Foundation
import Testing

/// Checks that what the whole package shares is asked of the system in one place.
@Suite("One place")
struct OnePlaceTests {
    /// Returns the lines of code below Sources, without comments, that match a pattern.
    private static func places(_ pattern: String, below folder: String = "") throws -> Set<String> {
        let expression = try Regex(pattern)
        let sources = ArrowsTests.root.appendingPathComponent("Sources/\(folder)")
        var found: Set<String> = []
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        for case let file as URL in files! where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            if try code.contains(where: { try expression.firstMatch(in: $0) != nil }) {
                found.insert(file.pathComponents.suffix(2).joined(separator: "/"))
            }
        }
        return found
    }

    @Test("counts the processors")
    func processors() throws {
        let ways = [
            "_SC_NPROCESSORS", "[pP]rocessorCount", "coreCount", "sched_getaffinity", "hardware_concurrency",
        ]
        #expect(try Self.places(ways.joined(separator: "|")) == ["Basics/Processors.swift"])
    }

    @Test("writes to standard output in the program")
    func standardOutput() throws {
        #expect(
            try Self.places("writeToStandardOutput|closeStandardOutput", below: "viewport")
                == ["Reporting/StandardStreams.swift"])
        let descriptors = try Self.places("STDOUT_FILENO")
        #expect(
            descriptors.isSubset(of: [
                "Files/OutputFile.swift", "Files/ProcessEnvironment.swift", "Reporting/StandardStreams.swift",
            ]))
        let others = [
            #"Swift\.print"#, #"FileHandle\.standardOutput"#, #"\bstdout\b"#, #"\bf?puts\("#, #"\bfwrite\("#,
            #"\bfflush\("#, #"\bputchar\("#, #"\bv?printf\("#, #"\bdebugPrint\("#, #"\bdump\("#,
            #"\bNSLog\("#,
            #"\.exit\(withError"#, #"/dev/(stdout|fd/1)"#,
        ]
        #expect(try Self.places(others.joined(separator: "|")) == [])
    }

    @Test("prints in the program, not in libraries")
    func libraries() throws {
        for target in try FileManager.default.contentsOfDirectory(
            atPath: ArrowsTests.root.appendingPathComponent("Sources").path) where target != "viewport"
        {
            #expect(try Self.places(#"\bprint\("#, below: target) == [], "\(target)")
        }
        // With several values, or a separator, it would be the one of the standard library.
        #expect(try Self.places(#"\bprint\(.*(separator|terminator): "#, below: "viewport") == [])
    }
}
