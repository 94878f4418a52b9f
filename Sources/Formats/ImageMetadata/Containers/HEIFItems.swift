internal import Basics
package import Containers
internal import Files
package import ViewportGeometry

/// The items of a HEIF or AVIF file: pictures, tiles of pictures, thumbnails, alpha, gain maps and metadata.
///
/// Everything is checked against the length of the file: ranges are inside of it, and items that refer to each other
/// in a circle are harmless because nothing follows references by itself.
///
/// A picture is an item: an ID, a type, ranges of bytes, properties and references to other items. A file states each
/// of these in a table of its own (`iinf`, `iloc`, `iprp`, `iref`), in any order, by the same IDs. `iinf` is read
/// first, because it tells which items there are; what others say of further IDs is dropped. References come before
/// locations, because an item's bytes may be a part of another one's.
///
/// Nothing is decoded, and only the tables are read. A small table of a hostile file can link every item to every
/// property: the numbers of items, extents and links are limited.
///
/// Source: ISO/IEC 14496-12, section 8.11; ISO/IEC 23008-12.
package struct HEIFItems: Sendable {
    /// The ID of the picture to show.
    package private(set) var primary: Int?
    /// Where the file states that ID.
    package private(set) var primaryPlace: Range<Int>?
    /// The items by ID.
    package private(set) var items: [Int: HEIFItem] = [:]

    /// The most items, and as many properties.
    private static let mostItems = 20_000
    /// The most extents of an item.
    private static let mostExtents = 256
    /// The most extents, links to properties and references, each counted over all items.
    private static let mostLinks = 100_000

    /// Reads the box "meta" of a file; nil if there is none.
    package init?(_ bytes: FileBytes) {
        do throws(FileError) {
            guard let items = try Self.read(bytes) else { return nil }
            self = items
        } catch {
            // What cannot be read is missing: the check of the file reports it.
            return nil
        }
    }

    private init() {}

    private static func read(_ bytes: FileBytes) throws(FileError) -> HEIFItems? {
        guard let meta = try BoxList.first("meta", in: 0..<bytes.count, of: bytes) else { return nil }
        // "meta" has a version and flags before its boxes (14496-12, 8.11.1).
        var boxes = BoxList(bytes, in: min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound)
        var held: [FourCC: Range<Int>] = [:]
        var read = HEIFItems()
        while let box = try boxes.next() { held[box.type] = held[box.type] ?? box.content }
        if let start = held["pitm"]?.lowerBound {
            let wide = bytes.uint8(at: start) == 0 ? 2 : 4
            read.primary = bytes.unsigned(wide, at: start + 4)
            read.primaryPlace = read.primary.map { _ in (start + 4)..<(start + 4 + wide) }
        }
        if let range = held["iinf"] { try read.readTypes(bytes, range) }
        if let range = held["iref"] { try read.readReferences(bytes, range) }
        if let range = held["iloc"] { read.readLocations(bytes, range, data: held["idat"]) }
        if let range = held["iprp"] { try read.readProperties(bytes, range) }
        return read
    }

    /// Returns the item of an ID.
    package subscript(_ id: Int) -> HEIFItem? { items[id] }

    /// Returns the items with a reference of a type to an item, by ID: "thmb" finds thumbnails, "auxl" alpha and
    /// gain maps.
    package func items(referring type: FourCC, to id: Int) -> [HEIFItem] {
        items.values.filter { $0.references(type).contains(id) }.sorted { $0.id < $1.id }
    }

    /// The pictures that are pages of the file: the primary one, then by ID.
    package var pictures: [HEIFItem] {
        let types: Set<FourCC> = ["hvc1", "av01", "grid", "iden", "iovl", "jpeg", "avc1", "vvc1", "unci"]
        let others = items.values.filter { item in
            types.contains(item.type) && !item.isHidden && item.id != primary
                && item.references("thmb").isEmpty && item.references("auxl").isEmpty
        }
        return (primary.flatMap { items[$0] }.map { [$0] } ?? []) + others.sorted { $0.id < $1.id }
    }

    /// Returns the tiles of an item of the type "grid"; nil if the description is damaged or tiles are missing.
    ///
    /// The item's data are the numbers of rows and columns, less one, and the size (23008-12, 6.6.2.3.2).
    package func grid(of item: HEIFItem, in bytes: FileBytes) -> HEIFGrid? {
        guard item.type == "grid", item.data.count == 1, let block = bytes.slice(item.data[0]),
            block.uint8(at: 0) == 0, let flags = block.uint8(at: 1),
            let rows = block.uint8(at: 2), let columns = block.uint8(at: 3)
        else { return nil }
        let wide = flags & 1 == 0 ? 2 : 4
        let tiles = item.references("dimg")
        guard let width = block.unsigned(wide, at: 4), let height = block.unsigned(wide, at: 4 + wide),
            width > 0, height > 0, tiles.count == (rows + 1) * (columns + 1)
        else { return nil }
        return HEIFGrid(
            id: item.id, rows: rows + 1, columns: columns + 1, size: PixelSize(width: width, height: height),
            tiles: tiles)
    }

    /// The range of the EXIF block, without the offset before it (23008-12, A.2.1).
    package func exif(in bytes: FileBytes) -> Range<Int>? {
        guard let location = items.values.filter({ $0.type == "Exif" }).min(by: { $0.id < $1.id })?.data,
            location.count == 1, let skipped = bytes.uint32(at: location[0].lowerBound),
            skipped <= location[0].count - 4
        else { return nil }
        return (location[0].lowerBound + 4 + skipped)..<location[0].upperBound
    }

    /// The range of the XMP packet of the picture; those of maps and other items describe these.
    package var xmp: Range<Int>? {
        let packets = items.values.filter { item in
            let described = item.references("cdsc")
            return item.contentType == "application/rdf+xml" && item.data.count == 1
                && (described.isEmpty || primary.map(described.contains) != false)
        }
        return packets.min { $0.id < $1.id }?.data[0]
    }
}

