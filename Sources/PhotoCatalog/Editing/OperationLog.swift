internal import Digests
internal import Files
public import Foundation
internal import GRDB

/// A change of a library that can be undone.
public struct LibraryOperation: Identifiable, Equatable, Sendable {
    /// The identifier; later operations have greater ones.
    public let id: Int64
    /// What was done, such as "edit 12 assets".
    public let name: String
    /// When it was done.
    public let date: Date
}

/// The log of changes, by which they are undone.
///
/// A step is in the log before it is made, so that a process that is killed leaves nothing that cannot be undone.
enum OperationLog {
    static let tables = """
        CREATE TABLE operation (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, date INTEGER NOT NULL);
        CREATE TABLE operationStep (
            operation INTEGER NOT NULL REFERENCES operation(id) ON DELETE CASCADE, number INTEGER NOT NULL,
            kind TEXT NOT NULL, path TEXT NOT NULL, other TEXT, former BLOB,
            PRIMARY KEY (operation, number)) WITHOUT ROWID;
        """

    /// The number of operations that are kept.
    private static let length = 100

    /// Begins an operation and returns its identifier.
    static func begin(_ name: String, _ database: Database) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO operation(name, date) VALUES (?, ?)",
            arguments: [name, Int(Date().timeIntervalSince1970)])
        let id = database.lastInsertedRowID
        try database.execute(
            sql:
                "DELETE FROM operation WHERE id <= ? AND id NOT IN (SELECT operation FROM operationStep WHERE kind = ?)",
            arguments: [id - Int64(length), OperationStep.Kind.trash.rawValue])
        return id
    }

    static func append(_ steps: [OperationStep], to operation: Int64, _ database: Database) throws {
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO operationStep
                SELECT ?1, 1 + ifnull((SELECT max(number) FROM operationStep WHERE operation = ?1), 0), ?2, ?3, ?4, ?5
                """)
        for step in steps {
            try insert.execute(
                arguments: [
                    operation, step.kind.rawValue, step.path, step.other, step.former.map { Data($0) },
                ])
        }
    }

    /// Returns the steps of an operation, the last first.
    static func steps(of operation: Int64, _ database: Database) throws -> [OperationStep] {
        try Row.fetchAll(
            database,
            sql:
                "SELECT kind, path, other, former FROM operationStep WHERE operation = ? ORDER BY number DESC",
            arguments: [operation]
        ).compactMap { row in
            OperationStep.Kind(rawValue: row[0]).map {
                OperationStep(
                    kind: $0, path: row[1], other: row[2], former: (row[3] as Data?).map { [UInt8]($0) })
            }
        }
    }

    static func last(_ count: Int, _ database: Database) throws -> [LibraryOperation] {
        try Row.fetchAll(
            database, sql: "SELECT id, name, date FROM operation ORDER BY id DESC LIMIT ?", arguments: [count]
        ).map { row in
            LibraryOperation(
                id: row[0], name: row[1], date: Date(timeIntervalSince1970: TimeInterval(row[2] as Int)))
        }
    }

    static func remove(_ operation: Int64, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM operation WHERE id = ?", arguments: [operation])
    }
}

/// A step of an operation, with what undoing it needs.
struct OperationStep: Sendable {
    enum Kind: String, Sendable {
        /// A sidecar at `path` was written: `former` are its bytes before, nil if there was none, and `other` is the
        /// SHA-256 of the new ones.
        case sidecar
        /// The file at `path` was moved to `other` in the trash.
        case trash
        /// The asset at `path` was added to the album named `other`.
        case joined
        /// The asset at `path` was in the album named `other`.
        case left
    }

    var kind: Kind
    /// Below the library's root.
    var path: String
    var other: String?
    var former: [UInt8]?

    static func sidecar(_ path: String, former: [UInt8]?, new: [UInt8]) -> Self {
        Self(kind: .sidecar, path: path, other: digest(new), former: former)
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        var hash = SHA256()
        hash.update(bytes.span)
        return hash.finalize().hexadecimal
    }

    /// Restores the file of the step; returns the reason if that is impossible.
    func restore(in root: String) -> String? {
        let path = "\(root)/\(self.path)"
        do throws(FileError) {
            switch kind {
            case .sidecar:
                let now = FileStatus(path) == nil ? nil : try InputFile.contents(path)
                guard now != former else { return nil }
                guard let now, Self.digest(now) == other else { return "was changed since, and is kept" }
                if let former {
                    try OutputFile.write(former, to: path)
                } else {
                    OutputFile.remove(path)
                }
            case .trash:
                guard let other else { return nil }
                guard FileStatus("\(root)/\(other)") != nil else {
                    return FileStatus(path) == nil ? "is no longer in the trash" : nil
                }
                try Folder.make(OutputFile.folder(of: path))
                guard try FileLink.move("\(root)/\(other)", to: path) else {
                    return "stays in the trash, for another file has its name"
                }
            case .joined, .left: break
            }
            return nil
        } catch {
            return error.description
        }
    }
}
