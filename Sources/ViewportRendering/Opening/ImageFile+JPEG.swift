internal import Files
internal import ImageMetadata
internal import JPEGIndexing
internal import Resampling
internal import ViewportGeometry

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
