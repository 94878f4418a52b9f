import Basics
import Containers
import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@testable import PyramidExport

@Suite("A pyramid TIFF for clouds")
struct CloudOptimizedTests {
    private static func export(
        _ name: String, _ format: TileFormat, in folder: TemporaryFolder,
        _ change: (inout ExportOptions) -> Void = { _ in }
    ) async throws -> [UInt8] {
        var options = ExportOptions(.tif)
        (options.tileSize, options.format) = (64, format)
        change(&options)
        try await PyramidExporter(options: options).export(
            try ImageFile(path: folder.path(name)), to: folder.path("out.tif"))
        return Array(try folder.data("out.tif"))
    }

    private static let sources = ["a.jpg", "a.png"]

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 300, height: 200)
        try photo.save(folder.path("a.jpg"), with: "jpegsave", [:])
        try photo.save(folder.path("a.png"), with: "pngsave", [:])
        return folder
    }

    @Test(
        "has its directories in front, then arrays, then tiles, those of the smallest level first",
        arguments: sources, [TileFormat.jpg, .png])
    func order(_ name: String, _ format: TileFormat) async throws {
        let tiff = TIFFTestReader(try await Self.export(name, format, in: Self.folder()))
        #expect(tiff.directories.count == 4 && tiff.places == tiff.places.sorted())
        #expect(tiff.places.allSatisfy { $0.isMultiple(of: 2) })
        let firstTile = try #require(tiff.directories.last?[324]?.first)
        // The arrays of tiles follow the last directory.
        let arrays = tiff.directories.indices.compactMap { tiff.arrays[$0] }
        #expect(arrays.joined().allSatisfy { $0 > tiff.places.last ?? 0 && $0 < firstTile })
        var next = firstTile
        for directory in tiff.directories.reversed() {
            for (offset, count) in zip(directory[324]!, directory[325]!) {
                #expect(offset == next)
                next = offset + count
            }
        }
        #expect(next + FileMark.length == tiff.bytes.count)
    }

    @Test("has sizes before its tiles and their last bytes behind them where asked", arguments: sources)
    func frames(_ name: String) async throws {
        let folder = try Self.folder()
        let plain = TIFFTestReader(try await Self.export(name, .jpg, in: folder))
        let tiff = TIFFTestReader(try await Self.export(name, .jpg, in: folder) { $0.framesTiles = true })
        let text = String(decoding: tiff.bytes[8..<(8 + 43 + 140)], as: UTF8.self)
        #expect(text.hasPrefix("GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\nLAYOUT=IFDS_BEFORE_DATA\n"))
        #expect(text.hasSuffix("\nKNOWN_INCOMPATIBLE_EDITION=NO\n "))
        #expect(tiff.places.allSatisfy { $0.isMultiple(of: 2) })
        for (framed, bare) in zip(tiff.directories, plain.directories) {
            for ((offset, count), start) in zip(zip(framed[324]!, framed[325]!), bare[324]!) {
                #expect(tiff.bytes.uint32(at: offset - 4, .little) == count)
                let tile = tiff.bytes[offset..<(offset + count)]
                #expect(tiff.bytes[(offset + count)..<(offset + count + 4)] == tile.suffix(4))
                #expect(tile.elementsEqual(plain.bytes[start..<(start + count)]))
            }
        }
        let image = try VipsImage.load(folder.path("out.tif"), with: "tiffload", [:])
        #expect((image.width, image.height) == (300, 200))
    }

    @Test("refuses such tiles in other layouts")
    func otherLayouts() async throws {
        let folder = try Self.folder()
        var options = ExportOptions(.dz)
        options.framesTiles = true
        await #expect(throws: ExportError.self) {
            try await PyramidExporter(options: options).export(
                try ImageFile(path: folder.path("a.png")), to: folder.path("a.dzi"))
        }
    }

    /// A TIFF of 8-bit samples that lies on a map.
    private static func map(orientation: Int = 1, in folder: TemporaryFolder) throws {
        try TestImages.photo(width: 300, height: 200).save(folder.path("plain.tif"), with: "tiffsave", [:])
        func doubles(_ tag: Int, _ values: [Double]) -> TIFFValue {
            TIFFValue(
                tag: tag, type: 12, count: values.count,
                bytes: values.flatMap { $0.bitPattern.bytes(.little) })
        }
        let tags = TIFFWriter(.little).block([
            doubles(33550, [10, 10, 0]), doubles(33922, [0, 0, 0, 500_000, 4_000_000, 0]),
            TIFFValue(tag: 34735, type: 3, [1, 1, 0, 1, 1024, 0, 1, 1], .little),
            TIFFValue(tag: 42113, type: 2, count: 2, bytes: Array("7\0".utf8)),
        ])
        var map = try #require(TIFFMerger.adding(tags, to: Array(try folder.data("plain.tif"))))
        if orientation != 1 {
            var editor = try #require(TIFFEditor(map))
            editor.set(274, in: try #require(editor.main), type: 3, to: orientation)
            map = editor.bytes
        }
        try Data(map).write(to: folder.url.appendingPathComponent("map.tif"))
    }

    @Test("keeps the place on a map, and the value for no data of all levels")
    func geography() async throws {
        let folder = try TemporaryFolder()
        try Self.map(in: folder)
        let tiff = TIFFTestReader(try await Self.export("map.tif", .png, in: folder))
        let full = tiff.directories[0]
        #expect(full[33550] == [10, 10, 0].map(TIFFTestReader.bits))
        #expect(full[33922] == [0, 0, 0, 500_000, 4_000_000, 0].map(TIFFTestReader.bits))
        #expect(full[34735] == [1, 1, 0, 1, 1024, 0, 1, 1])
        for directory in tiff.directories { #expect(directory[42113] == [0x37, 0]) }
        #expect(tiff.directories.dropFirst().allSatisfy { $0[33550] == nil && $0[34735] == nil })
    }

    @Test("has the matrix of a turned map")
    func turned() async throws {
        let folder = try TemporaryFolder()
        try Self.map(orientation: 6, in: folder)
        let tiff = TIFFTestReader(try await Self.export("map.tif", .png, in: folder))
        // The first column of the upright map is the last row of the stored one.
        let matrix: [Double] = [0, 10, 0, 500_000, 10, 0, 0, 3_998_000, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(tiff.directories[0][34264]?.map { $0 == Int.min ? 0 : $0 } == matrix.map(TIFFTestReader.bits))
        #expect(tiff.directories[0][33550] == nil && tiff.directories[0][33922] == nil)
    }
}
