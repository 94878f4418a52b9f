internal import Basics
internal import Files
internal import GRDB

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

/// Numbers about the content of a library.
package struct LibraryStatistics: Sendable {
    /// The number of assets.
    package internal(set) var assets = 0
    /// The size of all files in bytes.
    package internal(set) var bytes = 0
    /// The number of photos.
    package internal(set) var photos = 0
    /// The number of videos.
    package internal(set) var videos = 0
    /// The number of screenshots, which are photos too.
    package internal(set) var screenshots = 0
    /// The number of assets without a date.
    package internal(set) var undated = 0
    /// The number of assets whose date has no time zone.
    package internal(set) var withoutZone = 0
    /// The number of assets with a location.
    package internal(set) var located = 0
    /// The number of different place names.
    package internal(set) var places = 0
    /// The number of albums, the picks among them.
    package internal(set) var albums = 0
    /// The length of all videos in seconds.
    package internal(set) var seconds = 0.0
    /// The date of the first asset as the catalog stores it.
    package internal(set) var firstDate: String?
    package internal(set) var lastDate: String?
    /// The number of assets of each format, the most common first.
    package internal(set) var formats: [(name: String, count: Int)] = []
}

extension PhotoLibrary {
    /// Counts the content of the library.
    package func statistics() async throws -> LibraryStatistics {
        try await read { database in
            var statistics = LibraryStatistics()
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*), total(bytes), count(*) FILTER (WHERE kinds & ?1), count(*) FILTER (WHERE kinds & ?2),
                        count(*) FILTER (WHERE kinds & ?3), count(*) FILTER (WHERE date IS NULL),
                        count(*) FILTER (WHERE date IS NOT NULL AND utcOffset IS NULL), count(latitude),
                        count(DISTINCT place), total(duration) FILTER (WHERE kinds & ?2), min(date), max(date) FROM asset
                    """,
                arguments: [
                    AssetKinds.photo.rawValue, AssetKinds.video.rawValue, AssetKinds.screenshot.rawValue,
                ])
            guard let row else { return statistics }
            statistics.assets = row[0]
            statistics.bytes = row[1]
            statistics.photos = row[2]
            statistics.videos = row[3]
            statistics.screenshots = row[4]
            statistics.undated = row[5]
            statistics.withoutZone = row[6]
            statistics.located = row[7]
            statistics.places = row[8]
            statistics.seconds = row[9]
            statistics.firstDate = row[10]
            statistics.lastDate = row[11]
            statistics.albums = try Int.fetchOne(database, sql: "SELECT count(*) FROM album") ?? 0
            statistics.formats = try Row.fetchAll(
                database, sql: "SELECT format, count(*) FROM asset GROUP BY 1 ORDER BY 2 DESC, 1"
            ).map { (name: $0[0], count: $0[1]) }
            return statistics
        }
    }
}
