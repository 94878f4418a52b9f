internal import Assets
internal import Files
internal import Foundation
internal import GRDB

/// The rows that can be read from a damaged catalog.
package struct RecoveredRows: Sendable {
    private(set) var assets: [Asset] = []
    var albums: [Album] = []
    var operations: [LibraryOperation] = []
    var steps: [(operation: Int64, step: OperationStep)] = []
    var kept: [(mark: Int64, asset: Asset.ID)] = []
    /// The settings, by their names.
    var settings: [CatalogSettings.Name: String] = [:]
    /// Those of the folder of sidecars.
    var sidecars: [CatalogSettings.Name: String] = [:]
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
    package init(path: String) {
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
            let settings = CatalogSettings(database: database)
            for name in [CatalogSettings.Name.sidecars, .sidecarsLibrary] {
                recovered.sidecars[name] = (try? settings.value(name)) ?? nil
            }
            recovered.settings = (try? settings.choices()) ?? [:]
            self = recovered
        }
    }

    private init() {}

    package var assetCount: Int { assets.count }
    /// The number of albums, the picks among them.
    package var albumCount: Int { albums.count }
    /// Whether the library had its sidecars in a folder of their own.
    package var hasSidecarFolder: Bool { sidecars.count == 2 }

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

extension Catalog {
    /// Writes the folder of sidecars that the damaged catalog had.
    package func setSidecars(of recovered: RecoveredRows) throws {
        guard recovered.hasSidecarFolder else { return }
        for (name, value) in recovered.sidecars { try settings.set(name, value) }
    }

    /// Writes everything else that was recovered, so that indexing reads every file again and finds each asset by its path.
    package func insert(_ recovered: RecoveredRows) throws {
        for (name, value) in recovered.settings { try settings.set(name, value) }
        try insertAssets(of: recovered)
        try insertLog(of: recovered)
        try insertLedger(of: recovered)
    }

    /// Writes recovered rows, so that indexing reads every file again and finds each asset by its path.
    private func insertAssets(of recovered: RecoveredRows) throws {
        var taken: Set<Asset.ID> = []
        for var asset in recovered.assets {
            // No file has this time, so every file counts as changed.
            asset.modifiedNanoseconds = -1
            if (try? asset.insert(FileRecord(), database)) != nil { taken.insert(asset.id) }
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

    /// Writes the log of operations, without which the files in the trash could not be moved back.
    private func insertLog(of recovered: RecoveredRows) throws {
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

    /// Writes the ledger of imports, which nothing else knows.
    private func insertLedger(of recovered: RecoveredRows) throws {
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
