internal import AssetCatalog
internal import CatalogStorage
internal import Files

extension PhotoLibrary {
    /// Gives the library the settings by which it will index what a plan brings.
    func adapt(to plan: ImportPlan) async throws {
        let words = plan.summaries.flatMap { $0.texts("unknownWords") }
        if !words.isEmpty {
            try await write { try $0.stacks.learn(words) }
        }
        let isVisible = plan.items.allSatisfy { item in
            guard item.isTaken, let path = item.destination else { return true }
            return EntryScope.visible.includes(path)
        }
        if !isVisible { try await write { try $0.setScope(.everything) } }
    }
}
