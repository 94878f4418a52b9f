internal import Basics
internal import Files
internal import ViewportGeometry

/// One page of a tiled TIFF of gray or RGB samples of 8 bits.
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
    /// Whether there is more that a reader of tiles does not read: EXIF, or reduced versions outside of the chain.
    var hasMore: Bool
    var size: PixelSize<StoredGrid>
    var tile: PixelSize<StoredGrid>
    var offsets: [Int]
    var counts: [Int]
    /// A JPEG that contains only tables; empty where each tile has its own.
    var tables: [UInt8]
    /// The samples per pixel: 1 for gray, 3 for color.
    var samples: Int
    /// Whether the colors are YCbCr rather than RGB.
    var isYCbCr: Bool

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
        let start: [UInt8] = [0xFF, 0xD8]
        guard data.starts(with: start), data.suffix(2) == [0xFF, 0xD9] else { return nil }
        // Adobe's marker states the color space of three components; without it decoders guess.
        let adobe: [UInt8] =
            samples == 3
            ? [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, isYCbCr ? 1 : 0] : []
        return start + adobe + tables.dropFirst(2).dropLast(2) + data.dropFirst(2)
    }
}

/// Reads the offsets of tiles from the directories of a TIFF; files with invalid ones have no tiles.
///
/// Source: TIFF 6.0, section 2 and 15; BigTIFF; TIFF technical note 1 (SubIFDs).
struct TIFFTileDirectory {
    private let file: OpenFile
    private let order: ByteOrder
    private let isBig: Bool

    /// The pages of tiles: those in the chain, and the reduced versions of the first one.
    private(set) var pages: [TIFFTilePage] = []
    /// Whether all pages of the file are in `pages`.
    private(set) var isComplete = false

    /// The most directories that are read, and the most values of one entry.
    private static let mostPages = 64
    private static let mostValues = 1 << 22

    init(_ file: OpenFile) {
        self.file = file
        let head = (try? file.prefix(16)) ?? []
        order = head.has("II") ? .little : .big
        isBig = head.uint16(at: 2, order) == 43
        guard head.count == 16, order == .little || head.has("MM") else { return }
        var next = isBig ? number(head, 8..<16) : number(head, 4..<8)
        var seen: Set<Int> = []
        while next > 0, seen.count < Self.mostPages, seen.insert(next).inserted, let page = directory(next) {
            if let tiles = tiles(page.entries) { pages.append(tiles) }
            isComplete = page.next == 0 && pages.count == seen.count
            if seen.count == 1 {
                for place in values(page.entries[330]).prefix(Self.mostPages) {
                    if let reduced = directory(place), let tiles = tiles(reduced.entries) {
                        pages.append(tiles)
                    }
                }
            }
            next = page.next
        }
    }

    /// An entry: the type of its values, their count and their offset.
    private struct Entry {
        var type: Int
        var count: Int
        var place: Int
    }

    /// Returns bytes of the file; nil where it does not have all of them.
    private func copy(_ range: Range<Int>) -> [UInt8]? {
        range.upperBound <= file.count ? try? file.bytes(range) : nil
    }

    /// Returns the integer in a range of bytes; `Int.max` for larger ones.
    private func number(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        bytes.unsigned(range.count, at: range.lowerBound, order) ?? .max
    }

    private func directory(_ offset: Int) -> (entries: [Int: Entry], next: Int)? {
        let (countBytes, entryBytes, wordBytes) = isBig ? (8, 20, 8) : (2, 12, 4)
        guard offset > 0, offset < Int.max >> 1, let head = copy(offset..<offset + countBytes) else {
            return nil
        }
        let count = number(head, 0..<countBytes)
        guard (1...4096).contains(count) else { return nil }
        let start = offset + countBytes
        guard let bytes = copy(start..<start + count * entryBytes + wordBytes) else { return nil }
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            let at = index * entryBytes
            let type = number(bytes, (at + 2)..<(at + 4))
            let values = number(bytes, (at + 4)..<(at + 4 + wordBytes))
            guard let size = Self.bytes(of: type), values <= Self.mostValues else { continue }
            let word = at + 4 + wordBytes
            let isInside = values * size <= wordBytes
            let place = isInside ? start + word : number(bytes, word..<(word + wordBytes))
            entries[number(bytes, at..<(at + 2))] = Entry(type: type, count: values, place: place)
        }
        return (entries, number(bytes, (bytes.count - wordBytes)..<bytes.count))
    }

    /// Returns the size of a value of a type in bytes; nil for types that are not used here.
    private static func bytes(of type: Int) -> Int? {
        switch type {
        case 1, 7: 1
        case 3: 2
        case 4, 13: 4
        case 16, 18: 8
        default: nil
        }
    }

    private func values(_ entry: Entry?) -> [Int] {
        guard let entry, let size = Self.bytes(of: entry.type), entry.place < Int.max >> 1,
            let bytes = copy(entry.place..<entry.place + entry.count * size)
        else { return [] }
        return (0..<entry.count).map { number(bytes, ($0 * size)..<(($0 + 1) * size)) }
    }

    private func tiles(_ entries: [Int: Entry]) -> TIFFTilePage? {
        func value(_ tag: Int, _ usual: Int = 0) -> Int { values(entries[tag]).first ?? usual }
        let samples = value(277, 1)
        let photometric = value(262)
        let isKnown =
            samples == 1 && photometric == 1 || samples == 3 && (photometric == 6 || photometric == 2)
        // Samples of 8 bits, interleaved.
        guard isKnown, let compression = TIFFTilePage.Compression(value(259)),
            photometric != 6 || compression == .jpeg, value(258) == 8, value(284, 1) == 1
        else { return nil }
        let size = PixelSize<StoredGrid>(width: value(256), height: value(257))
        let tile = PixelSize<StoredGrid>(width: value(322), height: value(323))
        guard !size.isEmpty, (16...4096).contains(tile.width), (16...4096).contains(tile.height) else {
            return nil
        }
        let tables = values(entries[347]).map { UInt8(truncatingIfNeeded: $0) }
        guard tables.isEmpty || tables.count >= 4 && tables.starts(with: [0xFF, 0xD8]) else { return nil }
        let (fillOrder, predictor) = (value(266, 1), value(317, 1))
        let isUsual =
            values(entries[339]).allSatisfy { $0 == 1 } && values(entries[258]).allSatisfy { $0 == 8 }
        return TIFFTilePage(
            compression: compression, hasDifferences: predictor == 2, orientation: value(274, 1),
            profile: entries[34675].map { values($0).map { UInt8(truncatingIfNeeded: $0) } },
            hasMore: entries[330] != nil || entries[34665] != nil || entries[338] != nil || fillOrder != 1
                || ![1, 2].contains(predictor) || !isUsual,
            size: size, tile: tile, offsets: values(entries[324]), counts: values(entries[325]),
            tables: tables, samples: samples, isYCbCr: photometric == 6)
    }
}
