internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the boxes of a JPEG 2000 file, or the header of a bare codestream.
    ///
    /// Source: ITU-T T.800, annexes A and I.
    mutating func readJP2(_ bytes: FileBytes) {
        if bytes.uint32(at: 0) == 0xFF4F_FF51 {
            guard let right = bytes.uint32(at: 8), let bottom = bytes.uint32(at: 12),
                let left = bytes.uint32(at: 16),
                let top = bytes.uint32(at: 20), right > left, bottom > top
            else { return }
            storedSize = PixelSize(width: right - left, height: bottom - top)
            return
        }
        var boxes = BoxList(bytes, in: 0..<bytes.count)
        while let box = boxes.next() {
            switch box.type {
            case BoxList.code("jp2h"):
                guard let start = BoxList.first("ihdr", in: box.content, of: bytes)?.lowerBound,
                    let height = bytes.uint32(at: start), let width = bytes.uint32(at: start + 4)
                else { continue }
                storedSize = PixelSize(width: width, height: height)
            case BoxList.code("uuid"): readUUID(box.content, in: bytes)
            default: break
            }
        }
    }
}
