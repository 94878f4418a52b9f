internal import ImageReading
package import ScrollModel
package import TilePyramid
internal import ViewportGeometry
package import ViewportRendering
package import Viewports

/// What a picture shows of an image.
package enum PictureRequest: Sendable {
    /// A part of the image, resolved when its size is known.
    case view(ViewportRequest)
    /// A part of the image at a size in pixels.
    case viewport(Viewport)
    /// A look into a panorama.
    case look(LookFrame)
    /// A face of the cube around the viewer, `scale` pixels per point; without a side, as many points as the panorama has
    /// pixels there.
    case face(CubeFace, side: Double?, scale: Double)
    /// A request of IIIF, answered as a server does.
    case iiif(IIIFRequest)
}

extension PictureRequest {
    /// The greatest picture of a IIIF request, in pixels.
    private static let iiifLimits = IIIFLimits(area: 1 << 27)

    /// Returns the request with the size of a file.
    ///
    /// - Parameter assumesPanorama: whether a file without metadata of a panorama is one.
    /// - Throws: `RenderingError` where the request is outside of the image, or the image is no panorama; `IIIFError`.
    func resolved(for file: ImageFile, assumesPanorama: Bool) throws -> Resolved {
        switch self {
        case .view(let request):
            guard let resolved = request.resolve(in: file.uprightSize.imageSize) else {
                throw RenderingError.outside(file: file.path, size: file.uprightSize)
            }
            let view = View(
                viewport: resolved.viewport, request: resolved,
                showsMore: request.showsMore(resolved, of: file.uprightSize.imageSize))
            return .view(view)
        case .viewport(let viewport):
            return .view(View(viewport: viewport, request: nil, showsMore: false))
        case .look(let frame):
            return .look(frame, try file.panorama(assumed: assumesPanorama))
        case .face(let face, let side, let scale):
            let panorama = try file.panorama(assumed: assumesPanorama)
            let size = ((side ?? CubeFace.side(of: panorama)) * scale).rounded()
            return .look(LookFrame(face.look, size: Size(width: size, height: size)), panorama)
        case .iiif(let request):
            return .iiif(try request.resolved(for: file.uprightSize, Self.iiifLimits))
        }
    }

    /// A request for an image of a known size.
    enum Resolved {
        case view(View)
        case look(LookFrame, Panorama)
        case iiif(IIIFPicture)
    }

    /// A part of an image of a known size.
    struct View {
        let viewport: Viewport
        /// What was asked for; nil for a viewport.
        let request: ResolvedRequest?
        /// Whether more is visible than the rectangle that was asked for.
        let showsMore: Bool
    }
}

extension ViewportRequest {
    /// Whether a view shows more than the rectangle, because it has another aspect ratio.
    fileprivate func showsMore(_ resolved: ResolvedRequest, of size: Size<ImageSpace>) -> Bool {
        let rect: ImageRect? =
            switch region {
            case .zoomToRect(let rect, _), .rectInContentMode(let rect, _, _): rect
            case .fit(let rect, _, _): rect
            case .fitted, .whole, .rect, .center, .offset, .contentMode: nil
            }
        guard let asked = rect?.rect(in: size) else { return false }
        // Half a point is rounding.
        return resolved.visibleRect.width > asked.width + 0.5
            || resolved.visibleRect.height > asked.height + 0.5
    }
}