/// One item of a HEIF file.
package struct HEIFItem: Sendable {
    package let id: Int
    /// What it is: "hvc1", "av01", "grid", "Exif", "mime" and others.
    package let type: FourCC
    /// Whether it is only a part of another picture.
    package let isHidden: Bool
    /// The MIME type of an item of the type "mime".
    package let contentType: String?
    /// The ranges of the file that hold its data, in order; empty if any of it is missing.
    package fileprivate(set) var data: [Range<Int>] = []
    /// The properties in the order in which they apply.
    package fileprivate(set) var properties: [HEIFProperty] = []
    /// The references from this item to others.
    package fileprivate(set) var references: [Reference] = []

    /// A typed list of other items.
    package struct Reference: Sendable {
        package let type: FourCC
        package let targets: [Int]
    }

    /// Returns the items that it refers to by a type.
    package func references(_ type: FourCC) -> [Int] {
        references.lazy.filter { $0.type == type }.flatMap(\.targets)
    }
}

/// A picture that is cut into tiles of equal size.
package struct HEIFGrid: Sendable {
    /// The ID of its item.
    package let id: Int
    package let rows: Int
    package let columns: Int
    /// The size of the picture; the last row and column of tiles may exceed it.
    package let size: PixelSize<StoredGrid>
    /// The IDs of the tiles, row by row.
    package let tiles: [Int]
}

