internal import Basics
package import CatalogStorage
package import Files
public import WorkReporting

/// The result of an edit or of undoing one.
public struct EditReport: Hashable, Codable, Sendable {
    /// The operation; nil if nothing was changed.
    public package(set) var operation: LibraryOperation?
    /// The number of files that were changed, or restored.
    public package(set) var changed = 0
    /// The number of assets that stated everything already; nothing was written for them.
    public package(set) var unchanged = 0
    /// The files that could not be changed, with the reason.
    public package(set) var failures: [IndexReport.Failure] = []

    package init(
        operation: LibraryOperation? = nil, changed: Int = 0, unchanged: Int = 0,
        failures: [IndexReport.Failure] = []
    ) {
        (self.operation, self.changed, self.unchanged) = (operation, changed, unchanged)
        self.failures = failures
    }
}

extension EditReport: CustomStringConvertible {
    /// The counts, without those that are 0: "12 changed, 1 failed".
    public var description: String {
        [(unchanged, "unchanged"), (failures.count, "failed")].listed(after: "\(changed) changed")
    }
}

extension PhotoLibrary {
    /// Edits assets: writes their XMP sidecars and updates the catalog; the photos' files are not changed.
    ///
    /// Existing sidecars keep everything else that they state. A new one is named after the whole file,
    /// "photo.jpg.xmp". Dates and positions of a live photo change in both halves. A process that is killed leaves whole
    /// sidecars; `undo` restores all of them.
    ///
    /// - Parameters:
    ///   - ids: the assets.
    ///   - edit: the changes.
    ///   - progress: receives the assets that are done.
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library; `CancellationError`:
    ///   finished edits are kept.
    @discardableResult
    public func edit(
        _ ids: [Asset.ID], _ edit: AssetEdit, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> EditReport {
        let reporter = ProgressReporter(.files, progress)
        guard !edit.isEmpty, !ids.isEmpty else {
            reporter.finish()
            return EditReport()
        }
        let places = places
        let all = try await withPartners(ids, if: edit.isOfBothHalves)
        let report = try await write(
            all, named: { "edit \($0) asset\($0 == 1 ? "" : "s")" },
            { try SidecarWriting(of: $0, edit, in: places, $1) }, { reporter.report($0, of: $1) }
        ).report
        reporter.finish()
        return report
    }

    /// Writes sidecars of assets as one operation.
    ///
    /// - Parameters:
    ///   - name: returns the name of the operation from the number of assets.
    ///   - lock: the lock of edits, if the caller holds it.
    ///   - make: returns the sidecar of an asset, nil if nothing has to be written; throws `AssetRefusal`.
    /// - Returns: the paths of the sidecars, and the result.
    package func write(
        _ all: [Asset.ID], named name: @escaping @Sendable (Int) -> String, holding lock: FileLock? = nil,
        _ make: @escaping @Sendable (Asset, Catalog) throws -> SidecarWriting?,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> (paths: [String], report: EditReport) {
        let lock = try lock ?? lockEditing()
        defer { withExtendedLifetime(lock) {} }
        try places.checkWriting()
        try checkSidecars()
        try await repairOperations()
        var report = EditReport()
        var paths: [String] = []
        var operation: Int64?
        for start in stride(from: 0, to: all.count, by: Self.editBatch) {
            if Task.isCancelled { throw CancellationError() }
            let batch = Array(all[start...].prefix(Self.editBatch))
            let places = places
            let outdated = try await read { try SidecarWriting.outdated(batch, in: places, $0) }
            if !outdated.isEmpty { _ = try await indexWhenFree(outdated) }
            let plan = try await read { try self.plan(batch, make, $0) }
            report.failures += plan.failures
            report.unchanged += batch.count - plan.edits.count - plan.failures.count
            progress(min(all.count, start + batch.count), all.count)
            guard !plan.edits.isEmpty else { continue }
            let (number, planned) = (operation, name(report.changed + plan.edits.count))
            let running = try await write { catalog in
                let operation = try number ?? catalog.operations.begin(planned, isFinished: false)
                try catalog.operations.rename(operation, planned)
                try catalog.operations.append(
                    plan.edits.flatMap { [$0.known, $0.step].compactMap(\.self) }, to: operation)
                return operation
            }
            let failures = try await BackgroundQueue.run {
                try SidecarWriting.write(plan.edits, in: places)
            }
            report.failures += failures
            report.changed += plan.edits.count - failures.count
            operation = running
            if !failures.isEmpty {
                // What was not written cannot be undone.
                let failed = Set(failures.map(\.file))
                let left = plan.edits.filter { failed.contains($0.step.path) }
                let (done, isEmpty) = (name(report.changed), report.changed == 0)
                try await write { catalog in
                    try catalog.operations.forget(
                        left.map(\.step.path), kinds: [.sidecar, .sidecarInFolder], of: running)
                    try catalog.operations.forget(
                        left.map { FilePath($0.asset) }, kinds: [.known], of: running)
                    try catalog.operations.rename(running, done)
                    if isEmpty { try catalog.operations.remove(running) }
                }
                if isEmpty { operation = nil }
            }
            paths += plan.edits.map(\.step.path.text)
            _ = try await indexWhenFree(plan.edits.map(\.asset))
        }
        if let done = operation {
            // Now the catalog has what the sidecars state; without this, the next operation indexes them.
            try await write { try $0.operations.set(.isFinished, of: done) }
        }
        report.operation = try await operations(1).first { $0.id == operation }
        return (paths, report)
    }

    /// The assets of one transaction.
    static var editBatch: Int { 256 }

    /// Locks out other processes and tasks that edit the library.
    package func lockEditing() throws -> FileLock {
        do {
            if let lock = try FileLock(catalogPath + LibraryFolder.editLockSuffix, .alone) { return lock }
        } catch {
            throw LibraryError.inaccessible(catalog: catalogPath, error)
        }
        throw LibraryError(.editing(catalog: catalogPath))
    }

    /// Locks them out as soon as no other one edits the library.
    package func lockEditingWhenFree() async throws -> FileLock {
        try await LibraryError.whenFree(LibraryError.isEditing) { try lockEditing() }
    }

    /// Whether another process or task edits the library now.
    package var isEdited: Bool {
        do {
            _ = try lockEditing()
            return false
        } catch {
            return (error as? LibraryError)?.kind == .busy
        }
    }

    /// Returns the assets, and their live partners after them.
    private func withPartners(
        _ ids: [Asset.ID], if isNeeded: Bool
    ) async throws -> [Asset.ID] {
        guard isNeeded else { return ids }
        return try await read { try $0.withPartners(ids) }
    }

    /// Makes the new sidecars of assets.
    func plan(
        _ ids: [Asset.ID], _ make: (Asset, Catalog) throws -> SidecarWriting?, _ catalog: Catalog
    ) throws -> (edits: [SidecarWriting], failures: [IndexReport.Failure]) {
        var edits: [SidecarWriting] = []
        var failures: [IndexReport.Failure] = []
        let found = try catalog.assets(ids)
        let missing = Set(ids).subtracting(found.map(\.id))
        failures += missing.sorted().map {
            IndexReport.Failure(path: "asset \($0)", reason: "is no longer in the library")
        }
        for asset in found {
            do {
                if let edit = try make(asset, catalog), !edit.isUnchanged { edits.append(edit) }
            } catch let refusal as AssetRefusal {
                failures.append(
                    IndexReport.Failure(
                        path: asset.path, reason: refusal.reason, needsIndexing: refusal.needsIndexing))
            }
        }
        return (edits, failures)
    }
}

extension AssetEdit {
    /// Whether the film of a live photo changes with its photo.
    fileprivate var isOfBothHalves: Bool {
        date != nil || shift != 0 || location != nil || removesLocation
    }
}
