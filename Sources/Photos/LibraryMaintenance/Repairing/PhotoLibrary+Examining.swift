public import AssetCatalog
internal import Basics
internal import CatalogStorage
package import Files
public import WorkReporting

/// Something that is wrong with a library, or that its user may want to complete.
public struct LibraryFinding: Hashable, Codable, Sendable {
    /// What was found.
    public enum Kind: String, CaseIterable, Codable, Sendable {
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
        /// Files were cut or damaged when they were imported or indexed, or cannot be decoded.
        case incomplete
        /// Sidecars of photos cannot be read.
        case brokenSidecars
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
    package var files: [FilePath] = []
    /// The reasons of the paths, or the faults of the catalog, as sentences or ends of them.
    public var reasons: [String] = []

    /// The paths below the root; empty for undated and unlocated assets, which a search lists.
    public var paths: [String] { files.map(\.text) }

    /// Whether it is a fault; otherwise something that could be completed.
    public var isFault: Bool { kind != .undated && kind != .unlocated && kind != .new }

    private enum CodingKeys: String, CodingKey {
        case files = "paths"
        case kind, count, reasons
    }
}

extension LibraryFinding: CustomStringConvertible {
    /// What was found, and how many: "missing: 3".
    public var description: String { "\(kind.rawValue): \(count)" }
}

extension PhotoLibrary {
    /// Looks for everything that is wrong: in the catalog, in the files, in the trash and in the log.
    ///
    /// - Parameters:
    ///   - readsFiles: whether the bytes of all files are compared with their checksums, as by `verify`.
    ///   - progress: receives the files that are looked at; their total is known at the end, or while files are read.
    /// - Returns: what was found, in the order of `LibraryFinding.Kind`; empty if all is well.
    /// - Throws: `LibraryError`; `CancellationError`.
    public func examine(
        readsFiles: Bool = false, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [LibraryFinding] {
        try await examine(readsFiles: readsFiles, decoding: nil, progress: progress)
    }

    /// The same, and decodes pictures.
    ///
    /// - Parameter decode: returns why the picture of an asset that is no JPEG cannot be decoded, or only in part; nil to
    ///   decode none, not even JPEGs.
    package func examine(
        readsFiles: Bool, decoding decode: (@Sendable (Asset) async -> String?)?,
        progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> [LibraryFinding] {
        let reporter = ProgressReporter(.files, progress)
        var findings: [LibraryFinding] = []
        let faults = try await verifyCatalog()
        findings.append(LibraryFinding(kind: .catalog, count: faults.count, reasons: faults))
        try checkSidecars()
        findings += try await BackgroundQueue.run(cancellably: { flag in
            var walk = LibraryExamination(self, flag) { reporter.report($0) }
            try walk.walk()
            return walk.findings
        })
        if readsFiles {
            let looked = reporter.done
            let damaged = try await checkFiles { reporter.report(looked + $0, of: looked + $1) }.failures
                .filter { !$0.needsIndexing }
            findings.append(
                LibraryFinding(
                    kind: .damaged, count: damaged.count, files: damaged.map(\.file),
                    reasons: damaged.map(\.reason)))
        }
        var incomplete = try await read { try $0.imports.damaged() }
        if let decode {
            let looked = reporter.done
            let found = try await undecodable(decode) { reporter.report(looked + $0, of: looked + $1) }
            incomplete.merge(found) { _, new in new }
        }
        let damaged = incomplete.sorted { $0.key < $1.key }
        findings.append(
            LibraryFinding(
                kind: .incomplete, count: damaged.count, files: damaged.map(\.key),
                reasons: damaged.map(\.value)))
        let orphans = try await trash().filter { $0.date == nil }
        findings.append(
            LibraryFinding(kind: .trash, count: orphans.count, files: orphans.map(\.trashFile)))
        findings += try await read { catalog in
            var operations = try catalog.operations.unfinished()
            // One that runs now is not finished either.
            if !operations.isEmpty, self.isEdited { operations = [] }
            let lacking = try catalog.countLacking()
            return [
                LibraryFinding(
                    kind: .unfinished, count: operations.count, reasons: operations.map(\.operation.name)),
                LibraryFinding(kind: .undated, count: lacking.date),
                LibraryFinding(kind: .unlocated, count: lacking.position),
            ]
        }
        reporter.finish()
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
    private var visited: Set<FilePath> = []
    private var scope = EntryScope.visible
    private var count = 0
    private var renumbering = Renumbering()

    init(_ library: PhotoLibrary, _ flag: CancellationFlag, _ progress: @escaping @Sendable (Int) -> Void) {
        (self.library, self.flag, self.progress) = (library, flag, progress)
    }

    var findings: [LibraryFinding] { Array(found.values) }

    private mutating func note(_ kind: LibraryFinding.Kind, _ path: FilePath, _ reason: String) {
        var finding = found[kind] ?? LibraryFinding(kind: kind, count: 0)
        finding.count += 1
        finding.files.append(path)
        finding.reasons.append(reason)
        found[kind] = finding
    }

    mutating func walk() throws {
        try PhotoLibrary.checkRoot(library.root)
        scope = try library.scope()
        var folders: [FilePath] = [""]
        while let folder = folders.popLast() {
            if flag.isRaised { throw CancellationError() }
            folders += try look(at: folder).sorted().reversed()
            progress(count)
        }
        let cataloged = try library.readAndWait { try $0.folders() }
        for folder in cataloged where !visited.contains(folder) {
            for file in try library.readAndWait({ try $0.files(in: folder) })
            where file.asset != nil {
                note(.missing, file.path, "is gone")
            }
        }
    }

    /// Compares the files of a folder and returns the folders in it.
    private mutating func look(at folder: FilePath) throws -> [FilePath] {
        let (listing, elsewhere): (FolderListing, FolderListing?)
        visited.insert(folder)
        do throws(FileError) {
            listing = try LinkedFiles(root: library.root, scope).listing(of: folder)
            elsewhere = try library.places.listing(of: folder, scope)
        } catch .missing {
            visited.remove(folder)
            return []
        } catch {
            note(.unreadable, folder, error.description)
            return []
        }
        let sidecars = Sidecars(listing, in: folder, elsewhere)
        var isKnown = [Bool](repeating: false, count: listing.count)
        // What is found of one record is written down after all were read.
        var records: [(file: ScannedFile?, known: CatalogedFile)] = []
        var renumbered: [Renumbering.File] = []
        var isPartial = false
        try library.readAndWait { catalog in
            try catalog.forEachFile(in: folder) { known in
                guard let index = known.path.below(folder).flatMap({ listing.index(of: $0.text) }) else {
                    if known.asset != nil { records.append((nil, known)) }
                    return
                }
                isKnown[index] = true
                let file = sidecars.file(index)
                if !known.isSame(file) || known.asset == nil || known.sidecarFault != nil {
                    records.append((file, known))
                }
                guard known.isSame(file) else { return }
                if known.hasInode(of: file) { isPartial = true } else { renumbered.append((known, file)) }
            }
        }
        for (known, file) in try renumbering.split(renumbered, isPartial: isPartial, library).doubtful {
            if try !hasBytes(of: known, file) {
                note(.changed, file.path, "was replaced since it was indexed")
            }
        }
        let broken = Set(
            listing.links.filter { $0.target == .nothing }.map { folder.appending(FilePath($0.name)) })
        for record in records.sorted(by: { $0.known.path < $1.known.path }) {
            if let file = record.file {
                compare(file, record.known)
            } else if broken.contains(record.known.path) {
                note(.unreadable, record.known.path, FolderListing.Link.broken)
            } else {
                note(.missing, record.known.path, "is gone")
            }
        }
        for index in 0..<listing.count {
            let name = FilePath(listing.name(index))
            if !isKnown[index], FileExtension.isMedia(name) {
                note(.new, folder.appending(name), "is not in the catalog")
            } else if FileExtension.isSidecar(name), !isProxy(name),
                !hasOwner(name, listing)
                    && (FileExtension.of(name) == "xmp" || !sidecars.isSidecar(index))
            {
                note(.sidecars, folder.appending(name), "belongs to no photo")
            }
        }
        if let elsewhere { lookElsewhere(folder, elsewhere, for: listing) }
        count += listing.count
        return listing.folders.map { folder.appending(FilePath($0)) }
    }

    /// Looks for sidecars without a photo in the folder of sidecars.
    ///
    /// - Parameter photos: the photos of the folder; nil if there is no such folder.
    private mutating func lookElsewhere(
        _ folder: FilePath, _ sidecars: FolderListing, for photos: FolderListing?
    ) {
        for index in 0..<sidecars.count {
            let name = FilePath(sidecars.name(index))
            guard FileExtension.isSidecar(name), photos.map({ hasOwner(name, $0) }) != true else { continue }
            let path = library.places.target(of: folder.appending(name))
            note(.sidecars, FilePath(path), "belongs to no photo")
        }
        let visited = Set((photos?.folders ?? []).map { FilePath($0) })
        for name in sidecars.folders.map({ FilePath($0) }) where !visited.contains(name) {
            let folder = folder.appending(name)
            var below: FolderListing?
            do throws(FileError) {
                below = try library.places.listing(of: folder, scope)
            } catch {
                note(.unreadable, FilePath(library.places.target(of: folder)), error.description)
            }
            if let below { lookElsewhere(folder, below, for: nil) }
        }
    }

    /// Whether a file has the bytes of its record; true for records without a checksum.
    private func hasBytes(of known: CatalogedFile, _ file: ScannedFile) throws -> Bool {
        guard let id = known.asset,
            let asset = try library.readAndWait({ try $0.assets([id]) }).first
        else { return true }
        return (try? FileDigest.of(library.path(of: asset))) == asset.sha256
    }

    /// Whether it is a small copy of a film, which is an asset where the film is not there.
    private func isProxy(_ name: FilePath) -> Bool { ["lrv", "lrf"].contains(FileExtension.of(name)) }

    /// Whether a folder has the file that a sidecar is named after, "a.jpg" or any "a" with an extension.
    ///
    /// The names of darktable's versions, "a_01.jpg.xmp", and of second sidecars, "a.jpg (2).xmp", count.
    private func hasOwner(_ name: FilePath, _ listing: FolderListing) -> Bool {
        if let photo = SidecarVersion.owner(of: name)?.photo, listing.index(of: photo.text) != nil {
            return true
        }
        var owner = name.withoutExtension.text
        if let (photo, _) = FileName.numbered(owner), listing.index(of: photo) != nil { owner = photo }
        if listing.index(of: owner) != nil { return true }
        return FileExtension.allMedia.contains { listing.index(of: "\(owner).\($0)") != nil }
            || FileExtension.allMedia.contains { listing.index(of: "\(owner).\($0.uppercased())") != nil }
    }

    private mutating func compare(_ file: ScannedFile, _ known: CatalogedFile) {
        guard known.isSame(file) else { return note(.changed, file.path, "was written since it was indexed") }
        if let fault = known.sidecarFault { note(.brokenSidecars, file.path, fault) }
        if known.asset == nil,
            let reason = known.reason ?? (FileExtension.isMedia(file.path) ? FileExtension.fault : nil)
        {
            note(.unreadable, file.path, reason)
        }
    }
}
