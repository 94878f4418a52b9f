package import Assets
internal import Basics
internal import Files
internal import Foundation
internal import GRDB

/// The row of an asset with its place and its albums, from which it is restored with its identifier.
package struct TrashedRow: Sendable {
    private let json: JSONValue

    /// Reads the row of an asset.
    fileprivate init(of id: Asset.ID, _ database: Database) throws {
        let row = try Row.fetchOne(database, sql: "SELECT * FROM asset WHERE id = ?", arguments: [id])
        let columns: [(String, JSONValue?)] = (row ?? [:]).map { ($0, Self.json($1)) }
        let place = try String.fetchOne(
            database, sql: "SELECT name FROM place WHERE id = (SELECT place FROM asset WHERE id = ?)",
            arguments: [id])
        let albums = try Row.fetchAll(
            database,
            sql: """
                SELECT name, albumAsset.position FROM albumAsset JOIN album ON album.id = album WHERE asset = ?
                """, arguments: [id])
        let isChosen = try Bool.fetchOne(
            database, sql: "SELECT 1 FROM stackCover WHERE asset = ?", arguments: [id])
        json = .object([
            "isCover": isChosen.map(JSONValue.bool), "columns": .object(columns),
            "place": place.map(JSONValue.string),
            "albums": .array(
                albums.map {
                    .object(["name": .string($0[0]), "position": .int($0[1])])
                }),
        ])
    }

    /// Reads what `bytes` returned; nil if it is damaged.
    package init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), json["columns"]?["id"]?.int != nil else {
            return nil
        }
        self.json = json
    }

    package var bytes: [UInt8] { Array(json.description.utf8) }

    /// The asset of the row, without its stack.
    var asset: Asset? {
        var columns: [String: (any DatabaseValueConvertible)?] = [:]
        for member in json["columns"]?.members ?? [] { columns[member.name] = Self.value(member.value) }
        columns["stack"] = .some(nil)
        columns["placeName"] = json["place"]?.string
        let row = Row(columns)
        let isWhole = ["id", "path", "kinds", "format", "bytes", "modified", "sha256"].allSatisfy {
            row.hasColumn($0) && !(row[$0] as DatabaseValue).isNull
        }
        return isWhole ? Asset(row) : nil
    }

    /// Restores the row, its identifier and its albums; albums that were deleted since are passed over.
    ///
    /// An asset that was made of the same file meanwhile is replaced, and leaves its albums to this one.
    fileprivate func restore(_ database: Database) throws {
        guard let id = json["columns"]?["id"]?.int, let path = json["columns"]?["path"]?.string,
            try Bool.fetchOne(database, sql: "SELECT 1 FROM asset WHERE id = ?", arguments: [id]) == nil
        else { return }
        let new = try Int64.fetchOne(database, sql: "SELECT id FROM asset WHERE path = ?", arguments: [path])
        let joined = try Row.fetchAll(
            database, sql: "SELECT album, position FROM albumAsset WHERE asset = ?", arguments: [new])
        try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [new])
        try database.execute(sql: "DELETE FROM other WHERE path = ?", arguments: [path])
        try insert(path, database)
        if json["isCover"] == .bool(true) {
            try database.execute(sql: "INSERT OR IGNORE INTO stackCover VALUES (?)", arguments: [id])
        }
        for row in joined {
            try database.execute(
                sql: "INSERT OR IGNORE INTO albumAsset VALUES (?, ?, ?)",
                arguments: [row[0] as Int64, id, row[1] as Int])
        }
        for album in json["albums"]?.array ?? [] {
            try database.execute(
                sql: "INSERT OR REPLACE INTO albumAsset SELECT album.id, ?, ? FROM album WHERE name = ?",
                arguments: [id, album["position"]?.int ?? 0, album["name"]?.string])
        }
    }

    private func insert(_ path: String, _ database: Database) throws {
        let known = Set(try database.columns(in: "asset").map(\.name))
        var values: [(name: String, value: DatabaseValue)] = (json["columns"]?.members ?? [])
            .filter { known.contains($0.name) }.map { ($0.name, Self.value($0.value)) }
        // Rows of folders and places may have got other numbers.
        let folder = try Asset.folder(FilePath(path).parent?.text ?? "", database)
        let place = try json["place"]?.string.map { try Asset.place($0, database) }
        for index in values.indices {
            if values[index].name == "folder" { values[index].value = folder.databaseValue }
            if values[index].name == "place" { values[index].value = place?.databaseValue ?? .null }
        }
        let names = values.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let places = values.map { _ in "?" }.joined(separator: ", ")
        try database.execute(
            sql: "INSERT INTO asset(\(names)) VALUES (\(places))",
            arguments: StatementArguments(values.map(\.value)))
    }

    /// Bytes are an object with their hexadecimal digits.
    private static func json(_ value: DatabaseValue) -> JSONValue {
        switch value.storage {
        case .null: .null
        case .int64(let number): .int(Int(number))
        case .double(let number): .object(["real": .string("\(number)")])
        case .string(let text): .string(text)
        case .blob(let data): .object(["bytes": .string(data.hexadecimal)])
        }
    }

    private static func value(_ json: JSONValue) -> DatabaseValue {
        switch json {
        case .int(let number): number.databaseValue
        case .string(let text): text.databaseValue
        case .object:
            if let digits = json["bytes"]?.string {
                Data([UInt8](hexadecimal: digits) ?? []).databaseValue
            } else {
                json["real"]?.string.flatMap { Double($0) }?.databaseValue ?? .null
            }
        default: .null
        }
    }
}

extension Catalog {
    /// Reads the row of an asset, from which it is restored.
    package func row(of id: Asset.ID) throws -> TrashedRow { try TrashedRow(of: id, database) }

    /// Restores the row of an asset, its identifier and its albums; albums that were deleted since are passed over.
    ///
    /// An asset that was made of the same file meanwhile is replaced, and leaves its albums to this one.
    package func restore(_ row: TrashedRow) throws { try row.restore(database) }
}
