internal import AssetCatalog
internal import CatalogStorage
internal import Files

/// The entry of an import in the ledger of the library.
///
/// It is written in the importer's batches, together with what makes them known, so that an import that is killed keeps
/// the outcomes of what it has done.
final class ImportRun {
    /// The number of the import.
    let id: Int64
    private let library: PhotoLibrary
    /// What the ledger has, by the position in the plan.
    private var recorded: [Int: ImportOutcome] = [:]

    /// Begins an import.
    init(_ library: PhotoLibrary, _ plan: ImportPlan) async throws {
        self.library = library
        let sources = plan.options.sources.map { FilePath($0) }
        let (moves, count) = (plan.moves, plan.items.count)
        id = try await BackgroundQueue.run {
            try library.writeAndWait {
                try $0.imports.begin(sources, moves: moves, discovered: count)
            }
        }
    }

    /// Records the outcomes of a range that the ledger does not have, and that files were imported.
    func record(
        _ outcomes: [ImportOutcome], _ range: Range<Int>, _ items: [ImportPlan.Item] = []
    ) async throws {
        try await write(outcomes, range) { try $0.rememberImports(items) }
    }

    /// Records all outcomes, and that the import has ended.
    func end(_ outcomes: [ImportOutcome], isFinished: Bool) async throws {
        let id = id
        try await write(outcomes, outcomes.indices) {
            try $0.imports.end(id, isFinished ? .finished : .stopped)
        }
    }

    /// Writes in one transaction, also if the task is cancelled.
    private func write(
        _ outcomes: [ImportOutcome], _ range: Range<Int>,
        _ more: @escaping @Sendable (Catalog) throws -> Void
    ) async throws {
        let (library, id) = (library, id)
        let numbers = range.filter { recorded[$0] != outcomes[$0] }
        let files = numbers.map { ImportedFileRecord(outcomes[$0], number: $0) }
        try await BackgroundQueue.run {
            try library.writeAndWait { catalog in
                try catalog.imports.record(files, of: id)
                try more(catalog)
            }
        }
        for number in numbers { recorded[number] = outcomes[number] }
    }
}

extension ImportedFileRecord {
    fileprivate init(_ outcome: ImportOutcome, number: Int) {
        self.init(
            number: number, source: outcome.source, bytes: outcome.bytes, outcome: outcome.status.rawValue,
            path: outcome.path, evidence: outcome.evidence?.rawValue, reason: outcome.reason,
            isRemoved: outcome.isRemoved)
    }
}
