#if Server
internal import HTTPTypes
package import Pictures
internal import ViewportRendering

extension RouteError {
    /// Converts an error of the renderer, without the path of the file.
    package init(_ error: RenderingError) {
        switch error {
        case .missing, .folder, .unreadable:
            self = .imageNotFound
        case .unavailable:
            self.init(.badGateway, "the server that has the image does not answer; try again later")
        case .changed:
            self = .fileChanged
        case .noSuchPage(_, let page, let pages):
            self.init(.notFound, "the image has no page \(page); it has \(pages), counted from 0")
        case .empty, .unknownFormat, .film:
            self.init(.notFound, "the file is not an image in a supported format")
        case .tooManyPixels(_, let size, let limit):
            self.init(
                .forbidden,
                "the image has \(size.width) x \(size.height) pixels, more than the \(limit) that this server decodes"
            )
        case .blocksTooLarge:
            self.init(.forbidden, "decoding the image needs more memory than this server allows")
        case .truncated(_, let missing):
            self.init(.unprocessableContent, "the image file is damaged, \(missing)")
        case .unsupported(_, let kind, _):
            self.init(.unprocessableContent, "the image is \(kind), which this server does not decode")
        case .damaged:
            self.init(.unprocessableContent, "the image file is damaged")
        case .cannotEncode(let format, _):
            self.init(.badRequest, "this image cannot be written as \(format); request jpg or png")
        case .pictureTooLarge, .invalidViewport, .outside:
            self.init(.badRequest, "the requested region is too large or outside the image")
        case .invalidPixelBuffer, .notLossless, .notIndexable, .gainMap, .panorama, .library:
            self = .internalError
        }
    }
}
#endif
