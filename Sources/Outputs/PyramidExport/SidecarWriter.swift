internal import Basics
internal import Files
package import ImageReading
internal import JPEGCoding
internal import JPEGIndexing
internal import Sidecars
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Makes the sidecar of an image: its index and, on request, its small levels.
package struct SidecarWriter: Sendable {
    /// Whether the levels from 1/4 down to one tile are added.
    package var hasLevels: Bool

    /// The largest size of a sidecar with levels, as a share of the image's file.
    package static let maximumShare = 0.1
    /// The side of the tiles.
    package static let tileSide = 512
    /// The MCUs between two checkpoints of a JPEG's index: what is fetched of a row begins and ends at one.
    private static let interval = 32
    /// The qualities of the tiles: the highest one at which the sidecar is small enough is used.
    private static let qualities = [80, 65, 50, 35]

    package init(hasLevels: Bool) {
        self.hasLevels = hasLevels
    }

    /// A sidecar that was made.
    package struct Made: Sendable {
        package let bytes: [UInt8]
        /// The size of the image's file.
        package let imageBytes: Int
        package let indexBytes: Int
        /// The sizes of the levels as stored, the smallest first.
        package let levels: [(denominator: Int, width: Int, height: Int)]
        /// The quality of the tiles; nil where there are none.
        package let quality: Int?
    }

    /// Makes the sidecar of a file on the calling thread, which it blocks.
    ///
    /// A small file may have no room for all levels: then the largest are left out.
    ///
    /// - Parameter progress: Receives the share that is done; throwing stops the work.
    /// - Throws: `RenderingError.notIndexable` with the reason, other errors of reading, or what `progress` throws.
    package func make(_ file: ImageFile, progress: @escaping @Sendable (Double) throws -> Void) throws -> Made
    {
        try progress(0)
        let identity = try RenderingError.naming(file.path) { () throws(FileError) in
            try SidecarIdentity(file.opened)
        }
        var contents = SidecarContents(
            directory: SidecarDirectory(
                kind: .tiledTIFF, size: file.storedSize, orientation: file.fileOrientation,
                identity: identity, tileSide: Self.tileSide), index: [], tiles: [])
        let quality: Int?
        if let list = TIFFTileList(file) {
            contents.index = SidecarIndex.protected(Array(list.json.text().utf8))
            // Levels of the file need no copies, and neither does a first picture that is small.
            let isEnough = list.smallestSide <= Self.tileSide
            quality =
                hasLevels && !isEnough
                ? try addLevels(of: file, above: list.greatestFactor, to: &contents, progress) : nil
        } else {
            guard let source = file.indexable else {
                throw RenderingError.notIndexable(file: file.path, reason: file.reasonAgainstIndex)
            }
            let indexed = try Self.denselyIndexed(file, source, identity) ?? source.makingIndex()
            guard let index = try indexed.encodedIndex(for: identity.fingerprint) else {
                throw RenderingError.notIndexable(file: file.path, reason: "it has no complete index")
            }
            try progress(0.3)
            contents.index = index
            contents.directory.kind =
                file.format == .png
                ? .png : file.source.capabilities.blocks == nil ? .progressiveJPEG : .baselineJPEG
            if contents.directory.kind != .png { try addHead(of: file, to: &contents.directory) }
            quality =
                hasLevels
                ? try addLevels(of: file.reading(from: indexed), above: 1, to: &contents, progress) : nil
        }
        try progress(1)
        return Made(
            bytes: contents.encoded(), imageBytes: file.opened.count, indexBytes: contents.index.count,
            levels: contents.directory.levels.map { ($0.denominator, $0.size.width, $0.size.height) },
            quality: quality)
    }

    /// Returns a baseline JPEG with an index for parts that are fetched; nil for others, and where it has no complete one.
    private static func denselyIndexed(
        _ file: ImageFile, _ source: any IndexableSource, _ identity: SidecarIdentity
    ) -> (any IndexableSource)? {
        guard let header = file.source.capabilities.blocks?.header else { return nil }
        let made = CancellationCheck.run { check in
            try? JPEGIndex(
                file.opened, header: header, interval: interval, threads: Processors.count,
                isCancelled: { check.isCancelled })
        }
        guard let index = made, index.rows == header.mcuRows else { return nil }
        let bytes = index.saved(for: identity.fingerprint, header: header)
        return source.reading(encodedIndex: bytes, for: identity.fingerprint)
    }

    /// Adds what decoders need of a JPEG's header; of metadata only the markers and lengths.
    private func addHead(of file: ImageFile, to directory: inout SidecarDirectory) throws {
        let scans =
            directory.kind == .progressiveJPEG ? try ProgressiveHeader(file.opened) : nil
        let header = try scans?.header ?? JPEGHeader(file.opened)
        var end = 0
        func add(_ range: Range<Int>) throws {
            guard !range.isEmpty else { return }
            let bytes = try RenderingError.naming(file.path) { () throws(FileError) in
                try file.opened.bytes(range)
            }
            directory.segments.append(SidecarDirectory.Segment(position: range.lowerBound, bytes: bytes))
        }
        for segment in header.segments {
            try add(end..<segment.range.lowerBound)
            let start = segment.range.lowerBound
            let isProfile =
                segment.marker == 0xE2 && segment.range.count > 16
                && (try? file.opened.bytes((start + 4)..<(start + 15))) == Array("ICC_PROFILE".utf8)
            let isMetadata = (0xE0...0xEF).contains(segment.marker) || segment.marker == 0xFE
            let isKept = !isMetadata || isProfile || [0xE0, 0xEE].contains(segment.marker)
            try add(isKept ? segment.range : start..<min(start + 4, segment.range.upperBound))
            end = segment.range.upperBound
        }
        // Tables and headers between scans, and the marker behind the last one.
        let data = scans?.scanData ?? []
        for (number, scan) in data.enumerated() {
            let next = number + 1 < data.count ? data[number + 1].lowerBound : scan.upperBound + 2
            let part = scan.upperBound..<min(next, file.opened.count)
            try add(part)
            end = max(end, part.upperBound)
        }
        directory.headLength = end
    }

    /// Adds the levels; returns the quality of their tiles.
    ///
    /// - Parameter factor: That of the smallest level that the file has.
    private func addLevels(
        of file: ImageFile, above factor: Int, to contents: inout SidecarContents,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> Int? {
        let room = Int(Double(file.opened.count) * Self.maximumShare) - contents.index.count
        let pyramid = TiledPyramid(
            size: PixelSize(width: file.storedSize.width, height: file.storedSize.height),
            tileSize: Self.tileSide, overlap: 0, depth: .oneTile)
        guard pyramid.levels.count > 1 else { return nil }
        for quality in Self.qualities {
            let levels = try encodedLevels(of: file, pyramid, quality, progress).filter {
                $0.denominator > factor
            }
            guard let smallest = levels.first else { return nil }
            let directory = SidecarDirectory.usualHead / 16 + contents.directory.savedLength
            let isLast = quality == Self.qualities.last
            var bytes = directory + levels.reduce(0) { $0 + $1.tiles.reduce(0) { $0 + $1.count + 8 } }
            guard bytes <= room || isLast else { continue }
            for level in levels.reversed() {
                // The largest come last.
                let isTooLarge = bytes > room && level.denominator != smallest.denominator
                guard !isTooLarge else {
                    bytes -= level.tiles.reduce(0) { $0 + $1.count + 8 }
                    continue
                }
                let size = contents.directory.size(level.denominator)
                contents.directory.levels.insert(
                    SidecarLevel(
                        denominator: level.denominator, size: size,
                        columns: (size.width + Self.tileSide - 1) / Self.tileSide, tiles: []), at: 0)
                contents.tiles.insert(level.tiles, at: 0)
            }
            return quality
        }
        return nil
    }

    private struct EncodedLevel {
        let denominator: Int
        var tiles: [[UInt8]]
    }

    /// Reads the image once at 1/4, or at full resolution where it has no such level; the smallest level comes first.
    private func encodedLevels(
        of file: ImageFile, _ pyramid: TiledPyramid, _ quality: Int,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> [EncodedLevel] {
        let first = min(2, pyramid.levels.count - 1)
        let native = file.pyramid.levels.firstIndex { level in
            (level.size.width, level.size.height)
                == (pyramid.levels[first].size.width, pyramid.levels[first].size.height)
        }
        let rows = try ConvertedRows(file, background: .white, level: native ?? 0)
        let results = Mutex(
            pyramid.levels.indices.dropFirst(first).map {
                EncodedLevel(
                    denominator: 1 << $0, tiles: Array(repeating: [], count: pyramid.levels[$0].count))
            })
        let workers = TileWorkers()
        do {
            let encoder = JPEGEncoder(quality: quality)
            let bands = rows.samples.bands
            let builder = try LevelBuilder(native == nil ? 0 : first, of: pyramid, .up, rows.samples) { _ in
                nil
            } emit: { tile in
                guard tile.key.level >= first else { return }
                try workers.submit {
                    let jpeg = try encoder.encode(
                        tile.bytes, width: tile.rect.width, height: tile.rect.height, bands: bands,
                        isCancelled: { 0 })
                    let number = tile.key.row * pyramid.levels[tile.key.level].columns + tile.key.column
                    results.withLock { $0[tile.key.level - first].tiles[number] = jpeg }
                }
            }
            var count = 0
            try rows.read { row in
                try builder.push(row)
                count += 1
                if count % 64 == 0 { try progress(0.3 + 0.7 * Double(count) / Double(rows.size.height)) }
            }
            try workers.finish()
        } catch {
            workers.abandon()
            throw error
        }
        return results.withLock { $0.reversed() }
    }
}
