internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Containers
internal import ExportDocuments
internal import Files
internal import Synchronization

/// Makes the plan of an import on the current thread, which it blocks.
///
/// Groups are processed in the order of their paths, so that the same sources and library give the same plan.
struct ImportPlanner {
    private let library: PhotoLibrary
    private let options: ImportOptions
    private let flag: CancellationFlag
    private let progress: @Sendable (Int, Int) -> Void
    private var matcher: ImportMatcher
    private var names: NamesInUse
    private var items: [ImportPlan.Item] = []
    /// The files that this plan imports or has found by their bytes, by size.
    private var taken: [Int: TakenFiles] = [:]
    /// The files of the library that this plan repairs.
    private var repaired: Set<FilePath> = []
    /// The number of the current group.
    private var group = 0
    /// The files whose values from an export are in the library.
    private let describedFiles: DescribedFiles
    private var secondSidecars: SecondSidecars
    /// The words of edited copies that the library knows.
    private let editedWords: EditedWords

    init(
        _ library: PhotoLibrary, _ options: ImportOptions, _ flag: CancellationFlag,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) throws {
        (self.library, self.options, self.flag, self.progress) = (library, options, flag, progress)
        names = NamesInUse(root: library.root)
        describedFiles = DescribedFiles(library)
        secondSidecars = SecondSidecars(library, describedFiles)
        editedWords = try library.readAndWait { try $0.editedWords() }
        matcher = try ImportMatcher(library, compares: options.moves || options.comparesBytes)
    }

    /// - Parameter known: the only files to plan; nil for all.
    mutating func plan(only known: Set<FilePath>? = nil) throws -> ImportPlan {
        let lastImport = LastImport(of: library)
        let sources = try Self.check(options.sources, root: library.root)
        var walk = try SourceWalk(
            sources, root: library.root, entryLimit: options.maximumEntryBytes, options.scope, flag)
        if let known { walk.keep(known) }
        let exports = PhotoExports(
            &walk, ExportContext(takesTrashed: options.takesTrashed, editedWords: editedWords))
        if options.moves, let archive = walk.archives.first { throw LibraryError(.moveOfArchive(archive)) }
        // Every file is read and then compared.
        let steps = 2 * walk.folders.reduce(0) { $0 + $1.count }
        let read = read(walk.folders, exports, steps)
        try checkCancellation()
        var done = steps / 2
        for left in (walk.left + read.left).sorted(by: { $0.path < $1.path }) {
            items.append(
                ImportPlan.Item(
                    source: left.path, bytes: left.bytes, action: .leave(left.leaving), group: group))
            group += 1
        }
        let keptPaths = exports.keptPaths
        for group in read.groups {
            try checkCancellation()
            try add(group, exports, keptPaths)
            done += group.media.count + group.sidecars.count
            progress(done, steps)
            self.group += 1
        }
        progress(steps, steps)
        try ImportBalance.check(walk.found, items.map(\.source))
        try findDamage()
        var options = options
        options.sources = sources.map(\.text)
        return ImportPlan(
            items: items, options: options, lastImport: lastImport, exports: exports,
            summaries: exports.summaries(read.summaries))
    }

    /// Looks for photos and films that are cut or damaged among those that will be imported.
    private mutating func findDamage() throws {
        let numbers = items.indices.filter { items[$0].isTaken && items[$0].sidecarOf == nil }
        let (files, flag, readsData) = (numbers.map { items[$0] }, flag, options.readsPictures)
        let found = Processors.map(below: files.count, until: flag) { index -> String? in
            let item = files[index]
            guard item.fault == nil else { return nil }
            let status = FileStatus(size: item.bytes, modified: item.modified, inode: .max, device: .max)
            let file = SourceFile(path: item.source, status: status, member: item.member)
            let found = try? file.read {
                FileFlaw.find($0, name: item.source.name.text, readsData: readsData) { flag.isRaised }
            }
            return found ?? nil
        }
        try checkCancellation()
        for (number, damage) in zip(numbers, found) { items[number].damage = damage }
    }

    private func checkCancellation() throws {
        if flag.isRaised { throw CancellationError() }
    }

