public import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import ExportDocuments
internal import Files
public import WorkReporting

extension PhotoLibrary {
    /// Exports assets into a folder, from which an import makes the same library again.
    ///
    /// Files and sidecars keep their paths and bytes. The file `viewport-library.jsonl` beside them has what only the catalog
    /// knows: albums and picks in their order, which duplicates are kept, and annotations. For other programs it also has
    /// all that is known of each photo. Existing files are never replaced, and equal ones are kept; the lines of assets that
    /// an earlier export to the folder has written stay.
    ///
    /// - Parameters:
    ///   - ids: the assets, such as `collection().snapshot().ids`.
    ///   - folder: the destination; is created if it is missing.
    ///   - progress: receives the assets that are done.
    /// - Returns: the files that could not be exported; paths are those of the copies.
    /// - Throws: `LibraryError`, of the kind `inaccessible` if the folder cannot be written; `CancellationError`:
    ///   finished copies are kept.
    @discardableResult
    public func exportLossless(
        _ ids: [Asset.ID], to folder: String,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [IndexReport.Failure] {
        try await ExportedFile.failures { each in
            try await exportLossless(ids, to: folder, progress: progress, each: each)
        }
    }

    /// Exports assets and reports the result for every file.
    package func exportLossless(
        _ ids: [Asset.ID], to folder: String,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }, each: (ExportedFile) -> Void
    ) async throws {
        let path = "\(folder)/\(LosslessDocument.name)"
        let (header, choices) = try await read { try (LosslessDocument.Header($0), LosslessChoices($0)) }
        let (part, isUpdate) = try await BackgroundQueue.run {
            try Self.makingErrors(of: path) { () throws(FileError) in
                try Folder.make(folder, mode: 0o777)
                TemporaryName.sweep(folder)
                let isUpdate = FileStatus(path) != nil
                if isUpdate { _ = try LosslessDocument.Reader(path) }
                let part = try PartFile(in: folder)
                try part.append(Array(header.line.utf8))
                return (part, isUpdate)
            }
        }
        do {
            let written = try await copy(ids, to: folder, part, path, choices, isUpdate, progress, each)
            try await BackgroundQueue.run {
                try Self.makingErrors(of: path) { () throws(FileError) in
                    if isUpdate { try LosslessDocument.append(linesOf: path, except: written, to: part) }
                    try part.synchronize()
                    try part.publish(as: path)
                }
            }
        } catch {
            part.discard()
            throw error
        }
    }

    /// Copies assets, and writes their lines; returns the paths of the copies if they are needed.
    private func copy(
        _ ids: [Asset.ID], to folder: String, _ part: PartFile, _ document: String,
        _ choices: LosslessChoices, _ isUpdate: Bool,
        _ progress: @escaping @Sendable (WorkProgress) -> Void, _ each: (ExportedFile) -> Void
    ) async throws -> Set<FilePath> {
        let reporter = ProgressReporter(.files, of: ids.count, progress)
        let page = 256
        var written: Set<FilePath> = []
        for start in stride(from: 0, to: ids.count, by: page) {
            let assets = try await assets(Array(ids[start...].prefix(page)))
            var copies: [Asset.ID: FilePath] = [:]
            try await export(
                assets, to: folder, .unchanged,
                progress: { reporter.report(start + $0.done) }
            ) { file in
                if !file.isSidecar, file.failure == nil { copies[file.asset] = file.path }
                each(file)
            }
            let places = copies
            let entries = try await read { catalog in
                try LosslessDocument.Entry.all(of: assets, at: places, choices, catalog)
            }
            if isUpdate { written.formUnion(copies.values) }
            try await BackgroundQueue.run {
                var text = ""
                for (asset, entry) in entries { text += try entry.line(asset) }
                let bytes = Array(text.utf8)
                try Self.makingErrors(of: document) { () throws(FileError) in try part.append(bytes) }
            }
        }
        reporter.finish()
        return written
    }

    private static func makingErrors<R>(
        of path: String, _ body: () throws(FileError) -> R
    ) throws(LibraryError) -> R {
        do throws(FileError) {
            return try body()
        } catch {
            throw LibraryError.unwritable(path, error)
        }
    }
}

extension LosslessDocument {
    /// Appends the lines of a document whose files are still there, except for those of some paths.
    fileprivate static func append(
        linesOf path: String, except written: Set<FilePath>, to part: PartFile
    ) throws(FileError) {
        var reader = try Reader(path)
        let folder = FilePath(path).folder
        while let entry = try reader.next() {
            guard !written.contains(entry.path), FileStatus(folder.appending(entry.path).text) != nil else {
                continue
            }
            try part.append(reader.line + [UInt8(ascii: "\n")])
        }
    }
}

/// What was chosen among assets, which is read once for an export.
private struct LosslessChoices: Sendable {
    let kept: KeptGroups
    let covers: Set<Asset.ID>

    init(_ catalog: Catalog) throws {
        kept = try catalog.keptGroups()
        covers = try catalog.stacks.chosenCovers()
    }
}

extension LosslessDocument.Header {
    fileprivate init(_ catalog: Catalog) throws {
        let names = try catalog.albumNames()
        self.init(picks: names.picks ?? "Picks", albums: names.others)
        stacksJoinFolders = try catalog.stacks.joinsFolders()
        editedWords = try catalog.editedWords().all
    }
}

extension LosslessDocument.Entry {
    /// Returns what the catalog knows of assets that were copied.
    fileprivate static func all(
        of assets: [Asset], at copies: [Asset.ID: FilePath], _ choices: LosslessChoices, _ catalog: Catalog
    ) throws -> [(asset: Asset, entry: Self)] {
        return try assets.compactMap { asset in
            guard let path = copies[asset.id] else { return nil }
            var entry = Self(path: path)
            for (album, position) in try catalog.memberships(of: asset.id) {
                if let album { entry.albums.append((album, position)) } else { entry.pick = position }
            }
            entry.isCover = choices.covers.contains(asset.id)
            entry.annotations = try catalog.annotations(of: asset)
            entry.kept = choices.kept.numbers(of: asset.id).map { Int($0) }
            return (asset, entry)
        }
    }
}
