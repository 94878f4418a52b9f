import Containers
import Files
import ImageMetadata

/// Builds HEIF files of any items.
package struct HEIFMaker {
    /// One item.
    package struct Item {
        package var id: Int
        package var type: String
        package var data: [UInt8]
        /// Whole boxes.
        package var properties: [[UInt8]]
        package var references: [(type: String, targets: [Int])]
        package var isHidden: Bool

        package init(
            _ id: Int, _ type: String, _ data: [UInt8] = [], properties: [[UInt8]] = [],
            references: [(type: String, targets: [Int])] = [], isHidden: Bool = false
        ) {
            (self.id, self.type, self.data, self.properties) = (id, type, data, properties)
            (self.references, self.isHidden) = (references, isHidden)
        }
    }

    /// Where the data of items is.
    package enum Construction: Int, CaseIterable, Sendable {
        case file = 0
        case metadata = 1
        /// In the data of an item that holds all data.
        case item = 2
    }

    package var items: [Item]
    package var primary = 1
    package var brand = "heic"
    package var construction = Construction.file
    /// The number of parts that the data of an item is cut into, stored in reverse order.
    package var extents = 1

    package init(_ items: [Item]) { self.items = items }

    package static func size(_ width: Int, _ height: Int) -> [UInt8] {
        box("ispe", big(0, 4), big(width, 4), big(height, 4))
    }

    /// - Parameter numbers: primaries, transfer function and matrix of ITU-T H.273.
    package static func colors(_ numbers: (Int, Int, Int), isFullRange: Bool = true) -> [UInt8] {
        box(
            "colr", text("nclx"), big(numbers.0, 2), big(numbers.1, 2), big(numbers.2, 2),
            [isFullRange ? 0x80 : 0])
    }

    /// Returns a clean aperture in whole pixels around the center.
    package static func aperture(_ width: Int, _ height: Int) -> [UInt8] {
        box(
            "clap", big(width, 4), big(1, 4), big(height, 4), big(1, 4), big(0, 4), big(1, 4), big(0, 4),
            big(1, 4))
    }

    package static func auxiliary(_ type: String) -> [UInt8] { box("auxC", big(0, 4), text(type), [0]) }

    /// The type of alpha.
    package static let alpha = auxiliary("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")

    /// Returns an item of tiles, which are hidden items from the next ID on.
    package static func grid(
        _ id: Int, rows: Int, columns: Int, width: Int, height: Int, properties: [[UInt8]] = [],
        references: [(type: String, targets: [Int])] = [], isWide: Bool = false
    ) -> Item {
        let wide = isWide ? 4 : 2
        return Item(
            id, "grid",
            [0, isWide ? 1 : 0, UInt8(rows - 1), UInt8(columns - 1)] + big(width, wide) + big(height, wide),
            properties: [size(width, height)] + properties,
            references: [("dimg", Array((id + 1)...(id + rows * columns)))] + references)
    }

    /// Returns the only picture of a file as an item, with the properties that its decoder needs.
    ///
    /// - Parameter dropping: types of properties that are left out.
    package static func item(
        _ id: Int, of file: [UInt8], properties: [[UInt8]] = [], dropping: [String] = [],
        references: [(type: String, targets: [Int])] = [], isHidden: Bool = true
    ) -> Item? {
        guard let items = HEIFItems(FileBytes(file)), let picture = items.primary.flatMap({ items[$0] })
        else {
            return nil
        }
        let kept = picture.properties.filter { !dropping.contains($0.type.description) }
        return Item(
            id, picture.type.description, picture.data.flatMap { file[$0] },
            properties: kept.map { Array(file[$0.box]) } + properties, references: references,
            isHidden: isHidden)
    }

    package var bytes: [UInt8] {
        let start = box("ftyp", text(brand), big(0, 4), text("mif1"), text(brand))
        let length = start.count + meta(dataAt: 0).count + 8
        let data = construction == .metadata ? [] : Array(items.map(stored).joined())
        return start + meta(dataAt: construction == .file ? length : 0, fileDataAt: length)
            + box("mdat", data)
    }

    private func parts(_ item: Item) -> [Range<Int>] {
        let count = max(1, min(extents, item.data.count))
        return (0..<count).map { (item.data.count * $0 / count)..<(item.data.count * ($0 + 1) / count) }
    }

    /// The data as it lies in the file.
    private func stored(_ item: Item) -> [UInt8] { parts(item).reversed().flatMap { item.data[$0] } }

    private func meta(dataAt start: Int, fileDataAt fileStart: Int = 0) -> [UInt8] {
        var properties: [[UInt8]] = []
        var (locations, types, links, references): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
        var offset = start
        let store = (items.map(\.id).max() ?? 0) + 1
        for item in items {
            let ranges = parts(item)
            locations += big(item.id, 2) + big(construction.rawValue, 2) + big(0, 2) + big(ranges.count, 2)
            for range in ranges {
                let place = offset + item.data.count - range.upperBound
                locations += big(place, 4) + big(range.count, 4)
            }
            offset += item.data.count
            types += Self.entry(item.id, item.type, isHidden: item.isHidden)
            for property in item.properties where !properties.contains(property) {
                properties.append(property)
            }
            links += big(item.id, 2) + [UInt8(item.properties.count)]
            links += item.properties.map { UInt8(properties.firstIndex(of: $0)! + 1) }
            let own = construction == .item ? [("iloc", [store])] : []
            for reference in item.references + own {
                references += box(
                    reference.0, big(item.id, 2), big(reference.1.count, 2),
                    reference.1.flatMap { big($0, 2) })
            }
        }
        if construction == .item {
            locations += big(store, 2) + big(0, 2) + big(0, 2) + big(1, 2)
            locations += big(fileStart, 4) + big(offset - start, 4)
            types += Self.entry(store, "data", isHidden: true)
        }
        let count = big(items.count + (construction == .item ? 1 : 0), 2)
        return box(
            "meta", big(0, 4), box("hdlr", big(0, 8), text("pict"), big(0, 13)),
            box("pitm", big(0, 4), big(primary, 2)),
            box("iloc", [1, 0, 0, 0, 0x44, 0], count, locations), box("iinf", big(0, 4), count, types),
            references.isEmpty ? [] : box("iref", big(0, 4), references),
            box(
                "iprp", box("ipco", Array(properties.joined())),
                box("ipma", big(0, 4), big(items.count, 4), links)),
            construction == .metadata ? box("idat", Array(items.map(stored).joined())) : [])
    }

    private static func entry(_ id: Int, _ type: String, isHidden: Bool) -> [UInt8] {
        box("infe", [2, 0, 0, isHidden ? 1 : 0], big(id, 2), [0, 0], text(type), [0])
    }
}
