internal import Basics
package import Files

/// A marker of a JPEG and the contents of its segment.
///
/// Source: ITU-T T.81, annex B.
package struct JPEGSegment: Equatable, Sendable {
    /// The second byte of the marker: 0xE1 is APP1.
    package let marker: UInt8
    /// The position of the marker's first byte.
    package let start: Int
    /// The stated end, which is past the end of a file that is cut off.
    package let end: Int
    /// The contents after the length, as far as they exist; empty for markers without a segment.
    package let body: Range<Int>

    /// Whether it ends the header: the start of a scan, or the end of the image.
    package var endsHeader: Bool { marker == 0xDA || marker == 0xD9 }

    /// Whether it is a frame header.
    package var isFrame: Bool { Self.isFrame(marker) }

    package static func isFrame(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Whether it is metadata: application data or a comment.
    package var isMetadata: Bool { isApplication || marker == Self.comment }

    package var isApplication: Bool { (0xE0...0xEF).contains(marker) }

    package static let comment: UInt8 = 0xFE

    /// The bytes that begin a JPEG, and those that end it.
    package static var startOfImage: [UInt8] { [0xFF, 0xD8] }
    package static var endOfImage: [UInt8] { [0xFF, 0xD9] }

    /// The most bytes of a segment's contents.
    package static let longestBody = 65533

    /// Returns a whole segment.
    ///
    /// - Precondition: `body` has at most `longestBody` bytes.
    package static func bytes(_ marker: UInt8, _ body: some Collection<UInt8>) -> [UInt8] {
        let length = body.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
    }
}

/// Walks over the segments of a JPEG.
package struct JPEGSegments<Bytes: ContainerBytes> {
    /// What to do with bytes between segments.
    package enum Gaps {
        /// They are passed, as decoders do.
        case passed
        /// They end the walk.
        case refused
    }

    /// Why there is no further segment.
    package enum End: Sendable {
        /// The bytes end.
        case missing
        /// There is no marker where one should be.
        case noMarker
        /// The segment's length is impossible.
        case length
    }

    @usableFromInline let bytes: Bytes
    private let gaps: Gaps
    private var ahead = ChainAhead(head: 160)
    /// Where the next marker is expected.
    @usableFromInline package internal(set) var position: Int
    /// Why there is no further segment; nil before that.
    package private(set) var end: End?

    /// - Parameter position: Where the first marker is expected: after that of the image's start.
    package init(_ bytes: Bytes, at position: Int = 2, gaps: Gaps = .passed) {
        (self.bytes, self.position, self.gaps) = (bytes, position, gaps)
    }

    /// Returns the next marker with its segment; nil where `end` says why there is none.
    ///
    /// - Throws: `FileError` where the bytes cannot be read.
    package mutating func next() throws(FileError) -> JPEGSegment? {
        ahead.visit(position, in: bytes)
        guard let marker = nextMarker() else {
            try bytes.check()
            return nil
        }
        let start = position - 2
        switch marker {
        case 0x01, 0xD0...0xD9:
            try bytes.check()
            return JPEGSegment(marker: marker, start: start, end: position, body: position..<position)
        default: break
        }
        let length = bytes.uint16(at: position)
        try bytes.check()
        guard let length else { return stop(.missing) }
        guard length >= 2 else { return stop(.length) }
        let body = (position + 2)..<(position + length)
        position = body.upperBound
        return JPEGSegment(
            marker: marker, start: start, end: position, body: body.clamped(to: 0..<bytes.count))
    }

    /// Passes the entropy-coded data after the start of a scan; returns its range.
    ///
    /// Ends at a marker that is no restart. Inlinable, because it reads whole files byte by byte.
    @inlinable
    package mutating func passData() throws(FileError) -> Range<Int> {
        let start = min(position, bytes.count)
        var at = start
        while at + 1 < bytes.count {
            if bytes[at] == 0xFF, bytes[at + 1] >= 0xC0, bytes[at + 1] != 0xFF,
                !(0xD0...0xD8).contains(bytes[at + 1])
            {
                break
            }
            at += 1
        }
        if at + 1 >= bytes.count { at = bytes.count }
        try bytes.check()
        position = at
        return start..<at
    }

    private mutating func stop(_ reason: End) -> JPEGSegment? {
        end = reason
        return nil
    }

    /// Passes the next marker; returns its second byte.
    private mutating func nextMarker() -> UInt8? {
        while true {
            if gaps == .passed {
                while position < bytes.count, bytes[position] != 0xFF { position += 1 }
            }
            guard position < bytes.count else {
                end = .missing
                return nil
            }
            guard bytes[position] == 0xFF else {
                end = .noMarker
                return nil
            }
            while position < bytes.count, bytes[position] == 0xFF { position += 1 }
            guard position < bytes.count else {
                end = .missing
                return nil
            }
            let marker = bytes[position]
            position += 1
            // A byte of data that has the value of a marker's first byte.
            if marker != 0 || gaps == .refused { return marker }
        }
    }
}
