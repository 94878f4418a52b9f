package import CatalogStorage
package import Files

// Undoes operations of the log, and repairs those of killed processes.
//
// Files and catalog cannot change in one transaction. The order makes it safe to be killed at any time:
// 1. The log states that the operation is being undone.
// 2. Files are restored. Nobody indexes meanwhile: an index run would make new assets of photos that come back.
// 3. One transaction restores rows and albums.
// 4. The restored files are indexed, which reads the sidecars; then the operation leaves the log.
// Each step looks first whether it is done, so undoing can begin anew. Once, the operation left the log in 3: an undo
// that was killed after that had restored all sidecars, while the catalog still had the ratings.
//
// A photo, its film and its sidecars are a `TrashUnit` and go or stay together. Once, a sidecar came back although
// another file had the name of its photo, and that file then had the words of the other photo.

extension PhotoLibrary {
    /// Returns the last operations that can be undone, the latest first.
    public func operations(_ count: Int = 10) async throws -> [LibraryOperation] {
        try await read { try $0.operations.last(max(0, count)) }
    }

    /// Undoes the last operation: restores sidecars, files in the trash, their assets and memberships of albums.
    ///
    /// Sidecars that were changed since the operation are kept and reported; the rest is restored. A file in the trash whose
    /// name is taken stays there, and the operation stays in the log. The operation leaves the log last: if the process is
    /// killed, the next `undo`, or the next operation, finishes the work.
    ///
    /// - Returns: Nil if there is nothing to undo.
    @discardableResult
    public func undo() async throws -> EditReport? {
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        guard let operation = try await operations(1).first else { return nil }
        try await repairOperations(except: operation.id)
        return try await undo(operation)
    }

    /// Undoes an operation, from the beginning also if a killed process has undone a part of it.
    ///
    /// The caller holds the lock of edits.
    private func undo(_ operation: LibraryOperation) async throws -> EditReport {
        let steps = try await read { try $0.operations.steps(of: operation.id) }
        try checkSidecars()
        try await sweepSidecars(steps)
        var report = EditReport(operation: operation)
        let places = places
        let files = steps.filter { $0.kind.isSidecar || $0.kind == .trash }
        try await write { catalog in
            try catalog.operations.set(.isUndone, of: operation.id)
            // Indexing a restored sidecar then keeps what the catalog knew before.
            for step in steps where step.kind == .known { try catalog.operations.restoreKnown(step) }
        }
        // No other process may see a file without its asset.
        var indexLock: FileLock? = try await lockIndexingWhenFree()
        let reasons = try await BackgroundQueue.run {
            let units = TrashUnit.units(of: steps.reversed())
            let companions = Dictionary(units.flatMap(\.companions)) { _, last in last }
            var stay: Set<Int> = []
            // The last file first: a photo before its companions, which go nowhere without it.
            return files.map { file -> String? in
                guard !stay.contains(file.number) else { return "stays in the trash with its photo" }
                let reason = file.restore(in: places)
                if reason != nil, file.isInTrash(of: places.root) {
                    stay.formUnion(companions[file.number] ?? [])
                }
                return reason
            }
        }
        var left: [OperationStep] = []
        for (step, reason) in zip(files, reasons) {
            if let reason {
                let photo = step.kind.isSidecar ? try await photo(withSidecar: step.path) : nil
                report.failures.append(
                    IndexReport.Failure(path: step.path.text, reason: reason.ofSidecar(of: photo)))
                // What is gone from the trash cannot be restored later either.
                if step.isInTrash(of: root) { left.append(step) }
            } else {
                report.changed += 1
            }
        }
        // A row without its file would be a missing asset, which the next index run removes.
        let absent = Set(zip(files, reasons).filter { $0.0.kind == .trash && $0.1 != nil }.map(\.0.path))
        let isLeft = Set(left.map(\.path))
        left += steps.filter { $0.kind == .row && isLeft.contains($0.path) }
        let stays = left
        try await write { catalog in
            for step in steps where step.kind == .row && !absent.contains(step.path) {
                if let row = step.former.flatMap({ TrashedRow($0) }) { try catalog.restore(row) }
            }
            for step in steps { try catalog.operations.restoreAlbum(step) }
        }
        withExtendedLifetime(indexLock) {}
        // The index run below takes it.
        indexLock = nil
        _ = try await indexWhenFree(files.map(\.path.text))
        try await write { try $0.operations.remove(operation.id, except: stays) }
        return report
    }

    /// Returns the path of a photo by that of its sidecar.
    private func photo(withSidecar path: FilePath) async throws -> FilePath? {
        try await read { try $0.path(ofSidecar: path) }
    }

    /// Repairs operations that were killed: one that was being undone is undone to its end; of others, files that are half in
    /// the trash are moved back, with their assets, and the sidecars that were written are indexed.
    ///
    /// The caller holds the lock of edits.
    ///
    /// - Parameter other: an operation that is left as it is.
    package func repairOperations(except other: Int64? = nil) async throws {
        for (operation, state) in try await read({ try $0.operations.unfinished() })
        where operation.id != other {
            guard state != .isUndone else {
                _ = try await undo(operation)
                continue
            }
            let steps = try await read { try $0.operations.steps(of: operation.id) }
            let units = TrashUnit.units(of: steps.reversed())
            try await repair(units.filter { $0.isPending(in: root) }, of: operation.id)
            let sidecars = steps.filter(\.kind.isSidecar)
            if !sidecars.isEmpty {
                try checkSidecars()
                try await sweepSidecars(sidecars)
                _ = try await indexWhenFree(sidecars.map(\.path.text))
            }
            try await write { try $0.operations.set(.isFinished, of: operation.id) }
        }
    }

    /// Removes temporary files that a killed process has left beside the sidecars of an operation.
    ///
    /// The caller holds the lock of edits.
    private func sweepSidecars(_ steps: [OperationStep]) async throws {
        let files = steps.filter(\.kind.isSidecar).compactMap { $0.file(in: places) }
        _ = try await BackgroundQueue.run {
            for folder in Set(files.map { FilePath($0).folder }) {
                TemporaryName.sweep(folder.text)
            }
        }
    }

    /// Moves the files of these back and restores their assets.
    ///
    /// - Returns: the files that could not be moved back.
    @discardableResult
    package func repair(
        _ units: [TrashUnit], of operation: Int64
    ) async throws -> [IndexReport.Failure] {
        guard !units.isEmpty else { return [] }
        let places = places
        let failures = try await BackgroundQueue.run {
            units.flatMap(\.moves).compactMap { step in
                step.restore(in: places).map { IndexReport.Failure(path: step.path.text, reason: $0) }
            }
        }
        let absent = Set(failures.map(\.file))
        try await write { catalog in
            for row in units.flatMap(\.rows) where !absent.contains(row.path) {
                if let trashed = row.former.flatMap({ TrashedRow($0) }) { try catalog.restore(trashed) }
            }
            try catalog.stacks.update()
            let done = units.flatMap { $0.rows + $0.moves }.map(\.path).filter { !absent.contains($0) }
            try catalog.operations.forget(done, of: operation)
        }
        return failures
    }

    /// Locks out index runs as soon as no other process or task indexes the library.
    package func lockIndexingWhenFree() async throws -> FileLock {
        try await LibraryError.whenFree(LibraryError.isIndexing) { try Self.lockIndexing(catalogPath) }
    }
}

extension OperationStep {
    /// Whether its file is in the trash.
    func isInTrash(of root: String) -> Bool {
        kind == .trash && other.map { FileStatus("\(root)/\($0)") != nil } == true
    }
}
