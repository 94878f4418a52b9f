internal import Files
internal import GRDB

/// Something that is wrong with a library, or that its user may want to complete.
public struct LibraryFinding: Equatable, Sendable {
    /// What was found.
    public enum Kind: String, CaseIterable, Sendable {
        /// The catalog contradicts itself.
        case catalog
        /// Files of assets are gone.
        case missing
        /// Files or sidecars were written since they were indexed.
        case changed
        /// Photos and videos are not in the catalog.
        case new
        /// Files could not be read as photos or videos.
        case unreadable
        /// Files have other bytes than when they were indexed, at the same time and size.
        case damaged
        /// Sidecars belong to no photo.
        case sidecars
        /// Files in the trash are in no operation of the log, so that `undo` does not restore them.
        case trash
        /// An operation was killed.
        case unfinished
        /// Assets have no date.
        case undated
        /// Photos and videos have no position.
        case unlocated
    }

    /// What was found.
    public var kind: Kind
    /// How many files, assets or operations.
    public var count: Int
    /// The paths below the root; empty for undated and unlocated assets, which a search lists.
    public var paths: [String] = []
    /// The reasons of the paths, or the faults of the catalog, as sentences or ends of them.
    public var reasons: [String] = []

    /// Whether it is a fault; otherwise something that could be completed.
    public var isFault: Bool { kind != .undated && kind != .unlocated && kind != .new }
}

extension PhotoLibrary {
    /// Looks for everything that is wrong: in the catalog, in the files, in the trash and in the log.
    ///
    /// - Parameters:
    ///   - readsFiles: whether the bytes of all files are compared with their checksums, as by `verify`.
    ///   - progress: receives the number of files looked at.
    /// - Returns: what was found, in the order of `LibraryFinding.Kind`; empty if all is well.
    /// - Throws: `LibraryError`, of the kind `cancelled` if the task was cancelled.
    public func examine(
        readsFiles: Bool = false, progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(LibraryError) -> [LibraryFinding] {
        var findings: [LibraryFinding] = []
        let faults = try await verifyCatalog()
        findings.append(LibraryFinding(kind: .catalog, count: faults.count, reasons: faults))
        let flag = CancellationFlag()
        let walk = await withTaskCancellationHandler {
            await BackgroundQueue.result { () throws(LibraryError) in
                var walk = LibraryExamination(self, flag, progress)
                try walk.walk()
                return walk
            }
        } onCancel: {
            flag.raise()
        }
        findings += try walk.get().findings
        if readsFiles {
            let damaged = try await checkFiles { done, _ in progress(done) }.failures.filter {
                !$0.needsIndexing
            }
            findings.append(
                LibraryFinding(
                    kind: .damaged, count: damaged.count, paths: damaged.map(\.path),
                    reasons: damaged.map(\.reason)))
        }
        let orphans = try await trash().filter { $0.date == nil }
        findings.append(
            LibraryFinding(kind: .trash, count: orphans.count, paths: orphans.map(\.trashPath)))
        findings += try await read { database in
            var operations = try OperationLog.unfinished(database)
            // One that runs now is not finished either.
            if !operations.isEmpty, (try? self.lockEditing()) == nil { operations = [] }
            let counts = try Row.fetchOne(
                database,
                sql: "SELECT count(*) FILTER (WHERE hour IS NULL), count(*) - count(latitude) FROM asset")
            return [
                LibraryFinding(
                    kind: .unfinished, count: operations.count, reasons: operations.map(\.name)),
                LibraryFinding(kind: .undated, count: counts?[0] ?? 0),
                LibraryFinding(kind: .unlocated, count: counts?[1] ?? 0),
            ]
        }
        let order = LibraryFinding.Kind.allCases
        return findings.filter { $0.count > 0 }.sorted {
            order.firstIndex(of: $0.kind) ?? 0 < order.firstIndex(of: $1.kind) ?? 0
        }
    }
}

/// Compares the folders of a library with its catalog, as indexing does, without reading files.
private struct LibraryExamination {
    private let library: PhotoLibrary
    private let flag: CancellationFlag
    private let progress: @Sendable (Int) -> Void
    private var found: [LibraryFinding.Kind: LibraryFinding] = [:]
    private var visited: Set<[UInt8]> = []
    private var count = 0

