internal import ImageReading
internal import Resampling
internal import ScrollModel
internal import TilePyramid
internal import ViewportGeometry

/// The tiles of a look that are made from one level, and the pixels of the level that they need.
struct LookPass {
    /// How a level is read.
    enum Way: Equatable {
        /// Only the columns that are needed, some rows at a time.
        case strips
        /// All columns between the outermost ones that are needed: a part of a row costs as much as all of it.
        case wholeRows
        /// As whole rows, from the top in one pass.
        case onePass
    }

    /// A tile with the columns, which may go around, and the rows of the level that it needs.
    struct Tile: Sendable {
        var tile: LookPlan.Tile
        var columns: Range<Int>
        var rows: Range<Int>
    }

    let reader: any LevelReader
    let way: Way
    let picture: WarpRows.Picture
    /// Pixels of full resolution per pixel of the level, along the upright axes.
    let downsample: SIMD2<Double>
    /// The tiles in the order in which their last rows are read.
    let tiles: [Tile]
    /// All rows that are needed.
    let range: Range<Int>
    /// All columns that are needed, from the first one around the circle.
    let window: Range<Int>
    /// The rows that are read at a time.
    let stripHeight: Int

    /// The rows of a strip of JPEG, of which each thread decodes a part and a row of blocks on either side, and of other
    /// sources, whose tiles are mostly not larger.
    private static let stripHeights = (jpeg: 256, other: 512)
    /// Columns between two parts of a row that are read with them.
    private static let smallGap = 128
    /// The pixels around a position that cubics need.
    private static let margin = 4.0

    init(_ reader: any LevelReader, _ planned: [LookPlan.Tile], _ panorama: Panorama, _ file: ImageFile) {
        self.reader = reader
        let level = reader.level
        let size = file.orientation.uprightSize(level.size)
        let turns = file.orientation.transposes
        let downsample = SIMD2(
            turns ? level.downsampleY : level.downsampleX, turns ? level.downsampleX : level.downsampleY)
        self.downsample = downsample
        picture = WarpRows.Picture(
            width: size.width, height: size.height, isCircle: panorama.isFullCircle,
            hasPole: panorama.reachesPoles)
        let tiles = Self.placed(planned, size, downsample, panorama)
        self.tiles = tiles
        let range = (tiles.map(\.rows.lowerBound).min() ?? 0)..<(tiles.last?.rows.upperBound ?? 0)
        self.range = range
        let capabilities = file.source.capabilities
        way =
            capabilities.access == .sequential
            ? .onePass : capabilities.wholeRowLevels.contains(level.index) ? .wholeRows : .strips
        let isTurnedPass = way == .onePass && file.orientation != .up
        stripHeight =
            isTurnedPass
            ? max(range.upperBound, 1)
            : capabilities.blocks == nil ? Self.stripHeights.other : Self.stripHeights.jpeg
        window = Self.window(tiles, size.width, keepsOrder: way != .strips)
        if capabilities.access == .scanned, way == .strips {
            // Strips are found faster when the scan is over; an error shows again where they are read.
            let last = file.orientation.stored(
                PixelRect(x: 0, y: range.lowerBound, width: size.width, height: range.count), in: level.size)
            let full = PixelRect<StoredGrid>(
                x: 0, y: 0, width: 1,
                height: min(file.storedSize.height, Int(Double(last.maxY) * level.downsampleY) + 1))
            _ = try? capabilities.blocks?.index(downTo: full)
        }
    }

