internal import Archives
internal import AssetCatalog
internal import Basics
internal import Files

/// The one walk over the sources of an import or a check: folders below them and in their archives, whose files are listed group
/// by group.
///
/// Symbolic links to files are followed; links to folders are not, since they may form a cycle.
/// Of folders on disks only their paths are kept, so that memory does not grow with the number of files.
struct SourceFolders: Sendable {
    private enum Part: Sendable {
        /// A folder, and the number of its files when it was found.
        case folder(FilePath, Int)
        case entries(ArchiveListing.Entries)
        /// Sources that are files themselves.
        case named([SourceFile])

        var count: Int {
            switch self {
            case .folder(_, let count): count
            case .entries(let entries): entries.count
            case .named(let files): files.count
            }
        }
    }

    /// The files of a group as they are now.
    struct Files: Sendable {
        var files: [SourceFile] = []
        /// What was found now and cannot be compared.
        var left: [SkippedSource] = []
    }

    /// Folders that are looked at together: those of one export, in several archives or unpacked.
    private var groups: [[Part]] = []
    /// What is found and cannot be compared, such as archives that are damaged.
    private(set) var left: [SkippedSource] = []
    let guardian: SourceGuard
    /// The archives that are read in place, whose own bytes are not looked for.
    let archives: [String]
    private let archivePaths: Set<FilePath>
    private let scope: EntryScope

    /// Finds all folders.
    ///
    /// - Parameters:
    ///   - paths: absolute paths of files and folders that exist.
    ///   - root: the root of the library, which is never a source.
    ///   - entryLimit: the most bytes of an entry of an archive; nil for the archives' own limit.
    ///   - scope: which entries are looked at.
    init(
        _ paths: [FilePath], root: String, entryLimit: Int?, _ scope: EntryScope, _ flag: CancellationFlag
    ) throws {
        var parts: [(folder: FilePath, part: Part)] = []
        var (guardian, archives) = (SourceGuard(), [String]())
        var named: [FilePath: [FilePath: SourceFile]] = [:]
        var seen: Set<FilePath> = []
        func add(_ archive: ZipArchive, _ left: inout [SkippedSource]) {
            archives.append(archive.path)
            let listing = ArchiveListing(of: archive, scope)
            left += listing.left
            parts += listing.folders.map { ($0.folder, .entries($0)) }
        }
        for path in paths {
            guard let status = FileStatus(path.text) else {
                var waiting = [path]
                while let folder = waiting.popLast() {
                    if flag.isRaised { throw CancellationError() }
                    guard seen.insert(folder).inserted else { continue }
                    guard !Folder.isSame(folder.text, as: root) else {
                        left.append(.library(folder))
                        continue
                    }
                    let listing = SourceListing(of: folder, scope)
                    left += listing.left
                    for archive in listing.archives where seen.insert(archive.path).inserted {
                        do throws(ZipError) {
                            add(try ZipArchive(archive.path.text, limit: entryLimit), &left)
                        } catch {
                            left.append(
                                SkippedSource(
                                    archive.path, bytes: archive.status.size, .unreadable,
                                    error.fault.description))
                        }
                    }
                    guardian.add(folder)
                    if listing.count > 0 { parts.append((folder, .folder(folder, listing.count))) }
                    waiting += listing.folders.reversed()
                }
                continue
            }
            guard ZipArchive.isNamed(path.text) else {
                named[path.folder, default: [:]][path] =
                    SourceFile(path: path, status: status, isLink: Folder.isLink(path.text))
                continue
            }
            guard seen.insert(path).inserted else { continue }
            do throws(ZipError) {
                add(try ZipArchive(path.text, limit: entryLimit), &left)
            } catch {
                throw LibraryError.archive(error)
            }
        }
        // Named files are found in their folder, too, if it is a source itself.
        for (folder, files) in named.sorted(by: { $0.key < $1.key }) where !seen.contains(folder) {
            let files = files.values.sorted { $0.name < $1.name }
            for file in files { guardian.add(file: file.path) }
            parts.append((folder, .named(files)))
        }
        var places: [FilePath: Int] = [:]
        for (folder, part) in parts {
            let key = PhotoExports.insideExport(folder)
            let place = places[key] ?? groups.count
            if places.updateValue(place, forKey: key) == nil { groups.append([]) }
            groups[place].append(part)
        }
        (self.guardian, self.archives, self.scope) = (guardian, archives, scope)
        archivePaths = Set(archives.map { FilePath($0) })
    }

    /// The number of groups.
    var groupCount: Int { groups.count }

    /// The number of all files.
    var count: Int { groups.indices.reduce(0) { $0 + count(of: $1) } }

    private func count(of group: Int) -> Int { groups[group].reduce(0) { $0 + $1.count } }

    /// The numbers of the groups, so many at a time that they have at least `size` files.
    func batches(of size: Int) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var (start, count) = (0, 0)
        for number in groups.indices {
            count += self.count(of: number)
            guard count >= size || number == groups.count - 1 else { continue }
            batches.append(start..<number + 1)
            (start, count) = (number + 1, 0)
        }
        return batches
    }

    /// Lists the files of a group.
    func files(of number: Int) -> Files {
        var files = Files()
        for part in groups[number] {
            switch part {
            case .folder(let folder, let count):
                let listing = SourceListing(of: folder, scope)
                let found = listing.files()
                files.files += archives.isEmpty ? found : found.filter { !archivePaths.contains($0.path) }
                // The rest was skipped when the folder was found.
                files.left += listing.left.filter { $0.path == folder }
                if found.count < count, files.left.isEmpty {
                    files.left.append(
                        SkippedSource(
                            folder, .unreadable, "has lost \(count - found.count) of its files meanwhile"))
                }
            case .entries(let entries): files.files += entries.files
            case .named(let named): files.files += named
            }
        }
        return files
    }
}

/// Recognizes files of the library that are files of the sources, and go with them.
struct SourceGuard: Sendable {
    private struct Place: Sendable {
        var path: FilePath
        /// The names of the files that are sources; nil if all are.
        var names: Set<FilePath>?
    }

    /// The identities of folders of the library that were looked at, for a short time.
    struct Identities {
        fileprivate var known: [FilePath: FileIdentity?] = [:]
    }

    private var folders: [FileIdentity: Place] = [:]

    /// Adds all files of a folder.
    mutating func add(_ folder: FilePath) {
        if let identity = FileIdentity(folder.text) { folders[identity] = Place(path: folder, names: nil) }
    }

    /// Adds a file.
    mutating func add(file: FilePath) {
        guard let identity = FileIdentity(file.folder.text) else { return }
        folders[identity, default: Place(path: file.folder, names: [])].names?.insert(file.name)
    }

    /// Returns why a file of the library does not outlive the sources; nil if it does.
    ///
    /// Further names of its own keep the bytes, as hard links do.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the file.
    ///   - isLink: whether it is a symbolic link.
    func fault(of path: FilePath, isLink: Bool, _ identities: inout Identities) -> String? {
        if source(at: path, &identities) != nil { return "is the same file under another path" }
        guard isLink else { return nil }
        return source(at: FilePath(ProcessEnvironment.absolutePath(path.text)), &identities).map {
            "is a link to \($0)"
        }
    }

    /// Returns the path by which a file is a source; nil if it is none.
    private func source(at path: FilePath, _ identities: inout Identities) -> FilePath? {
        let folder = path.folder
        let known = identities.known[folder] ?? FileIdentity(folder.text)
        identities.known[folder] = .some(known)
        guard let identity = known, let place = folders[identity], place.names?.contains(path.name) ?? true
        else { return nil }
        return place.path.appending(path.name)
    }
}
