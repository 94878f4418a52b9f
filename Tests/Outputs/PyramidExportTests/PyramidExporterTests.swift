import Foundation
import PyramidExport
import Synchronization
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("A pyramid export")
struct PyramidExporterTests {
    static func image(_ folder: TemporaryFolder, width: Int = 300, height: Int = 200) throws -> ImageFile {
        let path = folder.path("photo.png")
        try TestImages.photo(width: width, height: height).save(path, with: "pngsave")
        return try ImageFile(path: path)
    }

    @Test("writes every layout, and reports progress", arguments: PyramidLayout.allCases)
    func layouts(_ layout: PyramidLayout) async throws {
        let folder = try TemporaryFolder()
        let shares = Mutex<[Double]>([])
        let output = folder.path("pyramid" + (layout == .dz ? ".dzi" : ""))
        var options = ExportOptions(layout)
        options.id = "https://example.com/pyramid"
        options.assumesPanorama = true
        let report = try await PyramidExporter(options: options).export(
            Self.image(folder, height: 150), to: output
        ) { progress in shares.withLock { $0.append(progress.fraction) } }
        // A pixel in the middle of a face is one of 1.2 degrees.
        let width = layout == .cube ? 95 : 300
        #expect(report.levelSizes.first?.width == width && report.tiles > 0 && report.bytes > 0)
        #expect(FileManager.default.fileExists(atPath: output))
        #expect(shares.withLock { $0.allSatisfy { (0...1).contains($0) } && $0.last == 1 })
    }