    /// Returns the absolute paths of sources, which have to exist outside of the library.
    ///
    /// Links to folders are resolved. A link to a file keeps its path, to be distinguished from the file.
    static func check(_ sources: [String], root: String) throws -> [FilePath] {
        try sources.map { source in
            var path = FilePath(ProcessEnvironment.absolutePath(source))
            if FileStatus(source) != nil, Folder.isLink(source) {
                let link = FilePath(source)
                path = FilePath(ProcessEnvironment.absolutePath(link.folder.text)).appending(link.name)
            }
            let isUploaded = path.isIn(FilePath(UploadFolder.all(of: root)))
            guard isUploaded || !path.isIn(FilePath(root)) && !FilePath(root).isIn(path) else {
                throw LibraryError(.inside(source, root: root))
            }
            guard FileStatus(path.text) == nil else { return path }
            do throws(FileError) {
                try Folder.check(path.text)
            } catch {
                throw LibraryError(.noSource(source, reason: error.description))
            }
            return path
        }
    }

    /// Reads the metadata of all files on all processors.
    private func read(
        _ folders: [[SourceFile]], _ exports: PhotoExports, _ steps: Int
    ) -> FolderContents {
        let (options, flag, progress) = (options, flag, progress)
        let done = Atomic(0)
        let all = Processors.map(below: folders.count, until: flag) { index in
            SourceGroup.groups(of: exports.look(at: folders[index]), options) { count in
                progress(done.wrappingAdd(count, ordering: .relaxed).newValue, steps)
                return !flag.isRaised
            }
        }
        return FolderContents(
            groups: all.flatMap(\.groups), left: all.flatMap(\.left), summaries: all.flatMap(\.summaries))
    }

    /// Plans the files of a group: new files get the same base name, or the paths that they have in a lossless export.
    private mutating func add(_ group: SourceGroup, _ exports: PhotoExports, _ keptPaths: Set<FilePath>)
        throws
    {
        let wanted = options.layout.base(for: group.subject(undatedBy: options.undatedBy))
        func kept(_ file: SourceFile) -> FilePath? {
            options.layout == .standard ? exports.keptPath(of: file) : nil
        }
        let media = try group.media.map { file in
            let path = kept(file)
            // Equal files of an export are as many in the library.
            return (
                file,
                try known(
                    file, at: path ?? group.path(of: file, at: wanted),
                    except: path == nil ? [] : keptPaths)
            )
        }
        // New files of a group that was imported before are placed next to it.
        let there = media.lazy.compactMap { $0.1?.path }.first?.withoutExtension
        let base = there ?? freeBase(wanted, group)
        var places: [SourceFile: FilePath] = [:]
        for (file, known) in media {
            guard let known else {
                places[file] = take(
                    file, to: group.path(of: file, at: base), group.facts[file], keeping: kept(file))
                continue
            }
            places[file] = known.path
            // The catalog may not contain it yet; other sources can be equal.
            if known.isImported, known.evidence == .bytes {
                taken[file.status.size, default: TakenFiles()].append(file, at: known.path)
            }
            var facts = group.facts[file]
            if known.evidence != nil, let all = facts { facts = try describedFiles.news(all, of: file) }
            append(file, action(for: known), compared: known.compared, facts: facts)
        }
        for sidecar in group.sidecars {
            guard let place = places[sidecar.owner] else { continue }
            try add(sidecar, beside: place, at: kept(sidecar.owner) == place ? kept(sidecar.file) : nil)
        }
        for (file, owner) in group.documents {
            guard let place = places[owner] else { continue }
            let isNew = items.last { $0.source == owner.path }?.facts != nil
            append(file, .describe(place, isNew: isNew), of: owner)
        }
    }

    private mutating func action(for known: ImportMatcher.Known) -> ImportPlan.Item.Action {
        guard let evidence = known.evidence else {
            // Two equal sources repair a file once.
            return repaired.insert(known.path).inserted
                ? .repair(at: known.path) : .duplicate(of: known.path, by: .bytes)
        }
        return known.isImported
            ? .present(at: known.path, by: evidence) : .duplicate(of: known.path, by: evidence)
    }

