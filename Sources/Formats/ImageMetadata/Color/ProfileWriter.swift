internal import Basics

/// Writes a display profile of version 4 from colorants and one tone curve.
///
/// Source: ICC.1:2022, sections 7.2, 8.3.3 and 9.
struct ProfileWriter {
    let gamut: Gamut
    let curve: ToneFunction
    /// Whether samples are gray, so that the gamut does not count.
    var isGray = false
    /// Primaries and transfer function by the numbers of ITU-T H.273, where these say the same.
    var numbers: (primaries: Int, transfer: Int)?

    /// D50, the white of profiles.
    static let white = [0.9642, 1, 0.8249]

    var bytes: [UInt8] {
        var tags: [(names: [String], bytes: [UInt8])] = [
            (["desc"], localized(name)), (["cprt"], localized("Public domain")),
            (["wtpt"], text("XYZ ") + zeros(4) + Self.white.flatMap(fixed)),
        ]
        if isGray {
            tags.append((["kTRC"], curveTag))
        } else {
            let colorants = gamut.colorants.map { text("XYZ ") + zeros(4) + $0.flatMap(fixed) }
            tags += [
                (["rXYZ"], colorants[0]), (["gXYZ"], colorants[1]), (["bXYZ"], colorants[2]),
                (["rTRC", "gTRC", "bTRC"], curveTag),
            ]
        }
        if case .highDynamicRange(let range) = curve {
            // The light of white.
            tags.append((["lumi"], text("XYZ ") + zeros(4) + [0, range.peak, 0].flatMap(fixed)))
        }
        if let numbers {
            tags.append(
                (
                    ["cicp"],
                    text("cicp") + zeros(4) + [UInt8(numbers.primaries), UInt8(numbers.transfer), 0, 1]
                )
            )
        }
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
        let name = isGray ? "Gray" : gamut.name
        return switch curve {
        case .sRGB: name
        case .gamma(1): "\(name), linear"
        case .gamma(_) where gamut.name.hasPrefix("Adobe"): name
        case .gamma(let exponent): "\(name), gamma \((exponent * 1000).rounded() / 1000)"
        case .formula(let function, _, _, _, _, _): "\(name), \(function)"
        case .highDynamicRange(let range): "\(name), \(range.transfer.name)"
        }
    }

    private func header(byteCount: Int) -> [UInt8] {
        let kind = zeros(4) + [4, 0x30, 0, 0] + text(isGray ? "mntrGRAYXYZ " : "mntrRGB XYZ ")
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
        case .formula(_, let g, let a, let b, let c, let d):
            text("para") + zeros(4) + [0, 3, 0, 0] + [g, a, b, c, d].flatMap(fixed)
        case .highDynamicRange(let range):
            // What a reader shows that knows no high dynamic range.
            text("curv") + zeros(4) + UInt32(HighDynamicRange.steps).bytes(.big)
                + range.light.flatMap { UInt16(($0 * 65535).rounded()).bytes(.big) }
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
