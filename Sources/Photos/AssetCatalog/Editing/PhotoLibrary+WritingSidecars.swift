internal import CatalogStorage
internal import Files
internal import ImageMetadata
public import WorkReporting

extension PhotoLibrary {
    /// Writes what the catalog knows of assets into XMP sidecars beside their files, which are not changed.
    ///
    /// Title, description, keywords, rating, label, date and position are written where the file and its sidecar do not
    /// state them already, such as a position from a track or an assumed time zone. Existing sidecars keep everything else
    /// that they state. `undo` restores the former sidecars.
    ///
    /// - Parameters:
    ///   - ids: the assets.
    ///   - includesStated: whether what the file itself states is written, too, for programs that read sidecars only.
    ///   - isTrial: whether nothing is written.
    ///   - progress: receives the assets that are done.
    /// - Returns: the paths of the sidecars that were, or would be, written; and the result.
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library; `CancellationError`:
    ///   finished sidecars are kept.
    public func writeSidecars(
        _ ids: [Asset.ID], includesStated: Bool = false, isTrial: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> (paths: [String], report: EditReport) {
        let places = places
        let makePlan: @Sendable (Asset, Catalog) throws -> SidecarWriting? = { asset, catalog in
            let known = SidecarEdit(stating: asset)
            var edit = known
            if !includesStated || asset.sidecar != nil {
                edit = known.lacking(
                    in: try SidecarWriting.metadata(of: asset, in: places, includesFile: !includesStated))
            }
            guard !edit.isEmpty else { return nil }
            var writing = try SidecarWriting(of: asset, edit, in: places, catalog)
            writing.known = .known(asset)
            return writing
        }
        let reporter = ProgressReporter(.files, of: ids.count, progress)
        guard isTrial else {
            let written = try await write(
                ids, named: { "write \($0) sidecar\($0 == 1 ? "" : "s")" }, makePlan
            ) { reporter.report($0, of: $1) }
            reporter.finish()
            return written
        }
        try checkSidecars()
        var report = EditReport()
        var paths: [String] = []
        for start in stride(from: 0, to: ids.count, by: Self.editBatch) {
            if Task.isCancelled { throw CancellationError() }
            let batch = Array(ids[start...].prefix(Self.editBatch))
            let plan = try await read { try self.plan(batch, makePlan, $0) }
            paths += plan.edits.map(\.step.path.text)
            report.failures += plan.failures
            reporter.report(start + batch.count)
        }
        reporter.finish()
        report.changed = paths.count
        return (paths, report)
    }
}

extension SidecarEdit {
    /// What the catalog knows of an asset, except for its orientation; dates that are guesses are left out.
    package init(stating asset: Asset) {
        self.init()
        if let text = asset.title { title = .set(text) }
        if let text = asset.caption { caption = .set(text) }
        if !asset.keywords.isEmpty { keywords = .set(asset.keywords) }
        if let value = asset.rating { rating = .set(value) }
        if let text = asset.label { label = .set(text) }
        if let value = asset.date, !value.source.isGuess { date = .set(value) }
        if let value = asset.location { location = .set(value) }
    }
}
