internal import AssetCatalog
internal import Basics
internal import ExportDocuments
internal import Files

/// The exports of iCloud Photos among the sources: ZIP parts, or the folders that they were unpacked to.
///
/// Each part has a folder of photos with "Photo Details.csv", "Photo Details-1.csv" and so on; the lists of albums are in one of
/// the parts. Names can repeat over parts: "Photo Details.csv" means the files beside it before others; an album has a file only
/// if no other of the export has its name.
struct ICloudExport: PhotoExport {
    static let key: String? = "icloud"
    private static let title = "iCloud Photos"

    /// What the lists state about files, by their paths.
    private var facts: [FilePath: ExportFacts] = [:]
    private(set) var summary: ExportSummary?

    /// A list with the file that it is read from.
    private struct Table {
        var file: SourceFile
        var list: ICloudList
        var folder: FilePath { file.path.folder }
        /// The folder of the part.
        var part: FilePath { folder.folder }
    }

    /// Takes the lists, and the recently deleted files, out of the files that were found.
    init?(_ walk: inout SourceWalk, _ context: ExportContext) {
        var tables: [Table] = []
        for file in walk.folders.joined() where FileExtension.of(file.name) == "csv" {
            guard let bytes = try? file.contents(limit: ICloudList.limit), let list = ICloudList(bytes) else {
                continue
            }
            tables.append(Table(file: file, list: list))
        }
        let detailed = Set(tables.compactMap { if case .details = $0.list { $0.folder } else { nil } })
        // Lists of names alone are those of other programs.
        guard !detailed.isEmpty else { return nil }
        // Photos may also lie in the folder of the part itself.
        let parts = detailed.union(detailed.map(\.folder))
        tables.removeAll { !detailed.contains($0.folder) && !parts.contains($0.part) }
        var summary = ICloudSummary()
        take(tables, &walk, &summary)
        let media = walk.folders.joined().filter {
            FileExtension.isMedia($0.name)
                && (detailed.contains($0.path.folder) || parts.contains($0.path.folder.folder)
                    || Self.album($0) != nil)
        }
        let files = Files(media, detailed)
        var deleted: Set<FilePath> = []
        for table in tables {
            switch table.list {
            case .details(let rows): describe(rows, table, files, &deleted, &summary)
            case .names(let names, _) where !Self.isMemory(table):
                join(names, table, files, &summary)
            case .names: break
            }
        }
        follow(media, detailed, &deleted)
        for file in media {
            if let album = Self.album(file) {
                facts[file.path, default: ExportFacts(of: Self.title)].albums.unite([album])
                summary.albums.unite([album])
            } else if detailed.contains(file.path.folder), facts[file.path] == nil,
                !deleted.contains(file.path)
            {
                summary.withoutDetails.append(file.path)
            }
        }
        summary.hidden = media.map(\.path).filter { facts[$0]?.isArchived == true }
        leave(deleted, parts, context, &walk, &summary)
        summary.described = facts.count
        self.summary = ExportSummary(summary)
    }

    static func isArchive(_ name: String) -> Bool { ICloudNames.isArchive(name) }

    func look(into folder: inout ExportedFolder) {
        for file in folder.files where folder.facts[file] == nil { folder.facts[file] = facts[file.path] }
    }

    /// What was found, and what was not matched: rows of lists, and files.
    static func lines(of summary: ExportSummary) -> [String] {
        let line = ExportSummary.line(
            title,
            [
                "\(summary.count("described")) files are described",
                "\(summary.files("withoutFile").count) rows of lists match no file",
                "\(summary.files("withoutDetails").count) files are in no list",
                summary.words("hidden", "are hidden"), summary.words("trashed", "were recently deleted"),
                summary.albumWords,
            ])
        return [line] + summary.files("withoutFile").map { "note \($0): matches no file, or several" }
            + summary.files("withoutDetails").map { "note \($0): is in no list of iCloud Photos" }
            + summary.files("withUnreadDate").map { "note \($0): its date in the list is not understood" }
    }

    /// The files by their names.
    private struct Files {
        let byFolder: [FilePath: [FilePath: SourceFile]]
        let byName: [FilePath: [SourceFile]]

        init(_ media: [SourceFile], _ detailed: Set<FilePath>) {
            byFolder = Dictionary(grouping: media, by: \.path.folder).mapValues { files in
                Dictionary(files.map { ($0.name, $0) }) { first, _ in first }
            }
            byName = Dictionary(grouping: media.filter { detailed.contains($0.path.folder) }, by: \.name)
        }

        /// The file of a row in the folder of its list, or else the only one of the name in other folders of photos.
        func find(_ name: FilePath, beside list: FilePath) -> SourceFile? {
            if let file = byFolder[list]?[name] { return file }
            let others = byName[name] ?? []
            return others.count == 1 ? others[0] : nil
        }

        /// The files of a name in an album: the only one, or copies of it in archives and unpacked folders.
        func find(_ name: FilePath) -> [SourceFile] {
            let all = byName[name] ?? []
            guard all.count > 1 else { return all }
            let isOneSize = Set(all.map(\.status.size)).count == 1
            let digests = isOneSize ? Set(all.map { try? $0.reading().bytes }) : []
            return digests.count == 1 && digests.first != .some(nil) ? all : []
        }
    }

    private static func isMemory(_ table: Table) -> Bool {
        if ICloudNames.isMemories(table.folder.name.text) { return true }
        if case .names(_, let isMemory) = table.list { return isMemory }
        return false
    }