    init(_ library: PhotoLibrary, _ flag: CancellationFlag, _ progress: @escaping @Sendable (Int) -> Void) {
        (self.library, self.flag, self.progress) = (library, flag, progress)
    }

    var findings: [LibraryFinding] { Array(found.values) }

    private mutating func note(_ kind: LibraryFinding.Kind, _ path: String, _ reason: String) {
        var finding = found[kind] ?? LibraryFinding(kind: kind, count: 0)
        finding.count += 1
        finding.paths.append(path)
        finding.reasons.append(reason)
        found[kind] = finding
    }

    mutating func walk() throws(LibraryError) {
        try PhotoLibrary.checkRoot(library.root)
        var folders = [""]
        while let folder = folders.popLast() {
            if flag.isRaised { throw .cancelled }
            folders += try look(at: folder).sorted().reversed()
            progress(count)
        }
        let cataloged = try library.readAndWait { database in
            try String.fetchAll(
                database, sql: "SELECT path FROM folder UNION SELECT folder FROM other ORDER BY 1")
        }
        for folder in cataloged where !visited.contains(Array(folder.utf8)) {
            for file in try library.readAndWait({ try CatalogedFile.all(in: folder, $0) })
            where file.asset != nil {
                note(.missing, file.path, "is gone")
            }
        }
    }

    /// Compares the files of a folder and returns the folders in it.
    private mutating func look(at folder: String) throws(LibraryError) -> [String] {
        let listing: FolderListing
        visited.insert(Array(folder.utf8))
        do {
            listing = try FolderListing(folder.isEmpty ? library.root : "\(library.root)/\(folder)")
        } catch .missing {
            visited.remove(Array(folder.utf8))
            return []
        } catch {
            note(.unreadable, folder, error.description)
            return []
        }
        let prefix = folder.isEmpty ? "" : folder + "/"
        let sidecars = Sidecars(listing, prefix)
        var isKnown = [Bool](repeating: false, count: listing.count)
        // What is found of one record is written down after all were read.
        var records: [(file: ScannedFile?, known: CatalogedFile)] = []
        try library.readAndWait { database in
            try CatalogedFile.forEach(in: folder, database) { known in
                guard let index = listing.index(of: Substring(known.path.utf8.dropFirst(prefix.utf8.count)))
                else {
                    if known.asset != nil { records.append((nil, known)) }
                    return
                }
                isKnown[index] = true
                let file = sidecars.file(index)
                if !known.isSame(file) || known.asset == nil { records.append((file, known)) }
            }
        }
        for record in records.sorted(by: { $0.known.path < $1.known.path }) {
            if let file = record.file {
                compare(file, record.known)
            } else {
                note(.missing, record.known.path, "is gone")
            }
        }
        for index in 0..<listing.count {
            let name = listing.name(index)
            if !isKnown[index], FileExtension.isMedia(name) {
                note(.new, prefix + name, "is not in the catalog")
            } else if FileExtension.isSidecar(name), !sidecars.isSidecar(index) || !hasOwner(name, listing),
                FileExtension.of(name) == "xmp" || !sidecars.isSidecar(index)
            {
                note(.sidecars, prefix + name, "belongs to no photo")
            }
        }
        count += listing.count
        return listing.folders.map { prefix + $0 }
    }

    /// Whether a folder has the file that a sidecar is named after, "a.jpg" or any "a" with an extension.
    private func hasOwner(_ name: String, _ listing: FolderListing) -> Bool {
        let owner = Sidecars.base(of: name)
        if listing.index(of: owner) != nil { return true }
        return FileExtension.allMedia.contains { listing.index(of: "\(owner).\($0)") != nil }
            || FileExtension.allMedia.contains { listing.index(of: "\(owner).\($0.uppercased())") != nil }
    }

    private mutating func compare(_ file: ScannedFile, _ known: CatalogedFile) {
        guard known.isSame(file) else { return note(.changed, file.path, "was written since it was indexed") }
        if known.asset == nil,
            let reason = known.reason ?? (FileExtension.isMedia(file.path) ? FileExtension.fault : nil)
        {
            note(.unreadable, file.path, reason)
        }
    }
}
