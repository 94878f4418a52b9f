internal import Archives
internal import AssetCatalog
internal import Containers
internal import ExportDocuments
internal import Files
internal import ImageMetadata

/// What an import finds in a folder.
struct FolderContents: Sendable {
    var groups: [SourceGroup] = []
    var left: [SkippedSource] = []
    /// What was found of exports.
    var summaries: [ExportSummary] = []
}

extension SourceFile {
    /// The time by which it is known that a file was imported: an entry changes with its archive only.
    var recordTime: Int { member?.archive.moment.status.modified ?? status.modified }

    /// Throws if it is not a readable, nonempty regular file.
    func check() throws(FileError) {
        guard let member else { return try InputFile.check(path.text) }
        if member.entry.size == 0 { throw .empty }
    }

    /// The SHA-256 of its bytes, and its state or that of its archive; blocks.
    func reading() throws(FileError) -> FileDigest.Reading {
        guard let member else { return try FileDigest.reading(of: path.text) }
        do throws(ZipError) {
            return try FileDigest.reading(of: member)
        } catch {
            throw .unreadable(error.fault.description)
        }
    }

    /// Opens it for one read.
    func read<R>(_ body: (OpenFile) -> R) throws(FileError) -> R {
        guard let member else { return try InputFile.read(path.text, body) }
        let file = try member.archive.open(member.entry)
        let result = body(file)
        try file.check()
        return result
    }

    /// Returns all bytes.
    ///
    /// - Throws: `FileError`, also for more than `limit` bytes.
    func contents(limit: Int) throws(FileError) -> [UInt8] {
        guard status.size <= limit else { throw .unreadable("it has more than \(limit) bytes") }
        guard let member else { return try InputFile.contents(path.text) }
        do throws(ZipError) {
            return try member.archive.contents(of: member.entry, limit: limit)
        } catch {
            throw .unreadable(error.fault.description)
        }
    }
}

/// Names that are equal except for the form of their accents: systems write "é" in one character or in two.
struct NameForms {
    private let names: Set<FilePath>
    private let forms: [String: Set<FilePath>]

    init(of names: some Sequence<FilePath>) {
        self.names = Set(names)
        // Swift's strings are equal in any form of accents.
        forms = self.names.reduce(into: [:]) { $0[$1.text, default: []].insert($1) }
    }

    /// Returns a name as it is there: itself, or else the only one that is equal in another form.
    func form(of name: FilePath) -> FilePath {
        guard !names.contains(name), let all = forms[name.text], all.count == 1 else { return name }
        return all.first ?? name
    }
}