    /// The name of the shared album whose folder a file is in.
    private static func album(_ file: SourceFile) -> String? {
        let folder = file.path.folder
        return ICloudNames.isShared(folder.folder.name.text) ? folder.name.text : nil
    }

    /// Takes lists out of the files.
    private func take(_ tables: [Table], _ walk: inout SourceWalk, _ summary: inout ICloudSummary) {
        var reasons: [SourceFile: String] = [:]
        for table in tables {
            let title = table.file.base.text
            let reason: String
            switch table.list {
            case .details: reason = "has dates and marks of the photos beside it, which they get"
            case .names where Self.isMemory(table): reason = "lists a memory, which libraries do not have"
            case .names where ICloudNames.isFavorites(title): reason = "lists the favorites, which are picked"
            case .names where ICloudNames.isHidden(title): reason = "lists the hidden photos"
            case .names:
                reason = "lists the album \(title)"
                summary.albums.unite([title])
            }
            reasons[table.file] = reason
        }
        walk.skip(reasons, .album)
    }

    private mutating func describe(
        _ rows: [ICloudList.Detail], _ table: Table, _ files: Files, _ deleted: inout Set<FilePath>,
        _ summary: inout ICloudSummary
    ) {
        for row in rows {
            guard let file = files.find(FilePath(row.name), beside: table.folder) else {
                // Deleted files need not be part of an export.
                if !row.isDeleted {
                    summary.withoutFile.append(table.file.path.appending(FilePath(row.name)))
                }
                continue
            }
            var own = ExportFacts(of: Self.title)
            (own.taken, own.precision) = (row.taken, ICloudDate.precision)
            (own.isFavorite, own.isArchived) = (row.isFavorite, row.isHidden)
            if row.unreadDate != nil { summary.withUnreadDate.append(file.path) }
            if row.isDeleted { deleted.insert(file.path) }
            facts[file.path, default: own].add(own)
        }
    }

    /// Adds the files of a list to its album, or to the picks.
    private mutating func join(
        _ names: [String], _ table: Table, _ files: Files, _ summary: inout ICloudSummary
    ) {
        let title = table.file.base.text
        for name in names {
            let found = files.find(FilePath(name))
            if found.isEmpty { summary.withoutFile.append(table.file.path.appending(FilePath(name))) }
            for file in found { join(file, title) }
        }
    }

    private mutating func join(_ file: SourceFile, _ title: String) {
        if ICloudNames.isFavorites(title) {
            facts[file.path, default: ExportFacts(of: Self.title)].isFavorite = true
        } else if ICloudNames.isHidden(title) {
            facts[file.path, default: ExportFacts(of: Self.title)].isArchived = true
        } else {
            facts[file.path, default: ExportFacts(of: Self.title)].albums.unite([title])
        }
    }

    /// Gives files without a row that of their original: edited copies, films of live photos, and raw files.
    private mutating func follow(
        _ media: [SourceFile], _ detailed: Set<FilePath>, _ deleted: inout Set<FilePath>
    ) {
        let own = media.filter { facts[$0.path]?.taken != nil || deleted.contains($0.path) }
        func key(_ file: SourceFile, _ base: FilePath) -> FilePath { file.path.folder.appending(base) }
        let byBase = Dictionary(own.map { (key($0, $0.base), $0) }) { first, _ in first }
        for file in media where detailed.contains(file.path.folder) && facts[file.path]?.taken == nil {
            let original = AppleName.original(ofEdited: file.base) ?? file.base
            guard !deleted.contains(file.path),
                let owner = byBase[key(file, file.base)] ?? byBase[key(file, original)]
            else { continue }
            if deleted.contains(owner.path) { deleted.insert(file.path) }
            guard let its = facts[owner.path] else { continue }
            facts[file.path, default: its].add(its)
        }
    }

    /// Leaves the recently deleted files, unless they are asked for.
    private func leave(
        _ deleted: Set<FilePath>, _ parts: Set<FilePath>, _ context: ExportContext,
        _ walk: inout SourceWalk, _ summary: inout ICloudSummary
    ) {
        var reasons: [SourceFile: String] = [:]
        for file in walk.folders.joined() {
            let folder = file.path.folder
            let isInTrash = ICloudNames.isDeleted(folder.name.text) && parts.contains(folder.folder)
            guard isInTrash || deleted.contains(file.path) else { continue }
            if FileExtension.isMedia(file.name) { summary.trashed.append(file.path) }
            reasons[file] = "was recently deleted in iCloud Photos"
        }
        if !context.takesTrashed { walk.skip(reasons, .trashed) }
    }
}

/// What was found of exports of iCloud Photos.
struct ICloudSummary {
    /// The number of files whose values are taken from a list.
    var described = 0
    /// The rows of lists whose file is not there, or could be any of several: the list and the name.
    var withoutFile: [FilePath] = []
    /// The photos and videos that no list has.
    var withoutDetails: [FilePath] = []
    /// The files whose date in the list is not understood.
    var withUnreadDate: [FilePath] = []
    /// The hidden files, which are imported.
    var hidden: [FilePath] = []
    /// The recently deleted files.
    var trashed: [FilePath] = []
    /// The names of the albums.
    var albums: [String] = []
}

extension ExportSummary {
    fileprivate init(_ found: ICloudSummary) {
        self.init(
            "icloud",
            [
                "described": .count(found.described), "withoutFile": .files(found.withoutFile),
                "withoutDetails": .files(found.withoutDetails),
                "withUnreadDate": .files(found.withUnreadDate), "hidden": .files(found.hidden),
                "trashed": .files(found.trashed), "albums": .texts(found.albums),
            ])
    }
}
