internal import Digests
internal import Files

/// Carries out a plan, so that it can be ended at any moment and carried out again.
///
/// A file is copied under a hidden name, brought onto the disk, compared with its source, and then given its name,
/// which nothing else may have. Some files later the folders are brought onto the disk and the catalog is told; only
/// then are the sources removed that are to be moved. Whatever step is the last before the end, the next plan finds
/// what is there.
final class Importer {
    private let library: PhotoLibrary
    private let plan: ImportPlan
    private let links: MoveMarkers
    private var outcomes: [ImportOutcome] = []
    /// Items since the catalog was told last that are in the library, by their numbers.
    private var placed: [Int: Proof] = [:]
    /// The first item since then.
    private var first = 0
    /// Paths that this run has filled.
    private var filled: Set<String> = []
    private var cleaned: Set<String> = []
    /// Whether files that are made in a library's folder are seen in a source's.
    private var shared: [[String]: Bool] = [:]

    /// Files after which the catalog is told.
    private static let batch = 64

    /// Why a source may be removed.
    private enum Proof {
        /// Its bytes and those of the library's file were compared when both were like this.
        case compared(ImportPlan.Compared)
        /// This import has given the file its second name, in the library.
        case linked
        /// It may not.
        case none(String)
    }

    /// Why a file was not brought into the library: its own fault, or one that all the others would have too.
    private enum PlacingError: Error {
        case item(String)
        case everything(String)
    }

    init(_ library: PhotoLibrary, _ plan: ImportPlan) {
        (self.library, self.plan) = (library, plan)
        links = MoveMarkers(root: library.root)
    }

    func run(_ progress: @Sendable (Int, Int) -> Void) async -> ImportReport {
        var report = ImportReport()
        do throws(ImportError) {
            for (number, item) in plan.items.enumerated() {
                if Task.isCancelled { throw .library(.cancelled) }
                outcomes.append(ImportOutcome(item))
                try await carryOut(item, number)
                let isGroupDone = plan.items.dropFirst(number + 1).first?.group != item.group
                if placed.count >= Self.batch, isGroupDone { try await settle() }
                progress(number + 1, plan.items.count)
            }
            try await settle()
            if plan.moves { links.clear() }
        } catch {
            report.stopped = error
            // What is in its place stays; the catalog may still be told of it.
            try? await settle()
            outcomes += plan.items.dropFirst(outcomes.count).map { ImportOutcome($0) }
        }
        failWhatIsMissing()
        report.files = outcomes
        return report
    }

    private func absolute(_ path: String) -> String { "\(library.root)/\(path)" }

    /// Says that a file is not in the library.
    private func fail(_ number: Int, _ reason: String) {
        outcomes[number].status = .failed
        outcomes[number].path = nil
        warn(number, reason)
    }

    /// Says what is wrong with a file, though the library has it.
    private func warn(_ number: Int, _ reason: String) {
        outcomes[number].reason = reason
        outcomes[number].isFault = true
    }

    /// Says so of files that were not reached, and of those that are like one that could not be imported.
    private func failWhatIsMissing() {
        let expected = Set(plan.items.filter(\.isTaken).compactMap(\.destination))
        for (number, item) in plan.items.enumerated() where outcomes[number].status != .failed {
            if item.isTaken, let path = item.destination, !filled.contains(path) {
                fail(number, "was not imported, because the import was stopped; run it again")
            }
            if case .duplicate(let path, _) = item.action, expected.contains(path), !filled.contains(path) {
                fail(number, "is the same as another file, which could not be imported; run it again")
            }
        }
    }

    private func carryOut(_ item: ImportPlan.Item, _ number: Int) async throws(ImportError) {
        switch item.action {
        case .take(let path): try await place(item, number, at: path, replaces: false)
        case .repair(let path): try await place(item, number, at: path, replaces: true)
        case .present(_, let evidence):
            if let compared = item.compared {
                placed[number] = Proof.compared(compared)
            } else if evidence == .sameFile, let status = FileStatus(item.source), links.contains(status) {
                placed[number] = Proof.linked
            } else {
                placed[number] = Proof.none(Self.isOneFile)
            }
        case .duplicate, .leave: break
        }
    }

