internal import Containers

/// How a photo was exposed, as EXIF states it; values that are damaged or unknown are nil.
///
/// Source: CIPA DC-008 (EXIF 2.32), tables 7 and 8.
package struct Exposure: Hashable, Codable, Sendable {
    /// The exposure time in seconds.
    package var seconds: Double?
    /// The f-number.
    package var aperture: Double?
    /// The ISO sensitivity.
    package var sensitivity: Int?
    /// The exposure compensation in stops.
    package var compensation: Double?
    /// The focal length in millimeters.
    package var focalLength: Double?
    /// The focal length in millimeters that has the same angle of view on 35 mm film.
    package var equivalentFocalLength: Int?
    /// Whether the flash fired.
    package var usesFlash: Bool?

    init() {}

    /// Reads EXIF's directory of the conditions of capture.
    init(details: TIFFDirectory) {
        func positive(_ tag: UInt16) -> Double? {
            details.rationals(tag)?.first.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        }
        seconds = positive(0x829A)
        aperture = positive(0x829D)
        focalLength = positive(0x920A)
        compensation = details.rationals(0x9204)?.first.flatMap { abs($0) <= 20 ? $0 : nil }
        // 65535 stands for a greater sensitivity, which tag 0x8832 has.
        let stated = details.int(0x8827).flatMap { $0 == 65535 ? nil : $0 } ?? details.int(0x8832)
        sensitivity = stated.flatMap { $0 > 0 ? $0 : nil }
        equivalentFocalLength = details.int(0xA405).flatMap { $0 > 0 ? $0 : nil }
        usesFlash = details.int(0x9209).map { $0 & 1 == 1 }
    }

    /// Returns the exposure with the values of another where it has none.
    func completed(by other: Exposure) -> Exposure {
        var all = self
        all.seconds = seconds ?? other.seconds
        all.aperture = aperture ?? other.aperture
        all.sensitivity = sensitivity ?? other.sensitivity
        all.compensation = compensation ?? other.compensation
        all.focalLength = focalLength ?? other.focalLength
        all.equivalentFocalLength = equivalentFocalLength ?? other.equivalentFocalLength
        all.usesFlash = usesFlash ?? other.usesFlash
        return all
    }
}
