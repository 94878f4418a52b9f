internal import CatalogStorage
package import Files
package import ImageMetadata

extension SidecarPlaces {
    /// Returns the sidecar that counts of a file below the root, with its bytes; nil without one, or where there are only
    /// darktable's further versions.
    ///
    /// - Throws: `FileError` if it cannot be read.
    package func sidecar(of file: FilePath) throws(FileError) -> (path: FilePath, bytes: [UInt8])? {
        guard let found = ScannedFile.Sidecar(of: file, known: nil, in: self)?.path,
            Sidecars.candidates(of: file, isFile: { _ in false }).contains(found)
        else { return nil }
        return (found, try SidecarReading.contents(path(of: found)))
    }
}

extension PhotoLibrary {
    /// Adds what second sidecars state to the sidecars of assets, as one operation, which `undo` takes back.
    ///
    /// What a sidecar states meanwhile is kept. While another process edits the library, this waits.
    ///
    /// - Parameter edits: what is to be added, by the paths of the assets, which are indexed.
    /// - Returns: the reasons for those to which nothing could be added.
    /// - Throws: `LibraryError`; `CancellationError`.
    package func mergeSidecars(_ edits: [FilePath: SidecarEdit]) async throws -> [FilePath: String] {
        guard !edits.isEmpty else { return [:] }
        let lock = try await lockEditingWhenFree()
        let places = places
        let ids = try await read { catalog in
            try edits.keys.sorted().map { ($0, try catalog.id(at: $0)) }
        }
        var failures = Dictionary(
            ids.filter { $0.1 == nil }.map { ($0.0, "it is not in the catalog") }
        ) { first, _ in first }
        let report = try await write(
            ids.compactMap(\.1), named: { "merge \($0) sidecar\($0 == 1 ? "" : "s")" }, holding: lock
        ) { asset, catalog in
            guard let edit = edits[asset.file] else { return nil }
            let stated = try SidecarWriting.metadata(of: asset, in: places, includesFile: false)
            return try SidecarWriting(
                of: asset, edit.filling(stated, keywords: asset.keywords), in: places, catalog)
        } _: { _, _ in
        }.report
        for path in edits.keys {
            let names = [path] + Sidecars.candidates(of: path) { _ in false }
            if let failure = report.failures.first(where: { names.contains($0.file) }) {
                failures[path] = failure.reason
            }
        }
        return failures
    }
}
