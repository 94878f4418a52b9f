internal import Containers
package import Files
public import ImageMetadata
internal import JPEGIndexing
public import Pictures
internal import RemoteFiles
public import TilePyramid
public import ViewportGeometry
internal import Vips

/// An open image file, of which parts can be rendered.
///
/// Opening reads the header only; pixels are decoded when they are rendered.
public struct ImageFile: Sendable {
    /// The path that the file was opened at; its name where it was opened by a descriptor or from bytes.
    public let path: String
    /// The format, detected from the bytes of the file.
    public let format: ImageFormat
    /// The size of the page in pixels, as stored.
    public let storedSize: PixelSize<StoredGrid>
    /// The orientation in the file's metadata.
    public internal(set) var fileOrientation: Orientation
    /// The orientation that is applied to stored pixels: the file's, followed by `OpenOptions.turn`.
    public internal(set) var orientation: Orientation
    /// The number of pages, frames or slides.
    public internal(set) var pages: Int
    /// The page that is read, from 0.
    public internal(set) var page: Int
    /// The EXIF metadata.
    public internal(set) var exif: Exif?
    /// The embedded color profile.
    public let profile: ICCProfile?
    /// The color space, by libvips' nickname, such as "srgb", "b-w" or "cmyk".
    public let interpretation: String
    /// Samples per pixel, alpha included.
    public let bands: Int
    /// Whether the last band is alpha.
    public let hasAlpha: Bool
    /// What is missing of the file, such as "rows 97 to 200 are missing"; nil where no damage is known.
    public internal(set) var damage: String?
    /// The raw file whose embedded preview is read; nil for all other files.
    public internal(set) var rawPreview: RawPreview?
    /// The open file, from which header, metadata and pixels are read.
    package internal(set) var opened: OpenFile
    /// Identifies the pixels in caches.
    package internal(set) var identity: SourceIdentity
    /// The options that it was opened with.
    var options = OpenOptions()
    /// The sidecar that the source reads from; nil for files of this machine and images without one.
    var sidecar: RemoteFile?
    /// Supplies its pixels.
    package internal(set) var source: any ImageSource

    /// The upright size: image points are these pixels.
    public var uprightSize: PixelSize<UprightGrid> { orientation.uprightSize(storedSize) }

    /// The resolutions that can be read without decoding the others.
    public var pyramid: Pyramid { source.nativePyramid }

    /// Whether an index of it can be made, through which any part is decoded directly.
    public var isIndexable: Bool { source.capabilities.indexable != nil }

    /// The access method in words, such as "regions of a scan" or "whole image, shrinks on load".
    public var reading: String {
        rawPreview == nil ? source.description : "preview of a raw file, \(source.description)"
    }
}

