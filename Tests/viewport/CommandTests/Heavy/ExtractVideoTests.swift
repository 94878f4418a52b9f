import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("viewport extract-video", .ownThread)
struct ExtractVideoTests {
    private let library: LibraryProgram
    private static let film = FilmMaker.film(brand: "mp42", seconds: 2)

    init() throws { library = try LibraryProgram() }

    /// A photo that libvips decodes, with a film behind it.
    private func motionPhoto(_ name: String, offset: Int = film.count) throws -> Data {
        let photo = try Data(contentsOf: URL(fileURLWithPath: plain(name)))
        let packet = XMPMaker.packet([("GCamera:MicroVideo", "1"), ("GCamera:MicroVideoOffset", "\(offset)")])
        let body = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8)
        let segment = [0xFF, 0xE1] + big(body.count + 2, 2) + body
        return photo.prefix(2) + Data(segment) + photo.dropFirst(2) + Data(Self.film)
    }

    private func plain(_ name: String) throws -> String {
        let path = library.folder.path(name)
        try TestImages.photo(width: 40, height: 30).save(path, oriented: .up)
        return path
    }

    private func run(_ arguments: String...) async throws -> BuiltProgram.Result {
        try await library.run(all: ["extract-video"] + arguments)
    }

    @Test("writes the films of photos, which keep their bytes, and names them everywhere")
    func films() async throws {
        try library.write("library/a.jpg", Array(try motionPhoto("plain.jpg")))
        let photo = library.folder.path("library/a.jpg")
        let before = try library.folder.data("library/a.jpg")
        let result = try await run(photo, "-o", library.folder.path("films") + "/", "--json")
        #expect(result.code == 0, "\(result.errors)")
        #expect(
            result.json["bytes"] as? Int == Self.film.count && result.json["kind"] as? String == "micro-video"
        )
        #expect(try Array(library.folder.data("films/a.mp4")) == Self.film)
        #expect(try library.folder.data("library/a.jpg") == before)
        // Again is no error, another file is.
        #expect(try await run(photo, "-o", library.folder.path("films/a.mp4")).code == 0)
        try library.write("films/a.mp4", FilmMaker.film(seconds: 9))
        let kept = try await run(photo, "-o", library.folder.path("films/a.mp4"))
        #expect(kept.code == 73 && kept.errors.contains("already exists"))
        #expect(try await run(photo, "-o", library.folder.path("films/a.mp4"), "--overwrite").code == 0)
        #expect(try Array(library.folder.data("films/a.mp4")) == Self.film)
        #expect(library.folder.names.contains("films") && library.folder.files(below: "films") == ["a.mp4"])
        // Reports.
        let info = try await library.run(all: ["info", photo, "--json"])
        #expect((info.json["film"] as? [String: Any])?["bytes"] as? Int == Self.film.count)
        try await library.run("init")
        try await library.run("index")
        let show = try await library.run("show", "a.jpg", "--json")
        #expect((show.json["film"] as? [String: Any])?["bytes"] as? Int == Self.film.count)
        let list = try await library.run("list", "--where", "is:motion", "--json")
        #expect(list.lines.map { $0["path"] as? String } == ["a.jpg"])
        let others = try await library.run("list", "--where", "-is:motion", "--json")
        #expect(others.code == 0 && others.lines.isEmpty, "\(others.errors)")
    }

    @Test("says in one sentence which photo has no film")
    func refusals() async throws {
        let photo = try plain("plain.jpg")
        let none = try await run(photo, "-o", library.folder.path("a.mp4"))
        #expect(none.code == 65)
        #expect(none.errors == "viewport: \(photo): is no motion photo, it states no film\n")
        try library.write("lying.jpg", Array(try motionPhoto("other.jpg", offset: 1 << 30)))
        let lying = try await run(library.folder.path("lying.jpg"), "-o", library.folder.path("a.mp4"))
        #expect(lying.code == 65)
        #expect(
            lying.errors.contains("lying.jpg: states a film (micro-video) of 1073741824 bytes, but has only"))
        let both = try await run(
            photo, library.folder.path("lying.jpg"), "-o", library.folder.path("films") + "/")
        #expect(both.code == 3 && both.errors.split(separator: "\n").count == 2)
        #expect(try await run(library.folder.path("missing.jpg"), "-o", "-").code == 66)
        let file = try await run(photo, photo, "-o", library.folder.path("a.mp4"))
        #expect(file.code == 64 && file.errors.contains("several photos need a folder"))
        let info = try await library.run(all: ["info", library.folder.path("lying.jpg")])
        #expect(info.code == 0 && info.text.contains("film      states a film (micro-video)"))
        #expect(!FileManager.default.fileExists(atPath: library.folder.path("a.mp4")))
    }
}
