internal import Dispatch
internal import Files
internal import ImageMetadata
internal import Synchronization

/// Makes the plan of an import, on a thread of its own.
///
/// Groups are looked at in the order of their paths, so that the same sources and library give the same plan.
struct ImportPlanner {
    private let library: PhotoLibrary
    private let options: ImportOptions
    private let flag: CancellationFlag
    private var matcher: ImportMatcher
    private var names: NamesInUse
    private var items: [ImportPlan.Item] = []
    /// What is taken by this plan, or was found by its bytes, by its size.
    private var taken: [Int: [(file: SourceFile, path: String)]] = [:]
    /// Library files that this plan repairs.
    private var repaired: Set<String> = []
    /// The number of the group that is planned.
    private var group = 0

    init(
        _ library: PhotoLibrary, _ options: ImportOptions, _ flag: CancellationFlag
    ) throws(ImportError) {
        (self.library, self.options, self.flag) = (library, options, flag)
        names = NamesInUse(root: library.root)
        do {
            matcher = try ImportMatcher(library, compares: options.moves || options.comparesBytes)
        } catch {
            throw .library(error)
        }
    }

    mutating func plan() throws(ImportError) -> ImportPlan {
        let sources = try Self.check(options.sources, root: library.root)
        let walk = try SourceWalk(sources, root: library.root)
        let read = Self.read(walk.folders, options, flag)
        try checkCancellation()
        for left in (walk.left + read.left).sorted(by: { $0.path < $1.path }) {
            items.append(
                ImportPlan.Item(
                    source: left.path, bytes: left.bytes, action: .leave(left.leaving), group: group))
            group += 1
        }
        for group in read.groups {
            try checkCancellation()
            do {
                try add(group)
            } catch {
                throw .library(error)
            }
            self.group += 1
        }
        return ImportPlan(
            items: items, moves: options.moves, sources: sources, assumedZone: options.assumedZone,
            undatedBy: options.undatedBy)
    }

    private func checkCancellation() throws(ImportError) {
        if flag.isRaised { throw .library(.cancelled) }
    }

    /// The absolute paths of sources, which have to be there and to lie outside of the library.
    ///
    /// A folder's links are followed. A link to a file keeps its own path, so that nobody takes it for the file.
    static func check(_ sources: [String], root: String) throws(ImportError) -> [String] {
        try sources.map { source throws(ImportError) in
            var path = ProcessEnvironment.absolutePath(source)
            if FileStatus(source) != nil, Folder.isLink(source) {
                let folder = ProcessEnvironment.absolutePath(OutputFile.folder(of: source))
                path = "\(folder == "/" ? "" : folder)/\(OutputFile.name(of: source))"
            }
            guard path != root, !path.hasPrefix(root + "/"), !root.hasPrefix(path == "/" ? "/" : path + "/")
            else {
                throw .inside(source, root: root)
            }
            guard FileStatus(path) == nil else { return path }
            do throws(FileError) {
                _ = try Folder.entries(in: path)
            } catch {
                throw .noSource(source, reason: error.description)
            }
            return path
        }
    }

    /// Reads what names the files, with all processors.
    private static func read(
        _ folders: [[SourceFile]], _ options: ImportOptions, _ flag: CancellationFlag
    ) -> (groups: [SourceGroup], left: [SkippedSource]) {
        let next = Atomic(0)
        let results = Mutex<[(groups: [SourceGroup], left: [SkippedSource])?]>(
            Array(repeating: nil, count: folders.count))
        DispatchQueue.concurrentPerform(iterations: Processors.count) { _ in
            while !flag.isRaised {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < folders.count else { return }
                let result = SourceGroup.groups(of: folders[index], options)
                results.withLock { $0[index] = result }
            }
        }
        let all = results.withLock { $0.compactMap(\.self) }
        return (all.flatMap(\.groups), all.flatMap(\.left))
    }

    /// Plans the files of a group: all get the same name, unless the library has them already.
    private mutating func add(_ group: SourceGroup) throws(LibraryError) {
        let wanted = options.layout.base(for: group.subject(undatedBy: options.undatedBy))
        let media = try group.media.map { file throws(LibraryError) in
            (file, try known(file, at: wanted + SourceGroup.suffix(of: file)))
        }
        // What comes later to a picture that is there goes beside it.
        let there = media.lazy.compactMap { $0.1?.path }.first?.baseOfPath
        let base = there ?? freeBase(wanted, group)
        var places: [SourceFile: String] = [:]
        for (file, known) in media {
            guard let known else {
                places[file] = take(file, to: base + SourceGroup.suffix(of: file))
                continue
            }
            places[file] = known.path
            // The catalog may not know of it yet; other sources can be the same.
            if known.isImported, known.evidence == .bytes {
                taken[file.status.size, default: []].append((file, known.path))
            }
            append(file, action(for: known), compared: known.compared)
        }
        for sidecar in group.sidecars {
            guard let place = places[sidecar.owner] else { continue }
            try add(sidecar, beside: place)
        }
    }

