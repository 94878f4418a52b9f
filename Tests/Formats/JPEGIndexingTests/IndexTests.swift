import JPEGIndexing
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("An index of a JPEG")
struct IndexTests {
    static let large: [JPEGMaker] = [
        JPEGMaker(name: "4:2:0", width: 1600, height: 1203, tables: .optimized, density: 5),
        JPEGMaker(name: "4:4:4", width: 1100, height: 903, sampling: [(1, 1), (1, 1), (1, 1)], density: 3),
        JPEGMaker(name: "gray", width: 1500, height: 1000, sampling: [(1, 1)], tables: .steep, density: 3),
        JPEGMaker(name: "restarts", width: 1600, height: 1203, restartInterval: 37, density: 5),
    ]

    @Test("is the same from any number of threads and chunks", arguments: large, [(2, 70_000), (4, 9999)])
    func threads(_ maker: JPEGMaker, _ split: (threads: Int, chunkSize: Int)) throws {
        let file = maker.file
        let header = try JPEGHeader(file)
        let alone = try JPEGIndex(file, header: header, interval: 16)
        let together = try JPEGIndex.scan(
            MemoryFile(file), header: header, interval: 16, threads: split.threads,
            chunkSize: split.chunkSize)
        #expect(together == alone)
    }

    /// Files that are read as a whole by one reader, if chunks are not asked for.
    static let undivided: [JPEGMaker] = {
        let samplings = RegionTests.samplings.map(\.1)
        return (0..<48).map { number in
            JPEGMaker(
                name: "number \(number)", width: 90 + 7 * number, height: 80,
                sampling: samplings[number % samplings.count], restartInterval: [0, 0, 1, 7, 40][number % 5],
                tables: JPEGMaker.Tables.allCases[number % 3], adobe: nil, seed: UInt64(number + 1),
                density: [1, 5, 20, 60][number / 12])
        }
    }()

    @Test("has what one reader finds, however the file is divided", arguments: undivided)
    func divided(_ maker: JPEGMaker) throws {
        let file = maker.file
        let header = try JPEGHeader(file)
        let alone = try JPEGIndex(file, header: header, interval: 1)
        for (threads, chunkSize) in [(1, 1 << 20), (1, 3000), (2, 700), (3, 90)] {
            let together = try JPEGIndex.scan(
                MemoryFile(file), header: header, interval: 1, threads: threads, chunkSize: chunkSize)
            #expect(together == alone, "\(threads) threads, chunks of \(chunkSize)")
        }
    }

    @Test("of a file that ends early is the same, however the file is divided")
    func truncated() throws {
        let file = JPEGMaker(name: "4:2:0", width: 200, height: 150, restartInterval: 5, density: 4).file
        let header = try JPEGHeader(file)
        for end in (file.count - 300)..<file.count {
            let part = Array(file.prefix(end))
            for (threads, chunkSize) in [(1, 4000), (2, 500)] {
                try Self.compare(part, header, threads: threads, chunkSize: chunkSize)
            }
        }
    }

    @Test("of a damaged file is the same, however the file is divided", arguments: [0, 6])
    func changed(_ restartInterval: Int) throws {
        let file = JPEGMaker(
            name: "4:2:0", width: 320, height: 240, restartInterval: restartInterval, tables: .optimized,
            density: 4
        ).file
        let header = try JPEGHeader(file)
        var generator = Xorshift(state: 7)
        for _ in 0..<300 {
            let damaged = generator.mutated(file, from: file.count / 3)
            try Self.compare(damaged, header, threads: 2, chunkSize: 1500)
        }
    }

    /// Expects what one reader finds of a file from several, too, or the same error.
    private static func compare(_ file: [UInt8], _ header: JPEGHeader, threads: Int, chunkSize: Int) throws {
        let alone = Result { try JPEGIndex(file, header: header, interval: 1) }
        let divided = Result {
            try JPEGIndex.scan(
                MemoryFile(file), header: header, interval: 1, threads: threads, chunkSize: chunkSize)
        }
        #expect((try? divided.get()) == (try? alone.get()))
        func message(_ result: Result<JPEGIndex, any Error>) -> String {
            if case .failure(let error) = result { "\(error)" } else { "" }
        }
        #expect(message(divided) == message(alone))
    }

