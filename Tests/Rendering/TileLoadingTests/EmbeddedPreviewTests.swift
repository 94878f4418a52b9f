import Basics
import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

@Suite("The embedded thumbnail of a large JPEG")
struct EmbeddedPreviewTests {
    /// Returns EXIF with an orientation and a thumbnail, which may have another orientation.
    static func exif(_ orientation: Orientation, _ thumbnail: [UInt8], _ own: Orientation?) -> [UInt8] {
        func directory(_ entries: [(tag: Int, type: Int, value: Int)], next: Int) -> [UInt8] {
            var writer = ByteWriter(.big)
            writer.append(entries.count, size: 2)
            for entry in entries {
                writer.append(entry.tag, size: 2)
                writer.append(entry.type, size: 2)
                writer.append(1, size: 4)
                // A SHORT is stored in the first two of the four bytes.
                writer.append(entry.type == 3 ? entry.value << 16 : entry.value, size: 4)
            }
            writer.append(next, size: 4)
            return writer.bytes
        }
        let main = directory([(0x0112, 3, orientation.rawValue)], next: 8 + 18)
        let turned = own.map { [(0x0112, 3, $0.rawValue)] } ?? []
        let start = 8 + main.count + 6 + 12 * (turned.count + 2)
        let second = directory(turned + [(0x0201, 4, start), (0x0202, 4, thumbnail.count)], next: 0)
        return Array("MM".utf8) + [0, 42, 0, 0, 0, 8] + main + second + thumbnail
    }

    static func file(
        _ folder: TemporaryFolder, orientation: Orientation = .up, thumbnail size: (Int, Int),
        turned: Orientation? = nil
    ) throws -> ImageFile {
        let photo = try TileLoaderTests.photo.get()
        let small = try TestImages.photo(width: size.0, height: size.1)
            .saved(with: "jpegsave_buffer", ["strip": .bool(true)])
        let block = Array("Exif\0\0".utf8) + exif(orientation, small, turned)
        var writer = ByteWriter(.big, [0xFF, 0xD8, 0xFF, 0xE1])
        writer.append(block.count + 2, size: 2)
        writer.append(contentsOf: block)
        writer.append(
            contentsOf: try photo.saved(with: "jpegsave_buffer", ["strip": .bool(true)]).dropFirst(2))
        let path = folder.path("photo.jpg")
        try Data(writer.bytes).write(to: URL(fileURLWithPath: path))
        return try ImageFile.open(path)
    }

    @Test(
        "is an associated image, turned like the image", arguments: [Orientation.up, .right],
        [nil, Orientation.right])
    func associated(_ orientation: Orientation, _ own: Orientation?) throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder, orientation: orientation, thumbnail: (160, 120), turned: own)
        #expect(file.associatedNames == ["thumbnail"])
        let found = try #require(try file.openAssociated("thumbnail"))
        #expect(found.orientation == own ?? orientation)
        #expect(found.storedSize == PixelSize(width: 160, height: 120))
        #expect(try file.openAssociated("label")?.path == nil)
        var options = OpenOptions()
        options.appliesOrientation = false
        let stored = try ImageFile(path: file.path, options: options)
        #expect(try stored.openAssociated("thumbnail")?.orientation == .up)
    }

    @Test(
        "is the first refinement, before the file is read", arguments: [Orientation.up, .right],
        [nil, Orientation.right])
    func first(_ orientation: Orientation, _ own: Orientation?) async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder, orientation: orientation, thumbnail: (160, 120), turned: own)
        #expect(file.orientation == orientation)
        let viewport = TileLoaderTests.viewport(100, 70, 300, 240)
        let loader = TileLoader(side: 64, minimumPixels: 640 * 480)
        let all = try await ViewportRefinementsTests.all(viewport, file, loader)
        let isShown = own ?? orientation == orientation
        #expect((all[0].report.level?.size.width == 160) == isShown)
        #expect(all.map(\.isFinal) == Array(repeating: false, count: all.count - 1) + [true])
        #expect(all.map(\.share) == all.map(\.share).sorted())
        #expect(all.allSatisfy { $0.picture.size == viewport.size })
        let exact = try await ViewportRenderer().render(viewport, of: file).picture.bytes
        #expect(all.last?.picture.bytes == exact)
        if isShown {
            #expect(all.count >= 3 && all[0].share == 0)
            // It shows the same region.
            #expect(Comparing.psnr(all[0].picture.bytes, exact) > 15)
        }
        // Now the overview, which is better, is in memory.
        let again = try await ViewportRefinementsTests.all(viewport, file, loader)
        #expect(again[0].report.level?.size.width != 160)
    }

    @Test(
        "is not shown if its aspect ratio differs",
        arguments: [(160, 100), (120, 160), (160, 123), (8, 6)])
    func otherAspect(_ size: (Int, Int)) async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder, thumbnail: size)
        let viewport = TileLoaderTests.viewport(100, 70, 300, 240)
        let loader = TileLoader(side: 64, minimumPixels: 640 * 480)
        let all = try await ViewportRefinementsTests.all(viewport, file, loader)
        #expect(all[0].report.level?.size.width != size.0)
    }

    @Test(
        "has the aspect ratio of the image to within the rounding of a side",
        arguments: [
            (160, 120, 4000, 3000, true), (160, 107, 6000, 4000, true), (160, 106, 6000, 4000, true),
            (160, 120, 6000, 4000, false), (160, 109, 6000, 4000, false), (120, 160, 4000, 3000, false),
        ])
    func aspect(_ width: Int, _ height: Int, _ fullWidth: Int, _ fullHeight: Int, _ isReduced: Bool) {
        #expect(EmbeddedPreview.isReduced((width, height), of: (fullWidth, fullHeight)) == isReduced)
    }

    @Test("is not shown if it is damaged", arguments: [0, 2, 9, 200])
    func broken(_ count: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        _ = try Self.file(folder, thumbnail: (160, 120))
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        // The start of the thumbnail.
        let start = try #require((20..<200).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 })
        for index in (start + count)..<(start + count + 400) { bytes[index] = 0x55 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try ImageFile.open(path)
        let viewport = TileLoaderTests.viewport(100, 70, 300, 240)
        let loader = TileLoader(side: 64, minimumPixels: 640 * 480)
        let all = try await ViewportRefinementsTests.all(viewport, file, loader)
        let exact = try await ViewportRenderer().render(viewport, of: file).picture.bytes
        #expect(all.last?.picture.bytes == exact)
        #expect(all[0].report.level?.size.width != 160)
    }
}
