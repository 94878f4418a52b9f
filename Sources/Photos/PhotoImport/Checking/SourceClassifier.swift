internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Files
internal import Foundation

/// Tells of files whose bytes are not those of an asset whether the library has them otherwise.
struct SourceClassifier {
    private let library: PhotoLibrary
    private let forms: OtherForms
    private var others: OtherFiles
    /// The words of edited copies that the library knows.
    private let words: EditedWords

    init(_ library: PhotoLibrary, _ guardian: SourceGuard, _ flag: CancellationFlag) throws {
        self.library = library
        forms = OtherForms(library, flag)
        others = try OtherFiles(library, guardian)
        words = try library.readAndWait { try $0.editedWords() }
    }

    /// Completes the states of the files of a folder.
    ///
    /// - Parameters:
    ///   - states: what is known by the assets.
    ///   - digests: the checksums of files that can be read.
    mutating func classify(
        _ files: [SourceFile], _ states: inout ArraySlice<SourceReport.State>,
        _ digests: ArraySlice<Result<Data, InvalidText>>
    ) throws {
        let start = states.startIndex
        let unknown = files.indices.filter { states[start + $0] == .missing(SourceReport.absence) }
        guard !unknown.isEmpty else { return }
        let imported = try importedPaths(of: unknown.map { files[$0] })
        let folders = Set<FilePath>(states.lazy.compactMap(\.place).map { $0.parent ?? "" }).sorted()
        var open: [OtherForms.Source] = []
        for (number, imported) in zip(unknown, imported) {
            guard let digest = try? digests[start + number].get() else { continue }
            if let equal = try others.path(of: digest, files[number].status.size, imported, beside: folders) {
                states[start + number] = .present(at: equal)
            } else {
                open.append(OtherForms.Source(number: number, file: files[number], imported: imported))
            }
        }
        guard !open.isEmpty else { return }
        // Only files of an export are known by those beside them.
        let context = ExportContext(takesTrashed: true, editedWords: words)
        let folder = PhotoExports(in: files, context).look(at: files)
        var places: [SourceFile: FilePath] = [:]
        if !folder.summaries.isEmpty {
            for (file, state) in zip(files, states) { places[file] = state.place }
        }
        for (number, form) in zip(open.map(\.number), try forms.forms(of: open, in: folder, places)) {
            if let form { states[start + number] = .otherForm(of: form.path, form.rule) }
        }
    }

    /// Returns the paths that files were imported to.
    private func importedPaths(of files: [SourceFile]) throws -> [FilePath?] {
        try library.readAndWait { catalog in
            try files.map { try catalog.path(ofImported: $0) }
        }
    }
}

/// The files of the library that are not assets, found by their bytes.
///
/// Those of one size are read once, when one of that size is looked for.
private struct OtherFiles {
    /// The sidecars of a folder, by their sizes until they are read, and then by their bytes.
    private struct Shelf {
        var unread: [Int: [FilePath]] = [:]
        var read: [Int: [Data: FilePath]] = [:]
        var count = 0
    }

    private let library: PhotoLibrary
    private let guardian: SourceGuard
    /// The files that are not photos or videos, of the sizes that were looked for, by their bytes.
    private var documents: [Int: [Data: FilePath]] = [:]
    /// The sizes of all files that are not photos or videos.
    private let sizes: Set<Int>
    /// The sidecars in folders that were looked at lately.
    private var sidecars = LRUCache<FilePath, Shelf>(capacity: 1 << 16)

    init(_ library: PhotoLibrary, _ guardian: SourceGuard) throws {
        (self.library, self.guardian) = (library, guardian)
        sizes = try library.readAndWait { try $0.otherSizes() }
    }

    /// Returns a file of the library with some bytes: where it was imported to, or among others, or in some folders.
    mutating func path(
        of digest: Data, _ size: Int, _ imported: FilePath?, beside folders: [FilePath]
    ) throws -> FilePath? {
        if let imported, Self.digest(of: imported, size, library, guardian) == digest { return imported }
        if sizes.contains(size) {
            if documents[size] == nil {
                documents[size] = read(try library.readAndWait { try $0.others(ofSize: size) }, size)
            }
            if let path = documents[size]?[digest] { return path }
        }
        for folder in folders {
            var shelf = sidecars.value(folder)
            if shelf == nil || shelf?.unread[size] != nil {
                var new = shelf ?? list(folder)
                new.read[size] = new.unread.removeValue(forKey: size).map { read($0, size) }
                sidecars.insert(new, for: folder, cost: min(1 + new.count, sidecars.capacity))
                shelf = new
            }
            if let path = shelf?.read[size]?[digest] { return path }
        }
        return nil
    }

    private func list(_ folder: FilePath) -> Shelf {
        var shelf = Shelf()
        for entry in (try? Folder.entries(in: library.path(of: folder))) ?? [] {
            let name = FilePath(entry.name)
            guard case .file(let status) = entry.kind, FileExtension.isSidecar(name) else { continue }
            shelf.unread[status.size, default: []].append(folder.appending(name))
            shelf.count += 1
        }
        return shelf
    }

    /// Reads files of one size.
    private func read(_ paths: [FilePath], _ size: Int) -> [Data: FilePath] {
        let (library, guardian) = (library, guardian)
        let digests = Processors.map(below: paths.count) {
            Self.digest(of: paths[$0], size, library, guardian)
        }
        var read: [Data: FilePath] = [:]
        for (digest, path) in zip(digests, paths) {
            if let digest, read[digest] == nil { read[digest] = path }
        }
        return read
    }

    /// The checksum of a file that outlives the sources; nil if it has another size.
    private static func digest(
        of path: FilePath, _ size: Int, _ library: PhotoLibrary, _ guardian: SourceGuard
    ) -> Data? {
        let path = library.path(of: path)
        var identities = SourceGuard.Identities()
        guard let file = LibraryFile(path), file.status.size == size,
            guardian.fault(of: FilePath(path), isLink: file.isLink, &identities) == nil
        else { return nil }
        return (try? FileDigest.reading(of: path)).map { Data($0.bytes) }
    }
}

extension SourceReport.State {
    /// The file of the library with the same bytes.
    fileprivate var place: FilePath? { if case .present(let path) = self { path } else { nil } }
}
