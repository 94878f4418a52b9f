package import Assets
internal import Basics
package import Foundation
internal import GRDB

// What is compared to find duplicates.
extension Catalog {
    /// What two files can have in common.
    package enum Equality: String, Sendable { case sha256, pixels }

    /// Returns the identifiers of assets that are equal, a list for each group.
    package func equalAssets(by equality: Equality) throws -> [[Asset.ID]] {
        let column = equality.rawValue
        return try String.fetchAll(
            database,
            sql: """
                SELECT group_concat(asset.id) FROM asset LEFT JOIN fingerprint USING (sha256)
                WHERE \(column) IS NOT NULL GROUP BY \(column) HAVING count(*) > 1
                """
        ).map { list in list.split(separator: ",").compactMap { Int64($0) } }
    }

    /// Passes on the assets with a fingerprint of their looks, by their identifiers.
    package func forEachLook(_ body: (Asset.ID, _ difference: UInt64) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT asset.id, difference FROM asset JOIN fingerprint USING (sha256) ORDER BY 1"
        )
        while let row = try rows.next() { try body(row[0], UInt64(bitPattern: row[1])) }
    }

    /// Returns the paths of photos without a fingerprint; of equal files, that of one.
    package func pathsWithoutFingerprint() throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT min(path) FROM asset LEFT JOIN fingerprint USING (sha256)
                WHERE pixels IS NULL AND kinds & ? <> 0 GROUP BY sha256 ORDER BY 1
                """, arguments: [AssetKinds.photo.rawValue])
    }

    /// Stores the fingerprint of the file at a path.
    ///
    /// - Parameter pixels: the digest of the pixels in hexadecimal digits.
    package func setFingerprint(of path: String, pixels: String, difference: UInt64) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO fingerprint SELECT sha256, ?, ? FROM asset WHERE path = ?",
            arguments: [
                [UInt8](hexadecimal: pixels).map { Data($0) }, Int64(bitPattern: difference), path,
            ])
    }

    /// Returns the digest of the pixels by the checksum of a file in hexadecimal digits; nil if it is not known.
    package func pixels(ofDigest sha256: String) throws -> Data? {
        let find = try database.cachedStatement(sql: "SELECT pixels FROM fingerprint WHERE sha256 = ?")
        return try Data.fetchOne(find, arguments: [[UInt8](hexadecimal: sha256).map { Data($0) }])
    }

    /// The numbers of assets without a date, and without a position.
    package func countLacking() throws -> (date: Int, position: Int) {
        let counts = try Row.fetchOne(
            database,
            sql: "SELECT count(*) FILTER (WHERE hour IS NULL), count(*) - count(latitude) FROM asset")
        return (counts?[0] ?? 0, counts?[1] ?? 0)
    }

    /// The number of memberships of all albums.
    package func countMemberships() throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM albumAsset") ?? 0
    }
}
