import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("viewport render --look")
struct LookCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// Returns a folder with pano.jpg, which states its panorama, and flat.jpg, which does not.
    static func folder(
        crop: String = "0,0,512,256", of whole: String = "512,256"
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 512, height: 256).save(folder.path("flat.jpg"), with: "jpegsave")
        let (part, full) = (
            crop.split(separator: ",").map(String.init), whole.split(separator: ",").map(String.init)
        )
        let flat = [UInt8](try Data(contentsOf: folder.url.appending(path: "flat.jpg")))
        let pano = XMPMaker.jpeg(
            flat,
            with: [
                ("GPano:ProjectionType", "equirectangular"), ("GPano:FullPanoWidthPixels", full[0]),
                ("GPano:FullPanoHeightPixels", full[1]), ("GPano:CroppedAreaLeftPixels", part[0]),
                ("GPano:CroppedAreaTopPixels", part[1]), ("GPano:CroppedAreaImageWidthPixels", part[2]),
                ("GPano:CroppedAreaImageHeightPixels", part[3]), ("GPano:InitialViewPitchDegrees", "12"),
            ])
        try Data(pano).write(to: folder.url.appending(path: "pano.jpg"))
        return folder
    }

    @Test("writes the view that ViewportRenderer makes, and reports the look")
    func view() async throws {
        let folder = try Self.folder()
        let run = try await Self.viewport.run(
            [
                "render", "pano.jpg", "--look", "-30,10,5", "--fov", "80", "-s", "90x60", "--json", "-o",
                "view.png",
            ],
            in: folder.url)
        #expect(run.code == 0, "\(run.errors)")
        let look = try #require(run.json["look"] as? [String: Any])
        #expect(
            look["yaw"] as? Double == -30 && look["pitch"] as? Double == 10 && look["roll"] as? Double == 5)
        #expect(look["fov"] as? Double == 80 && look["projection"] as? String == "rectilinear")
        #expect(run.json["width"] as? Int == 90 && run.json["visibleRect"] == nil)
        let file = try ImageFile(path: folder.path("pano.jpg"))
        let frame = LookFrame(
            Look(yaw: -30, pitch: 10, roll: 5, fieldOfView: 80), size: Size(width: 90, height: 60))
        let made = try ViewportRenderer().renderSynchronously(frame, into: file.panorama(), of: file).picture
        let written = try VipsImage.load(folder.path("view.png"), with: "pngload", [:])
        #expect(try written.pixels().copied() == made.bytes)
    }

    @Test("needs metadata or --panorama, and names the remedy")
    func flat() async throws {
        let folder = try Self.folder()
        let look = ["--look", "0,0", "-s", "40x30", "-o", "view.png"]
        let refused = try await Self.viewport.run(["render", "flat.jpg"] + look, in: folder.url)
        #expect(
            refused.code == 65 && refused.errors.contains("GPano") && refused.errors.contains("--panorama"))
        let taken = try await Self.viewport.run(["render", "flat.jpg", "--panorama"] + look, in: folder.url)
        #expect(taken.code == 0, "\(taken.errors)")
        let cropped = try Self.folder(crop: "0,0,400,400", of: "800,400")
        let wrong = try await Self.viewport.run(["render", "pano.jpg"] + look, in: cropped.url)
        #expect(wrong.code == 65 && wrong.errors.contains("400x400"))
    }

    @Test(
        "refuses options of rectangles, and angles that the projection cannot show",
        arguments: [
            "--look 0,0 --rect 0,0,1,1", "--look 0,0 --zoom 2", "--look 0,0 --fov 171", "--fov 90",
            "--look 0,91", "--look 1", "--look 0,0 -s 100x", "--look 0,0 --keep-metadata", "--panorama",
            "--look 0,0 --rotate 90", "--look 0,0 --projection flat", "--faces -o x.png",
            "--faces --look 0,0 -o f/",
            "--faces -s 10x20 -o f/", "--look 0,0 --lossless -o x.jpg",
        ])
    func refused(_ options: String) async throws {
        let folder = try Self.folder()
        let run = try await Self.viewport.run(
            ["render", "pano.jpg"] + options.split(separator: " ").map(String.init), in: folder.url)
        #expect(run.code == 64, "\(options): \(run.code) \(run.errors)")
    }

    @Test("makes the looks of the lines of a manifest")
    func manifest() async throws {
        let folder = try Self.folder()
        let lines = """
            {"path":"pano.jpg","id":"a","look":[30,-10],"fov":70,"size":[40,30]}
            {"path":"pano.jpg","id":"b","look":"0,90","projection":"stereographic","size":"20x20"}
            {"path":"flat.jpg","id":"c","look":[0,0],"size":[20,20]}
            {"path":"flat.jpg","id":"d","look":[0,0],"panorama":true,"size":[20,20]}

            """
        try Data(lines.utf8).write(to: folder.url.appending(path: "list.jsonl"))
        let run = try await Self.viewport.run(
            ["render", "--manifest", "list.jsonl", "--results", "done.jsonl", "-o", "{id}.png"],
            in: folder.url)
        #expect(run.code == 3, "\(run.errors)")
        let single = try await Self.viewport.run(
            ["render", "pano.jpg", "--look", "30,-10", "--fov", "70", "-s", "40x30", "-o", "single.png"],
            in: folder.url)
        #expect(single.code == 0)
        let (a, b) = try (
            VipsImage.load(folder.path("a.png"), with: "pngload", [:]).pixels().copied(),
            VipsImage.load(folder.path("single.png"), with: "pngload", [:]).pixels().copied()
        )
        #expect(a == b)
        for (name, isThere) in [("b", true), ("c", false), ("d", true)] {
            #expect(FileManager.default.fileExists(atPath: folder.path("\(name).png")) == isThere, "\(name)")
        }
    }

    @Test("writes the faces of a cube, which meet at their edges")
    func faces() async throws {
        let folder = try Self.folder()
        let run = try await Self.viewport.run(
            ["render", "pano.jpg", "--faces", "-s", "256", "--json", "-o", "cube/"], in: folder.url)
        #expect(run.code == 0, "\(run.errors)")
        #expect((run.json["outputs"] as? [[String: Any]])?.count == 6)
        func column(_ face: String, _ x: Int) throws -> [UInt8] {
            let image = try VipsImage.load(folder.path("cube/\(face).png"), with: "pngload", [:])
            #expect(image.width == 256 && image.height == 256)
            return try image.cropped(to: PixelRect(x: x, y: 0, width: 1, height: 256)).pixels().copied()
        }
        for (left, right) in [("front", "right"), ("right", "back"), ("back", "left"), ("left", "front")] {
            #expect(try Comparing.psnr(column(left, 255), column(right, 0)) > 22, "\(left) and \(right)")
        }
        let again = try await Self.viewport.run(
            ["render", "pano.jpg", "--faces", "-s", "256", "-o", "cube/"], in: folder.url)
        #expect(again.code == 0, "own files are replaced: \(again.errors)")
    }

    @Test("is described by info")
    func info() async throws {
        let folder = try Self.folder(crop: "0,128,512,256", of: "1024,512")
        let run = try await Self.viewport.run(["info", "pano.jpg", "--json"], in: folder.url)
        let panorama = try #require(run.json["panorama"] as? [String: Any])
        #expect(panorama["projection"] as? String == "equirectangular")
        #expect(
            panorama["fullWidth"] as? Int == 1024 && panorama["croppedArea"] as? [Int] == [0, 128, 512, 256])
        #expect(panorama["initialPitch"] as? Double == 12 && panorama["defect"] is NSNull)
        let table = try await Self.viewport.run(["info", "pano.jpg"], in: folder.url)
        #expect(table.text.contains("panorama  equirectangular, 512x256 at 0,128 of 1024x512"))
        let flat = try await Self.viewport.run(["info", "flat.jpg", "--json"], in: folder.url)
        #expect(flat.json["panorama"] is NSNull)
    }
}
