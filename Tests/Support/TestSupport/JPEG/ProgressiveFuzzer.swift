import Basics
import JPEGIndexing
import ViewportGeometry

/// Runs all operations on progressive JPEGs with randomly changed files and indexes.
///
/// The results are ignored: the run proves that nothing is read out of bounds, overflows or hangs.
package struct ProgressiveFuzzer {
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
        /// Bands of regions that were still written.
        package var bands = 0
    }

    package private(set) var counts = Counts()

    private struct Original {
        var file: [UInt8]
        var header: ProgressiveHeader
        var reader: ProgressiveRegionReader
        var identity: FileFingerprint
        var saved: [UInt8]
    }

    package init(seed: UInt64) throws {
        generator = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        originals = try Self.makers.map { maker in
            let file = maker.file
            let header = try ProgressiveHeader(MemoryFile(file))
            let index = try ProgressiveIndex(MemoryFile(file), header: header, interval: 2)
            let identity = file.lent { FileFingerprint($0, modified: 0) }
            return Original(
                file: file, header: header,
                reader: try ProgressiveRegionReader(header: header, index: index), identity: identity,
                saved: index.saved(for: identity, header: header))
        }
    }

    private static let makers: [ProgressiveMaker] = [
        ProgressiveMaker(name: "4:2:0", width: 65, height: 50),
        ProgressiveMaker(
            name: "4:2:2", width: 49, height: 33, sampling: [(2, 1), (1, 1), (1, 1)],
            script: ProgressiveMaker.script(components: 3, restartInterval: 5), tables: .steep),
        ProgressiveMaker(
            name: "gray", width: 50, height: 40, sampling: [(1, 1)],
            script: ProgressiveMaker.deepScript(components: 1), density: 20),
        ProgressiveMaker(
            name: "4:4:4", width: 40, height: 30, sampling: [(1, 1), (1, 1), (1, 1)],
            script: ProgressiveMaker.spectralScript(components: 3), density: 0.2),
    ]

    /// Tries `count` changed inputs.
    package mutating func run(_ count: Int) {
        for _ in 0..<count {
            counts.inputs += 1
            let original = originals[generator.below(originals.count)]
            switch generator.below(20) {
            case 0: changedFile(original)
            case 1, 2: changedIndex(original)
            default: changedData(original)
            }
        }
    }

    /// Reads a file with changes anywhere, headers of scans included.
    private mutating func changedFile(_ original: Original) {
        let start = generator.below(2) == 0 ? 0 : 150
        let file = generator.mutated(original.file, from: start)
        guard let header = try? ProgressiveHeader(MemoryFile(file)) else { return }
        counts.headers += 1
        // Huge empty images would take too long.
        guard header.header.size.area < 1_000_000 else { return }
        let index = try? ProgressiveIndex(MemoryFile(file), header: header, interval: 3)
        if index != nil { counts.indexed += 1 }
        if let reader = try? ProgressiveRegionReader(header: header, index: index) { read(reader, file) }
    }

    /// Reads a file with changed data through the old headers: with the old index, a new one and none.
    private mutating func changedData(_ original: Original) {
        let file = generator.mutated(original.file, from: 600)
        read(original.reader, file)
        switch generator.below(8) {
        case 0:
            if (try? ProgressiveIndex(MemoryFile(file), header: original.header, interval: 7)) != nil {
                counts.indexed += 1
            }
        case 1:
            if let reader = try? ProgressiveRegionReader(header: original.header, index: nil) {
                read(reader, file)
            }
        default: break
        }
    }

    /// Reads with a changed index that has a correct checksum.
    private mutating func changedIndex(_ original: Original) {
        let body = generator.mutated(Array(original.saved.dropLast(8)), from: 0)
        let saved = body + FNV1a.hash(body).bytes(.little)
        guard
            let index = try? ProgressiveIndex(
                saved: saved, for: original.identity, header: original.header),
            let reader = try? ProgressiveRegionReader(header: original.header, index: index)
        else { return }
        counts.loaded += 1
        read(reader, original.file)
    }

    /// Reads a region of a file with any index.
    private mutating func read(_ reader: ProgressiveRegionReader, _ file: [UInt8]) {
        let scale = JPEGScale.allCases[generator.below(4)]
        let size = reader.header.header.size(at: scale)
        let rect = PixelRect<ReducedGrid>(
            x: generator.below(size.width), y: generator.below(size.height), width: 1 + generator.below(40),
            height: 1 + generator.below(40))
        var bands = 0
        let bandHeight = 1 + generator.below(40)
        try? reader.read(rect, at: scale, of: MemoryFile(file), bandHeight: bandHeight) { _ in bands += 1 }
        counts.bands += bands
    }
}
