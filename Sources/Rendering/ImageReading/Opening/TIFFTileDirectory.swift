internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

/// One page of a tiled TIFF of gray or RGB samples of 8 or 16 bits.
struct TIFFTilePage {
    /// How tiles are stored.
    enum Compression: Sendable {
        case none
        case jpeg
        case deflate

        fileprivate init?(_ value: Int) {
            switch value {
            case 1: self = .none
            case 7: self = .jpeg
            case 8, 32946: self = .deflate
            default: return nil
            }
        }
    }

    var compression: Compression
    /// Whether samples are stored as differences from the pixel before.
    var hasDifferences: Bool
    /// The value of the orientation's tag.
    var orientation: Int
    var profile: [UInt8]?
    /// Whether samples are stored in the usual way: as whole numbers, and with the first bit the highest.
    var isPlain: Bool
    /// Whether there is more that a reader of tiles does not read: EXIF, or reduced versions outside of the chain.
    var hasMore: Bool
    /// Whether it is marked as a reduced version of another page.
    var isReduced: Bool
    var size: PixelSize<StoredGrid>
    var tile: PixelSize<StoredGrid>
    var offsets: [Int]
    var counts: [Int]
    /// A JPEG that contains only tables; empty where each tile has its own.
    var tables: [UInt8]
    /// Where the file states what is above.
    var places: Places
    /// The samples per pixel: 1 for gray, 3 for color, and one more with transparency.
    var samples: Int
    /// The bits of a sample.
    var bits: Int
    /// Whether the last sample is the opacity, by which the others are not multiplied.
    var hasAlpha: Bool
    /// Whether the colors are YCbCr rather than RGB.
    var isYCbCr: Bool

    /// Where a page is described in its file.
    struct Places {
        /// The position of the first number, and the size of each.
        typealias Numbers = (position: Int, size: Int)

        var offsets: Numbers
        var counts: Numbers
        var tables: Range<Int>?
        var profile: Range<Int>?
        var order: ByteOrder
    }

    /// The tiles of a row.
    var columns: Int { (size.width + tile.width - 1) / tile.width }

    /// The rows of tiles.
    var rows: Int { (size.height + tile.height - 1) / tile.height }

    /// Returns the number of a tile without padding; nil for the others.
    func number(column: Int, row: Int) -> Int? {
        guard (column + 1) * tile.width <= size.width, (row + 1) * tile.height <= size.height else {
            return nil
        }
        let number = row * columns + column
        return offsets.indices.contains(number) && counts.indices.contains(number) ? number : nil
    }

    /// Returns a tile as a complete JPEG: start, color marker, tables, picture.
    func jpeg(_ data: [UInt8]) -> [UInt8]? {
        let start = JPEGSegment.startOfImage
        guard data.starts(with: start), Array(data.suffix(2)) == JPEGSegment.endOfImage else { return nil }
        // Adobe's marker states the color space of three components; without it decoders guess.
        let adobe: [UInt8] =
            samples == 3
            ? JPEGSegment.bytes(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, isYCbCr ? 1 : 0]) : []
        return start + adobe + tables.dropFirst(2).dropLast(2) + data.dropFirst(2)
    }
}

/// Reads the offsets of tiles from the directories of a TIFF; files with invalid ones have no tiles.
///
/// Source: TIFF 6.0, section 2 and 15; BigTIFF; TIFF technical note 1 (SubIFDs).
struct TIFFTileDirectory {
    /// The pages of tiles: those in the chain, and the reduced versions of the first one.
    private(set) var pages: [TIFFTilePage] = []
    /// Whether the first page of the file is the first of `pages`.
    private(set) var hasFirst = false
    /// Whether all pages of the file are in `pages`.
    private(set) var isComplete = false

    /// The most directories that are read, and the most values of one entry.
    private static let mostPages = 64
    private static let mostValues = 1 << 22

    private typealias Entry = TIFFDirectory.Entry

    /// - Parameter continues: Returns whether the pages are read on behind one.
    init(_ file: OpenFile, while continues: (TIFFTilePage?) -> Bool = { _ in true }) {
        guard file.count >= 16, let block = TIFFBlock(tiff: FileBytes(file)) else { return }
        var next = block.mainOffset ?? 0
        var seen: Set<Int> = []
        while next > 0, seen.count < Self.mostPages, seen.insert(next).inserted,
            let page = Self.directory(next, block)
        {
            if file.isRemote {
                // Where pages are halved, most directories are near the end.
                let isFirst = seen.count == 1 && (page.next > 0 || page.entries[330] != nil)
                let tail = isFirst ? [max(0, file.count - Self.tail)..<file.count] : []
                Self.announce(Self.values(of: [page]) + [Self.directoryRange(page.next)] + tail, of: file)
            }
            let tiles = Self.tiles(page.entries, block)
            guard continues(tiles) else { return }
            if let tiles {
                pages.append(tiles)
                if seen.count == 1 { hasFirst = true }
            }
            isComplete = page.next == 0 && pages.count == seen.count
            if seen.count == 1 {
                let places = Self.values(page.entries[330], block).prefix(Self.mostPages)
                if file.isRemote { Self.announce(places.map(Self.directoryRange), of: file) }
                let directories = places.compactMap { Self.directory($0, block) }
                if file.isRemote { Self.announce(Self.values(of: directories), of: file) }
                for reduced in directories {
                    guard var tiles = Self.tiles(reduced.entries, block) else { continue }
                    tiles.isReduced = true
                    pages.append(tiles)
                }
            }
            next = page.next
        }
    }

