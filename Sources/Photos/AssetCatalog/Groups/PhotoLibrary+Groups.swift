internal import CatalogStorage
internal import Files

extension PhotoLibrary {
    /// Returns all groups: the whole library, the picks, the albums in their order, then folders with assets by path.
    public func groups() async throws -> [AssetGroup] { try await read { try $0.groups() } }

    /// Returns the current state of a group; nil if it was deleted.
    package func group(_ id: AssetGroup.ID) async throws -> AssetGroup? {
        try await groups().first { $0.id == id }
    }

    /// Returns the names of the picks and the albums of a library without opening it; blocks.
    ///
    /// Nothing is written, not even the files that SQLite has beside a database.
    ///
    /// - Throws: an error if there is no catalog, or if it cannot be read now.
    package static func albumNames(at root: String, catalog: String? = nil) throws -> [String] {
        try CatalogStore.albumNames(at: locate(root, catalog).catalog)
    }

    /// Returns an album, or the picks, by its name.
    ///
    /// A name in another form of its accents is found, too, unless another album has exactly it.
    ///
    /// - Parameter inAnyCase: whether an album is found also by its name in another case.
    package func album(named name: String, inAnyCase: Bool = false) async throws -> AssetGroup? {
        let albums = try await groups().filter { $0.kind == .album || $0.kind == .picks }
        let album =
            albums.first { FilePath($0.name) == FilePath(name) } ?? albums.first { $0.name == name }
        guard album == nil, inAnyCase else { return album }
        return albums.first { $0.name.lowercased() == name.lowercased() }
    }

    /// Creates an empty album after the others.
    ///
    /// - Throws: `LibraryError`, of the kind `alreadyExists` if the name is taken.
    @discardableResult
    public func createAlbum(_ name: String) async throws -> AssetGroup {
        try await write { try $0.createAlbum(name) }
    }

    /// Renames an album.
    ///
    /// - Throws: `LibraryError`, of the kind `alreadyExists` if the name is taken, `notFound` if there is no such
    ///   album.
    public func renameAlbum(_ id: AssetGroup.ID, to name: String) async throws {
        try await write { try $0.renameAlbum(id, to: name) }
    }

    /// Deletes an album, or empties the picks; the assets stay in the library.
    public func deleteAlbum(_ id: AssetGroup.ID) async throws {
        try await write { try $0.deleteAlbum(id) }
    }

    /// Appends assets to an album; assets that it contains already keep their position.
    public func add(_ assets: [Asset.ID], to id: AssetGroup.ID) async throws {
        try await write { try $0.add(assets, to: id) }
    }

    /// Removes assets from an album; they stay in the library.
    public func remove(_ assets: [Asset.ID], from id: AssetGroup.ID) async throws {
        try await write { try $0.remove(assets, from: id) }
    }

    /// Returns the assets of an album in the order in which they were added.
    package func albumAssets(_ id: AssetGroup.ID) async throws -> [Asset.ID] {
        try await read { try $0.albumAssets(id) }
    }

    /// Returns the albums that contain an asset, in their order.
    package func albums(of asset: Asset.ID) async throws -> [AssetGroup] {
        try await read { try $0.albums(of: asset) }
    }

    /// Counts the content of the library.
    package func statistics() async throws -> LibraryStatistics { try await read { try $0.statistics() } }
}
