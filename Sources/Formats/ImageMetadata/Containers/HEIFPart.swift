internal import Basics
internal import Containers
package import Files
package import ViewportGeometry

/// A HEIF file in memory that shows a part of another one: one item, or some tiles of a grid.
///
/// The items keep their compressed data and properties, so that a decoder makes the same pixels of them.
///
/// Source: ISO/IEC 14496-12, section 8.11; ISO/IEC 23008-12, section 6.6.2.3.
package struct HEIFPart {
    private let items: HEIFItems
    private let source: any RandomAccessBytes
    private var entries: [Entry] = []
    private var properties: [[UInt8]] = []
    private var propertyNumbers: [[UInt8]: Int] = [:]

    private struct Entry {
        let type: FourCC
        var links: [(number: Int, isEssential: Bool)] = []
        var data: [UInt8]
        var references: [(type: FourCC, targets: [Int])] = []
    }

    private init(of items: HEIFItems, in source: any RandomAccessBytes) {
        self.items = items
        self.source = source
    }

    /// Why there can be no such part.
    package enum Problem: Error, Equatable {
        /// An item is missing, or its data is larger than its pixels can need.
        case unusable
        case file(FileError)
    }

    /// Returns a file with one coded picture, such as a thumbnail.
    ///
    /// - Parameter colors: an item whose colors apply where the picture states none.
    package static func picture(
        _ item: HEIFItem, colors: HEIFItem?, of items: HEIFItems, in source: any RandomAccessBytes
    ) throws(Problem) -> [UInt8] {
        var part = HEIFPart(of: items, in: source)
        guard let size = item.codedSize else { throw .unusable }
        try part.add(item, data: data(of: item, pixels: size.area, in: source), colors: colors)
        return try part.bytes
    }

    /// Returns a file with a rectangle of a grid's tiles, as a grid with the same turns and colors.
    ///
    /// - Parameters:
    ///   - alpha: the grid of its alpha, which has the same tiles.
    ///   - tileSize: the size of each tile.
    package static func tiles(
        rows: Range<Int>, columns: Range<Int>, of grid: HEIFGrid, alpha: HEIFGrid?,
        tileSize: PixelSize<StoredGrid>, items: HEIFItems, in source: any RandomAccessBytes
    ) throws(Problem) -> [UInt8] {
        var part = HEIFPart(of: items, in: source)
        let size = PixelSize<StoredGrid>(
            width: min(columns.upperBound * tileSize.width, grid.size.width)
                - columns.lowerBound * tileSize.width,
            height: min(rows.upperBound * tileSize.height, grid.size.height)
                - rows.lowerBound * tileSize.height)
        let window = Window(rows: rows, columns: columns, size: size, tileArea: tileSize.area)
        try part.add(grid, window)
        if let alpha {
            let first = part.entries.count
            try part.add(alpha, window)
            part.entries[first].references.append(("auxl", [1]))
            if items[grid.id]?.references("prem").contains(alpha.id) == true {
                part.entries[0].references.append(("prem", [first + 1]))
            }
        }
        return try part.bytes
    }

    /// A rectangle of tiles.
    private struct Window {
        let rows: Range<Int>
        let columns: Range<Int>
        /// In pixels, without what exceeds the picture.
        let size: PixelSize<StoredGrid>
        let tileArea: Int
    }

    private mutating func add(_ grid: HEIFGrid, _ window: Window) throws(Problem) {
        guard let item = items[grid.id], window.rows.count <= 256, window.columns.count <= 256 else {
            throw .unusable
        }
        var description = ByteWriter(
            .big, [0, 1, UInt8(window.rows.count - 1), UInt8(window.columns.count - 1)])
        description.append(UInt32(truncatingIfNeeded: window.size.width))
        description.append(UInt32(truncatingIfNeeded: window.size.height))
        let place = entries.count
        try add(item, data: description.bytes, colors: nil, size: window.size)
        var targets: [Int] = []
        for row in window.rows {
            for column in window.columns {
                guard let tile = items[grid.tiles[row * grid.columns + column]] else { throw .unusable }
                try add(tile, data: Self.data(of: tile, pixels: window.tileArea, in: source), colors: item)
                targets.append(entries.count)
            }
        }
        entries[place].references.append(("dimg", targets))
    }

    /// Returns the compressed data of an item.
    ///
    /// - Parameter pixels: the number of its pixels, which bounds the data.
    package static func data(
        of item: HEIFItem, pixels: Int, in source: any RandomAccessBytes
    ) throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        // No coder needs more; a few bytes of a hostile file can refer to all of it very often.
        let most = 1 << 16 + 16 * min(pixels, 1 << 30)
        for range in item.data {
            guard bytes.count + range.count <= most else { throw .unusable }
            do throws(FileError) {
                bytes += try source.bytes(range)
            } catch {
                throw .file(error)
            }
        }
        guard !bytes.isEmpty else { throw .unusable }
        return bytes
    }

    /// - Parameter size: the size of a part of the item; nil for all of it.
    private mutating func add(
        _ item: HEIFItem, data: [UInt8], colors: HEIFItem?, size: PixelSize<StoredGrid>? = nil
    ) throws(Problem) {
        var entry = Entry(type: item.type, data: data)
        var kept = item.properties
        // A tile without colors of its own has those of its grid.
        if let colors, !kept.contains(where: { $0.type == "colr" }) {
            kept = colors.properties.filter { $0.type == "colr" } + kept
        }
        for property in kept where property.box.count <= Self.greatestProperty {
            var bytes: [UInt8]
            if let size, property.type == "ispe" {
                bytes = Box.bytes(
                    "ispe", [0, 0, 0, 0], UInt32(truncatingIfNeeded: size.width).bytes(.big),
                    UInt32(truncatingIfNeeded: size.height).bytes(.big))
            } else {
                do throws(FileError) {
                    bytes = try source.bytes(property.box)
                } catch {
                    throw .file(error)
                }
            }
            entry.links.append((number(of: bytes), property.isEssential))
        }
        entries.append(entry)
    }

    /// Profiles have a few kilobytes.
    private static let greatestProperty = 1 << 22

    private mutating func number(of property: [UInt8]) -> Int {
        if let number = propertyNumbers[property] { return number }
        properties.append(property)
        propertyNumbers[property] = properties.count
        return properties.count
    }
}

