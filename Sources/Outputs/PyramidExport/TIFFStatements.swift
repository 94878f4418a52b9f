internal import ImageMetadata
internal import ViewportGeometry
internal import ViewportRendering

/// What a pyramid TIFF states of the image, beside its pixels.
struct TIFFStatements: Sendable {
    /// A packet of XMP, if any.
    var xmp: [UInt8]?
    /// The resolution of full resolution, if known.
    var resolution: Resolution?
    /// Where the image lies on a map, if known.
    var geography: GeoTags?
    /// Whether each tile has its size before it and its last bytes behind it, as in the files of GDAL.
    var framesTiles = false

    init() {}

    /// - Parameter isUnchanged: Whether samples have the values of the file.
    init(of file: ImageFile, _ options: ExportOptions, isUnchanged: Bool) {
        let size = file.uprightSize
        xmp = file.panoramaPacket
        resolution = file.uprightResolution
        geography = file.geoTags(
            showing: Rect(x: 0, y: 0, width: Double(size.width), height: Double(size.height)),
            as: PixelSize(width: size.width, height: size.height), isUnchanged: isUnchanged)
        framesTiles = options.framesTiles
    }
}