    @Test(
        "copies full resolution of a JPEG into a site, and averages it for the other levels",
        arguments: [0, 7])
    func copiedSite(_ restartInterval: Int) async throws {
        let folder = try TemporaryFolder()
        let (jpeg, site) = (folder.path("photo.jpg"), folder.path("site"))
        try TestImages.photo(width: 300, height: 220).save(
            jpeg, with: "jpegsave", ["restart_interval": .int(restartInterval), "Q": .int(95)])
        var options = ExportOptions(.iiif)
        options.id = "https://example.com/site"
        options.tileSize = 64
        let shares = Mutex<[Double]>([])
        let report = try await PyramidExporter(options: options).export(ImageFile(path: jpeg), to: site) {
            progress in shares.withLock { $0.append(progress.fraction) }
        }
        let all = shares.withLock { $0 }
        #expect(report.cutTiles == 20 && all.last == 1 && all == all.sorted() && Set(all).count == all.count)
        let whole = try VipsImage.load(jpeg, with: "jpegload", [:])
        #expect(
            try VipsImage.load("\(site)/full/max/0/default.jpg", with: "jpegload", [:]).pixels().copied()
                == whole.pixels().copied())
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(site)/full/300,220/0/default.jpg")).count > 1000)
        let half = try VipsImage.load("\(site)/full/150,110/0/default.jpg", with: "jpegload", [:])
        // libjpeg's half, as libvips saves it.
        try VipsImage.load(jpeg, with: "jpegload", ["shrink": .int(2)]).save(
            folder.path("half.jpg"), with: "jpegsave", [:])
        let expected = try VipsImage.load(folder.path("half.jpg"), with: "jpegload", [:])
        #expect(try half.pixels().copied() == expected.pixels().copied())
        // The odd sides of the same picture, whose level 1 libjpeg's half is not.
        let odd = folder.path("odd.jpg")
        try TestImages.photo(width: 301, height: 221).save(odd, with: "jpegsave")
        try await PyramidExporter(options: options).export(ImageFile(path: odd), to: folder.path("odd"))
        #expect(
            try VipsImage.load(folder.path("odd/full/151,111/0/default.jpg"), with: "jpegload", [:]).size
                == PixelSize(width: 151, height: 111))
    }

    @Test("can read an image from bytes")
    func bytes() async throws {
        let folder = try TemporaryFolder()
        let data = try Data(contentsOf: URL(fileURLWithPath: Self.image(folder).path))
        let file = try ImageFile(bytes: data, name: folder.path("photo.png"))
        let report = try await PyramidExporter(options: ExportOptions(.tif)).export(
            file, to: folder.path("pyramid.tif"))
        #expect(report.tiles == 3)
        #expect(try ImageFile(path: folder.path("pyramid.tif")).pyramid.levels.count == 2)
    }

    @Test("that is cancelled leaves no files")
    func cancelled() async throws {
        let folder = try TemporaryFolder()
        let file = try Self.image(folder)
        let task = Task {
            try await PyramidExporter(options: ExportOptions(.dz)).export(file, to: folder.path("out"))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["photo.png"])
    }

    @Test(
        "refuses IIIF images without an address",
        arguments: ["", "/", "https://example.com/photo/"])
    func addresses(_ id: String) async throws {
        let folder = try TemporaryFolder()
        var options = ExportOptions(.iiif)
        options.id = id
        let error = await #expect(throws: ExportError.self) {
            try await PyramidExporter(options: options).export(Self.image(folder), to: folder.path("out"))
        }
        #expect(error?.description.contains("id must be") == true)
        #expect(folder.names == ["photo.png"])
    }

    @Test(
        "refuses names of another layout, as an extension says what is in a file",
        arguments: [
            (.dz, "p.zip", "zip"), (.dz, "p.SZI", "zip"), (.iiif, "p.zip", "zip"), (.zoomify, "p.dzi", "dz"),
            (.dz, "p.tif", "tif"), (.dz, "p.zip/", "zip"), (.zip, "p.dzi", "dz"), (.tif, "p.zip", "zip"),
        ] as [(PyramidLayout, String, String)])
    func names(_ layout: PyramidLayout, _ name: String, _ other: String) async throws {
        let folder = try TemporaryFolder()
        var options = ExportOptions(layout)
        options.id = "https://example.com/p"
        let error = await #expect(throws: ExportError.self) {
            try await PyramidExporter(options: options).export(Self.image(folder), to: folder.path(name))
        }
        let reason = "is for the layout \(other), and this one is \(layout)"
        #expect(error?.description.hasSuffix(reason) == true, "\(error?.description ?? "")")
        #expect(folder.names == ["photo.png"])
        #expect(throws: BatchError.self) { try PyramidBatch(pyramid: options, output: "{stem}/\(name)") }
    }

    @Test("takes names that say what is in them, and those of folders")
    func folders() async throws {
        let folder = try TemporaryFolder()
        var options = ExportOptions(.iiif)
        options.id = "https://example.com/p"
        let exporter = PyramidExporter(options: options)
        // The second time it is there.
        for slash in ["/", ""] {
            try await exporter.export(Self.image(folder), to: folder.path("p.zip") + slash)
            #expect(folder.names == ["p.zip", "photo.png"])
        }
        try await PyramidExporter(options: ExportOptions(.zip)).export(
            Self.image(folder), to: folder.path("p.szi"))
        let archive = try Data(contentsOf: URL(filePath: folder.path("p.szi")))
        #expect(archive.starts(with: [0x50, 0x4B]))
    }

    @Test("applies or refuses any options, and never traps")
    func odd() async throws {
        let folder = try TemporaryFolder()
        let file = try Self.image(folder, width: 14, height: 7)
        var random = SplitMix64(seed: 13)
        let numbers = [Int.min, -1, 0, 1, 2, 7, 16, 100, 101, 8193, 1 << 40, Int.max]
        for round in 0..<60 {
            var options = ExportOptions(PyramidLayout.allCases.randomElement(using: &random)!)
            options.tileSize = numbers.randomElement(using: &random)!
            options.overlap = [0, 0, 1, numbers.randomElement(using: &random)!].randomElement(using: &random)!
            options.quality = [nil, 85, numbers.randomElement(using: &random)!].randomElement(using: &random)!
            options.format = TileFormat.allCases.randomElement(using: &random)!
            options.assumesPanorama = true
            options.id = ["https://example.com/a", "", "a", "ftp://a"].randomElement(using: &random)!
            do {
                try await PyramidExporter(options: options).export(file, to: folder.path("out-\(round)"))
            } catch ExportError.invalid {
                continue
            }
        }
        let error: any Error = ExportError.invalid(option: "overlap", reason: "has to be 0")
        #expect(error.localizedDescription == "the pyramid cannot be exported: overlap has to be 0")
    }
}
