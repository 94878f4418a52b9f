public import ViewportGeometry

/// Takes regions out of one JPEG through its index, as small JPEGs that any decoder reads.
///
/// It keeps what is made from the headers once, and no memory of the file: the file's bytes are lent to every
/// call.
public struct JPEGRegionReader: Sendable {
    public let header: JPEGHeader
    public let index: JPEGIndex
    let scanner: EntropyScanner

    /// Throws where the index is of an image with rows of another length.
    public init(header: JPEGHeader, index: JPEGIndex) throws(JPEGIndexError) {
        guard index.mcusPerRow == header.mcusPerRow, index.rows <= header.mcuRows else { throw .staleIndex }
        self.header = header
        self.index = index
        scanner = EntropyScanner(header)
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
