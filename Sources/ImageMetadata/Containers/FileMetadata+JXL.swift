internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads a JPEG XL: the codestream's own size and orientation, and the boxes around it.
    ///
    /// The orientation is the codestream's: EXIF's is not to be applied. Metadata that are packed with Brotli are
    /// left alone. Source: ISO/IEC 18181-1, annex D; 18181-2.
    mutating func readJXL(_ bytes: FileBytes) {
        if bytes.uint16(at: 0) == 0xFF0A { return readCodestream(JXLHeader(bytes)) }
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        var codestream: Range<Int>?
        while let box = boxes.next() {
            switch box.type {
            case BoxList.code("Exif"):
                guard let skipped = bytes.uint32(at: box.content.lowerBound), skipped <= box.content.count - 4
                else {
                    continue
                }
                readExif((box.content.lowerBound + 4 + skipped)..<box.content.upperBound, in: bytes)
            case BoxList.code("xml "): readXMP(bytes.extracting(box.content))
            case BoxList.code("jxlc"): codestream = codestream ?? box.content
            case BoxList.code("jxlp") where box.content.count > 4:
                codestream = codestream ?? (box.content.lowerBound + 4)..<box.content.upperBound
            default: break
            }
        }
        if let codestream { readCodestream(JXLHeader(bytes.extracting(codestream))) }
    }

    private mutating func readCodestream(_ header: JXLHeader?) {
        orientation = header?.orientation ?? .up
        storedSize = header?.size
    }
}

/// The first bits of a JPEG XL codestream.
private struct JXLHeader {
    /// Before it is turned.
    var size: PixelSize<StoredGrid>
    var orientation = Orientation.up

    init?(_ bytes: FileBytes) {
        guard bytes.uint16(at: 0) == 0xFF0A else { return nil }
        var bits = BitReader(bytes, at: 2)
        guard let size = Self.size(&bits) else { return nil }
        self.size = size
        // "All default" and "extra fields" come before the orientation.
        if bits.take(1) == 0, bits.take(1) == 1, let value = bits.take(3) {
            orientation = Orientation(exif: value + 1)
        }
    }

    private static func size(_ bits: inout BitReader) -> PixelSize<StoredGrid>? {
        guard let isSmall = bits.take(1), let height = side(&bits, isSmall == 1), let ratio = bits.take(3)
        else {
            return nil
        }
        if ratio > 0 {
            let (above, below) = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)][ratio - 1]
            return PixelSize(width: height * above / below, height: height)
        }
        return side(&bits, isSmall == 1).map { PixelSize(width: $0, height: height) }
    }

    private static func side(_ bits: inout BitReader, _ isSmall: Bool) -> Int? {
        if isSmall { return bits.take(5).map { ($0 + 1) * 8 } }
        guard let choice = bits.take(2) else { return nil }
        return bits.take([9, 13, 18, 30][choice]).map { $0 + 1 }
    }
}

/// Reads bits, the lowest of each byte first.
private struct BitReader {
    private let bytes: FileBytes
    /// The next byte to load.
    private var at: Int
    private var bits = 0
    private var count = 0

    init(_ bytes: FileBytes, at: Int) {
        self.bytes = bytes
        self.at = at
    }

    /// The next bits as a number, at most 32; nil where they are not there.
    mutating func take(_ wanted: Int) -> Int? {
        while count < wanted {
            guard let byte = bytes.uint8(at: at) else { return nil }
            bits |= byte << count
            count += 8
            at += 1
        }
        defer {
            bits >>= wanted
            count -= wanted
        }
        return bits & ((1 << wanted) - 1)
    }
}
