internal import ImageReading
internal import Resampling
internal import ScrollModel
internal import TilePyramid
internal import ViewportGeometry

/// The tiles of a look, each with the level of the image that it is made from, and the pixels of that level that it needs.
struct LookPlan: Sendable {
    /// A tile of the output.
    struct Tile: Sendable {
        let rect: PixelRect<OutputGrid>
        /// The cells, with positions in pixels of full resolution.
        var cells: [WarpCell] = []
        /// The finest scale: pixels of full resolution per pixel of the output, at least.
        var scale = Double.infinity
        /// The columns that are needed, from any turn of the circle, and the rows; empty where nothing is visible.
        var columns = Interval()
        var rows = Interval()
    }

    /// A closed interval that grows.
    struct Interval: Sendable {
        var least = Double.infinity
        var greatest = -Double.infinity

        var isEmpty: Bool { least > greatest }
        var length: Double { greatest - least }

        mutating func include(_ value: Double) {
            least = min(least, value)
            greatest = max(greatest, value)
        }
    }

    let map: LookMap
    private(set) var tiles: [Tile] = []
    /// Whether some pixels show nothing of the picture.
    private(set) var hasGaps = false

    /// The side of a tile in pixels.
    static let side = 64
    /// The most samples of a pixel along an axis.
    private static let mostSamples = 12.0
    /// The greatest error of positions that are interpolated, in pixels of full resolution per pixel of the output.
    private static let tolerance = 0.04

    /// - Parameter part: the pixels of the frame that are rendered, from the sides of tiles on.
    init(_ map: LookMap, part: PixelRect<OutputGrid>) {
        self.map = map
        for y in stride(from: part.y, to: part.maxY, by: Self.side) {
            for x in stride(from: part.x, to: part.maxX, by: Self.side) {
                tiles.append(
                    tile(
                        PixelRect(
                            x: x, y: y, width: min(Self.side, part.maxX - x),
                            height: min(Self.side, part.maxY - y))))
            }
        }
    }

    private var panorama: Panorama { map.panorama }
    private var size: Size<ImageSpace> { panorama.size }

    /// Returns the position of a point of the output; the column is in the picture where it goes around.
    static func position(_ x: Double, _ y: Double, _ map: LookMap) -> SIMD2<Double>? {
        guard var place = map.imagePoint(at: Point(x: x, y: y)) else { return nil }
        let width = map.panorama.size.width
        if map.panorama.isFullCircle {
            place.x -= (place.x / width).rounded(.down) * width
            if place.x >= width { place.x = 0 }
        }
        return SIMD2(place.x, place.y)
    }

    private mutating func tile(_ rect: PixelRect<OutputGrid>) -> Tile {
        var tile = Tile(rect: rect)
        let side = WarpCell.side
        let (columns, rows) = ((rect.width + side - 1) / side, (rect.height + side - 1) / side)
        // Corners, and the middles of cells.
        var corners: [SIMD2<Double>?] = []
        corners.reserveCapacity((columns + 1) * (rows + 1))
        for row in 0...rows {
            for column in 0...columns {
                corners.append(
                    Self.position(Double(rect.x + column * side), Double(rect.y + row * side), map))
            }
        }
        tile.cells.reserveCapacity(columns * rows)
        var reference: Double?
        for row in 0..<rows {
            for column in 0..<columns {
                let at = row * (columns + 1) + column
                let points = [
                    corners[at], corners[at + 1], corners[at + columns + 1], corners[at + columns + 2],
                ]
                let middle = Self.position(
                    Double(rect.x + column * side) + Double(side) / 2,
                    Double(rect.y + row * side) + Double(side) / 2, map)
                tile.cells.append(cell(points, middle, &tile, &reference))
            }
        }
        addPoles(to: &tile)
        tile.scale = scale(of: rect)
        return tile
    }

    /// Returns the least pixels of full resolution per pixel of a tile.
    private func scale(of rect: PixelRect<OutputGrid>) -> Double {
        var scale = Double.infinity
        for y in [0, 0.5, 1] {
            for x in [0, 0.5, 1] {
                let point = Point<ViewSpace>(
                    x: Double(rect.x) + x * Double(rect.width), y: Double(rect.y) + y * Double(rect.height))
                scale = min(scale, map.leastPixels(at: point) ?? .infinity)
            }
        }
        return scale.isFinite ? max(scale, 1e-9) : 1
    }

