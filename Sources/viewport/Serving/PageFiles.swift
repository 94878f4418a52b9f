import LibraryServing
import TileServing
import ViewerPages

/// The files of all pages, for the server.
struct PageFiles: PageAssets {
    func asset(named name: String) -> PageAsset? {
        ViewerPage.asset(named: name).map {
            PageAsset(bytes: $0.bytes, mediaType: $0.mediaType, etag: $0.etag)
        } ?? LibraryPageAssets.asset(named: name)
    }
}
