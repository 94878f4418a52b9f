internal import Basics
internal import Containers
internal import ImageMetadata
package import ImageReading
internal import JPEGCoding
internal import PNGEncoding
public import Pictures
package import ViewportGeometry
package import Vips

/// The trade-off between time and size of PNG files.
public enum PNGCompression: String, CaseIterable, Hashable, Codable, Sendable {
    /// The fastest: filters and prefix codes only, with files a quarter larger or more.
    case fast
    /// Several times faster than zlib, and smaller on photographs.
    case standard = "default"
    /// The smallest: all filters, and the slowest search for matches.
    case small

    var level: PNGEncoder.Level {
        switch self {
        case .fast: .fast
        case .standard: .standard
        case .small: .small
        }
    }
}

/// Encodes pictures as files.
public struct PictureEncoder: Hashable, Codable, Sendable {
    /// The format of the files.
    public var format: PictureFormat
    /// The quality of jpg, webp and avif, 1 to 100; nil for the format's default.
    public var quality: Int?
    /// The compression of png.
    public var compression = PNGCompression.standard
    /// Whether a png of at most 256 colors may have a palette, which most programs that train take for one channel.
    package var usesPalette = true
    /// The number of threads for a large picture, 1 or 2; the bytes are the same.
    package var threads = 2

    /// Creates an encoder.
    public init(_ format: PictureFormat, quality: Int? = nil) {
        self.format = format
        self.quality = quality
    }

    /// Returns the bytes of a file without blocking the caller's thread; equal pictures give equal bytes.
    ///
    /// Work runs on a pool of threads for blocking work, one per processor. Encoding stops soon after the task is
    /// cancelled: at the next row of a JPEG, after at most 5 MB of samples of a PNG, and between strips of a TIFF. Other
    /// formats are compressed in one call of their library, which runs to its end; of 12 megapixels, WebP takes 1 s,
    /// JPEG 2000 1.4 s, GIF 3 s and AVIF 13 s of CPU time.
    ///
    /// - Throws: `RenderingError.cannotEncode` where the format cannot hold the picture or is not installed, or
    ///   `CancellationError`.
    public func encode(_ picture: Picture) async throws -> [UInt8] {
        try await BlockingExecutor.shared.run { try encodeSynchronously(picture) }
    }

    /// Returns the bytes of a file, as ``encode(_:)``, on the calling thread, which is blocked until they are finished.
    ///
    /// - Throws: `RenderingError.cannotEncode` where the format cannot hold the picture or is not installed, or
    ///   `CancellationError` soon after the surrounding task, if any, is cancelled.
    public func encodeSynchronously(_ picture: Picture) throws -> [UInt8] {
        if format == .png, picture.interpretation != "cmyk" { return try png(picture) }
        if format == .jpg, picture.isPlain { return try jpeg(picture) }
        let saver = saver
        return try cancellable { () throws(VipsError) in
            let bytes = try converted(picture).watchedByTask { image throws(VipsError) in
                try image.saved(with: saver, arguments(picture))
            }
            return switch format {
            case .webp: WebPFile(bytes).withoutEXIF().bytes
            case .avif: picture.statingColors(in: bytes)
            case .tif: StatedResolution.tiff(bytes, nil)
            case .jpg: StatedResolution.jpeg(bytes, nil)
            default: bytes
            }
        }
    }

    /// Returns the picture as the saver gets it: in sRGB for formats that have no place for a profile.
    private func converted(_ picture: Picture) throws(VipsError) -> VipsImage {
        let image = try picture.image(threads: threads == 1 ? 1 : nil)
        return format.hasProfile || picture.profile == nil ? image : try image.convertedToSRGB()
    }

    /// Gives errors of libvips the words of this module, and cancellation its own error.
    private func cancellable<R>(_ body: () throws(VipsError) -> R) throws -> R {
        let result: R
        do throws(VipsError) {
            result = try body()
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            throw RenderingError.cannotEncode(format: format.rawValue, detail: error.log)
        }
        guard !Task.isCancelled else { throw CancellationError() }
        return result
    }

    private func png(_ picture: Picture) throws -> [UInt8] {
        guard let channels = PNGFormat.Channels(rawValue: picture.bands) else {
            throw RenderingError.cannotEncode(format: "png", detail: "\(picture.bands) bands")
        }
        var format = PNGFormat(
            width: picture.size.width, height: picture.size.height, channels: channels,
            bitDepth: picture.depth == 16 ? .sixteen : .eight, colorSpace: .sRGB)
        format.state(picture.profile)
        do {
            var encoder = PNGEncoder(level: compression.level, threads: threads)
            encoder.usesPalette = usesPalette
            return try encoder.encode(picture.bytes.span, as: format)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw RenderingError.cannotEncode(format: "png", detail: "\(error)")
        }
    }

