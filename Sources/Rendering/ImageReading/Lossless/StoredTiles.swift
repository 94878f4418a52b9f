internal import Files
internal import JPEGIndexing
package import TilePyramid
package import ViewportGeometry

/// Cuts tiles out of a file as they are stored: implemented for indexed JPEGs and for TIFFs of JPEG tiles.
package protocol TileCutter: Sendable {
    /// Returns a tile as a JPEG with the compressed data of the file, without metadata.
    ///
    /// Returns nil where the file does not store exactly these pixels; they must be decoded and encoded then.
    ///
    /// - Parameters:
    ///   - rect: the rectangle in full-resolution pixels.
    ///   - size: the size of the tile in pixels.
    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]?

    /// Returns whether tiles of a side align with those of the file.
    func fits(_ side: Int) -> Bool

    /// Passes the whole picture as a JPEG without metadata to a closure, piece by piece.
    ///
    /// Returns false, without a call, where the file does not store it as one JPEG.
    func copyWhole(_ write: ([UInt8]) throws -> Void) throws -> Bool
}

/// The tiles of a file that are copied as they are stored, by servers and exports alike.
package struct StoredTiles: Sendable {
    private let cutter: any TileCutter

    /// The longest side of a tile; larger parts are encoded again, which gives files of the usual size.
    private static let longestSide = 512
    /// The most pixels around a tile: an MCU of a JPEG.
    private static let mostOverlap = 32

    /// Returns nil where pixels are turned or converted, or the file has no tiles that can be copied.
    ///
    /// - Parameter side: The side of most of the tiles that will be requested, which makes them faster.
    package init?(_ file: ImageFile, side: Int? = nil) {
        guard file.orientation == .up, !file.hasAlpha, let reader = try? file.source.open(file.pyramid.full),
            reader.pixels.isPlainSRGB,
            let cutter: any TileCutter = JPEGTileCutter(file, side: side) ?? TIFFTileCutter(file)
        else { return nil }
        self.cutter = cutter
    }

    /// Returns the side of a file's tiles; nil where it has none, or they are not square.
    package static func tileSide(of file: ImageFile) -> Int? { TIFFTileCutter(file)?.side }

    /// Returns whether a picture may be stored as a tile.
    package func mayHave(_ picture: IIIFPicture) -> Bool {
        picture.format == "jpg" && picture.isPlain
            && max(picture.size.width, picture.size.height) <= Self.longestSide + 2 * Self.mostOverlap
    }

    /// Returns the pixels around a tile without which a decoder interpolates those at its edges from fewer than there are
    /// in the file; nil where tiles are not copied.
    package static func overlap(of file: ImageFile) -> Int? {
        guard file.orientation == .up, !file.hasAlpha else { return nil }
        guard let header = file.source.capabilities.blocks?.header else {
            return tileSide(of: file).map { _ in 0 }
        }
        return header.needsMargin(at: .full) ? max(header.mcuSize.width, header.mcuSize.height) : 0
    }

    /// Returns the tile for a request, where the image file stores exactly that.
    package func jpeg(_ picture: IIIFPicture) -> [UInt8]? {
        guard mayHave(picture) else { return nil }
        let region = picture.region
        return cutter.tile(
            PixelRect(x: region.x, y: region.y, width: region.width, height: region.height),
            size: PixelSize(width: picture.size.width, height: picture.size.height))
    }

    /// Returns the cutter for tiles of full resolution, where tiles of a side align with those of the file.
    package func cutter(forTiles side: Int) -> (any TileCutter)? {
        side <= Self.longestSide && cutter.fits(side) ? cutter : nil
    }
}

/// Cuts tiles out of a baseline JPEG through an index of its blocks.
struct JPEGTileCutter: TileCutter {
    private let file: OpenFile
    private let reader: JPEGRegionReader

    /// Returns nil where the file is not a JPEG that can be indexed; it must be decoded and encoded then.
    init?(_ file: ImageFile, side: Int?) {
        guard let jpeg = file.source.capabilities.blocks else { return nil }
        let opened = file.opened
        if let reader = jpeg.reader {
            // With the checkpoints that it has found besides those of its index.
            self.reader = reader
        } else {
            // Tiles are copied fastest from one checkpoint to another.
            let interval = side.map { $0 / jpeg.header.mcuSize.width } ?? JPEGIndex.defaultInterval
            guard
                let index = try? JPEGIndex(
                    opened, header: jpeg.header, interval: max(interval, JPEGIndex.denseInterval), threads: 2),
                opened.isUnchanged, let reader = try? JPEGRegionReader(header: jpeg.header, index: index)
            else { return nil }
            self.reader = reader
        }
        self.file = opened
    }

    func fits(_ side: Int) -> Bool {
        side % reader.header.mcuSize.width == 0 && side % reader.header.mcuSize.height == 0
    }

    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]? {
        guard size == rect.size else { return nil }
        // Nothing is copied from a file that has changed: decoding it reports that.
        guard let crop = try? reader.losslessCrop(rect, of: file, keeping: { _ in false }), crop.rect == rect,
            file.isUnchanged
        else { return nil }
        return crop.jpeg
    }

    func copyWhole(_ write: ([UInt8]) throws -> Void) throws -> Bool {
        try reader.copyWithoutMetadata(of: file, write)
        return true
    }
}
