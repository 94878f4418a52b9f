internal import Files
internal import ImageMetadata

/// A file that may be imported.
struct SourceFile: Hashable, Sendable {
    /// The absolute path.
    var path: String
    /// The status of the file, or of the target of a symbolic link.
    var status: FileStatus
    var isLink = false
    /// The reason why it cannot be read, if it is imported unchanged.
    var fault: String?

    var name: String { OutputFile.name(of: path) }
    /// The name without its extension.
    var base: String { Sidecars.base(of: name) }
    /// The extension of the name; empty without one.
    var fileExtension: String { String(name.dropFirst(base.count + 1)) }
    /// Whether it is a sidecar of another file.
    var isSidecar: Bool { FileExtension.isSidecar(name) }
}

/// Files that belong to one picture: a photo, its video, its raw file and their sidecars.
struct SourceGroup: Sendable {
    /// A sidecar with its owner.
    struct Sidecar: Sendable {
        var file: SourceFile
        var owner: SourceFile
        /// Whether its name is the owner's whole name with another extension, "a.jpg.xmp", and not "a.xmp".
        var isOfWholeName: Bool

        /// Returns its path next to the owner's path, "2014/a (2).jpg".
        func path(beside owner: String) -> String {
            "\(isOfWholeName ? owner : owner.baseOfPath).\(file.fileExtension)"
        }
    }

    /// The photos and videos; the first one names the group.
    var media: [SourceFile]
    var sidecars: [Sidecar] = []
    var subject: ImportLayout.Subject

    /// Returns the part of a file's name after the common part: ".jpg".
    static func suffix(of file: SourceFile) -> String { String(file.name.dropFirst(file.base.count)) }
}

/// A file that is not imported.
struct SkippedSource: Sendable {
    var path: String
    var bytes = 0
    var leaving: ImportSkipReason

    init(_ path: String, bytes: Int = 0, _ kind: ImportSkipReason.Kind, _ reason: String) {
        (self.path, self.bytes) = (path, bytes)
        leaving = ImportSkipReason(kind: kind, reason: reason)
    }
}

/// The files below the sources, and the entries that are skipped.
///
/// Symbolic links to files are followed; links to folders are not, since they may form a cycle.
struct SourceWalk {
    /// The files of each folder, sorted by name; folders sorted by path.
    private(set) var folders: [[SourceFile]] = []
    private(set) var left: [SkippedSource] = []
    private let root: String
    private var seen: Set<String> = []

    /// - Parameters:
    ///   - paths: absolute paths of files and folders.
    ///   - root: the root of the library, which is never a source.
    /// - Throws: `LibraryError` of the kind `notFound` if one of the paths cannot be read.
    init(_ paths: [String], root: String) throws(LibraryError) {
        self.root = root
        var named: [String: [SourceFile]] = [:]
        var order: [String] = []
        for path in paths {
            let parent = OutputFile.folder(of: path)
            if let status = FileStatus(path) {
                guard seen.insert(path).inserted else { continue }
                if named[parent] == nil { order.append(parent) }
                // Named files of one folder may belong to the same group.
                named[parent, default: []].append(
                    SourceFile(path: path, status: status, isLink: Folder.isLink(path)))
                continue
            }
            do {
                _ = try Folder.entries(in: path)
            } catch {
                throw .noSource(path, reason: error.description)
            }
            walk(path)
        }
        folders += order.compactMap { named[$0]?.sorted { $0.name < $1.name } }
        leaveLinksToSources()
    }

    private mutating func walk(_ top: String) {
        var waiting = [top]
        while let folder = waiting.popLast() {
            guard seen.insert(folder).inserted else { continue }
            guard !Folder.isSame(folder, as: root) else {
                left.append(SkippedSource(folder, .other, "is the library itself, under another path"))
                continue
            }
            do {
                var files: [SourceFile] = []
                var below: [String] = []
                for entry in try Folder.entries(in: folder).sorted(by: { $0.name < $1.name }) {
                    let path = "\(folder)/\(entry.name)"
                    if entry.name.hasPrefix(".") {
                        left.append(SkippedSource(path, .hidden, "is hidden and was not looked at"))
                        continue
                    }
                    switch entry.kind {
                    case .file(let status):
                        if seen.insert(path).inserted { files.append(SourceFile(path: path, status: status)) }
                    case .folder: below.append(path)
                    case .link: if let file = target(of: path) { files.append(file) }
                    case .other:
                        let kind: ImportSkipReason.Kind = FileExtension.isMedia(path) ? .unreadable : .other
                        left.append(SkippedSource(path, kind, "is no regular file"))
                    }
                }
                if !files.isEmpty { folders.append(files) }
                waiting += below.reversed()
            } catch {
                left.append(SkippedSource(folder, .unreadable, error.description))
            }
        }
    }

