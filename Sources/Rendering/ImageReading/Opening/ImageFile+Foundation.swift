public import Pictures

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImageFile {
    /// Opens the file of a URL of the scheme `file`, `https`, `http` or `s3`.
    ///
    /// Of a file behind `https`, `http` or `s3` only the ranges are requested that its header, and later each picture,
    /// needs; `OpenOptions.remote` sets time limits and memory. All bytes are of the same version of the file: if it
    /// changes on the server, the next read throws `RenderingError.changed`, and it has to be opened again. Requests
    /// block the calling thread: do not open or render on the cooperative pool.
    ///
    /// - Throws: `RenderingError`, also for URLs of other schemes. It names the file without user, password and query.
    public init(url: URL, options: OpenOptions = OpenOptions()) throws(RenderingError) {
        if url.isFileURL {
            try self.init(path: url.path, options: options)
        } else {
            self = try Self.open(address: url.absoluteString, options, scans: false)
        }
    }
}
