import Basics
import Files
import TestSupport
import Testing
import ViewportGeometry

@testable import PNGIndexing

@Suite("A PNG index")
struct IndexTests {
    private static func file(_ filters: [UInt8]) -> PNGMaker {
        var maker = PNGMaker(2)
        (maker.width, maker.height, maker.filters) = (200, 300, filters)
        return maker
    }

    @Test("stays within its share of the file", arguments: [0.02, 0.1, 0.5])
    func budget(_ share: Double) throws {
        let file = MemoryFile(Self.file([1, 2, 3, 4]).file)
        let header = try PNGHeader(file)
        let index = try PNGIndex(file, header: header, interval: 2000, share: share)
        let saved = index.saved(for: try FileFingerprint(file, modified: 0), header: header)
        #expect(saved.count <= max(72, Int(share * Double(file.count))))
        let free = try PNGIndex(file, header: header, interval: 2000, share: 10)
        #expect(index.count < free.count)
        #expect(share < 0.5 || index.count > 0)
    }

    @Test("keeps no row above rows that predict nothing from it")
    func rowsAbove() throws {
        let file = MemoryFile(Self.file([0, 1]).file)
        let header = try PNGHeader(file)
        let index = try PNGIndex(file, header: header, interval: 2000, share: 10)
        #expect(index.count > 5)
        #expect(index.checkpoints.filter { !$0.above.isEmpty }.isEmpty)
    }

    @Test("rejects what belongs to another file, or is damaged")
    func stale() throws {
        let file = MemoryFile(Self.file([4]).file)
        let header = try PNGHeader(file)
        let fingerprint = try FileFingerprint(file, modified: 5)
        let index = try PNGIndex(file, header: header, interval: 40_000, share: 10)
        let saved = index.saved(for: fingerprint, header: header)
        #expect(throws: PNGIndexError.staleIndex) {
            try PNGIndex(saved: saved, for: try FileFingerprint(file, modified: 6), header: header)
        }
        for offset in stride(from: 0, to: saved.count, by: saved.count / 11) {
            var changed = saved
            changed[offset] ^= 4
            #expect(throws: PNGIndexError.staleIndex) {
                try PNGIndex(saved: changed, for: fingerprint, header: header)
            }
            #expect(throws: PNGIndexError.staleIndex) {
                try PNGIndex(saved: Array(saved[..<offset]), for: fingerprint, header: header)
            }
        }
    }

    @Test("is refused where the data ends early")
    func truncated() throws {
        let maker = Self.file([2])
        let header = try PNGHeader(MemoryFile(maker.file))
        #expect(throws: PNGIndexError.truncated) {
            try PNGIndex(
                MemoryFile(maker.file(stream: Array(maker.stream.dropLast(20)))), header: header, threads: 2)
        }
    }
}

@Suite("A PNG header")
struct HeaderTests {
    @Test("refuses what libpng repairs or rejects")
    func refused() throws {
        func header(_ change: (inout PNGMaker) -> Void) throws -> PNGHeader {
            var maker = PNGMaker(2)
            change(&maker)
            return try PNGHeader(MemoryFile(maker.file))
        }
        _ = try header { _ in }
        #expect(throws: PNGIndexError.brokenHeader("iCCP")) {
            try header { $0.extra = [("iCCP", Array("name\0\0nonsense".utf8))] }
        }
        #expect(throws: PNGIndexError.brokenHeader("tRNS")) { try header { $0.extra = [("tRNS", [1])] } }
        #expect(throws: PNGIndexError.brokenHeader("ABCD")) { try header { $0.extra = [("ABCD", [])] } }
        #expect(throws: PNGIndexError.brokenHeader("IHDR")) { try header { $0.width = 0 } }
        #expect(throws: PNGIndexError.brokenHeader("IHDR")) { try header { $0.bitDepth = 4 } }
        #expect(throws: PNGIndexError.notPNG) { try PNGHeader(MemoryFile([1, 2, 3])) }
        #expect(throws: PNGIndexError.truncated) { try PNGHeader(MemoryFile(Array(PNGMaker(2).file[..<40]))) }
    }

    @Test("names Adam7")
    func interlaced() throws {
        var file = PNGMaker(2).file
        file[28] = 1
        let checksum = PNGMaker.checksum(Array(file[12..<29])).bytes(.big)
        file.replaceSubrange(29..<33, with: checksum)
        #expect(throws: PNGIndexError.interlaced) { try PNGHeader(MemoryFile(file)) }
        #expect("\(PNGIndexError.interlaced)" == "the PNG is interlaced (Adam7)")
    }
}