    private func jpeg(_ picture: Picture) throws -> [UInt8] {
        do throws(JPEGEncodingError) {
            return try JPEGEncoder(quality: quality ?? JPEGEncoder.usualQuality).encode(
                picture.bytes, width: picture.size.width, height: picture.size.height, bands: picture.bands)
        } catch {
            guard !error.isCancelled else { throw CancellationError() }
            throw RenderingError.cannotEncode(format: "jpg", detail: error.reason)
        }
    }

    var saver: String { "\(format.saver)_buffer" }

    func arguments(_ picture: Picture) -> [String: VipsArgument] {
        var arguments: [String: VipsArgument] = [:]
        // libvips would add an EXIF block of its own; a profile is only kept together with it, but AVIF gets it afterwards.
        if picture.profile == nil || format == .avif, format != .tif { arguments["strip"] = .bool(true) }
        if let quality, ![.png, .tif, .gif].contains(format) { arguments["Q"] = .int(quality) }
        if format == .avif { arguments["compression"] = .name("av1") }
        if format == .tif { arguments["compression"] = .name("deflate") }
        return arguments
    }
}

extension PictureEncoder {
    private enum CodingKeys: String, CodingKey { case format, quality, compression }

    /// Decodes an encoder; settings that are missing, but for the format, have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(PictureFormat.self, forKey: .format))
        try values.read(&quality, .quality)
        try values.read(&compression, .compression)
    }
}

extension PNGFormat {
    /// States the colors of a profile; those of sRGB without one.
    mutating func state(_ profile: [UInt8]?) {
        colorSpace = profile.map { .icc(profile: $0, name: "icc") } ?? .sRGB
        guard let numbers = profile.flatMap(ICCProfile.init)?.numbers else { return }
        colorNumbers = PNGFormat.ColorNumbers(
            primaries: UInt8(numbers.primaries), transfer: UInt8(numbers.transfer))
    }
}

extension ImageFile {
    /// Returns a block of the tags that say where a picture lies on a map; nil where the file has none.
    fileprivate func geography(showing rect: Rect<ImageSpace>, of picture: Picture) -> [UInt8]? {
        let isUnchanged =
            interpretation == picture.interpretation && (picture.profile == nil) == (profile == nil)
        let tags = geoTags(showing: rect, as: picture.size, isUnchanged: isUnchanged)
        return tags.map { TIFFWriter(.little).block($0.values) }
    }
}

extension Picture {
    /// Whether it has 8-bit sRGB or gray samples without alpha and profile.
    fileprivate var isPlain: Bool {
        depth == 8 && !hasAlpha && profile == nil && (bands == 1 || bands == 3) && interpretation != "cmyk"
    }

    /// Returns an AVIF with the colors of the picture stated by numbers, and by its profile where it has one.
    fileprivate func statingColors(in file: [UInt8]) -> [UInt8] {
        let profile = profile.flatMap(ICCProfile.init)
        // Those of sRGB and Display P3; 2 is unspecified.
        let primaries = profile.map { $0.isSRGB ? 1 : $0.isDisplayP3 ? 12 : 2 } ?? 1
        let numbers = profile?.numbers ?? (primaries, primaries == 2 ? 2 : 13)
        return HEIFCopy.of(
            file, primaries: numbers.primaries, transfer: numbers.transfer, profile: self.profile) ?? file
    }

    /// Returns the picture as input for libvips' savers.
    ///
    /// - Parameter threads: the most threads of a saver; nil for the setting of the process.
    package func image(threads: Int? = nil) throws(VipsError) -> VipsImage {
        let image = try VipsImage.pixels(
            bytes, width: size.width, height: size.height, bands: bands,
            format: depth == 16 ? .uint16 : .uint8, interpretation: interpretation, threads: threads)
        // Pixels in memory have no metadata.
        return try profile.map { profile throws(VipsError) in try image.withoutMetadata(profile: profile) }
            ?? image
    }
}

extension PictureEncoder {
    /// Returns the bytes of a file with the EXIF, XMP and IPTC blocks of another one.
    ///
    /// They are adapted to the new picture: it is upright, has another size, the old preview is removed, the area of a
    /// panorama is that of the part, and faces and other positions move with the pixels.
    ///
    /// - Parameter rect: the part of the upright and turned image that the picture shows; nil where it is turned by another angle.
    /// - Returns: the file, and the names of the blocks that its format cannot hold, such as "EXIF".
    /// - Throws: `RenderingError.cannotEncode` or `CancellationError`, as `encodeSynchronously(_:)`; `RenderingError` of another kind
    ///   where the file cannot be read.
    package func encodeSynchronously(
        _ picture: Picture, withWritingOf file: ImageFile, showing rect: Rect<ImageSpace>?
    ) throws -> (file: [UInt8], leftOut: [String]) {
        let metadata = try PictureMetadata(
            of: file, file.change(showing: rect, as: picture.size, isSRGB: picture.profile == nil))
        let geography = format == .tif ? rect.flatMap { file.geography(showing: $0, of: picture) } : nil
        guard format == .tif else {
            return metadata.added(to: try encodeSynchronously(picture), format)
        }
        let (saver, arguments) = (saver, arguments(picture))
        return try cancellable { () throws(VipsError) in
            let saved = try picture.image().withBlobs(metadata.blobs).watchedByTask {
                image throws(VipsError) in try image.saved(with: saver, arguments)
            }
            let stated = StatedResolution.tiff(saved, metadata.resolution)
            let joined = metadata.exif.flatMap { TIFFMerger.adding($0, to: stated) }
            let whole = joined ?? stated
            return (
                geography.flatMap { TIFFMerger.adding($0, to: whole) } ?? whole,
                metadata.exif != nil && joined == nil ? ["EXIF"] : []
            )
        }
    }

