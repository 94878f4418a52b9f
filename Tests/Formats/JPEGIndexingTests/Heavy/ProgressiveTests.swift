import JPEGIndexing
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("A region of a progressive JPEG")
struct ProgressiveTests {
    /// Every sampling, every kind of script, and other variants.
    static let files: [ProgressiveMaker] = {
        var result: [ProgressiveMaker] = []
        for (index, (name, sampling)) in RegionTests.samplings.enumerated() {
            let count = sampling.count
            let (adobe, hasJFIF): (UInt8?, Bool) =
                count == 4 ? (name == "CMYK" ? 0 : 2, false) : (nil, true)
            let scripts: [(String, [ProgressiveMaker.Scan])] = [
                ("libjpeg's", ProgressiveMaker.script(components: count)),
                ("restarts", ProgressiveMaker.script(components: count, restartInterval: 3 + index)),
                (
                    "spectral",
                    ProgressiveMaker.spectralScript(components: count, restartInterval: index % 2 * 7)
                ),
                ("deep", ProgressiveMaker.deepScript(components: count)),
            ]
            for (number, (kind, script)) in scripts.enumerated() {
                result.append(
                    ProgressiveMaker(
                        name: "\(name) \(kind)", width: 131 - 7 * number, height: 83 + 9 * number,
                        sampling: sampling, script: script, tables: JPEGMaker.Tables.allCases[number % 3],
                        adobe: adobe, hasJFIF: hasJFIF, seed: UInt64(index * 4 + number + 1),
                        density: [6, 0.1, 20, 2][(index + number) % 4]))
            }
        }
        for (width, height) in [(1, 1), (2, 3), (8, 8), (9, 17), (16, 16), (17, 15), (300, 9), (5, 200)] {
            result += RegionTests.samplings.prefix(4).map {
                ProgressiveMaker(name: $0.0, width: width, height: height, sampling: $0.1)
            }
        }
        result += [
            ProgressiveMaker(name: "one run of ended blocks", width: 400, height: 300, density: 0.002),
            ProgressiveMaker(name: "no AC", density: 0.000_001),
            ProgressiveMaker(name: "full blocks", density: 60),
            ProgressiveMaker(
                name: "two of three interleaved",
                script: [
                    .init([0, 2], 0...0, 0, 1), .init([1], 0...0), .init([0, 2], 0...0, 1, 0),
                    .init([2], 1...63), .init([0], 1...63, 0, 1), .init([1], 1...63),
                    .init([0], 1...63, 1, 0),
                ]),
            ProgressiveMaker(name: "without an end", hasEnd: false),
        ]
        return result
    }()

