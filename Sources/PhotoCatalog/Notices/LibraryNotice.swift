/// What has happened in a library.
public enum LibraryNotice: Equatable, Sendable {
    /// The library can be used; its groups. The first notice of every sequence.
    case didSetUp(groups: [AssetGroup])
    /// Groups appeared, changed or went: those that went as they were last.
    case groupsChanged(inserted: [AssetGroup], updated: [AssetGroup], deleted: [AssetGroup])
    /// Assets appeared, changed (what is known of them or their files) or went.
    case assetsChanged(inserted: [Asset.ID], updated: [Asset.ID], removed: [Asset.ID])
    /// More happened than is told one by one: what was loaded has to be loaded again.
    case reload(groups: [AssetGroup])
}
