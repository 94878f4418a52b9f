internal import Basics
internal import Files
internal import TilePyramid
internal import ViewportGeometry

/// Cuts the stored tiles out of a tiled TIFF whose tiles are JPEGs.
///
/// Tiles are complete JPEGs except for their tables, which the directory stores once; the two are joined again.
/// Source: TIFF 6.0; Adobe's Photoshop TIFF technical notes (new JPEG compression, 7).
struct TIFFTileCutter: TileCutter {
    private let file: OpenFile
    /// Full resolution first; each following page has half the pixels of the one before.
    private let pages: [(scale: Int, page: TIFFTilePage)]

    /// Returns nil where the file is not a TIFF, has several pictures, or stores its tiles in another way.
    init?(_ image: ImageFile) {
        guard image.format == .tiff, image.pages == 1 else { return nil }
        let stored = TIFFTileDirectory(image.opened).pages
        pages = image.pyramid.levels.compactMap { level in
            let scale = 1 << max(0, level.index)
            guard level.downsampleX == Double(scale), level.downsampleY == Double(scale),
                let page = stored.first(where: { $0.size == level.size })
            else { return nil }
            return (scale, page)
        }
        guard pages.first?.scale == 1 else { return nil }
        file = image.opened
    }

    /// The side of its tiles, where they are square.
    var side: Int? { pages[0].page.tile.width == pages[0].page.tile.height ? pages[0].page.tile.width : nil }

    func fits(_ side: Int) -> Bool { pages[0].page.tile == PixelSize(width: side, height: side) }

    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]? {
        // Tiles at the edges are stored with padding, which cannot be removed from a JPEG without decoding.
        guard let (scale, page) = pages.first(where: { $0.scale * size.width == rect.width }),
            size == page.tile, scale * size.height == rect.height,
            rect.x % rect.width == 0, rect.y % rect.height == 0,
            let number = page.number(column: rect.x / rect.width, row: rect.y / rect.height)
        else { return nil }
        let (offset, count) = (page.offsets[number], page.counts[number])
        guard count > 4, count < 1 << 24, offset < Int.max >> 1, offset + count <= file.count,
            let data = try? file.bytes(offset..<offset + count), file.isUnchanged
        else { return nil }
        return page.jpeg(data)
    }

    func copyWhole(_ write: ([UInt8]) throws -> Void) -> Bool { false }
}

/// One page of a TIFF whose tiles are JPEGs.
struct TIFFTilePage {
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

    /// Returns the number of a tile without padding; nil for the others.
    func number(column: Int, row: Int) -> Int? {
        let across = (size.width + tile.width - 1) / tile.width
        guard (column + 1) * tile.width <= size.width, (row + 1) * tile.height <= size.height else {
            return nil
        }
        let number = row * across + column
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

/// Reads the offsets of JPEG tiles from the directories of a TIFF; files with invalid ones have no tiles.
///
/// Source: TIFF 6.0, section 2 and 15; BigTIFF; TIFF technical note 1 (SubIFDs).
struct TIFFTileDirectory {
    private let file: OpenFile
    private let order: ByteOrder
    private let isBig: Bool

    /// The pages of JPEG tiles: those in the chain, and the reduced versions of the first one.
    private(set) var pages: [TIFFTilePage] = []

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
        // JPEG tiles of 8 bits, interleaved.
        guard value(259) == 7, isKnown, value(258) == 8, value(284, 1) == 1 else { return nil }
        let size = PixelSize<StoredGrid>(width: value(256), height: value(257))
        let tile = PixelSize<StoredGrid>(width: value(322), height: value(323))
        guard !size.isEmpty, (16...4096).contains(tile.width), (16...4096).contains(tile.height) else {
            return nil
        }
        let tables = values(entries[347]).map { UInt8(truncatingIfNeeded: $0) }
        guard tables.isEmpty || tables.count >= 4 && tables.starts(with: [0xFF, 0xD8]) else { return nil }
        return TIFFTilePage(
            size: size, tile: tile, offsets: values(entries[324]), counts: values(entries[325]),
            tables: tables, samples: samples, isYCbCr: photometric == 6)
    }
}
