/// A JPEG whose metadata is changed: the segments that precede its tables and pixels, and the rest.
package struct JPEGFile {
    package struct Segment {
        package var marker: UInt8
        package var body: [UInt8]

        package init(marker: UInt8, body: [UInt8]) { (self.marker, self.body) = (marker, body) }

        package func begins(with name: String) -> Bool { body.starts(with: name.utf8) }
    }

    /// The application segments and comments.
    package var segments: [Segment] = []
    private let rest: [UInt8]

    /// - Precondition: `file` begins with the start-of-image marker.
    package init(_ file: [UInt8]) {
        var end = 2
        segments = Self.read(file, isWhole: false, end: &end)
        rest = Array(file[end...])
    }

    /// Reads the application segments and comments that precede the pixels of a JPEG, without the rest.
    package init(head: [UInt8]) {
        var end = 2
        segments = Self.read(head, isWhole: true, end: &end)
        rest = []
    }

    /// - Parameter isWhole: whether other segments are skipped; otherwise the first of them ends the list.
    private static func read(_ file: [UInt8], isWhole: Bool, end: inout Int) -> [Segment] {
        var segments: [Segment] = []
        var walk = JPEGSegments(file, gaps: .refused)
        // Bytes in memory can always be read.
        while let segment = (try? walk.next()) ?? nil, !segment.endsHeader, segment.end <= file.count,
            segment.isMetadata || isWhole
        {
            if segment.isMetadata {
                segments.append(Segment(marker: segment.marker, body: Array(file[segment.body])))
            }
            end = segment.end
        }
        return segments
    }

    /// The file with the current segments; segments that are too long are left out.
    package var bytes: [UInt8] {
        var file = JPEGSegment.startOfImage
        for segment in segments where segment.body.count <= JPEGSegment.longestBody {
            file += JPEGSegment.bytes(segment.marker, segment.body)
        }
        return file + rest
    }

    /// Inserts segments after the JFIF segment.
    package mutating func insert(_ added: [Segment]) {
        let place = segments.prefix { $0.marker == 0xE0 }.count
        segments.insert(contentsOf: added, at: place)
    }
}

extension JPEGSegment {
    /// Returns the position of the last marker of the image's end from a position on; nil if there is none.
    ///
    /// The marker cannot occur in entropy-coded data. The search begins at the end, near which it is in most files.
    package static func lastEnd(in bytes: FileBytes, from start: Int) -> Int? {
        var at = bytes.count - 2
        // Of a remote file, more is requested each time: films and maps of depths that follow may be long.
        var (announced, step) = (bytes.count & ~(FileBytes.remotePageSize - 1), 1 << 14)
        while at >= start {
            if bytes.isRemote, at < announced {
                announced = max(0, announced - step)
                bytes.expect([announced..<(at + 1)])
                step *= 4
            }
            if bytes[at] == 0xFF, bytes[at + 1] == 0xD9 { return at }
            at -= 1
        }
        return nil
    }
    /// Whether the bytes before a position are the end of a JPEG, and at most 4 kB of filling.
    package static func isImageEnd(_ end: Int, in bytes: FileBytes) -> Bool {
        // Some cameras fill the last block of the file.
        let first = max(2, end - (1 << 12))
        var end = end
        while end > first, bytes[end - 1] == 0 || bytes[end - 1] == 0xFF { end -= 1 }
        return end < 2 || bytes[end - 2] == 0xFF && bytes[end - 1] == 0xD9
    }
}
