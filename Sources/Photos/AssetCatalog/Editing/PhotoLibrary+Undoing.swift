package import Files
package import GRDB

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
        try await read { try OperationLog.last(max(0, count), $0) }
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
        let steps = try await read { try OperationLog.steps(of: operation.id, $0) }
        try checkSidecars()
        try await sweepSidecars(steps)
        var report = EditReport(operation: operation)
        let places = places
        let files = steps.filter { $0.kind.isSidecar || $0.kind == .trash }
        try await write { database in
            try OperationLog.set(.isUndone, of: operation.id, database)
            // Indexing a restored sidecar then keeps what the catalog knew before.
            for step in steps where step.kind == .known { try step.restoreKnown(database) }
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
        try await write { database in
            for step in steps where step.kind == .row && !absent.contains(step.path) {
                try step.former.flatMap { TrashedRow($0) }?.restore(database)
            }
            for step in steps { try step.restoreAlbum(database) }
        }
        withExtendedLifetime(indexLock) {}
        // The index run below takes it.
        indexLock = nil
        _ = try await indexWhenFree(files.map(\.path.text))
        try await write { try OperationLog.remove(operation.id, except: stays, $0) }
        return report
    }

    /// Returns the path of a photo by that of its sidecar.
    private func photo(withSidecar path: FilePath) async throws -> FilePath? {
        try await read { database in
            try String.fetchOne(
                database, sql: "SELECT path FROM asset WHERE sidecar = ?", arguments: [path.text]
            ).map { FilePath($0) }
        }
    }

    /// Repairs operations that were killed: one that was being undone is undone to its end; of others, files that are half in
    /// the trash are moved back, with their assets, and the sidecars that were written are indexed.
    ///
    /// The caller holds the lock of edits.
    ///
    /// - Parameter other: an operation that is left as it is.
    package func repairOperations(except other: Int64? = nil) async throws {
        for (operation, state) in try await read(OperationLog.unfinished) where operation.id != other {
            guard state != .isUndone else {
                _ = try await undo(operation)
                continue
            }
            let steps = try await read { try OperationLog.steps(of: operation.id, $0) }
            let units = TrashUnit.units(of: steps.reversed())
            try await repair(units.filter { $0.isPending(in: root) }, of: operation.id)
            let sidecars = steps.filter(\.kind.isSidecar)
            if !sidecars.isEmpty {
                try checkSidecars()
                try await sweepSidecars(sidecars)
                _ = try await indexWhenFree(sidecars.map(\.path.text))
            }
            try await write { try OperationLog.set(.isFinished, of: operation.id, $0) }
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
        try await write { database in
            for row in units.flatMap(\.rows) where !absent.contains(row.path) {
                try row.former.flatMap { TrashedRow($0) }?.restore(database)
            }
            try Stacking.update(database)
            let done = units.flatMap { $0.rows + $0.moves }.map(\.path).filter { !absent.contains($0) }
            try OperationLog.forget(done, of: operation, database)
        }
        return failures
    }

    /// Locks out index runs as soon as no other process or task indexes the library.
    package func lockIndexingWhenFree() async throws -> FileLock {
        try await LibraryError.whenFree(LibraryError.isIndexing) { try Self.lockIndexing(catalogPath) }
    }
}

/// The steps by which an asset, its film and its sidecars go to the trash: the asset's own file goes last.
package struct TrashUnit: Sendable {
    package var rows: [OperationStep] = []
    package var moves: [OperationStep] = []

    package init() {}

    /// Returns the units of an operation from its steps, the first first.
    static func units(of steps: some Sequence<OperationStep>) -> [TrashUnit] {
        var units: [TrashUnit] = []
        for step in steps {
            switch step.kind {
            case .row:
                if units.last?.moves.isEmpty != true { units.append(TrashUnit()) }
                units[units.count - 1].rows.append(step)
            case .trash: if !units.isEmpty { units[units.count - 1].moves.append(step) }
            default: break
            }
        }
        return units
    }

    /// The move of the asset's own file; nil if it is no longer in the log.
    private var own: OperationStep? { rows.last.flatMap { row in moves.last { $0.path == row.path } } }

    /// The numbers of the moves of its film and its sidecars, by that of the asset's own file.
    var companions: [Int: [Int]] {
        own.map { own in [own.number: moves.map(\.number).filter { $0 != own.number }] } ?? [:]
    }

    /// Why its asset cannot be restored; nil if nothing is known against it.
    func fault(in root: String) -> IndexReport.Failure? {
        guard let own else { return nil }
        let isThere = FileStatus("\(root)/\(own.path.text)") != nil
        guard own.isInTrash(of: root) == isThere else { return nil }
        return IndexReport.Failure(
            path: own.path.text, reason: isThere ? Self.nameIsTaken : "is no longer in the trash")
    }

    static let nameIsTaken = "stays in the trash, for another file has its name"

    /// Whether some of its files are still, or again, where they were.
    func isPending(in root: String) -> Bool {
        moves.contains { FileStatus("\(root)/\($0.path.text)") != nil && !$0.isInTrash(of: root) }
    }
}

extension OperationStep {
    /// Whether its file is in the trash.
    func isInTrash(of root: String) -> Bool {
        kind == .trash && other.map { FileStatus("\(root)/\($0)") != nil } == true
    }

    /// Restores the membership of an album; albums and assets that are gone are passed over.
    package func restoreAlbum(_ database: Database) throws {
        guard let other else { return }
        if kind == .kept {
            return try database.execute(
                sql: "DELETE FROM keptTogether WHERE mark = ?", arguments: [Int64(other)])
        }
        if kind == .album {
            return try database.execute(
                sql: """
                    DELETE FROM album WHERE name = ?
                    AND NOT EXISTS (SELECT 1 FROM albumAsset WHERE album = album.id)
                    """, arguments: [other])
        }
        guard kind == .joined || kind == .left else { return }
        let ids = "(SELECT id FROM album WHERE name = ?1), (SELECT id FROM asset WHERE path = ?2)"
        if kind == .joined {
            try database.execute(
                sql: "DELETE FROM albumAsset WHERE (album, asset) = (\(ids))", arguments: [other, path.text])
        } else {
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO albumAsset
                    SELECT album.id, asset.id, 1 + ifnull((SELECT max(position) FROM albumAsset
                        WHERE albumAsset.album = album.id), 0)
                    FROM album, asset WHERE album.name = ?1 AND asset.path = ?2
                    """, arguments: [other, path.text])
        }
    }
}
