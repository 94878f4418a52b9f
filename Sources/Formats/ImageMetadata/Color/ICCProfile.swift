internal import Basics

/// The header and description of an embedded ICC color profile.
///
/// Damaged tags are treated as missing. Source: ICC.1:2022, sections 7.2 (header) and 9 (tags).
public struct ICCProfile: Sendable {
    /// The color space of the samples: "RGB", "GRAY", "CMYK", "Lab".
    public let colorSpace: String
    /// The profile description: "sRGB IEC61966-2.1", "Display P3".
    public let name: String?
    /// Whether it equals sRGB to within the rounding of 8 bits, so that pixels need no transform.
    public let isSRGB: Bool
    /// Whether it equals Display P3, likewise.
    package let isDisplayP3: Bool
    /// Whether it has a table for the perceptual intent and none for the colorimetric one.
    public let isPerceptual: Bool
    /// The curve from samples to light, of green or gray; nil where lookup tables describe the colors.
    package let toneCurve: ToneCurve?
    /// Its colors as curves and a matrix; nil where lookup tables describe them, or a curve is no formula.
    package let matrixModel: MatrixModel?
    /// Its primaries and transfer function by the numbers of ITU-T H.273, if it states them.
    package let numbers: (primaries: Int, transfer: Int)?
    /// The high dynamic range of its colors; nil for SDR.
    package let highDynamicRange: HighDynamicRange?
    /// XYZ of red, green and blue where the dynamic range is high; nil for gray.
    private let colorants: [[Double]]?

    /// The model of most displays and cameras: a curve for each channel, then a matrix.
    package struct MatrixModel: Sendable {
        /// The curves of red, green and blue.
        package let curves: [ToneCurve]
        /// XYZ of red, green and blue.
        package let colorants: [[Double]]
    }

    /// Parses a profile's header and tags; nil if the bytes are not a profile.
    public init?(_ bytes: [UInt8]) {
        let tags = ICCTags(bytes)
        guard let tags, let space = tags.text(16, 4) else { return nil }
        colorSpace = space.trimmed
        name = tags.name
        isSRGB = space == "RGB " && tags.hasCurvesOfSRGB && tags.hasColorants(ICCTags.colorantsOfSRGB)
        isDisplayP3 = space == "RGB " && tags.hasCurvesOfSRGB && tags.hasColorants(ICCTags.colorantsOfP3)
        isPerceptual = tags.has("A2B0") && !tags.has("A2B1")
        toneCurve = tags.has("A2B0") ? nil : tags.curve("gTRC") ?? tags.curve("kTRC")
        matrixModel = tags.matrixModel
        numbers = tags.numbers
        highDynamicRange = tags.highDynamicRange
        colorants = highDynamicRange == nil || space == "GRAY" ? nil : tags.colorants
    }
}

extension ICCProfile {
    /// Returns the matrix from light of its colors to light of other primaries, by their number of ITU-T H.273, row by
    /// row; nil for gray, and where it is not known.
    package func matrix(toPrimaries primaries: Int) -> [[Double]]? {
        guard let colorants, let gamut = Gamut(primaries: primaries) else { return nil }
        return (ColorMatrix(columns: gamut.colorants).inverse * ColorMatrix(columns: colorants)).rows
    }
}

// Not `Codable`: the bytes of a profile are its format.
extension ICCProfile: CustomStringConvertible {
    /// The name and the color space: "Display P3 (RGB)".
    public var description: String { name.map { "\($0) (\(colorSpace))" } ?? colorSpace }
}

