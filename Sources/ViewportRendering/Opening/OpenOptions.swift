package import Files
public import ViewportGeometry
internal import Vips

/// How a file is opened.
public struct OpenOptions: Sendable {
    /// The page, frame or slide, from 0.
    public var page = 0
    /// Whether the file's orientation is applied.
    public var appliesOrientation = true
    /// A turn after the orientation; image points are counted in the turned image.
    public var turn = Orientation.up
    /// Whether many parts of the file will be read: the first read makes an index of a JPEG, in memory.
    public var optimizesForRandomAccess = false
    /// How many threads reading may take where a second one helps, 1 or 2; the pixels are the same.
    ///
    /// 1 is best where as many files as there are processors are read at once.
    public var threads = 2
    /// Whether what is there of a truncated file may be shown.
    public var allowsTruncated = false
    /// The most pixels that a file may have; nil for `defaultLimit` or `defaultWholeLimit`.
    public var maximumPixels: Int?

    /// The upright first page, refused where it is damaged or too large.
    public init() {}

    /// The limit for files that are read in parts: what 32 bits can count.
    public static let defaultLimit = Int(UInt32.max)
    /// The limit for files that a decoder holds whole in memory: half a gigabyte of RGBA.
    public static let defaultWholeLimit = 1 << 27
}

/// What tells the pixels of one source from those of all others, for as long as the file is not written.
package struct SourceIdentity: Hashable, Sendable {
    /// From the root of the file system, symbolic links followed; a name where the source has no path.
    package var path: String
    /// Whether there is a path, so that what is kept on disk for the source will be found again.
    package var hasPath: Bool
    /// The file when it was opened; nil where it had gone.
    package var status: FileStatus?
    /// The page, frame or slide, from 0.
    package var page: Int
    /// Whether what is there of a truncated file may be shown.
    package var allowsTruncated: Bool

    package init(_ path: String, hasPath: Bool = true, _ status: FileStatus?, _ options: OpenOptions) {
        self.path = hasPath ? ProcessEnvironment.absolutePath(path) : path
        self.hasPath = hasPath
        self.status = status
        page = options.page
        allowsTruncated = options.allowsTruncated
    }
}

/// How much memory a decoder may take, checked before it begins.
///
/// Decoders that hold the whole picture get 1.6 GB, those that hold a row of tiles or a strip 512 MB. Who raises
/// the limit of pixels raises both.
struct DecodingBudget {
    /// The most bytes that are decoded at once of a file that is read in parts.
    let blockBytes: Int

    /// What a decoder of whole pictures may take by itself.
    private static let wholeBytes = 12 << 27

    init(_ options: OpenOptions) {
        let pixels = options.maximumPixels ?? OpenOptions.defaultWholeLimit
        let bytes = pixels.multipliedReportingOverflow(by: 4)
        blockBytes = bytes.overflow ? Int.max : bytes.partialValue
    }

    /// The most pixels of a file that is held whole, by the samples that it has.
    ///
    /// Measured were 11 to 28 bytes per pixel of HEIF and AVIF, 7 of JPEG XL, 6 of GIF and 4 of interlaced PNG,
    /// progressive JPEG and WebP.
    static func pixels(_ format: ImageFormat, bands: Int, sampleBytes: Int) -> Int {
        let copies = format == .heif || format == .jpegXL ? 4 : 2
        let perPixel = max(1, bands) * max(1, sampleBytes) * copies
        return min(OpenOptions.defaultWholeLimit, wholeBytes / perPixel)
    }
}