extension SourceGroup {
    /// Returns the groups of a folder's files, and the files without a group.
    ///
    /// Files of a group share the part of their names before the extension, and were taken at the same time.
    ///
    /// - Parameter advance: receives the number of files read since the last call; false ends the work.
    static func groups(
        of folder: ExportedFolder, _ options: ImportOptions,
        _ advance: (Int) -> Bool
    ) -> FolderContents {
        let files = folder.files
        var contents = FolderContents(left: folder.left, summaries: folder.summaries)
        var groups: [SourceGroup] = []
        var left: [SkippedSource] = []
        let media = files.filter { !$0.isSidecar }
        let apple = AppleName(of: media.lazy.map(\.base))
        let byBase = Dictionary(grouping: media) {
            folder.originalOf[$0]?.base ?? apple.original(of: $0.base)
        }
        let owners = NameForms(of: media.lazy.flatMap { [$0.name, $0.base] })
        let (names, bases) = (Set(media.lazy.map(\.name)), Set(media.lazy.map(\.base)))
        func version(_ sidecar: SourceFile) -> (photo: FilePath, number: Int)? {
            guard let found = SidecarVersion.owner(of: sidecar.name), !names.contains(sidecar.base),
                names.contains(found.photo)
            else { return nil }
            return found
        }
        let sidecars = Dictionary(grouping: files.filter(\.isSidecar)) {
            let film = ProxyName.films(of: $0.base).first(where: bases.contains)
            return version($0)?.photo ?? film ?? owners.form(of: $0.base)
        }
        let documents = Dictionary(grouping: folder.documents, by: \.owner)
        var owned: Set<SourceFile> = []
        for (base, files) in byBase.sorted(by: { $0.key < $1.key }) {
            guard advance(files.count) else { return contents }
            // Where a file has the common part as its name, as the film of a motion photo has, it owns that sidecar.
            let near =
                (names.contains(base) ? [] : sidecars[base] ?? [])
                + apple.adjustments(of: base).flatMap { name in
                    (sidecars[name] ?? []).filter { FileExtension.of($0.name) == "aae" }
                }
            var read: [Member] = []
            for file in files {
                let own = sidecars[file.name] ?? []
                let xmp = (own.filter { version($0) == nil } + near + own)
                    .first { FileExtension.of($0.name) == "xmp" }
                switch Member.read(file, sidecar: xmp, options) {
                case .member(var member):
                    member.original = folder.originalOf[file]
                    member.isOfOriginal = member.original != nil || file.base != base
                    if let date = folder.facts[file]?.date(instead: member.metadata?.date) {
                        member.metadata?.date = date
                    }
                    read.append(member)
                case .leave(let file): left.append(file)
                }
            }
            for (index, var group) in joined(read).enumerated() {
                for file in group.media {
                    group.facts[file] = folder.facts[file]
                    group.documents += documents[file] ?? []
                    group.sidecars += (sidecars[file.name] ?? []).map {
                        Sidecar(file: $0, owner: file, isOfWholeName: true, version: version($0)?.number)
                    }
                }
                // Sidecars with only the common part of the name belong to the file that names the group.
                if index == 0 {
                    group.sidecars += near.map {
                        Sidecar(file: $0, owner: group.media[0], isOfWholeName: false)
                    }
                }
                owned.formUnion(group.sidecars.map(\.file))
                owned.formUnion(group.documents.map(\.file))
                groups.append(group)
            }
        }
        for file in files where file.isSidecar && !owned.contains(file) {
            let reason = "tells about a photo or film that is not imported with it"
            left.append(SkippedSource(file.path, bytes: file.status.size, .sidecar, reason))
        }
        for (file, _) in folder.documents where !owned.contains(file) {
            let reason = "describes a photo or film that is not imported with it"
            left.append(SkippedSource(file.path, bytes: file.status.size, .sidecar, reason))
        }
        contents.groups = joinedByIdentifier(groups)
        contents.left += left
        return contents
    }

    /// Joins the films of live photos with their photos, whatever their names are.
    private static func joinedByIdentifier(_ groups: [SourceGroup]) -> [SourceGroup] {
        var photos: [String: Int] = [:]
        for (index, group) in groups.enumerated() where !group.isFilm {
            if let identifier = group.identifier { photos[identifier] = photos[identifier] ?? index }
        }
        var result = groups
        var joined: Set<Int> = []
        for (index, group) in groups.enumerated() where group.isFilm {
            guard let photo = group.identifier.flatMap({ photos[$0] }) else { continue }
            result[photo].media += group.media
            result[photo].sidecars += group.sidecars
            result[photo].documents += group.documents
            result[photo].facts.merge(group.facts) { first, _ in first }
            joined.insert(index)
        }
        return result.indices.filter { !joined.contains($0) }.map { result[$0] }
    }

    /// Returns the metadata that names the group; undated groups get the file time if the rule says so.
    func subject(undatedBy rule: UndatedRule?) -> ImportLayout.Subject {
        var subject = subject
        let time = media.first?.status.modified
        subject.date = subject.date ?? time.flatMap { DateCompletion(undatedBy: rule).date(fileTime: $0) }
        return subject
    }

