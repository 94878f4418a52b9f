internal import JPEGCoding
internal import PNGEncoding
internal import ViewportGeometry
internal import Vips

/// Turns pictures into the bytes of files.
public struct PictureEncoder: Sendable {
    public var format: PictureFormat
    /// 1 to 100 for jpg, webp and avif; nil for the format's usual one.
    public var quality: Int?
    /// How many threads a large PNG may take, 1 or 2; the bytes are the same.
    package var threads = 2

    public init(_ format: PictureFormat, quality: Int? = nil) {
        self.format = format
        self.quality = quality
    }

    /// The bytes of a file; equal pictures give equal bytes.
    ///
    /// - Throws: `RenderingError.cannotEncode` where the format cannot hold the picture or is not installed.
    public func encode(_ picture: Picture) throws(RenderingError) -> [UInt8] {
        if format == .png, picture.interpretation != "cmyk" { return try png(picture) }
        if format == .jpg, picture.isPlain { return try jpeg(picture) }
        do {
            let bytes = try picture.image().saved(with: saver, arguments(picture))
            return format == .webp ? WebPFile(bytes).withoutEXIF().bytes : bytes
        } catch {
            throw .cannotEncode(format: format.rawValue, detail: error.log)
        }
    }

    private func png(_ picture: Picture) throws(RenderingError) -> [UInt8] {
        guard let channels = PNGFormat.Channels(rawValue: picture.bands) else {
            throw .cannotEncode(format: "png", detail: "\(picture.bands) bands")
        }
        let format = PNGFormat(
            width: picture.size.width, height: picture.size.height, channels: channels,
            bitDepth: picture.depth == 16 ? .sixteen : .eight,
            colorSpace: picture.profile.map { .icc(profile: $0, name: "icc") } ?? .sRGB)
        do {
            return try PNGEncoder(threads: threads).encode(picture.bytes.span, as: format)
        } catch {
            throw .cannotEncode(format: "png", detail: "\(error)")
        }
    }

    private func jpeg(_ picture: Picture) throws(RenderingError) -> [UInt8] {
        do {
            return try JPEGEncoder(quality: quality ?? JPEGEncoder.usualQuality).encode(
                picture.bytes, width: picture.size.width, height: picture.size.height, bands: picture.bands)
        } catch {
            throw .cannotEncode(format: "jpg", detail: error.reason)
        }
    }

    var saver: String { "\(format.saver)_buffer" }

    func arguments(_ picture: Picture) -> [String: VipsArgument] {
        var arguments: [String: VipsArgument] = [:]
        // libvips would make an EXIF block up; a profile only stays with it.
        if picture.profile == nil, format != .tif { arguments["strip"] = .bool(true) }
        if let quality, ![.png, .tif, .gif].contains(format) { arguments["Q"] = .int(quality) }
        if format == .avif { arguments["compression"] = .name("av1") }
        if format == .tif { arguments["compression"] = .name("deflate") }
        return arguments
    }
}

extension Picture {
    /// Whether it is sRGB or gray of 8 bits and nothing else.
    fileprivate var isPlain: Bool {
        depth == 8 && !hasAlpha && profile == nil && (bands == 1 || bands == 3) && interpretation != "cmyk"
    }

    /// The picture as libvips' savers take it.
    func image() throws(VipsError) -> VipsImage {
        let image = try VipsImage.pixels(
            bytes, width: size.width, height: size.height, bands: bands,
            format: depth == 16 ? .uint16 : .uint8, interpretation: interpretation)
        // Pixels in memory have no metadata yet.
        return try profile.map { profile throws(VipsError) in try image.withoutMetadata(profile: profile) }
            ?? image
    }
}
