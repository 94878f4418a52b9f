internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the boxes of a JPEG 2000 file, or the header of a bare codestream.
    ///
    /// Source: ITU-T T.800, annexes A and I.
    mutating func readJP2(_ bytes: FileBytes) throws(FileError) {
        if bytes.isCodestream {
            guard let right = bytes.uint32(at: 8), let bottom = bytes.uint32(at: 12),
                let left = bytes.uint32(at: 16),
                let top = bytes.uint32(at: 20), right > left, bottom > top
            else { return }
            storedSize = PixelSize(width: right - left, height: bottom - top)
            return
        }
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        while let box = try boxes.next() {
            switch box.type {
            case "jp2h":
                guard let start = try BoxList.first("ihdr", in: box.content, of: bytes)?.lowerBound,
                    let height = bytes.uint32(at: start), let width = bytes.uint32(at: start + 4)
                else { continue }
                storedSize = PixelSize(width: width, height: height)
                guard let stated = try BoxList.first("res ", in: box.content, of: bytes) else { continue }
                var place = try BoxList.first("resc", in: stated, of: bytes)
                if place == nil { place = try BoxList.first("resd", in: stated, of: bytes) }
                resolution = place.flatMap { Resolution(jp2: bytes.extracting($0)) }
            case "uuid": readUUID(box.content, in: bytes)
            default: break
            }
        }
    }
}

extension FileMetadata {
    /// Reads a JPEG XL: the codestream's size and orientation, and the boxes around it.
    ///
    /// The orientation is the codestream's; EXIF's must not be applied.
    /// Source: ISO/IEC 18181-1, annex D; 18181-2.
    mutating func readJXL(_ bytes: FileBytes) throws(FileError) {
        if bytes.isCodestream { return readCodestream(JXLHeader(bytes)) }
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        var codestream: Range<Int>?
        while let box = try boxes.next() {
            switch box.type {
            case "Exif", "xml ": readJXL(box.type, box.content, in: bytes)
            // Compressed, behind the type of the box that it was.
            case "brob":
                guard box.content.count > 4, let type = bytes.fourCC(at: box.content.lowerBound),
                    ["Exif", "xml "].contains(type),
                    let content = Brotli.inflated(
                        bytes.extracting((box.content.lowerBound + 4)..<box.content.upperBound),
                        limit: 1 << 24)
                else { continue }
                readJXL(type, content.indices, in: FileBytes(content))
            case "jxlc": codestream = codestream ?? box.content
            case "jxlp" where box.content.count > 4:
                codestream = codestream ?? (box.content.lowerBound + 4)..<box.content.upperBound
            default: break
            }
        }
        if let codestream { readCodestream(JXLHeader(bytes.extracting(codestream))) }
    }

    /// Reads the content of a box of metadata.
    private mutating func readJXL(_ type: FourCC, _ content: Range<Int>, in bytes: FileBytes) {
        guard type == "Exif" else { return readXMP(bytes.extracting(content)) }
        guard let skipped = bytes.uint32(at: content.lowerBound), skipped <= content.count - 4 else { return }
        readExif((content.lowerBound + 4 + skipped)..<content.upperBound, in: bytes)
    }

    private mutating func readCodestream(_ header: JXLHeader?) {
        orientation = header?.orientation ?? .up
        storedSize = header?.size
    }
}
