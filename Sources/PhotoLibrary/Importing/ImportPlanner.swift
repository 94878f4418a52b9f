internal import Dispatch
internal import Files
internal import GRDB
internal import ImageMetadata
internal import Synchronization

/// Makes the plan of an import, on a thread of its own.
///
/// Groups are looked at in the order of their paths, so that the same sources and library give the same plan.
struct ImportPlanner {
    let library: PhotoLibrary
    private var items: [ImportPlan.Item] = []
    /// Paths below the root that this plan gives to files, with what goes there.
    private var planned: [String: SourceFile] = [:]
    /// What is taken by this plan, by its size.
    private var taken: [Int: [(file: SourceFile, path: String)]] = [:]
    /// Sizes of which the library has files.
    private let knownSizes: Set<Int>
    private var digests: [String: String] = [:]
    /// The number of the group that is planned.
    private var group = 0

    init(_ library: PhotoLibrary) throws(ImportError) {
        self.library = library
        do {
            knownSizes = try library.catalogue.readAndWait { database in
                try Set(Int.fetchAll(database, sql: "SELECT DISTINCT bytes FROM asset"))
            }
        } catch {
            throw .library(error)
        }
    }

    mutating func plan(_ options: ImportOptions) throws(ImportError) -> ImportPlan {
        let sources = try options.sources.map { path throws(ImportError) in try outside(path) }
        let walk = try SourceWalk(sources)
        let read = Self.read(walk.folders, options.assumedZone)
        for failure in walk.failures + read.failures { fail(failure) }
        for group in read.groups {
            do {
                try add(group, options)
            } catch {
                throw .library(error)
            }
            self.group += 1
        }
        return ImportPlan(
            items: items, moves: options.moves, assumedZone: options.assumedZone, undatedBy: options.undatedBy
        )
    }

    private func outside(_ source: String) throws(ImportError) -> String {
        let path = Surroundings.absolutePath(source)
        let root = library.root
        guard path != root, !path.hasPrefix(root + "/"), !root.hasPrefix(path + "/") else {
            throw .inside(source, root: root)
        }
        return path
    }

