import CSQLite
import Synchronization
import ViewportRendering

struct DatabaseError: Error {
    let message: String

    init(_ connection: OpaquePointer?) { message = String(cString: sqlite3_errmsg(connection)) }
    init(_ code: Int32) { message = String(cString: sqlite3_errstr(code)) }
}

/// The bytes of an image in a row of a database, read in ranges as they are needed.
final class BlobSource: ImageByteSource {
    let count: Int
    // SQLite lets one thread after the other use a connection.
    private nonisolated(unsafe) let blob: OpaquePointer
    private let read = Mutex(0)

    /// - Parameter connection: stays open as long as the source is used.
    init(_ connection: OpaquePointer, table: String, column: String, row: Int64) throws {
        var blob: OpaquePointer?
        guard sqlite3_blob_open(connection, "main", table, column, row, 0, &blob) == SQLITE_OK, let blob
        else { throw DatabaseError(connection) }
        self.blob = blob
        count = Int(sqlite3_blob_bytes(blob))
    }

    deinit { sqlite3_blob_close(blob) }

    var bytesRead: Int { read.withLock(\.self) }

    func bytes(in range: Range<Int>) throws -> [UInt8] {
        read.withLock { $0 += range.count }
        return try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            let code = sqlite3_blob_read(
                blob, buffer.baseAddress, Int32(range.count), Int32(range.lowerBound))
            guard code == SQLITE_OK else { throw DatabaseError(code) }
            count = range.count
        }
    }
}
