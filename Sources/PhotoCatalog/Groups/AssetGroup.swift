internal import GRDB
internal import ImageMetadata

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

/// What a library holds, in numbers.
public struct LibraryStatistics: Sendable {
    public var assets = 0
    public var bytes = 0
    public var photos = 0
    public var videos = 0
    public var screenshots = 0
    public var undated = 0
    /// Whose date does not say in which zone it is.
    public var withoutZone = 0
    public var located = 0
    public var places = 0
    public var albums = 0
    /// Seconds of all videos.
    public var duration = 0.0
    /// The wall clocks of the first and the last asset.
    public var first: String?
    public var last: String?
    /// How many assets there are of each format, the most first.
    public var formats: [(name: String, count: Int)] = []
}

extension PhotoLibrary {
    /// What the library holds, counted now.
    public func statistics() async throws(LibraryError) -> LibraryStatistics {
        try await catalog.read { database in
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
            statistics.duration = row[9]
            statistics.first = row[10]
            statistics.last = row[11]
            statistics.albums = try Int.fetchOne(database, sql: "SELECT count(*) FROM album") ?? 0
            statistics.formats = try Row.fetchAll(
                database, sql: "SELECT format, count(*) FROM asset GROUP BY 1 ORDER BY 2 DESC, 1"
            ).map { (name: $0[0], count: $0[1]) }
            return statistics
        }
    }
}
