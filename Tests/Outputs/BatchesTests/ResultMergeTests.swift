import Basics
import Files
import Foundation
import TestSupport
import Testing

@testable import Batches

@Suite("A merge of results")
struct ResultMergeTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Joins files and returns the lines of results and of missing items.
    func merge(
        _ files: [String], manifest: String? = nil
    ) throws -> (results: [String], missing: [String], report: MergedResults) {
        var merge = ResultMerge()
        for (number, text) in files.enumerated() {
            try text.write(
                to: folder.url.appendingPathComponent("\(number)"), atomically: false, encoding: .utf8)
            try merge.add(folder.path("\(number)"))
        }
        if let manifest {
            try manifest.write(
                to: folder.url.appendingPathComponent("list"), atomically: false, encoding: .utf8)
            try merge.list(folder.path("list"))
        }
        var (joined, missing): ([UInt8], [UInt8]) = ([], [])
        let report = try merge.join {
            joined += $0
        } missing: {
            missing += $0
        }
        func lines(_ bytes: [UInt8]) -> [String] {
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        return (lines(joined), lines(missing), report)
    }

    static func result(
        _ line: Int, _ path: String, _ status: String = "ok", code: String? = nil, id: String? = nil,
        more: String = ""
    ) -> String {
        let error = code.map { "{\"code\":\"\($0)\",\"message\":\"m\"}" } ?? "null"
        let id = id.map { "\"\($0)\"" } ?? "null"
        return
            "{\"id\":\(id),\"path\":\"\(path)\",\"status\":\"\(status)\",\"outputs\":[],\"error\":\(error),"
            + "\"ms\":1.5,\"line\":\(line)\(more)}"
    }

    @Test("prefers success to errors, and later files to earlier ones")
    func choice() throws {
        let old = [
            Self.result(2, "b", "error", code: "missing"), Self.result(1, "a"), Self.result(3, "c"),
            "nonsense",
        ]
        let new = [
            Self.result(1, "a", "error", code: "damaged"), Self.result(2, "b"),
            Self.result(3, "c", "skipped"), Self.result(4, "d", "error", code: "empty"),
        ]
        let merged = try merge([old, new].map { $0.joined(separator: "\n") })
        #expect(merged.results == [old[1], new[1], new[2], new[3]])
        #expect(merged.report == MergedResults(results: 4, failed: 1, missing: 0, unreadable: 1))
    }

    @Test("reads lists with a byte order mark, carriage returns and no last newline")
    func otherSystems() throws {
        let results = "\u{FEFF}" + [Self.result(1, "a"), Self.result(3, "c")].joined(separator: "\n")
        let manifest = ["a", "b", "c"].map { "{\"path\":\"\($0)\"}" }.joined(separator: "\r\n")
        let merged = try merge([results], manifest: "\u{FEFF}" + manifest)
        #expect(merged.results == [Self.result(1, "a"), Self.result(3, "c")])
        #expect(merged.missing == [#"{"path":"b"}"#])
        let none = try merge([], manifest: "\u{FEFF}{\"path\":\"a\"}\r\n")
        #expect(none.missing == [#"{"path":"a"}"#])
    }

    @Test("joins more files than it keeps open")
    func manyFiles() throws {
        let paths = (0..<600).map { "\($0)" }
        let files = (0..<200).map { part in
            stride(from: part, to: 600, by: 200).map { Self.result($0 + 1, paths[$0]) }.joined(
                separator: "\n")
        }
        let merged = try merge(files, manifest: paths.map { "{\"path\":\"\($0)\"}" }.joined(separator: "\n"))
        #expect(merged.results == paths.indices.map { Self.result($0 + 1, paths[$0]) })
        #expect(merged.missing.isEmpty)
    }

    @Test("names items without a result, and none that are listed twice")
    func missing() throws {
        let manifest = [
            #"{"path":"a"}"#, "bad", #"{"path":"b","id":"7","n":1}"#, "", #"{"path":"./a"}"#,
            #"{"path":"c","id":"7"}"#, "worse", #"{"path":"d"}"#,
        ].joined(separator: "\n")
        let results = [
            Self.result(1, "a"), Self.result(2, "", "error", code: "bad-line"), Self.result(3, "b", id: "7"),
        ].joined(separator: "\n")
        let merged = try merge([results], manifest: manifest)
        #expect(merged.missing == [#"{"id":"7","path":"c"}"#, "{}", #"{"path":"d"}"#])
        #expect(merged.report.missing == 3)
        let none = try merge([], manifest: manifest)
        #expect(none.missing.count == 7)
        let rest = [
            Self.result(6, "c", "error", code: "collision", id: "7"),
            Self.result(7, "", "error", code: "bad-line"), Self.result(8, "d"),
        ].joined(separator: "\n")
        #expect(try merge([results, rest], manifest: manifest).missing == [])
    }

    @Test("keeps items of one file apart by the members of their lines")
    func lines() throws {
        let more = ["0", "1", "1"].map { ",\"identity\":\"line\",\"rect\":[\($0),0,9,9]" }
        let results = more.enumerated().map { Self.result($0.offset + 1, "a", more: $0.element) }
        let manifest = [0, 1, 2].map { "{\"path\":\"a\",\"rect\":[\($0),0,9,9]}" }.joined(separator: "\n")
        let merged = try merge([results.joined(separator: "\n")], manifest: manifest)
        #expect(merged.results == [results[0], results[2]])
        #expect(merged.missing == [#"{"path":"a","rect":[2,0,9,9]}"#])
    }

    @Test("equals a merge in memory, with every line scanned or parsed")
    func equality() throws {
        var random = SplitMix64(seed: 21)
        var files: [String] = []
        var best: [String: (line: Int, text: String, isGood: Bool)] = [:]
        for _ in 0..<5 {
            var lines: [String] = []
            for _ in 0..<400 {
                let number = Int(random.next() % 700) + 1
                let isGood = random.next() % 3 > 0
                // A space or another escape leaves a line to the parser.
                let path = random.next() % 2 == 0 ? "p\(number)" : "p\(number)/."
                let text = Self.result(
                    number, path, isGood ? "ok" : "error", code: isGood ? nil : "damaged",
                    more: ",\"n\":\(random.next() % 9)")
                lines.append(text)
                if best["p\(number)"].map({ isGood || !$0.isGood }) ?? true {
                    best["p\(number)"] = (number, text, isGood)
                }
            }
            files.append(lines.joined(separator: "\n"))
        }
        let expected = best.values.sorted { $0.line < $1.line }.map(\.text)
        #expect(try merge(files).results == expected)
    }

    @Test("scans results as they are parsed")
    func scan() {
        let results =
            LineScanTests.lines + [
                Self.result(1, "a"), Self.result(2, "b", "duplicate"),
                Self.result(3, "c", "error", code: "collision"),
                Self.result(4, "d", "error", code: "bad-line"), Self.result(5, "e", "what"),
                Self.result(-1, "f"),
                Self.result(6, "g", more: ",\"identity\":\"line\",\"zoom\":2"),
                Self.result(7, "h").replacing(
                    "[]", with: #"[{"size":"1","width":1,"height":2,"bytes":3,"sha256":"a","path":"p"}]"#),
                Self.result(8, "i").replacing("[]", with: #"[{"size":"1","width":"1"}]"#),
                Self.result(9, "j").replacing(
                    "[]",
                    with: #"[{"size":"dz","width":1,"height":2,"bytes":3,"sha256":"a","path":"p","files":9}]"#
                ),
                Self.result(10, "k").replacing("[]", with: "7"),
            ]
        let root = BatchRoot()
        var scan = ResultScan(root)
        var scanned = 0
        for text in results {
            let bytes = Array(text.utf8)
            guard let found = scan.scannedSummary(bytes.span) else { continue }
            scanned += 1
            #expect(found == ResultScan.parsedSummary(bytes, root), "\(text)")
        }
        #expect(scanned == 6)
    }
}
