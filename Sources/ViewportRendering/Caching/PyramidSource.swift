internal import Files
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// A slow source of which levels are kept in the cache.
///
/// It has the source's levels, bit for bit: those that are kept are read from there, those behind them averaged
/// from there, and the others are the source's.
struct PyramidSource: ImageSource {
    let original: HalvedSource
    /// The entries by the level that they hold.
    private var entries: [Int: CacheEntry] = [:]

    init(of source: HalvedSource) {
        original = source
    }

    /// Reads a level from an entry from now on.
    mutating func keep(_ level: PyramidLevel, in entry: CacheEntry) {
        entries[level.index] = entry
    }

    var isEmpty: Bool { entries.isEmpty }

    var pyramid: Pyramid { original.pyramid }

    var description: String { "pyramid in the cache, \(pyramid.levels.count) levels" }

    var access: SourceAccess { .random }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        original.sharpeningCompensation(of: level)
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        // Only a level that is averaged itself may come from a closer one, and from none before the last that is
        // the source's own.
        let closest = original.isOwn(level) ? level.index : original.base.pyramid.levels.last!.index
        guard
            let (kept, entry) = entries.filter({ (closest...level.index).contains($0.key) })
                .max(by: { $0.key < $1.key }),
            let keptLevel = pyramid.levels.first(where: { $0.index == kept })
        else { return try original.open(level) }
        let expected = try original.open(keptLevel)
        guard let reader = KeptLevel(entry, of: expected) else {
            // Damaged since it was checked: the source still has all of its pixels.
            entry.discard()
            return try original.open(level)
        }
        return kept == level.index ? reader : HalvedLevel(reader, times: level.index - kept)
    }
}

/// One level that is kept in the cache.
private struct KeptLevel: LevelReader {
    let level: PyramidLevel
    /// What the samples mean: TIFF cannot say all that other formats can.
    let pixels: PixelKind
    private let entry: CacheEntry
    private let reader: LoaderLevel

    /// Nil where the entry does not hold what it should.
    init?(_ entry: CacheEntry, of original: any LevelReader) {
        guard let opened = try? OpenFile(entry.path) else { return nil }
        let file = LoaderFile(
            file: opened, loader: "VipsForeignLoadTiffFile", format: .tiff, options: OpenOptions())
        guard let image = try? file.header().readable() else { return nil }
        reader = LoaderLevel(file: opened, level: original.level, image: image, isSequential: false)
        guard image.size == original.level.size, reader.pixels.layout == original.pixels.layout else {
            return nil
        }
        self.entry = entry
        level = original.level
        pixels = original.pixels
    }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        do {
            try reader.read(rect, row: row)
        } catch let error as RenderingError where error.isDamage(of: entry.path) {
            entry.discard()
            throw CacheError.broken(file: entry.path)
        }
    }
}

extension RenderingError {
    fileprivate func isDamage(of path: String) -> Bool {
        switch self {
        case .damaged(let file, _), .changed(let file): file == path
        default: false
        }
    }
}
