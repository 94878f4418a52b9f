internal import Files
internal import JPEGIndexing
internal import ViewportGeometry

/// Cuts tiles out of a baseline JPEG by an index of its compressed data.
struct JPEGTileCutter: TileCutter {
    private let file: OpenFile
    private let reader: JPEGRegionReader

    /// Nil where the file is no JPEG whose blocks can be found; it is decoded and encoded then.
    init?(_ file: ImageFile) {
        guard let source = file.source as? JPEGRegionSource else { return nil }
        let opened = file.opened
        guard let index = source.savedIndex ?? (try? JPEGIndex(opened, header: source.header, threads: 2)),
            opened.isUnchanged, let reader = try? JPEGRegionReader(header: source.header, index: index)
        else { return nil }
        self.reader = reader
        self.file = opened
    }

    func fits(_ side: Int) -> Bool {
        side % reader.header.mcuSize.width == 0 && side % reader.header.mcuSize.height == 0
    }

    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]? {
        guard size == rect.size else { return nil }
        // Of a file that was changed nothing is taken: who decodes it says so.
        guard let crop = try? reader.losslessCrop(rect, of: file, keeping: { _ in false }), crop.rect == rect,
            file.isUnchanged
        else { return nil }
        return crop.jpeg
    }
}
