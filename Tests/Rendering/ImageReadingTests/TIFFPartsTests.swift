import Basics
import Containers
import Files
import Foundation
import Synchronization
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

/// Bytes as of another machine, which count how many of them are read.
private final class FarBytes: ImageByteSource {
    private let bytes: [UInt8]
    private let counts = Mutex(0)
    let isRemote = true

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }
    var read: Int { counts.withLock { $0 } }

    func bytes(in range: Range<Int>) -> [UInt8] {
        counts.withLock { $0 += range.count }
        return Array(bytes[range])
    }
}

@Suite("A part of a TIFF on another machine")
struct TIFFPartsTests {
    private static func rows(_ file: ImageFile, _ level: PyramidLevel, _ rect: PixelRect<StoredGrid>) throws
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        try file.source.open(level).read(rect) { row in
            // Lent during the call.
            unsafe row.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Compares random parts of a file with those of the same file on this machine.
    ///
    /// - Returns: The share of the file that was read for each part.
    @discardableResult
    private static func compare(
        _ bytes: [UInt8], _ random: inout SplitMix64, _ name: String, page: Int = 0
    ) throws -> [Double] {
        var options = OpenOptions()
        options.page = page
        let local = try ImageFile(bytes: bytes, options: options)
        var shares: [Double] = []
        for level in local.source.nativePyramid.levels {
            let size = try local.source.open(level).level.size
            for _ in 0..<2 {
                let x = Int.random(in: 0..<size.width, using: &random)
                let y = Int.random(in: 0..<size.height, using: &random)
                let rect = PixelRect<StoredGrid>(
                    x: x, y: y, width: Int.random(in: 1...(size.width - x), using: &random),
                    height: Int.random(in: 1...min(size.height - y, 40), using: &random))
                let source = FarBytes(bytes)
                let far = try ImageFile(bytesOf: source, options: options)
                #expect(!far.opened.isCopied, "\(name)")
                #expect(
                    far.storedSize == local.storedSize && far.pages == local.pages
                        && far.bands == local.bands
                        && far.hasAlpha == local.hasAlpha && far.interpretation == local.interpretation
                        && far.fileOrientation == local.fileOrientation
                        && far.source.pyramid == local.source.pyramid, "\(name)")
                let pixels = try (far.source.open(level).pixels, local.source.open(level).pixels)
                #expect(pixels.0 == pixels.1, "\(name)")
                let isEqual = try rows(far, level, rect) == rows(local, level, rect)
                #expect(isEqual, "\(name), level \(level.index), \(rect)")
                shares.append(far.opened.isCopied ? 1 : Double(source.read) / Double(source.count))
            }
        }
        return shares
    }

