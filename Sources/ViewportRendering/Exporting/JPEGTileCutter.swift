internal import Files
internal import JPEGIndex
internal import ViewportGeometry

/// Cuts tiles out of a baseline JPEG by an index of its compressed data.
struct JPEGTileCutter: TileCutter {
    private let file: MappedFile
    private let reader: JPEGRegionReader

    /// Nil where the file is no JPEG whose blocks can be found; it is decoded and encoded then.
    init?(_ file: ImageFile) {
        guard let source = file.source as? JPEGRegionSource, let mapped = MappedFile(file.path) else {
            return nil
        }
        let reader = mapped.withBytes { bytes -> JPEGRegionReader? in
            let index = source.savedIndex ?? (try? JPEGIndex(bytes, header: source.header, threads: 2))
            return index.flatMap { try? JPEGRegionReader(header: source.header, index: $0) }
        }
        guard let reader else { return nil }
        self.reader = reader
        self.file = mapped
    }

    func fits(_ side: Int) -> Bool {
        side % reader.header.mcuSize.width == 0 && side % reader.header.mcuSize.height == 0
    }

    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]? {
        guard size == rect.size else { return nil }
        let crop = file.withBytes { bytes in try? reader.losslessCrop(rect, of: bytes) { _ in false } }
        guard let crop, crop.rect == rect else { return nil }
        return crop.jpeg
    }
}
