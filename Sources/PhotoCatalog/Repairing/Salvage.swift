private import Files
internal import Foundation
internal import GRDB

/// What can still be read of a damaged catalog: row by row, around what is damaged.
struct Salvage: Sendable {
    var assets: [Asset] = []
    var albums: [Album] = []
    /// Rows that could not be read, or whose neighbors could not.
    var losses = 0

    struct Album: Sendable {
        var id: Int64
        var name: String
        var position: Int
        /// In their order.
        var assets: [Asset.ID] = []
    }

    /// Reads a damaged database; what cannot be read at all yields nothing.
    init(path: String) {
        var configuration = Configuration()
        configuration.readonly = true
        let file = PlainPath(path)
        defer { withExtendedLifetime(file) {} }
        guard let queue = try? DatabaseQueue(path: file.path, configuration: configuration) else { return }
        queue.inDatabase { database in
            var salvage = Salvage()
            salvage.read(database)
            self = salvage
        }
    }

    private init() {}

    private mutating func read(_ database: Database) {
        let places = Dictionary(
            rows("SELECT id, name FROM place WHERE id", from: 1, database).map {
                ($0["id"] as Int64, $0["name"] as String?)
            }
        ) { $1 }
        assets = rows("SELECT asset.*, NULL AS placeName FROM asset WHERE id", from: 1, database).compactMap {
            row in
            guard row["path"] as String? != nil, row["format"] as String? != nil,
                row["sha256"] as Data? != nil
            else { return nil }
            var asset = Asset(row)
            asset.place = (row["place"] as Int64?).flatMap { places[$0] ?? nil }
            return asset
        }
        albums = rows("SELECT id, name, position FROM album WHERE id", from: 1, database).compactMap { row in
            (row["name"] as String?).map { Album(id: row["id"], name: $0, position: row["position"] ?? 0) }
        }
        for index in albums.indices {
            let members = rows(
                "SELECT asset AS id, position FROM albumAsset WHERE album = \(albums[index].id) AND asset",
                from: 1,
                database)
            albums[index].assets = members.sorted {
                ($0["position"] as Int? ?? 0) < ($1["position"] as Int? ?? 0)
            }
            .map { $0["id"] }
        }
    }

    /// The rows that can be read, found by halving the range of their numbers around what is damaged.
    private mutating func rows(_ select: String, from first: Int64, _ database: Database) -> [Row] {
        var found: [Row] = []
        // Far more than any library holds: empty halves are read in no time.
        var ranges: [ClosedRange<Int64>] = [first...(1 << 40)]
        while let range = ranges.popLast() {
            do {
                found += try Row.fetchAll(
                    database, sql: "\(select) BETWEEN ? AND ?",
                    arguments: [range.lowerBound, range.upperBound])
            } catch {
                guard range.count > 1 else {
                    losses += 1
                    continue
                }
                let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
                ranges.append((middle + 1)...range.upperBound)
                ranges.append(range.lowerBound...middle)
            }
        }
        return found
    }
}
