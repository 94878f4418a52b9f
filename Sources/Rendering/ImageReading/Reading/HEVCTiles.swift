internal import Basics
internal import Containers
internal import Files
internal import HEVCDecoding
internal import ImageMetadata
internal import Resampling
internal import ViewportGeometry

/// Decodes HEVC items of a HEIF file without libheif, whose start costs more than decoding some tiles.
///
/// Pixels are those of libheif. What is unusual is left to it: other depths and samplings, matrices without weights, and
/// damage.
struct HEVCItems: Sendable {
    private let items: HEIFItems
    private let file: OpenFile
    private let use: Use

    /// What the items are, which decides the meaning of their samples.
    enum Use {
        /// Tiles of a grid: libheif ignores the colors that the file states of the grid and of its tiles.
        case tiles
        /// A picture, with the colors that the file states, else those in its stream.
        case picture(CodedColors?)
    }

    /// The largest configuration.
    private static let mostConfiguration = 1 << 16

    /// Returns nil where the library is missing, or the first item has another kind of samples.
    init?(_ ids: [Int], as use: Use, of items: HEIFItems, in file: OpenFile) {
        (self.items, self.file, self.use) = (items, file, use)
        guard let first = ids.first.flatMap({ items[$0] }), first.type == "hvc1", HEVCDecoder.isAvailable,
            (try? configuration(of: first)) != nil
        else { return nil }
    }

    /// Decodes an item.
    ///
    /// - Throws: `UndecodablePart`
    func decode(_ id: Int, size: PixelSize<StoredGrid>) throws -> HEVCPicture {
        guard let item = items[id] else { throw UndecodablePart("a tile is missing") }
        let configuration = try configuration(of: item)
        let data = try HEIFPart.data(of: item, pixels: size.area, in: file)
        do throws(HEVCDecodingError) {
            let picture = try HEVCDecoder.decode(data, configuration)
            guard picture.width == size.width, picture.height == size.height else { throw .unsupported }
            return picture
        } catch {
            throw UndecodablePart("\(error)")
        }
    }

    private func configuration(of item: HEIFItem) throws -> HEVCConfiguration {
        guard let box = item.properties.first(where: { $0.type == "hvcC" })?.box,
            box.count <= Self.mostConfiguration,
            let configuration = HEVCConfiguration(Array(try file.bytes(box).dropFirst(8)))
        else { throw UndecodablePart("a tile has no usable configuration") }
        return configuration
    }

    /// Returns the conversion of a picture's samples, as libheif chooses it.
    fileprivate func conversion(of picture: HEVCPicture) throws -> YCbCrConversion {
        let conversion: YCbCrConversion?
        switch use {
        case .tiles:
            let isUsual = picture.isFullRange && [2, 5, 6].contains(picture.matrix)
            conversion = isUsual ? YCbCrConversion(matrix: 2, isFullRange: true) : nil
        case .picture(let colors?):
            conversion = YCbCrConversion(matrix: colors.matrix, isFullRange: colors.isFullRange)
        case .picture(nil):
            conversion = YCbCrConversion(matrix: picture.matrix, isFullRange: picture.isFullRange)
        }
        guard let conversion else { throw UndecodablePart("its colors are unusual") }
        return conversion
    }
}

/// Decoded tiles, of which rows are shown turned.
struct HEVCTiles {
    /// The tiles, row by row.
    private let pictures: [HEVCPicture]
    private let conversion: YCbCrConversion
    private let columns: Int
    private let tileSize: PixelSize<StoredGrid>
    /// All pixels of the tiles, in the picture as stored.
    private let rect: PixelRect<StoredGrid>
    /// The size of the picture as stored.
    private let size: PixelSize<StoredGrid>
    private let orientation: Orientation

    /// Decodes tiles on several threads.
    ///
    /// - Parameters:
    ///   - ids: the items of the tiles, row by row.
    ///   - rect: the pixels that they cover, in the picture as stored; tiles begin at its corner.
    ///   - size: the size of the picture as stored.
    init(
        _ ids: [Int], of items: HEVCItems, columns: Int, tileSize: PixelSize<StoredGrid>,
        rect: PixelRect<StoredGrid>, in size: PixelSize<StoredGrid>, _ orientation: Orientation, threads: Int
    ) throws {
        let results = Processors.map(below: ids.count, threads: max(1, threads)) { index in
            Result { try items.decode(ids[index], size: tileSize) }
        }
        pictures = try results.map { try $0.get() }
        conversion = try items.conversion(of: pictures[0])
        for picture in pictures {
            // One conversion is enough: the colors of the picture count, or those of equal tiles.
            guard picture.matrix == pictures[0].matrix, picture.isFullRange == pictures[0].isFullRange else {
                throw UndecodablePart("its tiles have several kinds of colors")
            }
        }
        (self.columns, self.tileSize, self.rect) = (columns, tileSize, rect)
        (self.size, self.orientation) = (size, orientation)
    }

    /// Lends RGB rows of a rectangle of the picture as shown, which the tiles must cover.
    func rows(_ shown: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) rethrows {
        var samples = [UInt8](repeating: 0, count: shown.width * 3)
        for y in shown.y..<shown.maxY {
            let first = stored(shown.x, y)
            let second = stored(shown.x + 1, y)
            let step = (x: second.x - first.x, y: second.y - first.y)
            var (at, x, y) = (0, first.x, first.y)
            while at < shown.width {
                let (column, line) = ((x - rect.x) / tileSize.width, (y - rect.y) / tileSize.height)
                let inner = (x: x - rect.x - column * tileSize.width, y: y - rect.y - line * tileSize.height)
                let count = min(shown.width - at, run(inner, step))
                conversion.convert(
                    pictures[line * columns + column], from: inner, step: step, count: count, into: &samples,
                    at: at * 3)
                at += count
                x += step.x * count
                y += step.y * count
            }
            try samples.withRow(samples.indices, row)
        }
    }

    /// Returns the position of a shown pixel as stored.
    private func stored(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let pixel = orientation.stored(PixelRect(x: x, y: y, width: 1, height: 1), in: size)
        return (pixel.x, pixel.y)
    }

    /// Returns the number of pixels from one in a tile to the border of the tile.
    private func run(_ inner: (x: Int, y: Int), _ step: (x: Int, y: Int)) -> Int {
        switch step {
        case (1, 0): tileSize.width - inner.x
        case (-1, 0): inner.x + 1
        case (0, 1): tileSize.height - inner.y
        default: inner.y + 1
        }
    }
}
