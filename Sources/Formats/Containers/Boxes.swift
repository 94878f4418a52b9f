internal import Basics
package import Files

/// One box of an ISO base media file: a type and a range of the file.
package struct Box: Equatable, Sendable {
    package let type: FourCC
    /// The whole box with its header, as far as it is in the range.
    package let whole: Range<Int>
    package let content: Range<Int>
    /// The length with the header that the box states, which may be more than there is.
    package let statedLength: Int

    /// Whether it has the brands of a file, which begins with it.
    package var hasBrands: Bool { type == "ftyp" }

    /// The start of the next box that may have brands, whatever is before it; nil without one before `end`.
    package static func firstBrands(in bytes: FileBytes, from start: Int, before end: Int) -> Int? {
        let piece = 1 << 16
        var at = start
        while at + 8 <= end {
            let part = bytes.extracting(at..<min(at + piece, end)).array
            if let found = part.firstIndex(of: "ftyp", from: 4) { return at + found - 4 }
            // A box may begin in the last bytes of a piece.
            at += max(1, part.count - 7)
        }
        return nil
    }

    /// Returns a whole box.
    package static func bytes(_ type: FourCC, _ contents: [UInt8]...) -> [UInt8] {
        let length = contents.reduce(8) { $0 + $1.count }
        return UInt32(truncatingIfNeeded: length).bytes(.big) + type.bytes + Array(contents.joined())
    }
}

/// The consecutive boxes in a range of a file.
///
/// Source: ISO/IEC 14496-12, section 4.2.
package struct BoxList {
    private let bytes: FileBytes
    private var at: Int
    private let end: Int

    package init(_ bytes: FileBytes, in range: Range<Int>) {
        self.bytes = bytes
        at = range.lowerBound
        end = min(range.upperBound, bytes.count)
    }

    /// Returns the next box; one that is longer than the range is cut.
    ///
    /// - Throws: `FileError` where the bytes cannot be read.
    package mutating func next() throws(FileError) -> Box? {
        guard at + 8 <= end, let short = bytes.uint32(at: at), let type = bytes.fourCC(at: at + 4) else {
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
        try bytes.check()
        guard start <= end, length >= start - at else { return nil }
        let stop = length < end - at ? at + length : end
        defer { at = stop }
        return Box(type: type, whole: at..<stop, content: start..<stop, statedLength: length)
    }

    /// Returns the contents of the first box of a type in a range; of several types, each is in the first one of the type
    /// before.
    package static func first(
        _ types: FourCC..., in range: Range<Int>, of bytes: FileBytes
    ) throws(FileError) -> Range<Int>? {
        var range = range
        types: for type in types {
            var boxes = BoxList(bytes, in: range)
            while let box = try boxes.next() {
                guard box.type == type else { continue }
                range = box.content
                continue types
            }
            return nil
        }
        return range
    }
}
