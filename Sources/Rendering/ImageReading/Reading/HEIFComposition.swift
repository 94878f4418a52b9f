internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Makes a picture of the items of a HEIF file: unusual grids, overlays ("iovl"), and copies with other turns ("iden").
///
/// libheif decodes single items only: it joins them without a look at their sizes, and what none covers is memory of the
/// process. The picture is held whole, and an input at a time.
///
/// Source: ISO/IEC 23008-12, section 6.6.2.
struct HEIFComposition: Sendable {
    private let cells: HEIFCells
    private let picture: HEIFItem
    /// The format of the picture.
    let pixels: SourcePixelFormat
    /// The size as it is shown.
    let size: PixelSize<StoredGrid>
    /// Whether decoded items have one band.
    let isGray: Bool
    /// The most pixels of an input.
    private let limit: Int
    /// Whether places of inputs that cannot be decoded stay empty.
    private let isTolerant: Bool

    /// The most pictures of an overlay.
    private static let mostLayers = 256

    /// - Throws: `UndecodableData`
    init(
        of picture: HEIFItem, _ items: HEIFItems, _ file: OpenFile, profile: [UInt8]?, limit: Int,
        passesRange: Bool, isTolerant: Bool
    ) throws {
        cells = HEIFCells(items: items, file: file, colors: picture, passesRange: passesRange)
        (self.picture, self.limit, self.isTolerant) = (picture, limit, isTolerant)
        guard let coded = items.firstCoded(of: picture) else {
            throw UndecodablePart("it is made of a picture that is missing, or of itself")
        }
        let header = try cells.header(of: coded.id)
        let isWide = header.format == .uint16
        isGray = header.bands == 1
        let hasAlpha = Self.hasAlpha(picture, items, FileBytes(file), HEIFItems.mostDerivations)
        pixels = .rgb(isWide ? .bits16 : .bits8, hasAlpha: hasAlpha, profile: profile)
        size = try Self.size(of: picture, items, file, HEIFItems.mostDerivations)
    }

    /// Whether some pixels of a picture may be transparent.
    private static func hasAlpha(
        _ item: HEIFItem, _ items: HEIFItems, _ bytes: FileBytes, _ depth: Int
    ) -> Bool {
        guard depth > 0, items.alpha(of: item) == nil else { return depth > 0 }
        if item.type == "iovl" {
            return items.overlay(of: item, in: bytes).map { $0.fill[3] < 65535 } ?? false
        }
        let inputs = item.isDerived ? item.references("dimg").prefix(1) : []
        return inputs.contains { items[$0].map { hasAlpha($0, items, bytes, depth - 1) } ?? false }
    }

    /// Returns the size of an item as it is shown, without decoding it.
    private static func size(
        of item: HEIFItem, _ items: HEIFItems, _ file: OpenFile, _ depth: Int
    ) throws -> PixelSize<StoredGrid> {
        let bytes = FileBytes(file)
        let whole: PixelSize<StoredGrid>? =
            switch item.type {
            case "grid": items.grid(of: item, in: bytes)?.size
            case "iovl": items.overlay(of: item, in: bytes)?.size
            case "iden":
                try item.references("dimg").first.flatMap { items[$0] }.flatMap { input in
                    depth > 0 ? try size(of: input, items, file, depth - 1) : nil
                }
            default: HEIFCodedSize.of(item, in: file) ?? item.codedSize
            }
        guard let whole else { throw UndecodablePart("the description of its parts is damaged") }
        let shown = try item.part(of: whole)
        let upright = item.orientation.uprightSize(
            PixelSize<StoredGrid>(width: shown.width, height: shown.height))
        return PixelSize(width: upright.width, height: upright.height)
    }

    /// Makes the picture: rows from the top, without gaps.
    ///
    /// - Throws: `UndecodableData`, `CancellationError`.
    func samples() throws -> [UInt8] {
        let raster = try raster(picture, HEIFItems.mostDerivations, isTurned: true)
        guard raster.size == size else { throw UndecodablePart("its parts have other sizes than it states") }
        return pixels.layout.hasAlpha ? raster.samples : raster.withoutAlpha
    }

