public import AssetCatalog
internal import Files
internal import Foundation
internal import GRDB
public import WorkReporting

/// The result of rebuilding a catalog.
package struct RepairReport: Equatable, Sendable {
    /// The path of the damaged catalog, which is kept; nil if there was none.
    package var setAside: String?
    /// The number of assets that were recovered from it with their identifiers.
    package var assets = 0
    /// The number of albums that were recovered from it, including the picks.
    package var albums = 0
    /// The number of assets in the albums whose files still exist.
    package var members = 0
    /// The result of indexing the files again.
    package var index = IndexReport()
}

extension PhotoLibrary {
    /// Rebuilds a damaged catalog from the files.
    ///
    /// Every file is read again. Identifiers, albums, picks and places are kept as far as they can be read. The damaged
    /// catalog is renamed only when the new one is complete: a cancelled repair changes nothing.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    ///   - progress: receives the files that are read; their total is known at the end.
    /// - Returns: the library, the path of the damaged catalog, and the result of indexing.
    /// - Throws: `LibraryError`, of the kind `busy` while another process or task indexes or repairs the library.
    public static func repair(
        _ root: String, catalog: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> (library: PhotoLibrary, setAside: String?, index: IndexReport) {
        let (library, report) = try await rebuild(root, catalog: catalog, progress: progress)
        return (library, report.setAside, report.index)
    }

    /// Rebuilds a catalog and returns all counts.
    ///
    /// - Parameter sidecars: the folder of sidecars; nil for the one that the catalog remembers.
    package static func rebuild(
        _ root: String, catalog: String? = nil, sidecars: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> (library: PhotoLibrary, report: RepairReport) {
        let (root, path) = try locate(root, catalog)
        let damaged = FileStatus(path) != nil
        let new = path + ".new"
        let (lock, recovered) = try await BackgroundQueue.run {
            try makeFolder(of: path)
            let lock = try lockIndexing(path)
            removeFiles(of: new)
            return (lock, RecoveredRows(path: damaged ? path : ""))
        }
        defer { withExtendedLifetime(lock) {} }
        var report = RepairReport(assets: recovered.assets.count, albums: recovered.albums.count)
        do {
            var library = try await create(root, catalog: new)
            if let setting = recovered.sidecars { try await library.write { try setting.store($0) } }
            if recovered.sidecars != nil || sidecars != nil {
                try library.close()
                library = try await open(root, catalog: new, sidecars: sidecars)
            }
            try await library.write { try CatalogSetting.store(recovered.choices, $0) }
            try await library.insert(recovered)
            try await library.insert(log: recovered)
            try await library.insert(ledger: recovered)
            report.index = try await library.index(progress: progress)
            report.members = try await library.read { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM albumAsset") ?? 0
            }
            try library.close()
        }
        report.setAside = try await BackgroundQueue.run {
            defer { removeFiles(of: new) }
            return try replace(path, by: new)
        }
        return (try await open(root, catalog: path), report)
    }

    /// Writes recovered rows, so that indexing reads every file again and finds each asset by its path.
    private func insert(_ recovered: RecoveredRows) async throws {
        try await write { database in
            var taken: Set<Asset.ID> = []
            for var asset in recovered.assets {
                // No file has this time, so every file counts as changed.
                asset.modifiedNanoseconds = -1
                if (try? asset.insertUnread(database)) != nil { taken.insert(asset.id) }
            }
            for album in recovered.albums {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO album VALUES (?, ?, ?)",
                    arguments: [album.id, album.name, album.position])
                for (position, asset) in album.assets.filter(taken.contains).enumerated() {
                    try database.execute(
                        sql: "INSERT INTO albumAsset VALUES (?, ?, ?)",
                        arguments: [album.id, asset, position])
                }
            }
        }
    }

    /// Writes the log of operations, without which the files in the trash could not be moved back.
    private func insert(log recovered: RecoveredRows) async throws {
        try await write { database in
            for operation in recovered.operations {
                try database.execute(
                    sql: "INSERT INTO operation VALUES (?, ?, ?, ?)",
                    arguments: [
                        operation.id, operation.name, Int(operation.date.timeIntervalSince1970),
                        operation.isFinished,
                    ])
            }
            for step in recovered.steps {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO operationStep VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [
                        step.operation, step.step.number, step.step.kind.rawValue, step.step.path.text,
                        step.step.other, step.step.former.map { Data($0) },
                    ])
            }
            for kept in recovered.kept {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO keptTogether VALUES (?, ?)",
                    arguments: [kept.mark, kept.asset])
            }
        }
    }

    /// Writes the ledger of imports, which nothing else knows.
    private func insert(ledger recovered: RecoveredRows) async throws {
        try await write { database in
            for row in recovered.ledger {
                let names = row.values.map(\.name)
                try database.execute(
                    sql: """
                        INSERT OR IGNORE INTO \(row.table)(\(names.joined(separator: ", ")))
                        VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
                        """, arguments: StatementArguments(row.values.map(\.value)))
            }
        }
    }

    /// Removes a catalog with its log and lock files.
    private static func removeFiles(of catalog: String) {
        for ending in LibraryFolder.endings { Folder.remove(catalog + ending) }
    }

    /// Replaces the damaged catalog, which is renamed; returns its new path.
    private static func replace(_ path: String, by new: String) throws -> String? {
        do {
            var aside: String?
            if FileStatus(path) != nil {
                let number = (1...).lazy.first { FileStatus("\(path).damaged-\($0)") == nil } ?? 1
                aside = "\(path).damaged-\(number)"
                // The log first: it must not be applied to the new catalog.
                for suffix in ["-wal", "-shm", ""] where FileStatus(path + suffix) != nil {
                    try Folder.move(path + suffix, to: "\(path).damaged-\(number)" + suffix)
                }
            }
            try Folder.move(new, to: path)
            return aside
        } catch {
            throw LibraryError(.inaccessible(catalog: path, reason: "\(error)"))
        }
    }
}