/// The tag table of a profile.
private struct ICCTags {
    let bytes: [UInt8]
    private var table: [String: Range<Int>] = [:]

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard text(36, 4) == "acsp", let count = bytes.uint32(at: 128), count <= 1000 else { return nil }
        for index in 0..<count {
            let at = 132 + 12 * index
            guard let name = text(at, 4), let offset = bytes.uint32(at: at + 4),
                let size = bytes.uint32(at: at + 8),
                offset <= bytes.count, size <= bytes.count - offset
            else { continue }
            table[name] = offset..<(offset + size)
        }
    }

    func has(_ tag: String) -> Bool { table[tag] != nil }

    func curve(_ tag: String) -> ToneCurve? { table[tag].flatMap { ToneCurve(bytes[$0]) } }

    func text(_ offset: Int, _ count: Int) -> String? {
        guard offset >= 0, count >= 0, offset + count <= bytes.count else { return nil }
        return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
    }

    /// The description, of version 2 ("desc") or 4 ("mluc", UTF-16).
    var name: String? {
        guard let tag = table["desc"], let type = text(tag.lowerBound, 4) else { return nil }
        if type == "desc", let count = bytes.uint32(at: tag.lowerBound + 8), count > 1,
            count <= tag.count - 12
        {
            return text(tag.lowerBound + 12, count - 1)?.trimmed
        }
        guard type == "mluc", let length = bytes.uint32(at: tag.lowerBound + 20),
            let offset = bytes.uint32(at: tag.lowerBound + 24),
            offset <= tag.count, length <= tag.count - offset
        else { return nil }
        let start = tag.lowerBound + offset
        let units = (0..<(length / 2)).compactMap {
            bytes.uint16(at: start + 2 * $0).map(UInt16.init(truncatingIfNeeded:))
        }
        return String(decoding: units, as: UTF16.self).trimmed
    }

    /// The curves and colorants of a profile that has no lookup table of any kind.
    var matrixModel: ICCProfile.MatrixModel? {
        guard text(16, 8) == "RGB XYZ ", ["mntr", "scnr", "spac"].contains(text(12, 4)), table.count <= 100,
            !table.keys.contains(where: { $0.hasPrefix("A2B") || $0.hasPrefix("D2B") })
        else { return nil }
        let curves = ["rTRC", "gTRC", "bTRC"].compactMap(curve).filter(\.isFormula)
        let colorants = ["rXYZ", "gXYZ", "bXYZ"].compactMap(xyz)
        guard curves.count == 3, colorants.count == 3 else { return nil }
        return ICCProfile.MatrixModel(curves: curves, colorants: colorants)
    }

    /// The numbers of the tag "cicp".
    ///
    /// Source: ICC.1:2022, section 9.2.17.
    var numbers: (primaries: Int, transfer: Int)? {
        guard let tag = table["cicp"], tag.count >= 12, text(tag.lowerBound, 4) == "cicp" else { return nil }
        return (Int(bytes[tag.lowerBound + 8]), Int(bytes[tag.lowerBound + 9]))
    }

    /// The dynamic range by the numbers, or by the names that libjxl gives its profiles.
    var highDynamicRange: HighDynamicRange? {
        // Profiles of displays state that of SDR.
        let peak = xyz("lumi").flatMap { $0.count == 3 && $0[1] >= HighDynamicRange.white ? $0[1] : nil }
        if let numbers { return HighDynamicRange(transfer: numbers.transfer, peak: peak) }
        guard text(4, 3) == "jxl", let name else { return nil }
        return name.hasSuffix("PeQ") || name.hasSuffix("PQ")
            ? HighDynamicRange(.pq, peak: peak) : name.hasSuffix("HLG") ? HighDynamicRange(.hlg) : nil
    }

    /// XYZ of red, green and blue.
    var colorants: [[Double]]? {
        if let numbers, let gamut = Gamut(primaries: numbers.primaries) { return gamut.colorants }
        let colors = ["rXYZ", "gXYZ", "bXYZ"].compactMap(xyz)
        return colors.count == 3 && colors.allSatisfy { $0.count == 3 } ? colors : nil
    }

    private func xyz(_ tag: String) -> [Double]? {
        guard let range = table[tag], range.count >= 20, text(range.lowerBound, 4) == "XYZ " else {
            return nil
        }
        let numbers = (0..<3).compactMap { bytes.int32(at: range.lowerBound + 8 + 4 * $0) }
        return numbers.map { Double($0) / 65536 }
    }

    static let colorantsOfSRGB = [
        [0.4361, 0.2225, 0.0139], [0.3851, 0.7169, 0.0971], [0.1431, 0.0606, 0.7141],
    ]
    static let colorantsOfP3 = [
        [0.5151, 0.2412, -0.0011], [0.2920, 0.6922, 0.0419], [0.1571, 0.0666, 0.7841],
    ]

    /// Whether red, green and blue are these; the tolerance is below what 8 bits show.
    func hasColorants(_ expected: [[Double]]) -> Bool {
        zip(["rXYZ", "gXYZ", "bXYZ"], expected).allSatisfy { tag, color in
            guard let values = xyz(tag), values.count == 3 else { return false }
            return zip(values, color).allSatisfy { abs($0 - $1) < 0.002 }
        }
    }

    /// Whether the curves are sRGB's, likewise.
    var hasCurvesOfSRGB: Bool {
        // A profile's lookup tables may differ from its curves.
        guard table["A2B0"] == nil else { return false }
        return ["rTRC", "gTRC", "bTRC"].allSatisfy { tag in
            guard let curve = self.curve(tag) else { return false }
            return stride(from: 0.05, through: 1, by: 0.05).allSatisfy {
                abs(curve($0) - ToneCurve.sRGB($0)) < 0.002
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(trimmed({ $0 == " " || $0 == "\0" })) }
}
