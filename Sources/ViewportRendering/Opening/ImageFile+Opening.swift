internal import Files
internal import ImageMetadata
internal import ViewportGeometry
internal import Vips

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
        if format == .jpeg, !options.allowsTruncated {
            guard JPEGEnding.isWhole(FileBytes(opened)) else { throw .truncated(file: path) }
        }
        let file = LoaderFile(file: opened, loader: loader, format: format, options: options)
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
            let untrusted = (try? file.prefix(1024)).flatMap(ImageFormat.untrustedName)
            throw .unknownFormat(file: file.path, untrusted: untrusted)
        }
    }

    private static func checkLimits(
        _ header: VipsImage, _ format: ImageFormat, _ path: String, _ options: OpenOptions
    ) throws(RenderingError) {
        // Interlaced PNG and progressive JPEG come in passes over the whole picture.
        let isWhole = format.isDecodedWhole || header.has("interlaced")
        let limit =
            options.maximumPixels ?? (isWhole ? OpenOptions.defaultWholeLimit : OpenOptions.defaultLimit)
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
