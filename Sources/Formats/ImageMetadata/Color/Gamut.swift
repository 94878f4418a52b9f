/// The chromaticities of red, green, blue and white.
struct Gamut {
    let name: String
    let red: (Double, Double)
    let green: (Double, Double)
    let blue: (Double, Double)
    var white = (0.3127, 0.329)
    var isWide = true

    /// Source: ITU-T H.273, table 2; 2 is "unspecified" and counts as sRGB.
    init?(primaries: Int) {
        switch primaries {
        case 1, 2:
            (name, red, green, blue) = ("sRGB", (0.64, 0.33), (0.3, 0.6), (0.15, 0.06))
            isWide = false
        case 4:
            (name, red, green, blue) = ("BT.470 M", (0.67, 0.33), (0.21, 0.71), (0.14, 0.08))
            white = (0.31, 0.316)
        case 5: (name, red, green, blue) = ("BT.601 625", (0.64, 0.33), (0.29, 0.6), (0.15, 0.06))
        case 6, 7: (name, red, green, blue) = ("BT.601 525", (0.63, 0.34), (0.31, 0.595), (0.155, 0.07))
        case 9: (name, red, green, blue) = ("BT.2020", (0.708, 0.292), (0.17, 0.797), (0.131, 0.046))
        case 11:
            (name, red, green, blue) = ("DCI-P3", (0.68, 0.32), (0.265, 0.69), (0.15, 0.06))
            white = (0.314, 0.351)
        // X, Y and Z themselves.
        case 10:
            (name, red, green, blue) = ("SMPTE ST 428", (1, 0), (0, 1), (0, 0))
            white = (1.0 / 3, 1.0 / 3)
        case 8:
            (name, red, green, blue) = ("Film", (0.681, 0.319), (0.243, 0.692), (0.145, 0.049))
            white = (0.31, 0.316)
        case 12: (name, red, green, blue) = ("Display P3", (0.68, 0.32), (0.265, 0.69), (0.15, 0.06))
        case 22: (name, red, green, blue) = ("EBU 3213", (0.63, 0.34), (0.295, 0.605), (0.155, 0.077))
        default: return nil
        }
    }

    /// Source: Adobe RGB (1998) Color Image Encoding, 4.3.1.
    static let adobeRGB = Gamut(
        name: "Adobe RGB (1998)", red: (0.64, 0.33), green: (0.21, 0.71), blue: (0.15, 0.06))

    private init(name: String, red: (Double, Double), green: (Double, Double), blue: (Double, Double)) {
        (self.name, self.red, self.green, self.blue) = (name, red, green, blue)
    }

    /// Creates a gamut of measured colors: white, red, green and blue.
    ///
    /// Returns nil where they span no gamut.
    init?(measured colors: [(x: Double, y: Double)]) {
        guard colors.count == 4, colors.allSatisfy({ $0.x >= 0 && $0.y > 0 && $0.x + $0.y <= 1 }) else {
            return nil
        }
        name = "Measured"
        (white, red, green, blue) = (colors[0], colors[1], colors[2], colors[3])
        // Twice the area of the triangle.
        let across = (green.0 - red.0) * (blue.1 - red.1)
        let down = (blue.0 - red.0) * (green.1 - red.1)
        guard abs(across - down) > 0.001 else { return nil }
        let sRGB = [(0.3127, 0.329), (0.64, 0.33), (0.3, 0.6), (0.15, 0.06)]
        isWide = zip(colors, sRGB).contains { abs($0.x - $1.0) > 0.0005 || abs($0.y - $1.1) > 0.0005 }
    }

    /// The columns of red, green and blue in XYZ, adapted to D50 by the Bradford transform.
    var colorants: [[Double]] {
        // Not divided by y, which may be 0.
        let colors = [red, green, blue].map { [$0.0, $0.1, 1 - $0.0 - $0.1] }
        let primaries = ColorMatrix(columns: colors)
        let shares = primaries.inverse * Self.xyz(white)
        let adaptation = ColorMatrix.bradford(from: Self.xyz(white))
        return zip(colors, shares).map { color, share in adaptation * color.map { $0 * share } }
    }

    /// XYZ of a chromaticity with Y = 1.
    private static func xyz(_ color: (Double, Double)) -> [Double] {
        [color.0 / color.1, 1, (1 - color.0 - color.1) / color.1]
    }
}

/// Three rows of three numbers.
struct ColorMatrix {
    let rows: [[Double]]

    init(rows: [[Double]]) { self.rows = rows }

    init(columns: [[Double]]) {
        rows = (0..<3).map { row in columns.map { $0[row] } }
    }

    static func * (matrix: ColorMatrix, vector: [Double]) -> [Double] {
        matrix.rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    static func * (one: ColorMatrix, other: ColorMatrix) -> ColorMatrix {
        ColorMatrix(columns: (0..<3).map { column in one * other.rows.map { $0[column] } })
    }

    var inverse: ColorMatrix {
        func cofactor(_ row: Int, _ column: Int) -> Double {
            let (r, s) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return rows[r][c] * rows[s][d] - rows[r][d] * rows[s][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + rows[0][$1] * cofactor(0, $1) }
        return ColorMatrix(rows: (0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } })
    }

    /// Returns the adaptation of a white to D50.
    ///
    /// Source: ICC.1:2022, annex E.
    static func bradford(from white: [Double]) -> ColorMatrix {
        let cones = ColorMatrix(rows: [
            [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
        ])
        let (from, to) = (cones * white, cones * ProfileWriter.white)
        let scaling = ColorMatrix(
            rows: (0..<3).map { row in (0..<3).map { $0 == row ? to[row] / from[row] : 0 } })
        return cones.inverse * (scaling * cones)
    }
}
