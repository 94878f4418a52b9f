import TestSupport
import Testing

@testable import JPEGIndexing

@Suite("Damage in the data of a JPEG")
struct BreakTests {
    /// Files of one scan, with and without restart markers, and of several.
    static let makers: [(name: String, file: [UInt8])] =
        [
            JPEGMaker(name: "4:2:0", width: 640, height: 483, tables: .optimized, density: 5),
            JPEGMaker(name: "complete", width: 640, height: 483, density: 5),
            JPEGMaker(name: "restarts", width: 640, height: 483, restartInterval: 37, density: 5),
            JPEGMaker(name: "gray", width: 700, height: 500, sampling: [(1, 1)], tables: .steep, density: 3),
        ].map { ($0.name, $0.file) } + [
            ("progressive", ProgressiveMaker(name: "progressive", width: 320, height: 243).file)
        ]

    @Test("is none where all of it is there", arguments: makers)
    func whole(_ maker: (name: String, file: [UInt8])) {
        #expect(JPEGBreak.find(MemoryFile(maker.file)) == nil)
        // Cameras append previews and films, and fill up.
        #expect(JPEGBreak.find(MemoryFile(maker.file + [UInt8](repeating: 7, count: 999))) == nil)
        #expect(JPEGBreak.find(MemoryFile(maker.file.dropLast(2) + [0, 0, 0, 0xFF, 0xD9])) == nil)
    }

    @Test("is found where a part of it is zeros, noise or that of another file", arguments: makers)
    func damaged(_ maker: (name: String, file: [UInt8])) {
        let file = maker.file
        var random = SplitMix64(seed: 3)
        let noise = (0..<2000).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) & 0x7F }
        let other = JPEGMaker(name: "other", width: 640, height: 480, seed: 77).file
        for share in [3, 2] {
            let at = file.count / share
            func replaced(_ bytes: [UInt8]) -> [UInt8] { file[..<at] + bytes + file[(at + bytes.count)...] }
            let tail = Array(file[..<at]) + other[(other.count / 2)...]
            #expect(JPEGBreak.find(MemoryFile(tail)) != nil, "tail")
            #expect(JPEGBreak.find(MemoryFile(file[..<at] + [0xFF, 0xD9])) != nil, "an early end")
            // Coefficients of one scan can be replaced by others.
            guard maker.name != "progressive" else { continue }
            #expect(JPEGBreak.find(MemoryFile(replaced([UInt8](repeating: 0, count: 2000)))) != nil, "zeros")
            #expect(JPEGBreak.find(MemoryFile(replaced(noise))) != nil, "noise")
            #expect(JPEGBreak.find(MemoryFile(file[..<at] + other)) != nil, "another file")
        }
    }

    @Test("names the first row that is wrong")
    func rows() {
        let file = Self.makers[0].file
        let found = JPEGBreak.find(MemoryFile(file[..<(file.count / 2)] + [0xFF, 0xD9]))
        guard case .rows(let rows)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect((128..<352).contains(rows.lowerBound) && rows.upperBound == 483)
    }
}
