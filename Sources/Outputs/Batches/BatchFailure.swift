package import Files
package import Pictures

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a file of a batch has no outputs.
public struct BatchFailure: Error, Hashable, Codable, Sendable {
    /// The reason as one word for programs: "missing", "damaged", "collision".
    public let code: String
    /// A sentence that names the file and the cause.
    public let message: String
    /// The underlying error, if making the outputs failed.
    package let underlying: (any Error)?

    package init(_ code: String, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Whether two failures have the same code and message, which names the cause.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.message == b.message }

    /// Hashes code and message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }

    private enum CodingKeys: String, CodingKey { case code, message }

    /// Decodes code and message.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(String.self, forKey: .code), try values.decode(String.self, forKey: .message))
    }

    static func badLine(_ line: Int, _ reason: String) -> BatchFailure {
        BatchFailure("bad-line", "line \(line) of the manifest is invalid: \(reason)")
    }

    static func collision(_ item: BatchItem, _ reason: String) -> BatchFailure {
        BatchFailure("collision", "\(item.path): \(reason)")
    }

    /// An option of a line that is invalid.
    package static func badOption(_ item: BatchItem, _ reason: String) -> BatchFailure {
        BatchFailure("bad-option", "\(item.path): \(reason)")
    }

    /// An item whose output could not be made, for any reason.
    package init(_ error: any Error, making path: String, of item: BatchItem) {
        switch error {
        case let error as BatchFailure: self = error
        case RenderingError.outside: self.init("outside", "\(error)")
        case let error as RenderingError: self.init(reading: error)
        case let error as FileError: self.init(writing: error, path)
        case is CancellationError: self.init("cancelled", "\(item.path): was cancelled; run it again")
        default: self.init("failed", "\(item.path): \(error)")
        }
    }

    /// A source that could not be read.
    package init(reading error: RenderingError) {
        if case .folder(let file) = error {
            self.init(error.code, "\(file): is a folder", underlying: error)
        } else {
            self.init(error.code, "\(error)", underlying: error)
        }
    }

    /// An output that could not be written.
    package init(writing error: FileError, _ file: String) {
        let isThere = if case .kept = error { true } else { error == .exists }
        self.init(isThere ? "exists" : Self.cannotWrite, "\(file): \(error)")
    }

    /// The code of outputs that could not be written.
    package static let cannotWrite = "cannot-write"

    /// Whether a later run fails in the same way while the file and the recipe are unchanged.
    var isLasting: Bool {
        ["empty", "damaged", "truncated", "unknown-format", "film", "no-such-page", "outside", "bad-option"]
            .contains(
                code)
    }
}

extension BatchFailure: LocalizedError, CustomStringConvertible {
    public var description: String { message }

    public var errorDescription: String? { message }
}

/// An error that prevents a batch from starting or continuing.
public enum BatchError: Error, Equatable, Sendable {
    /// The template of the outputs is invalid.
    case badTemplate(String, reason: String)
    /// The manifest cannot be read.
    case listUnreadable(file: String, reason: String)
    /// The result file cannot be written.
    case resultsUnwritable(file: String, reason: String)
    /// Another run writes to the same result file.
    case resultsInUse(file: String)

    static func listUnreadable(_ file: String, _ error: FileError) -> BatchError {
        .listUnreadable(file: file == "-" ? "standard input" : file, reason: "\(error)")
    }

    static func resultsUnwritable(_ file: String, _ error: FileError) -> BatchError {
        .resultsUnwritable(file: file, reason: "\(error)")
    }
}

extension BatchError: LocalizedError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .badTemplate(let template, let reason): "\(template): \(reason)"
        case .listUnreadable(let file, let reason), .resultsUnwritable(let file, let reason):
            "\(file): \(reason)"
        case .resultsInUse(let file):
            "\(file): another run writes its results there; wait for it, or choose another file"
        }
    }

    public var errorDescription: String? { description }
}

extension RenderingError {
    /// The error as one word for programs.
    package var code: String {
        switch self {
        case .missing: "missing"
        case .folder: "folder"
        case .unreadable: "unreadable"
        case .unavailable: "unavailable"
        case .empty: "empty"
        case .changed: "changed"
        case .unknownFormat(_, untrusted: nil): "unknown-format"
        case .unknownFormat: "untrusted"
        case .unsupported: "unsupported"
        case .film: "film"
        case .damaged: "damaged"
        case .truncated: "truncated"
        case .tooManyPixels, .blocksTooLarge, .pictureTooLarge: "too-large"
        case .noSuchPage: "no-such-page"
        case .outside, .invalidViewport, .invalidPixelBuffer, .notLossless, .notIndexable: "damaged"
        case .cannotEncode: "cannot-encode"
        case .gainMap: "gain-map"
        case .panorama: "panorama"
        case .library: "library"
        }
    }
}