    private mutating func action(for known: ImportMatcher.Known) -> ImportPlan.Item.Action {
        guard let evidence = known.evidence else {
            // Two sources of the same bytes repair a file once.
            return repaired.insert(known.path).inserted
                ? .repair(at: known.path) : .duplicate(of: known.path, by: .bytes)
        }
        return known.isImported
            ? .present(at: known.path, by: evidence) : .duplicate(of: known.path, by: evidence)
    }

    /// Plans a sidecar: beside its owner's place, or numbered where another one has that name.
    private mutating func add(_ sidecar: SourceGroup.Sidecar, beside owner: String) throws(LibraryError) {
        var isThere: [String] = []
        var number = 1
        var free = sidecar.path(beside: owner)
        while names.contains(free) {
            if let path = names.actual(free) { isThere.append(path) }
            number += 1
            // The owner's whole name keeps it from becoming the sidecar of another photo that has this number.
            let mark = " (\(number)).\(sidecar.file.fileExtension)"
            free = FileName.cut(owner, before: mark) + mark
        }
        if let known = try matcher.imported(sidecar.file, at: isThere), let evidence = known.evidence {
            append(
                sidecar.file, .present(at: known.path, by: evidence), of: sidecar.owner,
                compared: known.compared)
        } else {
            names.insert(free)
            append(sidecar.file, .take(to: free), of: sidecar.owner)
        }
    }

    private mutating func append(
        _ file: SourceFile, _ action: ImportPlan.Item.Action, of owner: SourceFile? = nil,
        compared: ImportPlan.Compared? = nil
    ) {
        items.append(
            ImportPlan.Item(
                source: file.path, bytes: file.status.size, action: action, sidecarOf: owner?.path,
                fault: file.fault, modified: file.status.modified, group: group, isLink: file.isLink,
                compared: compared))
    }

    private mutating func take(_ file: SourceFile, to path: String) -> String {
        let path = Self.numbered(path).first { !names.contains($0) } ?? path
        names.insert(path)
        taken[file.status.size, default: []].append((file, path))
        append(file, .take(to: path))
        return path
    }

    /// The wanted name, or with the first number that is free for all files of the group.
    private mutating func freeBase(_ wanted: String, _ group: SourceGroup) -> String {
        let suffixes =
            group.media.map(SourceGroup.suffix)
            + group.sidecars.map { sidecar in
                let owner = sidecar.isOfWholeName ? SourceGroup.suffix(of: sidecar.owner) : ""
                return "\(owner).\(sidecar.file.fileExtension)"
            }
        let longest = suffixes.max { $0.utf8.count < $1.utf8.count } ?? ""
        for base in Self.numbered(wanted, before: longest)
        where !suffixes.contains(where: { names.contains(base + $0) }) { return base }
        return wanted
    }

    /// Where the same bytes are already, or will be; nil where they are new.
    private mutating func known(
        _ file: SourceFile, at wanted: String
    ) throws(LibraryError) -> ImportMatcher.Known? {
        // Names that are there; one may be of an import that was ended before the catalog knew of it.
        var places: [String] = []
        for path in Self.numbered(wanted) {
            guard names.contains(path) else { break }
            if let path = names.actual(path) { places.append(path) }
        }
        let imported = try matcher.imported(file, at: places)
        if imported?.evidence != nil { return imported }
        for other in taken[file.status.size] ?? [] {
            guard let digest = matcher.digest(of: file), digest == matcher.digest(of: other.file) else {
                continue
            }
            return ImportMatcher.Known(path: other.path, isImported: false, evidence: .bytes)
        }
        let duplicate = try matcher.duplicate(of: file)
        return duplicate?.evidence != nil ? duplicate : imported ?? duplicate
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
}

/// The names below a library's root that nothing else may get.
///
/// Names that differ only in case, or in how their accents are written, are one: disks of other systems say so.
private struct NamesInUse {
    private let root: String
    private var planned: Set<String> = []
    /// The names in each folder, by what is compared of them.
    private var folders: [String: [String: String]] = [:]

    init(root: String) { self.root = root }

    /// What is compared of a path; Swift's strings are equal however their accents are written.
    private static func key(_ path: String) -> String { path.lowercased().uppercased() }

    mutating func insert(_ path: String) { planned.insert(Self.key(path)) }

    mutating func contains(_ path: String) -> Bool {
        planned.contains(Self.key(path)) || actual(path) != nil
    }

    /// The path of the file that has a name; nil where there is none yet.
    mutating func actual(_ path: String) -> String? {
        let folder = path.contains("/") ? OutputFile.folder(of: path) : ""
        if folders[folder] == nil {
            let names = Folder.names(in: "\(root)/\(folder)").sorted()
            folders[folder] = Dictionary(names.map { (Self.key($0), $0) }) { first, _ in first }
        }
        let name = OutputFile.name(of: path)
        // The same name has precedence over one that differs in case.
        if OutputFolder.isThere("\(root)/\(path)") { return path }
        return folders[folder]?[Self.key(name)].map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
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