extension HEIFItems {
    private mutating func readTypes(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        let head = bytes.uint8(at: range.lowerBound) == 0 ? 6 : 8
        guard range.count >= head else { return }
        var boxes = BoxList(bytes, in: (range.lowerBound + head)..<range.upperBound)
        while let entry = try boxes.next(), items.count < Self.mostItems {
            let start = entry.content.lowerBound
            // Entries before version 2 have no type, so none is a picture (14496-12, 8.11.6).
            guard entry.type == "infe", let version = bytes.uint8(at: start), version >= 2,
                let flags = bytes.uint24(at: start + 1)
            else { continue }
            let wide = version == 2 ? 2 : 4
            guard let id = bytes.unsigned(wide, at: start + 4), items[id] == nil,
                let type = bytes.fourCC(at: start + 6 + wide)
            else { continue }
            let texts = min(start + 10 + wide, entry.content.upperBound)..<entry.content.upperBound
            items[id] = HEIFItem(
                id: id, type: type, isHidden: flags & 1 == 1,
                contentType: type == "mime" ? Self.contentType(bytes, texts) : nil)
        }
    }

    /// A name, usually empty, precedes the content type; both end with NUL.
    private static func contentType(_ bytes: FileBytes, _ range: Range<Int>) -> String? {
        guard let texts = bytes.slice(range), let end = texts.indices.first(where: { texts[$0] == 0 })
        else { return nil }
        return texts.extracting((end + 1)...).text
    }

    private mutating func readReferences(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        guard range.count >= 4, let version = bytes.uint8(at: range.lowerBound) else { return }
        let wide = version == 0 ? 2 : 4
        var boxes = BoxList(bytes, in: (range.lowerBound + 4)..<range.upperBound)
        var left = Self.mostLinks
        while let box = try boxes.next() {
            let start = box.content.lowerBound
            guard let id = bytes.unsigned(wide, at: start), items[id] != nil,
                let count = bytes.uint16(at: start + wide), count <= left,
                wide + 2 + count * wide <= box.content.count
            else { continue }
            left -= count + 1
            guard left > 0 else { return }
            let targets = (0..<count).compactMap { bytes.unsigned(wide, at: start + wide + 2 + $0 * wide) }
            items[id]?.references.append(HEIFItem.Reference(type: box.type, targets: targets))
        }
    }

    /// One item's entry in "iloc".
    private struct Location {
        let id: Int
        let method: Int
        /// The position of each extent after the base, and its length; 0 extends to the end.
        var extents: [(index: Int, start: Int, length: Int)] = []
    }

    private mutating func readLocations(_ bytes: FileBytes, _ range: Range<Int>, data: Range<Int>?) {
        var derived: [Location] = []
        for location in Self.locations(bytes, range) {
            switch location.method {
            case 0: items[location.id]?.data = Self.ranges(location, in: [0..<bytes.count])
            case 1: items[location.id]?.data = Self.ranges(location, in: data.map { [$0] } ?? [])
            case 2: derived.append(location)
            default: break
            }
        }
        // Parts of other items' data, whose own ranges are known now.
        for location in derived {
            guard let sources = items[location.id]?.references("iloc") else { continue }
            var data: [Range<Int>] = []
            for extent in location.extents {
                // Counted from 1, which is meant where there is no index (14496-12, 8.11.3).
                let number = extent.index == 0 ? 1 : extent.index
                guard sources.indices.contains(number - 1), let source = items[sources[number - 1]] else {
                    data = []
                    break
                }
                var part = location
                part.extents = [extent]
                let ranges = Self.ranges(part, in: source.data)
                guard !ranges.isEmpty, data.count + ranges.count <= Self.mostExtents else {
                    data = []
                    break
                }
                data += ranges
            }
            items[location.id]?.data = data
        }
    }

