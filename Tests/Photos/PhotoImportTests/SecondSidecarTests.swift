import Files
import Foundation
import ImageMetadata
import LibraryMaintenance
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import PhotoImport

@Suite("A second sidecar of a photo that the library has")
struct SecondSidecarTests {
    let library: TestLibrary
    let card: TemporaryFolder

    init() async throws {
        library = try await TestLibrary()
        card = try TemporaryFolder()
    }

    private static let photo = TinyPhoto.jpeg(date: "2014:05:25 10:00:00")
    private static let path = "2014/2014-05-25/a.jpg"

    /// A sidecar with properties as attributes, and lists or texts in elements.
    private static func xmp(_ attributes: String, _ elements: String = "") -> [UInt8] {
        Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
              xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
              xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/" \(attributes)>\(elements)</rdf:Description>
            </rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    private static func words(_ list: String...) -> String {
        "<dc:subject><rdf:Bag>" + list.map { "<rdf:li>\($0)</rdf:li>" }.joined() + "</rdf:Bag></dc:subject>"
    }

    private func put(_ path: String, _ bytes: [UInt8]) throws {
        let url = card.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    @discardableResult
    private func run(_ source: String = "", moves: Bool = false) async throws -> ImportReport {
        var options = ImportOptions(sources: [card.url.appendingPathComponent(source).path])
        options.moves = moves
        return try await library.library.performImport(library.library.planImport(options))
    }

    private var there: [String] {
        library.folder.files(below: ".").filter { !$0.hasPrefix(".viewport") }
            .map { $0.replacingOccurrences(of: "2014/2014-05-25/", with: "") }
    }

    private func asset() async throws -> Asset { try #require(await library.library.asset(path: Self.path)) }

    private func expectSound() async throws {
        #expect(try await library.library.examine(readsFiles: true).filter(\.isFault) == [])
        #expect(try await library.library.verify() == [])
    }

    private static let title =
        "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Lake</rdf:li></rdf:Alt></dc:title>"

    /// What two sidecars state, and what the photo's words are then.
    static let mergeable: [(first: [UInt8], second: [UInt8], words: [String])] = [
        (xmp("xmp:Rating='3'"), xmp("xmp:Label='Red'", title), ["Lake", "3", "Red", ""]),
        (
            xmp("xmp:Rating='0'"), xmp("xmp:Rating='4' xmp:ModifyDate='2024-01-01T10:00:00'"),
            ["", "4", "", ""]
        ),
        (xmp("xmp:Rating='2'"), xmp("xmp:Rating='0' xmp:Label='Blue'"), ["", "2", "Blue", ""]),
        (xmp("", words("alps", "snow")), xmp("", words("snow", "été")), ["", "", "", "alps snow été"]),
        (
            xmp("xmp:Label='Red'"), xmp("exif:GPSLatitude='46,12.5N' exif:GPSLongitude='7,30E'"),
            ["", "", "Red", "", "46.208"]
        ),
        (
            xmp("tiff:Orientation='1'", title), xmp("tiff:Orientation='1' xmp:Rating='5'"),
            ["Lake", "5", "", ""]
        ),
    ]

    private func expect(_ words: [String]) async throws {
        let asset = try await asset()
        let found = [
            asset.title ?? "", asset.rating.map { "\($0)" } ?? "", asset.label ?? "",
            asset.keywords.joined(separator: " "), asset.location.map { String("\($0.latitude)".prefix(6)) },
        ].compactMap(\.self)
        #expect(found == words)
    }

    @Test("is merged where it does not contradict, once, and that is undone", arguments: mergeable)
    func merged(_ first: [UInt8], _ second: [UInt8], _ words: [String]) async throws {
        try put("1/a.jpg", Self.photo)
        try put("1/a.jpg.xmp", first)
        try await run("1")
        try put("2/b.jpg", Self.photo)
        try put("2/b.xmp", second)
        let before = try library.folder.data("\(Self.path).xmp")
        let report = try await run("2")
        #expect(report.count(.merged) == 1 && report.imported == 0 && report.failures.isEmpty, "\(report)")
        #expect(there == ["a.jpg", "a.jpg.xmp"])
        try await expect(words)
        try await expectSound()
        let after = try library.folder.data("\(Self.path).xmp")
        let again = try await run("2")
        #expect(again.count(.merged) == 0 && again.imported == 0 && again.failures.isEmpty)
        #expect(try library.folder.data("\(Self.path).xmp") == after)
        #expect(try await library.library.undo()?.changed == 1)
        #expect(try library.folder.data("\(Self.path).xmp") == before)
        // What was undone is not merged again.
        try await run("2")
        #expect(try library.folder.data("\(Self.path).xmp") == before)
    }

    /// A second sidecar beside one with three stars, and what is said of it.
    static let contradicting: [(second: [UInt8], reason: String)] = [
        (xmp("xmp:Rating='4' xmp:Label='Red'"), "the rating 4 instead of 3"),
        (
            xmp("xmp:Label='Red' crs:Exposure2012='+0.25' crs:Tint='3'"),
            "only it has crs:Exposure2012, crs:Tint"
        ),
        (
            xmp(
                "xmp:Label='Red'",
                "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Lake</rdf:li><rdf:li xml:lang='de'>See</rdf:li></rdf:Alt></dc:title>"
            ), "only it has dc:title"
        ),
    ]

    @Test("is kept and named where it contradicts or has more; the rest is merged", arguments: contradicting)
    func contradicts(_ second: [UInt8], _ reason: String) async throws {
        try put("1/a.jpg", Self.photo)
        try put("1/a.jpg.xmp", Self.xmp("xmp:Rating='3'"))
        try await run("1")
        try put("2/a.jpg", Self.photo)
        try put("2/a.xmp", second)
        let report = try await run("2")
        #expect(report.imported == 1 && report.failures.isEmpty)
        let outcome = try #require(report.files.first { $0.sidecarOf != nil })
        #expect(outcome.reason?.contains(reason) == true, "\(outcome.reason ?? "")")
        #expect(there == ["a.jpg", "a.jpg (2).xmp", "a.jpg.xmp"])
        #expect(try Array(library.folder.data("2014/2014-05-25/a.jpg (2).xmp")) == second)
        let asset = try await asset()
        #expect(asset.rating == 3 && asset.label == "Red")
        try await expectSound()
        let again = try await run("2")
        #expect(again.imported == 0 && again.count(.merged) == 0 && there.count == 3)
        #expect(try await library.library.asset(path: Self.path) == asset)
        // It goes to the trash with its photo.
        try await library.library.moveToTrash([asset.id])
        #expect(there == [])
        try await library.library.undo()
        #expect(there.count == 3)
    }

    @Test("that cannot be read is kept and named")
    func broken() async throws {
        try put("1/a.jpg", Self.photo)
        try put("1/a.jpg.xmp", Self.xmp("xmp:Rating='3'"))
        try await run("1")
        try put("2/a.jpg", Self.photo)
        try put("2/a.jpg.xmp", Array(Self.xmp("xmp:Rating='3'").dropLast(20)))
        let report = try await run("2")
        #expect(report.files.contains { $0.reason?.contains("is cut off") == true }, "\(report.files)")
        #expect(there == ["a.jpg", "a.jpg (2).xmp", "a.jpg.xmp"])
        try await expectSound()
    }

    @Test(
        "of copies in one source is merged into the first of them, also by a move", arguments: [false, true])
    func copies(_ moves: Bool) async throws {
        try put("1/a.jpg", Self.photo)
        try put("1/a.jpg.xmp", Self.xmp("xmp:Rating='3'"))
        try put("2/a.jpg", Self.photo)
        try put("2/a.jpg.xmp", Self.xmp("xmp:Label='Red'"))
        try put("3/a.jpg", Self.photo)
        try put("3/a.jpg.xmp", Self.xmp("xmp:Label='Blue'", Self.words("alps")))
        let plan = try await library.library.planImport(ImportOptions(sources: [card.url.path]))
        #expect(plan.description.contains("merge      "), "\(plan)")
        #expect(plan.description.contains("kept: the photo has another sidecar: it states the label Blue"))
        let report = try await run(moves: moves)
        #expect(report.count(.merged) == 1 && report.failures.isEmpty)
        #expect(there == ["a.jpg", "a.jpg (2).xmp", "a.jpg.xmp"])
        try await expect(["", "3", "Red", "alps"])
        try await expectSound()
    }

    @Test("is merged by the next import if one was killed after the copies")
    func killed() async throws {
        try put("1/a.jpg", Self.photo)
        try put("1/a.jpg.xmp", Self.xmp("xmp:Rating='3'"))
        try await run("1")
        try put("2/a.jpg", Self.photo)
        try put("2/a.jpg.xmp", Self.xmp("xmp:Rating='4' xmp:Label='Red'"))
        // As the killed import leaves it.
        try library.write("2014/2014-05-25/a.jpg (2).xmp", Self.xmp("xmp:Rating='4' xmp:Label='Red'"))
        let report = try await run("2")
        #expect(report.imported == 0 && report.failures.isEmpty)
        #expect(try await asset().label == "Red")
        #expect(there.count == 3)
    }
}