    /// A photo or video with its metadata.
    private struct Member {
        var file: SourceFile
        /// Nil if the file cannot be read and is imported unchanged.
        var metadata: FileMetadata?
        /// Whether its name says that it belongs to another file, whatever its date is.
        var isOfOriginal = false
        /// That file, if it is known.
        var original: SourceFile?

        enum Reading {
            case member(Member)
            case leave(SkippedSource)
        }

        static func read(_ file: SourceFile, sidecar: SourceFile?, _ options: ImportOptions) -> Reading {
            let isMedia = FileExtension.isMedia(file.name)
            func leave(_ reason: String, _ kind: ImportSkipReason.Kind) -> Reading {
                .leave(SkippedSource(file.path, bytes: file.status.size, kind, reason))
            }
            func takeAsItIs(_ reason: String) -> Reading {
                guard options.takesUnreadable else { return leave(reason, .unreadable) }
                var file = file
                file.fault = reason
                return .member(Member(file: file))
            }
            do {
                try file.check()
            } catch .empty {
                return isMedia ? takeAsItIs("is empty") : leave("is empty", .other)
            } catch {
                return leave(error.description, .unreadable)
            }
            let metadata: FileMetadata?
            do {
                // The modification time is not used: that of a copy is the time of copying.
                metadata = try file.read { open in
                    FileMetadata(
                        FileBytes(open), name: file.name.text,
                        sidecar: sidecar.flatMap { try? $0.contents(limit: 1 << 26) },
                        sharesSidecar: sidecar?.base == file.base,
                        assumedZone: options.assumedZone)
                }
            } catch {
                return leave(error.description, .unreadable)
            }
            guard let metadata, metadata.kind == .photo || metadata.kind == .video else {
                return isMedia ? takeAsItIs(FileExtension.fault) : leave("is no photo or film", .other)
            }
            // Files that the library cannot read are imported on request only.
            if let fault = metadata.fault { return takeAsItIs(fault) }
            return .member(Member(file: file, metadata: metadata))
        }

        /// Developed photos before raw photos before videos, and copies of other files after all these.
        var rank: Int {
            let later = isOfOriginal ? 4 : 0
            guard let metadata else { return later + 3 }
            return later + (metadata.kind == .video ? 2 : metadata.format.isRaw ? 1 : 0)
        }

        var subject: ImportLayout.Subject {
            ImportLayout.Subject(
                date: metadata?.date, make: metadata?.make, model: metadata?.model, original: file.base.text,
                fileExtension: file.fileExtension.lowercased())
        }

        /// Whether two files of one name may be of the same moment: the video of a live photo starts before the photo,
        /// and its date is its end.
        func isWith(_ other: Member) -> Bool {
            if isOfOriginal || other.isOfOriginal { return true }
            // Two identifiers decide, whatever names and dates are.
            if let own = metadata?.livePhotoIdentifier, let its = other.metadata?.livePhotoIdentifier {
                return own == its
            }
            guard let date = metadata?.date, let otherDate = other.metadata?.date else { return true }
            let seconds =
                if let instant = date.instant, let other = otherDate.instant {
                    instant - other
                } else {
                    date.local.wholeSeconds - otherDate.local.wholeSeconds
                }
            return abs(seconds) <= 60
        }
    }

    private static func joined(_ members: [Member]) -> [SourceGroup] {
        var groups: [(first: Member, media: [SourceFile])] = []
        for member in members.sorted(by: { ($0.rank, $0.file.name) < ($1.rank, $1.file.name) }) {
            let own = member.original.flatMap { file in groups.firstIndex { $0.media.contains(file) } }
            if let index = own ?? groups.firstIndex(where: { $0.first.isWith(member) }) {
                groups[index].media.append(member.file)
            } else {
                groups.append((member, [member.file]))
            }
        }
        return groups.map { first, media in
            var group = SourceGroup(media: media, subject: first.subject)
            group.identifier = first.metadata?.livePhotoIdentifier
            group.isFilm = first.metadata?.kind == .video
            return group
        }
    }
}
