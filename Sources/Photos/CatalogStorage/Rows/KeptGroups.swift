package import Assets
internal import GRDB

/// The groups of duplicates of which all members are to be kept.
package struct KeptGroups: Sendable {
    /// The members of each group.
    private var members: [Int64: Set<Asset.ID>] = [:]
    private var groups: [Asset.ID: [Int64]] = [:]

    fileprivate init(_ database: Database) throws {
        for row in try Row.fetchAll(database, sql: "SELECT mark, asset FROM keptTogether") {
            members[row[0], default: []].insert(row[1])
            groups[row[1], default: []].append(row[0])
        }
    }

    /// The numbers of the groups of an asset.
    package func numbers(of asset: Asset.ID) -> [Int64] { (groups[asset] ?? []).sorted() }

    /// Whether all of these assets are members of one group.
    package func hold(_ ids: [Asset.ID]) -> Bool {
        guard let first = ids.first else { return false }
        return (groups[first] ?? []).contains { mark in ids.allSatisfy { members[mark]?.contains($0) == true }
        }
    }
}

extension Catalog {
    /// The groups of duplicates of which all members are to be kept.
    package func keptGroups() throws -> KeptGroups { try KeptGroups(database) }

    /// Stores a group of duplicates to keep, and returns its number.
    @discardableResult
    package func keepTogether(_ ids: [Asset.ID]) throws -> Int64 {
        let last = try Int64.fetchOne(database, sql: "SELECT max(mark) FROM keptTogether") ?? 0
        let insert = try database.cachedStatement(sql: "INSERT OR IGNORE INTO keptTogether VALUES (?, ?)")
        for id in ids { try insert.execute(arguments: [last + 1, id]) }
        return last + 1
    }
}
