internal import Foundation
internal import GRDB
internal import ImageMetadata
internal import ViewportGeometry

/// What the catalog keeps of a file beside its asset, to know it again.
struct FileRecord: Equatable, Sendable {
    var inode: Int64 = 0
    var sidecarBytes: Int?
    var sidecarModified: Int?
    /// Equal for the picture and the film of a live photo.
    var contentIdentifier: String?
}

extension Asset {
    private static let columns = [
        "path", "folder", "kinds", "format", "width", "height", "duration", "date", "utcOffset", "dateSource",
        "zoneSource", "instant", "fraction", "hour", "week", "latitude", "longitude", "altitude", "accuracy",
        "locationSource", "place", "make", "model", "title", "caption", "keywords", "bytes", "modified",
        "inode",
        "sha256", "sidecar", "sidecarBytes", "sidecarModified", "contentIdentifier", "burst",
    ]

    private static let insertion = """
        INSERT INTO asset(\(columns.joined(separator: ", ")), id)
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")), nullif(?, 0))
        """
    private static let update =
        "UPDATE asset SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?"

    /// Adds a row, with the identifier where it is not 0; the new row's identifier.
    @discardableResult
    func insert(_ file: FileRecord = FileRecord(), _ database: Database) throws -> ID {
        try noteMissingPlace(database)
        let statement = try database.cachedStatement(sql: Self.insertion)
        try statement.execute(arguments: values(file, database))
        return database.lastInsertedRowID
    }

    /// Writes everything anew but the live photo's other half.
    func update(_ file: FileRecord, _ database: Database) throws {
        try noteMissingPlace(database)
        let statement = try database.cachedStatement(sql: Self.update)
        try statement.execute(arguments: values(file, database))
    }

    /// Has places named anew where this asset's is not.
    private func noteMissingPlace(_ database: Database) throws {
        if location != nil, place == nil { try PlaceNaming.forget(database) }
    }

    private func values(_ file: FileRecord, _ database: Database) throws -> StatementArguments {
        let values: [(any DatabaseValueConvertible)?] = [
            path, try Self.folder(folder, database), kinds.rawValue, format.rawValue, size?.width,
            size?.height,
            duration, date?.stored, date?.offset?.minutes, date?.source.rawValue, date?.zoneSource?.stored,
            date?.orderedInstant ?? Self.undated, date?.local.nanoseconds ?? 0, date?.local.hourKey,
            date?.local.weekKey, location?.latitude, location?.longitude, location?.altitude,
            location?.accuracy,
            location?.source.rawValue, try place.map { try Self.place($0, database) }, make, model, title,
            caption,
            keywords.isEmpty ? nil : keywords.joined(separator: "\n"), bytes, modified, file.inode,
            Hexadecimal.bytes(sha256) ?? Data(), sidecar, file.sidecarBytes, file.sidecarModified,
            file.contentIdentifier, burst, id,
        ]
        return StatementArguments(values)
    }

    /// The row of a folder, made where there is none.
    static func folder(_ path: String, _ database: Database) throws -> Int64 {
        let find = try database.cachedStatement(sql: "SELECT id FROM folder WHERE path = ?")
        if let id = try Int64.fetchOne(find, arguments: [path]) { return id }
        try database.execute(sql: "INSERT INTO folder(path) VALUES (?)", arguments: [path])
        return database.lastInsertedRowID
    }

    /// The row of a place, made where there is none.
    static func place(_ name: String, _ database: Database) throws -> Int64 {
        let find = try database.cachedStatement(sql: "SELECT id FROM place WHERE name = ?")
        if let id = try Int64.fetchOne(find, arguments: [name]) { return id }
        try database.execute(
            sql: "INSERT INTO place(name, country) VALUES (?, ?)",
            arguments: [name, Country(ofPlace: name)?.names])
        return database.lastInsertedRowID
    }
}
