package import Assets
package import Files
package import Foundation
internal import GRDB

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
package struct OperationLog {
    let database: Database

    init(_ database: Database) { self.database = database }

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
    package func begin(_ name: String, isFinished: Bool = true) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO operation(name, date, finished) VALUES (?, ?, ?)",
            arguments: [name, Int(Date().timeIntervalSince1970), isFinished])
        let id = database.lastInsertedRowID
        try database.execute(
            sql:
                "DELETE FROM operation WHERE id <= ? AND id NOT IN (SELECT operation FROM operationStep WHERE kind = ?)",
            arguments: [id - Int64(Self.length), OperationStep.Kind.trash.rawValue])
        return id
    }

    package func rename(_ operation: Int64, _ name: String) throws {
        try database.execute(sql: "UPDATE operation SET name = ? WHERE id = ?", arguments: [name, operation])
    }

    package func append(_ steps: [OperationStep], to operation: Int64) throws {
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
    package func steps(of operation: Int64) throws -> [OperationStep] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT number, kind, path, other, former FROM operationStep WHERE operation = ? ORDER BY number DESC
                """,
            arguments: [operation]
        ).compactMap { OperationStep($0) }
    }

    /// Returns what one operation, or each, has moved to the trash, without the rows of assets; the last operation first.
    package func trashUnits(
        _ operation: Int64?
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
    package func former(of number: Int, of operation: Int64) throws -> [UInt8]? {
        try Data.fetchOne(
            database, sql: "SELECT former FROM operationStep WHERE operation = ? AND number = ?",
            arguments: [operation, number]
        ).map { [UInt8]($0) }
    }

    package func last(_ count: Int) throws -> [LibraryOperation] {
        try fetch("ORDER BY id DESC LIMIT \(count)").map(\.operation)
    }

    /// Returns the operations that a killed process has left, the last first.
    package func unfinished() throws -> [(operation: LibraryOperation, state: State)] {
        try fetch("WHERE finished <> \(State.isFinished.rawValue) ORDER BY id DESC")
    }

    private func fetch(
        _ selection: String
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
    package func set(_ state: State, of operation: Int64) throws {
        try database.execute(
            sql: "UPDATE operation SET finished = ? WHERE id = ?", arguments: [state.rawValue, operation])
    }

    /// Marks an operation as finished, or removes it if nothing is left of it.
    package func close(_ operation: Int64) throws {
        try set(.isFinished, of: operation)
        try database.execute(
            sql: """
                DELETE FROM operation WHERE id = ?1
                AND NOT EXISTS (SELECT 1 FROM operationStep WHERE operation = ?1)
                """, arguments: [operation])
    }

    /// Removes the steps of these files, by default those by which they went to the trash.
    package func forget(
        _ paths: [FilePath], kinds: [OperationStep.Kind] = [.row, .trash], of operation: Int64
    ) throws {
        let list = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let delete = try database.cachedStatement(
            sql: "DELETE FROM operationStep WHERE operation = ? AND path = ? AND kind IN (\(list))")
        for path in paths { try delete.execute(arguments: [operation, path.text]) }
    }

    /// Removes an operation that was undone, except for steps that could not be.
    package func remove(
        _ operation: Int64, except left: [OperationStep] = []
    ) throws {
        guard !left.isEmpty else {
            return try database.execute(sql: "DELETE FROM operation WHERE id = ?", arguments: [operation])
        }
        let numbers = left.map { "\($0.number)" }.joined(separator: ",")
        try database.execute(
            sql: "DELETE FROM operationStep WHERE operation = ? AND number NOT IN (\(numbers))",
            arguments: [operation])
        try set(.isFinished, of: operation)
    }
}

/// A photo or video in the trash, as the log has it.
package struct TrashedRecord: Sendable {
    /// The asset as it was.
    package let asset: Asset
    /// The path from which it was moved, below the root.
    package let file: FilePath
    /// When it was moved.
    package let date: Date
}

extension OperationLog {
    /// Returns what a step has moved to the trash; nil if it is gone.
    package func trashed(_ step: Int, of operation: Int64) throws -> TrashedRecord? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT path, former, date FROM operationStep JOIN operation ON operation.id = operation
                WHERE operation = ? AND number = ? AND kind = ?
                """, arguments: [operation, step, OperationStep.Kind.row.rawValue])
        guard let row, let former = row[1] as Data?, let asset = TrashedRow([UInt8](former))?.asset else {
            return nil
        }
        return TrashedRecord(
            asset: asset, file: FilePath(row[0] as String),
            date: Date(timeIntervalSince1970: TimeInterval(row[2] as Int)))
    }

    /// Returns the files that operations have moved to the trash, by their paths there, with those from which they came.
    package func trashedFiles() throws -> [FilePath: (file: FilePath, date: Date)] {
        let steps = try Row.fetchAll(
            database,
            sql: """
                SELECT other, path, date FROM operationStep JOIN operation ON operation.id = operation
                WHERE kind = ?
                """, arguments: [OperationStep.Kind.trash.rawValue])
        return Dictionary(
            steps.compactMap { row in
                (row[0] as String?).map { other in
                    let date = Date(timeIntervalSince1970: TimeInterval(row[2] as Int))
                    return (FilePath(other), (FilePath(row[1] as String), date))
                }
            }
        ) { $1 }
    }

    /// Returns where operations have moved a file in the trash.
    package func trashPaths(of file: FilePath) throws -> [String] {
        let find = try database.cachedStatement(
            sql: "SELECT other FROM operationStep WHERE kind = 'trash' AND path = ?")
        return try String.fetchAll(find, arguments: [file.text])
    }

    /// Removes the operations that have moved files to the trash.
    package func removeTrashing() throws {
        try database.execute(
            sql: "DELETE FROM operation WHERE id IN (SELECT operation FROM operationStep WHERE kind = ?)",
            arguments: [OperationStep.Kind.trash.rawValue])
    }
}

extension Catalog {
    package var operations: OperationLog { OperationLog(database) }
}
