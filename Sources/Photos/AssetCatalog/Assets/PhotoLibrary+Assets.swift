internal import CatalogStorage
internal import Files
package import ViewportGeometry

extension PhotoLibrary {
    /// Returns an asset by its identifier; nil if it was removed.
    package func asset(_ id: Asset.ID) async throws -> Asset? { try await assets([id]).first }

    /// Returns assets by their identifiers, in that order; removed assets are omitted.
    public func assets(_ ids: [Asset.ID]) async throws -> [Asset] { try await read { try $0.assets(ids) } }

    /// Returns the asset of a file by its path below the root; nil if there is none.
    package func asset(path: String) async throws -> Asset? {
        try await read { try $0.asset(at: FilePath(path)) }
    }

    /// Returns the turn that the sidecar of a file states, by its path below the root.
    package func turn(of path: String) async throws -> Orientation {
        try await read { try $0.turn(at: FilePath(path)) }
    }

    /// Returns the assets whose paths end with a name or a part of a path, such as "c.jpg" or "trip/c.jpg".
    ///
    /// If none does, those with the same letters in another case, of A to Z.
    package func assets(pathsEndingWith end: String) async throws -> [Asset] {
        let end = "/\(end)"
        let found = try await read { try $0.assets(pathsEndingWith: end) }
        let exact = found.filter { "/\($0.path)".utf8.reversed().starts(with: end.utf8.reversed()) }
        return exact.isEmpty ? found : exact
    }

    /// Adds assets without reading their files, and returns their identifiers.
    ///
    /// Assets with the identifier 0 get a new one.
    @discardableResult
    package func insert(_ assets: [Asset]) async throws -> [Asset.ID] {
        try await write { catalog in
            let ids = try assets.map { try catalog.insert($0) }
            try catalog.stacks.update()
            return ids
        }
    }

    /// Updates assets by their identifiers.
    package func update(_ assets: [Asset]) async throws {
        try await write { catalog in
            for asset in assets { try catalog.update(asset) }
            try catalog.stacks.update()
        }
    }

    /// Removes assets from the catalog; their files are kept.
    package func remove(_ ids: [Asset.ID]) async throws {
        try await write { catalog in
            for id in ids { try catalog.remove(id) }
            try catalog.stacks.update()
        }
    }

    /// Sets the locations of assets in the catalog; files are not changed.
    ///
    /// Locations from a file's metadata are replaced when the file changes; others are kept.
    package func setLocations(_ locations: [Asset.ID: Location]) async throws {
        try await write { try $0.setLocations(locations) }
    }

    /// Sets the place names of assets in the catalog; nil removes a name.
    package func setPlaces(_ places: [Asset.ID: String?]) async throws {
        try await write { try $0.setPlaces(places) }
    }
}
