/// A value that can be interpolated.
protocol Blendable: Sendable {
    static func + (a: Self, b: Self) -> Self
    static func * (a: Self, factor: Double) -> Self
}

extension Double: Blendable {}

/// A map of the visible area, with a value every 25 meters and linear interpolation.
struct CoarseMap<Value: Blendable>: Sendable {
    static var cell: Double { 25 }
    static var columns: Int { 840 }
    static var rows: Int { 1000 }
    /// The left edge of the map; its near edge is at 0.
    private static var left: Double { -10500 }

    /// The values, row by row away from the camera.
    var values: [Value]

    init(values: [Value]) {
        self.values = values
    }

    /// Computes the value of every point of the grid.
    init(_ value: (_ x: Double, _ z: Double) -> Value) {
        values = []
        values.reserveCapacity(Self.columns * Self.rows)
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                values.append(value(Self.left + Double(column) * Self.cell, Double(row) * Self.cell))
            }
        }
    }

    /// Returns the value at a point; beyond the edges, that of the edge.
    func value(_ x: Double, _ z: Double) -> Value {
        let u = min(max((x - Self.left) / Self.cell, 0), Double(Self.columns) - 1.001)
        let v = min(max(z / Self.cell, 0), Double(Self.rows) - 1.001)
        let (i, j) = (Int(u), Int(v))
        let (fu, fv) = (u - Double(i), v - Double(j))
        let k = j * Self.columns + i
        let near = values[k] * (1 - fu) + values[k + 1] * fu
        let far = values[k + Self.columns] * (1 - fu) + values[k + Self.columns + 1] * fu
        return near * (1 - fv) + far * fv
    }
}
