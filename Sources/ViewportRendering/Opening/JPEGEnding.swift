internal import ImageMetadata

/// Whether a JPEG is whole: its picture ends with the end-of-image marker.
///
/// A decoder that stops at the last row it needs never notices a missing end, and one that runs into it paints
/// gray; so the marker is looked for first. Source: ITU T.81, annex B.
enum JPEGEnding {
    /// Whether an end marker follows the start of the first scan.
    ///
    /// Inside entropy-coded data FF D9 cannot stand, so one that is found ends a picture. True for everything
    /// that is no JPEG: other checks speak for those.
    static func isWhole(_ bytes: FileBytes) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return true }
        guard let start = startOfScan(bytes) else { return false }
        // Cameras append maps, previews and films; the last marker is most often near the end.
        var at = bytes.count - 2
        while at >= start {
            if bytes[at] == 0xFF, bytes[at + 1] == 0xD9 { return true }
            at -= 1
        }
        return false
    }

    /// A JPEG with an end marker behind what is there.
    static func ended(_ bytes: [UInt8]) -> [UInt8] { bytes + [0xFF, 0xD9] }

    /// Where the entropy-coded data of the first scan begins; nil where the headers end before it.
    private static func startOfScan(_ bytes: FileBytes) -> Int? {
        var at = 2
        while at + 4 <= bytes.count {
            let marker = bytes[at + 1]
            switch (bytes[at], marker) {
            case (0xFF, 0xFF): at += 1
            case (0xFF, 0x00), (0xFF, 0x01), (0xFF, 0xD0...0xD8): at += 2
            case (0xFF, _):
                let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
                if marker == 0xDA { return end }
                at = end
            default: at += 1
            }
        }
        return nil
    }
}
