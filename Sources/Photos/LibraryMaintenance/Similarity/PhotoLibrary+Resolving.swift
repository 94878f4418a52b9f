public import AssetCatalog
internal import CatalogStorage
internal import Files
internal import ImageMetadata
public import WorkReporting

extension PhotoLibrary {
    /// Carries out a plan: moves duplicates to the trash of the library, and unites what is known of them on the kept file.
    ///
    /// Every file is read before: one that is not as the plan states stays, and so do all copies of a kept file that is not
    /// whole. Files are renamed, never copied, with their sidecars and films. Albums, picks, keywords and the highest rating
    /// go to the kept file, and title, description, label, date and position where it has none. `undo` moves all back. If the
    /// process is killed, the next operation repairs what is half done.
    ///
    /// - Parameters:
    ///   - plan: from `planDuplicates`, perhaps edited.
    ///   - progress: receives the groups that are done.
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library; `CancellationError`:
    ///   finished groups are kept.
    @discardableResult
    public func resolve(
        _ plan: DuplicatePlan, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> DuplicateReport {
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        if plan.groups.contains(where: { $0.action == .resolve }), let fault = Folder.writingFault(root),
            fault.isReadOnlyStorage
        {
            throw LibraryError.unwritable(root, fault)
        }
        try checkSidecars()
        try await repairOperations()
        var run = TrashRun(library: self, name: "move duplicates to the trash")
        let reporter = ProgressReporter(.groups, of: plan.groups.count, progress)
        do {
            for (number, group) in plan.groups.enumerated() {
                if Task.isCancelled { throw CancellationError() }
                if group.action == .resolve { try await run.resolve(group) }
                reporter.report(number + 1)
            }
            try await keep(plan, &run.report)
        } catch {
            // Leaves no operation that looks killed; what cannot be written now is repaired by the next one.
            try? await run.finish()
            throw error
        }
        try await run.finish()
        reporter.finish()
        return run.report
    }

    /// Stores the groups of which all members are kept.
    private func keep(_ plan: DuplicatePlan, _ report: inout DuplicateReport) async throws {
        var kept: [[Asset.ID]] = []
        for group in plan.groups where group.action == .keepAll {
            var ids: [Asset.ID] = []
            for file in group.files {
                guard let asset = try await asset(path: file.path) else {
                    report.failures.append(
                        IndexReport.Failure(path: file.path, reason: "is not in the catalog"))
                    continue
                }
                ids.append(asset.id)
            }
            if ids.count > 1 { kept.append(ids) }
        }
        guard !kept.isEmpty else { return }
        report.kept = kept.count
        try await storeKept(kept)
    }
}

/// Moves files to the trash as one operation.
struct TrashRun {
    private let library: PhotoLibrary
    /// What the log says of the operation.
    private let name: String
    var report = DuplicateReport()
    private var operation: Int64?

    init(library: PhotoLibrary, name: String) { (self.library, self.name) = (library, name) }

    mutating func resolve(_ group: DuplicatePlan.Group) async throws {
        let root = library.root
        let records = try await library.read { try DuplicateRecords(of: group, root: root, $0) }
        let check = try await BackgroundQueue.run {
            DuplicateCheck(group, records, root: root)
        }
        report.present += check.present
        report.failures += check.failures
        guard let keeper = check.keeper, !check.losers.isEmpty else { return }
        if try await move(check.losers, keeper: keeper) { _ = try await library.indexWhenFree([keeper.path]) }
    }

    /// - Parameter keeper: the file that gets what is known of the others; nil if none does.
    /// - Returns: whether the kept file got a sidecar, which is not indexed yet.
    mutating func move(
        _ losers: [DuplicateCheck.Loser], keeper: Asset? = nil
    ) async throws -> Bool {
        // An index run would find files without their assets.
        var lock: FileLock? = try await library.lockIndexingWhenFree()
        defer { withExtendedLifetime(lock) {} }
        let (library, places, running, name) = (library, library.places, operation, name)
        let prepared: Prepared
        do {
            prepared = try await library.write { catalog in
                try Prepared(
                    losers, keeper: keeper, operation: running, name: name, in: places, catalog)
            }
        } catch {
            guard let keeper, case .refused(_, let reason)? = (error as? LibraryError)?.cause else {
                throw error
            }
            report.failures.append(
                IndexReport.Failure(path: keeper.path, reason: "\(reason); its copies stay"))
            return false
        }
        operation = prepared.operation
        let outcome = try await BackgroundQueue.run {
            prepared.carryOut(in: places)
        }
        report.failures += outcome.failures
        let failed = zip(prepared.units, outcome.isMoved).filter { !$0.1 }.map(\.0)
        report.failures += try await library.repair(failed, of: prepared.operation)
        let moved = outcome.isMoved.count { $0 }
        guard moved > 0 else {
            lock = nil
            try await revert(prepared)
            return false
        }
        report.trashed += moved
        report.bytes += outcome.bytes
        report.groups += 1
        return outcome.hasSidecar
    }

    /// Undoes what the kept file got from others, none of which could be moved.
    private func revert(_ prepared: Prepared) async throws {
        let places = library.places
        _ = try await BackgroundQueue.run {
            prepared.united.filter(\.kind.isSidecar).map { $0.restore(in: places) }
        }
        _ = try await library.indexWhenFree(prepared.united.filter(\.kind.isSidecar).map(\.path.text))
        // What is in the log is repaired if this process is killed.
        try await library.write { catalog in
            for step in prepared.united { try catalog.operations.restoreAlbum(step) }
            try catalog.operations.forget(
                prepared.united.map(\.path), kinds: [.sidecar, .sidecarInFolder, .joined],
                of: prepared.operation)
        }
    }

