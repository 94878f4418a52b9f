/// Builds TIFFs with several gray images.
package enum PageMaker {
    /// Returns the directory of an image whose samples are a blob of its area.
    ///
    /// - Parameter kind: Its NewSubfileType: 2 for a page, 1 for a small form, 4 for a mask, 8 for a map of depths.
    package static func page(
        _ width: Int, _ height: Int, kind: Int = 2, photometric: Int = 1, orientation: Int = 1, blob: Int
    ) -> TIFFMaker.Directory {
        [
            (0x00FE, .long(kind)), (0x0100, .long(width)), (0x0101, .long(height)), (0x0102, .short(8)),
            (0x0103, .short(1)), (0x0106, .short(photometric)), (0x0111, .start(blob)),
            (0x0112, .short(orientation)), (0x0115, .short(1)), (0x0116, .long(height)),
            (0x0117, .length(blob)),
        ]
    }

    /// A TIFF of two pages, the second of which is turned to 20x50, with a small form and a mask of the first.
    package static var scan: [UInt8] {
        let pages: [(width: Int, height: Int, kind: Int, orientation: Int)] = [
            (40, 30, 2, 1), (20, 15, 1, 1), (50, 20, 2, 6), (40, 30, 4, 1),
        ]
        return TIFFMaker.file(
            pages.enumerated().map {
                page($1.width, $1.height, kind: $1.kind, orientation: $1.orientation, blob: $0)
            }, blobs: pages.map { [UInt8](repeating: 90, count: $0.width * $0.height) })
    }

    /// A TIFF of one picture at two sizes.
    package static var pyramid: [UInt8] {
        TIFFMaker.file(
            [page(64, 48, kind: 0, blob: 0), page(32, 24, kind: 1, blob: 1)],
            blobs: [[UInt8](repeating: 90, count: 64 * 48), [UInt8](repeating: 90, count: 32 * 24)])
    }
}
