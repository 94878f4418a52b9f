import Files
import Foundation
import PhotoCatalog
import Synchronization
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage
@testable import PhotoImport

@Suite("Edited copies of a Takeout")
struct TakeoutWordsTests {
    private let library: TestLibrary
    private let place: TemporaryFolder
    private static let folder = "Takeout/Google Photos/Photos from 2019"

    init() async throws {
        library = try await TestLibrary()
        place = try TemporaryFolder()
    }

    /// The files of photos of one moment each with their sidecars, and their edited copies.
    private func entries(_ names: [String], _ words: String) -> [ZipMaker.Entry] {
        names.flatMap { name -> [ZipMaker.Entry] in
            let salt = 2 * UInt64(name.utf8.reduce(0) { $0 * 31 + Int($1) })
            let json =
                #"{"title":"\#(name).jpg","photoTakenTime":{"timestamp":"\#(1_562_243_400 + salt % 9999)"}}"#
            return [
                ZipMaker.Entry("\(Self.folder)/\(name).jpg", TinyPhoto.jpeg(salt: salt)),
                ZipMaker.Entry("\(Self.folder)/\(name)-\(words).jpg", TinyPhoto.jpeg(salt: salt + 1)),
                ZipMaker.Entry("\(Self.folder)/\(name).jpg.json", Array(json.utf8)),
            ]
        }
    }

    /// Writes entries as files below folders, or as one archive.
    private func write(_ entries: [ZipMaker.Entry], to name: String) throws -> String {
        guard !name.hasSuffix(".zip") else {
            try Data(ZipMaker(entries).bytes()).write(to: place.url.appendingPathComponent(name))
            return place.path(name)
        }
        for entry in entries {
            let url = place.url.appendingPathComponent(
                "\(name)/\(String(decoding: entry.name, as: UTF8.self))")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(entry.bytes).write(to: url)
        }
        return place.path(name)
    }

    private func run(_ sources: [String]) async throws -> ImportReport {
        try await library.library.performImport(library.library.planImport(ImportOptions(sources: sources)))
    }

    /// The names of the files of each stack, the cover first.
    private func stacks() async throws -> Set<[String]> {
        let covers = try await library.library.stackCovers(after: 0, limit: 100)
        return Set(try await library.library.stacks(of: covers).values.map { $0.map(\.name) })
    }

    private func stack(_ name: String, _ words: String) -> [String] {
        ["\(name)-\(words).jpg", "\(name).jpg"]
    }

    @Test(
        "are one stack with their originals, with words of the table and with words that several have",
        arguments: ["ha editado", "edited", "quux", "mit Quux zot", "已變更"], ["export", "takeout-1.zip"])
    func stacked(_ words: String, _ form: String) async throws {
        let source = try write(entries(["IMG_1", "IMG_2"], words), to: form)
        for round in 0..<2 {
            let report = try await run([source])
            #expect(report.failures.isEmpty && report.imported == (round == 0 ? 4 : 0))
            let isKnown = ["ha editado", "edited"].contains(words)
            #expect(report.summaries.first?.texts("unknownWords") == (isKnown ? [] : [words.lowercased()]))
            #expect(try await stacks() == [stack("IMG_1", words), stack("IMG_2", words)])
        }
        for name in ["IMG_1", "IMG_2"] {
            let paths = ["\(name).jpg", "\(name)-\(words).jpg"]
            let found = try await library.library.assets(library.library.collection().snapshot().ids)
                .filter { paths.contains($0.name) }
            #expect(found.allSatisfy { $0.path.hasPrefix("2019/") } && !found.isEmpty)
        }
    }

    @Test("are found where the export is in several parts that are imported at once, or one after another")
    func parts() async throws {
        let all = entries(["IMG_1", "IMG_2", "IMG_3"], "quux")
        let parts = [
            try write(Array(all[0..<5]), to: "takeout-1.zip"), try write([all[5]], to: "part2"),
            try write(Array(all[6...]), to: "takeout-3.zip"),
        ]
        #expect(try await run(Array(parts[..<2])).failures.isEmpty)
        #expect(try await stacks() == [stack("IMG_1", "quux"), stack("IMG_2", "quux")])
        // One copy alone does not make words, but those are known now.
        #expect(try await run([parts[2]]).summaries.first?.files("withoutSidecar").isEmpty == true)
        #expect(try await stacks().count == 3)
        _ = try await run(parts)
        #expect(try await stacks().count == 3)
        // What is in another form is known by them, too.
        let copy = try write(entries(["IMG_1"], "quux") + [], to: "again")
        try Data(TinyPhoto.jpeg(salt: 77)).write(
            to: URL(fileURLWithPath: "\(copy)/\(Self.folder)/IMG_1-quux.jpg"))
        let states = Mutex<[FilePath: SourceReport.State]>([:])
        _ = try await library.library.check([copy]) { found in
            states.withLock { $0[found.source.name] = found.state }
        }
        let state = states.withLock { $0["IMG_1-quux.jpg"] }
        guard case .otherForm(let path, .edited) = state else {
            Issue.record("\(String(describing: state))")
            return
        }
        #expect(path.name == "IMG_1.jpg")
    }

    @Test("with words of one file alone are no edited copies")
    func alone() async throws {
        let report = try await run([try write(entries(["IMG_1"], "quux"), to: "export")])
        #expect(report.summaries.first?.files("withoutSidecar").map(\.name) == ["IMG_1-quux.jpg"])
        #expect(try await stacks().isEmpty)
        #expect(try await library.library.read { try $0.editedWords().all }.isEmpty)
    }
}
