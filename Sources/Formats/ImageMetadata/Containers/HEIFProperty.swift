internal import Basics
package import Containers
package import ViewportGeometry

/// A property of a HEIF item: its size, a turn, its colors, the configuration of its decoder and others.
package struct HEIFProperty: Sendable {
    /// The type of its box.
    package let type: FourCC
    /// The whole box in the file.
    package let box: Range<Int>
    /// Whether a reader that does not support it must not show the item.
    package internal(set) var isEssential = false
    package let value: Value

    package enum Value: Sendable, Equatable {
        /// The size of the picture before turns ("ispe").
        case size(PixelSize<StoredGrid>)
        /// Counterclockwise quarter turns ("irot").
        case rotation(Int)
        /// Whether left and right are swapped, else top and bottom ("imir").
        case mirroring(swapsSides: Bool)
        /// The part of the picture to show ("clap").
        case cleanAperture(CleanAperture)
        /// The meaning of the samples ("colr" with "nclx").
        case colors(CodedColors)
        /// The brightest light of the picture in cd/m² ("clli").
        case contentPeak(Double)
        /// The brightest light of the display that it was made on, in cd/m² ("mdcv").
        case displayPeak(Double)
        /// The range of an ICC profile in the file ("colr" with "prof" or "rICC").
        case profile(Range<Int>)
        /// Bits per channel ("pixi").
        case depths([Int])
        /// The meaning of an auxiliary picture ("auxC"), such as "urn:com:apple:photo:2020:aux:hdrgainmap".
        case auxiliaryType(String)
        /// Any other one, such as the configuration of the decoder ("hvcC", "av1C").
        case other
    }

    init(_ box: Box, in bytes: FileBytes) {
        type = box.type
        self.box = box.whole
        value = Self.value(box, bytes.extracting(box.content)) ?? .other
    }

    private static func value(_ box: Box, _ bytes: FileBytes) -> Value? {
        switch box.type {
        case "ispe":
            guard let width = bytes.uint32(at: 4), let height = bytes.uint32(at: 8) else { return nil }
            return .size(PixelSize(width: width, height: height))
        case "irot": return bytes.uint8(at: 0).map { .rotation($0 & 3) }
        case "imir": return bytes.uint8(at: 0).map { .mirroring(swapsSides: $0 & 1 == 1) }
        case "clap": return CleanAperture(bytes).map { .cleanAperture($0) }
        case "colr":
            switch bytes.fourCC(at: 0) {
            case "nclx": return CodedColors(bytes).map { .colors($0) }
            case "prof", "rICC": return .profile((box.content.lowerBound + 4)..<box.content.upperBound)
            default: return nil
            }
        case "clli": return bytes.uint16(at: 0).flatMap { $0 > 0 ? .contentPeak(Double($0)) : nil }
        case "mdcv": return bytes.uint32(at: 16).flatMap { $0 > 0 ? .displayPeak(Double($0) / 10_000) : nil }
        case "pixi":
            guard let count = bytes.uint8(at: 4), bytes.contains(count, at: 5) else { return nil }
            return .depths((0..<count).map { Int(bytes[5 + $0]) })
        case "auxC": return bytes.slice(4, bytes.count - 4)?.text.map { .auxiliaryType($0) }
        default: return nil
        }
    }
}

/// A part of a picture, in fractions of pixels.
///
/// Source: ISO/IEC 14496-12, section 12.1.4.
package struct CleanAperture: Sendable, Equatable {
    /// Width, height, and the distance of its center from the picture's, as pairs of numerator and denominator.
    package let width: (Int, Int)
    package let height: (Int, Int)
    package let x: (Int, Int)
    package let y: (Int, Int)

    init?(_ bytes: FileBytes) {
        func fraction(_ index: Int) -> (Int, Int)? {
            guard let above = bytes.int32(at: 8 * index), let below = bytes.uint32(at: 8 * index + 4),
                below > 0
            else { return nil }
            return (above, below)
        }
        guard let width = fraction(0), let height = fraction(1), let x = fraction(2), let y = fraction(3),
            width.0 > 0, height.0 > 0
        else { return nil }
        (self.width, self.height, self.x, self.y) = (width, height, x, y)
    }

    /// The size in whole pixels, rounded down.
    package var size: PixelSize<StoredGrid> {
        PixelSize(width: width.0 / width.1, height: height.0 / height.1)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.width == other.width && one.height == other.height && one.x == other.x && one.y == other.y
    }
}

extension HEIFItem {
    /// The size of the picture before turns and its clean aperture.
    package var codedSize: PixelSize<StoredGrid>? {
        for case .size(let size) in properties.map(\.value) { return size }
        return nil
    }

    /// The range of its ICC profile.
    package var profile: Range<Int>? {
        for case .profile(let range) in properties.map(\.value) { return range }
        return nil
    }

    /// The meaning of its samples, if stated.
    package var colors: CodedColors? {
        for case .colors(var colors) in properties.map(\.value) {
            for case .displayPeak(let peak) in properties.map(\.value) { colors.peak = peak }
            for case .contentPeak(let peak) in properties.map(\.value) { colors.peak = peak }
            return colors
        }
        return nil
    }

    /// Whether it is coded without colors, by the configuration of its decoder.
    package func isMonochrome(in bytes: FileBytes) -> Bool {
        for property in properties {
            switch property.type {
            case "av1C": return bytes.uint8(at: property.box.lowerBound + 10).map { $0 & 0x10 != 0 } ?? false
            case "hvcC": return bytes.uint8(at: property.box.lowerBound + 24).map { $0 & 3 == 0 } ?? false
            default: continue
            }
        }
        return false
    }

    /// The meaning of an auxiliary picture.
    package var auxiliaryType: String? {
        for case .auxiliaryType(let type) in properties.map(\.value) { return type }
        return nil
    }

    /// Whether it is the alpha of the pictures that it refers to.
    package var isAlpha: Bool {
        ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"].contains(auxiliaryType)
    }

    /// Its rotation and mirroring, in the order of the file.
    package var orientation: Orientation {
        properties.reduce(.up) { orientation, property in
            switch property.value {
            // Counterclockwise.
            case .rotation(let turns): orientation.followed(by: Orientation(degrees: -90 * turns) ?? .up)
            case .mirroring(let swapsSides):
                orientation.followed(by: swapsSides ? .upMirrored : .downMirrored)
            default: orientation
            }
        }
    }

    /// The size after the clean aperture and before turns.
    package var storedSize: PixelSize<StoredGrid>? {
        codedSize.map { aperture?.size ?? $0 }
    }

    /// The number of bits of its samples, by the configuration of its decoder; nil where that does not say.
    package func depth(in bytes: FileBytes) -> Int? {
        for property in properties {
            switch property.type {
            case "av1C":
                guard let flags = bytes.uint8(at: property.box.lowerBound + 10) else { return nil }
                return flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
            case "hvcC": return bytes.uint8(at: property.box.lowerBound + 25).map { $0 & 7 + 8 }
            default: continue
            }
        }
        return nil
    }
}
