internal import Basics
package import ImageReading
internal import Pictures
internal import Resampling
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry

extension ImageFile {
    /// Returns the file for frames of a film: overlapping parts that are rendered on several threads.
    ///
    /// A JPEG is indexed in one pass over its data. Decoded pixels are kept, up to `memory` bytes and the overviews of
    /// a JPEG: tiles of files with random access, whole levels of files that are read from the top or in whole rows.
    /// The pictures are the same.
    ///
    /// - Throws: `RenderingError`, or `CancellationError`.
    package func sharedByFrames(memory: Int = 1 << 29) throws -> ImageFile {
        switch source.capabilities.access {
        case .drawn:
            return self
        case .sequential,
            .random where !source.capabilities.wholeRowLevels.isEmpty,
            .scanned where !source.capabilities.wholeRowLevels.isEmpty:
            return reading(from: ResidentSource(source, memory: memory))
        case .random, .scanned:
            let base: any ImageSource = source.capabilities.preparable?.optimizedForRandomAccess() ?? source
            let tiles = TiledSource(
                base, identity: identity, cache: TileCache(capacity: memory), side: 512, minimumPixels: 0)
            try tiles.prepare()
            // Damaged JPEGs cannot be indexed.
            return tiles.paysForTiles ? reading(from: FrameSource(tiles: tiles)) : self
        }
    }
}

/// A source in tiles whose readers share the work: each reads other missing tiles first, then waits for the rest.
private struct FrameSource: ImageSource {
    let tiles: TiledSource

    var description: String { tiles.description }
    var pyramid: Pyramid { tiles.pyramid }
    var nativePyramid: Pyramid { tiles.nativePyramid }
    var capabilities: SourceCapabilities { tiles.capabilities }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        tiles.sharpeningCompensation(of: level)
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        Level(base: try tiles.reader(of: level) { [tiles] key, _ in try tiles.tile(key) }, tiles: tiles)
    }

    private struct Level: LevelReader {
        let base: TiledLevel
        let tiles: TiledSource

        var level: PyramidLevel { base.level }
        var pixels: SourcePixelFormat { base.pixels }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            guard !rect.isEmpty else { return }
            try tiles.loadIdle(base.keys(in: rect))
            try base.read(rect, row: row)
        }
    }
}

/// A source that keeps each level in memory once it was needed, while all fit.
private final class ResidentSource: ImageSource {
    private let base: any ImageSource
    private let state: Mutex<(levels: [Int: Level], free: Int)>

    let pyramid: Pyramid
    let nativePyramid: Pyramid

    init(_ base: any ImageSource, memory: Int) {
        self.base = base
        pyramid = base.pyramid
        nativePyramid = base.nativePyramid
        state = Mutex(([:], memory))
    }

    var description: String { base.description }
    var capabilities: SourceCapabilities { base.capabilities }

    func sharpeningCompensation(of level: PyramidLevel) -> Double { base.sharpeningCompensation(of: level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        if let kept = state.withLock({ $0.levels[level.index] }) { return kept }
        let reader = try base.open(level)
        return state.withLock { state in
            if let kept = state.levels[level.index] { return kept }
            let size = reader.level.size.area * reader.pixels.layout.pixelBytes
            guard size <= state.free else { return reader }
            state.free -= size
            let kept = Level(reader)
            state.levels[level.index] = kept
            return kept
        }
    }

    private final class Level: LevelReader {
        private let reader: any LevelReader
        private let samples = Once<[UInt8]>()

        init(_ reader: any LevelReader) { self.reader = reader }

        var level: PyramidLevel { reader.level }
        var pixels: SourcePixelFormat { reader.pixels }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            try lend(rect, of: decoded(), row: row)
        }

        /// Returns the whole level; the first caller decodes it, and concurrent callers wait.
        private func decoded() throws -> [UInt8] {
            try samples.value {
                var rows = RowCollector(byteCount: level.size.area * pixels.layout.pixelBytes)
                try reader.read(PixelRect(level.size)) { rows.push($0) }
                return rows.pixels
            }
        }
    }
}
