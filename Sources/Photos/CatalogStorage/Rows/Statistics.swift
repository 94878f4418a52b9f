package import Assets
internal import GRDB

extension Catalog {
    /// Counts the content of the library.
    package func statistics() throws -> LibraryStatistics {
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
