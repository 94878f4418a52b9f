internal import GRDB

extension PhotoLibrary {
    /// Adds assets whose files are not looked at before the library is indexed; their identifiers.
    ///
    /// Those with the identifier 0 get one.
    @discardableResult
    package func insert(_ assets: [Asset]) async throws(LibraryError) -> [Asset.ID] {
        try await catalog.write { database in try assets.map { try $0.insert(FileRecord(), database) } }
    }

    /// Writes assets anew that are known by their identifiers.
    package func update(_ assets: [Asset]) async throws(LibraryError) {
        try await catalog.write { database in
            for asset in assets { try asset.update(FileRecord(), database) }
        }
    }

    /// Takes assets out of the library; their files stay where they are.
    package func remove(_ ids: [Asset.ID]) async throws(LibraryError) {
        try await catalog.write { database in
            for id in ids { try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [id]) }
        }
    }
}
