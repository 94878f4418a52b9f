internal import Containers
internal import Files
internal import ImageMetadata
internal import JPEGIndexing
internal import PNGIndexing
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// A file that is being opened.
struct Opening: Sendable {
    var file: OpenFile
    let options: OpenOptions
    let identity: SourceIdentity
    let scan: DamageScan
    /// Whether a file that does not end as it should is scanned for damage now.
    let scans: Bool

    /// The part before a film that follows the picture; nil where there is none.
    ///
    /// libheif 1.15 takes the type of such a film, which is that of an MP4, for that of the picture.
    var withoutFilm: Opening? {
        let bytes = FileBytes(file)
        guard let type = FileType(bytes), [.heif, .avif].contains(type),
            let film = (try? EmbeddedFilm.find(in: bytes)) ?? nil,
            // In a box of its own, it is no second file.
            film.kind != .box, bytes.fourCC(at: film.range.lowerBound - 4) != "mpvd"
        else { return nil }
        var picture = self
        picture.file = OpenFile(0..<film.range.lowerBound, of: file)
        return picture
    }

    /// What the file states of itself, without words; nil for formats that have no metadata.
    var contents: FileMetadata? {
        FileMetadata(contentsOf: FileBytes(file), name: OutputFile.name(of: file.path), .exif)
    }
}

/// Reads a format in its own way.
///
/// The first opener that takes a file makes its image; libvips reads what all of them leave.
protocol FileOpener: SendableMetatype {
    /// Opens a file; returns nil for those that are left to the next reader.
    static func open(_ opening: Opening) throws(RenderingError) -> ImageFile?
}

extension ImageFile {
    /// The readers of single formats, in the order in which they are tried.
    static let openers: [any FileOpener.Type] = [
        JPEGOpener.self, RawPreviewOpener.self, PNGOpener.self, TIFFOpener.self, HEIFOpener.self,
    ]

    /// Creates the image of a file with one page that is read without libvips.
    static func direct(
        _ opening: Opening, _ format: ImageFormat,
        _ size: PixelSize<StoredGrid>, _ pixels: SourcePixelFormat, _ source: any ImageSource,
        orientation: Int? = nil
    ) throws(RenderingError) -> Self {
        let (file, options, exif) = (opening.file, opening.options, opening.contents?.exif)
        let ownLimit =
            format.isDecodedWhole
            ? DecodingBudget.pixels(format, bands: pixels.layout.bands, sampleBytes: pixels.layout.type.bytes)
            : OpenOptions.defaultLimit
        let limit = options.maximumPixels ?? ownLimit
        guard size.area <= limit else { throw .tooManyPixels(file: file.path, size: size, limit: limit) }
        // The decoder applies the turns of HEIF, and its EXIF repeats them.
        let fileOrientation = format == .heif ? .up : Orientation(exif: exif?.orientation ?? orientation ?? 1)
        let applied = options.appliesOrientation ? fileOrientation : .up
        return Self(
            path: file.path, format: format, storedSize: size, fileOrientation: fileOrientation,
            orientation: applied.followed(by: options.turn), pages: 1, page: 0, exif: exif,
            profile: pixels.profile.flatMap(ICCProfile.init), interpretation: pixels.interpretation,
            bands: pixels.layout.bands, hasAlpha: pixels.layout.hasAlpha, damage: nil, opened: file,
            identity: opening.identity, options: options, source: source)
    }
}

/// Opens a JPEG by its own header, without starting libvips.
///
/// Returns nil for other files, and for JPEGs that are left to libvips: truncated ones, and progressive ones of CMYK or
/// whose scans leave out coefficients.
private enum JPEGOpener: FileOpener {
    static func open(_ opening: Opening) throws(RenderingError) -> ImageFile? {
        let (file, options, scan) = (opening.file, opening.options, opening.scan)
        guard !options.allowsTruncated, options.page == 0,
            let source: any JPEGSource = JPEGRegionSource(file, options, scan)
                ?? ProgressiveJPEGSource(file, options, scan)
        else { return try ImageFile.withLateHeight(opening) }
        if opening.scans { try source.refuseDamage() }
        var image = try ImageFile.direct(opening, .jpeg, source.header.size, source.pixels, source)
        // Of remote files, looking at other pictures would take a request each.
        if !file.isRemote { image.pages += MultiPictureIndex.views(in: FileBytes(file)).count }
        guard opening.scans else { return image }
        image.damage = try scan.damage(.jpeg)?.text
        if options.indexesAtOpening { image.source = (try? source.indexedWhereAsked()) ?? source }
        return image
    }
}

/// Opens a PNG by its own header, without starting libvips.
///
/// Returns nil for other files, and for PNGs that are left to libvips: interlaced and irregular ones.
private enum PNGOpener: FileOpener {
    static func open(_ opening: Opening) throws(RenderingError) -> ImageFile? {
        let (file, options) = (opening.file, opening.options)
        guard !options.allowsTruncated, let source = PNGRegionSource(file, options) else { return nil }
        guard options.page > 0 else {
            var image = try ImageFile.direct(opening, .png, source.header.size, source.pixels, source)
            image.pages = source.frames?.count ?? 1
            return image
        }
        guard let frames = source.frames else { return nil }
        guard options.page < frames.count else {
            throw .noSuchPage(file: file.path, page: options.page, pages: frames.count)
        }
        let frame = APNGFrameSource(frames: frames, page: options.page)
        var image = try ImageFile.direct(opening, .png, frames.size, frame.pixels, HalvedSource(frame))
        (image.pages, image.page) = (frames.count, options.page)
        return image
    }
}

/// Opens a tiled TIFF by its directories, without starting libvips.
///
/// Returns nil for other files, and for TIFFs that are left to libvips, or to OpenSlide where that is allowed.
private enum TIFFOpener: FileOpener {
    static func open(_ opening: Opening) throws(RenderingError) -> ImageFile? {
        let (file, options) = (opening.file, opening.options)
        guard !options.allowsTruncated, options.page == 0, !VipsLibrary.allowsUntrustedLoaders,
            let source = TIFFTileSource(file, options), FileGap.tiff(FileBytes(file)) == nil
        else { return nil }
        return try ImageFile.direct(
            opening, .tiff, source.full.size, source.pixels, HalvedSource(source),
            orientation: source.full.orientation)
    }
}
