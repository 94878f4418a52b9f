internal import Assets
package import Files
internal import Foundation
internal import GRDB
internal import ImageMetadata

/// A step of an operation, with what undoing it needs.
package struct OperationStep: Sendable {
    package enum Kind: String, Sendable {
        /// A sidecar at `path` was written: `former` are its bytes before, nil if there was none, and `other` is the
        /// SHA-256 of the new ones.
        case sidecar
        /// The same in the folder of sidecars, below which `path` is.
        case sidecarInFolder
        /// The file at `path` was moved to `other` in the trash.
        case trash
        /// The asset at `path` was added to the album named `other`.
        case joined
        /// The asset at `path` was in the album named `other`.
        case left
        /// The album named `other` was made for the asset at `path`.
        case album
        /// The asset at `path` was removed from the catalog: `former` are its row and its albums.
        case row
        /// The asset at `path` had a position from a track if `former` is there, and the assumed time zone `other`: the
        /// sidecar that was written states them, and undoing it must not take them from the catalog.
        case known
        /// The group of duplicates with the number `other` is to be kept.
        case kept

        package var isSidecar: Bool { self == .sidecar || self == .sidecarInFolder }
    }

    package var kind: Kind
    /// Below the library's root.
    package var path: FilePath
    package var other: String?
    package var former: [UInt8]?
    /// The position in its operation; 0 before it is in the log.
    package var number: Int

    package init(
        kind: Kind, path: FilePath, other: String? = nil, former: [UInt8]? = nil, number: Int = 0
    ) {
        (self.kind, self.path, self.other) = (kind, path, other)
        (self.former, self.number) = (former, number)
    }

    /// Reads number, kind, path, other and former; nil if a newer version has stored it.
    init?(_ row: Row) {
        guard let kind = Kind(rawValue: row[1]) else { return nil }
        self.init(
            kind: kind, path: FilePath(row[2] as String), other: row[3],
            former: (row[4] as Data?).map { [UInt8]($0) }, number: row[0])
    }

    package static func kept(_ mark: Int64) -> Self { Self(kind: .kept, path: "", other: "\(mark)") }
}

/// The steps by which an asset, its film and its sidecars go to the trash: the asset's own file goes last.
package struct TrashUnit: Sendable {
    package var rows: [OperationStep] = []
    package var moves: [OperationStep] = []

    package init() {}

    /// Returns the units of an operation from its steps, the first first.
    package static func units(of steps: some Sequence<OperationStep>) -> [TrashUnit] {
        var units: [TrashUnit] = []
        for step in steps {
            switch step.kind {
            case .row:
                if units.last?.moves.isEmpty != true { units.append(TrashUnit()) }
                units[units.count - 1].rows.append(step)
            case .trash: if !units.isEmpty { units[units.count - 1].moves.append(step) }
            default: break
            }
        }
        return units
    }
}

extension OperationLog {
    /// Marks the position and time zone of an asset as known to the catalog only.
    package func restoreKnown(_ step: OperationStep) throws {
        let path = step.path
        if step.former != nil {
            try database.execute(
                sql: "UPDATE asset SET locationSource = ? WHERE path = ? AND latitude IS NOT NULL",
                arguments: [LocationSource.track.rawValue, path.text])
        }
        if let other = step.other {
            try database.execute(
                sql: "UPDATE asset SET zoneSource = ? WHERE path = ? AND utcOffset IS NOT NULL",
                arguments: [other, path.text])
        }
    }

    /// Restores the membership of an album; albums and assets that are gone are passed over.
    package func restoreAlbum(_ step: OperationStep) throws {
        guard let other = step.other else { return }
        let (kind, path) = (step.kind, step.path)
        if kind == .kept {
            return try database.execute(
                sql: "DELETE FROM keptTogether WHERE mark = ?", arguments: [Int64(other)])
        }
        if kind == .album {
            return try database.execute(
                sql: """
                    DELETE FROM album WHERE name = ?
                    AND NOT EXISTS (SELECT 1 FROM albumAsset WHERE album = album.id)
                    """, arguments: [other])
        }
        guard kind == .joined || kind == .left else { return }
        let ids = "(SELECT id FROM album WHERE name = ?1), (SELECT id FROM asset WHERE path = ?2)"
        if kind == .joined {
            try database.execute(
                sql: "DELETE FROM albumAsset WHERE (album, asset) = (\(ids))", arguments: [other, path.text])
        } else {
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO albumAsset
                    SELECT album.id, asset.id, 1 + ifnull((SELECT max(position) FROM albumAsset
                        WHERE albumAsset.album = album.id), 0)
                    FROM album, asset WHERE album.name = ?1 AND asset.path = ?2
                    """, arguments: [other, path.text])
        }
    }
}
