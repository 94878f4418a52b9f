internal import Basics
internal import Containers

/// The meaning of coded samples, by the numbers of ITU-T H.273.
package struct CodedColors: Sendable, Equatable {
    package var primaries: Int
    package var transfer: Int
    package var matrix: Int
    package var isFullRange: Bool

    package init(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    init?(_ bytes: FileBytes) {
        guard let primaries = bytes.uint16(at: 4), let transfer = bytes.uint16(at: 6),
            let matrix = bytes.uint16(at: 8), let range = bytes.uint8(at: 10)
        else { return nil }
        self.init(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
    }
}

extension CodedColors {
    /// An ICC profile of the primaries and the transfer function; nil for sRGB's, and for those that no profile
    /// describes.
    ///
    /// The transfer functions of BT.601, BT.709 and BT.2020 count as sRGB's, as in browsers: they were made for
    /// cameras, and displays of still pictures do not undo them exactly. PQ and HLG need tone mapping and have none.
    package var profile: [UInt8]? {
        guard let gamut = Gamut(primaries: primaries), let curve = ToneFunction(transfer: transfer) else {
            return nil
        }
        guard gamut.isWide || curve != .sRGB else { return nil }
        return ProfileWriter(gamut: gamut, curve: curve).bytes
    }
}

extension ICCProfile {
    /// The profile of Adobe RGB (1998), which cameras name in EXIF instead of embedding it.
    package static let adobeRGB = ProfileWriter(gamut: .adobeRGB, curve: .gamma(563.0 / 256)).bytes
}

/// The chromaticities of red, green, blue and white.
private struct Gamut {
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
        case 12: (name, red, green, blue) = ("Display P3", (0.68, 0.32), (0.265, 0.69), (0.15, 0.06))
        default: return nil
        }
    }

    /// Source: Adobe RGB (1998) Color Image Encoding, 4.3.1.
    static let adobeRGB = Gamut(
        name: "Adobe RGB (1998)", red: (0.64, 0.33), green: (0.21, 0.71), blue: (0.15, 0.06))

    private init(name: String, red: (Double, Double), green: (Double, Double), blue: (Double, Double)) {
        (self.name, self.red, self.green, self.blue) = (name, red, green, blue)
    }

    /// The columns of red, green and blue in XYZ, adapted to D50 by the Bradford transform.
    var colorants: [[Double]] {
        let primaries = Matrix(columns: [red, green, blue].map(Self.xyz))
        let shares = primaries.inverse * Self.xyz(white)
        let adaptation = Matrix.bradford(from: Self.xyz(white))
        return zip([red, green, blue], shares).map { color, share in
            adaptation * Self.xyz(color).map { $0 * share }
        }
    }

    /// XYZ of a chromaticity with Y = 1.
    private static func xyz(_ color: (Double, Double)) -> [Double] {
        [color.0 / color.1, 1, (1 - color.0 - color.1) / color.1]
    }
}

/// A transfer function from coded to linear values.
private enum ToneFunction: Equatable {
    case sRGB
    case gamma(Double)

    /// Source: ITU-T H.273, table 3; 2 is "unspecified" and counts as sRGB.
    init?(transfer: Int) {
        switch transfer {
        case 1, 2, 6, 13, 14, 15: self = .sRGB
        case 4: self = .gamma(2.2)
        case 5: self = .gamma(2.8)
        case 8: self = .gamma(1)
        default: return nil
        }
    }
}

/// Three rows of three numbers.
private struct Matrix {
    let rows: [[Double]]

    init(rows: [[Double]]) { self.rows = rows }

    init(columns: [[Double]]) {
        rows = (0..<3).map { row in columns.map { $0[row] } }
    }