    /// Marks the operation as finished, or removes it if nothing is left of it.
    mutating func finish() async throws {
        guard let operation else { return }
        try await library.write { try $0.operations.close(operation) }
        report.operation = try await library.operations(20).first { $0.id == operation }
    }
}

/// A group in the log and in the catalog, whose files are to be moved.
private struct Prepared: Sendable {
    let operation: Int64
    let units: [TrashUnit]
    /// The steps by which the kept file gets what is known of the others.
    let united: [OperationStep]
    private let states: [FileMoment]
    private let sidecar: SidecarWriting?

    /// Writes the steps into the log, gives the albums to the kept file, and removes the assets that go.
    init(
        _ losers: [DuplicateCheck.Loser], keeper: Asset?, operation: Int64?, name: String,
        in places: SidecarPlaces, _ catalog: Catalog
    ) throws {
        let number = try operation ?? catalog.operations.begin(name, isFinished: false)
        var ids: Set<Asset.ID> = []
        for loser in losers { ids.formUnion([loser.asset.id, loser.film?.id].compactMap(\.self)) }
        sidecar = try keeper.flatMap { keeper in
            let edit = AssetEdit(uniting: losers.map(\.asset), on: keeper)
            do {
                return edit.isEmpty ? nil : try SidecarWriting(of: keeper, edit, in: places, catalog)
            } catch let refusal as AssetRefusal {
                throw LibraryError(.refused(catalog: keeper.path, reason: refusal.reason))
            }
        }
        var units: [TrashUnit] = []
        for loser in losers {
            var unit = TrashUnit()
            for asset in [loser.film, loser.asset].compactMap(\.self) {
                unit.rows.append(
                    OperationStep(
                        kind: .row, path: asset.file, former: try catalog.row(of: asset.id).bytes))
                let files =
                    try Companions.sidecars(of: asset, leaving: ids, in: places, catalog) + [asset.file]
                unit.moves += files.map {
                    OperationStep(
                        kind: .trash, path: $0, other: TrashFolder.path(of: $0, operation: number).text)
                }
            }
            units.append(unit)
        }
        let joined = try keeper.map { keeper in
            // The kept file goes to the albums of the others, at their positions.
            try catalog.unite(albumsOf: ids, on: keeper.id).map {
                OperationStep(kind: .joined, path: keeper.file, other: $0)
            }
        }
        united = [sidecar?.step].compactMap(\.self) + (joined ?? [])
        try catalog.operations.append(
            united + units.flatMap { $0.rows + $0.moves }, to: number)
        for id in ids { try catalog.remove(id) }
        try catalog.stacks.update()
        (self.operation, self.units, states) = (number, units, losers.map(\.moment))
    }

    /// The result of moving the files.
    struct Outcome: Sendable {
        var isMoved: [Bool]
        var bytes = 0
        var hasSidecar = false
        var failures: [IndexReport.Failure] = []
    }

    /// Writes the sidecar and moves the files; nothing is moved if the sidecar cannot be written.
    func carryOut(in places: SidecarPlaces) -> Outcome {
        let root = places.root
        var outcome = Outcome(isMoved: units.map { _ in false })
        if let sidecar {
            do {
                if let failure = try sidecar.write(in: places) { outcome.failures.append(failure) }
            } catch {
                outcome.failures.append(IndexReport.Failure(path: sidecar.asset, reason: "\(error)"))
            }
            guard outcome.failures.isEmpty else { return outcome }
            outcome.hasSidecar = true
        }
        for (index, unit) in units.enumerated() {
            var bytes = 0
            var reason: String?
            for step in unit.moves {
                let (path, trash) = ("\(root)/\(step.path.text)", "\(root)/\(step.other ?? "")")
                bytes += FileStatus(path)?.size ?? 0
                // The asset's own file is the last one.
                let isOwn = step.path == unit.rows.last?.path
                do throws(FileError) {
                    if isOwn, FileMoment(path) != states[index] {
                        reason = "was changed while it was compared; it stays"
                        break
                    }
                    try Folder.make(OutputFile.folder(of: trash))
                    guard try Folder.moveToNewName(path, trash) else {
                        reason = "has a namesake in the trash; it stays"
                        break
                    }
                } catch {
                    reason = "cannot be moved to the trash (\(error.description)); it stays"
                    break
                }
            }
            if let reason, let path = unit.rows.last?.path {
                outcome.failures.append(IndexReport.Failure(path: path.text, reason: reason))
            } else {
                outcome.isMoved[index] = true
                outcome.bytes += bytes
            }
        }
        return outcome
    }
}

extension AssetEdit {
    /// The changes by which what is known of other assets goes to the one that is kept.
    init(uniting others: [Asset], on kept: Asset) {
        self.init()
        func missing(_ property: (Asset) -> String?) -> String? {
            (property(kept) ?? "").isEmpty ? others.compactMap(property).first { !$0.isEmpty } : nil
        }
        title = missing(\.title)
        caption = missing(\.caption)
        label = missing(\.label)
        for word in others.flatMap(\.keywords) where !(kept.keywords + addedKeywords).contains(word) {
            addedKeywords.append(word)
        }
        if let best = others.compactMap(\.rating).max(), best > kept.rating ?? 0 { rating = best }
        if kept.location == nil { location = others.compactMap(\.location).first }
        if kept.date?.source.isGuess != false {
            date = others.compactMap(\.date).first { !$0.source.isGuess }
        }
    }
}
