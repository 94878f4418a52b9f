import Foundation
import Resampling
import TestHarness
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

/// The JPEG, HEIC and AVIF files below a folder of real images; none where the variable is not set.
private let corpusFiles: [String] = {
    guard let folder = ProcessInfo.processInfo.environment["VIEWPORT_CORPUS"] else { return [] }
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let endings = ["jpg", "jpeg", "heic", "avif"]
    return names.filter { name in
        endings.contains { name.hasSuffix("." + $0) } && !name.contains("broken")
    }.sorted().map { "\(folder)/\($0)" }
}()

/// Compares files that are read without libvips' loaders with these loaders: generated ones elsewhere, real ones here.
@Suite("The folder VIEWPORT_CORPUS", .ownThread, .enabled(if: !corpusFiles.isEmpty))
struct CorpusTests {
    /// Returns the samples of a rectangle of a level.
    private func samples(
        _ source: any ImageSource, _ level: PyramidLevel, _ rect: PixelRect<StoredGrid>? = nil
    ) throws -> (samples: [UInt8], rowBytes: Int) {
        let reader = try source.open(level)
        let rect = rect ?? PixelRect(reader.level.size)
        var samples = RowCollector(byteCount: rect.size.area * reader.pixels.bytesPerPixel)
        try reader.read(rect) { samples.push($0) }
        return (samples.pixels, rect.width * reader.pixels.bytesPerPixel)
    }

    @Test("has the pixels of libvips in every part and at every scale of a JPEG", arguments: corpusFiles)
    func equality(_ path: String) throws {
        let file: ImageFile
        do {
            file = try ImageFile(path: path)
        } catch {
            // Lossless JPEGs, which libvips does not open either.
            #expect("\(error)".contains("Unsupported JPEG process"))
            return
        }
        guard file.format == .jpeg || file.format == .heif else { return }
        let loaders: [ImageFormat: String] = [
            .jpeg: "VipsForeignLoadJpegFile", .heif: "VipsForeignLoadHeifFile",
        ]
        let loader = try #require(loaders[file.format])
        let loaded = LoaderFile(
            file: file.opened, loader: loader, format: file.format, options: OpenOptions())
        let header = try loaded.header()
        let source = try LoaderSource(loaded, header: header, pages: loaded.pages(of: header))
        #expect(file.storedSize == header.size && file.bands == header.bands)
        #expect(file.interpretation == header.interpretation && file.hasAlpha == header.hasAlpha)
        #expect(file.pages == max(1, header.int("n-pages") ?? 1))
        #expect(file.exif?.orientation == header.blob("exif-data").flatMap { Exif($0) }?.orientation)
        if let profile = header.blob("icc-profile-data") {
            #expect(file.profile?.name == ICCProfile(profile)?.name)
        }
        for level in source.pyramid.levels {
            guard let (expected, rowBytes) = try? samples(source, level) else {
                // Files that were cut.
                #expect(throws: RenderingError.self) { try samples(file.source, level) }
                continue
            }
            let whole = try samples(file.source, level).samples
            let isEqual = whole == expected
            #expect(isEqual, "level \(level.index)")
            var random = SplitMix64(seed: UInt64(level.index))
            let pixelBytes = rowBytes / level.size.width
            for _ in 0..<3 {
                let x = Int(random.next() % UInt64(level.size.width))
                let y = Int(random.next() % UInt64(level.size.height))
                let rect = PixelRect<StoredGrid>(
                    x: x, y: y, width: 1 + Int(random.next() % UInt64(min(700, level.size.width - x))),
                    height: 1 + Int(random.next() % UInt64(min(700, level.size.height - y))))
                let part = Comparing.part(rect, of: expected, rowBytes: rowBytes, pixelBytes: pixelBytes)
                let isSame = try samples(file.source, level, rect).samples == part
                #expect(isSame, "\(rect) of level \(level.index)")
            }
        }
    }
}
