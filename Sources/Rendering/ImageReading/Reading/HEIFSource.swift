internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import Resampling
package import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Reads HEIF and AVIF: of a grid only the tiles that a region touches, coded pictures through libvips' loader, and what
/// is made of several as a whole.
struct HEIFSource: ImageSource {
    private enum Content {
        case coded(LoaderSource)
        case tiles(HEIFTiles)
        case composed(HEIFComposition)
    }

    private let file: LoaderFile
    private let content: Content
    let pyramid: Pyramid
    /// The format of the pixels, with the profile in the file, or that of its coded colors; libvips ignores the latter.
    let pixels: SourcePixelFormat
    private let embedded: EmbeddedPicture?
    /// Whether the file states that its colors are multiplied by alpha, which libvips ignores.
    private let isPremultiplied: Bool
    /// Whether the decoder passes samples of limited range on.
    private let isLimited: Bool
    /// The bits of samples that the decoder puts into the highest bits of 16; nil for samples that fill their bytes.
    private let depth: Int?

    /// Creates the source of a coded picture.
    ///
    /// - Parameters:
    ///   - original: the file and its item; the loader may read a copy of it.
    ///   - isLimited: whether the loader passes samples of limited range on.
    init(
        _ loader: LoaderSource, header: VipsImage, _ items: HEIFItems, _ picture: HEIFItem,
        in original: OpenFile,
        isLimited: Bool
    ) {
        (file, pyramid) = (loader.file, loader.pyramid)
        self.isLimited = isLimited
        content = .coded(loader)
        isPremultiplied = header.hasAlpha && !picture.references("prem").isEmpty
        let isGray = header.bands - (header.hasAlpha ? 1 : 0) == 1
        pixels = SourcePixelFormat(
            header, profile: header.blob("icc-profile-data") ?? picture.colors?.profile(isGray: isGray))
        depth = header.format == .uint16 ? picture.depth(in: FileBytes(original)) : nil
        // Only libvips' loader shows what is there of a truncated file.
        embedded =
            loader.file.options.allowsTruncated
            ? nil : EmbeddedPicture(of: picture, items, original, size: header.size, pixels: pixels)
    }

    /// Creates the source of a picture that is made of others; usual grids of HEVC do not start libvips.
    ///
    /// - Throws: `UndecodableData`
    init(derived picture: HEIFItem, _ items: HEIFItems, _ file: LoaderFile) throws {
        self.file = file
        isPremultiplied = !picture.references("prem").isEmpty
        let coded = items.firstCoded(of: picture)
        let colors = picture.colors ?? coded?.colors
        let bytes = FileBytes(file.file)
        isLimited = coded.map { Self.passesRange($0, colors, file.file) } ?? false
        var profile: [UInt8]?
        if let range = picture.profile ?? coded?.profile {
            guard range.count <= Self.mostProfile else { throw UndecodablePart("its profile is too large") }
            do throws(FileError) { profile = try file.file.bytes(range) } catch {
                throw HEIFPart.Problem.file(error)
            }
        }
        let isTolerant = file.options.allowsTruncated
        let usual = SourcePixelFormat.rgb(profile: profile ?? colors?.profile)
        if !isTolerant, items.alpha(of: picture) == nil, let size = picture.upright,
            let tiles = HEIFTiles(of: picture, items, file, size: size, pixels: usual),
            tiles.areDecodedDirectly
        {
            (content, pixels, depth) = (.tiles(tiles), usual, nil)
            pyramid = Pyramid(size: size)
        } else {
            let limit = file.options.maximumPixels ?? DecodingBudget.pixels(.heif, bands: 4, sampleBytes: 1)
            let composition = try HEIFComposition(
                of: picture, items, file.file, profile: profile ?? colors?.profile, limit: limit,
                passesRange: isLimited, isTolerant: isTolerant)
            pixels = composition.pixels
            pyramid = Pyramid(size: composition.size)
            if !isTolerant, !composition.isGray,
                let tiles = HEIFTiles(
                    of: picture, items, file, size: composition.size, pixels: pixels, passesRange: isLimited)
            {
                content = .tiles(tiles)
                depth = pixels.layout.type == .uint16 ? coded?.depth(in: bytes) : nil
            } else {
                (content, depth) = (.composed(composition), nil)
            }
        }
        embedded =
            isTolerant
            ? nil : EmbeddedPicture(of: picture, items, file.file, size: pyramid.full.size, pixels: pixels)
    }

