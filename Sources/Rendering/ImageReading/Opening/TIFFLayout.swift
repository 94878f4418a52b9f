internal import Basics
internal import Containers

/// How the pixels of the first picture of a TIFF lie in the file: in strips or tiles.
///
/// Source: TIFF 6.0, sections 2, 8 and 15; BigTIFF.
struct TIFFLayout {
    private let directory: TIFFDirectory

    /// Returns nil where the file is not a TIFF, or has no directory.
    init?(_ bytes: FileBytes) {
        guard let directory = TIFFBlock(tiff: bytes)?.main else { return nil }
        self.directory = directory
    }

    /// The width of a tile; nil where the picture is in strips.
    var tileWidth: Int? { directory.int(322) }

    /// The number of rows that are decoded together: those of a tile or a strip.
    ///
    /// libvips decodes tall strips row by row. Source: libvips, tiff2vips.c, rtiff_header_read.
    var blockHeight: Int {
        if let height = directory.int(323) { return max(1, height) }
        let rows = min(directory.int(278) ?? Int.max, directory.int(257) ?? 1)
        return rows > 128 && directory.int(284) != 2 ? 1 : max(1, rows)
    }
}
