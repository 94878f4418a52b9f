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
    private var file = HEIFBuilder()

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

    /// Returns a file with one coded picture, such as a thumbnail or a tile.
    ///
    /// Its size is that of its stream: decoders believe what a file states, and show memory that has no pixels.
    ///
    /// - Parameters:
    ///   - alpha: the coded alpha of the picture.
    ///   - colors: an item whose colors apply where the picture states none.
    ///   - isTurned: whether turns and the clean aperture stay, behind all other properties.
    ///   - isFullRange: whether samples are declared to have the full range, so that a decoder passes them on.
    package static func picture(
        _ item: HEIFItem, alpha: HEIFItem? = nil, colors: HEIFItem?, isTurned: Bool = true,
        isFullRange: Bool = false, of items: HEIFItems, in source: any RandomAccessBytes
    ) throws(Problem) -> [UInt8] {
        var part = HEIFPart(of: items, in: source)
        for (item, colors) in [(item, colors), (alpha, nil)] {
            guard let item else { continue }
            guard let size = HEIFCodedSize.of(item, in: source) ?? item.codedSize, !size.isEmpty else {
                throw .unusable
            }
            let data = try data(of: item, pixels: size.area, in: source)
            let properties = item.orderedProperties.filter { isTurned || !$0.isTransformation }
            try part.add(item, properties, data: data, colors: colors, size: size, isFullRange: isFullRange)
        }
        if let alpha {
            part.file.entries[1].references.append(("auxl", [1]))
            // Cells need not state what their grid does.
            if alpha.auxiliaryType == nil { part.file.linkAlpha() }
        }
        return try part.file.bytes
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
            let first = part.file.entries.count
            try part.add(alpha, window)
            part.file.entries[first].references.append(("auxl", [1]))
            if items[grid.id]?.references("prem").contains(alpha.id) == true {
                part.file.entries[0].references.append(("prem", [first + 1]))
            }
        }
        return try part.file.bytes
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
        let place = file.entries.count
        try add(item, item.orderedProperties, data: description.bytes, colors: nil, size: window.size)
        var targets: [Int] = []
        for row in window.rows {
            for column in window.columns {
                guard let tile = items[grid.tiles[row * grid.columns + column]] else { throw .unusable }
                try add(
                    tile, tile.orderedProperties,
                    data: Self.data(of: tile, pixels: window.tileArea, in: source), colors: item)
                targets.append(file.entries.count)
            }
        }
        file.entries[place].references.append(("dimg", targets))
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

    /// - Parameter size: the size to state; nil for that of the item.
    private mutating func add(
        _ item: HEIFItem, _ properties: [HEIFProperty], data: [UInt8], colors: HEIFItem?,
        size: PixelSize<StoredGrid>? = nil, isFullRange: Bool = false
    ) throws(Problem) {
        var entry = HEIFBuilder.Entry(type: item.type, data: data)
        var kept = properties
        // A tile without colors of its own has those of its grid.
        if let colors, !kept.contains(where: { $0.type == "colr" }) {
            kept = colors.properties.filter { $0.type == "colr" } + kept
        }
        if let size {
            let stated =
                UInt32(truncatingIfNeeded: size.width).bytes(.big)
                + UInt32(truncatingIfNeeded: size.height).bytes(.big)
            file.link(&entry, to: Box.bytes("ispe", [0, 0, 0, 0], stated), isEssential: false)
            kept.removeAll { $0.type == "ispe" }
        }
        if isFullRange, !kept.contains(where: { if case .colors = $0.value { true } else { false } }) {
            let unspecified = CodedColors(primaries: 2, transfer: 2, matrix: 2, isFullRange: true)
            file.link(&entry, to: unspecified.box, isEssential: false)
        }
        for property in kept where property.box.count <= Self.greatestProperty {
            var bytes: [UInt8]
            do throws(FileError) {
                bytes = try source.bytes(property.box)
            } catch {
                throw .file(error)
            }
            // The range is the highest bit of the last byte.
            if isFullRange, case .colors = property.value { bytes[18] |= 0x80 }
            file.link(&entry, to: bytes, isEssential: property.isEssential)
        }
        file.entries.append(entry)
    }

    /// Profiles have a few kilobytes.
    private static let greatestProperty = 1 << 22
}
