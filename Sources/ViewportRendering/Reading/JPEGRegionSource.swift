internal import Files
internal import JPEGIndex
internal import TilePyramid
internal import ViewportGeometry

/// The source of baseline JPEGs: finds the compressed data of a region and decodes only that.
///
/// A JPEG has no directory of its blocks, but one pass over the compressed data, without decoding pixels, tells
/// where each of them begins. Without a saved index that pass runs down to the region's last row.
struct JPEGRegionSource: ImageSource {
    let path: String
    let header: JPEGHeader
    let pixels: PixelKind
    /// What a complete index makes quick, where there is one.
    private(set) var prepared: PreparedJPEG?
    /// The image at 1/8 in memory, where many parts are looked at.
    let overview: JPEGOverview?
    /// Reads what is cheaper to decode from the top, and what turns out to be broken.
    let loader: LoaderSource

    /// Nil where parts of the file cannot be decoded on their own; CMYK is left to the loader, which inverts it.
    init?(_ loader: LoaderSource) {
        guard loader.file.format == .jpeg, !loader.file.options.allowsTruncated,
            let header = InputFile.withRawBytes(loader.file.path, { try? JPEGHeader($0) }) ?? nil,
            header.components.count == 1 || header.components.count == 3,
            header.size == loader.pyramid.full.size,
            let pixels = try? loader.open(loader.pyramid.full).pixels
        else { return nil }
        path = loader.file.path
        self.header = header
        self.pixels = pixels
        self.loader = loader
        overview = loader.file.options.isLookedAtOften ? JPEGOverview(path, header) : nil
        if isLookedAtOften, let index = Self.index(path, header) { prepare(index) }
    }

    /// The same source with a complete index.
    func reading(through index: JPEGIndex) -> Self {
        var source = self
        source.prepare(index)
        return source
    }

    private mutating func prepare(_ index: JPEGIndex) {
        prepared = PreparedJPEG(path, header, index, isLookedAtOften: isLookedAtOften)
    }

    private var isLookedAtOften: Bool { loader.file.options.isLookedAtOften }

    /// The index, where there is one.
    var savedIndex: JPEGIndex? { prepared?.reader.index }

    /// A complete index; nil where the data is broken, which the loader will say better.
    private static func index(_ path: String, _ header: JPEGHeader) -> JPEGIndex? {
        InputFile.withRawBytes(path) {
            try? JPEGIndex($0, header: header, interval: JPEGIndex.denseInterval, threads: 2)
        } ?? nil
    }

    var pyramid: Pyramid { loader.pyramid }

    var description: String { prepared == nil ? "regions of a scan" : "regions by index" }

    var access: SourceAccess { prepared == nil ? .scanned : .random }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        JPEGRegionLevel(source: self, level: level)
    }
}