    /// The largest profile that is read without libvips.
    private static let mostProfile = 1 << 22

    /// Whether samples of limited range are left to `FullRangeLevel`: those without a matrix, which libheif 1.15 does not
    /// widen where they are gray, and narrows where they are red, green and blue.
    static func passesRange(_ coded: HEIFItem, _ colors: CodedColors?, _ file: OpenFile) -> Bool {
        let stream = HEIFCodedSize.sequence(of: coded, in: file)
        guard (colors?.isFullRange ?? stream?.isFullRange) == false else { return false }
        return (colors?.matrix ?? stream?.matrix) == 0 || coded.isMonochrome(in: FileBytes(file))
    }

    var description: String {
        if case .tiles = content { "grid tiles" } else { "whole image" }
    }

    var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: .sequential)
        switch content {
        case .coded(let loader): capabilities = loader.capabilities
        case .tiles: capabilities.access = .random
        case .composed: break
        }
        capabilities.embedded = embedded
        return capabilities
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        var reader: any LevelReader
        switch content {
        case .coded(let loader):
            reader = try loader.open(level)
            if reader.pixels != pixels { reader = ProfiledLevel(base: reader, profile: pixels.profile) }
        case .tiles(let tiles): reader = HEIFTileLevel(tiles: tiles, level: level)
        case .composed(let composition):
            reader = HEIFCompositionLevel(composition: composition, file: file.file, level: level)
        }
        if isLimited {
            reader = FullRangeLevel(base: reader)
        } else if let depth {
            reader = WidenedLevel(base: reader, depth: depth)
        }
        return isPremultiplied && pixels.layout.hasAlpha ? StraightLevel(base: reader) : reader
    }
}

/// The thumbnail that a HEIF file holds of a picture.
package struct EmbeddedPicture: Sendable {
    package let level: PyramidLevel
    private let pixels: SourcePixelFormat
    private let items: HEIFItems
    private let item: HEIFItem
    private let main: HEIFItem
    private let file: OpenFile

    /// The long sides of thumbnails: smaller ones are too soft for any size, and larger ones are no thumbnails.
    private static let sides = 256...2048

    /// Returns nil where there is no thumbnail of at least 256 pixels, or none with the aspect, to within a pixel of
    /// the thumbnail, the orientation and the channels of the picture.
    ///
    /// Of several, the largest is taken.
    init?(
        of main: HEIFItem, _ items: HEIFItems, _ file: OpenFile, size: PixelSize<StoredGrid>,
        pixels: SourcePixelFormat
    ) {
        guard !pixels.layout.hasAlpha, pixels.layout.type == .uint8 else { return nil }
        let candidates = items.items(referring: "thmb", to: main.id).compactMap { item in
            item.upright.map { (item: item, size: $0) }
        }
        let fitting = candidates.filter { item, thumbnail in
            ["hvc1", "av01"].contains(item.type) && item.orientation == main.orientation
                && Self.sides.contains(max(thumbnail.width, thumbnail.height))
                && thumbnail.width < size.width && thumbnail.height < size.height
                && abs(thumbnail.width * size.height - thumbnail.height * size.width)
                    <= max(size.width, size.height)
        }
        guard let best = fitting.max(by: { $0.size.area < $1.size.area }) else { return nil }
        level = PyramidLevel(
            index: 0, size: best.size, downsampleX: Double(size.width) / Double(best.size.width),
            downsampleY: Double(size.height) / Double(best.size.height))
        (self.items, item, self.main, self.file) = (items, best.item, main, file)
        var pixels = pixels
        if let range = best.item.profile, range.count < 1 << 22, let own = try? file.bytes(range) {
            pixels.profile = own
        } else if let colors = best.item.colors {
            pixels.profile = colors.profile
        }
        self.pixels = pixels
    }

    /// Decodes the thumbnail; nil where it is damaged or has other channels, so that the picture must be read.
    package func decoded() -> (any ImageSource)? {
        var samples = RowCollector(byteCount: level.size.area * pixels.layout.pixelBytes)
        do {
            if let hevc = try decodedDirectly() {
                hevc.rows(PixelRect(level.size)) { samples.push($0) }
                return Decoded(level: level, pixels: pixels, samples: samples.pixels)
            }
            let bytes = try HEIFPart.picture(item, colors: main, of: items, in: file)
            try HEIFDecoding.rows(of: bytes, PixelRect(level.size), size: level.size, pixels) {
                samples.push($0)
            }
        } catch {
            return nil
        }
        return Decoded(level: level, pixels: pixels, samples: samples.pixels)
    }

    /// Decodes it without libheif; nil where only that can.
    private func decodedDirectly() throws -> HEVCTiles? {
        // Two pixels share a sample of color; a decoder that turns an odd number of pixels shifts these samples.
        guard pixels.layout.bands == 3, let size = item.codedSize, item.storedSize == size,
            item.orientation == .up || size.width % 2 == 0 && size.height % 2 == 0,
            !item.properties.contains(where: { $0.type == "clap" }),
            let hevc = HEVCItems(
                [item.id], item.statesColors ? item.colors : main.colors, of: items, in: file)
        else { return nil }
        let walk = TileWalk(
            columns: 1, tileSize: size, rect: PixelRect(size), size: size, orientation: item.orientation)
        return try? HEVCTiles([item.id], of: hevc, walk, threads: 1)
    }

    private struct Decoded: ImageSource, LevelReader {
        let level: PyramidLevel
        let pixels: SourcePixelFormat
        let samples: [UInt8]

        var pyramid: Pyramid { Pyramid(levels: [level]) }
        var description: String { "the embedded thumbnail" }

        /// Nobody knows how the file's writer reduced the picture.
        func sharpeningCompensation(of level: PyramidLevel) -> Double { 0 }

        func open(_ level: PyramidLevel) -> any LevelReader { self }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            try lend(rect, of: samples, row: row)
        }
    }
}

