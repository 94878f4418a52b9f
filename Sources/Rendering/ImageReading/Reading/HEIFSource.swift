internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import Resampling
package import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Reads HEIF and AVIF: of a grid only the tiles that a region touches, other pictures through libvips' loader.
struct HEIFSource: ImageSource {
    private let file: LoaderFile
    let pyramid: Pyramid
    /// libvips' loader; nil until it is needed for a file that was opened without it.
    private let loader: LoaderSource?
    /// The grid, where its tiles can be decoded one by one.
    private let tiles: HEIFTiles?
    /// The profile in the file, or that of its coded colors; libvips ignores the latter.
    let profile: [UInt8]?
    private let embedded: EmbeddedPicture?
    /// Whether the file states that its colors are multiplied by alpha, which libvips ignores.
    private let isPremultiplied: Bool
    /// Whether samples are gray of limited range, which the decoder leaves so.
    private let isLimitedGray: Bool

    init(_ loader: LoaderSource, header: VipsImage) {
        (file, pyramid) = (loader.file, loader.pyramid)
        self.loader = loader
        let items = HEIFItems(FileBytes(file.file))
        let pictures = items?.pictures ?? []
        guard let items, pictures.indices.contains(file.options.page),
            pictures.count == max(1, header.int("n-pages") ?? 1)
        else {
            (tiles, profile, embedded) = (nil, header.blob("icc-profile-data"), nil)
            (isPremultiplied, isLimitedGray) = (false, false)
            return
        }
        let picture = pictures[file.options.page]
        isPremultiplied = header.hasAlpha && !picture.references("prem").isEmpty
        isLimitedGray = Self.isLimitedGray(picture, items, file.file)
        let isGray = header.bands - (header.hasAlpha ? 1 : 0) == 1
        let coded = Self.colors(of: picture, items)
        profile = header.blob("icc-profile-data") ?? coded?.profile(isGray: isGray)
        let format = SourcePixelFormat(header, profile: profile)
        // Only libvips' loader shows what is there of a truncated file.
        guard !file.options.allowsTruncated else {
            (tiles, embedded) = (nil, nil)
            return
        }
        tiles = HEIFTiles(of: picture, items, file, size: header.size, pixels: format)
        embedded = EmbeddedPicture(of: picture, items, file.file, size: header.size, pixels: format)
    }

    /// Opens a file of one picture of HEVC tiles without starting libvips; nil for all others.
    ///
    /// - Parameter items: the items of the file.
    init?(_ file: LoaderFile, _ items: HEIFItems) {
        guard !file.options.allowsTruncated, file.options.page == 0, items.pictures.count == 1,
            let picture = items.primary.flatMap({ items[$0] }), picture.type == "grid",
            let size = picture.upright
        else { return nil }
        if let range = picture.profile {
            guard range.count <= Self.mostProfile, let profile = try? file.file.bytes(range) else {
                return nil
            }
            self.profile = profile
        } else {
            profile = picture.colors?.profile
        }
        let format = SourcePixelFormat.rgb(profile: profile)
        guard let tiles = HEIFTiles(of: picture, items, file, size: size, pixels: format),
            tiles.areDecodedDirectly
        else { return nil }
        (self.file, self.tiles, loader) = (file, tiles, nil)
        isPremultiplied = false
        isLimitedGray = Self.isLimitedGray(picture, items, file.file)
        pyramid = Pyramid(size: size)
        embedded = EmbeddedPicture(of: picture, items, file.file, size: size, pixels: format)
    }

    /// The largest profile that is read without libvips.
    private static let mostProfile = 1 << 22

    /// The colors of a picture; a grid without any has those of its tiles.
    private static func colors(of picture: HEIFItem, _ items: HEIFItems) -> CodedColors? {
        picture.colors ?? picture.references("dimg").first.flatMap { items[$0]?.colors }
    }

    /// Whether a picture is gray of limited range, and the installed libheif does not widen it.
    private static func isLimitedGray(_ picture: HEIFItem, _ items: HEIFItems, _ file: OpenFile) -> Bool {
        guard colors(of: picture, items)?.isFullRange == false else { return false }
        let coded = picture.references("dimg").first.flatMap { items[$0] } ?? picture
        return coded.isMonochrome(in: FileBytes(file)) && !HEIFDecoding.widensGray
    }

    var description: String { tiles == nil ? "whole image" : "grid tiles" }

    var capabilities: SourceCapabilities {
        var capabilities = loader?.capabilities ?? SourceCapabilities()
        capabilities.frames = file
        if tiles != nil { capabilities.access = .random }
        capabilities.embedded = embedded
        return capabilities
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        let reader: any LevelReader
        if let tiles, level.index == 0 {
            reader = HEIFTileLevel(tiles: tiles, level: level) { () throws(RenderingError) in
                try self.reader(level)
            }
        } else {
            let loaded = try self.reader(level)
            reader = profile == nil ? loaded : ProfiledLevel(base: loaded, profile: profile)
        }
        let wide: any LevelReader = isLimitedGray ? FullRangeLevel(base: reader) : reader
        return isPremultiplied ? StraightLevel(base: wide) : wide
    }

    /// Opens a level through libvips.
    private func reader(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        if let loader { return try loader.open(level) }
        let header = try file.header()
        return try LoaderSource(file, header: header, pages: file.pages(of: header)).open(level)
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
                [item.id], as: .picture(item.statesColors ? item.colors : main.colors), of: items, in: file)
        else { return nil }
        return try? HEVCTiles(
            [item.id], of: hevc, columns: 1, tileSize: size, rect: PixelRect(size), in: size,
            item.orientation, threads: 1)
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
            let pixelBytes = pixels.layout.pixelBytes
            for y in rect.y..<rect.maxY {
                let start = (y * level.size.width + rect.x) * pixelBytes
                try samples.withRow(start..<(start + rect.width * pixelBytes), row)
            }
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
    /// Whether the installed libheif widens gray of limited range: version 1.15 does not.
    ///
    /// It is asked for black, which is 16 in the file; without a decoder for AV1, the answer is no.
    static let widensGray: Bool = {
        let black = try? VipsImage.load(bytes: blackAVIF, with: "VipsForeignLoadHeifBuffer").pixels().copied()
        return black?.first == 0
    }()
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

extension HEIFDecoding {
    /// An AVIF of 16x16 black pixels without colors, in limited range.
    static let blackAVIF = [UInt8](hexadecimal: blackDigits.filter { !$0.isNewline }) ?? []

    private static let blackDigits = """
        0000001c667479706176696600000000617669666d6966316d696166000000f06d657461000000000000002868646c72
        0000000000000000706963740000000000000000000000006c696261766966000000000e7069746d0000000000010000
        001e696c6f63000000004400000100010000000100000114000000160000002869696e660000000000010000001a696e
        6665020000000001000061763031436f6c6f72000000006869707270000000496970636f000000146973706500000000
        00000010000000100000000e706978690000000001080000000c6176314381001c0000000013636f6c726e636c780001
        000d0006000000001769706d610000000000000001000104010283040000001e6d64617412000a08180cffd86021a0c4
        32081000001e18b3562a
        """
}