    private static func locations(_ bytes: FileBytes, _ range: Range<Int>) -> [Location] {
        var at = range.lowerBound
        var locations: [Location] = []
        guard let version = bytes.uint8(at: at), version <= 2, let sizes = bytes.uint16(at: at + 4) else {
            return []
        }
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ $0 <= 8 }) else { return [] }
        let numberSize = version < 2 ? 2 : 4
        guard let count = bytes.unsigned(numberSize, at: at + 6) else { return [] }
        at += 6 + numberSize
        var left = mostLinks
        for _ in 0..<min(count, mostItems) {
            guard let id = bytes.unsigned(numberSize, at: at) else { break }
            at += numberSize
            let method = version == 0 ? 0 : (bytes.uint16(at: at) ?? 0) & 15
            // The index of another file, which must be 0: this one.
            at += version == 0 ? 0 : 2
            guard let file = bytes.uint16(at: at), let base = bytes.unsigned(baseSize, at: at + 2),
                let extents = bytes.uint16(at: at + 2 + baseSize), extents < left, extents <= mostExtents
            else { break }
            at += 4 + baseSize
            left -= extents
            var location = Location(id: id, method: file == 0 ? method : -1)
            for _ in 0..<extents {
                guard let index = bytes.unsigned(indexSize, at: at),
                    let offset = bytes.unsigned(offsetSize, at: at + indexSize),
                    let length = bytes.unsigned(lengthSize, at: at + indexSize + offsetSize)
                else { return locations }
                let (start, overflow) = base.addingReportingOverflow(offset)
                location.extents.append((index, overflow ? .max : start, length))
                at += indexSize + offsetSize + lengthSize
            }
            locations.append(location)
        }
        return locations
    }

    /// Returns the ranges of the file that extents select from the concatenation of other ranges; none if any is
    /// outside.
    private static func ranges(_ location: Location, in container: [Range<Int>]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        let total = container.reduce(0) { $0 + $1.count }
        for extent in location.extents {
            guard extent.start < total, extent.length <= total - extent.start else { return [] }
            var start = extent.start
            var left = extent.length == 0 ? total - start : extent.length
            for part in container where left > 0 {
                guard start < part.count else {
                    start -= part.count
                    continue
                }
                let count = min(left, part.count - start)
                ranges.append((part.lowerBound + start)..<(part.lowerBound + start + count))
                (start, left) = (0, left - count)
                guard ranges.count <= mostExtents else { return [] }
            }
        }
        return ranges
    }

    private mutating func readProperties(_ bytes: FileBytes, _ range: Range<Int>) throws(FileError) {
        var properties: [HEIFProperty] = []
        if let container = try BoxList.first("ipco", in: range, of: bytes) {
            var boxes = BoxList(bytes, in: container)
            while let box = try boxes.next(), properties.count < Self.mostItems {
                properties.append(HEIFProperty(box, in: bytes))
            }
        }
        var boxes = BoxList(bytes, in: range)
        var left = Self.mostLinks
        while let box = try boxes.next(), left > 0 {
            if box.type == "ipma" { associate(properties, bytes, box.content, &left) }
        }
    }

    private mutating func associate(
        _ properties: [HEIFProperty], _ bytes: FileBytes, _ range: Range<Int>, _ left: inout Int
    ) {
        let start = range.lowerBound
        guard let version = bytes.uint8(at: start), let flags = bytes.uint24(at: start + 1),
            let count = bytes.uint32(at: start + 4)
        else { return }
        let (numberSize, indexSize) = (version == 0 ? 2 : 4, flags & 1 == 0 ? 1 : 2)
        // Above an index, which counts from 1, is the bit of essential properties (23008-12, 9.3).
        let mask = indexSize == 1 ? 0x7F : 0x7FFF
        var at = start + 8
        for _ in 0..<min(count, Self.mostItems) {
            guard let id = bytes.unsigned(numberSize, at: at), let links = bytes.uint8(at: at + numberSize),
                links < left
            else { return }
            at += numberSize + 1
            left -= links + 1
            for _ in 0..<links {
                guard let link = bytes.unsigned(indexSize, at: at) else { return }
                at += indexSize
                guard properties.indices.contains((link & mask) - 1) else { continue }
                var property = properties[(link & mask) - 1]
                property.isEssential = link > mask
                items[id]?.properties.append(property)
            }
        }
    }
}
