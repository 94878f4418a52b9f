internal import AssetCatalog
internal import ExportDocuments
internal import Files

/// Performs a plan; it can be killed at any moment and repeated.
///
/// A file is copied under a hidden name, synchronized, compared with its source, and renamed without replacing
/// anything. After every batch the folders are synchronized and the files indexed; only then are the sources of a move
/// removed. Wherever it ends, the next plan finds the finished files.
final class Importer {
    private let library: PhotoLibrary
    private let plan: ImportPlan
    private let links: MoveMarkers
    private let ledger: ImportRun
    private var outcomes: [ImportOutcome] = []
    /// The items of the current batch that are in the library, by number.
    private var placed: [Int: ImportProof] = [:]
    private var checks = CopyChecks()
    /// The items whose sidecars were merged, or could not be.
    private var merged: Set<Int> = []
    /// The first item of the current batch.
    private var first = 0
    /// The paths that this run has written.
    private var filled: Set<FilePath> = []
    private var cleaned: Set<FilePath> = []
    /// The library's files whose other names were removed, which changed their states, from the first to the last.
    private var unlinked: [FilePath: (first: FileMoment, last: FileMoment)] = [:]
    /// Whether a file in a folder of the library also appears in a folder of the sources.
    private var shared: [[FilePath]: Bool] = [:]

    /// The number of files after which the catalog is updated.
    private static let batch = 64
    /// The number of files after which the ledger is updated, if none of them is imported.
    private static let unplacedBatch = 1024

    init(_ library: PhotoLibrary, _ plan: ImportPlan, _ ledger: ImportRun) {
        (self.library, self.plan, self.ledger) = (library, plan, ledger)
        links = MoveMarkers(root: library.root)
    }

    func run(_ progress: @Sendable (Int, Int) -> Void) async -> ImportReport {
        var report = ImportReport()
        do {
            try await library.adapt(to: plan)
            for (number, item) in plan.items.enumerated() {
                if Task.isCancelled { throw CancellationError() }
                outcomes.append(ImportOutcome(item))
                try await carryOut(item, number)
                let isGroupDone = plan.items.dropFirst(number + 1).first?.group != item.group
                let isFull = placed.count >= Self.batch || outcomes.count - first >= Self.unplacedBatch
                if isFull, isGroupDone { try await settle() }
                progress(number + 1, plan.items.count)
            }
            try await settle()
            try await mergeSidecars()
            try await restoreExports()
            if plan.moves { links.clear() }
        } catch {
            report.wasCancelled = error is CancellationError
            if !report.wasCancelled {
                report.stopped =
                    error as? LibraryError ?? LibraryError(.unwritable(library.root, reason: "\(error)"))
            }
            // Finished files are kept, and the catalog is updated if possible.
            try? await settle()
            outcomes += plan.items.dropFirst(outcomes.count).map { ImportOutcome($0) }
        }
        failWhatIsMissing()
        do {
            try await ledger.end(outcomes, isFinished: report.stopped == nil && !report.wasCancelled)
        } catch {
            report.stopped =
                report.stopped ?? error as? LibraryError
                ?? LibraryError(.inaccessible(catalog: library.catalogPath, reason: "\(error)"))
        }
        report.number = ledger.id
        report.files = outcomes
        report.summaries = plan.summaries
        return report
    }

    private func absolute(_ path: FilePath) -> String { library.path(of: path) }

    /// Records that a file is not in the library.
    private func fail(_ number: Int, _ reason: String) {
        outcomes[number].status = .failed
        outcomes[number].path = nil
        warn(number, reason)
    }

    /// Records a fault of a file that is in the library.
    private func warn(_ number: Int, _ reason: String) {
        outcomes[number].reason = reason
        outcomes[number].isFault = true
    }

