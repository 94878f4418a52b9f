internal import Basics
internal import Containers

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

    /// The tags that say how to decode tiles.
    ///
    /// Source: TIFF 6.0; Adobe's Photoshop TIFF technical notes (new JPEG compression, 7).
    var entries: [TIFFValue] {
        var entries = [
            TIFFValue(tag: 258, type: 3, [Int](repeating: 8, count: bands), .little),
            TIFFValue(tag: 277, type: 3, [bands], .little), TIFFValue(tag: 284, type: 3, [1], .little),
        ]
        if hasAlpha { entries.append(TIFFValue(tag: 338, type: 3, [2], .little)) }
        switch coding {
        case .deflate:
            entries.append(TIFFValue(tag: 259, type: 3, [8], .little))
            entries.append(TIFFValue(tag: 262, type: 3, [bands < 3 ? 1 : 2], .little))
            entries.append(TIFFValue(tag: 317, type: 3, [2], .little))
        case .jpeg(let tables, let sampling, let isRGB):
            entries.append(TIFFValue(tag: 259, type: 3, [7], .little))
            entries.append(TIFFValue(tag: 262, type: 3, [bands < 3 ? 1 : isRGB ? 2 : 6], .little))
            entries.append(TIFFValue(tag: 347, type: 7, count: tables.count, bytes: tables))
            guard bands == 3, !isRGB else { break }
            entries.append(TIFFValue(tag: 530, type: 3, [sampling.across, sampling.down], .little))
            // Full range; without it readers may assume the levels of video.
            let reference = [0, 255, 128, 255, 128, 255].flatMap { [$0, 1] }
            entries.append(TIFFValue(tag: 532, type: 5, reference, .little))
        }
        return entries
    }
}
