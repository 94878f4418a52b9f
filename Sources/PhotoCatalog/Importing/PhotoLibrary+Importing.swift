internal import Files
internal import ImageMetadata

extension PhotoLibrary {
    /// Plans an import; nothing is touched.
    ///
    /// - Throws: `ImportError`; `.library(.cancelled)` where the task was cancelled.
    public func planImport(_ options: ImportOptions) async throws(ImportError) -> ImportPlan {
        let flag = CancellationFlag()
        let result = await withTaskCancellationHandler {
            await BackgroundQueue.result { () throws(ImportError) in
                var planner = try ImportPlanner(self, options, flag)
                return try planner.plan()
            }
        } onCancel: {
            flag.raise()
        }
        return try result.get()
    }

    /// Imports the files of a plan.
    ///
    /// Every file appears in the library complete or not at all. After a cancelled or killed import, a new plan
    /// continues where it ended.
    ///
    /// - Parameters:
    ///   - plan: what to do.
    ///   - progress: receives the number of files that are done, and of all.
    /// - Returns: the result for each file; where the import ended early, also by cancellation, `stopped` says why.
    /// - Throws: `ImportError` where nothing was imported.
    public func performImport(
        _ plan: ImportPlan, progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(ImportError) -> ImportReport {
        let lock: FileLock?
        do {
            lock = try FileLock(catalogPath + ".import-lock", .alone)
        } catch {
            throw .unwritable(catalogPath, reason: error.description)
        }
        guard let lock else { throw .importing(root: root) }
        defer { withExtendedLifetime(lock) {} }
        let needed = bytesToCopy(plan)
        if let free = Folder.freeBytes(at: root), free < needed {
            throw .noRoom(root: root, needed: needed, free: free)
        }
        var report = await Importer(self, plan).run(progress)
        guard plan.moves else { return report }
        let (known, root) = (Set(plan.items.map(\.source)), root)
        let walk = await BackgroundQueue.result { () throws(ImportError) in
            try SourceWalk(plan.sources.filter { Folder.isThere($0) }, root: root)
        }
        if case .success(let walk) = walk {
            report.arrived = (walk.folders.joined().map(\.path) + walk.left.map(\.path))
                .filter { !known.contains($0) }
        }
        return report
    }

    /// What is moved on the same disk needs no room.
    private func bytesToCopy(_ plan: ImportPlan) -> Int {
        let device = Folder.device(of: root)
        return plan.items.reduce(0) { sum, item in
            guard item.isTaken else { return sum }
            let isLinked = plan.moves && FileStatus(item.source)?.device == device
            return isLinked ? sum : sum + item.bytes
        }
    }

    /// Opens the library to import into, or creates it and indexes the files of its folder.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos; is made where it is missing.
    ///   - catalog: the path of the database; by default it lies in a hidden folder in the root.
    ///   - options: the sources are checked first, so that a mistyped path creates no library; the date rules apply to
    ///     the files of the folder.
    ///   - isTrial: whether nothing may be touched; a missing library is then made in a temporary folder that
    ///     `ImportTarget.discard` removes.
    ///   - progress: is called on a background thread while files of the folder are indexed.
    /// - Throws: `ImportError`; `.library(.cancelled)` where the task was cancelled.
    public static func openForImport(
        _ root: String, catalog: String? = nil, for options: ImportOptions, isTrial: Bool = false,
        progress: @escaping @Sendable (IndexProgress) -> Void = { _ in }
    ) async throws(ImportError) -> ImportTarget {
        do throws(LibraryError) {
            return ImportTarget(library: try await open(root, catalog: catalog))
        } catch .missing {
        } catch {
            throw .library(error)
        }
        let root = ProcessEnvironment.futurePath(root)
        _ = try ImportPlanner.check(options.sources, root: root)
        let isThere = Folder.isFolder(root, followingLinks: true)
        func index(_ library: PhotoLibrary) async throws(LibraryError) -> IndexReport {
            try await library.index(
                [""], assuming: options.assumedZone, undatedBy: options.undatedBy, progress: progress)
        }
        do {
            if isTrial {
                // Nobody can have put anything at a name that nobody can guess.
                let folder =
                    "\(ProcessEnvironment.temporaryFolder)/viewport-plan-\(UInt64.random(in: 0...(.max)))"
                let library = try await BackgroundQueue.run { () throws(LibraryError) in
                    // The root need not be there: a trial makes no folder.
                    try make(root, catalog: "\(folder)/\(LibraryFolder.catalog)")
                }
                let index = isThere ? try await index(library) : IndexReport()
                return ImportTarget(library: library, made: index, trialFolder: folder)
            }
            if !isThere { try Folder.make(root, mode: 0o777) }
            let library = try await create(root, catalog: catalog)
            return ImportTarget(library: library, made: try await index(library))
        } catch let error as LibraryError {
            throw .library(error)
        } catch {
            throw .unwritable(root, reason: "\(error)")
        }
    }

    /// Indexes paths once nobody else does.
    func indexWhenFree(
        _ paths: [String], assuming zone: AssumedZone? = nil, undatedBy: UndatedRule? = nil
    ) async throws(LibraryError) -> IndexReport {
        while true {
            do throws(LibraryError) {
                return try await index(paths, assuming: zone, undatedBy: undatedBy)
            } catch .indexing {
                do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .cancelled }
            }
        }
    }
}

/// A library that was opened to import into.
public struct ImportTarget: Sendable {
    /// The library.
    public let library: PhotoLibrary
    /// The files of the folder where the library was created; nil where it was one already.
    public internal(set) var made: IndexReport?
    fileprivate var trialFolder: String?

    /// Removes the temporary library of a trial.
    public func discard() {
        guard let trialFolder else { return }
        try? library.close()
        for name in Folder.names(in: trialFolder) { Folder.remove("\(trialFolder)/\(name)") }
        Folder.removeEmpty(trialFolder)
    }
}
