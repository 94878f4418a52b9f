internal import Containers
internal import ImageMetadata

/// Gain maps that are copied as they are stored.
package enum CopiedGainMap {
    /// Returns a JPEG with the gain map of another file with the same stored pixels, which is not decoded; nil where the
    /// map cannot be copied.
    ///
    /// Of the map's metadata, only its numbers and its profile are copied, which have no position.
    package static func add(of file: [UInt8], to jpeg: [UInt8]) -> [UInt8]? {
        guard let map = GainMap(FileBytes(file)), case .jpeg(let range) = map.place, map.defect == nil,
            let values = map.values
        else { return nil }
        var copy = JPEGFile(Array(file[range]))
        copy.segments.removeAll { !isHarmless($0) }
        guard map.kind == .apple else {
            UltraHDRFile.complete(&copy, values)
            return UltraHDRFile(picture: jpeg, mapFile: copy.bytes, isAnnounced: true).bytes
        }
        let joined = UltraHDRFile(picture: jpeg, mapFile: copy.bytes, isAnnounced: false).bytes
        // Older maps have their headroom in the maker note of the picture, which is not there any more.
        return GainMap(FileBytes(joined))?.values == values ? joined : nil
    }

    /// Whether a segment of a map is copied: tables and frames, colors, and XMP of the map alone.
    private static func isHarmless(_ segment: JPEGFile.Segment) -> Bool {
        switch segment.marker {
        case 0xE0, 0xEE: true
        case 0xE2: !segment.begins(with: "MPF\0")
        case 0xE1:
            segment.isXMP
                && !["GPS", "geo:", "Location", "City"].contains { word in
                    String(decoding: segment.body, as: UTF8.self).contains(word)
                }
        case 0xE3...0xEF, 0xFE: false
        default: true
        }
    }
}
