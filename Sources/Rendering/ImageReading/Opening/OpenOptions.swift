internal import Basics
internal import Containers
package import Files
internal import MemoryWatching
public import RemoteFiles
public import ViewportGeometry
public import Viewports

/// How a file is opened.
public struct OpenOptions: Hashable, Codable, Sendable {
    /// The page, frame or slide, from 0.
    public var page = 0
    /// Whether the orientation in the file's metadata is applied.
    public var appliesOrientation = true
    /// A turn after the orientation; image points refer to the turned image.
    public var turn = Orientation.up
    /// Whether to optimize for reading many parts of the image.
    ///
    /// The first read of a JPEG or a PNG then keeps an index in memory, through which later reads decode only their own
    /// blocks. The pixels are the same. Set it in viewers and where tiles are made, not for a single picture.
    public var optimizesForRandomAccess = false
    /// The number of threads for one read, by default the number of processors.
    ///
    /// The pixels are the same. 1 is best where one file per processor is read at a time.
    public var threads = Processors.count
    /// Whether the remaining part of a truncated file may be shown.
    public var allowsTruncated = false
    /// The most pixels that a file may have; nil for `defaultLimit`, or what `defaultWholeMemory` has room for.
    public var maximumPixels: Int?
    /// How a file behind a URL is read.
    public var remote = RemoteOptions()
    /// What is rendered first, if it is known: a picture of a whole remote image takes a round trip less, because the
    /// small level that it needs is requested together with the rest of the sidecar.
    public var firstRequest: ViewportRequest?
    /// Whether opening a JPEG makes the index for reading many parts, where that is asked for, rather than its first read.
    package var indexesAtOpening = true
    /// The ICC profile of a color JPEG that has none; nil for sRGB.
    var assumedProfile: [UInt8]?

    /// Creates options for the upright first page; damaged and too large files are rejected.
    public init() {}

    /// The limit on pixels of files that are read in parts: 2^32 - 1.
    public static let defaultLimit = Int(UInt32.max)
    /// The limit on the memory of decoders that hold the whole image, in bytes: a quarter of what the machine or the
    /// process's control group has, and at least 256 MB.
    public static let defaultWholeMemory = DecodingBudget.wholeBytes(MemoryLimit.current)
}

extension OpenOptions {
    private enum CodingKeys: String, CodingKey {
        case page, appliesOrientation, turn, optimizesForRandomAccess, threads, allowsTruncated, maximumPixels
        case remote, firstRequest
    }

    /// Decodes options; those that are missing have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&page, .page)
        try values.read(&appliesOrientation, .appliesOrientation)
        try values.read(&turn, .turn)
        try values.read(&optimizesForRandomAccess, .optimizesForRandomAccess)
        try values.read(&threads, .threads)
        try values.read(&allowsTruncated, .allowsTruncated)
        try values.read(&maximumPixels, .maximumPixels)
        try values.read(&remote, .remote)
        try values.read(&firstRequest, .firstRequest)
    }
}

/// Identifies the pixels of a source for as long as the file is not written.
package struct SourceIdentity: Hashable, Sendable {
    /// The absolute path with symbolic links resolved; a name where the source has no path.
    package var path: String {
        get { place.text }
        set { place = FilePath(newValue) }
    }
    private var place: FilePath
    /// Whether there is a path, by which caches on disk find the source again.
    package var hasPath: Bool
    /// The status of the file when it was opened; nil where it did not exist any more.
    package var status: FileStatus?
    /// The page, frame or slide, from 0.
    package var page: Int
    /// Whether the remaining part of a truncated file may be shown.
    package var allowsTruncated: Bool

    package init(_ path: String, hasPath: Bool = true, _ status: FileStatus?, _ options: OpenOptions) {
        place = FilePath(hasPath ? ProcessEnvironment.absolutePath(path) : path)
        self.hasPath = hasPath
        self.status = status
        page = options.page
        allowsTruncated = options.allowsTruncated
    }
}

/// The memory that a decoder may use, checked before decoding begins.
///
/// Decoders that hold the whole picture get `OpenOptions.defaultWholeMemory`, those that hold a row of tiles or a strip
/// 512 MB. A limit on pixels replaces both.
struct DecodingBudget {
    /// The most bytes of one block of a file that is read in parts.
    let blockBytes: Int

    init(_ options: OpenOptions) {
        let bytes = (options.maximumPixels ?? 1 << 27).multipliedReportingOverflow(by: 4)
        blockBytes = bytes.overflow ? Int.max : bytes.partialValue
    }

    /// Returns the memory of decoders that hold the whole picture: 1.6 GB where the limit is not known.
    static func wholeBytes(_ limit: MemoryLimit?) -> Int {
        limit.map { max($0.byteCount / 4, 256 << 20) } ?? 12 << 27
    }

    /// Returns the most pixels of a file that is decoded as a whole.
    ///
    /// Measured memory in bytes per pixel: 11 to 28 for HEIF and AVIF, 7 for JPEG XL, 6 for GIF, 4 for interlaced PNG,
    /// progressive JPEG and WebP.
    static func pixels(
        _ format: ImageFormat, bands: Int, sampleBytes: Int, memory: Int = OpenOptions.defaultWholeMemory
    ) -> Int {
        let copies = format.has(.decodedTwice) ? 4 : 2
        return memory / (max(1, bands) * max(1, sampleBytes) * copies)
    }
}
