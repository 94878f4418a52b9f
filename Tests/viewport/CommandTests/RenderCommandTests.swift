import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport render")
struct RenderCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// Returns a folder with a photo that is stored rotated by 90 degrees; upright it has 300 x 400 pixels.
    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .right)
        return folder
    }

    @Test("writes NAME.viewport.png into the current folder and prints its path")
    func plain() async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(["render", "photo.jpg"], in: folder.url)
        #expect(result.code == 0 && result.errors.isEmpty)
        #expect(result.text == "photo.viewport.png\n")
        let picture = try VipsImage.load(folder.path("photo.viewport.png"), with: "pngload", [:])
        #expect((picture.width, picture.height) == (300, 400))
        #expect(!picture.has("orientation") && !picture.has("exif-data"))
        #expect(folder.names == ["photo.jpg", "photo.viewport.png"])
    }

    /// The arguments of a request, and the resulting size, zoom and offset.
    static let requests: [([String], width: Int, height: Int, zoom: Double, offset: [Double])] = [
        (["--rect", "10,20,100,50"], 100, 50, 1, [10, 20]),
        (["--zoom", "2", "--rect", "10,20,100,50"], 200, 100, 2, [20, 40]),
        (["--rect", "pct:10,10,50,25", "--zoom", "0.5"], 75, 50, 0.5, [15, 20]),
        (["--size", "100x100", "--rect", "50,50,50,25"], 100, 100, 2, [100, 75]),
        (["--size", "100x80", "--zoom", "0.5", "--center", "150,200"], 100, 80, 0.5, [25, 60]),
        (["--size", "100x80", "--zoom", "1", "--offset", "-20,-10"], 100, 80, 1, [-20, -10]),
        (["--size", "120x120"], 90, 120, 0.3, [0, 0]),
        (["--size", "120"], 90, 120, 0.3, [0, 0]), (["-s", "x120", "--fit"], 90, 120, 0.3, [0, 0]),
        (["--size", "600x"], 600, 800, 2, [0, 0]),
        (["--size", "600X900", "--max-zoom", "100%"], 300, 400, 1, [0, 0]),
        (["--size", "120x120", "--content-mode", "scaleAspectFit"], 120, 120, 0.3, [-15, 0]),
        (["--size", "100x100", "--rect", "50,50,50,25", "--crop"], 100, 50, 2, [100, 100]),
        (["--size", "x50", "--rect", "50,50,50,25"], 100, 50, 2, [100, 100]),
        (
            ["--size", "80x80", "--rect", "50, 50, 50, 25", "--content-mode", "scaleToFill"], 80, 80, 1.6,
            [80, 160]
        ),
        (
            ["--size", "80x80", "--rect", "50,50,50,25", "--content-mode", "scaleAspectFill"], 80, 80, 3.2,
            [200, 160]
        ),
        (["--rotate", "-90", "--rect", "0,0,400,300"], 400, 300, 1, [0, 0]),
        (["--size", "120x120", "--content-mode", "scaleAspectFill"], 120, 120, 0.4, [0, 20]),
        (["--size", "120x120", "--content-mode", "topLeft"], 120, 120, 1, [0, 0]),
        (["--zoom", "0.5"], 150, 200, 0.5, [0, 0]),
        (["--zoom", "0.5", "--min-zoom", "0.75"], 225, 300, 0.75, [0, 0]),
        (["--size", "50x50", "--scale", "2", "--zoom", "1", "--offset", "10,20"], 100, 100, 1, [10, 20]),
        (["--rotate", "90", "--rect", "0,0,400,300"], 400, 300, 1, [0, 0]),
        (["--no-orient", "--rect", "0,0,400,300"], 400, 300, 1, [0, 0]),
    ]

    @Test("reports its result as one line of JSON", arguments: requests)
    func report(
        _ arguments: [String], _ width: Int, _ height: Int, _ zoom: Double, _ offset: [Double]
    ) async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(
            ["render", folder.path("photo.jpg"), "-o", folder.path("view.png"), "--json"] + arguments)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.text.split(separator: "\n").count == 1)
        let json = result.json
        #expect(json["width"] as? Int == width)
        #expect(json["height"] as? Int == height)
        #expect(abs((json["zoomScale"] as? Double ?? 0) - zoom) < 1e-9)
        for (got, expected) in zip(json["contentOffset"] as? [Double] ?? [], offset) {
            #expect(abs(got - expected) < 1e-9)
        }
        let keys: Set = [
            "path", "output", "outputs", "width", "height", "requested", "zoomScale", "contentOffset",
            "visibleRect",
            "limits", "showsMore", "gainMap", "look", "reading", "level", "storedRect", "remote", "ms",
        ]
        #expect(Set(json.keys) == keys)
        #expect(
            Set((json["ms"] as? [String: Any] ?? [:]).keys) == ["open", "read", "scale", "encode", "total"])
        let picture = try VipsImage.load(folder.path("view.png"), with: "pngload", [:])
        #expect((picture.width, picture.height) == (width, height))
    }

    @Test(
        "writes every format, to a file and to standard output",
        arguments: ["png", "jpg", "webp", "avif", "tif"])
    func formats(_ format: String) async throws {
        let folder = try Self.folder()
        let photo = folder.path("photo.jpg")
        let named = try await Self.viewport.run(
            [
                "render", photo, "--size", "64x48", "--content-mode", "center", "--background", "navy", "-o",
                folder.path("view.\(format)"),
            ])
        #expect(named.code == 0, "\(named.errors)")
        let piped = try await Self.viewport.run(
            [
                "render", photo, "--size", "64x48", "--content-mode", "center", "--background", "navy", "-o",
                "-", "--format", format,
            ])
        #expect(piped.code == 0)
        #expect(piped.output == (try Data(contentsOf: URL(fileURLWithPath: folder.path("view.\(format)")))))
        try piped.output.write(to: URL(fileURLWithPath: folder.path("piped")))
        let loader = try VipsImage.loader(for: folder.path("piped"))
        let picture = try VipsImage.load(folder.path("piped"), with: loader, [:])
        #expect((picture.width, picture.height) == (64, 48))
    }

    @Test("tags its PNG as sRGB and holds 16 bits on request")
    func png() async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(
            ["render", folder.path("photo.jpg"), "--rect", "0,0,9,9", "--depth", "16", "-o", "-"])
        #expect(result.output.range(of: Data("sRGB".utf8)) != nil)
        #expect(result.output[24] == 16)
        #expect(result.output.range(of: Data("eXIf".utf8)) == nil)
    }

    @Test("gives the same bytes every time")
    func same() async throws {
        let folder = try Self.folder()
        let arguments = ["render", folder.path("photo.jpg"), "--zoom", "0.37", "-o", "-"]
        #expect(try await Self.viewport.run(arguments).output == Self.viewport.run(arguments).output)
    }

    @Test("keeps an existing output until the new picture is complete")
    func replaced() async throws {
        let folder = try Self.folder()
        let output = folder.url.appendingPathComponent("view.png")
        // An empty file has no contents to lose.
        try Data().write(to: output)
        _ = try await Self.viewport.run([
            "render", folder.path("photo.jpg"), "--rect", "9999,0,1,1", "-o", output.path,
        ])
        #expect(try Data(contentsOf: output).isEmpty)
        _ = try await Self.viewport.run([
            "render", folder.path("photo.jpg"), "--rect", "0,0,1,1", "-o", output.path,
        ])
        #expect(try Data(contentsOf: output).starts(with: [0x89, 0x50]))
        #expect(folder.names == ["photo.jpg", "view.png"])
    }
}
