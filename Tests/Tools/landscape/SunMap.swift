/// The shadows on the ground and its exposure to the sky, computed once on a coarse grid.
struct SunMap: Sendable {
    /// The direction to the sun; y is up.
    static let direction = (x: -0.80, y: 0.40, z: -0.447)

    private let shadow: CoarseMap<Double>
    private let openness: CoarseMap<Double>

    init(_ terrain: Terrain) {
        let height = CoarseMap { x, z in terrain.height(x, z, detail: 40) }
        shadow = CoarseMap(values: Self.cast(height.values))
        openness = CoarseMap(values: Self.open(height.values))
    }

    /// Returns the height of the shadow over each cell, computed column by column from the side of the sun.
    private static func cast(_ height: [Double]) -> [Double] {
        typealias Map = CoarseMap<Double>
        var shadow = height.map { _ in -1000.0 }
        // The sun's ray shifts by this many rows and this height per column.
        let shift = direction.z / direction.x
        let drop = direction.y / -direction.x * Map.cell
        for i in 1..<Map.columns {
            for j in 0..<Map.rows {
                let from = min(max(Double(j) - shift, 0), Double(Map.rows - 2))
                let (row, part) = (Int(from), from - from.rounded(.down))
                let (a, b) = (row * Map.columns + i - 1, (row + 1) * Map.columns + i - 1)
                let top = max(height[a], shadow[a]) * (1 - part) + max(height[b], shadow[b]) * part
                shadow[j * Map.columns + i] = top - drop
            }
        }
        return shadow
    }

    /// Returns the height of each cell above the mean of its neighborhood, scaled to -1 to 1.
    private static func open(_ height: [Double]) -> [Double] {
        var mean = height
        for reach in [2, 4] {
            for step in [reach, reach * CoarseMap<Double>.columns] {
                let source = mean
                for k in step..<(source.count - step) {
                    mean[k] = (source[k - step] + source[k] + source[k + step]) / 3
                }
            }
        }
        return zip(height, mean).map { min(max(($0 - $1) / 45, -1), 1) }
    }

    /// Returns the visible part of the sun at a point, from 0 to 1.
    func light(_ x: Double, _ z: Double, height: Double) -> Double {
        smoothstep(-14, 26, height - shadow.value(x, z))
    }

    /// Returns the ambient light at a point: below 1 in gullies, above 1 on ridges.
    func ambient(_ x: Double, _ z: Double) -> Double { 1 + 0.45 * openness.value(x, z) }
}