    @Test("has exactly the pixels of a full decode, with an index and without", arguments: files)
    func exact(_ maker: ProgressiveMaker) throws {
        let file = maker.file
        let channels = maker.sampling.count
        let header = try ProgressiveHeader(MemoryFile(file))
        let readers = try [nil, 1, 3, 64].map { interval in
            try ProgressiveRegionReader(
                header: header,
                index: interval.map { interval in
                    try ProgressiveIndex(MemoryFile(file), header: header, interval: interval)
                })
        }
        var generator = Xorshift(state: 77)
        for scale in JPEGScale.allCases
        where DecodedJPEG.canScale(width: maker.width, height: maker.height, scale) {
            // libjpeg warns where the end is missing.
            let ended = maker.hasEnd ? file : file + [0xFF, 0xD9]
            let whole = try #require(DecodedJPEG(ended, channels: channels, scale: scale))
            for number in 0..<4 {
                let rect = generator.rect(in: whole.size)
                var pixels: [UInt8] = []
                let bandHeight = number % 2 == 0 ? Int.max : 1 + generator.below(30)
                var isComparable = true
                try readers[number % 4].read(rect, at: scale, of: MemoryFile(file), bandHeight: bandHeight) {
                    region in
                    let stored = try JPEGHeader(region.jpeg).size
                    guard DecodedJPEG.canScale(width: stored.width, height: stored.height, scale) else {
                        isComparable = false
                        return
                    }
                    let decoded = try #require(
                        DecodedJPEG(region.jpeg, channels: channels, scale: scale))
                    #expect(decoded.size == region.decodedSize)
                    pixels += decoded.cropped(region.crop)
                }
                if isComparable {
                    #expect(pixels == whole.cropped(rect), "\(rect) at 1/\(scale.rawValue)")
                }
            }
        }
    }

    @Test("is read from the bytes that it names, and from what lies between the scans", arguments: files)
    func ranges(_ maker: ProgressiveMaker) throws {
        let file = maker.file
        let header = try ProgressiveHeader(MemoryFile(file))
        // What a sidecar has of the file.
        var headers = file
        for data in header.scanData {
            headers.replaceSubrange(data, with: [UInt8](repeating: 0, count: data.count))
        }
        let known = try ProgressiveHeader(MemoryFile(headers)) { start in
            header.scanData.first { $0.lowerBound == start }?.upperBound
        }
        #expect(known.scanData == header.scanData)
        var generator = Xorshift(state: 99)
        for interval in [1, 3, 64] {
            let index = try ProgressiveIndex(MemoryFile(file), header: header, interval: interval)
            let reader = try ProgressiveRegionReader(header: known, index: index)
            let rect = generator.rect(in: header.header.size(at: .full))
            var parts = headers
            for range in try reader.byteRanges(of: rect, at: .full, fileSize: file.count) {
                parts.replaceSubrange(range, with: file[range])
            }
            let expected = try reader.region(rect, at: .full, of: MemoryFile(file))
            #expect(try reader.region(rect, at: .full, of: MemoryFile(parts)) == expected)
        }
    }

    @Test("is found by two threads as by one")
    func threads() throws {
        let file = ProgressiveMaker(name: "4:2:0", width: 600, height: 500, density: 30).file
        let header = try ProgressiveHeader(MemoryFile(file))
        let indexes = try [1, 2, 3, 20].map { threads in
            try ProgressiveIndex(MemoryFile(file), header: header, threads: threads)
        }
        #expect(Set(indexes).count == 1)
    }
}

@Suite("A saved index of a progressive JPEG")
struct SavedProgressiveIndexTests {
    /// An index with what it belongs to.
    struct Saved {
        let file: [UInt8]
        let header: ProgressiveHeader
        let index: ProgressiveIndex
        let identity: FileFingerprint
        let bytes: [UInt8]

        init(_ maker: ProgressiveMaker, interval: Int = 8) throws {
            file = maker.file
            header = try ProgressiveHeader(MemoryFile(file))
            index = try ProgressiveIndex(MemoryFile(file), header: header, interval: interval)
            identity = file.lent { FileFingerprint($0, modified: 7) }
            bytes = index.saved(for: identity, header: header)
        }
    }

    @Test("is the same after loading, with fewer checkpoints where it would be too large")
    func loaded() throws {
        for maker in ProgressiveTests.files[..<16] {
            let saved = try Saved(maker)
            let loaded = try ProgressiveIndex(
                saved: saved.bytes, for: saved.identity, header: saved.header)
            let step = loaded.interval / saved.index.interval
            #expect(loaded == saved.index.keeping(every: step), "\(maker)")
        }
    }

    @Test("takes at most 0.25 % of a large file, with as many checkpoints as fit", arguments: [1, 2, 4])
    func size(_ interval: Int) throws {
        let saved = try Saved(
            ProgressiveMaker(name: "wide", width: 6000, height: 320, density: 30), interval: interval)
        #expect(saved.bytes.count * 400 <= saved.file.count)
        let loaded = try ProgressiveIndex(
            saved: saved.bytes, for: saved.identity, header: saved.header)
        let step = loaded.interval / interval
        #expect(step > 1 && loaded == saved.index.keeping(every: step))
        // What fits is used.
        #expect(saved.bytes.count * 800 >= saved.file.count)
    }

