internal import TilePyramid
internal import ViewportGeometry

/// A pyramid in the cache, in place of the slow source that it was made from.
///
/// Level 0 has the source's own pixels, bit for bit; each further one averages four pixels of the one before.
/// Levels closer than the pyramid's first, which only drawings have, are the source's.
struct PyramidSource: ImageSource {
    let original: any ImageSource
    let pyramid: Pyramid
    private let entry: CacheEntry
    private let file: LoaderSource
    /// The level of the source that is level 0 of the file in the cache.
    private let base: Int
    /// What the samples mean: TIFF cannot say all that other formats can.
    private let pixels: PixelKind

    /// - Throws: `CacheError.broken` where the entry is not what it should be; it is removed then.
    init(_ entry: CacheEntry, of source: any ImageSource, base: PyramidLevel) throws {
        let reader = try source.open(base)
        let tiff = LoaderFile(
            path: entry.path, loader: "VipsForeignLoadTiffFile", format: .tiff, options: OpenOptions())
        do {
            let header = try tiff.header()
            file = try LoaderSource(tiff, header: header, pages: tiff.pages(of: header))
            let full = try file.open(file.pyramid.full)
            guard full.level.size == reader.level.size, full.pixels.layout == reader.pixels.layout else {
                throw CacheError.broken(file: entry.path)
            }
        } catch {
            entry.discard()
            throw CacheError.broken(file: entry.path)
        }
        let exact = reader.level
        let kept = file.pyramid.levels.map { level in
            PyramidLevel(
                index: base.index + level.index, size: level.size,
                downsampleX: exact.downsampleX * level.downsampleX,
                downsampleY: exact.downsampleY * level.downsampleY)
        }
        original = source
        pixels = reader.pixels
        self.entry = entry
        self.base = base.index
        pyramid = Pyramid(levels: source.pyramid.levels.filter { $0.index < base.index } + kept)
    }

    var description: String { "pyramid in the cache, \(pyramid.levels.count) levels" }

    var access: SourceAccess { .random }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        guard level.index >= base else { return try original.open(level) }
        var own = level
        own.index -= base
        return PyramidLevelReader(level: level, pixels: pixels, entry: entry, reader: try file.open(own))
    }
}

/// One level of a pyramid in the cache.
private struct PyramidLevelReader: LevelReader {
    let level: PyramidLevel
    let pixels: PixelKind
    let entry: CacheEntry
    let reader: any LevelReader

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        do {
            try reader.read(rect, row: row)
        } catch RenderingError.damaged(let path, _) where path == entry.path {
            entry.discard()
            throw CacheError.broken(file: path)
        }
    }
}
