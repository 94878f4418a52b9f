internal import GRDB

extension PhotoLibrary {
    /// Everything, the picks, then the albums in their order, then the folders that hold assets by their paths.
    public func groups() async throws(LibraryError) -> [AssetGroup] {
        try await catalog.read(AssetGroup.fetchAll)
    }

    /// A group as it is now; nil where it was deleted.
    public func group(_ id: AssetGroup.ID) async throws(LibraryError) -> AssetGroup? {
        try await groups().first { $0.id == id }
    }

    /// An album by its name; nil where there is none.
    public func album(named name: String) async throws(LibraryError) -> AssetGroup? {
        try await groups().first { $0.kind == .album && $0.name == name }
    }
}

extension AssetGroup {
    static func fetchAll(_ database: Database) throws -> [AssetGroup] {
        let all = try Row.fetchAll(
            database,
            sql: "SELECT total(number) AS count, total(bytes) AS bytes FROM tally WHERE grouping = 'week'"
        ).map { AssetGroup(id: .all, name: "", count: $0["count"], bytes: $0["bytes"]) }
        let albums = try Row.fetchAll(
            database,
            sql: """
                SELECT album.id, name, total(number) AS count, total(bytes) AS bytes FROM album
                LEFT JOIN calendar ON calendar.album = album.id
                GROUP BY album.id ORDER BY album.position, album.id
                """
        ).map { AssetGroup(id: .album($0["id"]), name: $0["name"], count: $0["count"], bytes: $0["bytes"]) }
        let folders = try Row.fetchAll(
            database,
            sql: """
                SELECT folder.id, path, sum(number) AS count, sum(bytes) AS bytes FROM folder
                JOIN tally ON grouping = 'folder' AND code = folder.id
                GROUP BY folder.id ORDER BY path
                """
        ).map { AssetGroup(id: .folder($0["id"]), name: $0["path"], count: $0["count"], bytes: $0["bytes"]) }
        return all + albums + folders
    }
}
