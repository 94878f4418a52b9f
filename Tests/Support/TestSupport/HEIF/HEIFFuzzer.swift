internal import Containers
internal import Files
import ImageMetadata
import ViewportGeometry

/// Reads the items of randomly changed HEIF files, and writes parts of them.
///
/// The results are ignored: the run proves that nothing is read out of bounds, overflows or hangs, and that no part is
/// larger than its pixels can need.
package struct HEIFFuzzer {
    private var random: SplitMix64
    private let originals: [[UInt8]]

    /// Counts of the results so far.
    package struct Counts: Hashable, Sendable {
        package var inputs = 0
        /// Files whose items could still be read.
        package var recognized = 0
        /// Grids that could still be read.
        package var grids = 0
        /// Parts that were still written.
        package var parts = 0
        /// The most bytes of a part.
        package var largest = 0
    }

    package private(set) var counts = Counts()

    package init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        originals = HEIFMaker.Construction.allCases.flatMap { construction in
            [1, 3].map { extents in
                var maker = Self.original
                (maker.construction, maker.extents) = (construction, extents)
                return maker.bytes
            }
        }
    }

    /// A grid with alpha, a thumbnail and a gain map.
    private static var original: HEIFMaker {
        let size = HEIFMaker.size(64, 64)
        func tile(_ id: Int) -> HEIFMaker.Item {
            HEIFMaker.Item(
                id, "hvc1", [UInt8](repeating: UInt8(id), count: 40),
                properties: [size, box("hvcC", big(1, 24))],
                isHidden: true)
        }
        let colors = HEIFMaker.colors((12, 13, 6))
        return HEIFMaker(
            [
                HEIFMaker.grid(
                    1, rows: 2, columns: 3, width: 180, height: 120,
                    properties: [colors, BoxMaker.rotation(1), BoxMaker.mirror(0)])
            ] + (2...7).map(tile) + [
                HEIFMaker.grid(
                    8, rows: 2, columns: 3, width: 180, height: 120, properties: [HEIFMaker.alpha],
                    references: [("auxl", [1])], isWide: true)
            ] + (9...14).map(tile) + [
                HEIFMaker.Item(
                    15, "hvc1", [1, 2, 3], properties: [HEIFMaker.size(60, 40), HEIFMaker.aperture(50, 30)],
                    references: [("thmb", [1])]),
                HEIFMaker.Item(
                    16, "hvc1", [4, 5, 6],
                    properties: [size, HEIFMaker.auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap")],
                    references: [("auxl", [1])]),
            ])
    }

    /// Reads `count` randomly changed samples, each with one to eight changes.
    package mutating func run(_ count: Int) {
        for _ in 0..<count {
            var bytes = originals[number(below: originals.count)]
            for _ in 0...number(below: 8) { change(&bytes) }
            counts.inputs += 1
            read(bytes)
        }
    }

    private mutating func read(_ bytes: [UInt8]) {
        let file = FileBytes(bytes)
        guard let items = HEIFItems(file), !items.items.isEmpty else { return }
        counts.recognized += 1
        let source = MemoryFile(bytes)
        let ids = items.items.keys.sorted()
        let chosen = [items.primary, ids[number(below: ids.count)], ids[number(below: ids.count)]]
        for item in chosen.compactMap({ $0.flatMap { items[$0] } }) {
            precondition(item.data.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= bytes.count })
            _ = (item.orientation, item.storedSize, item.auxiliaryType, item.colors?.profile)
            if let grid = items.grid(of: item, in: file) {
                counts.grids += 1
                readTiles(of: grid, items, source)
            } else if let part = try? HEIFPart.picture(item, colors: nil, of: items, in: source) {
                wrote(part)
            }
        }
        _ = (items.pictures, items.xmp, items.exif(in: file))
    }

    private mutating func readTiles(of grid: HEIFGrid, _ items: HEIFItems, _ source: MemoryFile) {
        let row = number(below: grid.rows)
        let column = number(below: grid.columns)
        guard let tile = items[grid.tiles[row * grid.columns + column]]?.codedSize,
            max(tile.width, tile.height) <= 1 << 15,
            let part = try? HEIFPart.tiles(
                rows: row..<min(grid.rows, row + 2), columns: column..<(column + 1), of: grid,
                alpha: number(below: 2) == 0 ? grid : nil, tileSize: tile, items: items, in: source)
        else { return }
        wrote(part)
        precondition(HEIFItems(FileBytes(part)) != nil, "a part can be read")
    }

    private mutating func wrote(_ part: [UInt8]) {
        counts.parts += 1
        counts.largest = max(counts.largest, part.count)
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let at = number(below: bytes.count)
        switch number(below: 16) {
        case 0: bytes.removeLast(number(below: bytes.count))
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + number(below: 8)))
        case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + number(below: 64))], at: at)
        // Extreme numbers: lengths, counts, offsets.
        case 3, 4: for place in at..<min(bytes.count, at + 4) { bytes[place] = 0xFF }
        case 5: for place in at..<min(bytes.count, at + 8) { bytes[place] = 0 }
        case 6: bytes[at] ^= 1 << UInt8(number(below: 8))
        default: bytes[at] = UInt8(number(below: 256))
        }
    }

    private mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
}