/// The rows that can be read from a damaged catalog.
struct RecoveredRows: Sendable {
    var assets: [Asset] = []
    var albums: [Album] = []
    var operations: [LibraryOperation] = []
    var steps: [(operation: Int64, step: OperationStep)] = []
    var kept: [(mark: Int64, asset: Asset.ID)] = []
    var sidecars: SidecarSetting?
    /// The other settings, by their names.
    var choices: [String: String] = [:]
    /// The imports, before the files of imports.
    var ledger: [(table: String, values: [(name: String, value: DatabaseValue)])] = []
    /// The number of ranges that could not be read.
    var losses = 0

    struct Album: Sendable {
        var id: Int64
        var name: String
        var position: Int
        /// The assets in album order.
        var assets: [Asset.ID] = []
    }

    /// Reads a damaged database; empty if nothing can be read.
    init(path: String) {
        var configuration = Configuration()
        configuration.readonly = true
        let file = PlainPath(path)
        defer { withExtendedLifetime(file) {} }
        guard let queue = try? DatabaseQueue(path: file.path, configuration: configuration) else { return }
        queue.inDatabase { database in
            var recovered = RecoveredRows()
            recovered.read(database)
            recovered.readLog(database)
            recovered.readLedger(database)
            recovered.sidecars = try? SidecarSetting(database)
            recovered.choices = (try? CatalogSetting.choices(database)) ?? [:]
            self = recovered
        }
    }

    private init() {}

    private mutating func read(_ database: Database) {
        let places = Dictionary(
            rows("SELECT id, name FROM place WHERE id", from: 1, database).map {
                ($0["id"] as Int64, $0["name"] as String?)
            }
        ) { $1 }
        assets = rows("SELECT asset.*, NULL AS placeName FROM asset WHERE id", from: 1, database).compactMap {
            row in
            guard row["path"] as String? != nil, row["format"] as String? != nil,
                row["sha256"] as Data? != nil
            else { return nil }
            var asset = Asset(row)
            asset.place = (row["place"] as Int64?).flatMap { places[$0] ?? nil }
            return asset
        }
        albums = rows("SELECT id, name, position FROM album WHERE id", from: 1, database).compactMap { row in
            (row["name"] as String?).map { Album(id: row["id"], name: $0, position: row["position"] ?? 0) }
        }
        for index in albums.indices {
            let members = rows(
                "SELECT asset AS id, position FROM albumAsset WHERE album = \(albums[index].id) AND asset",
                from: 1,
                database)
            albums[index].assets = members.sorted {
                ($0["position"] as Int? ?? 0) < ($1["position"] as Int? ?? 0)
            }
            .map { $0["id"] }
        }
    }

    /// Reads the log of operations and the duplicates to keep, which early catalogs lack.
    private mutating func readLog(_ database: Database) {
        func exists(_ table: String) -> Bool { (try? database.tableExists(table)) == true }
        if exists("operation"), exists("operationStep") {
            operations = rows("SELECT * FROM operation WHERE id", from: 1, database).map { row in
                LibraryOperation(
                    id: row["id"], name: row["name"] ?? "",
                    date: Date(timeIntervalSince1970: TimeInterval(row["date"] as Int? ?? 0)),
                    isFinished: row["finished"] ?? true)
            }
            let known = Set(operations.map(\.id))
            steps = rows("SELECT * FROM operationStep WHERE operation", from: 1, database).compactMap { row in
                guard let kind = (row["kind"] as String?).flatMap(OperationStep.Kind.init(rawValue:)),
                    let path = row["path"] as String?, known.contains(row["operation"])
                else { return nil }
                let step = OperationStep(
                    kind: kind, path: FilePath(path), other: row["other"],
                    former: (row["former"] as Data?).map { [UInt8]($0) },
                    number: row["number"])
                return (row["operation"], step)
            }
        }
        if exists("keptTogether") {
            kept = rows("SELECT mark, asset FROM keptTogether WHERE mark", from: 1, database).map {
                ($0["mark"], $0["asset"])
            }
        }
    }

    /// Reads the ledger of imports, which early catalogs lack.
    private mutating func readLedger(_ database: Database) {
        for table in ImportLedger.names where (try? database.tableExists(table)) == true {
            ledger += rows("SELECT * FROM \(table) WHERE id", from: 1, database).map { row in
                (table, row.map { (name: $0.0, value: $0.1) })
            }
        }
    }

    /// Returns the readable rows by bisecting the range of identifiers around damaged pages.
    private mutating func rows(_ select: String, from first: Int64, _ database: Database) -> [Row] {
        var found: [Row] = []
        // More than any library holds: empty ranges cost nothing.
        var ranges: [ClosedRange<Int64>] = [first...(1 << 40)]
        while let range = ranges.popLast() {
            do {
                found += try Row.fetchAll(
                    database, sql: "\(select) BETWEEN ? AND ?",
                    arguments: [range.lowerBound, range.upperBound])
            } catch {
                guard range.count > 1 else {
                    losses += 1
                    continue
                }
                let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
                ranges.append((middle + 1)...range.upperBound)
                ranges.append(range.lowerBound...middle)
            }
        }
        return found
    }
}
