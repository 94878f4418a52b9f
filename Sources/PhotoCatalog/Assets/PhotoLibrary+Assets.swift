internal import Foundation
internal import GRDB

extension PhotoLibrary {
    /// An asset by its identifier; nil where it was removed.
    public func asset(_ id: Asset.ID) async throws(LibraryError) -> Asset? {
        try await catalog.read { try Asset.fetch([id], $0).first }
    }

    /// Assets by their identifiers, in that order; those that were removed are left out.
    public func assets(_ ids: [Asset.ID]) async throws(LibraryError) -> [Asset] {
        try await catalog.read { try Asset.fetch(ids, $0) }
    }

    /// The asset of a file, by its path below the root; nil where it is not known.
    public func asset(path: String) async throws(LibraryError) -> Asset? {
        try await catalog.read { database in
            try Row.fetchOne(database, sql: "\(Asset.selection) WHERE path = ?", arguments: [path])
                .map { Asset($0) }
        }
    }

    /// Assets whose names, texts, keywords, place, maker or model hold all of these words, or words that begin
    /// with them; the best first.
    public func find(_ words: String, limit: Int = 100) async throws(LibraryError) -> [Asset] {
        // Quoted, so that nothing in the words is taken for the search's own language.
        let terms = words.split(whereSeparator: \.isWhitespace).map {
            "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\"*"
        }
        guard !terms.isEmpty else { return [] }
        return try await catalog.read { database in
            let ids = try Int64.fetchAll(
                database, sql: "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank, rowid LIMIT ?",
                arguments: [terms.joined(separator: " "), limit])
            return try Asset.fetch(ids, database)
        }
    }
}

extension Asset {
    /// The rows with these identifiers, in their order.
    static func fetch(_ ids: [ID], _ database: Database) throws -> [Asset] {
        let list = ids.map(String.init).joined(separator: ",")
        let rows = try Row.fetchAll(database, sql: "\(selection) WHERE asset.id IN (\(list))")
        let assets = Dictionary(rows.map { Asset($0) }.map { ($0.id, $0) }) { $1 }
        return ids.compactMap { assets[$0] }
    }
}