    /// Plans a sidecar: next to its owner, or at a path that it has in an export, with a number if the name is taken; one of a
    /// photo that has another one is merged into that as far as they do not contradict each other.
    private mutating func add(
        _ sidecar: SourceGroup.Sidecar, beside owner: FilePath, at kept: FilePath?
    ) throws {
        let wanted = kept ?? sidecar.path(beside: owner)
        let (isThere, numbered) = isFree(kept) ? ([], wanted) : places(of: sidecar, wanted, beside: owner)
        func second() throws -> SecondSidecar? {
            kept == nil ? try secondSidecars.compare(sidecar, with: owner, group: group) : nil
        }
        if let known = try matcher.imported(sidecar.file, at: isThere), let evidence = known.evidence {
            append(
                sidecar.file, .present(at: known.path, by: evidence), of: sidecar.owner,
                compared: known.compared)
            // The import that has kept it may have been killed before it was merged.
            if known.path != wanted {
                items[items.count - 1].merging = try second()?.merging
            }
            return
        }
        let second = try second()
        if let second, second.reason == nil {
            append(sidecar.file, .merge(owner, isNew: second.merging != nil), of: sidecar.owner)
        } else {
            // Without a number it could be taken for the sidecar of another file.
            let path = second == nil && (isFree(kept) || !names.contains(wanted)) ? wanted : numbered
            names.insert(path)
            append(sidecar.file, .take(to: path), of: sidecar.owner)
            if second == nil { secondSidecars.noteFirst(sidecar, of: owner, group: group) }
        }
        items[items.count - 1].note = second?.reason
        items[items.count - 1].merging = second?.merging
    }

    /// Returns the existing files that can be a sidecar, and its first free name with a number.
    private mutating func places(
        of sidecar: SourceGroup.Sidecar, _ wanted: FilePath, beside owner: FilePath
    ) -> (isThere: [FilePath], numbered: FilePath) {
        var isThere = [names.actual(wanted)].compactMap(\.self)
        var number = 2
        while true {
            // With the owner's whole name it cannot become the sidecar of another photo with this number.
            let mark = " (\(number))\(sidecar.file.name.ending)"
            let path =
                sidecar.version.map {
                    SidecarVersion.name($0 + number - 1, of: owner).adding(sidecar.file.name.ending)
                } ?? FilePath(FileName.cut(owner.text, before: mark) + mark)
            guard names.contains(path) else { return (isThere, path) }
            if let path = names.actual(path) { isThere.append(path) }
            number += 1
        }
    }

    private mutating func append(
        _ file: SourceFile, _ action: ImportPlan.Item.Action, of owner: SourceFile? = nil,
        compared: ImportPlan.Compared? = nil, facts: ExportFacts? = nil
    ) {
        items.append(
            ImportPlan.Item(
                source: file.path, bytes: file.status.size, action: action, sidecarOf: owner?.path,
                fault: file.fault, modified: file.recordTime, group: group, isLink: file.isLink,
                compared: compared, member: file.member, facts: facts))
    }

    /// Whether a path of an export is free: names there may differ from it in case or accents only.
    private func isFree(_ kept: FilePath?) -> Bool {
        kept.map { !OutputFolder.isThere("\(library.root)/\($0.text)") } ?? false
    }

    private mutating func take(
        _ file: SourceFile, to path: FilePath, _ facts: ExportFacts?, keeping kept: FilePath?
    ) -> FilePath {
        let wanted = kept ?? path
        let path = isFree(kept) ? wanted : Self.numbered(wanted).first { !names.contains($0) } ?? wanted
        names.insert(path)
        taken[file.status.size, default: TakenFiles()].append(file, at: path)
        append(file, .take(to: path), facts: facts)
        return path
    }

