public import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Files
public import WorkReporting

extension PhotoLibrary {
    /// Plans an import; nothing is written.
    ///
    /// - Parameters:
    ///   - options: the sources and what happens to their files.
    ///   - progress: receives the files that are read and compared.
    /// - Throws: `LibraryError`; `CancellationError`.
    public func planImport(
        _ options: ImportOptions, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ImportPlan {
        let reporter = ProgressReporter(.files, progress)
        let plan = try await BackgroundQueue.run(cancellably: { flag in
            var planner = try ImportPlanner(self, options, flag) { reporter.report($0, of: $1) }
            return try planner.plan()
        })
        reporter.finish()
        return plan
    }

    /// Imports the files of a plan.
    ///
    /// Copies are atomic. After a cancelled or killed import, a new plan continues where it ended. If another import has
    /// brought files since the plan was made, the files of the plan are compared with them first.
    ///
    /// - Parameters:
    ///   - plan: the plan, which must be of this library.
    ///   - progress: receives the files that are done.
    /// - Returns: the result; if the import ended early, also by cancellation, `stopped` has the error.
    /// - Throws: `LibraryError` if nothing was imported.
    public func performImport(
        _ plan: ImportPlan, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ImportReport {
        let lock: FileLock?
        do {
            lock = try FileLock(catalogPath + LibraryFolder.importLockSuffix, .alone)
        } catch {
            throw LibraryError.inaccessible(catalog: catalogPath, error)
        }
        guard let lock else { throw LibraryError(.importing(root: root)) }
        if let fault = Folder.writingFault(root), fault.isReadOnlyStorage {
            throw LibraryError.unwritable(root, fault)
        }
        let plan = try await upToDate(plan)
        do {
            try LastImport.begin(lock)
        } catch {
            throw LibraryError.inaccessible(catalog: catalogPath, error)
        }
        defer { LastImport.end(lock) }
        let needed = bytesToCopy(plan)
        if let free = Folder.freeBytes(at: root), free < needed {
            throw LibraryError(.noRoom(root: root, needed: needed, free: free))
        }
        let ledger = try await ImportRun(self, plan)
        let reporter = ProgressReporter(.files, of: plan.items.count, progress)
        var report = await Importer(self, plan, ledger).run { reporter.report($0, of: $1) }
        if report.stopped == nil, !report.wasCancelled { reporter.finish() }
        report.checkBalance(with: plan)
        guard plan.moves else { return report }
        let (known, root) = (Set(plan.items.map(\.source)), root)
        let walk = await BackgroundQueue.result {
            try SourceWalk(
                plan.options.sources.filter { Folder.isThere($0) }.map { FilePath($0) }, root: root,
                entryLimit: plan.options.maximumEntryBytes, plan.options.scope, CancellationFlag())
        }
        if case .success(let walk) = walk {
            report.arrived = (walk.folders.joined().map(\.path) + walk.left.map(\.path))
                .filter { !known.contains($0) }
        }
        return report
    }

    /// Returns a plan for the same files that knows what other imports have brought since it was made.
    ///
    /// While another import runs, a planner sees some of its files, and names that are taken by files which it cannot
    /// compare yet: carried out, such a plan would store photos twice.
    private func upToDate(_ plan: ImportPlan) async throws -> ImportPlan {
        let last = LastImport(of: self)
        guard last != plan.lastImport || !last.hasEnded else { return plan }
        let known = Set(plan.items.map(\.source))
        do {
            var new = try await BackgroundQueue.run(cancellably: { flag in
                var planner = try ImportPlanner(self, plan.options, flag) { _, _ in }
                return try planner.plan(only: known)
            })
            // Files that have gone are reported as such.
            let there = Set(new.items.map(\.source))
            let next = (new.items.last?.group ?? 0) + 1
            new.items += plan.items.filter { !there.contains($0.source) }.map { item in
                var item = item
                item.group += next
                return item
            }
            return new
        } catch is CancellationError {
            // The importer ends before the first file.
            return plan
        }
    }

    /// The size of all files to copy; moves on the same disk need no space.
    private func bytesToCopy(_ plan: ImportPlan) -> Int {
        let device = Folder.device(of: root)
        return plan.items.reduce(0) { sum, item in
            guard item.isTaken else { return sum }
            let isLinked = plan.moves && FileStatus(item.source.text)?.device == device
            return isLinked ? sum : sum + item.bytes
        }
    }
}
