import Files
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@testable import PNGIndexing

@Suite("A PNG reader")
struct RegionTests {
    /// Returns the pixels of a rectangle, cut from all pixels.
    static func cut(_ rect: PixelRect<StoredGrid>, _ pixels: [UInt8], _ header: PNGHeader) -> [UInt8] {
        Comparing.part(
            rect, of: pixels, rowBytes: header.size.width * header.pixelBytes, pixelBytes: header.pixelBytes)
    }

    static func read(
        _ reader: PNGRegionReader, _ rect: PixelRect<StoredGrid>, _ file: [UInt8], threads: Int = 1
    ) throws -> [UInt8] {
        var pixels: [UInt8] = []
        try reader.read(rect, of: MemoryFile(file), threads: threads) { row in
            // Lent during the call.
            unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
        }
        return pixels
    }

    @Test("gives the pixels of every kind of PNG", arguments: PNGMaker.kinds.indices)
    func kinds(_ number: Int) throws {
        let maker = PNGMaker.kinds[number]
        let file = maker.file
        let header = try PNGHeader(MemoryFile(file))
        let whole = PixelRect<StoredGrid>(header.size)
        let isEqual = try Self.read(PNGRegionReader(header), whole, file) == maker.pixels
        #expect(isEqual, "\(maker.name)")
        let rect = PixelRect<StoredGrid>(x: 3, y: 7, width: 11, height: 9)
        let isPartEqual =
            try Self.read(PNGRegionReader(header), rect, file, threads: 2)
            == Self.cut(rect, maker.pixels, header)
        #expect(isPartEqual, "\(maker.name)")
    }

    @Test("reads the same through an index", arguments: PNGMaker.kinds.indices)
    func indexed(_ number: Int) throws {
        // Stored, fixed and dynamic blocks.
        let level = [0, 1, 6, 12][number % 4] as Int32
        var maker = PNGMaker.kinds[number]
        (maker.width, maker.height, maker.level, maker.chunkSize) = (83, 41, level, 97)
        let file = maker.file
        let header = try PNGHeader(MemoryFile(file))
        let index = try PNGIndex(MemoryFile(file), header: header, interval: 300, share: 20)
        #expect(index.count > 0)
        let fingerprint = try FileFingerprint(MemoryFile(file), modified: 1)
        let saved = index.saved(for: fingerprint, header: header)
        let loaded = try PNGIndex(saved: saved, for: fingerprint, header: header)
        #expect(loaded.checkpoints == index.checkpoints)
        let reader = PNGRegionReader(header, index: loaded)
        var generator = Xorshift(state: 5)
        for threads in [1, 2] {
            let (x, y) = (generator.below(80), generator.below(40))
            let rect = PixelRect<StoredGrid>(
                x: x, y: y, width: 1 + generator.below(83 - x), height: 1 + generator.below(41 - y))
            let isEqual =
                try Self.read(reader, rect, file, threads: threads) == Self.cut(rect, maker.pixels, header)
            #expect(isEqual, "\(maker.name), \(rect)")
        }
    }

    @Test("reads a file that two threads inflate in several chunks", arguments: [0, 6] as [Int32])
    func large(_ level: Int32) throws {
        var maker = PNGMaker(6)
        (maker.width, maker.height, maker.level, maker.chunkSize) = (400, 500, level, 70_000)
        let (file, pixels) = (maker.file, maker.pixels)
        let header = try PNGHeader(MemoryFile(file))
        for threads in [1, 2] {
            let index = try PNGIndex(
                MemoryFile(file), header: header, interval: 100_000, share: 2, threads: threads)
            for known in [nil, index] {
                let rect = PixelRect<StoredGrid>(x: 100, y: 3, width: 200, height: 497)
                let isEqual =
                    try Self.read(PNGRegionReader(header, index: known), rect, file, threads: threads)
                    == Self.cut(rect, pixels, header)
                #expect(isEqual)
            }
        }
    }

    @Test("stops where its caller throws, or cancels", arguments: [1, 2])
    func stops(_ threads: Int) throws {
        struct Stop: Error {}
        var maker = PNGMaker(2)
        (maker.width, maker.height) = (300, 700)
        let file = MemoryFile(maker.file)
        let header = try PNGHeader(file)
        var count = 0
        #expect(throws: Stop.self) {
            try PNGRegionReader(header).read(PixelRect(header.size), of: file, threads: threads) { _ in
                count += 1
                if count == 10 { throw Stop() }
            }
        }
        #expect(count == 10)
        #expect(throws: PNGIndexError.cancelled) {
            try PNGRegionReader(header).read(
                PixelRect(header.size), of: file, threads: threads, isCancelled: { true }
            ) { _ in }
        }
    }

    @Test("refuses truncated and broken data", arguments: [1, 2])
    func broken(_ threads: Int) throws {
        let maker = PNGMaker(2)
        let file = maker.file
        let header = try PNGHeader(MemoryFile(file))
        let whole = PixelRect<StoredGrid>(header.size)
        #expect(throws: PNGIndexError.truncated) {
            try Self.read(PNGRegionReader(header), whole, file.dropLast(file.count / 3), threads: threads)
        }
        // Valid checksums, but the stream ends early.
        let short = maker.file(stream: Array(maker.stream.dropLast(100)))
        #expect(throws: PNGIndexError.truncated) {
            try Self.read(PNGRegionReader(header), whole, short, threads: threads)
        }
        var changed = file
        changed[file.count - 40] ^= 1
        #expect(throws: PNGIndexError.brokenData) {
            try Self.read(PNGRegionReader(header), whole, changed, threads: threads)
        }
        var filter = maker
        filter.filters = [5]
        #expect(throws: PNGIndexError.brokenData) {
            try Self.read(PNGRegionReader(header), whole, filter.file, threads: threads)
        }
    }

    @Test("shows the first frame of an APNG")
    func animated() throws {
        var maker = PNGMaker(6)
        maker.extra = [("acTL", [0, 0, 0, 2, 0, 0, 0, 0]), ("fcTL", [UInt8](repeating: 0, count: 26))]
        let file = maker.file.dropLast(12) + PNGMaker.chunk("fdAT", [0, 0, 0, 1, 9]) + maker.file.suffix(12)
        let header = try PNGHeader(MemoryFile(Array(file)))
        let isEqual =
            try Self.read(PNGRegionReader(header), PixelRect(header.size), Array(file)) == maker.pixels
        #expect(isEqual)
    }

    @Test("survives random damage")
    func damage() throws {
        var fuzzer = try PNGFuzzer(seed: 3)
        fuzzer.run(TestLength.repetitions(10_000, short: 500))
        let counts = fuzzer.counts
        #expect(
            counts.headers > counts.inputs / 2 && counts.indexed > counts.inputs / 200
                && counts.loaded > counts.inputs / 40 && counts.regions > counts.inputs / 4, "\(counts)")
    }
}
