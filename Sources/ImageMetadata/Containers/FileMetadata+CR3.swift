internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads Canon's CR3: boxes, and in one of them a TIFF block for each of EXIF's directories.
    ///
    /// Source: ExifTool's tag names of Canon; Laurent Clévy, Describing the Canon Raw v3 format.
    mutating func readCR3(_ bytes: FileBytes) {
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        while let box = boxes.next() {
            if box.type == BoxList.code("uuid") { readUUID(box.content, in: bytes) }
            guard box.type == BoxList.code("moov"),
                let canon = BoxList.first("uuid", in: box.content, of: bytes),
                bytes.bits(8, at: canon.lowerBound) == 0x85C0_B687_820F_11E0
            else { continue }
            readCanon((canon.lowerBound + 16)..<max(canon.lowerBound + 16, canon.upperBound), in: bytes)
        }
    }

    private mutating func readCanon(_ range: Range<Int>, in bytes: FileBytes) {
        var exif = Exif()
        var boxes = BoxList(bytes, in: range)
        while let box = boxes.next() {
            guard let block = TIFFBlock(bytes.extracting(box.content)), let main = block.main else {
                continue
            }
            switch box.type {
            case BoxList.code("CMT1"):
                exif = Exif(block, main)
                if let width = main.int(0x0100), let height = main.int(0x0101) {
                    storedSize = PixelSize(width: width, height: height)
                }
            case BoxList.code("CMT2"): exif.read(details: main)
            case BoxList.code("CMT4"): exif.read(gps: main)
            default: break
            }
        }
        add(exif)
    }
}
