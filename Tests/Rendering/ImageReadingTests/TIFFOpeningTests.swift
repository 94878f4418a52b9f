import Files
import Foundation
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

@Suite("A tiled TIFF")
struct TIFFOpeningTests {
    /// A way to write a TIFF.
    struct Kind: CustomTestStringConvertible {
        var testDescription: String
        var arguments: [String: VipsArgument] = [:]
        /// The color space of its pixels.
        var space = "srgb"
        /// Whether it is read without libvips.
        var isDirect = true

        static let all: [Kind] = [
            Kind(testDescription: "uncompressed"),
            Kind(testDescription: "JPEG", arguments: ["compression": .name("jpeg")]),
            Kind(testDescription: "JPEG, 4:4:4", arguments: ["compression": .name("jpeg"), "Q": .int(95)]),
            Kind(
                testDescription: "gray JPEG", arguments: ["compression": .name("jpeg")],
                space: "b-w"),
            Kind(testDescription: "deflate", arguments: ["compression": .name("deflate")]),
            Kind(
                testDescription: "differences",
                arguments: ["compression": .name("deflate"), "predictor": .name("horizontal")]),
            Kind(
                testDescription: "levels in pages",
                arguments: ["compression": .name("jpeg"), "pyramid": .bool(true)]),
            Kind(testDescription: "BigTIFF", arguments: ["bigtiff": .bool(true), "pyramid": .bool(true)]),
            Kind(
                testDescription: "levels in SubIFDs",
                arguments: ["pyramid": .bool(true), "subifd": .bool(true)], isDirect: false),
            Kind(testDescription: "LZW", arguments: ["compression": .name("lzw")], isDirect: false),
            Kind(testDescription: "16 bits", space: "rgb16", isDirect: false),
            Kind(testDescription: "CMYK", space: "cmyk", isDirect: false),
        ]

        /// Writes a picture whose tiles are cut off at the right and at the bottom.
        func write(_ path: String, _ orientation: Orientation = .up) throws {
            var all: [String: VipsArgument] = [
                "tile": .bool(true), "tile_width": .int(64), "tile_height": .int(48),
            ]
            all.merge(arguments) { $1 }
            let photo = try TestImages.photo(width: 300, height: 214)
            try (space == "srgb" ? photo : photo.converted(to: space)).save(path, oriented: orientation, all)
        }
    }

    private static func loader(_ file: ImageFile) throws -> (header: VipsImage, source: any ImageSource) {
        let loader = LoaderFile(
            file: file.opened, loader: "VipsForeignLoadTiffFile", format: .tiff, options: OpenOptions())
        let header = try loader.header()
        return (
            header, HalvedSource(try LoaderSource(loader, header: header, pages: loader.pages(of: header)))
        )
    }

    private static func rows(
        _ source: any ImageSource, _ level: PyramidLevel, _ rect: PixelRect<StoredGrid>
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try source.open(level).read(rect) { row in
            // Lent during the call.
            unsafe row.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    @Test("has the pixels, levels and properties that libvips reads", arguments: Kind.all)
    func kinds(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("tiled.tif")
        try kind.write(path, .right)
        let file = try ImageFile.open(path)
        let (header, source) = try Self.loader(file)
        // Other tests allow loaders that libvips does not trust, for the whole process: files are opened by it then.
        let direct = TIFFTileSource(file.opened, OpenOptions())
        #expect((direct != nil) == kind.isDirect)
        let own: any ImageSource = direct.map { HalvedSource($0) } ?? file.source
        #expect(file.storedSize == header.size && file.bands == header.bands && file.pages == 1)
        #expect(file.hasAlpha == header.hasAlpha && file.interpretation == header.interpretation)
        #expect(file.fileOrientation == .right && file.exif?.orientation == 6)
        #expect(own.pyramid == source.pyramid && file.pyramid == source.nativePyramid)
        #expect(file.reading == source.description)
        #expect(try own.open(file.pyramid.full).pixels == source.open(source.pyramid.full).pixels)
        for level in source.pyramid.levels.prefix(3) {
            let size = try source.open(level).level.size
            let rects = [
                PixelRect<StoredGrid>(size),
                PixelRect(x: size.width - 3, y: size.height - 50, width: 3, height: 50),
                PixelRect(x: size.width / 5, y: 1, width: size.width / 2, height: size.height / 2),
            ]
            for rect in rects {
                let isEqual = try Self.rows(own, level, rect) == Self.rows(source, level, rect)
                #expect(isEqual, "\(rect) at level \(level.index)")
            }
        }
    }

    @Test("that is damaged has the pixels or the error of libvips", arguments: Kind.all.prefix(8))
    func damaged(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("damaged.tif")
        try kind.write(path)
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SplitMix64(seed: 7)
        for number in 0..<12 {
            var bytes = whole
            if number % 4 == 3 {
                bytes.removeLast(Int.random(in: 1..<bytes.count / 2, using: &random))
            } else {
                for _ in 0..<3 {
                    let at = Int.random(in: 8..<bytes.count - 40, using: &random)
                    for index in at..<(at + 40) { bytes[index] = UInt8.random(in: 0...255, using: &random) }
                }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            guard let file = try? ImageFile.open(path), file.source.pyramid.full.size.area < 1 << 20,
                let source = try? Self.loader(file).source
            else { continue }
            let rect = PixelRect<StoredGrid>(file.storedSize)
            let result = try? Self.rows(file.source, file.source.pyramid.full, rect)
            let expected = try? Self.rows(source, source.pyramid.full, rect)
            #expect(result == expected, "\(number)")
        }
    }

    @Test("is left to libvips where tiles or pages are not in the file")
    func incomplete() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("tiled.tif")
        try Kind.all[6].write(path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in [bytes.count / 3, bytes.count / 3 * 2] {
            let short = try OpenFile(bytes: bytes.prefix(count), name: "short.tif")
            let isRead = TIFFTileSource(short, OpenOptions()) != nil
            #expect(!isRead)
        }
        let isRead = try TIFFTileSource(OpenFile(bytes: bytes, name: "whole.tif"), OpenOptions()) != nil
        #expect(isRead)
    }
}
