internal import Basics
internal import Files

/// A set of assets: the whole library, a folder or an album, with the state in which it was read.
public struct AssetGroup: Identifiable, Hashable, Codable, Sendable {
    /// The identity of a group.
    public enum ID: Hashable, Sendable {
        /// All assets of the library.
        case all
        /// The files of a folder itself, without those in its subfolders.
        case folder(Int64)
        /// The assets that were added to an album.
        case album(Int64)

        /// The album Picks, which always exists.
        public static let picks = ID.album(1)
    }

    /// The kind of a group.
    package enum Kind: String, Sendable {
        /// Every asset of the library.
        case all
        /// The album Picks.
        case picks
        /// The assets of a folder.
        case folder
        /// The assets of an album.
        case album
    }

    /// The identity of the group.
    public var id: ID
    /// An album's name; a folder's path below the root, empty for the root itself.
    public var name: String
    /// The number of assets.
    public var count: Int
    /// The size of their files in bytes.
    package var bytes: Int

    package init(id: ID, name: String, count: Int, bytes: Int) {
        (self.id, self.name, self.count, self.bytes) = (id, name, count, bytes)
    }

    /// Whether both are the same group in the same state; names are compared by their bytes.
    public static func == (a: Self, b: Self) -> Bool {
        a.id == b.id && a.count == b.count && a.bytes == b.bytes && FilePath(a.name) == FilePath(b.name)
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The kind of the group.
    package var kind: Kind {
        switch id {
        case .all: .all
        case .picks: .picks
        case .folder: .folder
        case .album: .album
        }
    }
}

extension AssetGroup.ID {
    /// The name in addresses: "all", "picks", "album-3" or "folder-12".
    package var pathComponent: String {
        switch self {
        case .all: "all"
        case .picks: "picks"
        case .album(let id): "album-\(id)"
        case .folder(let id): "folder-\(id)"
        }
    }

    package init?(pathComponent text: String) {
        switch text {
        case "all": self = .all
        case "picks": self = .picks
        default:
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let id = Int64(strict: parts[1]) else { return nil }
            switch parts[0] {
            case "album": self = .album(id)
            case "folder": self = .folder(id)
            default: return nil
            }
        }
    }
}

/// Coded as the name in addresses: "all", "picks", "album-3" or "folder-12".
extension AssetGroup.ID: Codable {
    /// Decodes the name.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("a group such as album-3") { Self(pathComponent: $0) }
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: pathComponent) }
}

extension AssetGroup: CustomStringConvertible {
    /// The name and the number of assets: "2014/05: 31 assets".
    public var description: String {
        "\(name.isEmpty ? id.pathComponent : PathText.shown(name)): \(count.counted("asset"))"
    }
}
