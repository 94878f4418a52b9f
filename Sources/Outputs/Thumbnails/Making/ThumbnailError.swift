public import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error that prevents thumbnails of a file.
public enum ThumbnailError: Error, Equatable, Sendable {
    /// A text is not a size.
    case badSize(String)
    /// The file cannot be read, decoded or rendered.
    case rendering(RenderingError)
    /// A video, and ffmpeg is not installed.
    case noFFmpeg(file: String)
    /// A video without a frame that ffmpeg can decode.
    case video(file: String, detail: String)
}

extension ThumbnailError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    /// One sentence that names the file, the operation and the cause.
    public var description: String {
        switch self {
        case .badSize(let text):
            "\"\(text)\" is not a size: write W, WxH, Wx or xH with sides from 1 to 65500, then nothing, !, < or > "
                + "(! needs both sides)"
        case .rendering(let error):
            error.description
        case .noFFmpeg(let file):
            "\(file): is a video, and ffmpeg is not installed; install ffmpeg"
        case .video(let file, let detail):
            "\(file): ffmpeg decodes no frame of it (\(detail)); check that it plays"
        }
    }

    /// The error as one word for programs: "missing", "damaged", "unknown-format".
    public var code: String {
        switch self {
        case .badSize: "bad-size"
        case .rendering(let error): error.code
        case .noFFmpeg: "no-ffmpeg"
        case .video: "damaged"
        }
    }
}
