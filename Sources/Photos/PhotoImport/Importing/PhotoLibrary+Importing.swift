public import AssetCatalog
internal import Basics
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
    /// Copies are atomic. After a cancelled or killed import, a new plan continues where it ended.
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
            lock = try FileLock(catalogPath + ".import-lock", .alone)
        } catch {
            throw LibraryError.inaccessible(catalog: catalogPath, error)
        }
        guard let lock else { throw LibraryError(.importing(root: root)) }
        defer { withExtendedLifetime(lock) {} }
        if let fault = Folder.writingFault(root), fault.isReadOnlyStorage {
            throw LibraryError.unwritable(root, fault)
        }
        let needed = bytesToCopy(plan)
        if let free = Folder.freeBytes(at: root), free < needed {
            throw LibraryError(.noRoom(root: root, needed: needed, free: free))
        }
        let reporter = ProgressReporter(.files, of: plan.items.count, progress)
        var report = await Importer(self, plan).run { reporter.report($0, of: $1) }
        if report.stopped == nil, !report.wasCancelled { reporter.finish() }
        report.checkBalance(with: plan)
        guard plan.moves else { return report }
        let (known, root) = (Set(plan.items.map(\.source)), root)
        let walk = await BackgroundQueue.result {
            try SourceWalk(
                plan.sources.filter { Folder.isThere($0.text) }, root: root, entryLimit: plan.entryLimit)
        }
        if case .success(let walk) = walk {
            report.arrived = (walk.folders.joined().map(\.path) + walk.left.map(\.path))
                .filter { !known.contains($0) }
        }
        return report
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

    /// Opens the library to import into, or creates it and indexes the files of its folder.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos; is created if it is missing.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    ///   - sidecars: the folder of sidecars; nil for the one that the catalog remembers.
    ///   - options: the sources are checked first, so that a mistyped path creates no library; the date rules apply to
    ///     the files of the folder.
    ///   - isTrial: whether nothing may be written; a missing library is then created in a temporary folder that
    ///     `ImportTarget.discard` removes.
    ///   - progress: receives the files of the folder that are indexed.
    /// - Throws: `LibraryError`; `CancellationError`.
    package static func openForImport(
        _ root: String, catalog: String? = nil, sidecars: String? = nil, for options: ImportOptions,
        isTrial: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ImportTarget {
        do {
            return ImportTarget(library: try await open(root, catalog: catalog, sidecars: sidecars))
        } catch {
            guard case .missing = (error as? LibraryError)?.cause else { throw error }
        }
        let root = ProcessEnvironment.futurePath(root)
        _ = try ImportPlanner.check(options.sources, root: root)
        let isThere = Folder.isFolder(root, followingLinks: true)
        func index(_ library: PhotoLibrary) async throws -> IndexReport {
            try await library.index(
                [""], assuming: options.assumedZone, undatedBy: options.undatedBy, progress: progress)
        }
        do {
            if isTrial {
                // The random name cannot have been prepared by an attacker.
                let folder =
                    "\(ProcessEnvironment.temporaryFolder)/viewport-plan-\(UInt64.random(in: 0...(.max)))"
                let library = try await BackgroundQueue.run {
                    // The root need not exist: a trial creates no folder.
                    try make(root, catalog: "\(folder)/\(LibraryFolder.catalog)")
                }
                let index = isThere ? try await index(library) : IndexReport()
                return ImportTarget(library: library, made: index, trialFolder: folder)
            }
            if !isThere { try Folder.make(root, mode: 0o777) }
            let library = try await create(root, catalog: catalog, sidecars: sidecars)
            return ImportTarget(library: library, made: try await index(library))
        } catch let error as LibraryError {
            throw error
        } catch let error as FileError {
            throw LibraryError.unwritable(root, error)
        } catch {
            throw LibraryError(.unwritable(root, reason: "\(error)"))
        }
    }
}

/// A library that was opened to import into.
package struct ImportTarget: Sendable {
    /// The library.
    package let library: PhotoLibrary
    /// The result of indexing the folder if the library was created; nil if it existed.
    package internal(set) var made: IndexReport?
    fileprivate var trialFolder: String?

    /// Removes the temporary library of a trial.
    package func discard() {
        guard let trialFolder else { return }
        try? library.close()
        for name in Folder.names(in: trialFolder) { Folder.remove("\(trialFolder)/\(name)") }
        Folder.removeEmpty(trialFolder)
    }
}
