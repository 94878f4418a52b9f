internal import Files

/// A file that is about to be read.
struct FoundFile: Sendable {
    /// Below the root.
    var path: String
    var status: FileStatus
    /// The file with what is known beside the picture, below the root.
    var sidecar: Sidecar?
    /// The digest of its bytes, where it is known that they have not changed.
    var sha256: String?

    struct Sidecar: Equatable, Sendable {
        var path: String
        var bytes: Int
        var modified: Int
    }

    var record: FileRecord {
        FileRecord(
            inode: Int64(bitPattern: status.inode), sidecarBytes: sidecar?.bytes,
            sidecarModified: sidecar?.modified)
    }
}