    static func * (matrix: Matrix, vector: [Double]) -> [Double] {
        matrix.rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    static func * (one: Matrix, other: Matrix) -> Matrix {
        Matrix(columns: (0..<3).map { column in one * other.rows.map { $0[column] } })
    }

    var inverse: Matrix {
        func cofactor(_ row: Int, _ column: Int) -> Double {
            let (r, s) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return rows[r][c] * rows[s][d] - rows[r][d] * rows[s][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + rows[0][$1] * cofactor(0, $1) }
        return Matrix(rows: (0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } })
    }

    /// Returns the adaptation of a white to D50.
    ///
    /// Source: ICC.1:2022, annex E.
    static func bradford(from white: [Double]) -> Matrix {
        let cones = Matrix(rows: [
            [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
        ])
        let (from, to) = (cones * white, cones * ProfileWriter.white)
        let scaling = Matrix(
            rows: (0..<3).map { row in (0..<3).map { $0 == row ? to[row] / from[row] : 0 } })
        return cones.inverse * (scaling * cones)
    }
}

/// Writes a display profile of version 4 from colorants and one tone curve.
///
/// Source: ICC.1:2022, sections 7.2, 8.3.3 and 9.
private struct ProfileWriter {
    let gamut: Gamut
    let curve: ToneFunction

    /// D50, the white of profiles.
    static let white = [0.9642, 1, 0.8249]

    var bytes: [UInt8] {
        let colorants = gamut.colorants.map { text("XYZ ") + zeros(4) + $0.flatMap(fixed) }
        let tags: [(names: [String], bytes: [UInt8])] = [
            (["desc"], localized(name)), (["cprt"], localized("Public domain")),
            (["wtpt"], text("XYZ ") + zeros(4) + Self.white.flatMap(fixed)),
            (["rXYZ"], colorants[0]), (["gXYZ"], colorants[1]), (["bXYZ"], colorants[2]),
            (["rTRC", "gTRC", "bTRC"], curveTag),
        ]
        let count = tags.reduce(0) { $0 + $1.names.count }
        var table = UInt32(count).bytes(.big)
        var data: [UInt8] = []
        for tag in tags {
            let offset = 128 + 4 + 12 * count + data.count
            for name in tag.names {
                table += text(name) + UInt32(offset).bytes(.big) + UInt32(tag.bytes.count).bytes(.big)
            }
            data += tag.bytes + zeros((4 - tag.bytes.count % 4) % 4)
        }
        return header(byteCount: 128 + table.count + data.count) + table + data
    }

    private var name: String {
        switch curve {
        case .sRGB: gamut.name
        case .gamma(1): "\(gamut.name), linear"
        case .gamma(_) where gamut.name.hasPrefix("Adobe"): gamut.name
        case .gamma(let exponent): "\(gamut.name), gamma \(exponent)"
        }
    }

    private func header(byteCount: Int) -> [UInt8] {
        let kind = zeros(4) + [4, 0x30, 0, 0] + text("mntrRGB XYZ ")
        // A fixed date keeps the bytes of outputs the same.
        let date = [2026, 1, 1, 0, 0, 0].flatMap { UInt16($0).bytes(.big) }
        return UInt32(byteCount).bytes(.big) + kind + date + text("acsp") + zeros(28)
            + Self.white.flatMap(fixed) + zeros(48)
    }

    private var curveTag: [UInt8] {
        switch curve {
        case .sRGB:
            text("para") + zeros(4) + [0, 3, 0, 0]
                + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)
        case .gamma(let exponent): text("para") + zeros(8) + fixed(exponent)
        }
    }

    private func localized(_ words: String) -> [UInt8] {
        let units = words.utf16.flatMap { $0.bytes(.big) }
        return text("mluc") + zeros(4) + UInt32(1).bytes(.big) + UInt32(12).bytes(.big) + text("enUS")
            + UInt32(units.count).bytes(.big) + UInt32(28).bytes(.big) + units
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Signed 16.16 bits.
    private func fixed(_ value: Double) -> [UInt8] { Int32((value * 65536).rounded()).bytes(.big) }
}
