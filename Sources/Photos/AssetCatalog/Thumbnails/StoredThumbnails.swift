internal import Basics
internal import CatalogStorage
package import Files

/// Reads the thumbnails of a library, which another process may make at any time.
final class StoredThumbnails: Sendable {
    private let catalog: String
    private let store = Once<ThumbnailStore>()

    init(catalog: String) { self.catalog = catalog }

    /// Returns a thumbnail; nil if there is none, or it cannot be read.
    func bytes(of asset: Asset, _ form: String) -> [UInt8]? {
        let path = ThumbnailStore.path(catalog)
        // They may have gigabytes, which nobody wants to be copied.
        guard store.valueIfMade != nil || FileStatus(path) != nil && CatalogStore.isReadInPlace(path),
            let store = try? store.value({ try ThumbnailStore(catalog: catalog) })
        else { return nil }
        return try? store.bytes(ThumbnailStore.Key(asset), form)
    }
}

extension PhotoLibrary {
    /// Returns a thumbnail that `index` has stored; nil without one, or if the file has changed since it was indexed.
    ///
    /// Blocks the calling thread.
    package func storedThumbnail(of asset: Asset, _ form: String) -> [UInt8]? {
        guard let status = FileStatus(path(of: asset)), asset.isCurrent(status) else { return nil }
        return thumbnails.bytes(of: asset, form)
    }
}

extension Asset {
    /// Whether its file is as it was when it was indexed.
    package func isCurrent(_ status: FileStatus) -> Bool {
        status.size == bytes && status.modified == modifiedNanoseconds
    }
}
