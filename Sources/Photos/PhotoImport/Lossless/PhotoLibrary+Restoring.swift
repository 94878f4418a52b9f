internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import ExportDocuments
internal import Files
internal import ImageMetadata

/// The lossless exports among the sources of an import.
struct LosslessSources: PhotoExport {
    static let key: String? = nil

    private let documents: [SourceFile]
    let keptPaths: Set<FilePath>

    init?(_ walk: inout SourceWalk, _ context: ExportContext) {
        documents = walk.takeFiles(
            named: LosslessDocument.name, .album, "has albums and picks of its folder, which the library gets"
        ) { LosslessDocument.isOne($0) }
        guard !documents.isEmpty else { return nil }
        let documents = documents
        keptPaths = Set(walk.folders.joined().lazy.compactMap { Self.path(of: $0, documents) })
    }

    /// Returns the path of a file below the folder of its export; nil for other files.
    private static func path(of file: SourceFile, _ documents: [SourceFile]) -> FilePath? {
        documents.lazy.compactMap { file.path.below($0.path.folder) }.first
    }

    func keptPath(of file: SourceFile) -> FilePath? { Self.path(of: file, documents) }

    func restore(
        into library: PhotoLibrary, at places: [FilePath: FilePath]
    ) async throws -> [FilePath: FileError] {
        var failures: [FilePath: FileError] = [:]
        for document in documents {
            do {
                try await library.restore(document, at: { places[$0] })
            } catch let error as FileError {
                failures[document.path] = error
            }
        }
        return failures
    }
}

/// What a document says of the files that were imported, by their paths in the library.
private struct RestoredContents: Sendable {
    let header: LosslessDocument.Header
    private(set) var albums: [FilePath: [(position: Int, path: FilePath)]] = [:]
    private(set) var picks: [(position: Int, path: FilePath)] = []
    private(set) var kept: [Int: [FilePath]] = [:]
    private(set) var covers: [FilePath] = []
    private(set) var annotations: [(path: FilePath, annotation: Annotation)] = []
    private(set) var datings: [LosslessDocument.Completion.Dating: [FilePath]] = [:]
    private(set) var locations: [FilePath: Location] = [:]

    /// Reads a document; blocks.
    init(of document: SourceFile, at place: (FilePath) -> FilePath?) throws(FileError) {
        var reader = try LosslessDocument.Reader(document)
        header = reader.header
        while let entry = try reader.next() {
            guard let path = place(document.path.folder.appending(entry.path)) else { continue }
            for album in entry.albums {
                albums[FilePath(album.name), default: []].append((album.position, path))
            }
            if let position = entry.pick { picks.append((position, path)) }
            for number in entry.kept { kept[number, default: []].append(path) }
            if entry.isCover { covers.append(path) }
            annotations += entry.annotations.map { (path, $0) }
            if entry.completion.dating != .init() {
                datings[entry.completion.dating, default: []].append(path)
            }
            locations[path] = entry.completion.location
        }
    }
}

extension PhotoLibrary {
    /// Adds assets to albums and picks as a lossless export has them, stores which duplicates are kept and annotations, and
    /// completes dates and positions as they were.
    ///
    /// What the library has beside that stays. A document is applied once, so that a repeated import does not undo later
    /// changes.
    ///
    /// - Parameter place: returns the path in the library of a file that was imported.
    /// - Throws: `FileError` for a damaged document; `LibraryError`.
    func restore(_ document: SourceFile, at place: @escaping @Sendable (FilePath) -> FilePath?) async throws {
        let digest = try await BackgroundQueue.run { try document.reading().text }
        guard try await read({ try $0.described(document.path) }) != digest else { return }
        let contents = try await BackgroundQueue.run { try RestoredContents(of: document, at: place) }
        let (albums, kept, picks) = (contents.albums, contents.kept, contents.picks)
        let (covers, annotations, header) = (contents.covers, contents.annotations, contents.header)
        for (dating, paths) in contents.datings {
            _ = try await indexWhenFree(
                paths.map(\.text), assuming: dating.assumedZone,
                undatedBy: dating.usesFileTime ? .fileTime : nil)
        }
        try await locate(contents.locations)
        var names = header.albums
        let unlisted = albums.keys.sorted()
        names.unite(unlisted.map(\.text))
        let all = [(header.picks, picks)] + names.map { ($0, albums[FilePath($0)] ?? []) }
        let groups = kept.sorted { $0.key < $1.key }.map(\.value)
        try await write { catalog in
            for (number, (name, members)) in all.enumerated() {
                let ordered = members.sorted { $0.position < $1.position }
                try catalog.append(ordered.map(\.path), toAlbum: number == 0 ? nil : name)
            }
            let known = try catalog.keptGroups()
            for paths in groups {
                let ids = try paths.compactMap { try catalog.id(at: $0) }
                guard ids.count > 1, !known.hold(ids) else { continue }
                try catalog.keepTogether(ids)
            }
            if header.stacksJoinFolders { try catalog.stacks.setJoinsFolders(true) }
            try catalog.stacks.learn(header.editedWords)
            for path in covers {
                if let id = try catalog.id(at: path) { try catalog.stacks.choose(id) }
            }
            for (path, annotation) in annotations {
                try catalog.restore(annotation, to: path.text)
            }
            try catalog.rememberDescription(of: document.path, digest)
        }
    }

    /// Gives assets the positions that tracks gave them, where their files state none.
    private func locate(_ locations: [FilePath: Location]) async throws {
        guard !locations.isEmpty else { return }
        let found = try await read { catalog in
            var found: [Asset.ID: Location] = [:]
            for (path, location) in locations {
                if let id = try catalog.unlocated(at: path) { found[id] = location }
            }
            return found
        }
        try await setLocations(found)
    }
}
