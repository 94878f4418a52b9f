internal import Basics
private import Platform

/// The curve of a profile that turns samples into light, both from 0 to 1.
///
/// Source: ICC.1:2022, sections 10.6 (curveType) and 10.18 (parametricCurveType).
package struct ToneCurve: Equatable, Sendable {
    /// `(a x + b)^g + e` from `d` on, `c x + f` below.
    private struct Parameters: Equatable {
        var g = 1.0
        var a = 1.0
        var b = 0.0
        var c = 0.0
        var d = 0.0
        var e = 0.0
        var f = 0.0
    }

    /// Evenly spaced values; empty where `parameters` count.
    private var table: [Double] = []
    private var parameters = Parameters()

    /// The curve of sRGB.
    ///
    /// Source: IEC 61966-2-1.
    package static let sRGB = ToneCurve(
        Parameters(g: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, c: 1 / 12.92, d: 0.04045))

    private init(_ parameters: Parameters) {
        self.parameters = parameters
    }

    /// Parses a tag; nil for another type of tag, or a damaged one.
    init?(_ tag: ArraySlice<UInt8>) {
        let bytes = Array(tag)
        switch bytes.uint32(at: 0) {
        case 0x6375_7276:
            // "curv": a table, one gamma, or the identity.
            guard let count = bytes.uint32(at: 8), count <= 65536 else { return nil }
            table = (0..<count).compactMap { bytes.uint16(at: 12 + 2 * $0).map { Double($0) / 65535 } }
            guard table.count == count else { return nil }
            if count == 1 {
                parameters.g = table[0] * 65535 / 256
                table = []
            }
        case 0x7061_7261:
            // "para": one to seven numbers.
            let counts = [1, 3, 4, 5, 7]
            guard let kind = bytes.uint16(at: 8), counts.indices.contains(kind) else { return nil }
            let numbers = (0..<counts[kind]).compactMap { index in
                bytes.int32(at: 12 + 4 * index).map { Double($0) / 65536 }
            }
            guard numbers.count == counts[kind] else { return nil }
            parameters.g = numbers[0]
            if kind > 0 { (parameters.a, parameters.b) = (numbers[1], numbers[2]) }
            switch kind {
            case 1, 2:
                parameters.d = parameters.a == 0 ? 0 : -parameters.b / parameters.a
                if kind == 2 { (parameters.e, parameters.f) = (numbers[3], numbers[3]) }
            case 3, 4:
                (parameters.c, parameters.d) = (numbers[3], numbers[4])
                if kind == 4 { (parameters.e, parameters.f) = (numbers[5], numbers[6]) }
            default: break
            }
        default:
            return nil
        }
    }

    /// Whether it is a formula, not a table.
    package var isFormula: Bool { table.isEmpty }

    /// Returns the light of a sample by the formula, which may be outside of 0...1.
    package func formula(_ x: Double) -> Double {
        let p = parameters
        return x >= p.d ? pow(max(p.a * x + p.b, 0), p.g) + p.e : p.c * x + p.f
    }

    /// Returns the light of a sample, limited to 0...1.
    package func callAsFunction(_ x: Double) -> Double {
        let light: Double
        if table.isEmpty {
            light = formula(x)
        } else {
            let position = min(max(x, 0), 1) * Double(table.count - 1)
            let index = min(Int(position), max(table.count - 2, 0))
            let next = table[min(index + 1, table.count - 1)]
            light = table[index] + (next - table[index]) * (position - Double(index))
        }
        // NaN, too, becomes 0.
        return light > 0 ? min(light, 1) : 0
    }
}
