import Files
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@testable import PNGIndexing

@Suite("Two threads that inflate")
struct InflationTeamTests {
    /// What streams are made of; `mixed` has blocks of all types.
    enum Contents: String, CaseIterable {
        case noise, runs, text, mixed
    }

    static let count = 400_000
    static func sizes(_ chunk: Int) -> InflationSizes {
        var sizes = InflationSizes()
        (sizes.chunk, sizes.leap, sizes.least, sizes.step) = (chunk, 60_000, 0, 4096)
        return sizes
    }

    static func bytes(_ contents: Contents) -> [UInt8] {
        var generator = Xorshift(state: 11)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var kind = contents
        var alphabet: UInt64 = 8
        while bytes.count < count {
            // Other statistics every 20,000 bytes, so that blocks end.
            if bytes.count % 20_000 == 0 {
                alphabet = UInt64(4 + generator.below(60))
                if contents == .mixed { kind = [.noise, .runs, .text][generator.below(3)] }
            }
            switch kind {
            case .runs: bytes.append(UInt8(bytes.count / 20_000))
            case .text: bytes.append(UInt8(32 + (generator.next() >> 11) % alphabet))
            case .noise, .mixed: bytes.append(UInt8(truncatingIfNeeded: generator.next() >> 13))
            }
        }
        return bytes
    }

    private struct Stream {
        let file: MemoryFile
        let first: ImageDataInput.Chunk
        let bytes: [UInt8]

        init(_ contents: Contents, level: Int32 = 6, chunkSize: Int = 5000, cut: Int = 0) throws {
            bytes = InflationTeamTests.bytes(contents)
            var maker = PNGMaker(2)
            maker.chunkSize = chunkSize
            let stream = PNGMaker.compress(bytes, level: level)
            file = MemoryFile(maker.file(stream: Array(stream.dropLast(cut))))
            first = try PNGHeader(file).firstChunk
        }

        func input() -> ImageDataInput {
            ImageDataInput(file, first, checksPassed: true, isCancelled: { false })
        }
    }

    @Test("give the bytes of one", arguments: Contents.allCases, [5000, 1 << 24])
    func team(_ contents: Contents, _ chunkSize: Int) throws {
        let level: Int32 = contents == .text ? 1 : 9
        let stream = try Stream(contents, level: level, chunkSize: chunkSize)
        // The second leap waits for longer than the first.
        for needed in [Self.count, 250_001] {
            var bytes: [UInt8] = []
            var isInOrder = true
            try ChunkPipeline.read(
                stream.input, from: nil, to: needed, threads: 2, sizes: Self.sizes(1 << 13)
            ) { piece in
                isInOrder = isInOrder && piece.chunk.start == bytes.count
                unsafe bytes.append(contentsOf: piece.chunk.contents)
                return true
            }
            let isEqual = bytes.starts(with: stream.bytes.prefix(needed))
            #expect(isEqual && isInOrder, "\(needed)")
            // What the scout has found before it knew its place ends with one of its chunks.
            #expect(bytes.count < needed + Self.sizes(1 << 13).chunk + 258, "\(bytes.count) of \(needed)")
        }
    }

    @Test("begin at any piece of each other", arguments: Contents.allCases)
    func checkpoints(_ contents: Contents) throws {
        let stream = try Stream(contents)
        var isEqual = true
        try ChunkPipeline.read(
            stream.input, from: nil, to: Self.count, threads: 2, sizes: Self.sizes(1 << 14)
        ) { piece in
            let inflater = try Inflater(stream.input(), at: piece.position, in: piece.dataChunk)
            let copy = InflatedChunk(size: 100)
            copy.begin(at: piece.chunk.start, window: piece.chunk.windowBefore)
            _ = try inflater.fill(copy)
            let start = piece.chunk.start
            isEqual =
                unsafe isEqual
                && stream.bytes[start...].starts(with: copy.contents.prefix(Self.count - start))
            return true
        }
        #expect(isEqual)
    }

    @Test("find headers of blocks, and decode without the window", arguments: [Contents.text, .mixed])
    func scout(_ contents: Contents) throws {
        let stream = try Stream(contents)
        // All headers, with the positions of their blocks in the inflated stream.
        var starts: [Int: Int] = [:]
        let leader = Lane(try Inflater(stream.input()))
        var target = 0
        while leader.nextStart < Self.count {
            target = leader.inflater.position.bit + 1
            let chunk = InflatedChunk(size: Self.count)
            if try leader.fill(chunk, to: .max, until: target).isLast { break }
            starts[leader.inflater.position.bit] = leader.nextStart
        }
        #expect(starts.count > 5)
        var found = 0
        let scout = Inflater(scouting: stream.input())
        let marked = MarkedChunk()
        for start in stride(from: 0, to: stream.file.count, by: 15_000) where start >= scout.input.start {
            guard (try? scout.findBlock(from: start, to: start + 100_000)) == true,
                let output = starts[scout.position.block], output >= InflatedChunk.window
            else { continue }
            found += 1
            marked.removeAll()
            _ = try marked.append(20_000, from: scout)
            let segment = try #require(marked.segments.first)
            let chunk = InflatedChunk(size: 1 << 15)
            marked.resolve(
                segment, window: Array(stream.bytes[(output - InflatedChunk.window)..<output]), into: chunk)
            let isEqual = unsafe stream.bytes[output...].starts(with: chunk.contents)
            #expect(isEqual && segment.range.count >= min(20_000, Self.count - output))
        }
        #expect(found > 2)
    }

