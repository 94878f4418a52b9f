internal import Files
internal import JPEGCoding
internal import Pictures
internal import Resampling
internal import Sidecars
internal import TilePyramid
internal import ViewportGeometry

/// An image whose small levels are read from its sidecar, as JPEG tiles.
///
/// The levels are not exactly those of the image: they were encoded again. Full resolution is that of the image.
struct SidecarSource: IndexableSource {
    private let base: any IndexableSource
    private let sidecar: Sidecar
    /// The file of the sidecar, which is told what will be read.
    private let file: any RandomAccessBytes
    private let pixels: SourcePixelFormat
    let nativePyramid: Pyramid
    let pyramid: Pyramid

    /// Returns nil where the sidecar has no levels, or they cannot have the colors of the image.
    init?(_ base: any IndexableSource, _ sidecar: Sidecar, in file: any RandomAccessBytes) {
        guard let full = try? base.open(base.pyramid.full),
            let last = sidecar.directory.levels.map(\.index).max(),
            full.pixels.layout.type == .uint8, !full.pixels.layout.hasAlpha,
            [1, 3].contains(full.pixels.layout.bands), full.level.size == sidecar.directory.size
        else { return nil }
        (self.base, self.sidecar, self.file, pixels) = (base, sidecar, file, full.pixels)
        let small = Self.levels(of: sidecar.directory)
        let own = base.nativePyramid.levels.filter { level in
            level.index < last && !small.contains { $0.index == level.index }
        }
        nativePyramid = Pyramid(levels: own + small)
        pyramid = nativePyramid.continuedByHalving
    }

    /// The small levels of a sidecar.
    static func levels(of directory: SidecarDirectory) -> [PyramidLevel] {
        directory.levels.map { level in
            var made = PyramidLevel(index: level.index, size: level.size, of: directory.size)
            made.isOverview = true
            return made
        }
    }

    var description: String { "\(base.description), small levels of a sidecar" }

    var capabilities: SourceCapabilities {
        var capabilities = base.capabilities
        capabilities.indexable = self
        // One pass over the file would make levels that are here already.
        capabilities.preparable = nil
        return capabilities
    }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        sidecar.directory.levels.contains { $0.index == level.index }
            ? SharpeningCompensation.ofMeans(level) : base.sharpeningCompensation(of: level)
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        if let small = sidecar.directory.levels.first(where: { $0.index == level.index }),
            let place = nativePyramid.levels.first(where: { $0.index == level.index })
        {
            return Level(sidecar: sidecar, file: file, small: small, level: place, pixels: pixels)
        }
        // The pyramid has the full resolution.
        let last = nativePyramid.levels.last!
        guard level.index > last.index else { return try base.open(level) }
        return HalvedLevel(try open(last), times: level.index - last.index)
    }

    private struct Level: LevelReader {
        let sidecar: Sidecar
        let file: any RandomAccessBytes
        let small: SidecarLevel
        let level: PyramidLevel
        let pixels: SourcePixelFormat

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            guard !rect.isEmpty else { return }
            let side = sidecar.directory.tileSide
            let columns = (rect.x / side)...((rect.maxX - 1) / side)
            let rows = (rect.y / side)...((rect.maxY - 1) / side)
            file.willRead(rows.map { small.range(columns: columns, row: $0) })
            let bands = pixels.layout.bands
            for tileRow in rows {
                guard !Task.isCancelled else { throw CancellationError() }
                let tiles = try sidecar.tiles(small, columns: columns, row: tileRow).map {
                    try JPEGDecoder().decode($0, denominator: 1, bands: bands)
                }
                for y in max(rect.y, tileRow * side)..<min(rect.maxY, (tileRow + 1) * side) {
                    var line = RowCollector(byteCount: rect.width * bands)
                    for (tile, column) in zip(tiles, columns) {
                        let start = column * side
                        let part = max(rect.x - start, 0)..<min(rect.maxX - start, side)
                        guard part.upperBound <= tile.width, y - tileRow * side < tile.height else {
                            throw SidecarError.damaged
                        }
                        tile.withRow(y - tileRow * side, columns: part) { line.push($0) }
                    }
                    try line.pixels.withRow(0..<(rect.width * bands), row)
                }
            }
        }
    }
}

extension SidecarSource {
    var indexKind: IndexKind { base.indexKind }

    func makingIndex(_ progress: @escaping @Sendable (Double) -> Void) throws -> any IndexableSource {
        wrapping(try base.makingIndex(progress))
    }

    func indexedWhereAsked(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws(CancellationError) -> SidecarSource { self }

    func encodedIndex(for identity: FileFingerprint?) throws -> [UInt8]? {
        try base.encodedIndex(for: identity)
    }

    func encodedNewIndex() throws -> [UInt8]? { try base.encodedNewIndex() }

    func reading(encodedIndex bytes: [UInt8], for identity: FileFingerprint?) -> (any IndexableSource)? {
        base.reading(encodedIndex: bytes, for: identity).map(wrapping)
    }

    private func wrapping(_ source: any IndexableSource) -> any IndexableSource {
        SidecarSource(source, sidecar, in: file) ?? source
    }
}

extension SidecarLevel {
    /// The index of its denominator in a pyramid that halves.
    var index: Int { denominator.trailingZeroBitCount }
}
