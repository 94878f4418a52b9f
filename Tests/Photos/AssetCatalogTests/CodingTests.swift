import Files
import Foundation
import ImageMetadata
import TestLibraries
import TestSupport
import Testing
import ViewportGeometry

@testable import AssetCatalog

@Suite("Assets and reports as text")
struct CodingTests {
    /// An asset whose name is not UTF-8.
    private static var asset: Asset {
        get throws {
            var asset = try Asset.made("2014/\u{F7E9}.jpg", "2014-05-25T10:00:00", offset: "+02:00")
            (asset.size, asset.seconds, asset.turn) = (PixelSize(width: 4032, height: 3024), 1.5, .right)
            asset.location = Location(latitude: 48.8577, longitude: 2.295, source: .track)
            (asset.sidecar, asset.keywords, asset.livePartner) = ("2014/\u{F7E9}.xmp", ["sea"], 7)
            return asset
        }
    }

    private static var edit: AssetEdit {
        var edit = AssetEdit()
        (edit.title, edit.keywords, edit.rating, edit.quarterTurns) = ("", ["sea"], -1, 3)
        return edit
    }

    private static let failure = IndexReport.Failure(path: "2014/\u{F7E9}.jpg", reason: "is empty")

    private static var report: IndexReport {
        var report = IndexReport(
            inserted: 12, updated: 3, removed: 1, others: ["a.txt"], failures: [failure])
        report.thumbnails = ThumbnailReport()
        return report
    }

    private static let operation = LibraryOperation(
        id: 3, name: "edit 12 assets", date: Date(timeIntervalSince1970: 1_400_000_000), isFinished: true)

    private static let group = AssetGroup(id: .folder(12), name: "2014/05", count: 31, bytes: 1000)

    @Test("are equal after encoding and decoding, with equal hashes")
    func coding() throws {
        let values = [
            CodedValue(try Self.asset), CodedValue(Self.edit), CodedValue(AssetEdit()),
            CodedValue(Self.report),
            CodedValue(EditReport(operation: Self.operation, changed: 12, failures: [Self.failure])),
            CodedValue(Self.operation), CodedValue(Self.group),
            CodedValue(AssetIndexPath(entry: 1, asset: 2)),
            CodedValue([AssetGroup.ID.all, .picks, .album(3), .folder(12)]),
            CodedValue(TrashedFile(file: "a.jpg", trashFile: ".trash/1/a.jpg", bytes: 5, date: nil)),
            CodedValue(try ImportLayout("{year}/{name}")), CodedValue(try AssetQuery("camera:x100 -is:raw")),
            CodedValue([
                LibraryChange.initial(groups: [Self.group]),
                .groupsChanged(inserted: [], updated: [Self.group], deleted: []),
                .assetsChanged(inserted: [1], updated: [2, 3], removed: []), .reload(groups: []),
            ]),
            CodedValue(LibraryError(.noRoom(root: "/a", needed: 5, free: 4))),
            CodedValue(LibraryError(.date(.form("x")))), CodedValue(LibraryError(.noAlbum)),
        ]
        for value in values {
            #expect(try value.isKept, "\(value)")
        }
    }

    @Test("have paths and names of groups as strings")
    func keys() throws {
        #expect(
            try encoded(Self.group) == #"{"bytes":1000,"count":31,"id":"folder-12","name":"2014/05"}"#)
        #expect(
            try encoded(IndexReport.Failure(path: "a.jpg", reason: "is empty"))
                == #"{"needsIndexing":false,"path":"a.jpg","reason":"is empty"}"#)
        #expect(
            try decoded(AssetEdit.self, #"{"title":"","keywords":["sea"],"rating":-1,"quarterTurns":3}"#)
                == Self.edit)
    }

    @Test("reject what is invalid")
    func rejection() {
        #expect(throws: DecodingError.self) { try decoded(AssetGroup.ID.self, #""album""#) }
        #expect(throws: DecodingError.self) { try decoded(ImportLayout.self, #""{day""#) }
        #expect(throws: DecodingError.self) { try decoded(AssetQuery.self, #""rating:many""#) }
    }

    @Test("are printed in one short line")
    func printing() throws {
        #expect("\(try Self.asset)" == "2014/\\xE9.jpg, 2014-05-25T10:00:00+02:00, 4032x3024")
        #expect("\(Self.group)" == "2014/05: 31 assets")
        #expect("\(AssetGroup(id: .all, name: "", count: 1, bytes: 0))" == "all: 1 asset")
        #expect("\(Self.operation)" == "edit 12 assets")
        #expect("\(Self.failure)" == "2014/\\xE9.jpg: is empty")
        #expect("\(Self.report)" == "12 inserted, 3 updated, 1 removed, 1 failed")
        #expect("\(EditReport(changed: 12, unchanged: 1))" == "12 changed, 1 unchanged")
        #expect(
            "\(LibraryChange.assetsChanged(inserted: [1], updated: [2, 3], removed: []))"
                == "assets: 1 inserted, 2 updated, 0 removed")
        #expect("\(try ImportLayout("{year}/{name}"))" == "{year}/{name}")
    }
}
