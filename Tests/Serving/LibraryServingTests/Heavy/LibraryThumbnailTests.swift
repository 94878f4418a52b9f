#if Server && Library
import AssetRendering
import Foundation
import PhotoCatalog
import TestSupport
import TestHarness
import Testing
import TileServing
import ViewportGeometry
import Vips

@Suite("Thumbnails of a library", .inTurn)
struct LibraryThumbnailTests {
    /// Writes a picture, 600x400 upright and red in the left third, so that its central square is red on the left, too.
    private static func write(_ orientation: Orientation, to path: String) throws {
        var bytes: [UInt8] = []
        for _ in 0..<400 { for x in 0..<600 { bytes += x < 200 ? [250, 20, 20] : [20, 20, 60] } }
        let upright = try VipsImage.pixels(
            bytes, width: 600, height: 400, bands: 3, format: .uint8, interpretation: "srgb")
        try upright.turned(orientation.inverse).save(path, oriented: orientation)
    }

    private static func address(_ running: RunningLibrary, _ path: String, _ form: String) async throws
        -> String
    {
        let asset = try #require(try await running.library.asset(path: path))
        return running.address + "thumbnail/\(asset.id)/\(asset.sha256.prefix(32))/\(form)"
    }

    @Test("are upright squares from the center", arguments: [Orientation.up, .right, .downMirrored])
    func upright(_ orientation: Orientation) async throws {
        try await RunningLibrary.with({ folder in
            try Self.write(orientation, to: folder.path("a.jpg"))
        }) { running in
            for (form, width, height) in [("128", 128, 128), ("256", 256, 256), ("whole", 600, 400)] {
                let answer = try await running.probe.send(try await Self.address(running, "a.jpg", form))
                #expect(answer.status == 200 && answer.headers["content-type"] == "image/jpeg")
                let path = running.folder.path("thumbnail.jpg")
                try Data(answer.body).write(to: URL(filePath: path))
                let image = try VipsImage.load(path, with: "jpegload", [:])
                #expect(image.width == width && image.height == height)
                let pixels = try image.pixels().copied()
                func red(_ x: Int, _ y: Int) -> UInt8 { pixels[(y * width + x) * 3] }
                #expect(red(4, height / 2) > 200 && red(width - 5, height / 2) < 60)
                #expect(red(4, 4) > 200 && red(4, height - 5) > 200)
            }
        }
    }

    @Test("have entity tags, and are cached permanently under URLs that contain the version")
    func tags() async throws {
        try await RunningLibrary.with({ folder in
            try Self.write(.up, to: folder.path("a.jpg"))
        }) { running in
            let target = try await Self.address(running, "a.jpg", "256")
            let first = try await running.probe.send(target)
            let tag = try #require(first.headers["etag"])
            #expect(tag.hasPrefix("\"") && first.headers["cache-control"]?.contains("immutable") == true)
            let second = try await running.probe.send(target, headers: [("If-None-Match", tag)])
            #expect(second.status == 304 && second.body.isEmpty && second.headers["etag"] == tag)
            let cover = try await running.probe.send(running.address + "cover/all")
            #expect(cover.body == first.body && cover.headers["cache-control"] == "no-cache")

            // The file gets another picture: requested first before, then after it is indexed.
            try Self.write(.down, to: running.folder.path("a.jpg"))
            let unknown = try await running.probe.send(target, headers: [("If-None-Match", tag)])
            #expect(unknown.status == 200 && unknown.headers["cache-control"] == "no-cache")
            try await running.library.index()
            let outdated = try await running.probe.send(target)
            #expect(outdated.headers["cache-control"] == "no-cache" && outdated.headers["etag"] != tag)
            let new = try await Self.address(running, "a.jpg", "256")
            #expect(new != target)
            #expect(try await running.probe.send(new).headers["cache-control"]?.contains("immutable") == true)
        }
    }

    @Test("are covers of the newest photo that can be decoded")
    func covers() async throws {
        try await RunningLibrary.with({ folder in
            for (number, name) in ["old.jpg", "new.jpg", "newest.jpg"].enumerated() {
                let photo = try TestImages.photo(width: 300, height: 200, seed: UInt64(number))
                    .saved(with: "jpegsave_buffer", [:])
                let dated = TinyPhoto.jpeg(date: "201\(number):05:25 10:00:00")
                // The EXIF segment of one and the rest of the other; only the oldest has all of its rows.
                let exif = dated[..<(4 + Int(dated[4]) << 8 + Int(dated[5]))]
                let rest = photo.dropFirst(2)
                try Data(exif + (number == 0 ? rest : rest.prefix(rest.count / 3))).write(
                    to: folder.url.appendingPathComponent(name))
            }
        }) { running in
            let cover = try await running.probe.send(running.address + "cover/all")
            let old = try await running.probe.send(try await Self.address(running, "old.jpg", "256"))
            #expect(cover.status == 200 && old.status == 200 && cover.body == old.body)
            for name in ["new.jpg", "newest.jpg"] {
                let damaged = try await running.probe.send(try await Self.address(running, name, "256"))
                #expect(damaged.status == 422)
            }
            let page = try await running.probe.send(running.address)
            #expect(page.text.contains("No picture</p><img"))
            // Without any, the answer names the fault of the newest.
            try FileManager.default.removeItem(atPath: running.folder.path("old.jpg"))
            try await running.library.index()
            let none = try await running.probe.send(running.address + "cover/all")
            #expect(none.status == 422 && none.text.contains("damaged"), "\(none.text)")
        }
    }

