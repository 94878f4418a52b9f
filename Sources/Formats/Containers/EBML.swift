internal import Basics

/// An element of an EBML file; if it is incomplete, the file ends in it or its length is unknown.
package struct EBMLElement {
    package var type: Int
    package var content: Range<Int>
    package var isWhole: Bool
    /// The number of its bytes that are behind the end; nil where there are none, or where its length is unknown.
    package var missing: Int?
}

/// The consecutive elements in a range of an EBML file.
package struct EBMLList {
    private let bytes: FileBytes
    private var at: Int
    private let end: Int

    package init(_ bytes: FileBytes, in range: Range<Int>) {
        self.bytes = bytes
        at = range.lowerBound
        end = min(range.upperBound, bytes.count)
    }

    /// The next element; one of unknown length extends to the end.
    package mutating func next() -> EBMLElement? {
        guard at < end, let type = variable(keepsMarker: true), let length = variable(keepsMarker: false)
        else {
            return nil
        }
        guard at <= end else { return nil }
        let isWhole = !length.isUnknown && length.value <= end - at
        let content = at..<(isWhole ? at + length.value : end)
        at = content.upperBound
        let missing = isWhole || length.isUnknown ? nil : length.value - content.count
        return EBMLElement(type: type.value, content: content, isWhole: isWhole, missing: missing)
    }

    /// A number whose length is given by the leading zeros of its first byte.
    private mutating func variable(keepsMarker: Bool) -> (value: Int, isUnknown: Bool)? {
        guard let first = bytes.uint8(at: at), first > 0 else { return nil }
        let length = UInt8(first).leadingZeroBitCount + 1
        guard let number = bytes.unsigned(length, at: at) else { return nil }
        at += length
        let marker = 1 << (7 * length)
        return keepsMarker ? (number, false) : (number & (marker - 1), number & (marker - 1) == marker - 1)
    }
}

/// Matroska and WebM films.
package enum MatroskaFile {
    /// Returns where the size of the segment of a Matroska or WebM film is, and its bytes for so many more in the segment; nil
    /// where it does not extend to the end of the file, or its size is unknown.
    ///
    /// Source: RFC 9559, 4.5 and 5.1: what belongs to a film is in its one segment. RFC 8794, 4: sizes.
    package static func segmentSize(of file: FileBytes, with more: Int) -> (place: Int, bytes: [UInt8])? {
        var elements = EBMLList(file, in: 0..<file.count)
        guard let head = elements.next(), head.type == 0x1A45_DFA3, let segment = elements.next(),
            segment.type == 0x1853_8067, segment.isWhole, segment.content.upperBound == file.count
        else { return nil }
        let place = head.content.upperBound + 4
        let length = segment.content.lowerBound - place
        let size = segment.content.count + more
        // All ones are an unknown size.
        guard (1...8).contains(length), size < 1 << (7 * length) - 1 else { return nil }
        let number = UInt64(size) | 1 << UInt64(7 * length)
        return (
            place, (0..<length).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (length - 1 - $0))) }
        )
    }
}
