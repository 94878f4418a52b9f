package import Files
public import ImageMetadata
internal import JPEGIndexing
internal import Resampling
public import TilePyramid
public import ViewportGeometry
internal import Vips

/// An image file that is open for reading parts of it; nothing is decoded yet.
public struct ImageFile: Sendable {
    /// The path that the file was opened from.
    public let path: String
    /// The format of the file, by its content.
    public let format: ImageFormat
    /// The pixels of the page, as stored.
    public let storedSize: PixelSize<StoredGrid>
    /// The orientation that the file asks for.
    public let fileOrientation: Orientation
    /// How the stored pixels are turned to be seen: the file's orientation, then the turn that was asked for.
    public let orientation: Orientation
    /// The number of pages, frames or slides.
    public let pages: Int
    /// The page that is read, from 0.
    public let page: Int
    /// What the camera wrote.
    public let exif: Exif?
    /// The embedded color profile.
    public let profile: ICCProfile?
    /// What the samples mean, by libvips' nickname, as "srgb", "b-w" or "cmyk".
    public let interpretation: String
    /// Samples per pixel, alpha included.
    public let bands: Int
    /// Whether the last band is alpha.
    public let hasAlpha: Bool
    /// What is missing of the file, as "rows 97 to 200 are missing"; nil where nothing is known to be.
    public let damage: String?
    /// What was opened, and stays open: header, metadata and pixels are read from it.
    package let opened: OpenFile
    /// Which pixels these are, for caches.
    package internal(set) var identity: SourceIdentity
    /// Where its pixels come from.
    package internal(set) var source: any ImageSource

    /// The size as it is seen: image points are these pixels.
    public var uprightSize: PixelSize<UprightGrid> { orientation.uprightSize(storedSize) }

    /// The resolutions that it can be read at without decoding the others.
    public var pyramid: Pyramid { source.nativePyramid }

    /// How it will be read, in words: "sequential, shrinks on load".
    public var reading: String { source.description }
}

extension ImageFile {
    /// Whether its pages are frames of a moving picture.
    package var isAnimated: Bool { pages > 1 && (format == .gif || format == .webp) }

    /// Whether it is a drawing, which has any resolution.
    package var isDrawn: Bool { format.isDrawn }
}

extension ImageFile {
    /// Opens a file: reads its header, checks the limits and decides how its pixels will be read.
    ///
    /// A baseline JPEG is opened, and mostly rendered, without libvips.
    ///
    /// - Throws: `RenderingError` that names the file and the cure.
    public static func open(_ path: String, _ options: OpenOptions = OpenOptions()) throws(RenderingError)
        -> Self
    {
        let opened: OpenFile
        do throws(FileError) {
            opened = try OpenFile(path)
        } catch {
            throw RenderingError(error, file: path)
        }
        return try open(opened, options)
    }

    /// The same of a file that is open already.
    static func open(_ opened: OpenFile, _ options: OpenOptions) throws(RenderingError) -> Self {
        try opened.checked { () throws(RenderingError) in try read(opened, options) }
    }

    private static func read(_ opened: OpenFile, _ options: OpenOptions) throws(RenderingError) -> Self {
        let path = opened.path
        let identity = SourceIdentity(path, opened.status, options)
        if let file = try jpeg(opened, options, identity) { return file }
        let loader = try findLoader(opened)
        let format = ImageFormat(loader: loader)
        let damage = FileDamage.beforeDecoding(opened, format)
        if let damage, !damage.isWhole, !options.allowsTruncated || !damage.isShowable {
            throw RenderingError(damage, of: opened)
        }
        let file = LoaderFile(
            file: opened, loader: loader, format: format, options: options,
            failOn: damage == nil ? nil : "none")
        let header = try file.header()
        try checkLimits(header, format, path, options)
        let pages = file.pages(of: header)
        guard (0..<pages.count).contains(options.page) else {
            throw .noSuchPage(file: path, page: options.page, pages: pages.count)
        }
        let exif = Exif(header: header)
        let fileOrientation = orientation(of: header, exif, format)
        let applied = options.appliesOrientation ? fileOrientation : .up
        let source = HalvedSource(try LoaderSource(file, header: header, pages: pages))
        return Self(
            path: path, format: format, storedSize: header.size,
            fileOrientation: fileOrientation, orientation: applied.followed(by: options.turn),
            pages: pages.count, page: options.page, exif: exif,
            profile: header.blob("icc-profile-data").flatMap(ICCProfile.init),
            interpretation: header.interpretation, bands: header.bands, hasAlpha: header.hasAlpha,
            damage: (damage ?? (options.allowsTruncated ? FileDamage.find(FileBytes(opened)) : nil))?.text,
            opened: opened, identity: identity, source: source)
    }

