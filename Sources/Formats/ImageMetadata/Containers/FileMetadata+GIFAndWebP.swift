internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the screen, the frames and the XMP of a GIF.
    ///
    /// Source: GIF89a specification; XMP part 3 for its packet in an application extension.
    mutating func readGIF(_ bytes: FileBytes) {
        guard let width = bytes.uint16(at: 6, .little), let height = bytes.uint16(at: 8, .little),
            let flags = bytes.uint8(at: 10)
        else { return }
        storedSize = PixelSize(width: width, height: height)
        var at = 13 + Self.colorTable(flags)
        var pictures = 0
        var hundredths = 0
        while let kind = bytes.uint8(at: at) {
            switch kind {
            case 0x2C:
                guard let flags = bytes.uint8(at: at + 9) else { return }
                pictures += 1
                // The code size follows the descriptor and its color table.
                at = Self.end(ofBlocks: at + 11 + Self.colorTable(flags), in: bytes)
            case 0x21:
                if bytes.uint16(at: at + 1) == 0xF904 { hundredths += bytes.uint16(at: at + 4, .little) ?? 0 }
                if bytes.has("XMP DataXMP", at: at + 3) { readXMPExtension(at + 14, in: bytes) }
                at = Self.end(ofBlocks: at + 2, in: bytes)
            default:
                at = bytes.count
            }
            frames = max(1, pictures)
            duration = pictures > 1 && hundredths > 0 ? Double(hundredths) / 100 : nil
        }
    }

    private static func colorTable(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }

    /// The end of a sequence of length-prefixed blocks, after the one of length 0.
    private static func end(ofBlocks start: Int, in bytes: FileBytes) -> Int {
        var at = start
        while let length = bytes.uint8(at: at), length > 0 { at += 1 + length }
        return at + 1
    }

    /// The packet is not in blocks but plain text, up to a trailer that readers of blocks can skip.
    private mutating func readXMPExtension(_ start: Int, in bytes: FileBytes) {
        let end = Self.end(ofBlocks: start, in: bytes)
        guard start < end, end <= bytes.count else { return }
        readXMP(bytes.extracting(start..<end))
    }
}

extension FileMetadata {
    /// Reads the chunks of a WebP.
    ///
    /// Source: RFC 9649.
    mutating func readWebP(_ bytes: FileBytes) throws(FileError) {
        var chunks = RIFFChunks(bytes)
        var pictures = 0
        var milliseconds = 0
        while let chunk = try chunks.next() {
            let body = bytes.extracting(chunk.body)
            switch chunk.type {
            case "VP8X", "VP8", "VP8L": storedSize = storedSize ?? Self.webpSize(chunk.type, body)
            case "ANMF":
                pictures += 1
                milliseconds += body.uint24(at: 12, .little) ?? 0
                frames = pictures
                duration = milliseconds > 0 ? Double(milliseconds) / 1000 : nil
            case "EXIF": readExif(chunk.body, in: bytes)
            case "XMP": readXMP(body)
            default: break
            }
        }
    }

    private static func webpSize(_ type: FourCC, _ body: FileBytes) -> PixelSize<StoredGrid>? {
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

extension FileMetadata {
    /// Reads the size of a bitmap; a negative height means rows from the top.
    ///
    /// Source: Microsoft, BITMAPCOREHEADER and BITMAPINFOHEADER.
    mutating func readBMP(_ bytes: FileBytes) {
        if bytes.uint32(at: 14, .little) == 12 {
            guard let width = bytes.uint16(at: 18, .little), let height = bytes.uint16(at: 20, .little) else {
                return
            }
            storedSize = PixelSize(width: width, height: height)
        } else {
            guard let width = bytes.int32(at: 18, .little), let height = bytes.int32(at: 22, .little) else {
                return
            }
            storedSize = PixelSize(width: abs(width), height: abs(height))
        }
    }
}
