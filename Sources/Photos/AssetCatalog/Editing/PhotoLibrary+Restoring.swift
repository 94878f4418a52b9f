internal import CatalogStorage
package import Files
package import Foundation

/// A photo or video in the trash of a library.
package struct TrashedAsset: Sendable {
    /// Where its row is in the log of operations.
    package struct ID: Hashable, Sendable {
        package let operation: Int64
        package let step: Int
    }

    package let id: ID
    /// The asset as it was, with the path of its file in the trash.
    package let asset: Asset
    /// The path below the library's root from which it was moved.
    package let file: FilePath
    /// When it was moved to the trash.
    package let date: Date
}

extension TrashedAsset.ID: LosslessStringConvertible {
    /// The numbers of the operation and of the step: "12-3".
    package var description: String { "\(operation)-\(step)" }

    package init?(_ description: String) {
        let numbers = description.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 2, let operation = numbers[0], let step = numbers[1] else { return nil }
        self.init(operation: operation, step: Int(step))
        // No other text is the same identifier.
        if self.description != description { return nil }
    }
}

extension PhotoLibrary {
    /// Returns the photos and videos that can be restored, without films of live photos; those that went last come first.
    package func trashedIDs() async throws -> [TrashedAsset.ID] {
        try await read { catalog in
            try catalog.operations.trashUnits(nil).compactMap { operation, unit in
                unit.rows.last.map { TrashedAsset.ID(operation: operation, step: $0.number) }
            }
        }
    }

    /// Returns photos and videos in the trash by their identifiers, in that order; those that are gone are omitted.
    package func trashedAssets(_ ids: some Collection<TrashedAsset.ID> & Sendable) async throws
        -> [TrashedAsset]
    {
        try await read { catalog in
            try ids.compactMap { try TrashedAsset($0, catalog) }
        }
    }

    /// Returns the path of a file in the trash, with symbolic links resolved; nil if it is not there, or a link out of the trash.
    ///
    /// Blocks the calling thread.
    package func fileInTrash(of trashed: TrashedAsset) -> String? {
        let path = FilePath(ProcessEnvironment.absolutePath(path(of: trashed.asset.file)))
        let folder = FilePath(ProcessEnvironment.absolutePath("\(root)/\(TrashFolder.path.text)"))
        return path.isIn(folder) && FileStatus(path.text) != nil ? path.text : nil
    }

    /// Moves photos and videos from the trash back to their places, with their sidecars, films, albums and words.
    ///
    /// One whose name another file has stays in the trash. What is restored is no part of its operation any more. If the
    /// process is killed, the next operation repairs what is half done.
    ///
    /// - Returns: the number of assets that were restored, and those that stay, with the reason.
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library.
    package func restoreFromTrash(_ ids: [TrashedAsset.ID]) async throws -> EditReport {
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        if let fault = Folder.writingFault(root), fault.isReadOnlyStorage {
            throw LibraryError.unwritable(root, fault)
        }
        try await repairOperations()
        var report = EditReport()
        var paths: [String] = []
        // No other process may see a file without its asset.
        var indexLock: FileLock? = try await lockIndexingWhenFree()
        for (operation, ids) in Dictionary(grouping: ids, by: \.operation) {
            let steps = Set(ids.map(\.step))
            let units = try await units(steps, of: operation)
            let faults = units.map { $0.fault(in: root) }
            let free = zip(units, faults).filter { $0.1 == nil }.map(\.0)
            report.failures += faults.compactMap(\.self)
            guard !free.isEmpty else { continue }
            try await write { try $0.operations.set(.isBegun, of: operation) }
            let failures = try await repair(free, of: operation)
            try await write { try $0.operations.close(operation) }
            report.failures += failures
            let absent = Set(failures.map(\.file))
            report.changed += free.count { $0.rows.last.map { !absent.contains($0.path) } == true }
            paths += free.flatMap(\.moves).map(\.path.text)
        }
        withExtendedLifetime(indexLock) {}
        indexLock = nil
        if !paths.isEmpty { _ = try await indexWhenFree(paths) }
        return report
    }

    /// Returns what has rows with these numbers in an operation.
    private func units(_ numbers: Set<Int>, of operation: Int64) async throws -> [TrashUnit] {
        try await read { catalog in
            try catalog.operations.trashUnits(operation).map(\.unit)
                .filter { $0.rows.last.map { numbers.contains($0.number) } == true }
                .map { unit in
                    var unit = unit
                    for index in unit.rows.indices {
                        unit.rows[index].former = try catalog.operations.former(
                            of: unit.rows[index].number, of: operation)
                    }
                    return unit
                }
        }
    }
}

extension TrashedAsset {
    fileprivate init?(_ id: ID, _ catalog: Catalog) throws {
        guard let record = try catalog.operations.trashed(id.step, of: id.operation) else { return nil }
        var asset = record.asset
        asset.file = TrashFolder.path(of: record.file, operation: id.operation)
        self.init(id: id, asset: asset, file: record.file, date: record.date)
    }
}
