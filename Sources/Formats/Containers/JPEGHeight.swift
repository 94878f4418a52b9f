internal import Basics

/// The height of a JPEG that its frame does not state, but the marker DNL behind the first scan.
///
/// Source: ITU-T T.81, B.2.5.
package enum JPEGHeight {
    /// Returns where the height of a frame is, if it is 0; nil also for other files.
    package static func missing(in bytes: FileBytes) -> Int? {
        guard FileType(bytes) == .jpeg else { return nil }
        var segments = JPEGSegments(bytes)
        while let segment = (try? segments.next()) ?? nil, !segment.endsHeader {
            guard segment.isFrame else { continue }
            let place = segment.body.lowerBound + 1
            return bytes.uint16(at: place) == 0 ? place : nil
        }
        return nil
    }

    /// Returns the two bytes of the height in the marker that ends the first scan.
    ///
    /// - Parameter place: where the height in the frame is.
    package static func late(in bytes: [UInt8], from place: Int) -> ArraySlice<UInt8>? {
        var at = place
        while at + 3 < bytes.count, bytes[at] != 0xFF || bytes[at + 1] != 0xDA { at += 1 }
        at += 2
        // In the data of the scan, bytes of 255 are followed by 0 or are restart markers.
        while at + 5 < bytes.count {
            let isMarker =
                bytes[at] == 0xFF && bytes[at + 1] != 0 && bytes[at + 1] != 0xFF
                && !(0xD0...0xD7).contains(bytes[at + 1])
            guard isMarker else {
                at += 1
                continue
            }
            let isLate = bytes[at + 1] == 0xDC && bytes[at + 2] == 0 && bytes[at + 3] == 4
            return isLate && (bytes[at + 4] > 0 || bytes[at + 5] > 0) ? bytes[(at + 4)..<(at + 6)] : nil
        }
        return nil
    }
}
