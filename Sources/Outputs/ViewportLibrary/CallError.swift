internal import CViewport
internal import RenderCaching
internal import ViewportRendering
internal import Vips

/// The reason why a call fails: its status and a sentence without a period.
struct CallError: Error {
    let status: viewport_status
    let sentence: String

    init(_ status: viewport_status, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    /// An argument that the header does not allow.
    static func invalid(_ sentence: String) -> CallError { CallError(VIEWPORT_INVALID_ARGUMENT, sentence) }

    init(_ error: any Error) {
        switch error {
        case let error as CallError: self = error
        case let error as RenderingError: self.init(Self.status(error), error.description)
        case let error as CacheError: self.init(Self.status(error), error.description)
        case is CancellationError: self.init(VIEWPORT_CANCELLED, "the call was cancelled")
        default: self.init(VIEWPORT_READ_FAILED, "\(error)")
        }
    }

    private static func status(_ error: RenderingError) -> viewport_status {
        switch error {
        case .missing, .folder, .unreadable, .empty: VIEWPORT_READ_FAILED
        case .unknownFormat, .unsupported, .film, .notLossless, .notIndexable, .gainMap, .panorama,
            .cannotEncode:
            VIEWPORT_UNSUPPORTED
        case .damaged, .truncated: VIEWPORT_DAMAGED
        case .noSuchPage, .outside: VIEWPORT_OUTSIDE
        case .tooManyPixels, .blocksTooLarge, .pictureTooLarge: VIEWPORT_TOO_LARGE
        case .invalidViewport, .invalidPixelBuffer: VIEWPORT_INVALID_ARGUMENT
        case .changed: VIEWPORT_CHANGED
        case .unavailable: VIEWPORT_UNAVAILABLE
        case .library: VipsLibrary.isInherited ? VIEWPORT_FORKED : VIEWPORT_LIBRARY_MISSING
        }
    }

    private static func status(_ error: CacheError) -> viewport_status {
        switch error {
        case .unwritable, .noRoom: VIEWPORT_WRITE_FAILED
        case .changed, .broken: VIEWPORT_CHANGED
        case .unsuitable: VIEWPORT_UNSUPPORTED
        }
    }
}