    /// Makes an item with alpha.
    private func raster(_ item: HEIFItem?, _ depth: Int, isTurned: Bool) throws -> HEIFRaster {
        guard !Task.isCancelled else { throw CancellationError() }
        guard let item, depth >= 0 else {
            throw UndecodablePart("one of its parts is missing, or made of itself")
        }
        var raster: HEIFRaster
        switch item.type {
        case "grid": raster = try grid(item, depth)
        case "iovl": raster = try overlay(item, depth)
        case "iden":
            raster = try self.raster(
                item.references("dimg").first.flatMap { cells.items[$0] }, depth - 1, isTurned: true)
        default: raster = try coded(item)
        }
        if let alpha = cells.items.alpha(of: item), alpha.id != item.id {
            raster.takeAlpha(of: try self.raster(alpha, depth - 1, isTurned: false))
        }
        return isTurned ? try raster.transformed(as: item) : raster
    }

    private func coded(_ item: HEIFItem) throws -> HEIFRaster {
        let header = try cells.header(of: item.id)
        guard header.size.area <= limit else { throw UndecodablePart("one of its parts is too large") }
        let format = SourcePixelFormat(header, profile: nil)
        let samples = try cells.samples(of: item.id, size: header.size, format)
        let depth = format.layout.type == .uint8 ? 8 : item.depth(in: FileBytes(cells.file)) ?? 16
        return HEIFRaster(
            samples, size: header.size, format.layout, depth: depth, isWide: pixels.layout.type == .uint16)
    }

    private func blank(_ size: PixelSize<StoredGrid>, _ fill: [Int]) throws -> HEIFRaster {
        guard size.area <= limit else { throw UndecodablePart("one of its parts is too large") }
        return HEIFRaster(size, fill, isWide: pixels.layout.type == .uint16)
    }

    private func grid(_ item: HEIFItem, _ depth: Int) throws -> HEIFRaster {
        guard let grid = cells.items.grid(of: item, in: FileBytes(cells.file)) else {
            throw UndecodablePart("the description of its grid is damaged")
        }
        var whole = try blank(grid.size, [0, 0, 0, 65535])
        let isTurned = !cells.items.repeatsTurns(item)
        var cellSize: PixelSize<StoredGrid>?
        for (index, id) in grid.tiles.enumerated() {
            let cell: HEIFRaster
            do {
                cell = try raster(cells.items[id], depth - 1, isTurned: isTurned)
            } catch let error as any UndecodableData {
                guard isTolerant else { throw error }
                continue
            }
            let size = cellSize ?? cell.size
            cellSize = size
            guard cell.size == size, grid.columns * size.width >= grid.size.width,
                grid.rows * size.height >= grid.size.height
            else {
                throw UndecodablePart(
                    cell.size == size
                        ? "the cells of its grid do not cover it" : "the cells of its grid have several sizes"
                )
            }
            whole.paste(cell, x: index % grid.columns * size.width, y: index / grid.columns * size.height)
        }
        return whole
    }

    private func overlay(_ item: HEIFItem, _ depth: Int) throws -> HEIFRaster {
        guard let overlay = cells.items.overlay(of: item, in: FileBytes(cells.file)),
            overlay.layers.count <= Self.mostLayers
        else { throw UndecodablePart("the description of its layers is damaged") }
        var whole = try blank(overlay.size, overlay.fill)
        for layer in overlay.layers {
            whole.paint(
                try raster(cells.items[layer.id], depth - 1, isTurned: true), x: layer.x, y: layer.y)
        }
        return whole
    }
}

extension HEIFItem {
    /// Returns the part of its pixels that its clean aperture shows.
    ///
    /// - Throws: `UndecodablePart` where that is outside.
    fileprivate func part(of size: PixelSize<StoredGrid>) throws -> PixelRect<StoredGrid> {
        guard let aperture else { return PixelRect(size) }
        guard let rect = aperture.rect(in: size) else {
            throw UndecodablePart("its clean aperture is outside")
        }
        return rect
    }
}

extension HEIFRaster {
    /// Returns the pixels as an item shows them.
    fileprivate func transformed(as item: HEIFItem) throws -> HEIFRaster {
        let part = try item.part(of: size)
        guard item.orientation != .up || part.size != size else { return self }
        return turned(part, item.orientation)
    }
}

/// A composed picture, which is made when it is read.
struct HEIFCompositionLevel: LevelReader {
    let composition: HEIFComposition
    let file: OpenFile
    let level: PyramidLevel

    var pixels: SourcePixelFormat { composition.pixels }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try file.checkedRows {
            do {
                try lend(rect, of: composition.samples(), row: row)
            } catch let error as any UndecodableData {
                throw RenderingError.undecodable(error, file)
            }
        }
    }
}
