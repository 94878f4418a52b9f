public import TilePyramid
public import ViewportGeometry

/// What it took to make a picture.
public struct RenderReport: Sendable {
    /// The level that was read; nil where nothing had to be.
    public var level: PyramidLevel?
    /// The pixels of that level that were read, as stored.
    public var storedRect: PixelRect<StoredGrid>?
    /// Time for decoding.
    public var read = Duration.zero
    /// Time for scaling, colors, turning and background.
    public var scale = Duration.zero
}
