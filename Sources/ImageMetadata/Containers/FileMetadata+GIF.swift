internal import Basics
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
                // Behind the descriptor and its colors stands the size of the codes.
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

    /// Where a row of blocks, each with its length before it, ends with one of length 0.
    private static func end(ofBlocks start: Int, in bytes: FileBytes) -> Int {
        var at = start
        while let length = bytes.uint8(at: at), length > 0 { at += 1 + length }
        return at + 1
    }

    /// The packet is no row of blocks but plain text, which ends where a trailer sends the walk of blocks on.
    private mutating func readXMPExtension(_ start: Int, in bytes: FileBytes) {
        let end = Self.end(ofBlocks: start, in: bytes)
        guard start < end, end <= bytes.count else { return }
        readXMP(bytes.extracting(start..<end))
    }
}
