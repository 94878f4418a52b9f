internal import AssetCatalog
internal import ExportDocuments
internal import Files

/// An export of a photo service, or of a library, among the sources of an import.
///
/// A service is a folder of this module with a type of this protocol, and a row of ``PhotoExports/services``. It takes what it
/// knows out of the files that were found, and states facts about photos; how these get into the library is the same for all.
protocol PhotoExport: Sendable {
    /// The name of its summary in the report of an import; nil without one.
    static var key: String? { get }

    /// Whether a name is that of one of its archives, which are read where they lie in a folder.
    static func isArchive(_ name: String) -> Bool

    /// Returns the path of a folder inside of its export, which is the same in all its archives and where they were unpacked: such
    /// folders are looked at as one. Nil for other folders.
    static func insideExport(_ folder: FilePath) -> FilePath?

    /// What was found, in words: a line, and one for each thing to know.
    static func lines(of summary: ExportSummary) -> [String]

    /// Takes the lists and documents of exports out of the files that were found; nil if there is no export.
    init?(_ walk: inout SourceWalk, _ context: ExportContext)

    /// Recognizes an export by the files of one folder alone; nil where that takes other folders.
    init?(in folder: [SourceFile], _ context: ExportContext)

    /// Adds what is known of the files of a folder; called on several threads.
    func look(into folder: inout ExportedFolder)

    /// What was found besides what the folders say.
    var summary: ExportSummary? { get }

    /// The paths that files keep in the library, if the layout does not ask for others.
    var keptPaths: Set<FilePath> { get }

    /// Returns the path that a file keeps in the library; nil for files that get one by the layout.
    func keptPath(of file: SourceFile) -> FilePath?

    /// Gives the library what is stated about it as a whole; returns why that of a document is missing.
    ///
    /// - Parameter places: where each source is in the library.
    func restore(
        into library: PhotoLibrary, at places: [FilePath: FilePath]
    ) async throws -> [FilePath: FileError]
}

extension PhotoExport {
    static func isArchive(_ name: String) -> Bool { false }
    static func insideExport(_ folder: FilePath) -> FilePath? { nil }
    static func lines(of summary: ExportSummary) -> [String] { [] }
    init?(in folder: [SourceFile], _ context: ExportContext) { nil }
    func look(into folder: inout ExportedFolder) {}
    var summary: ExportSummary? { nil }
    var keptPaths: Set<FilePath> { [] }
    func keptPath(of file: SourceFile) -> FilePath? { nil }
    func restore(
        into library: PhotoLibrary, at places: [FilePath: FilePath]
    ) async throws -> [FilePath: FileError] { [:] }
}

/// What exports need to know besides their files.
struct ExportContext: Sendable {
    /// Whether files in the trash of a service are imported.
    var takesTrashed = false
    /// The words of edited copies that the library knows.
    var editedWords = EditedWords()
}

/// A folder of the sources with what exports state about its files.
struct ExportedFolder: Sendable {
    /// The files that may be imported: photos, films and their sidecars.
    var files: [SourceFile]
    var facts: [SourceFile: ExportFacts] = [:]
    /// The original of edited copies, and of videos of live photos.
    var originalOf: [SourceFile: SourceFile] = [:]
    /// The edited copies among the files that have an original.
    var editedCopies: Set<SourceFile> = []
    /// The documents that describe a file, from any folder of the sources.
    var documents: [(file: SourceFile, owner: SourceFile)] = []
    var left: [SkippedSource] = []
    /// What was found of exports.
    var summaries: [ExportSummary] = []

    init(_ files: [SourceFile]) { self.files = files }
}

/// The exports among the sources of an import.
struct PhotoExports: Sendable {
    /// The services whose exports are known; where two state a fact, that of the first one counts.
    static let services: [any PhotoExport.Type] = [
        LosslessSources.self, Takeout.self, ICloudExport.self, FlickrExport.self,
    ]

    private let found: [any PhotoExport]

    /// Takes the lists and documents of exports out of the files that were found.
    init(_ walk: inout SourceWalk, _ context: ExportContext) {
        var found: [any PhotoExport] = []
        for service in Self.services {
            if let export = service.init(&walk, context) { found.append(export) }
        }
        self.found = found
    }

    /// Recognizes exports by the files of one folder alone.
    init(in folder: [SourceFile], _ context: ExportContext) {
        found = Self.services.compactMap { $0.init(in: folder, context) }
    }

    /// Returns what is known of the files of a folder.
    func look(at files: [SourceFile]) -> ExportedFolder {
        var folder = ExportedFolder(files)
        for export in found { export.look(into: &folder) }
        return folder
    }

    /// The summaries of all folders and of the exports themselves, in the order of the services.
    func summaries(_ folders: [ExportSummary]) -> [ExportSummary] {
        var all: [ExportSummary] = []
        for summary in folders + found.compactMap(\.summary) {
            if let index = all.firstIndex(where: { $0.service == summary.service }) {
                all[index].add(summary)
            } else {
                all.append(summary)
            }
        }
        return Self.services.compactMap { service in all.first { $0.service == service.key } }
    }

    /// The paths that files keep in the library.
    var keptPaths: Set<FilePath> { found.reduce(into: []) { $0.formUnion($1.keptPaths) } }

    /// Returns the path that a file keeps in the library; nil for files that get one by the layout.
    func keptPath(of file: SourceFile) -> FilePath? {
        found.lazy.compactMap { $0.keptPath(of: file) }.first
    }

    /// Gives the library what exports state about it as a whole; returns why that of a document is missing.
    func restore(
        into library: PhotoLibrary, at places: [FilePath: FilePath]
    ) async throws -> [FilePath: FileError] {
        var failures: [FilePath: FileError] = [:]
        for export in found {
            failures.merge(try await export.restore(into: library, at: places)) { first, _ in first }
        }
        return failures
    }

    /// Whether a name is that of an archive of an export.
    static func isArchive(_ name: String) -> Bool { services.contains { $0.isArchive(name) } }

    /// Returns the path of a folder inside of its export; the folder itself if it is in none.
    static func insideExport(_ folder: FilePath) -> FilePath {
        services.lazy.compactMap { $0.insideExport(folder) }.first ?? folder
    }
}
