internal import AssetCatalog
internal import CatalogStorage
internal import Files
package import WorkReporting

extension PhotoLibrary {
    /// Opens the library to import into, or creates it and indexes the files of its folder.
    ///
    /// While another import makes the library, this one waits: until then nobody knows whether it stays.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos; is created if it is missing.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    ///   - sidecars: the folder of sidecars; nil for the one that the catalog remembers.
    ///   - options: the sources are checked first, so that a mistyped path creates no library; the date rules apply to
    ///     the files of the folder.
    ///   - isTrial: whether nothing may be written; a missing library is then created in a temporary folder that
    ///     `ImportTarget.close` removes.
    ///   - waiting: is called once if another import makes the library.
    ///   - progress: receives the files of the folder that are indexed.
    /// - Throws: `LibraryError`; `CancellationError`.
    package static func openForImport(
        _ root: String, catalog: String? = nil, sidecars: String? = nil, for options: ImportOptions,
        isTrial: Bool = false,
        waiting: @Sendable () -> Void = {}, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ImportTarget {
        let path = try locate(root, catalog).catalog
        if isTrial || !LibraryMaking.isUnderway(path) {
            do {
                return ImportTarget(library: try await open(root, catalog: catalog, sidecars: sidecars))
            } catch {
                guard case .missing = (error as? LibraryError)?.cause else { throw error }
            }
        }
        try ArgumentOrder.check(root, options.sources, hasCatalog: catalog != nil)
        let root = ProcessEnvironment.futurePath(root)
        _ = try ImportPlanner.check(options.sources, root: root)
        if isTrial { return try await trial(root, options, progress) }
        var making = LibraryMaking(root, catalog: path, sidecars: sidecars)
        do {
            try await making.begin(waiting)
            let made = try await BackgroundQueue.run { try make(root, catalog: path, sidecars: sidecars) }
            guard made.isNew else {
                making.end()
                return ImportTarget(library: made.library)
            }
            making.held = made.version.map { (made.library, $0) }
            let index = try await made.library.indexWhenFree(
                [""], assuming: options.assumedZone, undatedBy: options.undatedBy, progress: progress)
            return ImportTarget(library: made.library, made: index, making: making)
        } catch {
            making.undo()
            if error is LibraryError || error is CancellationError { throw error }
            throw (error as? FileError).map { LibraryError.unwritable(root, $0) }
                ?? LibraryError(.unwritable(root, reason: "\(error)"))
        }
    }

    /// Makes a library in a temporary folder; the root need not exist, and is not created.
    private static func trial(
        _ root: String, _ options: ImportOptions, _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> ImportTarget {
        // The random name cannot have been prepared by an attacker.
        let folder = "\(ProcessEnvironment.temporaryFolder)/viewport-plan-\(UInt64.random(in: 0...(.max)))"
        let library = try await BackgroundQueue.run {
            try make(root, catalog: "\(folder)/\(LibraryFolder.catalog)").library
        }
        let isThere = Folder.isFolder(root, followingLinks: true)
        let index =
            isThere
            ? try await library.index(
                [""], assuming: options.assumedZone, undatedBy: options.undatedBy, progress: progress)
            : IndexReport()
        return ImportTarget(library: library, made: index, trialFolder: folder)
    }
}

/// A library that was opened to import into.
///
/// An import makes a missing library before it knows whether there is anything to bring, and takes it back if nothing
/// came. Other processes may find the library meanwhile:
///
/// - Other imports wait at a lock beside the catalog. Without it, two imports met in a half-made catalog, and the one
///   that failed removed the catalog of the other.
/// - Other programs need not wait. The library stays if one of them has it open or has written it, which SQLite tells
///   (`Catalog.takeBack`). What they wrote before its maker opened it was lost once; now the content is compared, too.
/// - Only files and folders that were missing before are removed, files by their whole names. Once, all files went whose
///   names began with that of the catalog.
///
/// A trial makes the library in a temporary folder, so that the root need not exist.
package struct ImportTarget: Sendable {
    /// The library.
    package let library: PhotoLibrary
    /// The result of indexing the folder if the library was created; nil if it existed.
    package internal(set) var made: IndexReport?
    fileprivate var trialFolder: String?
    fileprivate var making: LibraryMaking?

    /// Removes the temporary library of a trial, and one that was created for an import that has brought nothing, unless
    /// another process uses it.
    ///
    /// - Parameter isKept: whether the import has succeeded, or has brought files.
    /// - Returns: whether a library that was created is gone again.
    @discardableResult
    package func close(keeping isKept: Bool) -> Bool {
        guard let trialFolder else {
            guard isKept else { return making?.undo() ?? false }
            making?.end()
            return false
        }
        try? library.close()
        for name in Folder.names(in: trialFolder) { Folder.remove("\(trialFolder)/\(name)") }
        Folder.removeEmpty(trialFolder)
        return true
    }
}

/// What is made of a new library before an import knows whether there is something to import.
///
/// A lock beside the catalog keeps other imports waiting meanwhile.
private struct LibraryMaking: Sendable {
    private let root: String
    private let catalog: FilePath
    private let sidecars: String?
    /// The files beside the catalog that were missing, and the mark of the folder of sidecars.
    private var files: [String] = []
    /// The folders that were missing, each before those around it.
    private var folders: [String] = []
    private var lock: FileLock?
    /// The library that this process has created, and its version; nil if another one has written it already.
    var held: (library: PhotoLibrary, version: Int)?

    init(_ root: String, catalog: String, sidecars: String?) {
        (self.root, self.catalog) = (root, FilePath(catalog))
        self.sidecars = sidecars.map(ProcessEnvironment.futurePath)
    }

    private static func missing(_ path: FilePath) -> [String] {
        var (path, missing) = (path, [String]())
        while !Folder.isThere(path.text), path != path.folder {
            missing.append(path.text)
            path = path.folder
        }
        return missing
    }

    private static func lockPath(_ catalog: String) -> String { catalog + LibraryFolder.makingSuffix }

    /// Whether an import makes the library now.
    static func isUnderway(_ catalog: String) -> Bool {
        let path = lockPath(catalog)
        // Without a file there is no lock to take either, so its file is looked for again.
        return FileStatus(path) != nil && (try? FileLock(path, .aloneExisting)) == nil
            && FileStatus(path) != nil
    }

    /// Makes the folders, waits until no other import makes the library, and records what is there.
    mutating func begin(_ waiting: @Sendable () -> Void) async throws {
        var isFirst = true
        while true {
            let places = [catalog.folder, sidecars.map { FilePath($0) }, FilePath(root)].compactMap(\.self)
            folders += places.flatMap(Self.missing).filter { !folders.contains($0) }
            if !Folder.isFolder(root, followingLinks: true) { try Folder.make(root, mode: 0o777) }
            try PhotoLibrary.checkRoot(root)
            try PhotoLibrary.makeFolder(of: catalog.text)
            if let fault = Folder.writingFault(catalog.folder.text) {
                throw LibraryError.inaccessible(catalog: catalog.text, fault)
            }
            do {
                lock = try FileLock(Self.lockPath(catalog.text), .alone)
                if lock != nil { break }
            } catch {
                // The other one has taken back the folder meanwhile.
                if Folder.isThere(catalog.folder.text) {
                    throw LibraryError.inaccessible(catalog: catalog.text, error)
                }
            }
            if isFirst { waiting() }
            isFirst = false
            try await Task.sleep(for: .milliseconds(50))
        }
        // The database is removed last: nobody creates another one before.
        files =
            (sidecars.map { [SidecarPlaces.mark(of: $0)] } ?? [])
            + LibraryFolder.endings.reversed().map { catalog.text + $0 }
        files = files.filter { FileStatus($0) == nil }
    }

    /// Lets other imports go on.
    func end() { if lock != nil { Folder.remove(Self.lockPath(catalog.text)) } }

    /// Removes the catalog if this process has created it and no other one uses it, and the folders that are empty; returns
    /// whether the catalog is gone.
    @discardableResult
    func undo() -> Bool {
        let isGone = held.map { held in
            held.library.takeBack(since: held.version) { for file in files { Folder.remove(file) } }
        }
        if isGone == true, folders.contains(root) { Self.removeEmptyFolders(in: root) }
        end()
        // Nil where there is no library, or another process wrote it first: then its folders are not empty.
        if isGone != false { for folder in folders { Folder.removeEmpty(folder) } }
        return isGone ?? false
    }

    /// Removes the folders of files that could not be copied; hidden ones belong to other programs.
    private static func removeEmptyFolders(in folder: String) {
        for entry in (try? Folder.entries(in: folder)) ?? []
        where entry.kind == .folder && !entry.name.hasPrefix(".") {
            removeEmptyFolders(in: "\(folder)/\(entry.name)")
            Folder.removeEmpty("\(folder)/\(entry.name)")
        }
    }
}
