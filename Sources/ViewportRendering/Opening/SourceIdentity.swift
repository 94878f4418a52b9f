package import Files

/// What tells the pixels of one source from those of all others, for as long as the file is not written.
package struct SourceIdentity: Hashable, Sendable {
    /// From the root of the file system, symbolic links followed.
    package var path: String
    /// The file when it was opened; nil where it had gone.
    package var status: FileStatus?
    /// The page, frame or slide, from 0.
    package var page: Int
    /// Whether what is there of a truncated file may be shown.
    package var allowsTruncated: Bool

    package init(_ path: String, _ status: FileStatus?, _ options: OpenOptions) {
        self.path = ProcessEnvironment.absolutePath(path)
        self.status = status
        page = options.page
        allowsTruncated = options.allowsTruncated
    }
}