    /// Returns the wanted base name, with the first number that is free for all files of the group.
    private mutating func freeBase(_ wanted: FilePath, _ group: SourceGroup) -> FilePath {
        let longest =
            group.paths(at: wanted).map { $0.text.utf8.count - wanted.text.utf8.count }.max() ?? 0
        let room = String(repeating: "x", count: max(0, longest))
        for base in Self.numbered(wanted, before: room)
        where !group.paths(at: base).contains(where: { names.contains($0) }) { return base }
        return wanted
    }

    /// Returns the file that has, or will have, the same bytes; nil if they are new.
    ///
    /// - Parameter others: paths at which an equal file does not count.
    private mutating func known(
        _ file: SourceFile, at wanted: FilePath, except others: Set<FilePath>
    ) throws -> ImportMatcher.Known? {
        // Existing names; the catalog may not contain files of an import that was killed.
        var places: [FilePath] = []
        for path in Self.numbered(wanted) {
            guard names.contains(path) else { break }
            if let path = names.actual(path) { places.append(path) }
        }
        let imported = try matcher.imported(file, at: places)
        if imported?.evidence != nil { return imported }
        if let path = taken[file.status.size]?.path(of: file, except: others, &matcher) {
            return ImportMatcher.Known(path: path, isImported: false, evidence: .bytes)
        }
        let duplicate = try matcher.duplicate(of: file, except: others)
        return duplicate?.evidence != nil ? duplicate : imported ?? duplicate
    }

    /// Returns a path, then the path with the numbers 2, 3 and so on.
    private static func numbered(_ path: FilePath) -> some Sequence<FilePath> {
        numbered(path.withoutExtension, before: path.ending).lazy.map { $0.adding(path.ending) }
    }

    /// Returns a base name, then with the numbers 2, 3 and so on; names that are too long are cut.
    private static func numbered(_ base: FilePath, before ending: String) -> some Sequence<FilePath> {
        (1...).lazy.map { (number: Int) in
            let mark = number == 1 ? "" : " (\(number))"
            return FilePath(FileName.cut(base.text, before: mark + ending) + mark)
        }
    }
}

/// The files of one size that the plan has a path for, found by their bytes.
///
/// Cameras write many files of one size, such as raw files that are not compressed.
private struct TakenFiles {
    private var undigested: [(file: SourceFile, path: FilePath)] = []
    private var paths: [String: [FilePath]] = [:]

    mutating func append(_ file: SourceFile, at path: FilePath) { undigested.append((file, path)) }

    /// Returns the path of the first file with the same bytes.
    mutating func path(
        of file: SourceFile, except others: Set<FilePath>, _ matcher: inout ImportMatcher
    ) -> FilePath? {
        guard let digest = matcher.digest(of: file) else { return nil }
        for other in undigested {
            if let digest = matcher.digest(of: other.file) { paths[digest, default: []].append(other.path) }
        }
        undigested = []
        return paths[digest]?.first { !others.contains($0) }
    }
}

/// The names below a library's root that are taken.
///
/// Names that differ only in case, or in the form of accents, are equal, as on file systems of other platforms.
private struct NamesInUse {
    private let root: String
    private var planned: Set<String> = []
    /// The names in each folder, by the compared key.
    private var folders: [FilePath: [String: FilePath]] = [:]

    init(root: String) { self.root = root }

    /// Returns the key of a path; Swift's strings are equal in any form of accents.
    private static func key(_ path: FilePath) -> String { path.text.lowercased().uppercased() }

    mutating func insert(_ path: FilePath) { planned.insert(Self.key(path)) }

    mutating func contains(_ path: FilePath) -> Bool {
        planned.contains(Self.key(path)) || actual(path) != nil
    }

    /// Returns the path of the existing file with a name; nil if there is none.
    mutating func actual(_ path: FilePath) -> FilePath? {
        let folder = path.parent ?? ""
        if folders[folder] == nil {
            let names = Folder.names(in: "\(root)/\(folder.text)").map { FilePath($0) }.sorted()
            folders[folder] = Dictionary(names.map { (Self.key($0), $0) }) { first, _ in first }
        }
        // An identical name has precedence over one that differs in case.
        if OutputFolder.isThere("\(root)/\(path.text)") { return path }
        return folders[folder]?[Self.key(path.name)].map { folder.appending($0) }
    }
}
