import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport index")
struct IndexCommandTests {
    static let viewport = BuiltProgram("viewport")

    static func run(_ arguments: [String], cache folder: TemporaryFolder) async throws -> BuiltProgram.Result
    {
        try await viewport.run(arguments, environment: ["XDG_CACHE_HOME": folder.path("cache")])
    }

    @Test("makes render read through the index, with the same bytes")
    func render() async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 400, height: 300).save(photo, oriented: .right)
        let request = ["render", photo, "--rect", "200,250,50,40", "--json", "-o"]
        let before = try await Self.run(request + [folder.path("before.png")], cache: folder)
        #expect((before.json["reading"] as? String)?.contains("scan") == true)
        let index = try await Self.run(["index", photo, "--json"], cache: folder)
        #expect(index.code == 0, "\(index.errors)")
        #expect(index.json["kept"] as? Bool == false)
        #expect(try await Self.run(["index", photo, "--json"], cache: folder).json["kept"] as? Bool == true)
        let after = try await Self.run(request + [folder.path("after.png")], cache: folder)
        #expect((after.json["reading"] as? String)?.contains("index") == true)
        let pictures = try ["before.png", "after.png"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder.path($0)))
        }
        #expect(pictures[0] == pictures[1])
    }

    @Test("reports files that it cannot index and continues; exits with 3 for some, 65 for a single one")
    func failures() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.jpg"), with: "jpegsave")
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.webp"), with: "webpsave")
        let alone = try await Self.run(["index", folder.path("photo.webp")], cache: folder)
        #expect(alone.code == 65 && alone.errors.contains("photo.webp"))
        let both = try await Self.run(
            ["index", folder.path("photo.webp"), folder.path("photo.jpg")], cache: folder)
        #expect(both.code == 3, "\(both.errors)")
        #expect(both.text.contains("photo.jpg"))
    }
}
