internal import Basics
internal import Containers
internal import Platform
public import ViewportGeometry

/// A second picture in a file that says how much brighter each pixel of the first one is on an HDR display.
public struct GainMap: Hashable, Sendable {
    /// How a file stores a gain map, by the specification that it follows.
    public enum Kind: String, Codable, Sendable {
        /// Ultra HDR: a second JPEG that XMP describes.
        case ultraHDR = "ultra-hdr"
        /// A second JPEG that only the segment of ISO 21496-1 describes.
        case iso = "iso-21496-1"
        /// Apple's map of a photo, in HEIC or JPEG; its XMP or the maker note has the headroom.
        case apple
    }

    /// How the file stores the map.
    public let kind: Kind
    /// The pixels of the map as stored, mostly a quarter of the picture's in each direction; nil where the map is
    /// missing.
    public let size: PixelSize<StoredGrid>?
    /// The numbers that turn the map's samples into factors; nil where the file lacks some of them.
    public let values: GainMapValues?
    /// Where the map is in the file.
    package let place: Place
    /// Why the map cannot be used, such as "it is cut off after 10 of 20 bytes"; nil where nothing is missing.
    package let defect: String?

    package enum Place: Hashable, Sendable {
        /// A JPEG in a range of the file.
        case jpeg(Range<Int>)
        /// An item of a HEIF file.
        case item(Int)
    }

    /// The luminance of the brightest white of the HDR picture, as a multiple of the SDR picture's; nil where the
    /// file does not state it.
    public var headroom: Double? { values.map { exp2($0.alternateHeadroom) } }
}

/// The numbers that turn samples of a gain map into factors of linear light.
///
/// A sample `s` from 0 to 1 means the factor `2^(minimum + (maximum - minimum) * s^(1 / gamma))` between the picture and
/// its HDR rendition, each plus its offset. All logarithms are of base 2. Source: ISO 21496-1; Adobe, Gain Map 1.0.
public struct GainMapValues: Hashable, Codable, Sendable {
    /// The logarithm of the least factor, for red, green and blue.
    public var minimum: SIMD3<Double>
    /// The logarithm of the greatest factor, for red, green and blue.
    public var maximum: SIMD3<Double>
    /// The exponent with which the samples are stored.
    public var gamma = SIMD3<Double>(repeating: 1)
    /// What is added to samples of the picture, in linear light, before they are multiplied.
    public var baseOffset = SIMD3<Double>(repeating: 1.0 / 64)
    /// What is subtracted from samples of the HDR rendition, in linear light, after that.
    public var alternateOffset = SIMD3<Double>(repeating: 1.0 / 64)
    /// The logarithm of the headroom of displays up to which the map is not applied.
    public var baseHeadroom = 0.0
    /// The logarithm of the headroom of displays from which the map is applied in full.
    public var alternateHeadroom: Double
    /// Whether factors apply in the color space of the picture, else in that of the HDR rendition.
    public var usesBaseColorSpace = true

    /// Whether the picture is the HDR rendition, and the map makes it darker.
    package var isBaseHDR: Bool { baseHeadroom > alternateHeadroom }

    /// Creates values of equal channels.
    init(minimum: Double, maximum: Double, alternateHeadroom: Double) {
        self.minimum = SIMD3(repeating: minimum)
        self.maximum = SIMD3(repeating: maximum)
        self.alternateHeadroom = alternateHeadroom
    }

    /// Whether all numbers are finite and in their ranges.
    var isValid: Bool {
        let channels = [minimum, maximum, gamma, baseOffset, alternateOffset]
        let all = channels.flatMap { [$0.x, $0.y, $0.z] } + [baseHeadroom, alternateHeadroom]
        return all.allSatisfy { abs($0) <= 1024 }
            && (0..<3).allSatisfy {
                maximum[$0] >= minimum[$0] && gamma[$0] > 0
            } && min(baseHeadroom, alternateHeadroom) >= 0
    }

    /// The samples of a pixel that stays as it is, 0 to 1.
    package var neutral: SIMD3<Double> {
        var samples = SIMD3<Double>()
        for channel in 0..<3 where maximum[channel] > minimum[channel] {
            let share = -minimum[channel] / (maximum[channel] - minimum[channel])
            samples[channel] = pow(min(max(share, 0), 1), gamma[channel])
        }
        return samples
    }
}

extension GainMapValues {
    /// Reads the properties of Ultra HDR; nil where a required one is missing or a number is invalid.
    ///
    /// Source: Ultra HDR Image Format 1.1, "HDR gain map metadata".
    init?(_ packet: XMPPacket) {
        func channels(_ name: String) -> SIMD3<Double>? {
            let values = packet.all("hdrgm:\(name)").compactMap(Double.init)
            switch values.count {
            case 1: return SIMD3(repeating: values[0])
            case 3: return SIMD3(values[0], values[1], values[2])
            default: return nil
            }
        }
        guard packet.first("hdrgm:Version") != nil, let maximum = channels("GainMapMax"),
            let capacity = channels("HDRCapacityMax")?.x
        else { return nil }
        self.init(minimum: 0, maximum: 0, alternateHeadroom: capacity)
        self.maximum = maximum
        minimum = channels("GainMapMin") ?? minimum
        gamma = channels("Gamma") ?? gamma
        baseHeadroom = channels("HDRCapacityMin")?.x ?? 0
        let offsets = (channels("OffsetSDR") ?? baseOffset, channels("OffsetHDR") ?? alternateOffset)
        (baseOffset, alternateOffset) = offsets
        if packet.first("hdrgm:BaseRenditionIsHDR")?.lowercased() == "true" {
            (baseHeadroom, alternateHeadroom) = (alternateHeadroom, baseHeadroom)
            (baseOffset, alternateOffset) = (offsets.1, offsets.0)
        }
        guard isValid else { return nil }
    }

