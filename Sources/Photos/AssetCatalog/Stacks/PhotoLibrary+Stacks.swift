internal import CatalogStorage

extension PhotoLibrary {
    /// Makes an asset the cover of its stack, also when the stack is made again.
    ///
    /// - Throws: `LibraryError`, of the kind `notFound` if there is no such asset.
    public func chooseCover(_ id: Asset.ID) async throws { try await write { try $0.stacks.choose(id) } }

    /// Returns the assets of stacks by their covers, the cover first, then by date and path.
    ///
    /// - Parameter covers: identifiers of covers; others are passed over.
    public func stacks(of covers: [Asset.ID]) async throws -> [Asset.ID: [Asset]] {
        try await read { try $0.stacks(of: covers) }
    }

    /// Returns assets with those behind the covers among them, each behind its cover.
    package func withStacks(_ ids: [Asset.ID]) async throws -> [Asset.ID] {
        try await read { try $0.withStacks(ids) }
    }

    /// Returns the covers of all stacks behind one of them, in the order of their identifiers.
    package func stackCovers(after id: Asset.ID, limit: Int) async throws -> [Asset.ID] {
        try await read { try $0.stackCovers(after: id, limit: limit) }
    }

    /// Whether files in different folders can be one stack; they cannot unless this was set.
    package func stacksJoinFolders() async throws -> Bool { try await read { try $0.stacks.joinsFolders() } }

    /// Sets whether files in different folders can be one stack, and makes all stacks again if that changes.
    package func setStacksJoinFolders(_ joins: Bool) async throws {
        try await write { try $0.stacks.setJoinsFolders(joins) }
    }
}
