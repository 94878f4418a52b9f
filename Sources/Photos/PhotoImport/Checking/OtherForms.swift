internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Containers
internal import ExportDocuments
internal import Files
internal import ImageMetadata

/// Recognizes files of which the library has only another form.
struct OtherForms: Sendable {
    typealias Form = (path: FilePath, rule: SourceReport.Rule)

    /// A file whose bytes the library does not have.
    struct Source: Sendable {
        /// The position in its folder.
        var number: Int
        var file: SourceFile
        /// The path that it was imported to.
        var imported: FilePath?
    }

    private let library: PhotoLibrary
    private let flag: CancellationFlag
    private let described: DescribedFiles

    init(_ library: PhotoLibrary, _ flag: CancellationFlag) {
        (self.library, self.flag) = (library, flag)
        described = DescribedFiles(library)
    }

    /// Returns the other forms of files.
    ///
    /// - Parameter places: the paths in the library of files that it has.
    func forms(
        of open: [Source], in folder: ExportedFolder, _ places: [SourceFile: FilePath]
    ) throws -> [Form?] {
        let owners = Dictionary(folder.documents.map { ($0.file, $0.owner) }) { first, _ in first }
        let forms = Processors.map(below: open.count, until: flag) { number -> Result<Form?, any Error> in
            Result {
                let (file, imported) = (open[number].file, open[number].imported)
                if let owner = owners[file], let place = places[owner], let facts = folder.facts[owner],
                    try described.news(facts, of: owner) == nil
                {
                    return (place, .values)
                }
                if let imported, isOther(imported, than: file) { return (imported, .changed) }
                if folder.editedCopies.contains(file),
                    let place = folder.originalOf[file].flatMap({ places[$0] })
                {
                    return (place, .edited)
                }
                return try capture(of: file).map { ($0, .capture) }
            }
        }
        if flag.isRaised { throw CancellationError() }
        return try forms.map { try $0.get() }
    }

    /// Whether there is a file at a path of the library that is not the source itself.
    private func isOther(_ path: FilePath, than file: SourceFile) -> Bool {
        guard let status = FileStatus(library.path(of: path)) else { return false }
        return !status.isSameFile(as: file.status)
    }

    /// Returns the asset of the same kind, second, camera and name.
    private func capture(of file: SourceFile) throws -> FilePath? {
        guard FileExtension.isMedia(file.name) else { return nil }
        let metadata = try? file.read { open in
            FileMetadata(FileBytes(open), name: file.name.text, sidecar: nil, assumedZone: nil)
        }
        guard let metadata = metadata ?? nil, metadata.kind == .photo || metadata.kind == .video,
            let date = metadata.date, date.hasTime
        else { return nil }
        let local = date.local.wholeSeconds
        let found = try library.readAndWait {
            try $0.captures(at: local, String(date.storedText.prefix(19)))
        }
        let kind: AssetKinds = metadata.kind == .video ? .video : .photo
        let name = Self.stem(file.name)
        return found.first {
            $0.kinds.contains(kind) && $0.make == metadata.make && $0.model == metadata.model
                && Self.stem($0.path.name) == name && FileStatus(library.path(of: $0.path)) != nil
        }?.path
    }

    /// The name in lower case, without extension, number and mark of an edited copy: "img_1" of "IMG_E1 (2).JPG".
    private static func stem(_ name: FilePath) -> FilePath {
        var base = TakeoutName(name.withoutExtension.text).name
        base = EditedName.original(base) ?? base
        if base.hasSuffix(" ") { base.removeLast() }
        if AppleName.isEdited(FilePath(base)) { base = "IMG_" + base.dropFirst(5) }
        return FilePath(base.lowercased())
    }
}
