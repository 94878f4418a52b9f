internal import JPEGCoding
internal import JPEGIndexing
internal import ViewportRendering

/// How the tiles of one level of a TIFF are stored.
struct TIFFTileFormat: Sendable {
    /// The samples of a pixel.
    var bands: Int
    var hasAlpha = false
    /// The kind of the tiles.
    var coding: Coding

    enum Coding: Sendable {
        /// Differences of neighboring samples, deflated.
        case deflate
        /// JPEGs that share `tables`; chroma has one sample for `sampling` pixels.
        case jpeg(tables: [UInt8], sampling: (across: Int, down: Int), isRGB: Bool)
    }

    /// A tag of a directory with its values.
    struct Entry {
        let tag: Int
        let type: Int
        let values: [Int]

        /// Bytes of data, SHORT, LONG, the two halves of RATIONAL, and BigTIFF's LONG8.
        var width: Int { [7: 1, 3: 2, 4: 4, 5: 4, 16: 8][type] ?? 1 }
        /// The number of values, as the type counts them.
        var count: Int { type == 5 ? values.count / 2 : values.count }
    }

    /// The tags that say how to decode tiles.
    ///
    /// Source: TIFF 6.0; Adobe's Photoshop TIFF technical notes (new JPEG compression, 7).
    var entries: [Entry] {
        var entries = [
            Entry(tag: 258, type: 3, values: [Int](repeating: 8, count: bands)),
            Entry(tag: 277, type: 3, values: [bands]), Entry(tag: 284, type: 3, values: [1]),
        ]
        if hasAlpha { entries.append(Entry(tag: 338, type: 3, values: [2])) }
        switch coding {
        case .deflate:
            entries.append(Entry(tag: 259, type: 3, values: [8]))
            entries.append(Entry(tag: 262, type: 3, values: [bands < 3 ? 1 : 2]))
            entries.append(Entry(tag: 317, type: 3, values: [2]))
        case .jpeg(let tables, let sampling, let isRGB):
            entries.append(Entry(tag: 259, type: 3, values: [7]))
            entries.append(Entry(tag: 262, type: 3, values: [bands < 3 ? 1 : isRGB ? 2 : 6]))
            entries.append(Entry(tag: 347, type: 7, values: tables.map(Int.init)))
            guard bands == 3, !isRGB else { break }
            entries.append(Entry(tag: 530, type: 3, values: [sampling.across, sampling.down]))
            // Full range; without it readers may assume the levels of video.
            let reference = [0, 255, 128, 255, 128, 255].flatMap { [$0, 1] }
            entries.append(Entry(tag: 532, type: 5, values: reference))
        }
        return entries
    }
}
