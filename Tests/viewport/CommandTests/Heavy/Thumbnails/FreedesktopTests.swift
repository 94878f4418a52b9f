import Foundation
import PNGEncoding
import TestSupport
import Testing

@testable import Thumbnails

@Suite("viewport thumbnail --freedesktop")
struct FreedesktopTests {
    @Test("writes the files that the desktop expects, and reuses them")
    func cache() async throws {
        let photos = try PhotoFolder(2, size: 300)
        let environment = ["XDG_CACHE_HOME": photos.folder.path("cache")]
        let run = try await photos.run(["in/1.jpg", "--freedesktop", "--json"], environment: environment)
        #expect(run.code == 0, "\(run.errors)")
        let uri = FileURI.of(photos.folder.path("in/1.jpg"))
        let name = FreedesktopStore.name(of: uri)
        #expect(
            photos.folder.files(below: "cache") == ["thumbnails/large/\(name)", "thumbnails/normal/\(name)"])
        for (flavor, side) in [("normal", 128), ("large", 256)] {
            let path = photos.folder.path("cache/thumbnails/\(flavor)/\(name)")
            let png = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            // Eight bits of red, green, blue and alpha, not interlaced.
            #expect(Array(png[24..<29]) == [8, 6, 0, 0, 0])
            #expect(png[16..<20].reduce(0) { $0 << 8 | Int($1) } == side)
            let texts = Dictionary(
                uniqueKeysWithValues: PNGText.read(png).map { ($0.text.keyword, $0.text.value) })
            let attributes = try FileManager.default.attributesOfItem(atPath: photos.folder.path("in/1.jpg"))
            let date = try #require(attributes[.modificationDate] as? Date)
            #expect(texts["Thumb::URI"] == uri)
            #expect(texts["Thumb::MTime"] == "\(Int(date.timeIntervalSince1970.rounded(.down)))")
            let modes = try [path, photos.folder.path("cache/thumbnails/\(flavor)")].map {
                try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
            }
            #expect(modes == [0o600, 0o700])
        }
        let again = try await photos.run(["in/1.jpg", "--freedesktop", "--json"], environment: environment)
        #expect(again.json["status"] as? String == "skipped")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)],
            ofItemAtPath: photos.folder.path("in/1.jpg"))
        let stale = try await photos.run(["in/1.jpg", "--freedesktop", "--json"], environment: environment)
        #expect(stale.json["status"] as? String == "ok")
    }

    @Test("records failures until the file changes, and makes no thumbnails of thumbnails")
    func failures() async throws {
        let photos = try PhotoFolder(1)
        try photos.write("no picture", to: "broken.jpg")
        let environment = ["XDG_CACHE_HOME": photos.folder.path("cache")]
        func code(_ arguments: String...) async throws -> String? {
            let run = try await photos.run(arguments + ["--freedesktop", "--json"], environment: environment)
            return (run.json["error"] as? [String: Any])?["code"] as? String
        }
        #expect(try await code("broken.jpg") == "unknown-format")
        #expect(try await code("broken.jpg") == "failed-before")
        #expect(try await code("broken.jpg", "--retry-failed") == "unknown-format")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)],
            ofItemAtPath: photos.folder.path("broken.jpg"))
        #expect(try await code("broken.jpg") == "unknown-format")
        #expect(try await code("in/sub/0.png") == nil)
        let thumbnail = try #require(photos.folder.files(below: "cache/thumbnails/normal").first)
        #expect(try await code("cache/thumbnails/normal/\(thumbnail)") == "is-thumbnail")
    }
}