    /// Records the failure of files that were not reached, and of duplicates of files that failed.
    private func failWhatIsMissing() {
        let expected = Set(plan.items.filter(\.isTaken).compactMap(\.destination))
        for (number, item) in plan.items.enumerated() where outcomes[number].status != .failed {
            if item.isTaken, let path = item.destination, !filled.contains(path) {
                fail(number, "was not imported, because the import was stopped; run it again")
            }
            if case .merge(_, isNew: true) = item.action, !merged.contains(number) {
                fail(number, "was not merged, because the import was stopped; run it again")
            }
            if case .describe(let path, _) = item.action, expected.contains(path), !filled.contains(path) {
                fail(number, "describes a file that could not be imported; run it again")
            }
            if case .duplicate(let path, _) = item.action, expected.contains(path), !filled.contains(path) {
                fail(number, "is the same as another file, which could not be imported; run it again")
            }
        }
    }

    private func carryOut(_ item: ImportPlan.Item, _ number: Int) async throws {
        switch item.action {
        case .take(let path):
            let arrived = try await arrived(item, at: path)
            guard let arrived else { return try await place(item, number, at: path, replaces: false) }
            (outcomes[number].status, outcomes[number].evidence) = (.present, .bytes)
            placed[number] = .compared(arrived)
            filled.insert(path)
        case .repair(let path): try await place(item, number, at: path, replaces: true)
        case .present(_, let evidence):
            if let compared = item.compared {
                placed[number] = .compared(compared)
            } else if evidence == .sameFile, let status = FileStatus(item.source.text), links.contains(status)
            {
                placed[number] = .linked
            } else {
                placed[number] = .none(ImportProof.isOneFile)
            }
        case .duplicate, .describe, .merge, .leave: break
        }
    }

    /// Compares a file with an equal one that another import has brought since the plan; nil without one.
    private func arrived(
        _ item: ImportPlan.Item, at path: FilePath
    ) async throws -> ImportPlan.Compared? {
        let destination = absolute(path)
        guard item.member == nil, FileStatus(destination)?.size == item.bytes else { return nil }
        return try await BackgroundQueue.run {
            guard let now = item.moment, let there = FileMoment(destination),
                let digest = try? FileDigest.of(item.source.text),
                (try? FileDigest.of(destination)) == digest,
                item.moment == now, FileMoment(destination) == there
            else { return nil }
            return ImportPlan.Compared(source: now, library: there)
        }
    }

    private func place(
        _ item: ImportPlan.Item, _ number: Int, at path: FilePath, replaces: Bool
    ) async throws {
        let (destination, moves, links) = (absolute(path), plan.moves, links)
        try clean(FilePath(destination).folder)
        let result = await BackgroundQueue.result { () throws(PlacingError) in
            if moves, !replaces, item.link(at: destination, links) { return ImportProof.linked }
            return ImportProof.compared(try item.copy(to: destination, replaces: replaces))
        }
        switch result {
        case .success(let proof):
            placed[number] = proof
            filled.insert(path)
            if !replaces, item.sidecarOf == nil, item.fault == nil, item.damage == nil {
                await checks.begin(number, destination)
            }
        case .failure(.item(let reason)): fail(number, reason)
        case .failure(.everything(let reason)):
            fail(number, reason)
            throw LibraryError(.unwritable(destination, reason: reason))
        }
    }

    /// Creates a folder and removes temporary files that a killed import has left in it.
    private func clean(_ folder: FilePath) throws {
        guard cleaned.insert(folder).inserted else { return }
        do {
            try Folder.make(folder.text, mode: 0o777)
        } catch {
            throw LibraryError.unwritable(folder.text, error)
        }
        FileCopy.sweep(folder.text)
    }

