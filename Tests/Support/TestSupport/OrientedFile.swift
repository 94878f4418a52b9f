internal import Foundation
package import ViewportGeometry
package import Vips

extension VipsImage {
    /// Writes a file with an EXIF orientation.
    package func save(
        _ path: String, oriented orientation: Orientation, _ arguments: [String: VipsArgument] = [:]
    ) throws {
        let savers = ["jpg": "jpegsave", "png": "pngsave", "tif": "tiffsave", "webp": "webpsave"]
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        try withOrientation(orientation).save(path, with: savers[ending] ?? "", arguments)
        guard ending == "png" else { return }
        // libvips' PNG writer omits the orientation, so an eXIf chunk is inserted after IHDR.
        var file = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let value = UInt8(orientation.rawValue)
        let exif: [UInt8] =
            [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1] + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0] + [
                0, 0, 0, 0,
            ]
        let body = Array("eXIf".utf8) + exif
        file.insert(contentsOf: bigEndian(UInt32(exif.count)) + body + bigEndian(crc32(body)), at: 33)
        try Data(file).write(to: URL(fileURLWithPath: path))
    }
}

private func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
}

/// Returns the checksum of a PNG chunk.
///
/// Source: PNG (third edition), annex D.
package func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { crc, byte in
        (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }
}