    @Test("come from the library where they are stored, without decoding the photo")
    func stored() async throws {
        try await RunningLibrary.with({ folder in
            for name in ["a.jpg", "b.jpg"] {
                try TestImages.photo(width: 900, height: 600, seed: UInt64(name.utf8.first!)).save(
                    folder.path(name), oriented: .up)
                try Self.date(folder.path(name))
            }
        }) { running in
            let target = try await Self.address(running, "a.jpg", "256")
            let rendered = try await running.probe.send(target)
            _ = try await running.library.index(undatedBy: nil, thumbnails: ThumbnailPlan(AssetThumbnails()))
            let stored = try await running.probe.send(target)
            #expect(stored.status == 200 && stored.headers["etag"] != rendered.headers["etag"])
            #expect(stored.headers["cache-control"]?.contains("immutable") == true)
            // Nothing can be decoded of the photo any more.
            try Self.destroy(running.folder.path("a.jpg"))
            for (form, side) in [("128", 128), ("256", 256), ("512", 512)] {
                let answer = try await running.probe.send(try await Self.address(running, "a.jpg", form))
                #expect(answer.status == 200 && answer.headers["content-type"] == "image/jpeg")
                let path = running.folder.path("../\(form)-\(UUID().uuidString).jpg")
                try Data(answer.body).write(to: URL(filePath: path))
                defer { try? FileManager.default.removeItem(atPath: path) }
                let image = try VipsImage.load(path, with: "jpegload", [:])
                #expect(image.width == side && image.height == side)
            }
            let tag = try #require(stored.headers["etag"])
            #expect(try await running.probe.send(target, headers: [("If-None-Match", tag)]).status == 304)
            let whole = try await Self.address(running, "a.jpg", "whole")
            #expect(try await running.probe.send(whole).status >= 400)
            // A file that was changed since is not shown as it was.
            try TestImages.photo(width: 300, height: 300).save(running.folder.path("b.jpg"), oriented: .up)
            let changed = try await running.probe.send(try await Self.address(running, "b.jpg", "512"))
            #expect(changed.status == 200 && changed.headers["cache-control"] == "no-cache")
        }
    }

    /// Overwrites a file with zeros, unnoticed by size, time and inode.
    private static func destroy(_ path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let count = Int(try file.seekToEnd())
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(count: count))
        try file.close()
        try date(path)
    }

    /// Sets a time without a fraction, which can be set again.
    private static func date(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_400_000_000)], ofItemAtPath: path)
    }

    @Test("keep transparency")
    func transparent() async throws {
        try await RunningLibrary.with({ folder in
            try TestImages.photo(width: 300, height: 200, bands: 4).save(
                folder.path("a.png"), with: "pngsave")
        }) { running in
            let answer = try await running.probe.send(try await Self.address(running, "a.png", "128"))
            #expect(answer.status == 200 && answer.headers["content-type"] == "image/png")
        }
    }

    @Test("are not made of missing files, damaged files, or links out of the library")
    func refused() async throws {
        let outside = try TemporaryFolder()
        try Self.write(.up, to: outside.path("secret.jpg"))
        try await RunningLibrary.with({ folder in
            for name in ["gone", "link", "broken"] {
                try Self.write(.up, to: folder.path("\(name).jpg"))
                // The files differ, because equal files would be detected as one that was moved.
                try Data(try folder.data("\(name).jpg") + Data(name.utf8)).write(
                    to: URL(filePath: folder.path("\(name).jpg")))
            }
        }) { running in
            let addresses = [
                try await Self.address(running, "gone.jpg", "256"),
                try await Self.address(running, "link.jpg", "256"),
                try await Self.address(running, "broken.jpg", "256"),
            ]
            let files = FileManager.default
            try files.removeItem(atPath: running.folder.path("gone.jpg"))
            try files.removeItem(atPath: running.folder.path("link.jpg"))
            try files.createSymbolicLink(
                atPath: running.folder.path("link.jpg"), withDestinationPath: outside.path("secret.jpg"))
            try Data("no picture".utf8).write(to: URL(filePath: running.folder.path("broken.jpg")))
            for address in addresses {
                let answer = try await running.probe.send(address)
                #expect(answer.status == 404, "\(address)")
                #expect(answer.text.split(separator: "\n").count == 1)
                #expect(!answer.text.contains(outside.url.path))
                #expect(!answer.text.contains(running.folder.url.path))
            }
        }
    }
}
#endif
