internal import CatalogStorage
package import Files

extension PhotoLibrary {
    /// Returns all imports into the library, the first one first.
    package func imports() async throws -> [ImportRecord] { try await read { try $0.imports.all() } }

    /// Returns an import, without its files.
    ///
    /// - Throws: `LibraryError` of the kind `notFound` if the library has no import of that number.
    package func importRecord(_ id: Int64) async throws -> ImportRecord {
        guard let record = try await read({ try $0.imports.record(id) }) else {
            throw LibraryError(.noImport(id, root: root))
        }
        return record
    }

    /// Returns what became of the files of an import after a position in its plan; at most `count` of them, in order.
    package func importedFiles(
        of id: Int64, after number: Int = -1, most count: Int = 4096
    ) async throws -> [ImportedFileRecord] {
        try await read { try $0.imports.files(of: id, after: number, most: count) }
    }

    /// Returns where files of the library came from, by their paths below the root.
    package func origins(of paths: [FilePath]) async throws -> [FilePath: ImportOrigin] {
        try await read { catalog in
            var origins: [FilePath: ImportOrigin] = [:]
            for path in paths { origins[path] = try catalog.imports.origin(of: path) }
            return origins
        }
    }
}
