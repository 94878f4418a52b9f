internal import Files
internal import JPEGIndexing
package import TilePyramid
package import ViewportGeometry

/// Takes tiles out of a file as they are stored: the seam for indexed JPEGs and for TIFFs of JPEG tiles.
package protocol TileCutter: Sendable {
    /// A tile as a JPEG whose compressed data are those of the file, without metadata.
    ///
    /// Nil where the file does not store exactly these pixels; they are decoded and encoded then.
    ///
    /// - Parameters:
    ///   - rect: full-resolution pixels.
    ///   - size: the pixels of the tile.
    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]?

    /// Whether tiles of a side begin where the file's do.
    func fits(_ side: Int) -> Bool
}

/// The tiles of a file that are given as they are stored: the same for servers and exports.
package struct StoredTiles: Sendable {
    private let cutter: any TileCutter

    /// The longest side of what counts as a tile; larger parts are decoded, so that they weigh what they should.
    private static let longestSide = 512

    /// Nil where pixels are turned or recolored on their way, or nothing can be taken out of the file.
    package init?(_ file: ImageFile) {
        guard file.orientation == .up, !file.hasAlpha, let reader = try? file.source.open(file.pyramid.full),
            RenderOptions().isFinal(reader.pixels),
            let cutter: any TileCutter = JPEGTileCutter(file) ?? TIFFTileCutter(file)
        else { return nil }
        self.cutter = cutter
    }

    /// The side of the tiles that a file stores; nil where it stores none, or no squares.
    package static func tileSide(of file: ImageFile) -> Int? { TIFFTileCutter(file)?.side }

    /// Whether it is worth looking for a picture.
    package func mayHave(_ picture: IIIFPicture) -> Bool {
        picture.format == "jpg" && picture.isPlain
            && max(picture.size.width, picture.size.height) <= Self.longestSide
    }

    /// The file that answers a request, where the image file stores just that.
    package func jpeg(_ picture: IIIFPicture) -> [UInt8]? {
        guard mayHave(picture) else { return nil }
        let region = picture.region
        return cutter.tile(
            PixelRect(x: region.x, y: region.y, width: region.width, height: region.height),
            size: PixelSize(width: picture.size.width, height: picture.size.height))
    }

    /// What cuts tiles of full resolution for an export, where they begin where the file's do.
    package func cutter(forTiles side: Int) -> (any TileCutter)? {
        side <= Self.longestSide && cutter.fits(side) ? cutter : nil
    }
}

/// Cuts tiles out of a baseline JPEG by an index of its compressed data.
struct JPEGTileCutter: TileCutter {
    private let file: OpenFile
    private let reader: JPEGRegionReader

    /// Nil where the file is no JPEG whose blocks can be found; it is decoded and encoded then.
    init?(_ file: ImageFile) {
        guard let jpeg = file.source.capabilities.jpeg else { return nil }
        let opened = file.opened
        guard let index = jpeg.savedIndex ?? (try? JPEGIndex(opened, header: jpeg.header, threads: 2)),
            opened.isUnchanged, let reader = try? JPEGRegionReader(header: jpeg.header, index: index)
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
