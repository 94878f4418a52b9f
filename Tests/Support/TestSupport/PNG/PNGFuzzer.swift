import Basics
internal import Files
import PNGIndexing
import ViewportGeometry

/// Runs all operations of PNGIndexing on randomly changed files.
///
/// The results are ignored: the run proves that nothing is read out of bounds, overflows or hangs. Checksums are
/// corrected after most changes, so that what is behind them is reached.
package struct PNGFuzzer {
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
        /// Regions that were still read.
        package var regions = 0
    }

    package private(set) var counts = Counts()

    private struct Original {
        var maker: PNGMaker
        var stream: [UInt8]
        var file: [UInt8]
        var header: PNGHeader
        var fingerprint: FileFingerprint
        var saved: [UInt8]
    }

    package init(seed: UInt64) throws {
        generator = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let striped = Self.striped
        originals = try (Self.makers.map { ($0, $0.stream) } + [striped]).map { maker, stream in
            let file = MemoryFile(maker.file(stream: stream))
            let header = try PNGHeader(file)
            let fingerprint = try FileFingerprint(file, modified: 0)
            let interval = stream.count > 10_000 ? 20_000 : 256
            let index = try PNGIndex(file, header: header, interval: interval, share: 10)
            return Original(
                maker: maker, stream: stream, file: maker.file(stream: stream), header: header,
                fingerprint: fingerprint, saved: index.saved(for: fingerprint, header: header))
        }
    }

    private static let makers: [PNGMaker] =
        (PNGMaker.kinds + PNGMaker.kinds).enumerated().map {
            number, kind in
            var maker = kind
            maker.level = [1, 6, 9, 0][number % 4]
            maker.chunkSize = [50, 100_000, 7][number % 3]
            maker.extra = number % 5 == 0 ? [("eXIf", Array("II*\0\u{8}\0\0\0\0\0".utf8))] : []
            (maker.width, maker.height) = (20 + number, 40 - number / 2)
            return maker
        }

    /// An image with many blocks, for threads that inflate different ones: stripes of noise from few or many values.
    private static let striped: (maker: PNGMaker, stream: [UInt8]) = {
        var maker = PNGMaker(0)
        (maker.width, maker.height, maker.chunkSize) = (199, 800, 3000)
        var generator = Xorshift(state: 21)
        let bytes = (0..<maker.height).flatMap { y -> [UInt8] in
            let values = 4 + y / 40 * 37 % 60
            return [0] + (0..<maker.width).map { _ in UInt8(generator.below(values)) }
        }
        return (maker, PNGMaker.compress(bytes, level: 1))
    }()

    /// Tries `count` changed inputs.
    package mutating func run(_ count: Int) {
        for _ in 0..<count {
            counts.inputs += 1
            let original = originals[generator.below(originals.count)]
            switch generator.below(10) {
            case 0: changedFile(original)
            case 1: changedHeader(original)
            case 2, 3: changedIndex(original)
            default: changedStream(original)
            }
        }
    }

    /// Reads a file with any bytes changed, so that checksums are wrong.
    private mutating func changedFile(_ original: Original) {
        read(generator.mutated(original.file))
    }

    /// Reads a file with changed chunks before the image data, whose checksums are right.
    private mutating func changedHeader(_ original: Original) {
        var file = original.file
        var position = 8
        while let length = file.uint32(at: position), length < file.count - position - 12 {
            let body = (position + 4)..<(position + 8 + length)
            if generator.below(2) == 0 {
                let offset = body.lowerBound + generator.below(body.count)
                file[offset] ^= 1 << UInt8(generator.below(8))
                let checksum = PNGMaker.checksum(Array(file[body])).bytes(.big)
                file.replaceSubrange(body.upperBound..<(body.upperBound + 4), with: checksum)
            }
            position = body.upperBound + 4
        }
        read(file)
    }

    /// Reads a file with changed compressed data: with a new index, with the old one, and without.
    private mutating func changedStream(_ original: Original) {
        let file = original.maker.file(stream: generator.mutated(original.stream))
        guard let header = read(file), generator.below(3) == 0,
            let old = try? PNGIndex(saved: original.saved, for: original.fingerprint, header: original.header)
        else { return }
        read(PNGRegionReader(header, index: old), MemoryFile(file))
    }

    /// Reads with a changed index that has a correct checksum: its positions may be wrong but must not cause
    /// out-of-bounds reads.
    private mutating func changedIndex(_ original: Original) {
        let body = generator.mutated(Array(original.saved.dropLast(8)), from: 64)
        let saved = body + FNV1a.hash(body).bytes(.little)
        guard let index = try? PNGIndex(saved: saved, for: original.fingerprint, header: original.header)
        else { return }
        counts.loaded += 1
        read(PNGRegionReader(original.header, index: index), MemoryFile(original.file))
    }

    @discardableResult
    private mutating func read(_ bytes: [UInt8]) -> PNGHeader? {
        let file = MemoryFile(bytes)
        guard let header = try? PNGHeader(file) else { return nil }
        counts.headers += 1
        // Rows of a gigabyte take too long to allocate.
        guard header.rowBytes < 1 << 20 else { return nil }
        read(PNGRegionReader(header), file)
        if generator.below(8) == 0,
            (try? PNGIndex(file, header: header, interval: 128, share: 1)) != nil
        {
            counts.indexed += 1
        }
        return header
    }

    private mutating func read(_ reader: PNGRegionReader, _ file: MemoryFile) {
        let size = reader.header.size
        let (x, y) = (generator.below(size.width), generator.below(min(size.height, 1000)))
        let rect = PixelRect<StoredGrid>(
            x: x, y: y, width: 1 + generator.below(min(size.width - x, 100)),
            height: 1 + generator.below(min(size.height - y, 100)))
        var reader = reader
        (reader.sizes.chunk, reader.sizes.leap, reader.sizes.least) = (2000, 20_000, 0)
        reader.sizes.step = 512
        let threads = reader.header.size.width > 100 ? 1 + generator.below(2) : 1
        if (try? reader.read(rect, of: file, threads: threads) { _ in }) != nil { counts.regions += 1 }
    }
}