    private static func file(_ image: VipsImage, _ arguments: [String: VipsArgument]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path("a.tif")
        try image.save(path, oriented: .right, arguments)
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Those that the installed libvips writes.
    private static let compressions = [
        "none", "lzw", "deflate", "packbits", "zstd", "jpeg", "webp", "ccittfax4",
    ].filter { name in
        let photo = try? TestImages.photo(width: 16, height: 16)
        return (try? photo?.saved(with: "tiffsave_buffer", ["compression": .name(name)])) != nil
    }

    @Test("has the pixels of the whole file, whatever its layout", arguments: compressions, 0..<12)
    func layouts(_ compression: String, _ number: Int) throws {
        var random = SplitMix64(seed: UInt64(number) + 100 * UInt64(compression.utf8.first ?? 0))
        let isBilevel = compression == "ccittfax4"
        let spaces =
            compression == "jpeg" ? ["srgb", "b-w", "cmyk"] : ["srgb", "b-w", "cmyk", "rgb16", "grey16"]
        let space = isBilevel ? "b-w" : compression == "webp" ? "srgb" : spaces[number % spaces.count]
        let hasAlpha = !isBilevel && compression != "jpeg" && space == "srgb" && Bool.random(using: &random)
        let photo = try TestImages.photo(
            width: Int.random(in: 100...420, using: &random),
            height: Int.random(in: 300...700, using: &random),
            bands: hasAlpha ? 4 : 3, seed: UInt64(number))
        let image = space == "srgb" ? photo : try photo.converted(to: space)
        let isTiled = Bool.random(using: &random) && !isBilevel
        var arguments: [String: VipsArgument] = [
            "compression": .name(compression), "bigtiff": .bool(Bool.random(using: &random)),
            "predictor": .name(Bool.random(using: &random) ? "horizontal" : "none"),
        ]
        if isTiled {
            arguments["tile"] = .bool(true)
            arguments["tile_width"] = .int(16 * Int.random(in: 1...6, using: &random))
            arguments["pyramid"] = .bool(Bool.random(using: &random))
            arguments["subifd"] = .bool(Bool.random(using: &random))
        }
        arguments["tile_height"] = .int(16 * Int.random(in: 1...3, using: &random))
        if isBilevel { arguments["bitdepth"] = .int(1) }
        if Bool.random(using: &random) { arguments["profile"] = .string("none") }
        try Self.compare(try Self.file(image, arguments), &random, "\(compression) \(space) \(arguments)")
    }

    /// A TIFF that libvips does not write.
    private struct Kind: CustomTestStringConvertible, Sendable {
        var order = ByteOrder.little
        var isBig = false
        var planes = false
        var bits = 8
        var samples = 3
        var rowsPerStrip = 16
        var packs = false
        var pages = 1
        /// Bytes between strips, which then do not follow each other.
        var gap = 0

        static let size = PixelSize<StoredGrid>(width: 211, height: 640)

        var testDescription: String {
            "\(order) \(isBig) planes \(planes) \(samples)x\(bits) strips \(rowsPerStrip) packs \(packs) \(pages)"
        }

        static let all: [Kind] = {
            var random = SplitMix64(seed: 5)
            return (0..<40).map { number in
                Kind(
                    order: Bool.random(using: &random) ? .big : .little, isBig: Bool.random(using: &random),
                    planes: Bool.random(using: &random), bits: [8, 16, 8, 1][number % 4],
                    samples: number % 4 == 3 ? 1 : [1, 3, 4][number % 3],
                    rowsPerStrip: [1, 7, 16, 100, 320, 640, 5000][number % 7],
                    packs: Bool.random(using: &random), pages: [1, 1, 3][number % 3],
                    gap: [0, 0, 40][number % 3])
            }
        }()

        /// PackBits with literal runs only.
        private static func packed(_ rows: [[UInt8]]) -> [UInt8] {
            rows.flatMap { row in
                stride(from: 0, to: row.count, by: 128).flatMap { start -> [UInt8] in
                    let run = row[start..<min(start + 128, row.count)]
                    return [UInt8(run.count - 1)] + run
                }
            }
        }

        /// Returns the file; each page has other samples.
        func file() -> [UInt8] {
            let (width, height) = (Self.size.width, Self.size.height)
            var random = SplitMix64(seed: UInt64(samples * 100 + bits))
            let writer = TIFFWriter(order, isBig: isBig)
            var bytes = writer.header
            let planeCount = planes ? samples : 1
            let rowBytes = (width * bits * (planes ? 1 : samples) + 7) / 8
            // The directories are last: the header is changed at the end.
            var directories: [(offsets: [Int], counts: [Int])] = []
            for _ in 0..<pages {
                var directory = (offsets: [Int](), counts: [Int]())
                for _ in 0..<planeCount {
                    for top in stride(from: 0, to: height, by: rowsPerStrip) {
                        let rows = (0..<min(rowsPerStrip, height - top)).map { _ in
                            (0..<rowBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
                        }
                        let strip = packs ? Self.packed(rows) : rows.flatMap { $0 }
                        directory.offsets.append(bytes.count)
                        directory.counts.append(strip.count)
                        bytes += strip + [UInt8](repeating: 7, count: gap)
                    }
                }
                directories.append(directory)
            }
            bytes += [UInt8](repeating: 0, count: bytes.count & 1)
            bytes.replaceSubrange(
                (isBig ? 8 : 4)..<(isBig ? 16 : 8), with: bytes.count.bytes(order, size: isBig ? 8 : 4))
            for (index, directory) in directories.enumerated() {
                let tags = tags(directory)
                var values: [UInt8] = []
                let start = bytes.count + writer.size(of: tags.count)
                let written = writer.directory(
                    tags, values: &values, from: start, isFollowed: index + 1 < pages)
                bytes += written + values
            }
            return bytes
        }

        private func tags(_ directory: (offsets: [Int], counts: [Int])) -> [TIFFValue] {
            let photometric = samples == 4 ? 5 : samples == 3 ? 2 : 1
            let numbers: [(tag: Int, type: Int, values: [Int])] = [
                (256, 3, [Self.size.width]), (257, 4, [Self.size.height]),
                (258, 3, [Int](repeating: bits, count: samples)), (259, 3, [packs ? 32773 : 1]),
                (262, 3, [photometric]), (273, isBig ? 16 : 4, directory.offsets), (274, 3, [3]),
                (277, 3, [samples]), (278, 4, [rowsPerStrip]), (279, 4, directory.counts),
                (284, 3, [planes ? 2 : 1]), (700, 1, [Int](repeating: 32, count: 3000)),
            ]
            return numbers.map { TIFFValue(tag: $0.tag, type: $0.type, $0.values, order) }
        }
    }

    @Test(
        "has the pixels of the whole file in either byte order, with planes and strips of any height",
        arguments: Kind.all)
    private func kinds(_ kind: Kind) throws {
        var random = SplitMix64(seed: 3)
        let bytes = kind.file()
        for page in 0..<kind.pages {
            let shares = try Self.compare(bytes, &random, kind.testDescription, page: page)
            // Rows of uncompressed strips are cut out, whatever the height of the strips.
            if kind.bits > 1, !kind.packs || kind.rowsPerStrip < 100 {
                #expect(shares.allSatisfy { $0 < 0.6 }, "\(shares)")
            }
        }
    }

    @Test("is damaged where its directory is, without a crash", arguments: 0..<150)
    func damaged(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var bytes = Kind.all[seed % Kind.all.count].file()
        let isBig = Kind.all[seed % Kind.all.count].isBig
        // In the directories, which are at the end.
        let order = Kind.all[seed % Kind.all.count].order
        let start = bytes.unsigned(isBig ? 8 : 4, at: isBig ? 8 : 4, order) ?? 0
        for _ in 0..<4 {
            bytes[Int.random(in: start..<bytes.count, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
        }
        let rect = PixelRect<StoredGrid>(x: 3, y: 200, width: 40, height: 30)
        func read(_ open: () throws -> ImageFile) -> [UInt8]? {
            guard let file = try? open(), file.storedSize.width >= 43, file.storedSize.height >= 230 else {
                return nil
            }
            return try? Self.rows(file, file.source.pyramid.full, rect)
        }
        let local = read { try ImageFile(bytes: bytes) }
        let far = read { try ImageFile(bytesOf: FarBytes(bytes)) }
        // libvips stops at damage above the part, too.
        if let local { #expect(far == local) }
    }

    @Test("is read from a copy where strips are left out")
    func sparse() throws {
        var bytes = Kind(packs: true).file()
        let start = bytes.unsigned(4, at: 4, .little) ?? 0
        let directory = try #require(TIFFDirectory(TIFFBlock(file: FileBytes(bytes)), at: start))
        let counts = try #require(directory.entry(279))
        bytes.replaceSubrange(
            (counts.offset + 4 * 5)..<(counts.offset + 4 * 6), with: [UInt8](repeating: 0, count: 4))
        let local = try ImageFile(bytes: bytes)
        let far = try ImageFile(bytesOf: FarBytes(bytes))
        for y in [0, 80, 200] {
            let rect = PixelRect<StoredGrid>(x: 0, y: y, width: 9, height: 16)
            let results = [local, far].map { file in try? Self.rows(file, file.source.pyramid.full, rect) }
            #expect(results[1] == results[0] || y == 200, "\(y)")
        }
    }
}
