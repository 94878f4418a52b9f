internal import Files
internal import ImageMetadata
internal import JPEGIndexing
internal import Resampling
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry

/// The source of baseline JPEGs: finds the compressed data of a region and decodes only that.
///
/// A JPEG has no directory of its blocks, but one pass over the compressed data, without decoding pixels, tells
/// where each of them begins. Without a saved index that pass runs down to the region's last row.
struct JPEGRegionSource: ImageSource {
    let file: OpenFile
    let header: JPEGHeader
    let metadata: JPEGMetadata
    /// Finds out what is missing when the first pixels are read.
    private let scan: DamageScan
    /// The index of those who read many parts, from the first read on.
    private let ownIndex: FirstReadIndex?
    let options: OpenOptions
    /// The scales that JPEG's blocks have.
    let ownPyramid: Pyramid
    let pyramid: Pyramid
    /// What a complete index makes quick, where there is one.
    private(set) var prepared: PreparedJPEG?
    /// The image at 1/8 in memory, where many parts are looked at.
    private(set) var overview: JPEGOverview?

    /// Nil where parts of the file cannot be decoded on their own; CMYK is left to libvips, which inverts it.
    init?(_ file: OpenFile, _ options: OpenOptions, _ scan: DamageScan) {
        guard let header = try? JPEGHeader(file),
            header.components.count == 1 || header.components.count == 3,
            let metadata = try? JPEGMetadata(header, of: file)
        else { return nil }
        self.scan = scan
        ownIndex = options.optimizesForRandomAccess ? FirstReadIndex() : nil
        self.file = file
        self.header = header
        self.metadata = metadata
        self.options = options
        ownPyramid = Pyramid(
            levels: JPEGScale.allCases.compactMap { PyramidLevel(of: header.size, at: $0) })
        pyramid = ownPyramid.continuedByHalving
        overview = options.optimizesForRandomAccess ? JPEGOverview(file, header) : nil
    }

    /// Whether nothing but the end marker is missing.
    var lacksEnd: Bool { scan.damage(.jpeg)?.isWhole == true }

    /// Throws where a part of the picture is missing, which takes a scan where there is no end marker.
    func refuseDamage() throws(RenderingError) {
        guard let damage = scan.damage(.jpeg), !damage.isWhole else { return }
        throw RenderingError(damage, of: file)
    }

    /// The same source with its index, where many parts are to be read.
    func indexedWhereAsked() -> Self {
        guard prepared == nil, let ownIndex else { return self }
        var source = self
        source.prepared = ownIndex.value {
            Self.index(file, header).flatMap { index in
                PreparedJPEG(file, header, index, optimizesForRandomAccess: true)
            }
        }
        return source
    }

    /// The same source with a complete index.
    func reading(through index: JPEGIndex) -> Self {
        var source = self
        source.prepare(index)
        return source
    }

    private mutating func prepare(_ index: JPEGIndex) {
        prepared = PreparedJPEG(
            file, header, index, optimizesForRandomAccess: options.optimizesForRandomAccess)
    }

    /// The index, where there is one.
    var savedIndex: JPEGIndex? { prepared?.reader.index }

    /// The same source, with what makes many looks quick.
    func lookedAtOften() -> Self {
        var source = self
        source.overview = overview ?? JPEGOverview(file, header)
        source.prepared = savedIndex.flatMap {
            PreparedJPEG(file, header, $0, optimizesForRandomAccess: true)
        }
        return source
    }

    /// A complete index; nil where the data is broken, which libvips will say better.
    private static func index(_ file: OpenFile, _ header: JPEGHeader) -> JPEGIndex? {
        try? JPEGIndex(file, header: header, interval: JPEGIndex.denseInterval, threads: 2)
    }

    /// Throws where the data ends before the picture does: libvips fills such rows with gray and says nothing.
    func refuseMissingRows() throws(RenderingError) {
        let extent = header.extent(in: file)
        guard extent.isEnd, extent.rows < header.size.height else { return }
        throw .truncated(file: file.path, missing: FileDamage.missingRows(extent.rows..<header.size.height))
    }

    /// What libjpeg makes of the components.
    var pixels: PixelKind {
        let bands = header.components.count
        return PixelKind(
            layout: SampleLayout(type: .uint8, bands: bands, hasAlpha: false),
            interpretation: bands == 1 ? "b-w" : "srgb", profile: metadata.profile)
    }

    var description: String { prepared == nil ? "regions of a scan" : "regions by index" }

    var access: SourceAccess { prepared == nil ? .scanned : .random }

    func sharpeningCompensation(of level: PyramidLevel) -> Double { SharpeningCompensation.ofJPEG(level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        // JPEG has four scales.
        let last = ownPyramid.levels.last!
        guard level.index > last.index else { return JPEGRegionLevel(source: self, level: level) }
        return HalvedLevel(JPEGRegionLevel(source: self, level: last), times: level.index - last.index)
    }
}

extension PyramidLevel {
    /// A scale of a JPEG, without the last row and column where they are partial: as libvips has it.
    ///
    /// Nil where nothing is left of a side.
    init?(of size: PixelSize<StoredGrid>, at scale: JPEGScale) {
        let factor = scale.rawValue
        guard min(size.width, size.height) >= factor else { return nil }
        self.init(
            index: factor.trailingZeroBitCount,
            size: PixelSize(width: size.width / factor, height: size.height / factor),
            downsampleX: Double(factor), downsampleY: Double(factor))
    }
}

/// An index that is made by the first read of a file that was opened for many.
private final class FirstReadIndex: Sendable {
    private let made = Mutex<PreparedJPEG??>(nil)

    /// The index; who comes first makes it, and the others wait.
    func value(_ make: () -> PreparedJPEG?) -> PreparedJPEG? {
        made.withLock { made in
            if let made { return made }
            let new = make()
            made = .some(new)
            return new
        }
    }
}
