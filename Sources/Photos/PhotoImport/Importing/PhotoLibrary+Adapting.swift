internal import AssetCatalog
internal import Files

extension PhotoLibrary {
    /// Gives the library the settings by which it will index what a plan brings.
    func adapt(to plan: ImportPlan) async throws {
        if let words = plan.takeout?.unknownWords, !words.isEmpty {
            try await write { try Stacking.learn(words, $0) }
        }
        let isVisible = plan.items.allSatisfy { item in
            guard item.isTaken, let path = item.destination else { return true }
            return EntryScope.visible.includes(path)
        }
        if !isVisible { try await write { try LibraryScope.set(.everything, $0) } }
    }

    /// Gives the library the albums of lossless exports among the sources, and returns why those of a document are missing.
    ///
    /// - Parameter places: where each source is in the library.
    func restoreExports(
        of plan: ImportPlan, at places: [FilePath: FilePath]
    ) async throws -> [FilePath: FileError] {
        var failures: [FilePath: FileError] = [:]
        for document in plan.exports.documents {
            do {
                try await restore(document, at: { places[$0] })
            } catch let error as FileError {
                failures[document.path] = error
            }
        }
        return failures
    }
}