    private func place(
        _ item: ImportPlan.Item, _ number: Int, at path: String, replaces: Bool
    ) async throws(ImportError) {
        let (destination, moves, links) = (absolute(path), plan.moves, links)
        try clean(OutputFile.folder(of: destination))
        let result = await BackgroundQueue.result { () throws(PlacingError) in
            if moves, !replaces, Self.link(item, at: destination, links) { return Proof.linked }
            return Proof.compared(try Self.copy(item, to: destination, replaces: replaces))
        }
        switch result {
        case .success(let proof):
            placed[number] = proof
            filled.insert(path)
        case .failure(.item(let reason)): fail(number, reason)
        case .failure(.everything(let reason)):
            fail(number, reason)
            throw .unwritable(destination, reason: reason)
        }
    }

    /// Makes a folder and takes away what a killed import has left in it.
    private func clean(_ folder: String) throws(ImportError) {
        guard cleaned.insert(folder).inserted else { return }
        do {
            try Folder.make(folder)
        } catch {
            throw .unwritable(folder, reason: error.description)
        }
        FileCopy.sweep(folder)
    }

    private static func isAsPlanned(_ item: ImportPlan.Item) -> FileMoment? {
        guard let now = FileMoment(item.source), now.status.modified == item.modified,
            now.status.size == item.bytes
        else { return nil }
        return now
    }

    /// On the same disk a second name is enough; the first one goes when the catalog knows of the second.
    ///
    /// A file that has further names gets a copy: who writes to it there would write to the library.
    private static func link(_ item: ImportPlan.Item, at destination: String, _ links: MoveMarkers) -> Bool {
        guard let now = isAsPlanned(item), !item.isLink, now.names == (links.contains(now.status) ? 2 : 1),
            links.add(item.source, now.status)
        else { return false }
        return FileLink.makeOnSameDisk(item.source, as: destination)
    }

    /// Brings a copy to its place; nothing is ever there that is not whole.
    private static func copy(
        _ item: ImportPlan.Item, to destination: String, replaces: Bool
    ) throws(PlacingError) -> ImportPlan.Compared {
        guard let now = isAsPlanned(item) else {
            throw .item("has changed or gone since the plan was made; run it again")
        }
        var hash = SHA256()
        let copy: FileCopy
        do throws(FileCopy.Failure) {
            copy = try FileCopy(of: item.source, beside: destination) { hash.update($0) }
        } catch {
            switch error {
            case .source(let error): throw .item(error.description)
            case .destination(let error): throw .everything(error.description)
            case .full: throw .everything("the disk is full")
            }
        }
        do throws(FileError) {
            guard copy.source == now || copy.source.status == now.status else {
                throw .unreadable("it was changed since the plan was made; run it again")
            }
            guard try FileDigest.of(copy.path) == hash.finalize().hexadecimal else {
                throw .unreadable("its copy read back differently; check the disk")
            }
            if replaces {
                guard let damaged = item.compared, FileMoment(destination) == damaged.library else {
                    throw .unreadable("the library's file was changed since the plan was made; run it again")
                }
                try copy.replace(destination)
            } else if try !copy.publish(as: destination) {
                throw .exists
            }
        } catch {
            copy.discard()
            throw .item(
                error == .exists
                    ? "\(destination) has come into being since the plan was made; run it again"
                    : error.description)
        }
        guard let there = FileMoment(destination) else { throw .item("its copy is gone; run it again") }
        return ImportPlan.Compared(source: copy.source, library: there)
    }

    /// Brings the folders onto the disk, tells the catalog, and removes the sources that were moved.
    private func settle() async throws(ImportError) {
        let (numbers, range) = (placed.keys.sorted(), first..<outcomes.count)
        first = outcomes.count
        defer { placed = [:] }
        guard !numbers.isEmpty else { return }
        let items = numbers.map { plan.items[$0] }
        do {
            let index = try await library.indexWhenFree(
                items.compactMap(\.destination), assuming: plan.assumedZone, undatedBy: plan.undatedBy)
            let failed = Set(index.failures.map(\.path))
            for (number, item) in zip(numbers, items) where item.fault == nil {
                guard let path = item.destination, failed.contains(path) else { continue }
                warn(number, "the library cannot read its copy \(path)")
                placed[number] = Proof.none("")
            }
            try await library.write { try ImportedFiles.remember(items, $0) }
        } catch {
            throw .library(error)
        }
        guard plan.moves else { return }
        synchronize(numbers)
        for number in numbers where plan.items[number].isLink {
            placed[number] = Proof.none("is a link; it stays, as does the file that it points to")
        }
        remove(numbers, range)
    }

