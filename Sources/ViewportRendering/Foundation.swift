#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImageFile {
    /// Opens the file of a file URL.
    ///
    /// - Throws: `RenderingError`, also where the URL is not a file URL.
    public init(url: URL, options: OpenOptions = OpenOptions()) throws(RenderingError) {
        guard url.isFileURL else {
            throw .unreadable(file: url.absoluteString, reason: "it is not a file URL")
        }
        try self.init(path: url.path, options: options)
    }
}

extension RenderingError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
