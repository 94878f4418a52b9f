import CSQLite
import Foundation
import ViewportRendering

/// Opens a database in memory with a file in a row.
func database(with file: Data) throws -> OpaquePointer {
    var connection: OpaquePointer?
    guard sqlite3_open(":memory:", &connection) == SQLITE_OK, let connection else {
        throw DatabaseError(connection)
    }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard
        sqlite3_exec(connection, "CREATE TABLE photo(id INTEGER PRIMARY KEY, file BLOB)", nil, nil, nil)
            == SQLITE_OK,
        sqlite3_prepare_v2(connection, "INSERT INTO photo VALUES (1, ?)", -1, &statement, nil) == SQLITE_OK
    else { throw DatabaseError(connection) }
    let code = file.withUnsafeBytes { bytes in
        sqlite3_bind_blob64(statement, 1, bytes.baseAddress, UInt64(bytes.count), nil)
        return sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw DatabaseError(connection) }
    return connection
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: blob-source IMAGE") }
let connection = try database(with: Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
let source = try BlobSource(connection, table: "photo", column: "file", row: 1)
let file = try ImageFile(bytesOf: source, name: "photo 1")
let share = 100 * source.bytesRead / source.count
print("\(file.storedSize.width)x\(file.storedSize.height), opened by \(share) % of the bytes")

let picture = try await ViewportRenderer().render(
    rect: Rect(x: 900, y: 300, width: 640, height: 480), of: file)
print("rendered \(picture.size.width)x\(picture.size.height)")
