#if CommandLine
import Basics
import RemoteFiles
import ViewportRendering

extension RemoteReport {
    /// The report of `--json`.
    var json: JSONValue {
        .object([
            "requests": .int(requests), "bytes": .int(bytes), "fileBytes": .int(size),
            "ranges": .bool(hasRanges), "copy": .bool(isCopied),
            "sidecar": JSONValue(sidecar, JSONValue.string),
        ])
    }
}

/// Work on an image that may change on a server meanwhile.
enum OnceMore {
    /// Runs work, and once more where a remote image has changed.
    static func run<R>(_ image: String, _ work: () async throws -> R) async throws -> R {
        do {
            return try await work()
        } catch RenderingError.changed where RemoteAddress.isRemote(image) {
            return try await work()
        }
    }

    /// Runs work, and once more where a remote image has changed.
    static func run<R>(_ image: String, _ work: () throws -> R) throws -> R {
        do {
            return try work()
        } catch RenderingError.changed where RemoteAddress.isRemote(image) {
            return try work()
        }
    }
}
#endif
