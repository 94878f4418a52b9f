internal import Files
internal import GRDB
internal import ImageMetadata
internal import ViewportGeometry

/// The result of an edit or of undoing one.
public struct EditReport: Equatable, Sendable {
    /// The operation; nil if nothing was changed.
    public internal(set) var operation: LibraryOperation?
    /// The number of files that were changed, or restored.
    public internal(set) var changed = 0
    /// The files that could not be changed, with the reason.
    public internal(set) var failures: [IndexReport.Failure] = []
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
    ///   - progress: receives the number of assets done, and of all.
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library, `cancelled` if the task was
    ///   cancelled; finished edits are kept.
    @discardableResult
    public func edit(
        _ ids: [Asset.ID], _ edit: AssetEdit, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(LibraryError) -> EditReport {
        var report = EditReport()
        guard !edit.isEmpty, !ids.isEmpty else { return report }
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        let all = try await withPartners(ids, if: edit.isOfBothHalves)
        var operation: Int64?
        for start in stride(from: 0, to: all.count, by: Self.editBatch) {
            if Task.isCancelled { throw .cancelled }
            let batch = Array(all[start...].prefix(Self.editBatch))
            let plan = try await read { try self.planEdits(batch, edit, $0) }
            report.failures += plan.failures
            let (number, count) = (operation, all.count)
            operation = try await write { database in
                let name = "edit \(count) asset\(count == 1 ? "" : "s")"
                let operation = try number ?? OperationLog.begin(name, database)
                try OperationLog.append(plan.edits.map(\.step), to: operation, database)
                return operation
            }
            let root = root
            let failures = try await BackgroundQueue.run { () throws(LibraryError) in
                plan.edits.compactMap { $0.write(in: root) }
            }
            report.failures += failures
            report.changed += plan.edits.count - failures.count
            _ = try await indexWhenFree(plan.edits.map(\.asset))
            progress(start + batch.count, all.count)
        }
        report.operation = try await operations(1).first { $0.id == operation }
        return report
    }

    /// Returns the last operations that can be undone, the latest first.
    public func operations(_ count: Int = 10) async throws(LibraryError) -> [LibraryOperation] {
        try await read { try OperationLog.last(max(0, count), $0) }
    }

    /// Undoes the last operation: restores sidecars, files in the trash and memberships of albums.
    ///
    /// Files that were changed since the operation are kept and reported; the rest is restored.
    ///
    /// - Returns: Nil if there is nothing to undo.
    @discardableResult
    public func undo() async throws(LibraryError) -> EditReport? {
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        guard let operation = try await operations(1).first else { return nil }
        let steps = try await read { try OperationLog.steps(of: operation.id, $0) }
        var report = EditReport(operation: operation)
        let root = root
        let files = steps.filter { $0.kind == .sidecar || $0.kind == .trash }
        let reasons = try await BackgroundQueue.run { () throws(LibraryError) in
            files.map { $0.restore(in: root) }
        }
        for (step, reason) in zip(files, reasons) {
            if let reason {
                report.failures.append(IndexReport.Failure(path: step.path, reason: reason))
            } else {
                report.changed += 1
            }
        }
        _ = try await indexWhenFree(files.map(\.path))
        try await write { database in
            for step in steps { try step.restoreAlbum(database) }
            try OperationLog.remove(operation.id, database)
        }
        return report
    }

    /// The assets of one transaction.
    private static var editBatch: Int { 256 }

    /// Locks out other processes and tasks that edit the library.
    func lockEditing() throws(LibraryError) -> FileLock {
        do {
            if let lock = try FileLock(catalogPath + ".edit" + Self.lockSuffix, .alone) { return lock }
        } catch {
            throw .inaccessible(catalog: catalogPath, reason: error.description)
        }
        throw .editing(catalog: catalogPath)
    }

    /// Returns the assets, and their live partners after them.
    private func withPartners(
        _ ids: [Asset.ID], if isNeeded: Bool
    ) async throws(LibraryError) -> [Asset.ID] {
        guard isNeeded else { return ids }
        return try await read { database in
            let find = try database.cachedStatement(sql: "SELECT livePartner FROM asset WHERE id = ?")
            var seen = Set(ids)
            let partners = try ids.compactMap { try Int64.fetchOne(find, arguments: [$0]) }
            return ids + partners.filter { seen.insert($0).inserted }
        }
    }

    /// Makes the new sidecars of assets.
    private func planEdits(
        _ ids: [Asset.ID], _ edit: AssetEdit, _ database: Database
    ) throws -> (edits: [SidecarWriting], failures: [IndexReport.Failure]) {
        var edits: [SidecarWriting] = []
        var failures: [IndexReport.Failure] = []
        let found = try Asset.fetch(ids, database)
        let missing = Set(ids).subtracting(found.map(\.id))
        failures += missing.sorted().map {
            IndexReport.Failure(path: "asset \($0)", reason: "is no longer in the library")
        }
        for asset in found {
            do {
                edits.append(try SidecarWriting(of: asset, edit, root: root, database))
            } catch let refusal as AssetEdit.Refusal {
                failures.append(IndexReport.Failure(path: asset.path, reason: refusal.reason))
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

/// A sidecar that is to be written.
private struct SidecarWriting: Sendable {
    /// The path of the asset.
    let asset: String
    let step: OperationStep
    private let bytes: [UInt8]

    /// - Throws: `AssetEdit.Refusal` if the asset cannot be edited.
    init(of asset: Asset, _ edit: AssetEdit, root: String, _ database: Database) throws {
        self.asset = asset.path
        let whole = "\(asset.path).xmp"
        var former: [UInt8]?
        if let sidecar = asset.sidecar, FileStatus("\(root)/\(sidecar)") != nil {
            do throws(FileError) {
                former = try InputFile.contents("\(root)/\(sidecar)")
            } catch {
                throw AssetEdit.Refusal(reason: "its sidecar \(sidecar) cannot be read: \(error.description)")
            }
        }
        // A sidecar that several files share, "a.xmp" of a.jpg and a.cr2, is copied for the one that is edited.
        let isShared = try asset.sidecar.map { sidecar in
            try Bool.fetchOne(
                database, sql: "SELECT 1 FROM asset WHERE sidecar = ? AND id <> ?",
                arguments: [sidecar, asset.id]) ?? false
        }
        let path = former == nil || isShared == true ? whole : asset.sidecar ?? whole
        let orientation = try edit.quarterTurns % 4 == 0 ? .up : Self.orientation(of: asset, root: root)
        let sidecarEdit = try edit.sidecarEdit(of: asset, orientation: orientation)
        do throws(SidecarEditError) {
            bytes = try sidecarEdit.applied(to: former)
        } catch {
            throw AssetEdit.Refusal(
                reason: "its sidecar \(asset.sidecar ?? whole) is not XMP; repair or remove it")
        }
        step = .sidecar(path, former: path == asset.sidecar ? former : nil, new: bytes)
    }

    private static func orientation(of asset: Asset, root: String) throws -> Orientation {
        do throws(FileError) {
            return try InputFile.read("\(root)/\(asset.path)") { open in
                (FileMetadata(FileBytes(open), name: asset.name)?.orientation ?? .up).followed(by: asset.turn)
            }
        } catch {
            throw AssetEdit.Refusal(reason: error.description)
        }
    }

    /// Writes the sidecar; returns the failure if that is impossible.
    func write(in root: String) -> IndexReport.Failure? {
        let path = "\(root)/\(step.path)"
        do throws(FileError) {
            try OutputFile.write(bytes, to: path)
            try Folder.synchronize(OutputFile.folder(of: path))
            return nil
        } catch {
            return IndexReport.Failure(path: step.path, reason: error.description)
        }
    }
}

extension OperationStep {
    /// Restores the membership of an album; albums and assets that are gone are passed over.
    fileprivate func restoreAlbum(_ database: Database) throws {
        guard let other, kind == .joined || kind == .left else { return }
        let ids = "(SELECT id FROM album WHERE name = ?1), (SELECT id FROM asset WHERE path = ?2)"
        if kind == .joined {
            try database.execute(
                sql: "DELETE FROM albumAsset WHERE (album, asset) = (\(ids))", arguments: [other, path])
        } else {
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO albumAsset
                    SELECT album.id, asset.id, 1 + ifnull((SELECT max(position) FROM albumAsset
                        WHERE albumAsset.album = album.id), 0)
                    FROM album, asset WHERE album.name = ?1 AND asset.path = ?2
                    """, arguments: [other, path])
        }
    }
}