    /// The bytes of a directory, and of the end of the file, that are requested early.
    private static let (usualDirectory, tail) = (1 << 12, 1 << 16)

    private static func directoryRange(_ place: Int) -> Range<Int> {
        place..<(place + (place > 0 ? usualDirectory : 0))
    }

    /// The ranges of the values of directories that are read.
    private static func values(of directories: [(entries: [Int: Entry], next: Int)]) -> [Range<Int>] {
        directories.flatMap { directory in
            [324, 325, 347, 34675, 330].compactMap { tag in
                directory.entries[tag].flatMap { entry in
                    entry.size.flatMap {
                        entry.offset < Int.max >> 1 ? entry.offset..<(entry.offset + entry.count * $0) : nil
                    }
                }
            }
        }
    }

    /// Requests ranges of a remote file together, in the pages in which they are read.
    private static func announce(_ ranges: [Range<Int>], of file: OpenFile) {
        let page = FileBytes.remotePageSize
        file.willRead(
            ranges.map { $0.clamped(to: 0..<file.count) }.filter { !$0.isEmpty }.map {
                ($0.lowerBound & ~(page - 1))..<min(file.count, ($0.upperBound + page - 1) & ~(page - 1))
            })
    }

    private static func directory(_ offset: Int, _ block: TIFFBlock) -> (entries: [Int: Entry], next: Int)? {
        guard let directory = TIFFDirectory(block, at: offset), directory.isWhole,
            (1...4096).contains(directory.count), let next = directory.nextOffset,
            let stated = try? directory.entries()
        else { return nil }
        let used = stated.filter { types.contains($0.type) && $0.count <= mostValues }
        return (Dictionary(used.map { ($0.tag, $0) }) { $1 }, next)
    }

    /// The types of the values that are used here.
    private static let types: Set = [1, 3, 4, 7, 13, 16, 18]

    private static func values(_ entry: Entry?, _ block: TIFFBlock) -> [Int] {
        // What cannot be read is missing: the check of the file reports it.
        entry.flatMap { try? block.numbers($0) } ?? []
    }

    private static func tiles(_ entries: [Int: Entry], _ block: TIFFBlock) -> TIFFTilePage? {
        func values(_ entry: Entry?) -> [Int] { Self.values(entry, block) }
        func value(_ tag: Int, _ usual: Int = 0) -> Int { values(entries[tag]).first ?? usual }
        let (samples, bits, photometric) = (value(277, 1), value(258), value(262))
        let hasAlpha = values(entries[338]) == [2]
        let colors = hasAlpha ? samples - 1 : samples
        let isKnown =
            colors == 1 && photometric == 1 || colors == 3 && (photometric == 6 || photometric == 2)
        // Interleaved samples.
        guard isKnown, value(254) & TIFFDirectory.maskBits == 0,
            let compression = TIFFTilePage.Compression(value(259)), value(284, 1) == 1,
            bits == 8 && !hasAlpha || compression != .jpeg && [8, 16].contains(bits),
            photometric != 6 || compression == .jpeg
        else { return nil }
        let size = PixelSize<StoredGrid>(width: value(256), height: value(257))
        let tile = PixelSize<StoredGrid>(width: value(322), height: value(323))
        guard !size.isEmpty, (16...4096).contains(tile.width), (16...4096).contains(tile.height) else {
            return nil
        }
        let tables = values(entries[347]).map { UInt8(truncatingIfNeeded: $0) }
        guard tables.isEmpty || tables.count >= 4 && tables.starts(with: JPEGSegment.startOfImage) else {
            return nil
        }
        let (fillOrder, predictor) = (value(266, 1), value(317, 1))
        let isUsual =
            values(entries[339]).allSatisfy { $0 == 1 } && values(entries[258]).allSatisfy { $0 == bits }
        let isPlain =
            (hasAlpha || entries[338] == nil) && fillOrder == 1 && [1, 2].contains(predictor) && isUsual
        return TIFFTilePage(
            compression: compression, hasDifferences: predictor == 2, orientation: value(274, 1),
            profile: entries[34675].map { values($0).map { UInt8(truncatingIfNeeded: $0) } },
            isPlain: isPlain, hasMore: entries[330] != nil || entries[34665] != nil || !isPlain,
            isReduced: value(254) & 1 != 0,
            size: size, tile: tile, offsets: values(entries[324]), counts: values(entries[325]),
            tables: tables,
            places: TIFFTilePage.Places(
                offsets: numbers(entries[324]), counts: numbers(entries[325]), tables: range(entries[347]),
                profile: range(entries[34675]), order: block.order),
            samples: samples, bits: bits, hasAlpha: hasAlpha, isYCbCr: photometric == 6)
    }

    private static func numbers(_ entry: Entry?) -> TIFFTilePage.Places.Numbers {
        (entry?.offset ?? 0, entry?.size ?? 0)
    }

    /// The range of the bytes of an entry; nil where there are none.
    private static func range(_ entry: Entry?) -> Range<Int>? {
        guard let entry, entry.size == 1, entry.offset < Int.max >> 1 else { return nil }
        return entry.offset..<(entry.offset + entry.count)
    }
}
