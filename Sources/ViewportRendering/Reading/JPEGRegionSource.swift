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
    /// A complete index of the file, where one was saved.
    private(set) var savedIndex: JPEGIndex?
    /// Reads what is cheaper to decode from the top, and what turns out to be broken.
    let loader: LoaderSource

    /// Nil where parts of the file cannot be decoded on their own; CMYK is left to the loader, which inverts it.
    init?(_ loader: LoaderSource, savedIndex: JPEGIndex? = nil) {
        guard loader.file.format == .jpeg, !loader.file.options.allowsTruncated,
            let header = InputFile.withRawBytes(loader.file.path, { try? JPEGHeader($0) }) ?? nil,
            header.components.count == 1 || header.components.count == 3,
            header.size == loader.pyramid.full.size
        else { return nil }
        path = loader.file.path
        self.header = header
        let isPrepared = savedIndex != nil || !loader.file.options.isLookedAtOften
        self.savedIndex = isPrepared ? savedIndex : Self.index(loader.file.path, header)
        self.loader = loader
    }

    /// The same source with a complete index.
    func reading(through index: JPEGIndex) -> Self {
        var source = self
        source.savedIndex = index
        return source
    }

    /// A complete index; nil where the data is broken, which the loader will say better.
    private static func index(_ path: String, _ header: JPEGHeader) -> JPEGIndex? {
        InputFile.withRawBytes(path) { try? JPEGIndex($0, header: header, threads: 2) } ?? nil
    }

    var pyramid: Pyramid { loader.pyramid }

    var description: String { savedIndex == nil ? "regions of a scan" : "regions by index" }

    var access: SourceAccess { savedIndex == nil ? .scanned : .random }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        JPEGRegionLevel(source: self, fallback: try loader.open(level))
    }
}