extension HEIFItem {
    /// Whether it has a profile or coded colors of its own.
    var statesColors: Bool { properties.contains { $0.type == "colr" } }

    /// The size as it is shown; nil without a size.
    var upright: PixelSize<StoredGrid>? {
        storedSize.map { size in
            let upright = orientation.uprightSize(size)
            return PixelSize(width: upright.width, height: upright.height)
        }
    }
}

extension SourcePixelFormat {
    /// Creates the format of an image of libvips' HEIF loader.
    init(_ image: VipsImage, profile: [UInt8]?) {
        self.init(
            layout: SampleLayout(
                type: image.format == .uint16 ? .uint16 : .uint8, bands: image.bands, hasAlpha: image.hasAlpha
            ),
            interpretation: image.interpretation, profile: profile)
    }
}

/// Decodes HEIF files in memory.
enum HEIFDecoding {
    /// Lends rows of the picture in a file, which must have a size and format.
    ///
    /// - Throws: `UndecodablePart` also where the decoder makes other pixels than the file announces, or none.
    static func rows(
        of bytes: [UInt8], _ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>,
        _ format: SourcePixelFormat, _ row: (RawSpan) throws -> Void
    ) throws {
        do {
            let image = try VipsImage.load(
                bytes: bytes, with: "VipsForeignLoadHeifBuffer",
                ["access": .name("sequential"), "fail_on": .name("error")])
            guard image.size == size, SourcePixelFormat(image, profile: format.profile) == format else {
                throw UndecodablePart(
                    "a part has \(image.width)x\(image.height) pixels and \(image.bands) bands")
            }
            try image.withRegion { region in
                let height = 64
                for y in stride(from: rect.y, to: rect.maxY, by: height) {
                    let strip = PixelRect<StoredGrid>(
                        x: rect.x, y: y, width: rect.width, height: min(height, rect.maxY - y))
                    try region.prepare(strip)
                    for y in strip.y..<strip.maxY { try region.withRow(y, of: strip, row) }
                }
            }
        } catch let error as VipsError {
            throw UndecodablePart(error.log)
        }
    }
}