    /// Ends a batch: indexes its files, synchronizes the folders, and removes the sources of a move.
    private func settle() async throws {
        for (number, damage) in await checks.results() { outcomes[number].note(damage) }
        let (numbers, range) = (placed.keys.sorted(), first..<outcomes.count)
        first = outcomes.count
        defer { placed = [:] }
        let items = numbers.map { plan.items[$0] }
        let described = range.filter { plan.items[$0].facts != nil && outcomes[$0].status != .failed }
        guard !numbers.isEmpty || !described.isEmpty else { return try await ledger.record(outcomes, range) }
        let index = try await library.indexWhenFree(
            items.compactMap { $0.destination?.text }, assuming: plan.options.assumedZone,
            undatedBy: plan.options.undatedBy,
            digests: digests(of: numbers))
        let failed = Set(index.failures.map(\.file))
        for (number, item) in zip(numbers, items) where item.fault == nil {
            guard let path = item.destination, failed.contains(path) else { continue }
            warn(number, "the library cannot read its copy \(path)")
            placed[number] = .none("")
        }
        let faults = Dictionary(index.positionFaults.map { ($0.file, $0.reason) }) { $1 }
        for (number, item) in zip(numbers, items) where outcomes[number].reason == nil {
            outcomes[number].reason = item.destination.flatMap { faults[$0] }
        }
        try await describe(described, range)
        try await ledger.record(outcomes, range, items)
        guard plan.moves else { return }
        synchronize(numbers)
        for number in numbers where plan.items[number].isLink {
            placed[number] = .none("is a link; it stays, as does the file that it points to")
        }
        remove(numbers, range)
        try await ledger.record(outcomes, range)
    }

    /// The digests of copies, which the index need not read again.
    private func digests(of numbers: [Int]) -> [FilePath: KnownDigest] {
        numbers.reduce(into: [:]) { digests, number in
            if let path = plan.items[number].destination { digests[path] = placed[number]?.digest }
        }
    }

    /// Writes what exports state about the files of a batch.
    private func describe(_ numbers: [Int], _ range: Range<Int>) async throws {
        guard !numbers.isEmpty else { return }
        let failures = try await library.describe(numbers.map { plan.items[$0] })
        for number in range {
            guard let owner = plan.items[number].sidecarOf,
                case .describe(_, isNew: true) = plan.items[number].action,
                let reason = failures[owner]
            else { continue }
            fail(number, reason)
        }
        // Without its values a source is not removed.
        for number in numbers {
            guard let reason = failures[plan.items[number].source] else { continue }
            warn(number, reason)
            placed[number] = .none("")
        }
    }

    /// Adds what second sidecars state to the first ones; those of files that could not be imported are not merged.
    private func mergeSidecars() async throws {
        let expected = Set(plan.items.filter(\.isTaken).compactMap(\.destination)).subtracting(filled)
        let items = plan.items.enumerated().filter { number, item in
            item.merging.map { !expected.contains($0.photo) } == true && outcomes[number].status != .failed
        }
        let failures = try await library.merge(items.map { ($0.offset, $0.element) })
        for (number, item) in items {
            merged.insert(number)
            guard let reason = failures[number] else {
                if plan.moves, !item.isTaken {
                    outcomes[number].reason = "is in the library's sidecar; it stays"
                }
                continue
            }
            let text = "its words were not merged into the library's sidecar: \(reason)"
            if item.isTaken { warn(number, text) } else { fail(number, text) }
        }
    }

    /// Gives the library what exports among the sources state about it as a whole, such as albums.
    private func restoreExports() async throws {
        let places = Dictionary(outcomes.compactMap { one in one.path.map { (one.source, $0) } }) {
            first, _ in first
        }
        for (path, error) in try await plan.exports.restore(into: library, at: places) {
            guard let number = plan.items.firstIndex(where: { $0.source == path }) else { continue }
            warn(number, "its albums are not in the library: it \(error)")
        }
    }

    /// Synchronizes files and folders of the library; sources of those that fail are not removed.
    private func synchronize(_ numbers: [Int]) {
        var reasons: [FilePath: String] = [:]
        for number in numbers {
            guard let path = plan.items[number].destination else { continue }
            let folder = FilePath(absolute(path)).folder
            do throws(FileError) {
                try Folder.synchronize(absolute(path))
                if reasons[folder] == nil {
                    reasons[folder] = ""
                    try Folder.synchronize(folder.text, upTo: library.root)
                }
            } catch {
                reasons[folder] =
                    "stays, for the library's copy is not safe on the disk: \(error.description)"
            }
            if let reason = reasons[folder], !reason.isEmpty {
                warn(number, reason)
                placed[number] = .none("")
            }
        }
    }

