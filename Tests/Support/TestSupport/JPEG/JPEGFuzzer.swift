import Basics
internal import Files
import JPEGIndexing
import ViewportGeometry

/// Runs all operations of JPEGIndexing on randomly changed files.
///
/// The results are ignored: the run proves that nothing is read out of bounds, overflows or hangs. Bounds are checked in
/// every build.
package struct JPEGFuzzer {
    private var generator: Xorshift
    private let originals: [Original]

    /// Counts of the results so far.
    package struct Counts: Hashable, Sendable {
        package var inputs = 0
        /// Headers that could still be read.
        package var headers = 0
        /// Files that could still be indexed.
        package var indexed = 0
        /// Saved indexes that were still accepted, after their checksum was corrected.
        package var loaded = 0
        /// Regions that were still written.
        package var regions = 0
        /// Rows of tiles that were still copied.
        package var tiles = 0
    }

    package private(set) var counts = Counts()

    private struct Original {
        var file: [UInt8]
        var dataStart: Int
        var reader: JPEGRegionReader
        var identity: FileFingerprint
        var saved: [UInt8]
    }

    package init(seed: UInt64) throws {
        generator = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        originals = try Self.makers.map { maker in
            let file = maker.file
            let header = try file.lent { try JPEGHeader($0) }
            let index = try file.lent { try JPEGIndex($0, header: header, interval: 4) }
            let identity = file.lent { FileFingerprint($0, modified: 0) }
            return Original(
                file: file, dataStart: header.segments.last?.range.upperBound ?? 0,
                reader: try JPEGRegionReader(header: header, index: index), identity: identity,
                saved: index.saved(for: identity, header: header))
        }
    }

    private static let makers: [JPEGMaker] = [
        JPEGMaker(name: "4:2:0", width: 65, height: 50, tables: .optimized),
        JPEGMaker(
            name: "4:2:2", width: 49, height: 33, sampling: [(2, 1), (1, 1), (1, 1)], restartInterval: 3,
            tables: .steep),
        JPEGMaker(name: "gray", width: 50, height: 40, sampling: [(1, 1)], density: 20),
        JPEGMaker(
            name: "YCCK", width: 40, height: 40, sampling: [(2, 2), (1, 1), (1, 1), (2, 2)], isWide: true,
            frameMarker: 0xC1, adobe: 2, hasJFIF: false),
        JPEGMaker(
            name: "4:1:1", width: 70, height: 20, sampling: [(4, 1), (1, 1), (1, 1)], tables: .optimized),
    ]

    /// Tries `count` changed inputs.
    package mutating func run(_ count: Int) {
        for _ in 0..<count {
            counts.inputs += 1
            let original = originals[generator.below(originals.count)]
            switch generator.below(20) {
            case 0: changedHeader(original)
            case 1, 2: changedIndex(original)
            default: changedData(original)
            }
        }
    }

    /// Reads a file with changed headers.
    private mutating func changedHeader(_ original: Original) {
        let file = generator.mutated(original.file, in: 0..<original.dataStart)
        guard let header = try? file.lent({ try JPEGHeader($0) }) else { return }
        counts.headers += 1
        // Huge empty images would take too long to index.
        let rows = min(64, 4096 / max(1, header.size.width / 8) + 1)
        guard let index = try? file.lent({ try JPEGIndex($0, header: header, rows: rows, interval: 16) })
        else {
            return
        }
        counts.indexed += 1
        let optimizesForRandomAccess = generator.below(2) == 0
        if let reader = try? JPEGRegionReader(
            header: header, index: index, optimizesForRandomAccess: optimizesForRandomAccess)
        {
            read(reader, file)
            read(reader, file)
        }
        if header.size.width < 500, header.size.height < 500, header.hasOverview {
            _ = try? file.lent { try JPEGIndex($0, header: header) { _, _ in } }
        }
    }

    /// Reads a file with changed data: with a new index and with the old one.
    private mutating func changedData(_ original: Original) {
        let file = generator.mutated(original.file, in: original.dataStart..<original.file.count)
        read(original.reader, file)
        let header = original.reader.header
        // Building tables takes most of the time, so only some files are indexed.
        switch generator.below(24) {
        case 0:
            if (try? file.lent { try JPEGIndex($0, header: header, interval: 7) }) != nil {
                counts.indexed += 1
            }
        case 1: _ = try? file.lent { try JPEGIndex($0, header: header) { _, _ in } }
        case 2: scanInChunks(file, header)
        default: break
        }
    }

    /// Scans on two threads, which must not change the result.
    private mutating func scanInChunks(_ file: [UInt8], _ header: JPEGHeader) {
        let chunkSize = 1 + generator.below(400)
        let alone = try? file.lent { try JPEGIndex($0, header: header, interval: 7) }
        let together = try? JPEGIndex.scan(
            MemoryFile(file), header: header, interval: 7, threads: 2, chunkSize: chunkSize)
        precondition(alone == together, "two threads find another index")
    }

    /// Reads with a changed index that has a correct checksum: its positions may be wrong but must not cause
    /// out-of-bounds reads.
    private mutating func changedIndex(_ original: Original) {
        let body = generator.mutated(original.saved, in: 0..<(original.saved.count - 8)).dropLast(8)
        let saved = Array(body) + FNV1a.hash(body).bytes(.little)
        let header = original.reader.header
        guard let index = try? JPEGIndex(saved: saved, for: original.identity, header: header),
            let reader = try? JPEGRegionReader(
                header: header, index: index, optimizesForRandomAccess: generator.below(2) == 0)
        else { return }
        counts.loaded += 1
        read(reader, original.file)
    }

    /// Reads a region and a crop of a file with any index.
    private mutating func read(_ reader: JPEGRegionReader, _ file: [UInt8]) {
        let scale = JPEGScale.allCases[generator.below(4)]
        let size = reader.header.size(at: scale)
        let rect = PixelRect<ReducedGrid>(
            x: generator.below(size.width), y: generator.below(size.height), width: 1 + generator.below(40),
            height: 1 + generator.below(40))
        if (try? file.lent { try reader.region(rect, at: scale, of: $0) }) != nil { counts.regions += 1 }
        let crop = PixelRect<StoredGrid>(
            x: rect.x - 3, y: rect.y, width: rect.width, height: rect.height)
        _ = try? file.lent { try reader.losslessCrop(crop, of: $0) }
        // Each reader of tiles builds tables, too.
        if generator.below(16) == 0 { readTiles(reader, file) }
    }

    /// Copies a row of tiles with any index.
    private mutating func readTiles(_ reader: JPEGRegionReader, _ file: [UInt8]) {
        guard reader.header.size.width < 500,
            let tiles = JPEGTiles(reader.header, side: 16 << generator.below(3)),
            let copier = try? tiles.reader(reader.index)
        else { return }
        let add: (Int, [UInt8]) -> Void = { _, _ in }
        let row = generator.below(tiles.rows)
        let isRead: Void? = try? tiles.readRow(
            row, of: MemoryFile(file), copier, isCancelled: { false }, strip: { _, _ in },
            tile: generator.below(2) == 0 ? add : nil)
        if isRead != nil { counts.tiles += 1 }
    }
}

extension [UInt8] {
    /// Calls a closure with the bytes as a span.
    package func lent<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        // Bytes have no padding that could be read.
        try unsafe body(span.bytes)
    }
}
