package import Files
public import ViewportGeometry
public import Viewports

/// Why an image could not be opened, read, rendered or encoded.
///
/// `description` and `errorDescription` are one sentence that names the file, the operation and the cause.
public enum RenderingError: Error, Equatable, Sendable {
    /// The file does not exist.
    case missing(file: String)
    /// The path is a folder.
    case folder(file: String)
    /// The file cannot be read, with the reason of the system.
    case unreadable(file: String, reason: String)
    /// The server of a remote file does not answer, is busy or breaks off; a later attempt can succeed.
    case unavailable(file: String, reason: String)
    /// The file is empty.
    case empty(file: String)
    /// The file was written or truncated while it was read.
    case changed(file: String)
    /// No loader recognizes the file; `untrusted` names the format where its loader is blocked as untrusted.
    case unknownFormat(file: String, untrusted: String?)
    /// The file is whole, but of a kind that the installed libraries do not decode, such as "a lossless JPEG"; with a
    /// program that does.
    case unsupported(file: String, kind: String, converter: String)
    /// The file is a film, with its kind, such as "an MP4 film"; thumbnails and libraries take films.
    case film(file: String, kind: String)
    /// The file cannot be decoded, with the decoder's reason.
    case damaged(file: String, detail: String)
    /// A part of the picture is missing, such as "rows 97 to 200 are missing"; the rest can be shown.
    case truncated(file: String, missing: String)
    /// The image has more pixels than may be decoded.
    case tooManyPixels(file: String, size: PixelSize<StoredGrid>, limit: Int)
    /// The strips or tiles that are decoded together exceed the limit on memory, in bytes.
    case blocksTooLarge(file: String, size: PixelSize<StoredGrid>, bytes: Int, limit: Int)
    /// The page does not exist; pages are counted from 0.
    case noSuchPage(file: String, page: Int, pages: Int)
    /// The viewport shows nothing of the image, which has this upright size.
    case outside(file: String, size: PixelSize<UprightGrid>)
    /// The picture would have more pixels than `RenderOptions.maximumPictureArea`.
    case pictureTooLarge(size: PixelSize<OutputGrid>, limit: Int)
    /// A number of the viewport is not finite, or its rectangle has no area.
    case invalidViewport(Viewport)
    /// The pixels in memory do not form a picture, or a buffer is too small for one.
    case invalidPixelBuffer(reason: String)
    /// The file has no blocks that can be copied without decoding, with the reason.
    case notLossless(file: String, reason: String)
    /// The file has no regions that can be decoded separately, with the reason.
    case notIndexable(file: String, reason: String)
    /// The format cannot hold the picture, or is not installed.
    case cannotEncode(format: String, detail: String)
    /// The gain map of the file cannot be kept, with the reason.
    case gainMap(file: String, reason: String)
    /// The file is no panorama that can be looked into, with the reason.
    case panorama(file: String, reason: String)
    /// libvips cannot be loaded or started.
    case library(detail: String)
}

extension RenderingError {
    /// Creates the error for a file that cannot be read.
    package init(_ error: FileError, file: String) {
        self =
            switch error {
            case .missing: .missing(file: file)
            case .folder: .folder(file: file)
            case .empty: .empty(file: file)
            case .changed: .changed(file: file)
            case .exists: .unreadable(file: file, reason: "it is there already")
            case .cancelled: .unavailable(file: file, reason: "reading it was cancelled")
            case .unreadable(let reason), .noFolder(let reason), .unwritable(let reason), .kept(let reason):
                .unreadable(file: file, reason: reason)
            case .unavailable(let reason): .unavailable(file: file, reason: reason)
            }
    }

    /// Runs a body that reads a file, and names the file in its error.
    package static func naming<R>(
        _ file: String, _ body: () throws(FileError) -> R
    ) throws(RenderingError) -> R {
        do throws(FileError) {
            return try body()
        } catch {
            throw RenderingError(error, file: file)
        }
    }
}

extension RenderingError: CustomStringConvertible {
    /// The sentence, in English.
    public var description: String {
        switch self {
        case .missing(let file):
            "\(file): there is no such file"
        case .folder(let file):
            "\(file): is a folder"
        case .unreadable(let file, let reason), .unavailable(let file, let reason):
            "\(file): cannot be read (\(reason))"
        case .empty(let file):
            "\(file): is empty"
        case .changed(let file):
            "\(file): was changed while it was read"
        case .unknownFormat(let file, let untrusted?):
            "\(file): looks like \(untrusted), whose loader libvips does not trust"
        case .unknownFormat(let file, nil):
            "\(file): is not an image in a known format"
        case .unsupported(let file, let kind, _):
            "\(file): is \(kind), which the installed libraries do not decode"
        case .film(let file, let kind):
            "\(file): is \(kind), not a picture"
        case .damaged(let file, let detail):
            "\(file): cannot be decoded (\(detail))"
        case .truncated(let file, let missing):
            "\(file): is damaged, \(missing)"
        case .tooManyPixels(let file, let size, let limit):
            "\(file): has \(size.width) x \(size.height) pixels, more than the \(limit) that may be decoded"
        case .blocksTooLarge(let file, let size, let bytes, let limit):
            "\(file): decodes \(size.width) x \(size.height) pixels at once, which takes \(bytes >> 20) MB "
                + "of the \(limit >> 20) MB that are allowed"
        case .noSuchPage(let file, let page, let pages):
            "\(file): has no page \(page); pages are counted from 0 and it has \(pages)"
        case .outside(let file, let size):
            "\(file): the requested rectangle lies outside the image; "
                + "its upright size is \(size.width) x \(size.height)"
        case .pictureTooLarge(let size, let limit):
            "a picture of \(size.width) x \(size.height) pixels exceeds the limit of \(limit)"
        case .invalidViewport(let viewport): Self.reason(against: viewport)
        case .invalidPixelBuffer(let reason):
            "the pixels cannot be copied: \(reason)"
        case .notLossless(let file, let reason):
            "\(file): cannot be cut without decoding (\(reason))"
        case .notIndexable(let file, let reason):
            "\(file): has no regions that can be decoded separately (\(reason))"
        case .cannotEncode(let format, let detail):
            "the picture cannot be written as \(format) (\(detail))"
        case .panorama(let file, let reason):
            "\(file): cannot be shown as a panorama (\(reason))"
        case .gainMap(let file, let reason):
            "\(file): its gain map cannot be kept (\(reason))"
        case .library(let detail):
            "libvips cannot be used (\(detail))"
        }
    }

    private static func reason(against viewport: Viewport) -> String {
        let (rect, size) = (viewport.imageRect, viewport.size)
        let shown = "the rectangle \(rect)"
        if !rect.isFinite { return "\(shown) has numbers that are not finite" }
        if rect.isEmpty { return "\(shown) is empty" }
        if size.isEmpty { return "a picture of \(shown) has no pixels; its size or scale must be above 0" }
        return "a picture of \(size.width) x \(size.height) pixels cannot show \(shown)"
    }
}