    @Test("of damaged data fails on any number of threads", arguments: [1, 2, 4])
    func broken(_ threads: Int) throws {
        var file = Self.large[0].file
        for offset in 0..<40 { file[file.count * 3 / 4 + offset] = 0xFE }
        file[file.count * 3 / 4] = 0xFF
        let header = try JPEGHeader(file)
        let alone = #expect(throws: JPEGIndexError.self) { try JPEGIndex(file, header: header) }
        let together = #expect(throws: JPEGIndexError.self) {
            try JPEGIndex.scan(MemoryFile(file), header: header, threads: threads, chunkSize: 20_000)
        }
        #expect(together == alone)
    }

    @Test("is saved and loaded", arguments: large.prefix(2) + RegionTests.files.prefix(12))
    func saved(_ maker: JPEGMaker) throws {
        let file = maker.file
        let header = try JPEGHeader(file)
        let index = try JPEGIndex(file, header: header)
        let identity = FileFingerprint(file, modified: 1_700_000_000_000_000_000)
        let bytes = index.saved(for: identity, header: header)
        let loaded = try JPEGIndex(saved: bytes, for: identity, header: header)
        var expected = index
        while expected.interval < loaded.interval { expected = expected.thinned() }
        #expect(loaded == expected)
    }

    @Test("takes at most 0.25 % of a large file, with all checkpoints if they fit")
    func share() throws {
        let maker = JPEGMaker(
            name: "4:2:0", width: 1600, height: 1203, tables: .optimized, density: 25)
        let file = maker.file
        let header = try JPEGHeader(file)
        let index = try JPEGIndex(file, header: header)
        let identity = FileFingerprint(file, modified: 0)
        let bytes = index.saved(for: identity, header: header)
        #expect(Double(bytes.count) <= 0.0025 * Double(file.count))
        #expect(try JPEGIndex(saved: bytes, for: identity, header: header).interval == 64)
    }

    @Test("decodes the same with fewer checkpoints")
    func thinned() throws {
        let file = Self.large[0].file
        let index = try JPEGIndex(file, header: try JPEGHeader(file), interval: 8)
        let rect = PixelRect<ReducedGrid>(x: 801, y: 403, width: 99, height: 55)
        let region = try TestReader(file, index: index).region(rect, at: .full)
        for _ in 0..<5 {
            #expect(try TestReader(file, index: index.thinned()).region(rect, at: .full) == region)
        }
    }

    @Test("has an interval of at least 1", arguments: [Int.min, -1, 0, 1, .max])
    func intervals(_ interval: Int) throws {
        let file = JPEGMaker(name: "4:2:0").file
        let index = try JPEGIndex(file, header: try JPEGHeader(file), interval: interval)
        #expect(index.interval >= 1)
        let rect = PixelRect<ReducedGrid>(x: 33, y: 20, width: 40, height: 30)
        let expected = try TestReader(file).region(rect, at: .half)
        #expect(try TestReader(file, index: index).region(rect, at: .half) == expected)
    }

    @Test("of another file, another time or another version is refused")
    func stale() throws {
        let file = JPEGMaker(name: "4:2:0").file
        let header = try JPEGHeader(file)
        let identity = FileFingerprint(file, modified: 5)
        let bytes = try JPEGIndex(file, header: header).saved(for: identity, header: header)
        var touched = file
        touched[touched.count - 3] ^= 1
        for other in [
            FileFingerprint(file, modified: 6), FileFingerprint(touched, modified: 5),
            FileFingerprint(Array(file.dropLast()), modified: 5),
        ] {
            #expect(throws: JPEGIndexError.staleIndex) {
                try JPEGIndex(saved: bytes, for: other, header: header)
            }
        }
    }

    @Test("that is damaged anywhere is refused")
    func damaged() throws {
        let file = JPEGMaker(name: "4:2:0").file
        let header = try JPEGHeader(file)
        let identity = FileFingerprint(file, modified: 5)
        let bytes = try JPEGIndex(file, header: header).saved(for: identity, header: header)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            #expect(throws: JPEGIndexError.staleIndex) {
                try JPEGIndex(saved: damaged, for: identity, header: header)
            }
            #expect(throws: JPEGIndexError.staleIndex) {
                try JPEGIndex(saved: Array(bytes.prefix(index)), for: identity, header: header)
            }
        }
    }
}

extension FileFingerprint {
    init(_ file: [UInt8], modified: Int64) {
        self = file.lent { FileFingerprint($0, modified: modified) }
    }
}

@Suite("Broken JPEGs", .ownThread, .heavy)
struct FuzzTests {
    @Test("are refused or read without access out of bounds", arguments: [1, 2, 3, 4])
    func mutations(_ seed: UInt64) throws {
        var fuzzer = try JPEGFuzzer(seed: seed)
        fuzzer.run(TestLength.repetitions(5000, short: 1000))
        // Both cases occur often enough.
        let counts = fuzzer.counts
        #expect(counts.regions > counts.inputs / 10 && counts.regions < counts.inputs * 9 / 10)
        #expect(counts.tiles > counts.inputs / 500)
        #expect(counts.loaded > counts.inputs / 500 && counts.headers > counts.inputs / 200)
    }
}
