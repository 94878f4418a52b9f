package import Assets
internal import Basics
package import Files
package import Foundation
internal import GRDB

/// What tells that a file outside of the library was not written or replaced, even if its size and time were restored:
/// programs cannot set the time of the last status change.
package struct SourceIdentity: Equatable, Sendable {
    package var device: Int64
    package var inode: Int64
    /// The position of an entry in its archive; -1 for other files.
    package var entry: Int64
    package var bytes: Int
    package var modified: Int
    package var changed: Int

    package init(_ status: FileStatus, changed: Int, entry: Int64 = -1) {
        (device, inode) = (Int64(bitPattern: status.device), Int64(bitPattern: status.inode))
        (bytes, modified) = (status.size, status.modified)
        (self.changed, self.entry) = (changed, entry)
    }
}

/// A file of the library as an import compares it.
package struct AssetFile: Sendable {
    package var id: Asset.ID
    package var path: FilePath
    package var bytes: Int
    package var modified: Int
}

// The checksums of sources.
extension Catalog {
    /// Returns the remembered checksums of files that are what they were.
    package func digests(of identities: [SourceIdentity?]) throws -> [Data?] {
        let keys = identities.map { $0.map { "[\($0.device),\($0.inode),\($0.entry)]" } ?? "null" }
        var digests = [Data?](repeating: nil, count: identities.count)
        // One statement for all: a statement for each takes twice the time.
        let find = try database.cachedStatement(
            sql: """
                SELECT key, bytes, modified, changed, sha256 FROM json_each(?) CROSS JOIN sourceDigest
                WHERE device = json_extract(value, '$[0]') AND inode = json_extract(value, '$[1]')
                AND entry = json_extract(value, '$[2]')
                """)
        let rows = try Row.fetchCursor(find, arguments: ["[\(keys.joined(separator: ","))]"])
        while let row = try rows.next() {
            let number = row[0] as Int
            guard let identity = identities[number], row[1] as Int == identity.bytes,
                row[2] as Int == identity.modified, row[3] as Int == identity.changed
            else { continue }
            digests[number] = row[4] as Data
        }
        return digests
    }

    package func remember(_ digests: [(identity: SourceIdentity, digest: Data)]) throws {
        let insert = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO sourceDigest VALUES (?, ?, ?, ?, ?, ?, ?)")
        for (identity, digest) in digests {
            try insert.execute(
                arguments: [
                    identity.device, identity.inode, identity.entry, identity.bytes, identity.modified,
                    identity.changed, digest,
                ])
        }
    }
}

// What the library has that a source may equal.
extension Catalog {
    /// The sizes of all assets' files.
    package func assetSizes() throws -> Set<Int> {
        try Set(Int.fetchAll(database, sql: "SELECT DISTINCT bytes FROM asset"))
    }

    /// The sizes of all files that are no assets.
    package func otherSizes() throws -> Set<Int> {
        try Int.fetchSet(database, sql: "SELECT DISTINCT bytes FROM other")
    }

    /// Returns the files of one size that are no assets, by their paths.
    package func others(ofSize size: Int) throws -> [FilePath] {
        let find = try database.cachedStatement(sql: "SELECT path FROM other WHERE bytes = ? ORDER BY path")
        return try String.fetchAll(find, arguments: [size]).map { FilePath($0) }
    }

    /// Returns the assets with a checksum by their paths, up to the first one that `isLast` takes.
    package func files(_ digest: Data, upTo isLast: (Asset.ID) -> Bool) throws -> [AssetFile] {
        let find = try database.cachedStatement(
            sql: "SELECT id, path, bytes, modified FROM asset WHERE sha256 = ? ORDER BY path")
        let rows = try Row.fetchCursor(find, arguments: [digest])
        var files: [AssetFile] = []
        while let row = try rows.next() {
            files.append(
                AssetFile(id: row[0], path: FilePath(row[1] as String), bytes: row[2], modified: row[3]))
            if isLast(row[0]) { break }
        }
        return files
    }

    /// Returns the paths of the assets with a checksum in hexadecimal digits.
    package func paths(withDigest digest: String) throws -> [FilePath] {
        try String.fetchAll(
            database, sql: "SELECT path FROM asset WHERE sha256 = ? ORDER BY path",
            arguments: [[UInt8](hexadecimal: digest).map { Data($0) }]
        ).map { FilePath($0) }
    }

    /// Returns the size, time and checksum that the catalog has of a file; nil for files that it does not know.
    ///
    /// The checksum is nil for files that are no assets.
    package func record(at path: FilePath) throws -> (bytes: Int, modified: Int, sha256: String?)? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT bytes, modified, lower(hex(sha256)) FROM asset WHERE path = ?1
                UNION ALL SELECT bytes, modified, NULL FROM other WHERE path = ?1
                """, arguments: [path.text])
        return row.map { (bytes: $0[0], modified: $0[1], sha256: $0[2]) }
    }

    /// Returns the assets that were taken at a second of the camera's clock, whatever the zone, by their paths.
    ///
    /// - Parameter second: as `CaptureDate.storedText` has it.
    package func captures(
        at local: Int, _ second: String
    ) throws -> [(path: FilePath, kinds: AssetKinds, make: String?, model: String?)] {
        // The library may know another offset of the same clock, or none.
        let find = try database.cachedStatement(
            sql: """
                SELECT path, kinds, make, model FROM asset
                WHERE instant BETWEEN ? AND ? AND substr(date, 1, 19) = ? ORDER BY path
                """)
        return try Row.fetchAll(find, arguments: [local - 86_400, local + 86_400, second]).map {
            (FilePath($0[0] as String), AssetKinds(rawValue: $0[1]), $0[2], $0[3])
        }
    }
}

// What earlier imports have done.
extension Catalog {
    /// Returns the path that a source was imported to, if the source is unchanged.
    package func path(ofImported source: FilePath, _ state: FileState) throws -> FilePath? {
        let find = try database.cachedStatement(
            sql: "SELECT path FROM imported WHERE source = ? AND bytes = ? AND modified = ?")
        return try String.fetchOne(find, arguments: [source.text, state.bytes, state.modified]).map {
            FilePath($0)
        }
    }

    package func rememberImport(of source: FilePath, _ state: FileState, as path: FilePath) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?)",
            arguments: [source.text, state.bytes, state.modified, path.text])
    }

    /// Returns the key of the values from an export that were written for a source; nil if none were.
    package func described(_ source: FilePath) throws -> String? {
        try String.fetchOne(
            database.cachedStatement(sql: "SELECT facts FROM described WHERE source = ?"),
            arguments: [source.text])
    }

    /// Records that the values with a key were written.
    package func rememberDescription(of source: FilePath, _ key: String) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO described VALUES (?, ?)")
            .execute(arguments: [source.text, key])
    }
}
