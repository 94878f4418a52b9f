import Foundation
import TestHarness
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

/// Shrinking on load must leave at least one pixel per side, otherwise libvips terminates the process.
@Suite("A thin or tiny image")
struct ThinImagesTests {
    /// The saver of a format, and the factors by which its loader shrinks.
    struct Writer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        let ending: String
        let saver: String
        var arguments: [String: VipsArgument] = [:]
        /// The longest side that the format, or a test's timeout, allows.
        var longest = 27397

        static let all: [Writer] = [
            Writer(testDescription: "baseline JPEG", ending: "jpg", saver: "jpegsave"),
            Writer(
                testDescription: "progressive JPEG", ending: "jpg", saver: "jpegsave",
                arguments: ["interlace": .bool(true)]),
            Writer(testDescription: "PNG", ending: "png", saver: "pngsave", longest: 2739),
            Writer(
                testDescription: "interlaced PNG", ending: "png", saver: "pngsave",
                arguments: ["interlace": .bool(true)], longest: 2739),
            Writer(testDescription: "WebP", ending: "webp", saver: "webpsave", longest: 16383),
            Writer(testDescription: "TIFF", ending: "tif", saver: "tiffsave", longest: 2739),
            Writer(
                testDescription: "TIFF of pages", ending: "tif", saver: "tiffsave",
                arguments: ["pyramid": .bool(true), "tile": .bool(true)], longest: 2739),
            Writer(
                testDescription: "TIFF of SubIFDs", ending: "tif", saver: "tiffsave",
                arguments: ["pyramid": .bool(true), "tile": .bool(true), "subifd": .bool(true)],
                longest: 2739),
            Writer(testDescription: "GIF", ending: "gif", saver: "gifsave", longest: 2739),
            Writer(
                testDescription: "AVIF", ending: "avif", saver: "heifsave",
                arguments: ["compression": .name("av1"), "effort": .int(0)], longest: 301),
            Writer(testDescription: "HEIC", ending: "heic", saver: "heifsave", longest: 301),
        ]

        /// Whether the installed libvips writes it.
        var isInstalled: Bool {
            (try? TestImages.photo(width: 16, height: 16).saved(with: saver + "_buffer", arguments)) != nil
        }

        var sizes: [(Int, Int)] {
            let sides = [1, 2, 3, 5, 7]
            return sides.flatMap { side in
                let long = side == 1 || TestLength.isLong ? longest : longest / 5
                return [(side, 1), (side, 3), (side, 7), (side, 64), (side, long), (long, side)]
            }
        }
    }

    /// Returns all sizes of a side below 8 pixels, or a few small sizes and steps by 3/8 of a longer side.
    static func targets(_ length: Int) -> [Int] {
        if length < 8 { return Array(1...length) }
        var targets: [Int] = [1, 2, 3, 5, 8]
        var next = length
        while next > 9 {
            targets.append(next)
            next = next * 3 / 8
        }
        return targets
    }

    @Test("can be shrunk down to one pixel", arguments: Writer.all.filter(\.isInstalled))
    func shrunk(_ writer: Writer) throws {
        let folder = try TemporaryFolder()
        for (width, height) in writer.sizes {
            let path = folder.path("\(width)x\(height).\(writer.ending)")
            try TestImages.flat([200, 90, 40], width: width, height: height).save(
                path, with: writer.saver, writer.arguments)
            let file = try ImageFile.open(path)
            #expect(file.storedSize == PixelSize(width: width, height: height))
            for level in file.source.pyramid.levels {
                #expect(!level.size.isEmpty, "\(path) \(level)")
                // A level returns as many rows as its size has.
                let reader = try file.source.open(level)
                var rows = 0
                try reader.read(PixelRect(reader.level.size)) { _ in rows += 1 }
                #expect(rows == reader.level.size.height && rows > 0, "\(path) \(level)")
            }
            let whole = Rect<ImageSpace>(x: 0, y: 0, width: Double(width), height: Double(height))
            let longest = max(width, height)
            for target in Self.targets(longest) {
                let size = PixelSize<OutputGrid>(
                    width: max(1, width * target / longest), height: max(1, height * target / longest))
                let picture = try ViewportRenderer().renderSynchronously(
                    Viewport(imageRect: whole, size: size), of: file
                )
                .picture
                // A uniform color is unchanged, except for compression.
                let color = picture.bytes.prefix(3)
                let isNear = zip(color, [200, 90, 40]).allSatisfy { abs(Int($0) - $1) < 24 }
                #expect(picture.size == size && isNear, "\(path) at \(target): \(Array(color))")
            }
        }
    }

    @Test("that is a drawing has rows at every level")
    func drawn() async {
        // Once allowed, loaders stay so, which other tests of this process would see.
        await #expect(processExitsWith: .success) {
            guard VipsLibrary.hasOperation("svgload") else { return }
            try ViewportRuntime.allowUntrustedLoaders()
            let folder = try TemporaryFolder()
            for (width, height) in [(1, 1), (1, 3000), (3, 3000), (3000, 2), (7, 64)] {
                let path = folder.path("\(width)x\(height).svg")
                let text = """
                    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">\
                    <rect width="100%" height="100%" fill="#c85a28"/></svg>
                    """
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
                let file = try ImageFile.open(path)
                for level in file.source.pyramid.levels {
                    let reader = try file.source.open(level)
                    var rows = 0
                    try reader.read(PixelRect(reader.level.size)) { _ in rows += 1 }
                    #expect(rows == reader.level.size.height && rows > 0, "\(path) \(level)")
                }
            }
        }
    }
}