    /// Removes sources: sidecars first, since a repeated import does not find them alone, and only with their owners.
    private func remove(_ numbers: [Int], _ range: Range<Int>) {
        var stays: [Int: String] = [:]
        for number in numbers {
            guard let (reason, isFault) = reasonToStay(number) else { continue }
            stays[number] = reason
            if isFault { warn(number, reason) }
        }
        // Each source that was imported has to be a file of its own in the library.
        let taken = numbers.filter { stays[$0] == nil && plan.items[$0].isTaken }
        for number in ImportBalance.shared(taken, file: { plan.items[$0].destination.map(absolute) }) {
            stays[number] = "stays, for the library has one file for it and for another source"
            warn(number, stays[number] ?? "")
        }
        func isSafe(_ number: Int) -> Bool { placed[number] != nil && stays[number] == nil }
        let bySource = Dictionary(range.map { (plan.items[$0].source, $0) }) { first, _ in first }
        var held: [Int: String] = [:]
        // Documents of exports stay, their values are in the library.
        for number in range where !outcomes[number].isDocument {
            guard let owner = plan.items[number].sidecarOf.flatMap({ bySource[$0] }) else { continue }
            if !isSafe(owner) {
                held[number] = "stays with \(plan.items[owner].source.name)"
            } else if !isSafe(number) {
                held[owner] = "stays with \(plan.items[number].source.name)"
            }
        }
        // A sidecar stays with a photo that stays for another sidecar.
        for number in range where !outcomes[number].isDocument {
            guard let owner = plan.items[number].sidecarOf.flatMap({ bySource[$0] }), held[owner] != nil,
                held[number] == nil
            else { continue }
            held[number] = "stays with \(plan.items[owner].source.name)"
        }
        for number in numbers.reversed() {
            if let reason = stays[number] ?? held[number] {
                if outcomes[number].reason == nil { outcomes[number].reason = reason }
                continue
            }
            let item = plan.items[number]
            let status = FileStatus(item.source.text)
            let before = item.destination.flatMap { FileMoment(absolute($0)) }
            do throws(FileError) {
                try Folder.delete(item.source.text)
            } catch {
                warn(number, "is in the library, but the original cannot be removed (\(error.cause))")
                continue
            }
            outcomes[number].isRemoved = true
            if case .linked = placed[number], let status {
                links.remove(status)
                noteUnlinking(item.destination, before)
            }
        }
    }

    /// Records that the library's file lost names, the source's and that of its marker, so that copies of it in later batches
    /// are known to be equal to it.
    private func noteUnlinking(_ path: FilePath?, _ before: FileMoment?) {
        guard let path, let before, let after = FileMoment(absolute(path)), after.status == before.status,
            after.names < before.names
        else { return }
        let known = unlinked[path].flatMap { $0.last == before ? $0.first : nil }
        unlinked[path] = (known ?? before, after)
    }

    /// Returns the reason why a source may not be removed; nil if its bytes are safe in the library.
    private func reasonToStay(_ number: Int) -> (reason: String, isFault: Bool)? {
        let item = plan.items[number]
        guard let path = item.destination, let proof = placed[number] else {
            return ("is not in the library", true)
        }
        if case .none(let reason) = proof { return (reason, false) }
        guard let source = FileMoment(item.source.text) else { return ("has gone since it was copied", true) }
        guard let there = FileMoment(absolute(path)) else {
            return ("stays, for the library's file is gone", true)
        }
        switch proof {
        case .none: break
        case .linked:
            guard source.status.isSameFile(as: there.status) else {
                return ("stays, for the library's file is another one now", true)
            }
        case .compared(let compared):
            guard source == compared.source else {
                return ("has changed since it was copied; it stays", true)
            }
            let (first, last) = unlinked[path] ?? (there, there)
            guard there == last, compared.library == first || compared.library == last else {
                return ("stays, for the library's file has changed since it was compared", true)
            }
            guard !source.status.isSameFile(as: there.status) else { return (ImportProof.isOneFile, false) }
        }
        let folders = [FilePath(absolute(path)).folder, item.source.folder]
        let isShared = shared[folders] ?? Folder.shares(folders[0].text, with: folders[1].text)
        shared[folders] = isShared
        return isShared ? ("lies in the library's own folder, seen under another path; it stays", false) : nil
    }
}
