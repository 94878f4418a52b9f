import Basics
import Containers

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
        var bytes = JPEGSegment.startOfImage
        bytes += JPEGSegment.bytes(0xE1, Array("Exif\0\0".utf8) + exif(date: date, make: make))
        bytes += JPEGSegment.bytes(JPEGSegment.comment, "\(salt)".utf8)
        var random = SplitMix64(seed: salt)
        while bytes.count < count {
            let rest = min(count - bytes.count, 60_000)
            bytes += JPEGSegment.bytes(
                JPEGSegment.comment, (0..<(rest / 8 + 1)).flatMap { _ in random.next().bytes(.big) })
        }
        bytes += JPEGSegment.bytes(0xC0, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0])
        bytes += JPEGSegment.bytes(0xDA, [1, 1, 0, 0, 63, 0])
        return bytes + [0x00] + JPEGSegment.endOfImage
    }

    /// Returns a JPEG with a position north and east, in degrees, minutes and seconds.
    package static func located(_ jpeg: [UInt8], north: [Int], east: [Int]) -> [UInt8] {
        func letter(_ tag: Int, _ text: String) -> TIFFValue {
            TIFFValue(tag: tag, type: 2, count: 2, bytes: Array(text.utf8) + [0])
        }
        func angle(_ tag: Int, _ parts: [Int]) -> TIFFValue {
            TIFFValue(tag: tag, type: 5, parts.flatMap { [$0, 1] }, .big)
        }
        var file = JPEGFile(jpeg)
        let old = file.segments.firstIndex { $0.begins(with: "Exif\0\0") }
        let main = old.flatMap { TIFFBlock(FileBytes(Array(file.segments[$0].body.dropFirst(6)))) }?.main
        let details = main?.directory(0x8769)?.values ?? []
        let block = TIFFWriter(.big).block(
            (main?.values ?? []).filter { $0.tag != 0x8769 },
            (details.isEmpty ? [] : [(0x8769, details)])
                + [(0x8825, [letter(1, "N"), angle(2, north), letter(3, "E"), angle(4, east)])])
        let segment = JPEGFile.Segment(marker: 0xE1, body: Array("Exif\0\0".utf8) + block)
        if let old { file.segments[old] = segment } else { file.insert([segment]) }
        return file.bytes
    }

    private static func exif(date: String?, make: String) -> [UInt8] {
        func value(_ tag: Int, _ text: String) -> TIFFValue {
            let bytes = Array(text.utf8) + [0]
            return TIFFValue(tag: tag, type: 2, count: bytes.count, bytes: bytes)
        }
        let details = date.map { [(0x8769, [value(0x9003, $0)])] } ?? []
        return TIFFWriter(.big).block([value(0x010F, make)], details)
    }
}