extension ImageFile: CustomStringConvertible {
    /// Path, upright size, format and damage: "photo.jpg: 4032x3024 jpeg".
    public var description: String {
        let parts = [
            "\(uprightSize) \(format.rawValue)", pages == 1 ? nil : "page \(page) of \(pages)", damage,
        ]
        return "\(FilePath(path)): " + parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension ImageFile {
    /// Whether its pages are frames of an animation.
    package var isAnimated: Bool {
        pages > 1 && ([.gif, .webp, .png].contains(format) || source.capabilities.isAnimation)
    }

    /// The stored pixels per millimeter, if the file states them for its first page; reads its headers again.
    package var pixelsPerMillimeter: Double? {
        guard page == 0, rawPreview == nil else { return nil }
        return metadata(.all)?.pixelsPerMillimeter
    }

    /// Returns what the file states of itself, that of the raw file where a preview of it is read; nil for a format that
    /// has no metadata.
    ///
    /// Reads its headers again.
    package func metadata(_ extent: FileMetadata.Extent) -> FileMetadata? {
        FileMetadata(contentsOf: FileBytes(whole), name: OutputFile.name(of: path), extent)
    }

    /// Returns EXIF, XMP and IPTC of the file, as they are stored.
    ///
    /// - Throws: `RenderingError` where the file cannot be read: metadata that was asked for is not left out in silence.
    package func metadataBlocks() throws(RenderingError) -> MetadataBlocks {
        try whole.checked { () throws(RenderingError) in metadata(.blocks)?.blocks ?? MetadataBlocks() }
    }

    /// Whether it is a vector drawing, which has any resolution.
    package var isDrawn: Bool { format.isDrawn }
}

extension ImageFile {
    /// Opens the file at a path.
    ///
    /// Reads only the header. The file stays open: metadata and pixels come from the same file even if its name is
    /// given to another one. If it is written or truncated afterwards, the next read throws
    /// `RenderingError.changed`.
    ///
    /// - Throws: `RenderingError` that names the file.
    public init(path: String, options: OpenOptions = OpenOptions()) throws(RenderingError) {
        self = try Self.open(options, scans: false, name: path) { () throws(FileError) in try OpenFile(path) }
    }

    /// Opens the file of a descriptor, which is duplicated; its offset is neither used nor changed.
    ///
    /// Caches on disk identify images by path, so nothing is cached there.
    ///
    /// - Parameters:
    ///   - descriptor: a regular file that is open for reading; the caller may close it afterwards.
    ///   - name: the name of the file in errors.
    /// - Throws: `RenderingError` with that name.
    public init(
        descriptor: Int32, name: String = "descriptor", options: OpenOptions = OpenOptions()
    ) throws(RenderingError) {
        self = try Self.open(options, scans: false, name: name) { () throws(FileError) in
            try OpenFile(descriptor: descriptor, name: name)
        }
    }

    /// Opens the bytes of a file, which are copied: an array, `Data` or any other collection.
    ///
    /// Supports every format that opens from a path, except those that consist of several files.
    ///
    /// - Parameters:
    ///   - name: the name in errors. Formats without a signature are detected by its extension.
    /// - Throws: `RenderingError` with that name.
    public init(
        bytes: some Collection<UInt8>, name: String = "bytes", options: OpenOptions = OpenOptions()
    ) throws(RenderingError) {
        self = try Self.open(options, scans: false, name: name) { () throws(FileError) in
            try OpenFile(bytes: bytes, name: name)
        }
    }

    /// Scans a JPEG or GIF without an end marker for missing parts, which may take seconds.
    ///
    /// Opening does not scan; such a file is rejected when it is first read.
    ///
    /// - Returns: what is missing although the whole picture can be decoded; nil where nothing is missing.
    /// - Throws: `RenderingError.truncated` or `.damaged` where a part of the picture is missing and
    ///   `OpenOptions.allowsTruncated` is not set.
    public func scanForDamage() throws(RenderingError) -> String? {
        // The file behind an image of a program has one byte.
        try opened.count > 1 ? Self.open(whole, options).damage : nil
    }

    /// Opens a file, or a URL of the scheme `https`, `http` or `s3`, and scans it for damage.
    package static func open(
        _ path: String, _ options: OpenOptions = OpenOptions()
    ) throws(RenderingError) -> Self {
        guard !RemoteAddress.isRemote(path) else { return try open(address: path, options, scans: true) }
        return try open(options, scans: true, name: path) { () throws(FileError) in try OpenFile(path) }
    }

    private static func open(
        _ options: OpenOptions, scans: Bool, name: String, _ file: () throws(FileError) -> OpenFile
    ) throws(RenderingError) -> Self {
        try open(RenderingError.naming(name, file), options, scans: scans)
    }

    /// Opens the image in a file that is open already.
    static func open(
        _ opened: OpenFile, _ options: OpenOptions, scans: Bool = true
    ) throws(RenderingError) -> Self {
        try opened.checked { () throws(RenderingError) in try read(opened, options, scans) }
    }

    /// Opens a file by the first reader that takes it.
    ///
    /// - Parameter scans: whether a file that does not end as it should is scanned for damage now.
    static func read(
        _ opened: OpenFile, _ options: OpenOptions, _ scans: Bool
    ) throws(RenderingError) -> Self {
        let opening = Opening(
            file: opened, options: options,
            identity: SourceIdentity(opened.path, hasPath: opened.hasPath, opened.status, options),
            scan: DamageScan(opened), scans: scans)
        if options.page > 0, let file = try part(opening) { return file }
        for opener in openers {
            if let file = try opener.open(opening) { return file }
        }
        guard let picture = opening.withoutFilm else { return try loaded(opening) }
        var file = try loaded(picture)
        file.opened = opened
        return file
    }

    /// Opens a file by libvips; a film only where ImageMagick is trusted and takes a frame of it for a picture.
    private static func loaded(_ opening: Opening) throws(RenderingError) -> Self {
        guard let type = FileType(FileBytes(opening.file)), type.role == .video else {
            return try loadedPicture(opening)
        }
        if VipsLibrary.allowsUntrustedLoaders, let file = try? loadedPicture(opening) { return file }
        throw .film(file: opening.file.path, kind: type.phrase)
    }

    /// Opens a file by libvips, which has a loader for most formats.
    ///
    /// - Parameter heif: makes the source of a HEIF.
    static func loadedPicture(
        _ opening: Opening, heif: ((LoaderSource, VipsImage) -> HEIFSource)? = nil
    ) throws(RenderingError) -> Self {
        let (opened, options, scan) = (opening.file, opening.options, opening.scan)
        let path = opened.path
        let head = RemoteHead(opened, options)
        if head == nil {
            if let error = refusal(ofHead: opened) { throw error }
            try opened.copyForDecoder(options)
        }
        let loader = if let head { head.loader } else { try findLoader(opened) }
        let format = ImageFormat(loader: loader)
        let file = LoaderFile(
            file: opened, loader: loader, format: format, options: options, scan: scan, head: head)
        let damage = opening.scans ? try file.refusingDamage() : nil
        let header = try file.header()
        try checkLimits(header, format, path, options)
        if format == .jpeg2000, let kind = UnsupportedKind.wronglyDecoded(FileBytes(opened)) {
            throw RenderingError(kind, of: opened)
        }
        let pages = file.pages(of: header)
        guard (0..<pages.count).contains(options.page) else {
            throw .noSuchPage(file: path, page: options.page, pages: pages.count)
        }
        let contents = opening.contents
        // The metadata is that of the first page.
        let exif = format == .tiff && options.page > 0 ? nil : contents?.exif
        let fileOrientation = orientation(of: header, exif, contents?.format)
        let applied = options.appliesOrientation ? fileOrientation : .up
        let loading = try LoaderSource(file, header: header, pages: pages)
        let stated =
            switch format {
            case .png: StatedSource(loading, header, PNGColors(FileBytes(opened)))
            case .jpegXL: StatedSource(loading, header, JXLColors(FileBytes(opened)))
            default: nil as StatedSource?
            }
        let pictured = heif?(loading, header)
        let profile =
            stated.map(\.profile) ?? pictured.map(\.pixels.profile) ?? header.blob("icc-profile-data")
        let shown: any ImageSource =
            if let stated { stated } else if let pictured { pictured } else { loading }
        let source = HalvedSource(shown)
        return Self(
            path: path, format: format, storedSize: header.size,
            fileOrientation: fileOrientation, orientation: applied.followed(by: options.turn),
            pages: stated?.frames?.count ?? pages.count, page: options.page, exif: contents?.exif,
            profile: profile.flatMap(ICCProfile.init),
            interpretation: header.interpretation, bands: header.bands, hasAlpha: header.hasAlpha,
            damage: damage?.text,
            opened: opened, identity: opening.identity,
            options: options, source: source)
    }

    /// Returns the error for a remote file whose first bytes no loader takes, before all of it is copied.
    private static func refusal(ofHead file: OpenFile) -> RenderingError? {
        guard file.isRemote, !file.isCopied, !VipsLibrary.allowsUntrustedLoaders,
            let start = try? file.bytes(0..<min(file.count, RemoteFile.firstByteCount)),
            let head = try? OpenFile(bytes: start, name: file.path)
        else { return nil }
        do throws(RenderingError) {
            _ = try findLoader(head)
        } catch .unknownFormat(_, let untrusted) {
            if let damage = FileDamage.find(FileBytes(file)) {
                return .damaged(file: file.path, detail: damage.text)
            }
            return .unknownFormat(file: file.path, untrusted: untrusted)
        } catch {}
        return nil
    }

    private static func findLoader(_ file: OpenFile) throws(RenderingError) -> String {
        do {
            let loader = try VipsImage.loader(
                for: file.descriptorPath, named: file.path, isPath: file.hasPath)
            // Where ImageMagick is trusted, it takes those that libvips does not know.
            guard loader.hasPrefix("VipsForeignLoadMagick"),
                [.heif, .avif].contains(FileType(FileBytes(file)))
            else { return loader }
            return "VipsForeignLoadHeifFile"
        } catch {
            guard error.reason == .unknownFormat else { throw .library(detail: error.log) }
            let bytes = FileBytes(file)
            // libvips does not know all brands that libheif reads, such as that of sequences of AVIF.
            if [.heif, .avif].contains(FileType(bytes)) { return "VipsForeignLoadHeifFile" }
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

    /// The orientation of IFD0; decoders of HEIF and JPEG XL apply those of their own.
    private static func orientation(of header: VipsImage, _ exif: Exif?, _ format: FileFormat?) -> Orientation
    {
        if let format, [.heif, .avif, .jxl].contains(format) { return .up }
        return Orientation(exif: exif?.orientation ?? header.int("orientation") ?? 1)
    }
}
