import TileServer
import ViewerPage

/// The files of the viewer page, for the server.
struct ViewerAssets: PageAssets {
    func asset(named name: String) -> PageAsset? {
        ViewerPage.asset(named: name).map {
            PageAsset(bytes: $0.bytes, mediaType: $0.mediaType, etag: $0.etag)
        }
    }
}