/// The boxes.
extension HEIFPart {
    /// The whole file.
    private var bytes: [UInt8] {
        get throws(Problem) {
            guard entries.count < 1 << 15, properties.count < 1 << 15 else { throw .unusable }
            let start = FileType.imageBrands(isAVIF: entries.contains { $0.type == "av01" })
            // Offsets have a fixed size, so the length of the boxes does not depend on them.
            let offset = start.count + meta(dataAt: 0).count + 8
            return start + meta(dataAt: offset) + Box.bytes("mdat", Array(entries.map(\.data).joined()))
        }
    }

    private func meta(dataAt start: Int) -> [UInt8] {
        var locations: [UInt8] = []
        var types: [UInt8] = []
        var links: [UInt8] = []
        var references: [UInt8] = []
        var offset = start
        for (index, entry) in entries.enumerated() {
            let id = UInt16(index + 1).bytes(.big)
            locations +=
                id + [0, 0, 0, 1] + UInt32(offset).bytes(.big) + UInt32(entry.data.count).bytes(.big)
            offset += entry.data.count
            // All but the first one are parts of it.
            types += Box.bytes("infe", [2, 0, 0, index == 0 ? 0 : 1], id, [0, 0], entry.type.bytes, [0])
            links += id + [UInt8(min(entry.links.count, 255))]
            for link in entry.links.prefix(255) {
                links += UInt16(link.number | (link.isEssential ? 0x8000 : 0)).bytes(.big)
            }
            for reference in entry.references {
                references += Box.bytes(
                    reference.type, id, UInt16(reference.targets.count).bytes(.big),
                    reference.targets.flatMap { UInt16($0).bytes(.big) })
            }
        }
        let count = UInt16(entries.count).bytes(.big)
        return Box.bytes(
            "meta", [0, 0, 0, 0],
            Box.bytes(
                "hdlr", [0, 0, 0, 0, 0, 0, 0, 0], FourCC("pict").bytes, [UInt8](repeating: 0, count: 13)),
            Box.bytes("pitm", [0, 0, 0, 0, 0, 1]),
            Box.bytes("iloc", [0, 0, 0, 0, 0x44, 0], count, locations),
            Box.bytes("iinf", [0, 0, 0, 0], count, types),
            references.isEmpty ? [] : Box.bytes("iref", [0, 0, 0, 0], references),
            Box.bytes(
                "iprp", Box.bytes("ipco", Array(properties.joined())),
                Box.bytes("ipma", [0, 0, 0, 1], UInt32(entries.count).bytes(.big), links)))
    }
}
