internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the chunks of a WebP.
    ///
    /// Source: RFC 9649.
    mutating func readWebP(_ bytes: FileBytes) {
        var at = 12
        var pictures = 0
        var milliseconds = 0
        while let type = bytes.slice(at, 4)?.text, let length = bytes.uint32(at: at + 4, .little) {
            let range = (at + 8)..<min(at + 8 + length, bytes.count)
            guard let body = bytes.slice(range) else { return }
            switch type {
            case "VP8X", "VP8", "VP8L": storedSize = storedSize ?? Self.webpSize(type, body)
            case "ANMF":
                pictures += 1
                milliseconds += body.uint24(at: 12, .little) ?? 0
                frames = pictures
                duration = milliseconds > 0 ? Double(milliseconds) / 1000 : nil
            case "EXIF": readExif(range, in: bytes)
            case "XMP": readXMP(body)
            default: break
            }
            at += 8 + length + length % 2
        }
    }

    private static func webpSize(_ type: String, _ body: FileBytes) -> PixelSize<StoredGrid>? {
        switch type {
        case "VP8X":
            guard let width = body.uint24(at: 4, .little), let height = body.uint24(at: 7, .little) else {
                return nil
            }
            return PixelSize(width: width + 1, height: height + 1)
        case "VP8L":
            guard body.uint8(at: 0) == 0x2F, let sides = body.uint32(at: 1, .little) else { return nil }
            return PixelSize(width: sides & 0x3FFF + 1, height: sides >> 14 & 0x3FFF + 1)
        default:
            guard body.uint24(at: 3) == 0x9D012A, let width = body.uint16(at: 6, .little),
                let height = body.uint16(at: 8, .little)
            else { return nil }
            return PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
        }
    }
}
