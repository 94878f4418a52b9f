internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// What the server says of an image.
struct ImageInformation {
    private let image: OpenImage
    private let limits: IIIFLimits
    private let formats: [String]

    init(_ image: OpenImage, limits: IIIFLimits, formats: [String]) {
        self.image = image
        self.limits = limits
        self.formats = formats
    }

    /// The `info.json` of an image at an address.
    func iiif(_ id: String, _ version: IIIFInformation.Version) -> IIIFInformation {
        let site = IIIFSite(size: image.file.uprightSize, tileSize: image.tileSide, format: "jpg")
        let sizes = site.pyramid.levels.map(\.size).filter(limits.allow)
        var information = IIIFInformation(
            version: version, id: id, level: 2, size: image.file.uprightSize, sizes: sizes.reversed(),
            tiles: [
                IIIFInformation.Tiles(
                    width: image.tileSide, height: image.tileSide,
                    scaleFactors: site.pyramid.levels.indices.map { 1 << $0 })
            ],
            // What level 2 has anyway need not be said.
            extraFormats: formats.filter { !["jpg", "png"].contains($0) })
        information.maximum = PixelSize(width: limits.side, height: limits.side)
        information.maximumArea = limits.area
        information.pages = image.file.pages > 1 ? image.file.pages : nil
        information.extraQualities = ["color", "gray", "bitonal"]
        information.extraFeatures = Self.features(version, enlarges: limits.allowsEnlarging)
        return information
    }

    private static func features(_ version: IIIFInformation.Version, enlarges: Bool) -> [String] {
        let common = ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "rotationArbitrary"]
        switch version {
        case .three: return common + (enlarges ? ["sizeUpscaling"] : [])
        case .two: return common + ["regionSquare"] + (enlarges ? ["sizeAboveFull"] : [])
        }
    }
}
