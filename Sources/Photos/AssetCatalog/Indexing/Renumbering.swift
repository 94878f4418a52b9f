internal import Files
internal import GRDB

/// Files whose size and times are those of their records, under other inodes.
///
/// After a copy of a library, and whenever some file systems are mounted, all files have other inodes: they are as they
/// were, and need not be read. Where other files of the folder keep theirs, single ones were replaced. Their bytes decide,
/// as they do for files that have the size and the time of another photo, with which they may have been exchanged.
package struct Renumbering {
    /// A file of a folder with its record.
    package typealias File = (known: CatalogedFile, file: ScannedFile)

    private struct State: Hashable {
        var bytes: Int
        var modified: Int
    }

    /// The sizes and times that several assets with different bytes have; nil before they are needed.
    private var shared: Set<State>?

    package init() {}

    /// Separates the files that are as they were from those whose bytes have to be compared.
    ///
    /// - Parameter isPartial: whether other files of the folder have the inodes of their records.
    package mutating func split(
        _ files: [File], isPartial: Bool, _ library: PhotoLibrary
    ) throws -> (same: [File], doubtful: [File]) {
        guard !files.isEmpty, !isPartial else { return ([], files) }
        let shared: Set<State>
        if let known = self.shared {
            shared = known
        } else {
            shared = try library.readAndWait { database in
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT bytes, modified FROM asset GROUP BY bytes, modified
                        HAVING count(DISTINCT sha256) > 1
                        """)
                var states: Set<State> = []
                while let row = try rows.next() { states.insert(State(bytes: row[0], modified: row[1])) }
                return states
            }
            self.shared = shared
        }
        func isShared(_ file: File) -> Bool {
            shared.contains(State(bytes: file.known.bytes, modified: file.known.modified))
        }
        return (files.filter { !isShared($0) }, files.filter(isShared))
    }

    /// Writes the inodes of files into their records.
    static func store(_ files: [File], _ library: PhotoLibrary) throws {
        guard !files.isEmpty else { return }
        try library.writeAndWait { database in
            let asset = try database.cachedStatement(sql: "UPDATE asset SET inode = ? WHERE id = ?")
            let other = try database.cachedStatement(sql: "UPDATE other SET inode = ? WHERE path = ?")
            for (known, file) in files {
                let inode = Int64(bitPattern: file.status.inode)
                if let id = known.asset {
                    try asset.execute(arguments: [inode, id])
                } else {
                    try other.execute(arguments: [inode, known.path.text])
                }
            }
            try ChangeLog.trim(database)
        }
    }
}