    /// Starts libvips without its plug-ins, for a program that opens this one file and writes what is built in.
    ///
    /// It saves most of the start. Files of formats that come as plug-ins cannot be opened afterwards; where this
    /// is one of them, nothing is left out.
    public static func startForOneFile(_ path: String) {
        guard let head = try? InputFile.prefix(12, of: path), ImageFormat.isBuiltIn(head) else { return }
        VipsLibrary.leaveOutPlugins()
    }

    /// Lets libvips use loaders that it does not trust with hostile files, for the whole process.
    public static func allowUntrustedLoaders() throws(RenderingError) {
        do {
            try VipsLibrary.allowUntrustedLoaders()
        } catch {
            throw .library(detail: error.log)
        }
    }

    static func findLoader(_ file: OpenFile) throws(RenderingError) -> String {
        do {
            return try VipsImage.loader(for: file.descriptorPath, named: file.path)
        } catch {
            guard error.reason == .unknownFormat else { throw .library(detail: error.log) }
            let bytes = FileBytes(file)
            if let damage = FileDamage.find(bytes) { throw .damaged(file: file.path, detail: damage.text) }
            throw .unknownFormat(file: file.path, untrusted: UntrustedFormat.name(bytes))
        }
    }

    private static func checkLimits(
        _ header: VipsImage, _ format: ImageFormat, _ path: String, _ options: OpenOptions
    ) throws(RenderingError) {
        // Interlaced PNG and progressive JPEG come in passes over the whole picture.
        let isWhole = format.isDecodedWhole || header.has("interlaced")
        let limit =
            options.maximumPixels
            ?? (isWhole
                ? DecodingBudget.pixels(format, bands: header.bands, sampleBytes: header.format.bytes)
                : OpenOptions.defaultLimit)
        guard header.size.area <= limit else {
            throw .tooManyPixels(file: path, size: header.size, limit: limit)
        }
    }

    /// IFD0's orientation; HEIF has a rotation of its own, which its decoder has applied already.
    private static func orientation(of header: VipsImage, _ exif: Exif?, _ format: ImageFormat) -> Orientation
    {
        guard format != .heif else { return .up }
        return Orientation(exif: exif?.orientation ?? header.int("orientation") ?? 1)
    }
}

extension Exif {
    /// The EXIF block of a file, or ImageMagick's text form of one in a PNG.
    init?(header: VipsImage) {
        if let exif = header.blob("exif-data").flatMap(Exif.init) {
            self = exif
            return
        }
        guard let field = header.fields.first(where: { $0.hasSuffix("Raw profile type exif") }),
            let text = header.string(field), let exif = Exif(rawProfile: text)
        else { return nil }
        self = exif
    }
}

extension ImageFile {
    /// Opens a baseline JPEG by its own header: libvips need not even start.
    ///
    /// Nil where it is none, or one that libvips alone reads or knows the error of: CMYK, progressive, truncated.
    static func jpeg(
        _ file: OpenFile, _ options: OpenOptions, _ identity: SourceIdentity
    ) throws(RenderingError) -> Self? {
        guard !options.allowsTruncated, options.page == 0, let source = JPEGRegionSource(file, options) else {
            return nil
        }
        let exif = source.metadata.exif.flatMap(Exif.init)
        // A block that is not understood here may still tell libvips of an orientation.
        guard (exif == nil) == (source.metadata.exif == nil) else { return nil }
        let size = source.header.size
        let limit = options.maximumPixels ?? OpenOptions.defaultLimit
        guard size.area <= limit else { throw .tooManyPixels(file: file.path, size: size, limit: limit) }
        let fileOrientation = Orientation(exif: exif?.orientation ?? 1)
        let applied = options.appliesOrientation ? fileOrientation : .up
        return Self(
            path: file.path, format: .jpeg, storedSize: size, fileOrientation: fileOrientation,
            orientation: applied.followed(by: options.turn), pages: 1, page: 0, exif: exif,
            profile: source.metadata.profile.flatMap(ICCProfile.init),
            interpretation: source.pixels.interpretation, bands: source.pixels.layout.bands, hasAlpha: false,
            damage: source.lacksEnd ? FileDamage.jpegEnd.text : nil, opened: file, identity: identity,
            source: source)
    }
}
