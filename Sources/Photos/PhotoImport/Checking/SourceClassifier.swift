internal import AssetCatalog
internal import Basics
internal import Containers
internal import Files
internal import Foundation
internal import GRDB
internal import ImageMetadata

/// Tells of files whose bytes are not those of an asset whether the library has them otherwise.
struct SourceClassifier {
    private let library: PhotoLibrary
    private let guardian: SourceGuard
    private let flag: CancellationFlag
    private let described: DescribedFiles
    /// The files of the library that are not assets, by size.
    private let others: [Int: [FilePath]]

    init(_ library: PhotoLibrary, _ guardian: SourceGuard, _ flag: CancellationFlag) throws {
        (self.library, self.guardian, self.flag) = (library, guardian, flag)
        described = try DescribedFiles(library)
        others = try library.readAndWait { database in
            let rows = try Row.fetchAll(database, sql: "SELECT bytes, path FROM other ORDER BY path")
            return Dictionary(grouping: rows) { $0[0] }.mapValues { $0.map { FilePath($0[1] as String) } }
        }
    }

    /// Returns the states of the files of a folder.
    ///
    /// - Parameters:
    ///   - states: what is known by the assets.
    ///   - digests: the checksums of files that can be read.
    func states(
        of files: [SourceFile], _ states: [SourceReport.State], _ digests: [Data?]
    ) throws -> [SourceReport.State] {
        guard states.contains(where: \.isOpen) else { return states }
        var states = states
        let sidecars = sidecars(beside: states)
        for number in files.indices where states[number].isOpen {
            guard let digest = digests[number] else { continue }
            let bytes = files[number].status.size
            let imported = try importedPath(of: files[number]).map { [$0] } ?? []
            let equal = (imported + (others[bytes] ?? []) + (sidecars[bytes] ?? [])).first {
                let path = library.path(of: $0)
                guard let status = FileStatus(path), status.size == bytes,
                    guardian.fault(of: FilePath(path), status) == nil
                else { return false }
                return (try? FileDigest.of(path)) == digest.hexadecimal
            }
            if let equal { states[number] = .present(at: equal) }
        }
        let open = files.indices.filter { states[$0].isOpen && digests[$0] != nil }
        guard !open.isEmpty else { return states }
        let places = Dictionary(
            zip(files, states).compactMap { file, state in state.place.map { (file, $0) } }
        ) {
            first, _ in first
        }
        let forms = try forms(of: open.map { files[$0] }, in: files, places)
        for (number, form) in zip(open, forms) {
            if let form { states[number] = .otherForm(of: form.path, form.rule) }
        }
        return states
    }

    /// The sidecars in the folders of the library that hold files of a folder of the sources, by size.
    private func sidecars(beside states: [SourceReport.State]) -> [Int: [FilePath]] {
        var sidecars: [Int: [FilePath]] = [:]
        for folder in Set(states.compactMap { $0.place?.parent ?? ($0.place == nil ? nil : "") }) {
            for entry in (try? Folder.entries(in: library.path(of: folder))) ?? [] {
                guard case .file(let status) = entry.kind, FileExtension.isSidecar(FilePath(entry.name))
                else {
                    continue
                }
                let name = FilePath(entry.name)
                sidecars[status.size, default: []].append(folder == "" ? name : folder.appending(name))
            }
        }
        return sidecars
    }

    private typealias Form = (path: FilePath, rule: SourceReport.Rule)

    /// Returns the other forms of open files.
    ///
    /// - Parameter places: the paths in the library of files that it has.
    private func forms(
        of open: [SourceFile], in folder: [SourceFile], _ places: [SourceFile: FilePath]
    ) throws -> [Form?] {
        var options = ImportOptions(sources: [])
        options.takesTrashed = true
        let takeout = TakeoutFolder(folder, options)
        let owners = Dictionary(takeout.sidecars.map { ($0.file, $0.owner) }) { first, _ in first }
        let forms = Processors.map(below: open.count, until: flag) { number -> Result<Form?, any Error> in
            Result {
                let file = open[number]
                if let owner = owners[file], let place = places[owner], let facts = takeout.facts[owner],
                    described.news(facts, of: owner) == nil
                {
                    return (place, .values)
                }
                if let imported = try importedPath(of: file), isOther(imported, than: file) {
                    return (imported, .changed)
                }
                let name = TakeoutName(file.name.text)
                if let place = takeout.originalOf[file].flatMap({ places[$0] }),
                    EditedName.original(name.base, nameLength: file.name.text.utf16.count) != nil
                {
                    return (place, .edited)
                }
                return try capture(of: file).map { ($0, .capture) }
            }
        }
        if flag.isRaised { throw CancellationError() }
        return try forms.map { try $0.get() }
    }

    private func importedPath(of file: SourceFile) throws -> FilePath? {
        try library.readAndWait { try ImportedFiles.path(of: file, $0) }
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
        // The library may know another offset of the same clock, or none.
        let rows = try library.readAndWait { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT path, kinds, make, model FROM asset
                    WHERE instant BETWEEN ? AND ? AND substr(date, 1, 19) = ? ORDER BY path
                    """, arguments: [local - 86_400, local + 86_400, String(date.stored.prefix(19))])
        }
        let kind: AssetKinds = metadata.kind == .video ? .video : .photo
        let name = Self.stem(file.name)
        for row in rows where AssetKinds(rawValue: row[1]).contains(kind) {
            let (make, model): (String?, String?) = (row[2], row[3])
            let path = FilePath(row[0] as String)
            guard make == metadata.make, model == metadata.model, Self.stem(path.name) == name,
                FileStatus(library.path(of: path)) != nil
            else { continue }
            return path
        }
        return nil
    }

    /// The name in lower case, without extension, number and mark of an edited copy: "img_1" of "IMG_E1 (2).JPG".
    private static func stem(_ name: FilePath) -> FilePath {
        var base = TakeoutName(name.withoutExtension.text).name
        base = EditedName.original(base, nameLength: 0) ?? base
        if base.hasSuffix(" ") { base.removeLast() }
        if AppleName.isEdited(FilePath(base)) { base = "IMG_" + base.dropFirst(5) }
        return FilePath(base.lowercased())
    }
}

extension SourceReport.State {
    /// Whether no asset should have its bytes.
    fileprivate var isOpen: Bool { self == .missing(SourceReport.absence) }

    /// The file of the library with the same bytes.
    fileprivate var place: FilePath? { if case .present(let path) = self { path } else { nil } }
}
