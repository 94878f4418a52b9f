import Foundation
import TestSupport
import Testing
import Vips

@Suite("viewport render, fitted or rotated")
struct FittingTests {
    static let viewport = BuiltProgram("viewport")

    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 300, height: 400).save(folder.path("photo.png"), with: "pngsave")
        return folder
    }

    @Test("reports a view that shows more than its rectangle, and shows only the rectangle with --crop")
    func more() async throws {
        let folder = try Self.folder()
        let rect = [
            "render", "photo.png", "-o", "view.png", "--json", "--size", "100x100", "--rect", "50,50,50,25",
        ]
        let more = try await Self.viewport.run(rect, in: folder.url)
        #expect(more.code == 0 && more.json["showsMore"] as? Bool == true)
        #expect(more.errors.contains("50,38,50,50") && more.errors.contains("--crop"), "\(more.errors)")
        let crop = try await Self.viewport.run(rect + ["--crop"], in: folder.url)
        #expect(crop.json["visibleRect"] as? [Double] == [50, 50, 50, 25] && crop.errors.isEmpty)
        #expect(crop.json["showsMore"] as? Bool == false)
        let quiet = try await Self.viewport.run(rect + ["--quiet"], in: folder.url)
        #expect(quiet.errors.isEmpty && quiet.json["showsMore"] as? Bool == true)
    }

    @Test(
        "adds no bars to a fitted picture",
        arguments: [["--size", "90x500"], ["--size", "500x90", "--fit"]])
    func bars(_ arguments: [String]) async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(
            ["render", "photo.png", "-o", "view.png", "--background", "red"] + arguments, in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        let view = try VipsImage.load(folder.path("view.png"), with: "pngload", [:])
        #expect(view.width == 90 && view.height == 120 || view.width == 68 && view.height == 90)
        #expect(view.bands == 3)
    }

    @Test("rotates by any angle; multiples of 90 degrees are exact")
    func angles() async throws {
        let folder = try Self.folder()
        var made: [String: Data] = [:]
        for angle in ["0", "360", "-360", "90", "-270", "450", "30"] {
            let result = try await Self.viewport.run(
                ["render", "photo.png", "--rotate", angle, "--depth", "16", "-o", "-"], in: folder.url)
            #expect(result.code == 0, "\(result.errors)")
            made[angle] = result.output
        }
        #expect(made["0"] == made["360"] && made["0"] == made["-360"])
        #expect(made["90"] == made["-270"] && made["90"] == made["450"])
        try made["30"]?.write(to: folder.url.appendingPathComponent("turned.png"))
        let turned = try VipsImage.load(folder.path("turned.png"), with: "pngload", [:])
        // 300 cos 30° + 400 sin 30°, and vice versa.
        #expect(abs(turned.width - 460) <= 1 && abs(turned.height - 496) <= 1)
        #expect(turned.hasAlpha)
        let corner = try turned.pixels().copied()
        #expect(corner[6] == 0 && corner[7] == 0, "corners are transparent")
    }

    @Test(
        "fills the corners of a rotated picture with the background",
        arguments: [("jpg", "navy"), ("jpg", ""), ("png", "navy")])
    func corners(_ format: String, _ color: String) async throws {
        let folder = try Self.folder()
        let background = color.isEmpty ? [] : ["--background", color]
        let result = try await Self.viewport.run(
            ["render", "photo.png", "--rotate", "-45.5", "-o", "view.\(format)", "-Q", "95"] + background,
            in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        let view = try VipsImage.load(
            folder.path("view.\(format)"), with: format == "jpg" ? "jpegload" : "pngload", [:])
        #expect(view.bands == 3)
        let pixel = try Array(view.pixels().copied()[..<3]).map(Int.init)
        let expected = color.isEmpty ? [255, 255, 255] : [0, 0, 128]
        for (got, wanted) in zip(pixel, expected) { #expect(abs(got - wanted) <= 4) }
    }
}
