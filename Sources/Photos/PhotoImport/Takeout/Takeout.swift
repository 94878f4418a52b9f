internal import AssetCatalog
internal import Basics
internal import ExportDocuments
internal import Files

/// Exports of Google Photos: JSON sidecars beside the photos, in folders of years and albums, over several archives.
///
/// A folder is recognized by its sidecars, or by the names of the folders above it, so that nothing is taken before.
struct Takeout: PhotoExport {
    static let title = TakeoutSidecar.service
    static let key: String? = "takeout"

    /// The words of edited copies.
    let words: TakeoutWords
    /// Whether files in the trash are imported.
    let takesTrashed: Bool

    static func isArchive(_ name: String) -> Bool { TakeoutFolderName.isArchive(name) }

    static func insideExport(_ folder: FilePath) -> FilePath? { TakeoutFolderName.insideExport(folder) }

    init(_ walk: inout SourceWalk, _ context: ExportContext) {
        self.init(words: TakeoutWords(in: walk.folders, known: context.editedWords), context)
    }

    init(in folder: [SourceFile], _ context: ExportContext) {
        self.init(words: TakeoutWords(in: [folder], known: context.editedWords), context)
    }

    private init(words: TakeoutWords, _ context: ExportContext) {
        (self.words, takesTrashed) = (words, context.takesTrashed)
    }

    func look(into folder: inout ExportedFolder) {
        let found = TakeoutFolder(folder, self)
        guard let summary = found.summary else { return }
        folder = found.folder
        folder.summaries.append(ExportSummary(summary))
    }

    static func lines(of summary: ExportSummary) -> [String] {
        let line = ExportSummary.line(
            title,
            [
                "\(summary.count("sidecars")) sidecars describe \(summary.count("described")) files",
                "\(summary.files("withoutFile").count) describe none",
                "\(summary.files("withoutSidecar").count) files have none",
                summary.words("archived", "files are archived"), summary.words("trashed", "are in the trash"),
                summary.albumWords,
            ])
        // The sidecars without a file are among those that were left.
        return [line] + summary.files("withoutSidecar").map { "note \($0): has no Takeout sidecar" }
            + summary.notes("unused").map { "note \($0)" }
            + summary.texts("unknownWords").map {
                "note: files that end in \"-\($0)\" are taken for edited copies of those without it"
            }
    }
}

/// What was found of a Google Takeout in a folder.
struct TakeoutSummary {
    /// The number of sidecars that belong to a file.
    var sidecars = 0
    /// The files whose values are taken from a sidecar.
    var described = 0
    /// The sidecars that belong to no file.
    var withoutFile: [FilePath] = []
    /// The photos and videos without a sidecar.
    var withoutSidecar: [FilePath] = []
    /// The files that Google has archived, which are imported.
    var archived: [FilePath] = []
    /// The files in Google's trash.
    var trashed: [FilePath] = []
    /// The titles of the albums.
    var albums: [String] = []
    /// The documents of albums that state more than a title, with the names of what is not imported.
    var unused: [IndexReport.Failure] = []
    /// The words behind the names of edited copies that were not known, and were told by their repetition.
    var unknownWords: [String] = []
}

extension ExportSummary {
    fileprivate init(_ found: TakeoutSummary) {
        self.init(
            "takeout", documents: "Takeout sidecars",
            [
                "sidecars": .count(found.sidecars), "described": .count(found.described),
                "withoutFile": .files(found.withoutFile), "withoutSidecar": .files(found.withoutSidecar),
                "archived": .files(found.archived), "trashed": .files(found.trashed),
                "albums": .texts(found.albums), "unused": .notes(found.unused),
                "unknownWords": .texts(found.unknownWords),
            ])
    }
}
