/// Assets that belong together, as they were when the group was asked for.
public struct AssetGroup: Identifiable, Hashable, Sendable {
    public enum ID: Hashable, Sendable {
        /// Everything in the library.
        case all
        /// The files that lie in a folder itself, without those in folders below.
        case folder(Int64)
        /// Chosen by the user.
        case album(Int64)

        /// The album that is always there: what the user has picked.
        public static let picks = ID.album(1)
    }

    public enum Kind: String, Sendable { case all, picks, folder, album }

    public var id: ID
    /// An album's name; a folder's path below the root, empty for the root itself.
    public var name: String
    /// How many assets it holds.
    public var count: Int
    /// The bytes of their files.
    public var bytes: Int

    public var kind: Kind {
        switch id {
        case .all: .all
        case .picks: .picks
        case .folder: .folder
        case .album: .album
        }
    }
}