    private mutating func target(of link: String) -> SourceFile? {
        if let status = FileStatus(link) {
            return seen.insert(link).inserted ? SourceFile(path: link, status: status, isLink: true) : nil
        }
        if Folder.isFolder(link, followingLinks: true) {
            left.append(SkippedSource(link, .link, "is a link to a folder; name that folder to import it"))
        } else {
            let kind: ImportSkipReason.Kind = FileExtension.isMedia(link) ? .unreadable : .link
            left.append(SkippedSource(link, kind, "is a link to nothing that can be read"))
        }
        return nil
    }

    /// Skips links to files that are sources themselves.
    private mutating func leaveLinksToSources() {
        let targets = Dictionary(
            folders.joined().lazy.filter { !$0.isLink }.map { (Inode($0.status), $0.path) }
        ) { first, _ in first }
        for index in folders.indices where folders[index].contains(where: \.isLink) {
            folders[index].removeAll { file in
                guard file.isLink, let target = targets[Inode(file.status)] else { return false }
                left.append(
                    SkippedSource(file.path, .link, "is a link to \(target), which is a source itself"))
                return true
            }
        }
    }

    private struct Inode: Hashable {
        var device: UInt64
        var inode: UInt64

        init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
    }
}

extension SourceGroup {
    /// Returns the groups of a folder's files, and the files without a group.
    ///
    /// Files of a group share the part of their names before the extension, and were taken at the same time.
    ///
    /// - Parameter advance: receives the number of files read since the last call; false ends the work.
    static func groups(
        of files: [SourceFile], _ options: ImportOptions, _ advance: (Int) -> Bool
    ) -> (groups: [SourceGroup], left: [SkippedSource]) {
        var groups: [SourceGroup] = []
        var left: [SkippedSource] = []
        let byBase = Dictionary(grouping: files.filter { !$0.isSidecar }, by: \.base)
        let sidecars = Dictionary(grouping: files.filter(\.isSidecar), by: \.base)
        var owned: Set<SourceFile> = []
        for (base, files) in byBase.sorted(by: { $0.key < $1.key }) {
            guard advance(files.count) else { return (groups, left) }
            let near = sidecars[base] ?? []
            var read: [Member] = []
            for file in files {
                let own = sidecars[file.name] ?? []
                let xmp = (own + near).first { FileExtension.of($0.name) == "xmp" }
                switch Member.read(file, sidecar: xmp, options) {
                case .member(let member): read.append(member)
                case .leave(let file): left.append(file)
                }
            }
            for (index, var group) in joined(read).enumerated() {
                for file in group.media {
                    let own = file.name == base ? [] : sidecars[file.name] ?? []
                    group.sidecars += own.map {
                        Sidecar(file: $0, owner: file, isOfWholeName: true)
                    }
                }
                // Sidecars with only the common part of the name belong to the file that names the group.
                if index == 0 {
                    group.sidecars += near.map {
                        Sidecar(file: $0, owner: group.media[0], isOfWholeName: false)
                    }
                }
                owned.formUnion(group.sidecars.map(\.file))
                groups.append(group)
            }
        }
        for file in files where file.isSidecar && !owned.contains(file) {
            let reason = "tells about a photo or film that is not imported with it"
            left.append(SkippedSource(file.path, bytes: file.status.size, .sidecar, reason))
        }
        return (groups, left)
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
                try InputFile.check(file.path)
            } catch .empty {
                return isMedia ? takeAsItIs("is empty") : leave("is empty", .other)
            } catch {
                return leave(error.description, .unreadable)
            }
            let metadata: FileMetadata?
            do {
                // The modification time is not used: that of a copy is the time of copying.
                metadata = try InputFile.read(file.path) { open in
                    FileMetadata(
                        FileBytes(open), name: file.name,
                        sidecar: sidecar.flatMap { try? InputFile.contents($0.path) },
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

        /// Developed photos before raw photos before videos.
        var rank: Int {
            guard let metadata else { return 3 }
            return metadata.kind == .video ? 2 : metadata.format.isRaw ? 1 : 0
        }

        var subject: ImportLayout.Subject {
            ImportLayout.Subject(
                date: metadata?.date, make: metadata?.make, model: metadata?.model, original: file.base,
                fileExtension: file.fileExtension.lowercased())
        }

        /// Whether two files of one name may be of the same moment: the video of a live photo starts before the photo,
        /// and its date is its end.
        func isWith(_ other: Member) -> Bool {
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
            if let index = groups.firstIndex(where: { $0.first.isWith(member) }) {
                groups[index].media.append(member.file)
            } else {
                groups.append((member, [member.file]))
            }
        }
        return groups.map { SourceGroup(media: $0.media, subject: $0.first.subject) }
    }
}
