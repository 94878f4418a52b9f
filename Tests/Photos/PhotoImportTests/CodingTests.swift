import AssetCatalog
import Files
import TestSupport
import Testing

@testable import PhotoImport

@Suite("The report of an import as text")
struct CodingTests {
    private static var report: ImportReport {
        var report = ImportReport()
        report.files = [
            ImportOutcome(source: "/card/\u{F7E9}.jpg", bytes: 5, status: .imported, path: "2014/a.jpg"),
            ImportOutcome(
                source: "/card/b.jpg", bytes: 0, status: .failed, reason: "is empty", isFault: true),
        ]
        report.arrived = ["/card/c.jpg"]
        report.summaries = [
            ExportSummary(
                "takeout", documents: "Takeout sidecars",
                [
                    "sidecars": .count(2), "archived": .files(["/card/\u{F7E9}.jpg"]),
                    "albums": .texts(["Ré"]),
                    "unused": .notes([IndexReport.Failure(path: "/card/a.json", reason: "is more")]),
                ])
        ]
        report.stopped = LibraryError(.noRoom(root: "/photos", needed: 5, free: 4))
        return report
    }

    @Test(
        "is equal after encoding and decoding, with equal hashes",
        arguments: [CodedValue(ImportReport()), CodedValue(report)])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("is printed in one short line")
    func printing() {
        #expect("\(ImportReport())" == "0 imported")
        #expect("\(Self.report)".hasPrefix("1 imported, 1 failed, stopped: "))
    }
}
