internal import Archives
internal import AssetCatalog
internal import ExportDocuments
internal import Files

/// A file that may be imported.
struct SourceFile: Hashable, Sendable {
    /// The absolute path; that of an entry follows the path of its archive.
    var path: FilePath
    /// The status of the file, or of the target of a symbolic link.
    var status: FileStatus
    /// The time of the last status change; nil where it was not read, and for entries of archives.
    var changed: Int?
    var isLink = false
    /// The entry of an archive; nil for files.
    var member: ZipMember?
    /// The reason why it cannot be read, if it is imported unchanged.
    var fault: String?

    var name: FilePath { path.name }
    /// The name without its extension.
    var base: FilePath { name.withoutExtension }
    /// The extension of the name; empty without one.
    var fileExtension: String { name.fileExtension?.text ?? "" }
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
        /// The number of the version that it is, "a_01.jpg.xmp"; nil for others.
        var version: Int?

        /// Returns its path next to the owner's path, "2014/a (2).jpg".
        func path(beside owner: FilePath) -> FilePath {
            if let version { return SidecarVersion.name(version, of: owner).adding(file.name.ending) }
            if isOfWholeName { return owner.adding(file.name.ending) }
            let base = AppleName.mark(of: file.base, ofOriginal: self.owner.base).map {
                AppleName.path($0, at: owner.withoutExtension)
            }
            return (base ?? owner.withoutExtension).adding(file.name.ending)
        }
    }

    /// The photos and videos; the first one names the group.
    var media: [SourceFile]
    var sidecars: [Sidecar] = []
    /// The documents of exports, whose values are written into the library.
    var documents: [(file: SourceFile, owner: SourceFile)] = []
    /// What exports state about the media.
    var facts: [SourceFile: ExportFacts] = [:]
    var subject: ImportLayout.Subject
    /// The identifier of the live photo whose half the first file is.
    var identifier: String?
    /// Whether the first file is a video.
    var isFilm = false

    /// Returns the part of a file's name after the common part: ".jpg", or "-edited.jpg" for an edited copy.
    private func suffix(of file: SourceFile) -> String {
        let ending = file.name.ending
        guard let first = media.first, file.base != first.base else { return ending }
        // The film of a motion photo is named as the photo is without its extension.
        if file.name == first.base { return "" }
        let (name, own) = (TakeoutName(first.name.text), TakeoutName(file.name.text))
        if own.base.lowercased().hasPrefix(name.base.lowercased()), own.base.count > name.base.count {
            return own.base.dropFirst(name.base.count) + ending
        }
        return ending
    }

    /// Returns the path of a file of the group whose files have this base name.
    func path(of file: SourceFile, at base: FilePath) -> FilePath {
        if file.base != media.first?.base, AppleName.isEdited(file.base) {
            return AppleName.path("E", at: base).adding(file.name.ending)
        }
        return base.adding(suffix(of: file))
    }

    /// Returns the paths of all files of the group and their sidecars.
    func paths(at base: FilePath) -> [FilePath] {
        media.map { path(of: $0, at: base) }
            + sidecars.map { $0.path(beside: path(of: $0.owner, at: base)) }
    }
}

/// A file that is not imported.
struct SkippedSource: Sendable {
    var path: FilePath
    var bytes = 0
    var leaving: ImportSkipReason

    init(_ path: FilePath, bytes: Int = 0, _ kind: ImportSkipReason.Kind, _ reason: String) {
        (self.path, self.bytes) = (path, bytes)
        leaving = ImportSkipReason(kind: kind, reason: reason)
    }
}