    private static func placed(
        _ planned: [LookPlan.Tile], _ size: PixelSize<UprightGrid>, _ downsample: SIMD2<Double>,
        _ panorama: Panorama
    ) -> [Tile] {
        let (isCircle, circle) = (panorama.isFullCircle, panorama.size.width)
        var tiles: [Tile] = []
        // The turn of the circle in which the columns of all tiles are counted.
        var first: Double?
        for tile in planned where !tile.columns.isEmpty {
            var (columns, rows) = (tile.columns, tile.rows)
            if isCircle {
                let center = (columns.least + columns.greatest) / 2
                columns.move(by: -((center - (first ?? center)) / circle).rounded() * circle)
                first = first ?? center
            }
            columns.divide(by: downsample.x, margin: margin)
            rows.divide(by: downsample.y, margin: margin)
            var range = columns.range
            if !isCircle {
                range = range.clamped(to: 0..<size.width)
            } else if range.count >= size.width {
                range = 0..<size.width
            }
            let needed = rows.range.clamped(to: 0..<size.height)
            if range.isEmpty || needed.isEmpty { continue }
            tiles.append(Tile(tile: tile, columns: range, rows: needed))
        }
        return tiles.sorted {
            ($0.rows.upperBound, $0.rows.lowerBound) < ($1.rows.upperBound, $1.rows.lowerBound)
        }
    }

    /// Returns the columns of all tiles, from the first one in the picture on.
    private static func window(_ tiles: [Tile], _ width: Int, keepsOrder: Bool) -> Range<Int> {
        let least = tiles.map(\.columns.lowerBound).min() ?? 0
        let greatest = tiles.map(\.columns.upperBound).max() ?? 1
        guard greatest - least < width else { return 0..<width }
        let start = ((least % width) + width) % width
        let window = start..<(start + greatest - least)
        return keepsOrder && window.upperBound > width ? 0..<width : window
    }

    /// The rows that are read together.
    var strips: [Range<Int>] {
        // Aligned to the blocks of the file.
        let first = range.lowerBound / stripHeight * stripHeight
        return stride(from: first, to: range.upperBound, by: stripHeight).map {
            max($0, range.lowerBound)..<min($0 + stripHeight, range.upperBound)
        }
    }

    /// The rows that are in memory at a time.
    var capacity: Int {
        var (next, most) = (0, 1)
        // The first row that this tile or a later one needs.
        var needed = [Int](repeating: range.upperBound, count: tiles.count + 1)
        for number in tiles.indices.reversed() {
            needed[number] = min(needed[number + 1], tiles[number].rows.lowerBound)
        }
        for strip in strips {
            most = max(most, strip.upperBound - min(needed[next], strip.lowerBound))
            while next < tiles.count, tiles[next].rows.upperBound <= strip.upperBound { next += 1 }
        }
        return most
    }

    /// Returns the columns of the picture that tiles need, from the left, without those that are needed twice.
    func spans(of tiles: [Tile]) -> [Range<Int>] {
        guard way == .strips else {
            return [window.upperBound > picture.width ? 0..<picture.width : window]
        }
        var spans: [Range<Int>] = []
        for columns in tiles.map(\.columns).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = spans.last, columns.lowerBound <= last.upperBound + Self.smallGap {
                spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, columns.upperBound)
            } else {
                spans.append(columns)
            }
        }
        let width = picture.width
        let split = spans.flatMap { span -> [Range<Int>] in
            guard span.count < width else { return [0..<width] }
            let start = ((span.lowerBound % width) + width) % width
            let end = start + span.count
            return end <= width ? [start..<end] : [0..<(end - width), start..<width]
        }
        // Columns outside of the window belong to rows that a gap was read with.
        return split.flatMap { part in
            guard window.count < width else { return [part] }
            let pieces =
                window.upperBound <= width
                ? [window] : [0..<(window.upperBound - width), window.lowerBound..<width]
            return pieces.map { part.clamped(to: $0) }.filter { !$0.isEmpty }
        }
    }
}

extension LookPlan.Interval {
    fileprivate mutating func move(by distance: Double) {
        least += distance
        greatest += distance
    }

    fileprivate mutating func divide(by downsample: Double, margin: Double) {
        least = least / downsample - margin
        greatest = greatest / downsample + margin
    }

    /// The whole numbers of the pixels.
    fileprivate var range: Range<Int> {
        let (first, last) = (min(max(least, -1e9), 1e9), min(max(greatest, -1e9), 1e9))
        return Int(first.rounded(.down))..<(Int(last.rounded(.down)) + 1)
    }
}
