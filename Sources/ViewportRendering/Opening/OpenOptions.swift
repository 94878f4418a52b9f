public import ViewportGeometry

/// How a file is opened.
public struct OpenOptions: Sendable {
    /// The page, frame or slide, from 0.
    public var page = 0
    /// Whether the file's orientation is applied.
    public var appliesOrientation = true
    /// A turn after the orientation; image points are counted in the turned image.
    public var turn = Orientation.up
    /// Whether many parts of the file will be looked at: what makes them quick is worth preparing.
    public var optimizesForRandomAccess = false
    /// How many threads reading may take where a second one helps, 1 or 2; the pixels are the same.
    ///
    /// 1 is best where as many files as there are processors are read at once.
    public var threads = 2
    /// Whether what is there of a truncated file may be shown.
    public var allowsTruncated = false
    /// The most pixels that a file may have; nil for `defaultLimit` or `defaultWholeLimit`.
    public var maximumPixels: Int?

    public init() {}

    /// The limit for files that are read in parts: what 32 bits can count.
    public static let defaultLimit = Int(UInt32.max)
    /// The limit for files that a decoder holds whole in memory: half a gigabyte of RGBA.
    public static let defaultWholeLimit = 1 << 27
}
