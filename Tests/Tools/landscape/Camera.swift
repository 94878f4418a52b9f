/// Renders the landscape by columns: all rays of an upright column are in one vertical plane.
///
/// The lens is shifted, not tilted, so that verticals stay vertical.
struct Camera: Sendable {
    let ground: Ground
    let width: Int
    let height: Int

    /// The height above the lake in meters.
    static let eye = 34.0
    private static let farthest = 24000.0
    /// The row of the horizon and the focal length, in pixels.
    private var horizon: Double { 0.60 * Double(height) }
    private var focus: Double { 1.02 * Double(height) }

    /// Returns a column of pixels from the top, each the mean of two rays.
    func column(_ column: Int) -> [Color] {
        let middle = (Double(column) + 0.5 - Double(width) / 2) / focus
        var mirror: Column?
        var sum: [Color] = []
        for ray in [0.25, 0.75] {
            let side = middle + (ray - 0.5) / focus
            var view = Column(side: side, eye: Self.eye, rows: height, phase: ray)
            if let shore = march(&view, from: 60) {
                let seen = mirror ?? self.mirror(middle, shore)
                mirror = seen
                for (row, distance) in view.water {
                    view.light[row] = water(view.light[row], seen, side, distance)
                }
            }
            sum = sum.isEmpty ? view.light : zip(sum, view.light).map { ($0 + $1) * 0.5 }
        }
        return sum
    }

    /// Renders the reflection: the column seen from below the lake, beginning at the shore.
    private func mirror(_ side: Double, _ shore: Double) -> Column {
        var mirror = Column(side: side, eye: -Self.eye, rows: Int(horizon) + 2, phase: 0.5)
        _ = march(&mirror, from: shore)
        return mirror
    }

    /// A column that is rendered from the bottom to the top.
    private struct Column {
        let side: Double
        let eye: Double
        let phase: Double
        var light: [Color]
        /// The first row that is done; all rows below it are done, too.
        var top: Int
        var water: [(row: Int, distance: Double)] = []

        init(side: Double, eye: Double, rows: Int, phase: Double) {
            (self.side, self.eye, self.phase) = (side, eye, phase)
            light = [Color](repeating: Color(0, 0, 0), count: rows)
            top = rows
        }
    }

    /// Marches away from the camera, and paints the rows where the ground rises above all nearer ground.
    ///
    /// - Returns: The distance of the nearest water.
    private func march(_ column: inout Column, from start: Double) -> Double? {
        let growth = 1 + 4.5 / focus
        let isMirror = column.eye < 0
        var shore: Double?
        var last = (z: start, row: Double(column.top))
        var z = start
        while z < Self.farthest {
            let x = column.side * z
            let footprint = z / focus
            let bare = ground.terrain.height(x, z, detail: footprint * 2)
            let isWater = bare < 0
            var seen = max(bare, 0)
            var forest = 0.0
            var tip = 0.0
            if isWater {
                if shore == nil { shore = z }
            } else {
                forest = ground.terrain.forest(x, z, height: bare)
                if forest > 0 {
                    let tree = ground.terrain.trees(x, z, forest: forest)
                    seen += tree.height
                    tip = tree.tip
                }
            }
            let row = horizon - focus * (seen - column.eye) / z
            // The first row whose ray passes under this point.
            let top = max(Int((row - column.phase).rounded(.up)), 0)
            if top < column.top, !(isMirror && isWater) {
                for y in stride(from: column.top - 1, through: top, by: -1) {
                    // The ray of this row hits the ground between the last point and this one.
                    let rise = last.row - row
                    let part = rise > 0 ? min(max((last.row - Double(y) - column.phase) / rise, 0), 1) : 1
                    let at = last.z + (z - last.z) * part
                    let height = column.eye + at * (horizon - Double(y) - column.phase) / focus
                    if isWater {
                        let distance = focus * column.eye / max(Double(y) + column.phase - horizon, 0.5)
                        column.water.append((y, distance))
                        column.light[y] = body(column.side, distance, depth: -bare)
                    } else {
                        column.light[y] = ground.color(
                            Ground.Hit(
                                x: column.side * at, z: at, height: height, footprint: footprint,
                                forest: forest, tip: tip))
                    }
                }
                column.top = top
            }
            if top == 0 { return shore }
            last = (z, row)
            // The higher the ray is above the ground, the further the next step: slopes are limited.
            let line = column.eye + z * (horizon - Double(column.top)) / focus
            let free = isWater ? ground.terrain.water(x, z) : 0.35 * (line - bare - 20)
            z += max(z * (growth - 1), free)
        }
        paintSky(&column)
        return shore
    }

    /// Fills the rest of a column; clouds are soft enough to be interpolated between a few rows.
    private func paintSky(_ column: inout Column) {
        func look(_ row: Int) -> Color {
            ground.sky.color(column.side, (horizon - Double(row) - column.phase) / focus)
        }
        let step = max(height / 1000, 1)
        var above = look(0)
        for first in stride(from: 0, to: column.top, by: step) {
            let below = look(first + step)
            for row in first..<min(first + step, column.top) {
                column.light[row] = above.mixed(below, Double(row - first) / Double(step))
            }
            above = below
        }
    }

    /// Returns the light from inside the water, which is green over shallow ground.
    private func body(_ side: Double, _ distance: Double, depth: Double) -> Color {
        Color(0.10, 0.20, 0.17).mixed(Color(0.012, 0.060, 0.085), smoothstep(0, 9, depth))
    }

    /// Returns the color of water: the light from inside, and a reflection that depends on ripples and angle.
    private func water(
        _ body: Color, _ mirror: Column, _ side: Double, _ distance: Double
    ) -> Color {
        let noise = ground.terrain.noise
        let x = side * distance
        let footprint = distance / focus * (distance / Self.eye)
        // Gusts: patches of rough water between smooth ones.
        let gust = smoothstep(0.42, 0.62, noise.octaves(4, x / 160 + 8, distance / 420 + 3))
        var bend = 0.0
        var (size, weight) = (14.0, 0.010)
        for _ in 0..<6 {
            let seen = smoothstep(0.5, 2, size / footprint)
            if seen > 0 {
                bend += seen * weight * noise.sample(x / size + 3 * size, distance / (size * 0.8)).dy
            }
            size *= 0.47
            weight *= 0.82
        }
        bend *= 0.30 + 0.9 * gust
        let slope = Self.eye / distance
        let spread = 0.004 + 0.016 * gust
        var reflection = Color(0, 0, 0)
        for tap in -2...2 {
            let rise = abs(slope + bend + Double(tap) * spread * 0.5)
            let row = min(max(Int(horizon - focus * rise), 0), mirror.light.count - 1)
            reflection = reflection + mirror.light[row] * 0.2
        }
        let cosine = min(max(slope / (1 + slope * slope).squareRoot() - bend, 0), 1)
        let away = 1 - cosine
        let strength = 0.10 + 0.90 * away * away * away * (0.35 + 0.65 * away)
        let result = body.mixed(reflection * Color(0.92, 0.96, 0.97), strength)
        return ground.sky.haze(result, side, distance: distance * 0.8, height: 20)
    }
}
