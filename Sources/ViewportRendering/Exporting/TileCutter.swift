internal import ViewportGeometry

/// Cuts tiles out of a file as they are stored: the seam for JPEGs that are indexed.
protocol TileCutter: Sendable {
    /// The tile as a JPEG whose compressed data are those of the file, without metadata.
    ///
    /// Nil where the rectangle does not lie on whole blocks of the file; it is decoded and encoded then.
    func tile(_ rect: PixelRect<StoredGrid>) -> [UInt8]?
}