    @Test("that is damaged, or of another file, is refused")
    func refused() throws {
        let saved = try Saved(ProgressiveMaker(name: "4:2:0"))
        for position in stride(from: 0, to: saved.bytes.count, by: 3) {
            var bytes = saved.bytes
            bytes[position] ^= 4
            #expect(throws: JPEGIndexError.staleIndex) {
                try ProgressiveIndex(saved: bytes, for: saved.identity, header: saved.header)
            }
            #expect(throws: JPEGIndexError.staleIndex) {
                try ProgressiveIndex(
                    saved: Array(saved.bytes[..<position]), for: saved.identity, header: saved.header)
            }
        }
        let other = saved.file.lent { FileFingerprint($0, modified: 8) }
        #expect(throws: JPEGIndexError.staleIndex) {
            try ProgressiveIndex(saved: saved.bytes, for: other, header: saved.header)
        }
    }
}

@Suite("A progressive JPEG")
struct ProgressiveHeaderTests {
    typealias Scan = ProgressiveMaker.Scan

    /// Scripts that are refused, and why.
    static let scripts: [(String, [Scan], JPEGIndexError)] = [
        ("no AC", [Scan([0], 0...0)], .incompleteScans),
        ("a missing bit", [Scan([0], 0...0), Scan([0], 1...63, 0, 1)], .incompleteScans),
        ("a missing coefficient", [Scan([0], 0...0), Scan([0], 1...62)], .incompleteScans),
        ("AC first", [Scan([0], 1...63), Scan([0], 0...0)], .brokenHeader("scan")),
        ("a scan twice", [Scan([0], 0...0), Scan([0], 0...0)], .brokenHeader("scan")),
        (
            "a bit left out", [Scan([0], 0...0, 0, 2), Scan([0], 0...0, 1, 0), Scan([0], 1...63)],
            .brokenHeader("scan")
        ),
    ]

    @Test("with a script that libjpeg would smooth or warn about is left to it", arguments: scripts.indices)
    func refused(_ number: Int) throws {
        let (name, script, error) = Self.scripts[number]
        let file = ProgressiveMaker(name: name, sampling: [(1, 1)], script: script).file
        #expect(throws: error, "\(name)") { try ProgressiveHeader(MemoryFile(file)) }
    }

    @Test("that ends early is refused, or found to be broken")
    func truncated() throws {
        let file = ProgressiveMaker(name: "4:2:0").file
        for end in stride(from: 0, to: file.count - 20, by: 171) {
            #expect(throws: JPEGIndexError.self, "\(end)") {
                let bytes = MemoryFile(Array(file[..<end]))
                _ = try ProgressiveIndex(bytes, header: ProgressiveHeader(bytes))
            }
        }
    }

    @Test("may have tables behind its last scan")
    func tables() throws {
        let file = ProgressiveMaker(name: "4:2:0").file
        let empty: [UInt8] = [0xFF, 0xFE, 0, 2]
        let header = try ProgressiveHeader(MemoryFile(file.dropLast(2) + empty + [0xFF, 0xD9]))
        #expect(header.header.size == PixelSize(width: 100, height: 75))
    }

    @Test("is not a baseline one")
    func baseline() throws {
        #expect(throws: JPEGIndexError.progressive) {
            try JPEGHeader(ProgressiveMaker(name: "4:2:0").file)
        }
        #expect(throws: JPEGIndexError.self) {
            try ProgressiveHeader(MemoryFile(JPEGMaker(name: "4:2:0").file))
        }
    }
}

@Suite("Broken progressive JPEGs", .ownThread, .heavy)
struct ProgressiveFuzzTests {
    @Test("are refused or read without access out of bounds", arguments: [1, 2, 3, 4])
    func mutations(_ seed: UInt64) throws {
        var fuzzer = try ProgressiveFuzzer(seed: seed)
        fuzzer.run(TestLength.repetitions(2500, short: 600))
        let counts = fuzzer.counts
        #expect(counts.bands > counts.inputs / 5)
        #expect(counts.loaded > counts.inputs / 500 && counts.headers > counts.inputs / 100)
    }
}
