public import ViewportGeometry

/// Takes regions out of one JPEG through its index, as small JPEGs that any decoder reads.
///
/// It keeps what is made from the headers once, and no memory of the file: the file's bytes are lent to every
/// call.
public struct JPEGRegionReader: Sendable {
    public let header: JPEGHeader
    public let index: JPEGIndex
    let scanner: EntropyScanner
    /// Set where parts are read again and again.
    private let finer: Subindex?

    /// Throws where the index is of an image with rows of another length.
    ///
    /// - Parameter isReadOften: whether to keep what is found out about the file while parts of it are read.
    public init(header: JPEGHeader, index: JPEGIndex, isReadOften: Bool = false) throws(JPEGIndexError) {
        guard index.mcusPerRow == header.mcusPerRow, index.rows <= header.mcuRows else { throw .staleIndex }
        self.header = header
        self.index = index
        scanner = EntropyScanner(header)
        finer = isReadOften ? Subindex(between: index) : nil
    }

    /// A cursor at an MCU, or behind the last of a row: from the nearest place before it, or from `near`.
    func cursor(
        _ window: ByteWindow, row: Int, column: Int, from near: MCUCursor? = nil
    ) throws(JPEGIndexError) -> MCUCursor {
        let place = try index.place(row: row, column: column)
        let mcu = row * index.mcusPerRow + column
        var cursor =
            try finer?.cursor(before: mcu, after: place, of: index, scanner, window)
            ?? index.cursor(scanner, window, at: place)
        if let near, near.mcu > cursor.mcu, near.mcu <= mcu { cursor = near }
        try cursor.advance(by: mcu - cursor.mcu)
        return cursor
    }
}

/// A small JPEG that decodes to a region of a large one and some pixels around it.
public struct JPEGRegion: Hashable, Sendable {
    /// The JPEG.
    public let jpeg: [UInt8]
    /// The scale to decode it at, as the `scale_denom` of libjpeg.
    public let scale: JPEGScale
    /// What libjpeg decodes it to at that scale.
    ///
    /// libvips leaves out the last column or row where the image ends within a pixel of the scale: there, ask it
    /// for regions of its own size only.
    public let decodedSize: PixelSize<ReducedGrid>
    /// Where in that the region is.
    public let crop: PixelRect<ReducedGrid>
}

/// A part of a JPEG as a complete file, its pixels untouched.
public struct JPEGCrop: Hashable, Sendable {
    public let jpeg: [UInt8]
    /// The pixels of the original that it holds: what was asked for, widened to whole MCUs.
    public let rect: PixelRect<StoredGrid>
}

/// Some rows and columns of MCUs.
struct MCURange: Hashable {
    var columns: Range<Int>
    var rows: Range<Int>
}
