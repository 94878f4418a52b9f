import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport")
struct InfoCommandTests {
    static let viewport = BuiltProgram("viewport")

    @Test("info reports format and access method")
    func info() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .left)
        let text = try await Self.viewport.run(["info", folder.path("photo.jpg")])
        #expect(text.code == 0)
        #expect(text.text.contains("300 x 400 upright"))
        let json = try await Self.viewport.run(["info", folder.path("photo.jpg"), "--json"]).json
        #expect(json["format"] as? String == "jpeg")
        #expect(json["width"] as? Int == 300)
        #expect(json["storedWidth"] as? Int == 400)
        #expect(json["orientation"] as? Int == 8)
        #expect(json["levels"] as? [[Int]] == [[400, 300], [200, 150], [100, 75], [50, 37]])
        #expect(json["profile"] is NSNull)
    }

    @Test("info counts pages and levels", arguments: [("pyramid", 1, 3), ("pages", 2, 1)])
    func levels(_ name: String, _ pages: Int, _ levels: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.tif")
        let photo = try TestImages.photo(width: 512, height: 512)
        if name == "pyramid" {
            try photo.save(
                path, with: "tiffsave",
                [
                    "tile": .bool(true), "pyramid": .bool(true), "tile_width": .int(128),
                    "tile_height": .int(128),
                ])
        } else {
            let tall = try TestImages.photo(width: 64, height: 128)
            try tall.withPageHeight(64).save(path, with: "tiffsave")
        }
        let json = try await Self.viewport.run(["info", path, "--json"]).json
        #expect(json["pages"] as? Int == pages)
        #expect((json["levels"] as? [Any])?.count == levels)
    }

    @Test("render help shows defaults as users write them", arguments: ["bash", "zsh", "fish"])
    func help(_ shell: String) async throws {
        #expect(
            try await Self.viewport.run(["--generate-completion-script", shell]).text.contains("viewport"))
        let help = try await Self.viewport.run(["render", "--help"]).text
        #expect(help.contains("--content-mode") && help.contains("(default transparent)"))
        #expect(!help.contains("Argument("), "defaults are shown as users write them")
        #expect(try await Self.viewport.run(["nonsense"]).code == 64)
    }
}