    /// The name of the APP2 segment of ISO 21496-1.
    package static let isoName = "urn:iso:std:iso:ts:21496:-1\0"

    /// Reads the body of a segment of ISO 21496-1 after its name; nil where it ends early or a number is invalid.
    init?(iso bytes: FileBytes) {
        guard bytes.uint16(at: 0) == 0, let flags = bytes.uint8(at: 4) else { return nil }
        var at = 5
        var common: Double?
        func next(isSigned: Bool) -> Double? {
            guard let number = isSigned ? bytes.int32(at: at) : bytes.uint32(at: at) else { return nil }
            at += 4
            if let common { return Double(number) / common }
            guard let below = bytes.uint32(at: at), below > 0 else { return nil }
            at += 4
            return Double(number) / Double(below)
        }
        if flags & 8 != 0 {
            guard let below = bytes.uint32(at: at), below > 0 else { return nil }
            common = Double(below)
            at += 4
        }
        guard let base = next(isSigned: false), let alternate = next(isSigned: false) else { return nil }
        self.init(minimum: 0, maximum: 0, alternateHeadroom: alternate)
        baseHeadroom = base
        usesBaseColorSpace = flags & 0x40 != 0
        let count = flags & 0x80 != 0 ? 3 : 1
        for channel in 0..<count {
            guard let low = next(isSigned: true), let high = next(isSigned: true),
                let exponent = next(isSigned: false), let offset = next(isSigned: true),
                let other = next(isSigned: true)
            else { return nil }
            for place in count == 1 ? 0..<3 : channel..<(channel + 1) {
                minimum[place] = low
                maximum[place] = high
                gamma[place] = exponent
                baseOffset[place] = offset
                alternateOffset[place] = other
            }
        }
        guard isValid else { return nil }
    }

    /// Creates the values of Apple's map after its samples were converted by `appleSamples`; nil where its headroom is not stated.
    ///
    /// Maps of version 2 (0x20000) state it in their XMP, as a factor; the formula of the maker note is that of earlier ones.
    init?(apple packet: XMPPacket?, _ note: AppleMakerNote?) {
        let version = packet?.first("HDRGainMap:HDRGainMapVersion").flatMap { Int($0) } ?? 0
        let stated = packet?.first("HDRGainMap:HDRGainMapHeadroom").flatMap { Double($0) }
        if version >= 0x20000, let stated, stated.isFinite, stated >= 1 {
            self.init(appleHeadroom: log2(stated))
        } else if let note {
            self.init(note)
        } else {
            return nil
        }
    }

    private init?(appleHeadroom headroom: Double) {
        self.init(minimum: 0, maximum: headroom, alternateHeadroom: headroom)
        (baseOffset, alternateOffset) = (.zero, .zero)
        guard isValid else { return nil }
    }

    /// Source: Apple, Applying Apple HDR effect to your photos.
    private init?(_ note: AppleMakerNote) {
        guard let first = note.headroom, let second = note.gain, first.isFinite, second.isFinite else {
            return nil
        }
        let stops =
            first < 1
            ? (second <= 0.01 ? -20 * second + 1.8 : -0.101 * second + 1.601)
            : (second <= 0.01 ? -70 * second + 3 : -0.303 * second + 2.303)
        self.init(appleHeadroom: max(stops, 0))
    }

    /// Returns, for each 8-bit sample of Apple's map, the sample of a map with these values.
    ///
    /// Apple's samples are in Rec. 709's transfer function and mean the factor 1 + (headroom - 1) * sample.
    package var appleSamples: [UInt8] {
        (0...255).map { stored in
            let value = Double(stored) / 255
            let linear = value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
            guard maximum.x > 0 else { return 0 }
            let factor = 1 + (exp2(maximum.x) - 1) * linear
            return UInt8((log2(factor) / maximum.x * 255).rounded())
        }
    }
}

// Not `Codable`: a gain map refers to bytes of its file.
extension GainMap: CustomStringConvertible {
    /// The format, the size and the headroom, or the defect: "ultra-hdr, 1008x756, headroom 4.0".
    public var description: String {
        let parts = [kind.rawValue, size?.description, headroom.map { "headroom \($0)" }, defect]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension GainMapValues {
    /// Decodes values; throws `DecodingError` where numbers are not finite or out of range.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(minimum: 0, maximum: 0, alternateHeadroom: 0)
        minimum = try values.decode(SIMD3<Double>.self, forKey: .minimum)
        maximum = try values.decode(SIMD3<Double>.self, forKey: .maximum)
        try values.read(&gamma, .gamma)
        try values.read(&baseOffset, .baseOffset)
        try values.read(&alternateOffset, .alternateOffset)
        try values.read(&baseHeadroom, .baseHeadroom)
        alternateHeadroom = try values.decode(Double.self, forKey: .alternateHeadroom)
        try values.read(&usesBaseColorSpace, .usesBaseColorSpace)
        guard isValid else { throw decoder.invalid("a number of a gain map is out of range") }
    }
}
