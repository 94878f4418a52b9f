internal import Basics
internal import Containers

/// The pixels per length that a file states: of what was scanned, or for print.
package struct Resolution: Hashable, Codable, Sendable {
    /// Pixels per meter along a row.
    package var across: Double
    /// Pixels per meter along a column.
    package var down: Double

    private static let inchesPerMeter = 1 / 0.0254
    /// What libvips writes into files of which it knows none: 10 pixels per centimeter.
    private static let unknown = 1000.0

    /// Returns nil for numbers that are no resolution.
    ///
    /// - Parameter units: the units per meter.
    package init?(_ across: Double?, _ down: Double?, units: Double) {
        guard let across, let down else { return nil }
        (self.across, self.down) = (across * units, down * units)
        let range = 1...1e10
        guard range.contains(self.across), range.contains(self.down) else { return nil }
        guard abs(self.across - Self.unknown) > 0.5 || abs(self.down - Self.unknown) > 0.5 else { return nil }
    }

    /// Creates that of EXIF and TIFF; their unit is the inch unless they state another one, and 1 stands for none.
    init?(_ directory: TIFFDirectory) {
        guard let units = Self.units(of: directory.int(0x0128) ?? 2) else { return nil }
        self.init(
            directory.rationals(0x011A)?.first, directory.rationals(0x011B)?.first, units: units)
    }

    /// Creates that of a slide of Aperio from its description, which states micrometers per pixel: "…|MPP = 0.4990|…".
    ///
    /// Source: Aperio, Digital Slides and Third-Party Data Interchange.
    init?(slide description: String) {
        guard description.hasPrefix("Aperio") else { return nil }
        let values = description.split(separator: "|").compactMap { property -> Double? in
            let parts = property.split(separator: "=").map { $0.filter { !$0.isWhitespace } }
            return parts.count == 2 && parts[0] == "MPP" ? Double(parts[1]) : nil
        }
        guard let size = values.first, size > 0 else { return nil }
        self.init(1e6 / size, 1e6 / size, units: 1)
    }

    /// Creates that of JFIF from its unit and its numbers.
    init?(jfif unit: Int, _ across: Int, _ down: Int) {
        guard let units = Self.units(of: unit + 1) else { return nil }
        self.init(Double(across), Double(down), units: units)
    }

    /// The units per meter by their number in TIFF; nil for none.
    private static func units(of unit: Int) -> Double? {
        switch unit {
        case 2: inchesPerMeter
        case 3: 100
        default: nil
        }
    }

    /// Returns the resolution of a picture with more or fewer pixels.
    package func scaled(across: Double, down: Double) -> Resolution? {
        Resolution(self.across * across, self.down * down, units: 1)
    }

    /// The resolution of the picture with rows and columns swapped.
    package var transposed: Resolution {
        var other = self
        (other.across, other.down) = (down, across)
        return other
    }

    /// Returns pixels per inch or centimeter; whole numbers of inches, which other units round, are restored.
    private func numbers(_ unit: Int) -> (across: Double, down: Double) {
        let units = Self.units(of: unit) ?? 1
        func number(_ value: Double) -> Double {
            let exact = value / units
            return abs(exact - exact.rounded()) < 0.005 * max(1, exact / 200) ? exact.rounded() : exact
        }
        return (number(across), number(down))
    }

    /// Pixels per meter of PNG.
    package var png: [UInt8] {
        [across, down].flatMap { UInt32(min($0, Double(Int32.max)).rounded()).bytes(.big) } + [1]
    }

    /// Unit and numbers of JFIF: inches, or centimeters where the numbers are too large.
    package var jfif: [UInt8]? {
        for unit in [2, 3] {
            let (across, down) = numbers(unit)
            guard max(across, down) < 65535.5, min(across, down) >= 0.5 else { continue }
            return [UInt8(unit - 1)]
                + [across, down].flatMap { UInt16($0.rounded()).bytes(.big) }
        }
        return nil
    }

    /// The fractions and the unit of TIFF: inches, or centimeters for the microns of microscopes.
    package var tiff: (across: (Int, Int), down: (Int, Int), unit: Int) {
        let unit = max(across, down) / Self.inchesPerMeter > 20_000 ? 3 : 2
        let (across, down) = numbers(unit)
        func fraction(_ value: Double) -> (Int, Int) {
            let below = value == value.rounded() ? 1 : max(across, down) < 400_000 ? 10_000 : 1
            return (Int((value * Double(below)).rounded()), below)
        }
        return (fraction(across), fraction(down), unit)
    }

    /// The box of JPEG 2000 with the resolution of capture, in pixels per meter.
    package var jp2: [UInt8] {
        func fraction(_ value: Double) -> ([UInt8], UInt8) {
            var (number, exponent) = (value, 0)
            while number >= 65535 { (number, exponent) = (number / 10, exponent + 1) }
            // Four digits behind the point, as far as 16 bits have room.
            var below = 1
            while below < 10_000, number * Double(10 * below) < 65535 { below *= 10 }
            let above = UInt16((number * Double(below)).rounded())
            return (above.bytes(.big) + UInt16(below).bytes(.big), UInt8(exponent))
        }
        let (rows, columns) = (fraction(down), fraction(across))
        return Box.bytes("res ", Box.bytes("resc", rows.0 + columns.0 + [rows.1, columns.1]))
    }

    /// Creates that of a box of JPEG 2000, "resc" or "resd".
    ///
    /// Source: ISO/IEC 15444-1, I.5.3.7.
    init?(jp2 box: FileBytes) {
        func number(_ at: Int, _ exponent: Int) -> Double? {
            guard let above = box.uint16(at: at), let below = box.uint16(at: at + 2), below > 0,
                let power = box.uint8(at: exponent)
            else { return nil }
            let factors = [Double](
                repeating: 10, count: min(Int(Int8(bitPattern: UInt8(power)).magnitude), 12))
            let factor = factors.reduce(1, *)
            let value = Double(above) / Double(below)
            return Int8(bitPattern: UInt8(power)) < 0 ? value / factor : value * factor
        }
        self.init(number(4, 9), number(0, 8), units: 1)
    }
}
