import Files
import Foundation
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

@Suite("A PNG")
struct PNGOpeningTests {
    /// Returns the pixels of a level of a source.
    private func pixels(_ source: any ImageSource, _ level: PyramidLevel) throws -> [UInt8] {
        let reader = try source.open(level)
        var bytes: [UInt8] = []
        try reader.read(PixelRect(reader.level.size)) { row in
            // Lent during the call.
            unsafe row.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Compares a file with libvips' loader in all that an image shows.
    private func compare(_ path: String) throws {
        let file = try ImageFile.open(path)
        #expect(file.reading == "regions of a scan", "\(path)")
        let loaderFile = LoaderFile(
            file: file.opened, loader: "VipsForeignLoadPngFile", format: .png, options: OpenOptions())
        let header = try loaderFile.header()
        let source = HalvedSource(try LoaderSource(loaderFile, header: header, pages: .pictures(1)))
        #expect(file.storedSize == header.size && file.bands == header.bands, "\(path)")
        #expect(file.hasAlpha == header.hasAlpha && file.interpretation == header.interpretation, "\(path)")
        #expect(
            file.profile?.name == header.blob("icc-profile-data").flatMap(ICCProfile.init)?.name, "\(path)")
        // Text forms of EXIF and blocks behind the pixels are not in this field.
        if let exif = header.blob("exif-data") { #expect(file.exif == Exif(exif), "\(path)") }
        #expect(file.source.pyramid == source.pyramid, "\(path)")
        #expect(try file.source.open(file.pyramid.full).pixels == source.open(source.pyramid.full).pixels)
        for level in source.pyramid.levels.prefix(2) {
            let isEqual = try pixels(file.source, level) == pixels(source, level)
            #expect(isEqual, "\(path) at level \(level.index)")
        }
    }

    @Test("of any kind has the pixels of libvips", arguments: PNGMaker.kinds.indices)
    func kinds(_ number: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        try Data(PNGMaker.kinds[number].file).write(to: URL(fileURLWithPath: path))
        try compare(path)
    }

    @Test("of the folder VIEWPORT_CORPUS has the pixels of libvips", .enabled(if: !Self.corpus.isEmpty))
    func corpusFiles() throws {
        for path in Self.corpus { try compare(path) }
    }

    /// The PNGs below a folder of real images; none where the variable is not set.
    private static let corpus: [String] = {
        guard let folder = ProcessInfo.processInfo.environment["VIEWPORT_CORPUS"] else { return [] }
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".png") && !$0.contains("broken") }.map { "\(folder)/\($0)" }
    }()

    @Test("is read through its index")
    func indexed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        var maker = PNGMaker(2)
        (maker.width, maker.height) = (700, 900)
        try Data(maker.file).write(to: URL(fileURLWithPath: path))
        let file = try ImageFile.open(path)
        let source = try #require(file.indexable)
        #expect(try source.encodedIndex() == nil)
        let indexed = try source.makingIndex()
        #expect(indexed.description == "regions by index")
        let bytes = try #require(try indexed.encodedIndex())
        let loaded = try #require(source.reading(encodedIndex: bytes))
        #expect(loaded.description == "regions by index")
        let isEqual = try pixels(loaded, loaded.pyramid.full) == maker.pixels
        #expect(isEqual)
        #expect(source.reading(encodedIndex: []) == nil)
    }

    @Test("that is damaged fails as with libvips")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        var maker = PNGMaker(2)
        (maker.width, maker.height, maker.chunkSize) = (200, 300, 5000)
        let file = maker.file
        var changed = file
        changed[file.count / 2] ^= 1
        for (bytes, text) in [
            (Array(file.dropLast(file.count / 2)), "ends in the chunk"), (changed, "checksum"),
        ] {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let image = try ImageFile.open(path)
            let error = #expect(throws: RenderingError.self) { try pixels(image.source, image.pyramid.full) }
            #expect("\(error!)".contains(text), "\(error!)")
            let refused = #expect(throws: RenderingError.self) { try image.indexable?.makingIndex() }
            #expect("\(refused!)".contains(text), "\(refused!)")
            // The rows before the damage are read.
            var count = 0
            try image.source.open(image.pyramid.full).read(
                PixelRect(x: 0, y: 0, width: 200, height: 20)
            ) { _ in count += 1 }
            #expect(count == 20)
        }
    }

    @Test("that is interlaced is left to libvips")
    func interlaced() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("image.png")
        try TestImages.photo(width: 80, height: 60).save(path, with: "pngsave", ["interlace": .bool(true)])
        let image = try ImageFile.open(path)
        #expect(image.indexable == nil)
        #expect(image.reasonAgainstIndex == "the PNG is interlaced (Adam7)")
    }
}
