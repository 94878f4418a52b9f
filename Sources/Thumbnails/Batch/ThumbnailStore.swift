package import Files

/// Where a batch's thumbnails lie.
package protocol ThumbnailStore: Sendable {
    /// The paths of an item's thumbnails, in the order of the recipe's sizes.
    func outputs(of item: BatchItem) throws(BatchFailure) -> [String]

    /// The thumbnails, where all are there, whole, and made by the same recipe of the file as it is now.
    func existing(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) -> KeptThumbnails?

    /// Finds what would stop the thumbnails from being written, before work is put into them; makes folders.
    func prepare(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) throws(BatchFailure)

    /// Writes thumbnails, each whole or not at all.
    func write(
        _ made: [Thumbnail], placeholder: String?, of item: BatchItem, to outputs: [String],
        _ source: FileStatus
    ) throws(BatchFailure) -> [StoredThumbnail]

    /// Remembers that a file has no thumbnails, where the place has a way to.
    func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus)
}

/// Thumbnails that were there.
package struct KeptThumbnails: Sendable {
    package var outputs: [StoredThumbnail]
    package var placeholder: String?
}
