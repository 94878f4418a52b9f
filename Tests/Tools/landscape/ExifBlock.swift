/// The EXIF block of a camera: a little-endian TIFF with three directories.
///
/// The values follow the directory that points to them. Source: Exif 2.32, section 4.6.
struct ExifBlock {
    var orientation: Int
    var make: String
    var model: String
    /// "2024:09:21 17:42:10".
    var date: String
    var subsecond: String
    /// "+02:00".
    var offset: String
    /// Degrees, minutes and hundredths of seconds, with their hemispheres.
    var latitude: (reference: String, [Int])
    var longitude: (reference: String, [Int])
    /// Meters above sea level.
    var altitude: Int

    /// The block as a JPEG segment: APP1 with its length.
    var segment: [UInt8] {
        var main = Directory(start: 8)
        main.add(0x010F, ascii: make)
        main.add(0x0110, ascii: model)
        main.add(0x0112, short: orientation)
        main.add(0x0132, ascii: date)
        let exifPointer = main.addPointer(0x8769)
        let gpsPointer = main.addPointer(0x8825)
        let exif = exifDirectory(start: main.end)
        let gps = gpsDirectory(start: exif.end)
        main.point(exifPointer, to: main.end)
        main.point(gpsPointer, to: exif.end)
        let tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + main.bytes + exif.bytes + gps.bytes
        let body = Array("Exif\0\0".utf8) + tiff
        let length = body.count + 2
        return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body
    }

    private func exifDirectory(start: Int) -> Directory {
        var exif = Directory(start: start)
        exif.add(0x9000, undefined: Array("0232".utf8))
        exif.add(0x9003, ascii: date)
        exif.add(0x9004, ascii: date)
        exif.add(0x9011, ascii: offset)
        exif.add(0x9291, ascii: subsecond)
        return exif
    }

    private func gpsDirectory(start: Int) -> Directory {
        var gps = Directory(start: start)
        gps.add(0, undefined: [2, 3, 0, 0], type: 1)
        gps.add(1, ascii: latitude.reference)
        gps.add(2, rationals: zip(latitude.1, [1, 1, 100]).map { ($0, $1) })
        gps.add(3, ascii: longitude.reference)
        gps.add(4, rationals: zip(longitude.1, [1, 1, 100]).map { ($0, $1) })
        gps.add(5, undefined: [0], type: 1)
        gps.add(6, rationals: [(altitude, 1)])
        return gps
    }
}

/// A directory: entries in the order of their tags, followed by the values that do not fit into entries.
private struct Directory {
    let start: Int
    private var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = []

    init(start: Int) { self.start = start }

    mutating func add(_ tag: Int, ascii text: String) {
        let value = Array(text.utf8) + [0]
        entries.append((tag, 2, value.count, value))
    }

    mutating func add(_ tag: Int, short number: Int) {
        entries.append((tag, 3, 1, Self.little(number, 2)))
    }

    mutating func add(_ tag: Int, undefined value: [UInt8], type: Int = 7) {
        entries.append((tag, type, value.count, value))
    }

    mutating func add(_ tag: Int, rationals: [(Int, Int)]) {
        let value = rationals.flatMap { Self.little($0.0, 4) + Self.little($0.1, 4) }
        entries.append((tag, 5, rationals.count, value))
    }

    /// Adds a pointer whose value is set later.
    mutating func addPointer(_ tag: Int) -> Int {
        entries.append((tag, 4, 1, Self.little(0, 4)))
        return entries.count - 1
    }

    mutating func point(_ entry: Int, to offset: Int) {
        entries[entry].value = Self.little(offset, 4)
    }

    /// The offset of the end, where the next directory may begin.
    var end: Int { start + bytes.count }

    var bytes: [UInt8] {
        var table = Self.little(entries.count, 2)
        var values: [UInt8] = []
        let first = start + 2 + 12 * entries.count + 4
        for entry in entries {
            table += Self.little(entry.tag, 2) + Self.little(entry.type, 2) + Self.little(entry.count, 4)
            if entry.value.count <= 4 {
                table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                table += Self.little(first + values.count, 4)
                values += entry.value
                // Values begin on even bytes.
                if values.count % 2 == 1 { values.append(0) }
            }
        }
        return table + [0, 0, 0, 0] + values
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
