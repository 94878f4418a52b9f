internal import Archives
internal import Files
internal import ImageMetadata

/// A file that may be imported.
struct SourceFile: Hashable, Sendable {
    /// The absolute path; that of an entry follows the path of its archive.
    var path: String
    /// The status of the file, or of the target of a symbolic link.
    var status: FileStatus
    var isLink = false
    /// The entry of an archive; nil for files.
    var member: ZipMember?
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
            if isOfWholeName { return "\(owner).\(file.fileExtension)" }
            let base = AppleName.mark(of: file.base, ofOriginal: self.owner.base).map {
                AppleName.path($0, at: owner.baseOfPath)
            }
            return "\(base ?? owner.baseOfPath).\(file.fileExtension)"
        }
    }

    /// The photos and videos; the first one names the group.
    var media: [SourceFile]
    var sidecars: [Sidecar] = []
    /// The sidecars of a Takeout, whose values are written into the library.
    var documents: [(file: SourceFile, owner: SourceFile)] = []
    /// What the sidecars of a Takeout state about the media.
    var facts: [SourceFile: TakeoutFacts] = [:]
    var subject: ImportLayout.Subject
    /// The identifier of the live photo whose half the first file is.
    var identifier: String?
    /// Whether the first file is a video.
    var isFilm = false

    /// Returns the part of a file's name after the common part: ".jpg", or "-edited.jpg" for an edited copy.
    private func suffix(of file: SourceFile) -> String {
        let ending = String(file.name.dropFirst(file.base.count))
        guard let first = media.first, file.base != first.base else { return ending }
        let (name, own) = (TakeoutName(first.name), TakeoutName(file.name))
        if own.base.lowercased().hasPrefix(name.base.lowercased()), own.base.count > name.base.count {
            return own.base.dropFirst(name.base.count) + ending
        }
        return ending
    }

    /// Returns the path of a file of the group whose files have this base name.
    func path(of file: SourceFile, at base: String) -> String {
        if file.base != media.first?.base, AppleName.isEdited(file.base) {
            return AppleName.path("E", at: base) + file.name.dropFirst(file.base.count)
        }
        return base + suffix(of: file)
    }

    /// Returns the paths of all files of the group and their sidecars.
    func paths(at base: String) -> [String] {
        media.map { path(of: $0, at: base) }
            + sidecars.map { $0.path(beside: path(of: $0.owner, at: base)) }
    }
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
    /// The archives that are read.
    private(set) var archives: [String] = []
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
                if ZipArchive.isNamed(path) {
                    do throws(ZipError) {
                        try list(ZipArchive(path))
                    } catch {
                        throw .archive(error)
                    }
                    continue
                }
                if named[parent] == nil { order.append(parent) }
                // Named files of one folder may belong to the same group.
                named[parent, default: []].append(
                    SourceFile(path: path, status: status, isLink: Folder.isLink(path)))
                continue
            }
            do {
                try Folder.check(path)
            } catch {
                throw .noSource(path, reason: error.description)
            }
            walk(path)
        }
        folders += order.compactMap { named[$0]?.sorted { $0.name < $1.name } }
        joinFoldersOfExports()
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
                        guard seen.insert(path).inserted else { continue }
                        if TakeoutFolderName.isArchive(entry.name) {
                            listFound(path, status)
                        } else {
                            files.append(SourceFile(path: path, status: status))
                        }
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

    /// Reads an archive that lies in a folder.
    private mutating func listFound(_ path: String, _ status: FileStatus) {
        do throws(ZipError) {
            try list(ZipArchive(path))
        } catch {
            left.append(SkippedSource(path, bytes: status.size, .unreadable, error.fault.description))
        }
    }

    /// Adds the files of an archive.
    private mutating func list(_ archive: ZipArchive) {
        archives.append(archive.path)
        var files: [String: [SourceFile]] = [:]
        for entry in archive.entries {
            let path = "\(archive.path)/\(entry.name)"
            if entry.name.split(separator: "/").contains(where: { $0.hasPrefix(".") || $0 == "__MACOSX" }) {
                left.append(
                    SkippedSource(path, bytes: entry.size, .hidden, "is hidden and was not looked at"))
            } else if let fault = entry.fault {
                let isWanted = FileExtension.isMedia(path) || FileExtension.of(path) == "json"
                left.append(
                    SkippedSource(path, bytes: entry.size, isWanted ? .unreadable : .other, fault.description)
                )
            } else {
                // No file of a disk has this inode and device.
                let status = FileStatus(size: entry.size, modified: entry.modified, inode: .max, device: .max)
                files[OutputFile.folder(of: path), default: []].append(
                    SourceFile(path: path, status: status, member: ZipMember(entry, of: archive)))
            }
        }
        folders += files.sorted { $0.key < $1.key }.map { $0.value.sorted { $0.name < $1.name } }
    }

    /// Joins the folders of one export that are in several archives or unpacked folders: a sidecar may be in another
    /// archive than its photo.
    private mutating func joinFoldersOfExports() {
        var places: [String: Int] = [:]
        var joined: [[SourceFile]] = []
        for files in folders {
            let folder = files.first.map { OutputFile.folder(of: $0.path) } ?? ""
            let key = TakeoutFolderName.insideExport(folder) ?? folder
            if let place = places[key] {
                joined[place] += files
            } else {
                places[key] = joined.count
                joined.append(files)
            }
        }
        folders = joined
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

extension ZipMember {
    /// Writes the bytes of the entry, whose size and checksum are compared at its end.
    func write(
        _ write: (Span<UInt8>) -> Bool, _ read: (Span<UInt8>) -> Void
    ) throws(FileError) {
        do throws(ZipError) {
            let reader = try ZipEntryReader(entry, of: archive)
            while let isWritten = try reader.next({ piece in
                read(piece)
                return write(piece)
            }) {
                guard isWritten else { return }
            }
        } catch {
            throw .unreadable(error.fault.description)
        }
    }
}
