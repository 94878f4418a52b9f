internal import Containers
public import ImageMetadata
package import ViewportGeometry

extension ImageFile {
    /// What the file states about the panorama that it shows; nil where it states none.
    ///
    /// Reads the metadata of the file again.
    public var panoramaTags: PanoramaTags? {
        metadata(.all)?.panorama
    }
}

/// What becomes of the panorama that metadata states, in a picture that shows a part of the file.
package enum PanoramaChange: Sendable {
    /// The picture shows all of the file.
    case kept
    /// The picture shows this area of the sphere.
    case area(PanoramaTags.Area)
    /// The picture is no panorama in the place that can be stated: it was turned, or shows more than the file.
    case removed

    /// Returns the packet of XMP of the picture.
    func made(in packet: [UInt8]) -> [UInt8] {
        switch self {
        case .kept: packet
        case .area(let area): PanoramaTags.changed(in: packet, to: area)
        case .removed: PanoramaTags.changed(in: packet, to: nil)
        }
    }
}

extension ImageFile {
    /// Returns what becomes of the panorama of this file in a picture of a part of it.
    ///
    /// - Parameters:
    ///   - rect: the part that the picture shows; nil where it is turned.
    ///   - size: the upright size of the picture.
    package func panoramaChange(showing rect: Rect<ImageSpace>?, size: PixelSize<UprightGrid>)
        -> PanoramaChange
    {
        let isWhole = rect == Rect(origin: .zero, size: uprightSize.imageSize)
        guard let rect, let tags = panoramaTags else { return isWhole ? .kept : .removed }
        // Tags describe scaled pictures, too.
        if isWhole, (try? tags.area(in: size)) != nil { return .kept }
        return tags.area(of: rect, in: uprightSize, as: size).map(PanoramaChange.area) ?? .removed
    }
}