    @Test("report what ends early, is wrong or is cancelled, after what comes before")
    func broken() throws {
        let whole = try Stream(.mixed)
        func read(_ makeInput: @escaping @Sendable () -> ImageDataInput) throws {
            var count = 0
            try ChunkPipeline.read(
                makeInput, from: nil, to: Self.count, threads: 2, sizes: Self.sizes(1 << 13)
            ) { piece in
                count += unsafe piece.chunk.contents.count
                return true
            }
            Issue.record("\(count) bytes were read")
        }
        let cut = try Stream(.mixed, cut: 1000)
        #expect(throws: PNGIndexError.truncated) { try read(cut.input) }
        var changed = try whole.file.bytes(0..<whole.file.count)
        changed[changed.count * 4 / 5] ^= 1
        let file = MemoryFile(changed)
        #expect(throws: PNGIndexError.brokenData) {
            try read { ImageDataInput(file, whole.first, checksPassed: true, isCancelled: { false }) }
        }
        #expect(throws: PNGIndexError.cancelled) {
            try read { ImageDataInput(whole.file, whole.first, isCancelled: { true }) }
        }
    }

    @Test("end where the caller stops", arguments: [1, 30_000, 150_000, 300_000])
    func stop(_ count: Int) throws {
        let stream = try Stream(.text)
        var isEnough = false
        try ChunkPipeline.read(
            stream.input, from: nil, to: Self.count, threads: 2, sizes: Self.sizes(1 << 12)
        ) { piece in
            #expect(!isEnough)
            isEnough = piece.chunk.nextStart >= count
            return !isEnough
        }
        #expect(isEnough)
    }

    @Test("give the same or an error for damaged streams")
    func damage() throws {
        var generator = Xorshift(state: 8)
        let contents = Self.bytes(.mixed)
        let stream = PNGMaker.compress(contents, level: 6)
        for _ in 0..<TestLength.repetitions(60, short: 15) {
            let file = MemoryFile(PNGMaker(2).file(stream: generator.mutated(stream)))
            let first = try PNGHeader(file).firstChunk
            func read(_ threads: Int) -> [UInt8]? {
                var bytes: [UInt8] = []
                let result = Result {
                    try ChunkPipeline.read(
                        { ImageDataInput(file, first, checksPassed: true, isCancelled: { false }) },
                        from: nil, to: Self.count, threads: threads, sizes: Self.sizes(1 << 14)
                    ) { piece in
                        unsafe bytes.append(contentsOf: piece.chunk.contents)
                        return true
                    }
                }
                return (try? result.get()).map { bytes }
            }
            let isEqual = read(2) == read(1)
            #expect(isEqual)
        }
    }
}

@Suite("A PNG of an unusual kind")
struct UnusualFileTests {
    /// A file that loses its end after some reads.
    private static func cut(_ bytes: [UInt8], after reads: Int) -> MemoryFile {
        MemoryFile(bytes, truncation: .init(after: reads, to: 50_000))
    }

    private static let stored = {
        var maker = PNGMaker(6)
        (maker.width, maker.height, maker.level, maker.chunkSize) = (300, 300, 0, 40_000)
        return maker.file
    }()

    @Test("that shrinks while it is read is refused", arguments: [1, 2, 3], [0, 1, 2])
    func shrinking(_ threads: Int, _ reads: Int) throws {
        let bytes = Self.stored
        let header = try PNGHeader(MemoryFile(bytes))
        let whole = PixelRect<StoredGrid>(header.size)
        #expect(throws: PNGIndexError.truncated) {
            try PNGRegionReader(header).read(
                whole, of: Self.cut(bytes, after: reads), threads: threads
            ) { _ in }
        }
        #expect(throws: PNGIndexError.truncated) {
            try PNGIndex(Self.cut(bytes, after: reads), header: header, threads: threads)
        }
        let index = try PNGIndex(MemoryFile(bytes), header: header, interval: 50_000, share: 2)
        #expect(throws: PNGIndexError.truncated) {
            try PNGRegionReader(header, index: index).read(
                whole, of: Self.cut(bytes, after: reads), threads: threads
            ) { _ in }
        }
    }

    @Test("has the same pixels", arguments: [(1, 1), (65_535, 2), (2, 65_535)], [1, 3])
    func sizes(_ size: (width: Int, height: Int), _ threads: Int) throws {
        var maker = PNGMaker(0, 1)
        (maker.width, maker.height) = size
        let file = maker.file
        let pixels = maker.pixels
        let header = try PNGHeader(MemoryFile(file))
        let index = try PNGIndex(MemoryFile(file), header: header, interval: 4000, share: 10)
        let parts = [
            PixelRect<StoredGrid>(header.size),
            PixelRect<StoredGrid>(x: size.width - 1, y: size.height - 1, width: 1, height: 1),
            PixelRect<StoredGrid>(x: size.width / 2, y: 0, width: 1, height: size.height),
        ]
        for reader in [PNGRegionReader(header), PNGRegionReader(header, index: index)] {
            for part in parts {
                let isEqual =
                    try RegionTests.read(reader, part, file, threads: threads)
                    == RegionTests.cut(part, pixels, header)
                #expect(isEqual, "\(part)")
            }
        }
    }
}