    /// Reads what names the files, with all processors.
    private static func read(
        _ folders: [[SourceFile]], _ zone: AssumedZone?
    ) -> (groups: [SourceGroup], failures: [SourceFailure]) {
        let next = Atomic(0)
        let results = Mutex<[(groups: [SourceGroup], failures: [SourceFailure])?]>(
            Array(repeating: nil, count: folders.count))
        DispatchQueue.concurrentPerform(iterations: Processors.count) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < folders.count else { return }
                let result = SourceGroup.groups(of: folders[index], assuming: zone)
                results.withLock { $0[index] = result }
            }
        }
        let all = results.withLock { $0.compactMap(\.self) }
        return (all.flatMap(\.groups), all.flatMap(\.failures))
    }

    private mutating func fail(_ failure: SourceFailure) {
        items.append(
            ImportPlan.Item(
                source: failure.path, bytes: 0, modified: 0, group: group,
                action: .fail(reason: failure.reason)))
        group += 1
    }

    /// Plans the files of a group: all get the same name, unless the library has them already.
    private mutating func add(_ group: SourceGroup, _ options: ImportOptions) throws(LibraryError) {
        let wanted = options.layout.base(for: group.subject(undatedBy: options.undatedBy))
        let media = try group.media.map { file throws(LibraryError) in
            (file, try known(file, at: wanted + group.suffix(of: file)))
        }
        // What comes later to a picture that is there goes beside it.
        let there = media.lazy.compactMap { $0.1 }.first.map { ($0.path as String).baseOfPath }
        let isNew = media.contains { $0.1 == nil }
        let base = there ?? freeBase(wanted, group)
        for (file, known) in media {
            if let known {
                append(file, known.isImported ? .present(at: known.path) : .duplicate(of: known.path))
            } else {
                take(file, to: base + group.suffix(of: file))
            }
        }
        for sidecar in group.sidecars {
            let path = base + group.suffix(of: sidecar)
            if isSame(sidecar, asThereAt: path) {
                append(sidecar, .present(at: path))
            } else if isNew || !isOccupied(path) {
                take(sidecar, to: path)
            } else {
                append(sidecar, .duplicate(of: path))
            }
        }
    }

    private mutating func append(_ file: SourceFile, _ action: ImportPlan.Item.Action) {
        items.append(
            ImportPlan.Item(
                source: file.path, bytes: file.status.size, modified: file.status.modified, group: group,
                action: action))
    }

    private mutating func take(_ file: SourceFile, to path: String) {
        let path = Self.numbered(path).first { !isOccupied($0) } ?? path
        planned[path] = file
        taken[file.status.size, default: []].append((file, path))
        append(file, .take(to: path))
    }

    /// The wanted name, or with the first number that is free for all files of the group.
    private func freeBase(_ wanted: String, _ group: SourceGroup) -> String {
        let files = group.media + group.sidecars
        let suffixes = files.map { group.suffix(of: $0) }
        let longest = suffixes.max { $0.utf8.count < $1.utf8.count } ?? ""
        return Self.numbered(wanted, before: longest).first { base in
            !suffixes.contains { isOccupied(base + $0) }
        } ?? wanted
    }

    private func isOccupied(_ path: String) -> Bool {
        planned[path] != nil || OutputFolder.isThere("\(library.root)/\(path)")
    }

    /// Where the same bytes are already, below the root; nil where they are new.
    private mutating func known(
        _ file: SourceFile, at wanted: String
    ) throws(LibraryError) -> (path: String, isImported: Bool)? {
        let remembered = try library.catalogue.readAndWait { try ImportedFiles.path(of: file, $0) }
        if let remembered, FileStatus("\(library.root)/\(remembered)")?.size == file.status.size {
            return (remembered, true)
        }
        // A file of an import that was ended before the catalogue knew of it.
        for path in Self.numbered(wanted) {
            guard OutputFolder.isThere("\(library.root)/\(path)") else { break }
            if isSame(file, asThereAt: path) { return (path, true) }
        }
        for other in taken[file.status.size] ?? []
        where digest(file) != nil && digest(file) == digest(other.file) {
            return (other.path, false)
        }
        guard knownSizes.contains(file.status.size), let digest = digest(file) else { return nil }
        let path = try library.catalogue.readAndWait { database in
            try String.fetchOne(
                database, sql: "SELECT min(path) FROM asset WHERE sha256 = ?",
                arguments: [Hexadecimal.bytes(digest)])
        }
        return path.map { ($0, false) }
    }

    /// A path and what it is called when it is taken, and so on.
    private static func numbered(_ path: String) -> some Sequence<String> {
        let base = path.baseOfPath
        let ending = String(path.dropFirst(base.count))
        return numbered(base, before: ending).lazy.map { $0 + ending }
    }

    /// A path without its ending and what it is called when it is taken, and so on; cut where it is too long.
    private static func numbered(_ base: String, before ending: String) -> some Sequence<String> {
        (1...).lazy.map { (number: Int) in
            let mark = number == 1 ? "" : " (\(number))"
            return FileName.cut(base, before: mark + ending) + mark
        }
    }

    private mutating func isSame(_ file: SourceFile, asThereAt path: String) -> Bool {
        let path = "\(library.root)/\(path)"
        guard let status = FileStatus(path), status.size == file.status.size else { return false }
        if status.inode == file.status.inode, status.device == file.status.device { return true }
        guard let digest = digest(file) else { return false }
        return digest == (try? FileDigest.of(path))
    }

    /// The digest of a source; nil where it cannot be read, which copying will tell.
    private mutating func digest(_ file: SourceFile) -> String? {
        if let digest = digests[file.path] { return digest }
        let digest = try? FileDigest.of(file.path)
        digests[file.path] = digest
        return digest
    }
}

extension String {
    /// A path without the extension of its last name, also where that is a sidecar's ".jpg.xmp".
    var baseOfPath: String {
        let start = lastIndex(of: "/").map(index(after:)) ?? startIndex
        let name = self[start...]
        let end = name.lastIndex(of: ".") ?? endIndex
        return end == start ? self : String(self[..<end])
    }
}