    /// Returns an animation of a file with its EXIF, XMP and IPTC blocks, as ``encodeSynchronously(_:withWritingOf:showing:)``.
    package func adding(
        writingOf file: ImageFile, showing rect: Rect<ImageSpace>?, to animation: [UInt8], _ first: Picture
    ) throws -> (file: [UInt8], leftOut: [String]) {
        let isSRGB = first.profile == nil || !format.hasProfile
        return try PictureMetadata(of: file, file.change(showing: rect, as: first.size, isSRGB: isSRGB))
            .added(to: animation, format)
    }

    /// Returns the bytes of a JPEG, PNG or WebP with these blocks, which describe the picture already.
    ///
    /// - Parameter exif: the block from its byte-order mark on.
    /// - Throws: `RenderingError.cannotEncode` or `CancellationError`, as `encodeSynchronously(_:)`.
    package func encodeSynchronously(_ picture: Picture, exif: [UInt8]?, xmp: [UInt8]?) throws -> [UInt8] {
        var file = try encodeSynchronously(picture)
        if format == .webp, exif != nil || xmp != nil { file = WebPFile.extended(file) }
        return PictureMetadata(exif: exif, xmp: xmp).added(to: file, format).file
    }

    /// Returns a JPEG of this encoder with a gain map behind it, a file of Ultra HDR, without blocking the caller's thread.
    ///
    /// The map has the quality of the picture.
    ///
    /// - Throws: `RenderingError.cannotEncode` for other formats; `CancellationError`.
    public func adding(_ map: RenderedGainMap, to jpeg: [UInt8]) async throws -> [UInt8] {
        try await BlockingExecutor.shared.run { try addingSynchronously(map, to: jpeg) }
    }

    /// Returns a JPEG with a gain map behind it, as ``adding(_:to:)``, on the calling thread, which is blocked until then.
    ///
    /// - Throws: `RenderingError.cannotEncode` for other formats; `CancellationError`.
    public func addingSynchronously(_ map: RenderedGainMap, to jpeg: [UInt8]) throws -> [UInt8] {
        guard format == .jpg else {
            throw RenderingError.cannotEncode(format: format.rawValue, detail: "it holds no gain map")
        }
        return UltraHDRFile(picture: jpeg, map: try encodeSynchronously(map.picture), map.values).bytes
    }
}

/// A file format that pictures can be encoded in.
public enum PictureFormat: String, CaseIterable, Codable, Sendable {
    /// PNG.
    case png
    /// JPEG.
    case jpg
    /// WebP.
    case webp
    /// AVIF, where libvips has a codec for it.
    case avif
    /// TIFF, deflated.
    case tif
    /// GIF.
    case gif
    /// JPEG 2000, where libvips has a codec for it.
    case jp2

    /// Creates the format of a file extension, in any case and with its usual variants.
    public init?(fileExtension: String) {
        // A type has the name of the extension that is written.
        guard let type = FileType.writtenAs(fileExtension) else { return nil }
        self.init(rawValue: type.fileExtension)
    }

    /// Whether it supports transparency.
    public var hasAlpha: Bool { self != .jpg }

    /// Whether it has a place for a color profile; pictures of other formats are converted to sRGB.
    public var hasProfile: Bool { self != .gif && self != .jp2 }

    /// Whether it supports 16 bits per sample.
    public var isDeep: Bool { self == .png || self == .tif }

    /// Whether it supports CMYK.
    public var hasCMYK: Bool { self == .jpg || self == .tif }

    /// The nickname of libvips' saver for the format.
    package var saver: String {
        switch self {
        case .png: "pngsave"
        case .jpg: "jpegsave"
        case .webp: "webpsave"
        case .avif: "heifsave"
        case .tif: "tiffsave"
        case .gif: "gifsave"
        case .jp2: "jp2ksave"
        }
    }
}

extension PictureFormat {
    /// The formats that can be written with the installed libvips.
    package static let installed: [PictureFormat] = allCases.filter { format in
        let probe = Picture(
            size: PixelSize(width: 16, height: 16), bands: 3, depth: 8, hasAlpha: false, profile: nil,
            interpretation: "srgb", bytes: [UInt8](repeating: 128, count: 16 * 16 * 3))
        return (try? PictureEncoder(format).encodeSynchronously(probe)) != nil
    }
}
