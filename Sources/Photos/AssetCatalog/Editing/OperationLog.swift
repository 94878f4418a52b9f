internal import Digests
package import Files
public import Foundation
package import GRDB
internal import ImageMetadata

/// A change of a library that can be undone.
public struct LibraryOperation: Identifiable, Hashable, Codable, Sendable {
    /// The identifier; later operations have greater ones.
    public let id: Int64
    /// What was done, such as "edit 12 assets".
    public let name: String
    /// When it was done.
    public let date: Date
    /// Whether it was carried out to its end; otherwise its process was killed, and the next operation repairs it.
    package let isFinished: Bool

    package init(id: Int64, name: String, date: Date, isFinished: Bool) {
        (self.id, self.name, self.date, self.isFinished) = (id, name, date, isFinished)
    }
}

extension LibraryOperation: CustomStringConvertible {
    /// What was done: "edit 12 assets".
    public var description: String { isFinished ? name : "\(name), not finished" }
}

/// The log of changes, by which they are undone.
///
/// A transaction of SQLite covers the catalog, but no sidecars and photos. So a step that changes a file is in the log,
/// with what it replaces, before it is made: a process that is killed leaves nothing that cannot be undone. Changes of
/// the catalog alone, such as memberships of albums, are in one transaction with their steps.
///
/// - Whoever changes files holds the lock of edits.
/// - Steps are undone from the last to the first. A sidecar is restored only if its SHA-256 is that of the step, since
///   other programs write sidecars, too; a photo is moved back only to a free name.
/// - To undo a step twice is harmless: after a kill, undoing begins anew.
/// - An operation leaves the log last. Once, it left before the restored sidecars were indexed: an undo that was killed
///   in between had restored all sidecars, while the catalog still had the ratings.
/// - The last 100 operations are kept, and those with files in the trash, so that these can be restored.
package enum OperationLog {
    // AUTOINCREMENT: SQLite gives no number twice, and folders in the trash have the numbers of operations.
    static let tables = """
        CREATE TABLE operation (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, date INTEGER NOT NULL);
        CREATE TABLE operationStep (
            operation INTEGER NOT NULL REFERENCES operation(id) ON DELETE CASCADE, number INTEGER NOT NULL,
            kind TEXT NOT NULL, path TEXT NOT NULL, other TEXT, former BLOB,
            PRIMARY KEY (operation, number)) WITHOUT ROWID;
        """

    /// Adds the mark of operations that a killed process has left.
    static let finishing = "ALTER TABLE operation ADD COLUMN finished INTEGER NOT NULL DEFAULT 1"

    /// How far an operation is, as the column `finished` has it.
    package enum State: Int, Sendable {
        /// Its steps are being made.
        case isBegun = 0
        case isFinished = 1
        /// Its steps are being undone; versions that do not know the value undo it again.
        case isUndone = 2
    }

    /// The number of operations that are kept.
    private static let length = 100

    /// Begins an operation and returns its identifier.
    ///
    /// - Parameter isFinished: false if `close` is called at the end, and the steps have to be repaired without it.
    package static func begin(_ name: String, isFinished: Bool = true, _ database: Database) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO operation(name, date, finished) VALUES (?, ?, ?)",
            arguments: [name, Int(Date().timeIntervalSince1970), isFinished])
        let id = database.lastInsertedRowID
        try database.execute(
            sql:
                "DELETE FROM operation WHERE id <= ? AND id NOT IN (SELECT operation FROM operationStep WHERE kind = ?)",
            arguments: [id - Int64(length), OperationStep.Kind.trash.rawValue])
        return id
    }

    static func rename(_ operation: Int64, _ name: String, _ database: Database) throws {
        try database.execute(sql: "UPDATE operation SET name = ? WHERE id = ?", arguments: [name, operation])
    }

    package static func append(_ steps: [OperationStep], to operation: Int64, _ database: Database) throws {
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO operationStep
                SELECT ?1, 1 + ifnull((SELECT max(number) FROM operationStep WHERE operation = ?1), 0), ?2, ?3, ?4, ?5
                """)
        for step in steps {
            try insert.execute(
                arguments: [
                    operation, step.kind.rawValue, step.path.text, step.other, step.former.map { Data($0) },
                ])
        }
    }

    /// Returns the steps of an operation, the last first.
    package static func steps(of operation: Int64, _ database: Database) throws -> [OperationStep] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT number, kind, path, other, former FROM operationStep WHERE operation = ? ORDER BY number DESC
                """,
            arguments: [operation]
        ).compactMap { OperationStep($0) }
    }

    /// Returns what one operation, or each, has moved to the trash, without the rows of assets; the last operation first.
    static func trashUnits(
        _ operation: Int64?, _ database: Database
    ) throws -> [(operation: Int64, unit: TrashUnit)] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT number, kind, path, other, NULL, operation FROM operationStep
                WHERE kind IN (?, ?) AND operation = ifnull(?, operation) ORDER BY operation DESC, number
                """,
            arguments: [
                OperationStep.Kind.row.rawValue, OperationStep.Kind.trash.rawValue, operation,
            ])
        var units: [(operation: Int64, unit: TrashUnit)] = []
        var (current, steps): (Int64, [OperationStep]) = (0, [])
        while let row = try rows.next() {
            let next: Int64 = row[5]
            if next != current {
                units += TrashUnit.units(of: steps).map { (current, $0) }
                (current, steps) = (next, [])
            }
            if let step = OperationStep(row) { steps.append(step) }
        }
        return units + TrashUnit.units(of: steps).map { (current, $0) }
    }

    /// Returns what a step has stored.
    static func former(of number: Int, of operation: Int64, _ database: Database) throws -> [UInt8]? {
        try Data.fetchOne(
            database, sql: "SELECT former FROM operationStep WHERE operation = ? AND number = ?",
            arguments: [operation, number]
        ).map { [UInt8]($0) }
    }

    package static func last(_ count: Int, _ database: Database) throws -> [LibraryOperation] {
        try fetch("ORDER BY id DESC LIMIT \(count)", database).map(\.operation)
    }

    /// Returns the operations that a killed process has left, the last first.
    package static func unfinished(
        _ database: Database
    ) throws -> [(operation: LibraryOperation, state: State)] {
        try fetch("WHERE finished <> \(State.isFinished.rawValue) ORDER BY id DESC", database)
    }

    private static func fetch(
        _ selection: String, _ database: Database
    ) throws -> [(operation: LibraryOperation, state: State)] {
        try Row.fetchAll(database, sql: "SELECT id, name, date, finished FROM operation \(selection)").map {
            let state = State(rawValue: $0[3]) ?? .isFinished
            let date = Date(timeIntervalSince1970: TimeInterval($0[2] as Int))
            return (
                LibraryOperation(id: $0[0], name: $0[1], date: date, isFinished: state == .isFinished), state
            )
        }
    }

    /// Stores how far an operation is.
    package static func set(_ state: State, of operation: Int64, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE operation SET finished = ? WHERE id = ?", arguments: [state.rawValue, operation])
    }

    /// Marks an operation as finished, or removes it if nothing is left of it.
    package static func close(_ operation: Int64, _ database: Database) throws {
        try set(.isFinished, of: operation, database)
        try database.execute(
            sql: """
                DELETE FROM operation WHERE id = ?1
                AND NOT EXISTS (SELECT 1 FROM operationStep WHERE operation = ?1)
                """, arguments: [operation])
    }

    /// Removes the steps of these files, by default those by which they went to the trash.
    package static func forget(
        _ paths: [FilePath], kinds: [OperationStep.Kind] = [.row, .trash], of operation: Int64,
        _ database: Database
    ) throws {
        let list = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let delete = try database.cachedStatement(
            sql: "DELETE FROM operationStep WHERE operation = ? AND path = ? AND kind IN (\(list))")
        for path in paths { try delete.execute(arguments: [operation, path.text]) }
    }

    /// Removes an operation that was undone, except for steps that could not be.
    static func remove(
        _ operation: Int64, except left: [OperationStep] = [], _ database: Database
    ) throws {
        guard !left.isEmpty else {
            return try database.execute(sql: "DELETE FROM operation WHERE id = ?", arguments: [operation])
        }
        let numbers = left.map { "\($0.number)" }.joined(separator: ",")
        try database.execute(
            sql: "DELETE FROM operationStep WHERE operation = ? AND number NOT IN (\(numbers))",
            arguments: [operation])
        try set(.isFinished, of: operation, database)
    }
}

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
    fileprivate init?(_ row: Row) {
        guard let kind = Kind(rawValue: row[1]) else { return nil }
        self.init(
            kind: kind, path: FilePath(row[2] as String), other: row[3],
            former: (row[4] as Data?).map { [UInt8]($0) }, number: row[0])
    }

    static func sidecar(_ path: FilePath, former: [UInt8]?, new: [UInt8], kind: Kind) -> Self {
        Self(kind: kind, path: path, other: digest(new), former: former)
    }

    /// The path of its file; nil if it is in a folder of sidecars that the library has no more.
    func file(in places: SidecarPlaces) -> String? {
        kind == .sidecarInFolder ? places.folder.map { "\($0)/\(path.text)" } : "\(places.root)/\(path.text)"
    }

    /// What only the catalog knows of an asset; nil if there is nothing.
    static func known(_ asset: Asset) -> Self? {
        let isTracked = asset.location?.source == .track
        var zone: String?
        if let source = asset.date?.zoneSource, case .assumed = source { zone = source.stored }
        guard isTracked || zone != nil else { return nil }
        return Self(kind: .known, path: asset.file, other: zone, former: isTracked ? [] : nil)
    }

    /// Marks the position and time zone of an asset as known to the catalog only.
    func restoreKnown(_ database: Database) throws {
        if former != nil {
            try database.execute(
                sql: "UPDATE asset SET locationSource = ? WHERE path = ? AND latitude IS NOT NULL",
                arguments: [LocationSource.track.rawValue, path.text])
        }
        if let other {
            try database.execute(
                sql: "UPDATE asset SET zoneSource = ? WHERE path = ? AND utcOffset IS NOT NULL",
                arguments: [other, path.text])
        }
    }

    package static func kept(_ mark: Int64) -> Self { Self(kind: .kept, path: "", other: "\(mark)") }

    private static func digest(_ bytes: [UInt8]) -> String { SHA256.hash(bytes.span).hexadecimal }

    /// Restores the file of the step; returns the reason if that is impossible.
    package func restore(in places: SidecarPlaces) -> String? {
        guard let path = file(in: places) else {
            return "is in a folder of sidecars that the library has no more; name it with --sidecars"
        }
        let root = places.root
        do throws(FileError) {
            switch kind {
            case .sidecar, .sidecarInFolder:
                let now = FileStatus(path) == nil ? nil : try InputFile.contents(path)
                // Both are equal where an undo was killed after this step.
                if now != former {
                    guard let now, Self.digest(now) == other else { return "was changed since, and is kept" }
                    if let former {
                        guard try PartFile.replace(now, with: former, at: path) else {
                            return "was changed since, and is kept"
                        }
                    } else {
                        OutputFile.remove(path)
                    }
                }
                // Also those above a file that a killed process has removed.
                if former == nil, kind == .sidecarInFolder { places.removeEmptyFolders(above: self.path) }
            case .trash:
                guard let other else { return nil }
                let trash = TrashFolder(root: root)
                guard FileStatus("\(root)/\(other)") != nil else {
                    trash.removeEmptyFolders(above: FilePath(other))
                    // It is back already where an undo was killed after this step.
                    return FileStatus(path) == nil ? "is no longer in the trash" : nil
                }
                try Folder.make(OutputFile.folder(of: path), mode: 0o777)
                guard try Folder.moveToNewName("\(root)/\(other)", path) else {
                    return "\(TrashUnit.nameIsTaken); rename that and undo again"
                }
                trash.removeEmptyFolders(above: FilePath(other))
            case .joined, .left, .album, .row, .kept, .known: break
            }
            return nil
        } catch {
            return error.description
        }
    }
}
