internal import Basics
internal import Containers
private import Platform

/// The meaning of coded samples, by the numbers of ITU-T H.273.
package struct CodedColors: Sendable, Equatable {
    package var primaries: Int
    package var transfer: Int
    package var matrix: Int
    package var isFullRange: Bool
    /// The brightest light of the picture in cd/m², if stated; counts for PQ only.
    package var peak: Double?
    /// Whether transfer functions of cameras are undone by the display of video, as for PNG; else they count as sRGB's.
    var showsVideoGamma = false

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
    /// Whether primaries and transfer function are known, so that the numbers count.
    package var isKnown: Bool { Gamut(primaries: primaries) != nil && tone != nil }

    /// An ICC profile of colors, as ``profile(isGray:)``.
    package var profile: [UInt8]? { profile(isGray: false) }

    /// Returns an ICC profile of the primaries and the transfer function; nil for sRGB's, and for unknown ones.
    ///
    /// The profile of PQ and HLG has the curve of the picture mapped to SDR, and the numbers: a reader that knows them
    /// can do better.
    package func profile(isGray: Bool) -> [UInt8]? {
        guard let gamut = Gamut(primaries: primaries), let tone else { return nil }
        guard !isGray && gamut.isWide || tone != .sRGB else { return nil }
        // A reader of the numbers must not undo the curve of a camera that was taken for sRGB's.
        return ProfileWriter(
            gamut: gamut, curve: tone, isGray: isGray, numbers: (primaries, tone == .sRGB ? 13 : transfer)
        ).bytes
    }

    /// The transfer functions of BT.601, BT.709, BT.2020 and xvYCC count as sRGB's, as in browsers: they were made for
    /// cameras, and displays of still pictures do not undo them exactly.
    private var tone: ToneFunction? {
        showsVideoGamma && Self.videoTransfers.contains(transfer)
            ? .gamma(Self.displayGamma) : ToneFunction(transfer: transfer, peak: peak)
    }

    private static let videoTransfers = [1, 6, 11, 14, 15]
    /// The exponent of displays for video.
    ///
    /// Source: ITU-R BT.1886.
    private static let displayGamma = 2.4
}

/// Colors that a PNG states by measures: an exponent and chromaticities.
package struct MeasuredColors: Sendable {
    /// The exponent from samples to light.
    let exponent: Double
    /// White, red, green and blue; nil where they are not stated.
    let chromaticities: [(x: Double, y: Double)]?

    /// The exponents that mean the curve of sRGB where no chromaticities are stated.
    private static let nearSRGB = 2.195...2.205

    /// Returns an ICC profile; nil for sRGB's.
    ///
    /// Chromaticities that make no gamut are those of sRGB.
    package func profile(isGray: Bool) -> [UInt8]? {
        let measured = chromaticities.flatMap(Gamut.init(measured:))
        guard let gamut = measured ?? Gamut(primaries: 1) else { return nil }
        guard chromaticities != nil || !Self.nearSRGB.contains(exponent) else { return nil }
        return ProfileWriter(gamut: gamut, curve: .gamma(exponent), isGray: isGray).bytes
    }
}

extension ICCProfile {
    /// The profile of sRGB.
    package static let sRGB = Gamut(primaries: 1).map { ProfileWriter(gamut: $0, curve: .sRGB).bytes }

    /// The profile of Adobe RGB (1998), which cameras name in EXIF instead of embedding it.
    package static let adobeRGB = ProfileWriter(gamut: .adobeRGB, curve: .gamma(563.0 / 256)).bytes
}

/// A transfer function from coded to linear values.
enum ToneFunction: Equatable {
    case sRGB
    case gamma(Double)
    /// `(a x + b)^g` from `d` on, `c x` below.
    case formula(name: String, g: Double, a: Double, b: Double, c: Double, d: Double)
    case highDynamicRange(HighDynamicRange)

    /// - Parameter peak: the brightest light in cd/m², if known.
    ///
    /// Source: ITU-T H.273, table 3; 2 is "unspecified" and counts as sRGB.
    init?(transfer: Int, peak: Double?) {
        switch transfer {
        case 1, 2, 6, 11, 13, 14, 15: self = .sRGB
        case 4: self = .gamma(2.2)
        case 5: self = .gamma(2.8)
        case 7:
            let (scale, offset) = (1.1115, 0.1115)
            self = .formula(
                name: "SMPTE 240", g: 1 / 0.45, a: 1 / scale, b: offset / scale, c: 0.25, d: 4 * 0.0228)
        case 8: self = .gamma(1)
        // White has 48 cd/m² of 52.37.
        case 17:
            self = .formula(name: "SMPTE ST 428", g: 2.6, a: pow(52.37 / 48, 1 / 2.6), b: 0, c: 0, d: 0)
        default:
            guard let range = HighDynamicRange(transfer: transfer, peak: peak) else { return nil }
            self = .highDynamicRange(range)
        }
    }
}
