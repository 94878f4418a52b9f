package import Assets
internal import GRDB

/// The catalog's log of changes of assets and groups.
package enum ChangeLog {
    /// The maximum number of changes that are reported one by one; readers reload after more.
    static let limit = 10_000

    /// The net changes between two moments.
    package struct Changes: Equatable, Sendable {
        package var inserted: [Asset.ID] = []
        package var updated: [Asset.ID] = []
        package var removed: [Asset.ID] = []

        package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && removed.isEmpty }
    }

    /// The number of the last change.
    static func lastSequence(_ database: Database) throws -> Int {
        // The table keeps its count when its rows are dropped.
        try Int.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'change'") ?? 0
    }

    /// Returns the net changes of assets since a change; nil if there are more than `limit`, or if they are no
    /// longer in the log.
    ///
    /// An asset that was inserted and removed is omitted; one that was inserted and updated counts as inserted.
    static func assets(since sequence: Int, _ database: Database) throws -> Changes? {
        guard try lastSequence(database) - sequence <= limit else { return nil }
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT asset, what FROM change WHERE sequence > ? AND asset IS NOT NULL ORDER BY sequence",
            arguments: [sequence])
        var whats: [Asset.ID: (first: String, last: String)] = [:]
        for row in rows {
            let what: String = row["what"]
            whats[row["asset"], default: (what, what)].last = what
        }
        var changes = Changes()
        for (id, what) in whats.sorted(by: { $0.key < $1.key }) {
            switch (what.first, what.last) {
            case ("inserted", "removed"): break
            case ("inserted", _): changes.inserted.append(id)
            case (_, "removed"): changes.removed.append(id)
            default: changes.updated.append(id)
            }
        }
        return changes
    }

    /// Drops changes that are never reported.
    static func trim(_ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM change WHERE sequence <= ?", arguments: [lastSequence(database) - limit])
    }
}

extension Catalog {
    /// The number of the last change in the log.
    package func lastChange() throws -> Int { try ChangeLog.lastSequence(database) }

    /// Returns the net changes of assets since a change; nil if there are too many, or if they are no longer in the log.
    package func changes(since sequence: Int) throws -> ChangeLog.Changes? {
        try ChangeLog.assets(since: sequence, database)
    }

    /// Drops changes that are never reported.
    package func trimChanges() throws { try ChangeLog.trim(database) }
}
