internal import Files
internal import JPEGCoding
internal import PNGIndexing
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// Reads the tiles of 8 bits of a TIFF, without libvips: uncompressed ones, JPEGs and those of deflate.
struct TIFFTileSource: ImageSource {
    let file: OpenFile
    let options: OpenOptions
    let pyramid: Pyramid
    private let pages: [TIFFTilePage]

    /// Returns nil where libvips decides: other TIFFs, and those with transparency, missing tiles, several pictures or EXIF.
    init?(_ file: OpenFile, _ options: OpenOptions) {
        let directory = TIFFTileDirectory(file) { $0?.isWhole(in: file) == true }
        guard directory.isComplete, let full = directory.pages.first,
            directory.pages.allSatisfy({ $0.isWhole(in: file) && $0.samples == full.samples })
        else { return nil }
        var levels = [PyramidLevel(index: 0, size: full.size, of: full.size)]
        for (index, page) in directory.pages.enumerated().dropFirst() {
            guard page.isHalf(of: directory.pages[index - 1], full, index) else { return nil }
            levels.append(PyramidLevel(index: index, size: page.size, of: full.size))
        }
        self.file = file
        self.options = options
        pages = directory.pages
        pyramid = Pyramid(levels: levels)
    }

    var full: TIFFTilePage { pages[0] }

    var description: String {
        pages.count > 1 ? "stored tiles, \(pages.count) levels" : "stored tiles"
    }

    /// The format of libvips' loader.
    var pixels: SourcePixelFormat {
        SourcePixelFormat(
            layout: SampleLayout(type: .uint8, bands: full.samples, hasAlpha: false),
            interpretation: full.samples == 1 ? "b-w" : "srgb", profile: full.profile)
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        TIFFTileLevel(source: self, level: level, page: pages[level.index], pixels: pixels)
    }

    /// Reads a level with libvips.
    func loader(of level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        let file = LoaderFile(
            file: file, loader: "VipsForeignLoadTiffFile", format: .tiff, options: options)
        let header = try file.header()
        return try LoaderSource(file, header: header, pages: file.pages(of: header)).open(level)
    }
}

/// A page of a tiled TIFF.
private struct TIFFTileLevel: LevelReader {
    let source: TIFFTileSource
    let level: PyramidLevel
    let page: TIFFTilePage
    let pixels: SourcePixelFormat

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try source.file.checkedRows { try readRows(rect, row) }
    }

    /// The rows of tiles that are requested together.
    private static let announcedRows = 16

    /// Requests the tiles of a remote file together, some rows ahead.
    private func announce(_ columns: Range<Int>, from row: Int, to bottom: Int) {
        guard source.file.isRemote else { return }
        let end = min(row + Self.announcedRows, (bottom + page.tile.height - 1) / page.tile.height)
        source.file.willRead(
            (row..<end).flatMap { row in
                columns.map { column in
                    let number = row * page.columns + column
                    return page.offsets[number]..<(page.offsets[number] + page.counts[number])
                }
            })
    }

    private func readRows(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        let (samples, tile) = (page.samples, page.tile)
        let columns = (rect.x / tile.width)..<((rect.maxX + tile.width - 1) / tile.width)
        guard columns.count * tile.width * tile.height * samples <= DecodingBudget(source.options).blockBytes
        else { return try source.loader(of: level).read(rect, row: row) }
        try source.file.rows(row) { row in
            let decoder = try JPEGDecoder()
            // The rows of some tiles, from the left of the rectangle to its right.
            var strip = [UInt8](repeating: 0, count: rect.width * samples * tile.height)
            for tileRow in (rect.y / tile.height)..<((rect.maxY + tile.height - 1) / tile.height) {
                guard !Task.isCancelled else { throw CancellationError() }
                announce(columns, from: tileRow, to: rect.maxY)
                let top = tileRow * tile.height
                for column in columns {
                    let bytes = try page.tile(tileRow * page.columns + column, of: source.file, decoder)
                    let left = max(rect.x, column * tile.width)
                    let right = min(rect.maxX, (column + 1) * tile.width)
                    let count = (right - left) * samples
                    for y in 0..<tile.height {
                        let from = (y * tile.width + left - column * tile.width) * samples
                        let to = (y * rect.width + left - rect.x) * samples
                        strip.replaceSubrange(to..<(to + count), with: bytes[from..<(from + count)])
                    }
                }
                for y in max(rect.y, top)..<min(rect.maxY, top + tile.height) {
                    let start = (y - top) * rect.width * samples
                    try strip.withRow(start..<(start + rect.width * samples), row)
                }
            }
        } orLoading: { row in
            try source.loader(of: level).read(rect, row: row)
        }
    }
}

extension TIFFTilePage {
    /// The most pixels of a TIFF's side.
    private static let longestSide = 10_000_000

    /// Whether all tiles are in the file, and nothing else is.
    fileprivate func isWhole(in file: OpenFile) -> Bool {
        !hasMore && bits == 8 && !hasAlpha && hasAllTiles(in: file)
    }

    /// Whether all tiles are in the file.
    func hasAllTiles(in file: OpenFile) -> Bool {
        guard max(size.width, size.height) <= Self.longestSide else { return false }
        return offsets.count == columns * rows && counts.count == offsets.count
            && zip(offsets, counts).allSatisfy {
                $0 > 0 && $1 > 0 && $0 <= file.count && $1 <= file.count - $0
            }
    }

    /// Whether it is the next level, as libvips takes pages for levels.
    fileprivate func isHalf(of last: TIFFTilePage, _ full: TIFFTilePage, _ index: Int) -> Bool {
        let (width, height) = (full.size.width >> index, full.size.height >> index)
        guard index < 32, abs(size.width - width) <= 2, abs(size.height - height) <= 2,
            size.width < last.size.width, size.height < last.size.height
        else { return false }
        let level = PyramidLevel(index: index, size: size, of: full.size)
        return abs(level.downsampleX / level.downsampleY - 1) < 0.05 + 2
            / Double(min(size.width, size.height))
    }

    /// Decodes a tile with its padding.
    fileprivate func tile(
        _ number: Int, of file: OpenFile, _ decoder: borrowing JPEGDecoder
    ) throws(UndecodablePart) -> [UInt8] {
        let (rowBytes, size) = (tile.width * samples, tile.width * tile.height * samples)
        guard counts[number] <= 2 * size + 65536,
            let data = try? file.bytes(offsets[number]..<(offsets[number] + counts[number]))
        else { throw UndecodablePart("a tile is too large, or cannot be read") }
        var bytes: [UInt8]
        switch compression {
        case .none: bytes = data
        case .deflate: bytes = Deflated.inflate(data[...], limit: size) ?? []
        case .jpeg:
            // Such markers of a tile decide its colors, where libtiff follows the directory.
            let hasColors = data.count > 3 && (data[3] == 0xEE || data[3] == 0xE0 && !isYCbCr) && samples == 3
            guard !hasColors, let jpeg = jpeg(data),
                let decoded = try? decoder.decode(jpeg, denominator: 1, bands: samples),
                decoded.width == tile.width, decoded.height == tile.height
            else { throw UndecodablePart("a tile is no JPEG of its size") }
            return decoded.samples
        }
        guard bytes.count == size else { throw UndecodablePart("a tile has too few bytes") }
        guard hasDifferences else { return bytes }
        for row in stride(from: 0, to: size, by: rowBytes) {
            for index in (row + samples)..<(row + rowBytes) { bytes[index] &+= bytes[index - samples] }
        }
        return bytes
    }
}
