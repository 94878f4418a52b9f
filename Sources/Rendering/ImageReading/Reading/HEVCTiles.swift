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
    /// The colors that the file states of the items; without any, those in their streams count.
    private let colors: CodedColors?

    /// The largest configuration.
    private static let mostConfiguration = 1 << 16

    /// Returns nil where the library is missing, or the first item has another kind of samples.
    init?(_ ids: [Int], _ colors: CodedColors?, of items: HEIFItems, in file: OpenFile) {
        (self.items, self.file, self.colors) = (items, file, colors)
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
        let conversion =
            if let colors {
                YCbCrConversion(matrix: colors.matrix, isFullRange: colors.isFullRange)
            } else {
                YCbCrConversion(matrix: picture.matrix, isFullRange: picture.isFullRange)
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
    private let walk: TileWalk

    /// Decodes tiles on several threads.
    ///
    /// - Parameter ids: the items of the tiles, row by row.
    init(_ ids: [Int], of items: HEVCItems, _ walk: TileWalk, threads: Int) throws {
        let results = Processors.map(below: ids.count, threads: max(1, threads)) { index in
            Result { try items.decode(ids[index], size: walk.tileSize) }
        }
        pictures = try results.map { try $0.get() }
        conversion = try items.conversion(of: pictures[0])
        for picture in pictures {
            // One conversion is enough: the colors of the picture count, or those of equal tiles.
            guard picture.matrix == pictures[0].matrix, picture.isFullRange == pictures[0].isFullRange else {
                throw UndecodablePart("its tiles have several kinds of colors")
            }
        }
        self.walk = walk
    }

    /// Lends rows of a rectangle of the picture as it is shown: RGB, 8 bits each.
    func rows(_ shown: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) rethrows {
        try walk.rows(
            shown, pixelBytes: 3,
            fill: { run, samples in
                conversion.convert(
                    pictures[run.tile], from: run.first, step: run.step, count: run.count, into: &samples,
                    at: run.offset)
            }, row)
    }
}
