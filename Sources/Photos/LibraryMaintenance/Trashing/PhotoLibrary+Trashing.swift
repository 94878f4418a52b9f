public import AssetCatalog
internal import Files
public import WorkReporting

extension PhotoLibrary {
    /// The number of assets that are moved while the library is locked for indexing.
    private static let trashBatch = 200

    /// Moves photos and videos to the trash of the library, with their sidecars and the films of live photos.
    ///
    /// Files are renamed, never copied or deleted. `undo` moves all of them back, with their albums and words. If the process
    /// is killed, the next operation repairs what is half done.
    ///
    /// - Parameters:
    ///   - ids: the assets; those that are not in the catalog any more are passed over.
    ///   - progress: receives the assets that are done.
    /// - Returns: the number of assets that were moved, and the files that stay, with the reason.
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library; `CancellationError`: what was
    ///   moved stays moved.
    @discardableResult
    public func moveToTrash(
        _ ids: [Asset.ID], progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> EditReport {
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        if let fault = Folder.writingFault(root), fault.isReadOnlyStorage {
            throw LibraryError.unwritable(root, fault)
        }
        try await repairOperations()
        var seen: Set<Asset.ID> = []
        let assets = try await assets(ids.filter { seen.insert($0).inserted })
        // They go along with their photos.
        let films = Set(assets.compactMap { $0.isVideo ? nil : $0.livePartner })
        let going = assets.filter { !films.contains($0.id) }
        var run = TrashRun(library: self, name: "move to the trash")
        let reporter = ProgressReporter(.files, of: going.count, progress)
        do {
            for first in stride(from: 0, to: going.count, by: Self.trashBatch) {
                if Task.isCancelled { throw CancellationError() }
                let batch = Array(going[first..<min(first + Self.trashBatch, going.count)])
                let losers = try await losers(batch, &run.report.failures)
                if !losers.isEmpty { _ = try await run.move(losers) }
                reporter.report(first + batch.count)
            }
        } catch {
            // Leaves no operation that looks killed; what cannot be written now is repaired by the next one.
            try? await run.finish()
            throw error
        }
        try await run.finish()
        reporter.finish()
        return EditReport(
            operation: run.report.operation, changed: run.report.trashed, failures: run.report.failures)
    }

    /// Returns the files that can go, in their present states.
    private func losers(
        _ assets: [Asset], _ failures: inout [IndexReport.Failure]
    ) async throws -> [DuplicateCheck.Loser] {
        let partners = try await self.assets(assets.compactMap(\.livePartner))
        let byID = Dictionary(partners.map { ($0.id, $0) }) { first, _ in first }
        var losers: [DuplicateCheck.Loser] = []
        for asset in assets {
            let partner = asset.livePartner.flatMap { byID[$0] }
            if asset.isVideo, partner != nil {
                failures.append(
                    IndexReport.Failure(
                        path: asset.path, reason: "is the film of a live photo, which goes with its photo"))
            } else if let moment = FileMoment(path(of: asset.file)) {
                losers.append(
                    DuplicateCheck.Loser(
                        asset: asset, film: asset.isVideo ? nil : partner, moment: moment))
            } else {
                failures.append(
                    IndexReport.Failure(path: asset.path, reason: "is not there; index the library"))
            }
        }
        return losers
    }
}
