internal import Basics

/// The four characters that name a box, an item, a reference or a brand of an ISO base media file.
package struct BoxType: Hashable, Sendable {
    /// The four characters as a big-endian number.
    package let code: UInt32

    package init(code: UInt32) {
        self.code = code
    }
}

extension BoxType: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral text: StaticString) {
        self.init("\(text)")
    }

    /// Creates the type of a text; characters after the fourth one are ignored, and missing ones are spaces.
    package init(_ text: String) {
        let characters = text.unicodeScalars.map { UInt32($0.value & 0xFF) } + [0x20, 0x20, 0x20, 0x20]
        self.init(code: characters.prefix(4).reduce(0) { $0 << 8 | $1 })
    }

    /// The four bytes.
    package var bytes: [UInt8] { code.bytes(.big) }

    package var description: String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
}

/// One box of an ISO base media file: a type and a range of the file.
struct Box {
    var type: BoxType
    /// The whole box with its header.
    var whole: Range<Int>
    var content: Range<Int>
}

/// The consecutive boxes in a range of a file.
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

    /// The next box; one that is longer than the range is cut.
    mutating func next() -> Box? {
        guard at + 8 <= end, let short = bytes.uint32(at: at), let type = bytes.boxType(at: at + 4) else {
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
        return Box(type: type, whole: at..<stop, content: start..<stop)
    }

    /// The contents of the first box of a type, directly in a range.
    static func first(_ type: BoxType, in range: Range<Int>, of bytes: FileBytes) -> Range<Int>? {
        var boxes = BoxList(bytes, in: range)
        while let box = boxes.next() {
            if box.type == type { return box.content }
        }
        return nil
    }
}

extension FileBytes {
    func boxType(at offset: Int) -> BoxType? {
        bits(4, at: offset).map { BoxType(code: UInt32(truncatingIfNeeded: $0)) }
    }
}
