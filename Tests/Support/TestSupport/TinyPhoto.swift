/// A JPEG of a few bytes like one of a camera: with a date, a make and a size, but without meaningful pixels.
package enum TinyPhoto {
    /// - Parameters:
    ///   - date: The date in EXIF's form, such as "2014:05:25 10:00:00".
    ///   - salt: A number that makes the bytes unique.
    ///   - count: The minimum size of the file in bytes; a comment fills it.
    package static func jpeg(
        date: String? = nil, make: String = "Lens", width: Int = 40, height: Int = 30, salt: UInt64 = 0,
        count: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        let exif = exif(date: date, make: make)
        bytes += segment(0xE1, Array("Exif\0\0".utf8) + exif)
        bytes += segment(0xFE, Array("\(salt)".utf8))
        var random = SplitMix64(seed: salt)
        while bytes.count < count {
            let rest = min(count - bytes.count, 60_000)
            bytes += segment(0xFE, (0..<(rest / 8 + 1)).flatMap { _ in big(random.next(), 8) })
        }
        bytes += segment(
            0xC0, [8] + big(UInt64(height), 2) + big(UInt64(width), 2) + [1, 1, 0x11, 0])
        bytes += segment(0xDA, [1, 1, 0, 0, 63, 0])
        return bytes + [0x00, 0xFF, 0xD9]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(UInt64(content.count + 2), 2) + content
    }

    private static func exif(date: String?, make: String) -> [UInt8] {
        let make = Array(make.utf8) + [0]
        let date = date.map { Array($0.utf8) + [0] }
        // IFD0: Make, and the EXIF directory if there is a date.
        let entries = date == nil ? 1 : 2
        let end = 8 + 2 + 12 * entries + 4
        var bytes: [UInt8] = Array("MM\0*".utf8) + big(8, 4) + big(UInt64(entries), 2)
        bytes += entry(0x010F, 2, make.count, end)
        let directory = end + make.count + make.count % 2
        if date != nil { bytes += big(0x8769, 2) + big(4, 2) + big(1, 4) + big(UInt64(directory), 4) }
        bytes += big(0, 4) + make + (make.count % 2 == 0 ? [] : [0])
        if let date {
            bytes += big(1, 2) + entry(0x9003, 2, date.count, directory + 18) + big(0, 4) + date
        }
        return bytes
    }

    private static func entry(_ tag: UInt64, _ type: UInt64, _ count: Int, _ offset: Int) -> [UInt8] {
        big(tag, 2) + big(type, 2) + big(UInt64(count), 4) + big(UInt64(offset), 4)
    }

    private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(count - 1 - $0))) }
    }
}