    /// Returns a cell, and adds to a tile what the cell needs.
    private mutating func cell(
        _ points: [SIMD2<Double>?], _ middle: SIMD2<Double>?, _ tile: inout Tile, _ reference: inout Double?
    ) -> WarpCell {
        let seen = (points + [middle]).compactMap(\.self)
        let isWhole = seen.count == 5 && seen.allSatisfy(isInside)
        if !isWhole { hasGaps = true }
        guard let base = seen.first else {
            return WarpCell(
                topLeft: .zero, topRight: .zero, bottomLeft: .zero, bottomRight: .zero, isExact: true,
                samples: SIMD2(1, 1))
        }
        // All on the same turn of the circle as the first.
        func near(_ point: SIMD2<Double>, _ x: Double) -> SIMD2<Double> {
            guard panorama.isFullCircle else { return point }
            return SIMD2(point.x - ((point.x - x) / size.width).rounded() * size.width, point.y)
        }
        let turned = seen.map { near($0, base.x) }
        let start = near(base, reference ?? base.x).x
        reference = start
        var error = 0.0
        var (steps, samples) = (SIMD2(1.0, 1.0), SIMD2(2, 2))
        if isWhole {
            let side = Double(WarpCell.side)
            let mean = (turned[0] + turned[1] + turned[2] + turned[3]) / 4
            let off = turned[4] - mean
            error = max(off.x.magnitude, off.y.magnitude)
            let across = (turned[1] - turned[0] + turned[3] - turned[2]) / (2 * side)
            let down = (turned[2] - turned[0] + turned[3] - turned[1]) / (2 * side)
            steps = SIMD2(Self.length(across), Self.length(down))
        }
        let isExact = !isWhole || error > Self.tolerance * max(1, min(steps.x, steps.y))
        samples = SIMD2(
            Int(min(max(steps.x - 0.05, 1), 1e6).rounded(.up)),
            Int(min(max(steps.y - 0.05, 1), 1e6).rounded(.up)))
        let extent = turned.reduce(into: (x: Interval(), y: Interval())) { extent, point in
            extent.x.include(point.x + start - base.x)
            extent.y.include(point.y)
        }
        // What the cell shows between its corners is not farther from them than they are from each other.
        let slack = isExact ? 1.0 : 0
        tile.columns.include(extent.x.least - slack * extent.x.length - error)
        tile.columns.include(extent.x.greatest + slack * extent.x.length + error)
        tile.rows.include(extent.y.least - slack * extent.y.length - error)
        tile.rows.include(extent.y.greatest + slack * extent.y.length + error)
        return WarpCell(
            topLeft: points[0] ?? .zero, topRight: points[1] ?? .zero, bottomLeft: points[2] ?? .zero,
            bottomRight: points[3] ?? .zero, isExact: isExact, samples: samples)
    }

    private func isInside(_ point: SIMD2<Double>) -> Bool {
        (panorama.isFullCircle || point.x >= 0 && point.x <= size.width) && point.y >= 0
            && point.y <= size.height
    }

    private static func length(_ step: SIMD2<Double>) -> Double { (step * step).sum().squareRoot() }

    /// Adds the rows up to the poles that are visible in a tile, around the whole circle.
    private func addPoles(to tile: inout Tile) {
        let reach = panorama.reachesPoles
        for (isThere, y) in [(reach.up, panorama.whole.minY), (reach.down, panorama.whole.maxY)] where isThere
        {
            guard let point = map.point(at: Point(x: panorama.whole.midX, y: y)) else { continue }
            let (rect, margin) = (tile.rect, Double(WarpCell.side))
            guard point.x >= Double(rect.x) - margin, point.x <= Double(rect.maxX) + margin,
                point.y >= Double(rect.y) - margin, point.y <= Double(rect.maxY) + margin
            else { continue }
            tile.rows.include(y)
            tile.columns.include(0)
            tile.columns.include(size.width)
        }
    }

    /// Returns the samples of a cell from a level that has fewer pixels.
    static func samples(_ full: SIMD2<Int>, downsample: Double) -> SIMD2<Int> {
        func count(_ steps: Int) -> Int {
            Int(min(max((Double(steps) / downsample).rounded(.up), 1), mostSamples))
        }
        return SIMD2(count(full.x), count(full.y))
    }
}
