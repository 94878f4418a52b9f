public import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why there are no thumbnails.
public enum ThumbnailError: Error, Equatable, Sendable {
    /// A text is no size.
    case badSize(String)
    /// The file cannot be read, decoded or shown.
    case rendering(RenderingError)
    /// A video, and nothing that could show it.
    case noFFmpeg(file: String)
    /// A video whose frame could not be had.
    case video(file: String, detail: String)
    /// The task was cancelled.
    case cancelled(file: String)
}

extension ThumbnailError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    /// One sentence that names the file, the operation and the cause.
    public var description: String {
        switch self {
        case .badSize(let text):
            "\"\(text)\" is no size: write W, WxH, Wx or xH with sides from 1 to 65500, and after it !, < or > "
                + "(! only where both sides are said)"
        case .rendering(let error):
            error.description
        case .noFFmpeg(let file):
            "\(file): is a video, and there is no ffmpeg to show it; install ffmpeg"
        case .video(let file, let detail):
            "\(file): ffmpeg finds no picture in it (\(detail)); check that it plays"
        case .cancelled(let file):
            "\(file): was not finished; run it again"
        }
    }

    /// One word for programs: "missing", "damaged", "unknown-format".
    public var code: String {
        switch self {
        case .badSize: "bad-size"
        case .rendering(let error): error.code
        case .noFFmpeg: "no-ffmpeg"
        case .video: "damaged"
        case .cancelled: "cancelled"
        }
    }
}

extension RenderingError {
    /// One word for programs.
    fileprivate var code: String {
        switch self {
        case .missing: "missing"
        case .folder: "folder"
        case .unreadable: "unreadable"
        case .empty: "empty"
        case .changed: "changed"
        case .unknownFormat(_, untrusted: nil): "unknown-format"
        case .unknownFormat: "untrusted"
        case .damaged: "damaged"
        case .truncated: "truncated"
        case .tooManyPixels, .blocksTooLarge, .pictureTooLarge: "too-large"
        case .noSuchPage: "no-such-page"
        case .outside, .invalidViewport, .invalidPixelBuffer, .notLossless, .notIndexable: "damaged"
        case .cannotEncode: "cannot-encode"
        case .library: "library"
        }
    }
}
