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
}
