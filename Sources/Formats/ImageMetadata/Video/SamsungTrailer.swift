internal import Basics
internal import Containers

/// Records that Samsung's phones append to pictures; the list of them ends with "SEFT" and refers backwards.
///
/// Source: ExifTool's tag names of Samsung.
struct SamsungTrailer {
    /// Where the first record begins, or else the list.
    private(set) var start: Int
    private(set) var statements: [FilmStatement] = []

    /// Reads the trailer at the end of a file; nil without one.
    init?(_ bytes: FileBytes) {
        guard bytes.has("SEFT", at: bytes.count - 4),
            let length = bytes.uint32(at: bytes.count - 8, .little), length >= 12,
            bytes.contains(length, at: bytes.count - 8 - length)
        else { return nil }
        let head = bytes.count - 8 - length
        guard bytes.has("SEFH", at: head), let count = bytes.uint32(at: head + 8, .little) else {
            return nil
        }
        start = head
        for number in 0..<min(count, (length - 12) / 12) {
            let entry = head + 12 + 12 * number
            guard let type = bytes.uint16(at: entry + 2, .little),
                let back = bytes.uint32(at: entry + 4, .little),
                let size = bytes.uint32(at: entry + 8, .little)
            else { continue }
            if back <= head { start = min(start, head - back) }
            if type == 0x0A30 { add(head - back, size, bytes) }
        }
    }

    /// Adds the record of a film: the film itself, or its position elsewhere in the file.
    private mutating func add(_ record: Int, _ size: Int, _ bytes: FileBytes) {
        guard let name = bytes.uint32(at: record + 4, .little), name <= 256,
            bytes.has("MotionPhoto_Data", at: record + 8)
        else {
            statements.append(FilmStatement(kind: .samsung, offset: record, length: size))
            return
        }
        let data = record + 8 + name
        if bytes.has("mpv2", at: data), let offset = bytes.uint32(at: data + 4),
            let length = bytes.uint32(at: data + 8)
        {
            statements.append(FilmStatement(kind: .samsung, offset: offset, length: length))
        } else {
            statements.append(FilmStatement(kind: .samsung, offset: data, length: size - 8 - name))
        }
    }
}
