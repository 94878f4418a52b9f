internal import Basics
internal import Files
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

/// A slow source with levels in the cache.
///
/// Its levels are equal to the source's, bit for bit: cached levels are read from the cache, smaller ones averaged
/// from them, and the others read from the source.
struct PyramidSource: ImageSource {
    let original: any ImageSource
    /// The entries by level.
    private var entries: [Int: CacheEntry] = [:]

    init(of source: any ImageSource) {
        original = source
    }

    /// Sets the entry that a level is read from.
    mutating func keep(_ level: PyramidLevel, in entry: CacheEntry) {
        entries[level.index] = entry
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether a level is read from the cache.
    func hasEntry(for level: PyramidLevel) -> Bool { entry(for: level) != nil }

    /// The closest entry that a level is read or averaged from.
    private func entry(for level: PyramidLevel) -> (index: Int, entry: CacheEntry)? {
        // Only a level that is averaged itself may come from a closer one, and from none before the last that is
        // the source's own.
        let closest = original.isNative(level) ? level.index : original.nativePyramid.levels.last!.index
        return entries.filter { (closest...level.index).contains($0.key) }.max { $0.key < $1.key }
            .map { (index: $0.key, entry: $0.value) }
    }

    var pyramid: Pyramid { original.pyramid }

    var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities()
        // Levels that are not kept are read from the source.
        capabilities.wholeRowLevels = original.capabilities.wholeRowLevels.clamped(
            to: 0..<(entries.keys.min() ?? 0))
        return capabilities
    }

    var description: String { "pyramid in the cache, \(pyramid.levels.count) levels" }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        original.sharpeningCompensation(of: level)
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        guard let (kept, entry) = entry(for: level),
            let keptLevel = pyramid.levels.first(where: { $0.index == kept })
        else { return try original.open(level) }
        let expected = try original.open(keptLevel)
        guard let reader = KeptLevel(entry, of: expected) else {
            // Damaged since it was verified: the pixels are read from the source.
            entry.discard()
            return try original.open(level)
        }
        return kept == level.index ? reader : HalvedLevel(reader, times: level.index - kept)
    }
}

/// One level in the cache.
private struct KeptLevel: LevelReader {
    let level: PyramidLevel
    /// The color space: TIFF cannot express those of all formats.
    let pixels: SourcePixelFormat
    private let entry: CacheEntry
    private let reader: any LevelReader

    /// Returns nil where the entry does not match the level.
    init?(_ entry: CacheEntry, of original: any LevelReader) {
        guard let opened = try? OpenFile(entry.path),
            let reader = try? LevelFile.reader(of: opened, as: original.level),
            LevelFile.image(of: reader)?.size == original.level.size,
            reader.pixels.layout == original.pixels.layout
        else { return nil }
        self.reader = reader
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

/// Writes one level of a source as a tiled TIFF.
///
/// Pixels stay as stored, colors untouched, their profile beside them. zstd 1 after horizontal differences
/// writes seven times as fast as deflate 1 and four times as fast as LZW, to much the same size.
struct PyramidWriter {
    let reader: any LevelReader
    /// The image, for errors.
    let file: OpenFile

    /// Writes the level on the calling thread, which it blocks.
    ///
    /// - Parameter continues: receives the share that is done, on any thread; writing stops soon after it returns false.
    /// - Throws: `RenderingError` for the source, `CacheError` for the cache, `CancellationError` when stopped.
    func write(to path: String, continues: @escaping @Sendable (Double) -> Bool) throws {
        // Noise does not compress.
        let bytes = reader.level.size.area * reader.pixels.layout.pixelBytes
        let needed = bytes + bytes / 8 + 1 << 20
        if let free = Folder.freeBytes(at: path.deletingLastComponent), free < needed {
            throw CacheError.noRoom(path: path.deletingLastComponent, free: free, needed: needed)
        }
        guard continues(0) else { throw CancellationError() }
        if let image = LevelFile.image(of: reader) { return try save(image, path, continues) }
        // Averaged rows arrive from the top, but libvips needs rows of tiles.
        let rows = path + ".rows"
        defer { OutputFile.remove(rows) }
        do {
            try writeRows(rows) { continues($0 / 2) }
        } catch FileError.unwritable(let reason) {
            throw CacheError.unwritable(path: path.deletingLastComponent, reason: reason)
        }
        let image = try naming { () throws(VipsError) in
            try VipsImage.rawFile(
                rows, size: reader.level.size, bands: reader.pixels.layout.bands,
                format: reader.pixels.layout.type.format, interpretation: reader.pixels.interpretation)
        }
        try save(image, path) { continues(0.5 + $0 / 2) }
    }

    private func writeRows(_ path: String, _ continues: (Double) -> Bool) throws {
        let file = try RowFile(path)
        let size = reader.level.size
        var count = 0
        try reader.read(PixelRect(size)) { row in
            try file.append(row)
            count += 1
            guard count % 64 != 0 || continues(Double(count) / Double(size.height)) else {
                throw CancellationError()
            }
        }
        try file.flush()
    }

    private func save(
        _ image: VipsImage, _ path: String, _ continues: @escaping @Sendable (Double) -> Bool
    ) throws {
        let stop = CancellationFlag()
        let failSafe = FailSafeSource()
        let arguments: [String: VipsArgument] = [
            "tile": .bool(true), "tile_width": .int(256), "tile_height": .int(256), "bigtiff": .bool(true),
            "compression": .name("zstd"), "level": .int(1), "predictor": .name("horizontal"),
        ]
        // Distinguishes pixels that cannot be read from a file that cannot be written.
        let plain = try naming { () throws(VipsError) in
            try image.withoutMetadata(profile: reader.pixels.profile).failSafe(failSafe)
        }
        do throws(VipsError) {
            try plain.save(
                path, with: "tiffsave", arguments,
                continues: { share in
                    let goes = continues(share) && failSafe.failure == nil
                    if !goes { stop.raise() }
                    return goes
                })
        } catch {
            if let failure = failSafe.failure { throw RenderingError.decoding(file, log: failure.log) }
            if stop.isRaised { throw CancellationError() }
            throw CacheError.unwritable(
                path: path.deletingLastComponent,
                reason: error.log.isEmpty ? "the disk may be full" : error.log)
        }
        if let failure = failSafe.failure { throw RenderingError.decoding(file, log: failure.log) }
    }

    private func naming<R>(_ body: () throws(VipsError) -> R) throws(RenderingError) -> R {
        do {
            return try body()
        } catch {
            throw .decoding(file, log: error.log)
        }
    }
}

extension String {
    fileprivate var deletingLastComponent: String {
        OutputFile.folder(of: self)
    }
}
