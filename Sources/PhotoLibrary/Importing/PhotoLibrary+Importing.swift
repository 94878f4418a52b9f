internal import Files
internal import ImageMetadata

extension PhotoLibrary {
    /// What an import would do; nothing is touched.
    public func planImport(_ options: ImportOptions) async throws(ImportError) -> ImportPlan {
        let result = await BackgroundQueue.result { () throws(ImportError) in
            var planner = try ImportPlanner(self)
            return try planner.plan(options)
        }
        return try result.get()
    }

    /// Carries out a plan; when it was ended before, a new plan goes on where it was.
    ///
    /// - Parameter progress: gets how many files are done, and of how many.
    /// - Throws: `ImportError` where nothing more can be imported; what was brought in stays.
    public func carryOut(
        _ plan: ImportPlan, progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(ImportError) -> ImportReport {
        let lock: FileLock?
        do {
            lock = try FileLock(cataloguePath + ".import-lock", .alone)
        } catch {
            throw .unwritable(cataloguePath, reason: error.description)
        }
        guard let lock else { throw .importing(root: root) }
        defer { withExtendedLifetime(lock) {} }
        if let free = Folder.freeBytes(at: root), !plan.moves, free < plan.bytes {
            throw .noRoom(root: root, needed: plan.bytes, free: free)
        }
        return try await Importer(self, plan).run(progress)
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
