internal import Basics

/// One box of an ISO base media file: a type and a range of the file.
struct Box {
    /// Four characters.
    var type: Int
    var content: Range<Int>
}

/// The boxes that lie in a range of a file, one behind the other.
///
/// Source: ISO/IEC 14496-12, section 4.2.
struct BoxList {
    private let bytes: FileBytes
    private var at: Int
    private let end: Int

    init(_ bytes: FileBytes, in range: Range<Int>) {
        self.bytes = bytes
        at = range.lowerBound
        end = min(range.upperBound, bytes.count)
    }

    /// The next box; one that says to be longer than there is room is cut.
    mutating func next() -> Box? {
        guard at + 8 <= end, let short = bytes.uint32(at: at), let type = bytes.uint32(at: at + 4) else {
            return nil
        }
        var start = at + 8
        var length = short
        if short == 1 {
            guard let long = bytes.uint64(at: start) else { return nil }
            start += 8
            length = long
        } else if short == 0 {
            length = end - at
        }
        guard start <= end, length >= start - at else { return nil }
        let stop = length < end - at ? at + length : end
        defer { at = stop }
        return Box(type: type, content: start..<stop)
    }

    /// The content of the first box of a type, directly in a range.
    static func first(_ type: String, in range: Range<Int>, of bytes: FileBytes) -> Range<Int>? {
        var boxes = BoxList(bytes, in: range)
        while let box = boxes.next() {
            if box.type == code(type) { return box.content }
        }
        return nil
    }

    /// Four characters as a number.
    static func code(_ type: String) -> Int {
        type.unicodeScalars.reduce(0) { $0 << 8 | Int($1.value & 0xFF) }
    }
}
