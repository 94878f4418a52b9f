import Basics
import Foundation
import TestSupport
import Testing

@testable import Batches

@Suite("Options and results of batches as text")
struct CodingTests {
    private static var options: BatchOptions {
        var options = BatchOptions()
        (options.log, options.resumption, options.allowedFailures) = ("done.jsonl", .succeeded, 3)
        options.shard = Shard(index: 2, count: 5)
        return options
    }

    // A name that is not UTF-8.
    private static let stored = StoredThumbnail(
        size: "256", width: 256, height: 192, bytes: 12_345, sha256: String(repeating: "0", count: 64),
        path: "small/\u{F7E9}.jpg")

    private static var summary: BatchSummary {
        var summary = BatchSummary()
        (summary.made, summary.failed, summary.fraction) = (312, 4, 0.5)
        return summary
    }

    private static func result(_ outcome: BatchResult.Outcome) -> BatchResult {
        BatchResult(line: 7, id: nil, path: .string("a.jpg"), rest: [], outcome: outcome)
    }

    private static let failure = BatchFailure("empty", "a.jpg: is empty")

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [
            CodedValue(BatchOptions()), CodedValue(options), CodedValue(stored), CodedValue(BatchSummary()),
            CodedValue(summary), CodedValue(MergedResults()), CodedValue(failure),
            CodedValue([BatchResult.Outcome.made([stored]), .skipped([]), .duplicate, .failed(failure)]),
        ])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("have defaults for what is missing")
    func defaults() throws {
        #expect(try decoded(BatchOptions.self, "{}") == BatchOptions())
    }

    @Test("reject shards that do not exist", arguments: [(0, 0), (5, 5), (-1, 5), (0, -1)])
    func shards(_ index: Int, _ count: Int) {
        let json = #"{"index":\#(index),"count":\#(count)}"#
        #expect(throws: DecodingError.self) { try decoded(Shard.self, json) }
        #expect(throws: DecodingError.self) { try decoded(BatchOptions.self, #"{"shard":\#(json)}"#) }
    }

    @Test("are printed in one short line")
    func printing() {
        #expect("\(Self.summary)" == "312 made, 4 failed")
        #expect("\(BatchSummary())" == "0 made")
        #expect("\(Self.stored)" == "small/\\xE9.jpg, 256x192, 12.3 kB")
        #expect("\(MergedResults())" == "0 results")
        #expect("\(Self.result(.made([Self.stored])))" == "a.jpg: 1 made")
        #expect("\(Self.result(.failed(Self.failure)))" == "a.jpg: is empty")
        #expect("\(Self.result(.duplicate))" == "a.jpg: in the list twice")
    }
}
