public import AssetCatalog
internal import CatalogStorage
internal import Files
public import WorkReporting

extension PhotoLibrary {
    /// Checks the catalog for contradictions, and compares the files with their checksums.
    ///
    /// - Parameters:
    ///   - readsFiles: whether files are read; false checks the catalog only.
    ///   - progress: receives the checks and files that are done.
    /// - Returns: the faults of the catalog with its path, then the files that are damaged, gone, or newer than the
    ///   catalog; empty if there are none.
    /// - Throws: `LibraryError`; `CancellationError`.
    public func verify(
        readsFiles: Bool = true, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [IndexReport.Failure] {
        let files = readsFiles ? try await groups().first?.count ?? 0 : 0
        let reporter = ProgressReporter(.files, progress)
        let faults = try await verifyCatalog { reporter.report($0, of: $1 + files) }
        var failures = faults.map { IndexReport.Failure(path: catalogPath, reason: $0) }
        if readsFiles {
            let checks = Catalog.checks.count + 1
            failures += try await checkFiles { reporter.report(checks + $0, of: checks + $1) }.failures
        }
        reporter.finish()
        return failures
    }

    /// Checks the catalog for contradictions in its pages, its search index and its counts.
    ///
    /// - Parameter progress: receives the number of checks done, and of all.
    /// - Returns: one sentence for each fault; empty if the catalog is consistent.
    package func verifyCatalog(
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> [String] {
        let checks = Catalog.checks
        var faults: [String] = []
        for (number, check) in checks.enumerated() {
            progress(number, checks.count + 1)
            faults += try await read(check)
        }
        progress(checks.count, checks.count + 1)
        if try await !isSearchRight() { faults.append("the search does not hold what the assets say") }
        progress(checks.count + 1, checks.count + 1)
        return faults
    }

    /// Whether the search index matches the texts of the assets.
    private func isSearchRight() async throws -> Bool {
        do {
            try await writeAside { try $0.checkSearch() }
            return true
        } catch {
            guard case .damaged = (error as? LibraryError)?.cause else { throw error }
            return false
        }
    }
}

extension PhotoLibrary {
    /// Reads the files of all assets and compares them with their checksums.
    ///
    /// The assets are read in small batches; 8 bytes per asset stay in memory.
    ///
    /// - Parameter progress: receives the number of files read, and of all.
    /// - Returns: the number of files, and those that are damaged or gone, and those that were written since they were
    ///   indexed, which have `needsIndexing`.
    package func checkFiles(
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> (count: Int, failures: [IndexReport.Failure]) {
        let ids = try await collection().snapshot().ids
        var failures: [IndexReport.Failure] = []
        for start in stride(from: 0, to: ids.count, by: 64) {
            if Task.isCancelled { throw CancellationError() }
            let batch = try await assets(Array(ids[start...].prefix(64)))
            failures += try await BackgroundQueue.run {
                batch.compactMap { asset in
                    self.fault(of: asset)
                }
            }
            progress(min(ids.count, start + 64), ids.count)
        }
        // A source may still have the bytes that were lost.
        let origins = try await origins(of: failures.map(\.file))
        for index in failures.indices {
            guard let origin = origins[failures[index].file] else { continue }
            failures[index].reason += "; \(origin)"
        }
        return (ids.count, failures)
    }

    private func fault(of asset: Asset) -> IndexReport.Failure? {
        func failure(_ reason: String, needsIndexing: Bool = false) -> IndexReport.Failure {
            IndexReport.Failure(path: asset.path, reason: reason, needsIndexing: needsIndexing)
        }
        guard let status = FileStatus(path(of: asset)) else { return failure("is gone", needsIndexing: true) }
        let written = failure("was written since it was indexed", needsIndexing: true)
        guard status.size == asset.bytes else { return written }
        do {
            // A copy may have lost its time, or a part of it: the bytes decide.
            if try FileDigest.of(path(of: asset)) == asset.sha256 { return nil }
            return status.modified == asset.modifiedNanoseconds ? failure(Asset.damage) : written
        } catch {
            return failure(error.description)
        }
    }
}