    /// Brings the library's files and folders onto the disk; what does not get there is no reason to remove a source.
    private func synchronize(_ numbers: [Int]) {
        var reasons: [String: String] = [:]
        for number in numbers {
            guard let path = plan.items[number].destination else { continue }
            let folder = OutputFile.folder(of: absolute(path))
            do throws(FileError) {
                try Folder.synchronize(absolute(path))
                if reasons[folder] == nil {
                    reasons[folder] = ""
                    try Folder.synchronize(folder, upTo: library.root)
                }
            } catch {
                reasons[folder] =
                    "stays, for the library's copy is not safe on the disk: \(error.description)"
            }
            if let reason = reasons[folder], !reason.isEmpty {
                warn(number, reason)
                placed[number] = Proof.none("")
            }
        }
    }

    /// Removes sources: sidecars first, for alone they would not be found again, and only with their owners.
    private func remove(_ numbers: [Int], _ range: Range<Int>) {
        var stays: [Int: String] = [:]
        for number in numbers {
            guard let (reason, isFault) = reasonToStay(number) else { continue }
            stays[number] = reason
            if isFault { warn(number, reason) }
        }
        func isSafe(_ number: Int) -> Bool { placed[number] != nil && stays[number] == nil }
        let bySource = Dictionary(range.map { (plan.items[$0].source, $0) }) { first, _ in first }
        var held: [Int: String] = [:]
        for number in range {
            guard let owner = plan.items[number].sidecarOf.flatMap({ bySource[$0] }) else { continue }
            if !isSafe(owner) {
                held[number] = "stays with \(OutputFile.name(of: plan.items[owner].source))"
            } else if !isSafe(number) {
                held[owner] = "stays with \(OutputFile.name(of: plan.items[number].source))"
            }
        }
        // A sidecar stays also with a photo that another one of its sidecars holds.
        for number in range {
            guard let owner = plan.items[number].sidecarOf.flatMap({ bySource[$0] }), held[owner] != nil,
                held[number] == nil
            else { continue }
            held[number] = "stays with \(OutputFile.name(of: plan.items[owner].source))"
        }
        for number in numbers.reversed() {
            if let reason = stays[number] ?? held[number] {
                if outcomes[number].reason == nil { outcomes[number].reason = reason }
                continue
            }
            let item = plan.items[number]
            let status = FileStatus(item.source)
            guard Folder.remove(item.source) else {
                warn(number, "is in the library, but cannot be removed")
                continue
            }
            outcomes[number].isRemoved = true
            if case .linked = placed[number], let status { links.remove(status) }
        }
    }

    /// Why a source may not be removed; nil where its bytes are those of a file that is in the library now.
    private func reasonToStay(_ number: Int) -> (reason: String, isFault: Bool)? {
        let item = plan.items[number]
        guard let path = item.destination, let proof = placed[number] else {
            return ("is not in the library", true)
        }
        if case .none(let reason) = proof { return (reason, false) }
        guard let source = FileMoment(item.source) else { return ("has gone since it was copied", true) }
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
            guard there == compared.library else {
                return ("stays, for the library's file has changed since it was compared", true)
            }
            guard !source.status.isSameFile(as: there.status) else { return (Self.isOneFile, false) }
        }
        let folders = [OutputFile.folder(of: absolute(path)), OutputFile.folder(of: item.source)]
        let isShared = shared[folders] ?? Folder.shares(folders[0], with: folders[1])
        shared[folders] = isShared
        return isShared ? ("lies in the library's own folder, seen under another path; it stays", false) : nil
    }

    private static let isOneFile = "is the library's own file under another name; it stays"
}

extension ImportOutcome {
    /// What becomes of an item if nothing goes wrong.
    fileprivate init(_ item: ImportPlan.Item) {
        let (status, path): (Status, String?) =
            switch item.action {
            case .take(let path): (.imported, path)
            case .repair(let path): (.repaired, path)
            case .present(let path, _): (.present, path)
            case .duplicate(let path, _): (.duplicate, path)
            case .leave: (.left, nil)
            }
        self.init(
            source: item.source, bytes: item.bytes, status: status, path: path, sidecarOf: item.sidecarOf)
        switch item.action {
        case .present(_, let evidence), .duplicate(_, let evidence): self.evidence = evidence
        case .leave(let leaving):
            (self.reason, self.skipReason) = (leaving.reason, leaving.kind)
            isFault = leaving.kind == .unreadable
        case .repair: reason = "the library's copy had other bytes than when it was indexed; it was replaced"
        case .take: reason = item.fault.map { "imported as it is: \($0)" }
        }
    }
}
