internal import Files
internal import ImageMetadata

extension PhotoLibrary {
    /// What an import would do; nothing is touched.
    public func planImport(_ options: ImportOptions) async throws(ImportError) -> ImportPlan {
        let result = await BackgroundQueue.result { () throws(ImportError) in
            var planner = try ImportPlanner(self, options)
            return try planner.plan()
        }
        return try result.get()
    }

    /// Carries out a plan; when it was ended before, a new plan goes on where it was.
    ///
    /// - Parameter progress: gets how many files are done, and of how many.
    /// - Returns: what became of each file; where nothing more can be imported, `stopped` says why.
    /// - Throws: `ImportError` where nothing was imported.
    public func carryOut(
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

    /// Opens the library that is imported into; a folder that is none yet becomes one, and what lies in it is
    /// indexed, so that it is not imported again.
    ///
    /// - Parameters:
    ///   - options: whose sources are looked for first, so that a mistyped path makes no library, and whose rules date
    ///     what lies in the folder.
    ///   - isTrial: whether nothing may be touched; a library that is not there is then made elsewhere, and gone
    ///     when the trial is discarded.
    public static func openForImport(
        _ root: String, catalog: String? = nil, for options: ImportOptions, isTrial: Bool = false
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
            try await library.index([""], assuming: options.assumedZone, undatedBy: options.undatedBy)
        }
        do {
            if isTrial {
                // Nobody can have put anything at a name that nobody can guess.
                let folder =
                    "\(ProcessEnvironment.temporaryFolder)/viewport-plan-\(UInt64.random(in: 0...(.max)))"
                let library = try await create(root, catalog: "\(folder)/\(LibraryFolder.catalog)")
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

/// The library that is imported into.
public struct ImportTarget: Sendable {
    public let library: PhotoLibrary
    /// What lay in the folder that was made a library of; nil where it was one.
    public var made: IndexReport?
    var trialFolder: String?

    /// Takes away what a trial has made.
    public func discard() {
        guard let trialFolder else { return }
        try? library.catalog.close()
        for name in Folder.names(in: trialFolder) { Folder.remove("\(trialFolder)/\(name)") }
        Folder.removeEmpty(trialFolder)
    }
}
