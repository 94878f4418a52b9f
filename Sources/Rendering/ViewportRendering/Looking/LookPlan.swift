internal import Basics
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
        /// Whether some pixels show nothing of the picture.
        var hasGaps = false
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

        mutating func include(_ other: Interval, wider: Double) {
            include(other.least - wider)
            include(other.greatest + wider)
        }
    }

    let map: LookMap
    private(set) var tiles: [Tile] = []
    /// Whether some pixels show nothing of the picture.
    private(set) var hasGaps = false

    /// The side of a tile in pixels.
    static let side = 64
    /// The greatest error of positions that are interpolated, in pixels of full resolution per pixel of the output.
    private static let tolerance = 0.04

    /// - Parameter part: the pixels of the frame that are rendered, from the sides of tiles on.
    init(_ map: LookMap, part: PixelRect<OutputGrid>) {
        self.map = map
        let columns = (part.width + Self.side - 1) / Self.side
        let rows = (part.height + Self.side - 1) / Self.side
        let plan = self
        // A row of tiles at a time: the work on one is about as long as a hand-over.
        let made = Processors.map(below: rows) { row in
            let y = part.y + row * Self.side
            return (0..<columns).map { column in
                let x = part.x + column * Self.side
                return plan.tile(
                    PixelRect(
                        x: x, y: y, width: min(Self.side, part.maxX - x),
                        height: min(Self.side, part.maxY - y)))
            }
        }
        tiles = made.flatMap(\.self)
        hasGaps = tiles.contains(where: \.hasGaps)
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

    private func tile(_ rect: PixelRect<OutputGrid>) -> Tile {
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
                let middle = Self.position(
                    Double(rect.x + column * side) + Double(side) / 2,
                    Double(rect.y + row * side) + Double(side) / 2, map)
                let points = Points(
                    topLeft: corners[at], topRight: corners[at + 1], bottomLeft: corners[at + columns + 1],
                    bottomRight: corners[at + columns + 2], middle: middle)
                tile.cells.append(cell(points, &tile, &reference))
            }
        }
        addPoles(to: &tile)
        tile.scale = scale(of: rect)
        return tile
    }

    /// The positions of the corners of a cell, and of its middle.
    private struct Points {
        var topLeft: SIMD2<Double>?
        var topRight: SIMD2<Double>?
        var bottomLeft: SIMD2<Double>?
        var bottomRight: SIMD2<Double>?
        var middle: SIMD2<Double>?

        /// Calls a closure with those that are known.
        func forEach(_ body: (SIMD2<Double>) -> Void) {
            if let topLeft { body(topLeft) }
            if let topRight { body(topRight) }
            if let bottomLeft { body(bottomLeft) }
            if let bottomRight { body(bottomRight) }
            if let middle { body(middle) }
        }
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
    private func cell(_ points: Points, _ tile: inout Tile, _ reference: inout Double?) -> WarpCell {
        var cell = WarpCell(
            topLeft: points.topLeft ?? .zero, topRight: points.topRight ?? .zero,
            bottomLeft: points.bottomLeft ?? .zero, bottomRight: points.bottomRight ?? .zero, isExact: true,
            steps: SIMD2(1, 1))
        var (base, inside) = (SIMD2<Double>?.none, 0)
        points.forEach { point in
            base = base ?? point
            if isInside(point) { inside += 1 }
        }
        if inside < 5 { tile.hasGaps = true }
        guard let base else { return cell }
        // All on the same turn of the circle as the first.
        func near(_ point: SIMD2<Double>, _ x: Double) -> SIMD2<Double> {
            guard panorama.isFullCircle else { return point }
            return SIMD2(point.x - ((point.x - x) / size.width).rounded() * size.width, point.y)
        }
        let start = near(base, reference ?? base.x).x
        reference = start
        var error = 0.0
        if inside == 5, let middle = points.middle {
            let (a, b) = (near(cell.topLeft, base.x), near(cell.topRight, base.x))
            let (c, d) = (near(cell.bottomLeft, base.x), near(cell.bottomRight, base.x))
            let off = near(middle, base.x) - (a + b + c + d) / 4
            error = max(off.x.magnitude, off.y.magnitude)
            let side = Double(WarpCell.side)
            // Each difference by itself: opposite sides of a pole are on either turn.
            func distance(_ from: SIMD2<Double>, _ to: SIMD2<Double>) -> Double {
                Self.length(near(to - from, 0))
            }
            cell.steps = SIMD2(distance(a, b) + distance(c, d), distance(a, c) + distance(b, d)) / (2 * side)
            cell.isExact = error > Self.tolerance * max(1, cell.steps.min())
        }
        var (columns, rows) = (Interval(), Interval())
        points.forEach { point in
            let turned = near(point, base.x)
            columns.include(turned.x + start - base.x)
            rows.include(turned.y)
        }
        // What the cell shows between its corners is not farther from them than they are from each other.
        let slack = cell.isExact ? 1.0 : 0
        tile.columns.include(columns, wider: slack * columns.length + error)
        tile.rows.include(rows, wider: slack * rows.length + error)
        return cell
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
}
