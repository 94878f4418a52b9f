internal import Files

/// Makes what is to be made of one item.
struct BatchWorker: Sendable {
    let maker: ThumbnailMaker
    let store: any ThumbnailStore
    let recipe: String

    init(_ maker: ThumbnailMaker, _ store: any ThumbnailStore) {
        self.maker = maker
        self.store = store
        recipe = maker.recipe.shortFingerprint
    }

    /// The result, whatever happens; blocks while it works.
    func work(_ item: BatchItem, _ outputs: [String]) -> BatchResult {
        let clock = ContinuousClock()
        let start = clock.now
        // As it is before it is read: if it changes meanwhile, the next run sees that.
        let source = FileStatus(item.file)
        var result = BatchResult(item, outcome: .duplicate)
        do throws(BatchFailure) {
            (result.outcome, result.placeholder) = try make(item, outputs, source)
        } catch {
            result.outcome = .failed(error)
            if let source, error.isLasting { store.note(error, of: item, source) }
        }
        result.origin = source.map { BatchResult.Origin(recipe: recipe, source: $0) }
        result.duration = clock.now - start
        return result
    }

    private func make(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
    ) throws(BatchFailure) -> (BatchResult.Outcome, placeholder: String?) {
        if let source {
            if let kept = store.existing(item, outputs, source) {
                return (.skipped(kept.outputs), kept.placeholder)
            }
            try store.prepare(item, outputs, source)
        }
        let made: ThumbnailSet
        do throws(ThumbnailError) {
            made = try maker.make(item.file)
        } catch {
            throw BatchFailure(reading: error)
        }
        // Where there was nothing before, there is now: the next run will make them.
        guard let source = source ?? FileStatus(item.file) else {
            throw BatchFailure("missing", "\(item.file): was there and is gone; run it again")
        }
        let stored = try store.write(
            made.thumbnails, placeholder: made.placeholder, of: item, to: outputs, source)
        return (.made(stored), made.placeholder)
    }
}
