internal import GRDB

extension PhotoLibrary {
    /// Makes an asset the cover of its stack, also when the stack is made again.
    ///
    /// - Throws: `LibraryError`, of the kind `notFound` if there is no such asset.
    public func chooseCover(_ id: Asset.ID) async throws {
        try await write { try Stacking.choose(id, $0) }
    }

    /// Returns the assets of stacks by their covers, the cover first, then by date and path.
    ///
    /// - Parameter covers: identifiers of covers; others are passed over.
    public func stacks(of covers: [Asset.ID]) async throws -> [Asset.ID: [Asset]] {
        try await read { database in
            let find = try database.cachedStatement(
                sql: "SELECT id FROM asset WHERE stack = ?1 ORDER BY id <> ?1, instant, fraction, path")
            var stacks: [Asset.ID: [Asset]] = [:]
            for cover in covers {
                let ids = try Int64.fetchAll(find, arguments: [cover])
                if !ids.isEmpty { stacks[cover] = try Asset.fetch(ids, database) }
            }
            return stacks
        }
    }

    /// Returns assets with those behind the covers among them, each behind its cover.
    package func withStacks(_ ids: [Asset.ID]) async throws -> [Asset.ID] {
        try await read { database in
            var others: [Asset.ID: [Asset.ID]] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT stack, id FROM asset WHERE stack <> id ORDER BY stack, instant, fraction, path")
            while let row = try rows.next() { others[row[0], default: []].append(row[1]) }
            guard !others.isEmpty else { return ids }
            var seen = Set(ids)
            return ids.flatMap { id in [id] + (others[id] ?? []).filter { seen.insert($0).inserted } }
        }
    }

    /// Returns the covers of all stacks behind one of them, in the order of their identifiers.
    package func stackCovers(after id: Asset.ID, limit: Int) async throws -> [Asset.ID] {
        try await read { database in
            try Int64.fetchAll(
                database,
                sql: "SELECT DISTINCT stack FROM asset WHERE stack > ? ORDER BY stack LIMIT ?",
                arguments: [id, limit])
        }
    }

    /// Whether files in different folders can be one stack; they cannot unless this was set.
    package func stacksJoinFolders() async throws -> Bool { try await read(Stacking.joinsFolders) }

    /// Sets whether files in different folders can be one stack, and makes all stacks again if that changes.
    package func setStacksJoinFolders(_ joins: Bool) async throws {
        try await write { try Stacking.setJoinsFolders(joins, $0) }
    }
}
