import AssetCatalog
import Files
import Foundation
import TestLibraries
import TestSupport
import Testing

@testable import LibraryMaintenance

@Suite("Findings and reports of duplicates as text")
struct CodingTests {
    private static var report: DuplicateReport {
        var report = DuplicateReport()
        (report.groups, report.trashed, report.bytes) = (12, 14, 34_500_000)
        report.failures = [IndexReport.Failure(path: "a.jpg", reason: "was changed")]
        return report
    }

    private static let finding = LibraryFinding(
        kind: .missing, count: 1, files: ["2014/\u{F7E9}.jpg"], reasons: ["is gone"])

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [
            CodedValue(report), CodedValue(finding),
            CodedValue([DuplicateCriterion.bytes, .pixels, .appearance(distance: 4)]),
        ])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("are printed in one short line")
    func printing() throws {
        #expect("\(Self.report)" == "14 files of 12 groups trashed, 34.5 MB, 1 failed")
        #expect("\(Self.finding)" == "missing: 1")
        let files = [
            DuplicatePlan.File(try .made("a.jpg"), .keep), DuplicatePlan.File(try .made("b.jpg"), .trash),
        ]
        let plan = DuplicatePlan([DuplicatePlan.Group(.bytes, files)])
        #expect("\(plan)" == "1 group, 1 file of 1.0 kB to trash")
        #expect(plan.hashValue == DuplicatePlan([DuplicatePlan.Group(.bytes, files)]).hashValue)
    }
}
