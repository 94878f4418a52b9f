internal import Basics
package import Batches
internal import Containers
internal import Digests
package import Files
internal import Synchronization
internal import ViewportRendering

/// Thumbnails at the paths of a template.
///
/// A thumbnail has the modification time of its source and a mark; it is valid while both match. An existing file
/// without a mark is only replaced on request.
package final class TemplateStore: ThumbnailStore {
    private let template: OutputTemplate
    private let recipe: ThumbnailRecipe
    private let fingerprint: String
    private let replacesOthers: Bool
    private let inputs: ListedFiles
    private let folders: PreparedFolders

    /// The folders that exist, for the stores of all recipes of a batch.
    private final class PreparedFolders: Sendable {
        struct State {
            var ready: Set<BatchPlan.Digest> = []
            var begun: [BatchPlan.Digest: Once<Void>] = [:]
        }

        let state = Mutex(State())
    }

    /// - Parameter inputs: all files of the batch; only evaluated before a file without a mark is replaced.
    package convenience init(
        _ template: OutputTemplate, _ recipe: ThumbnailRecipe, replacesOthers: Bool = false,
        inputs: ListedFiles = ListedFiles { nil }
    ) {
        self.init(template, recipe, replacesOthers, inputs, PreparedFolders())
    }

    private init(
        _ template: OutputTemplate, _ recipe: ThumbnailRecipe, _ replacesOthers: Bool, _ inputs: ListedFiles,
        _ folders: PreparedFolders
    ) {
        (self.inputs, self.folders) = (inputs, folders)
        self.template = template
        self.recipe = recipe
        fingerprint = recipe.shortFingerprint
        self.replacesOthers = replacesOthers
    }

    package func store(for recipe: ThumbnailRecipe) -> (any ThumbnailStore)? {
        TemplateStore(template, recipe, replacesOthers, inputs, folders)
    }

    package var naming: OutputNaming? {
        OutputNaming(
            template,
            recipe.sizes.map {
                OutputNaming.Size(
                    "\($0)", width: $0.width, height: $0.height, format: recipe.format.rawValue)
            })
    }

    package func outputs(of item: BatchItem) throws(BatchFailure) -> [String] {
        try naming?.outputs(of: item) ?? []
    }

    package func existing(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) -> KeptThumbnails? {
        var kept = KeptThumbnails(outputs: [])
        for (size, path) in zip(recipe.sizes, outputs) {
            guard let status = FileStatus(path), status.isDated(as: source),
                let file = try? InputFile.contents(path),
                let mark = ThumbnailMark(of: file, recipe.format.fileKind),
                mark.recipe == fingerprint, mark.sourceBytes == source.size
            else { return nil }
            kept.outputs.append(StoredThumbnail(size, mark.width, mark.height, file, path))
            kept.placeholder = mark.placeholder
        }
        guard kept.placeholder != nil || !recipe.makesPlaceholder else { return nil }
        return kept
    }

    package func prepare(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus
    ) throws(BatchFailure) {
        for path in outputs {
            do throws(FileError) {
                try prepare(folder: OutputFile.folder(of: path))
                try output(path, of: item).check()
            } catch {
                throw BatchFailure(writing: error, path)
            }
        }
    }

    private func output(_ path: String, of item: BatchItem) -> Output {
        let kind = recipe.format.fileKind
        return Output(path, kind, overwrites: replacesOthers) { path in
            (try? InputFile.contents(path)).map { ThumbnailMark.isThere(in: $0, kind) } ?? false
        } isInput: { [self] file in
            FileIdentity(item.file) == file || replacesOthers && inputs.contain(file)
        }
    }

    /// Creates a folder and removes leftovers of dead processes, once.
    private func prepare(folder: String) throws(FileError) {
        let digest = BatchPlan.Digest(folder)
        let preparation = folders.state.withLock { folders -> Once<Void>? in
            guard !folders.ready.contains(digest) else { return nil }
            let preparation = folders.begun[digest] ?? Once()
            folders.begun[digest] = preparation
            return preparation
        }
        // A second thread waits until the folder exists.
        try preparation?.value(cancelled: .cancelled) { () throws(FileError) in
            try Folder.make(folder, mode: 0o777)
            TemporaryName.sweep(folder)
            folders.state.withLock { folders in
                folders.ready.insert(digest)
                folders.begun[digest] = nil
            }
        }
    }

    package func write(
        _ made: [Thumbnail], placeholder: String?, of item: BatchItem, to outputs: [String],
        _ source: FileStatus
    ) throws(BatchFailure) -> [StoredThumbnail] {
        var stored: [StoredThumbnail] = []
        for (thumbnail, path) in zip(made, outputs) {
            let mark = ThumbnailMark(
                recipe: fingerprint, sourceBytes: source.size, width: thumbnail.width,
                height: thumbnail.height,
                placeholder: placeholder)
            let file = mark.added(to: thumbnail.bytes, recipe.format.fileKind)
            do throws(FileError) {
                try output(path, of: item).write(file, modified: source.modified)
            } catch {
                throw BatchFailure(writing: error, path)
            }
            stored.append(StoredThumbnail(thumbnail.size, thumbnail.width, thumbnail.height, file, path))
        }
        return stored
    }

    package func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus) {}
}

extension FileStatus {
    /// Whether two files have the same modification time, in the precision of the disk: a microsecond or a second.
    fileprivate func isDated(as other: FileStatus) -> Bool {
        modified / 1000 == other.modified / 1000
            || modified % 1_000_000_000 == 0 && modified / 1_000_000_000 == other.modified / 1_000_000_000
    }
}

extension ThumbnailRecipe {
    /// The fingerprint in 16 hexadecimal digits.
    package var shortFingerprint: String {
        SHA256.hash(fingerprint).hexadecimal(first: 8)
    }
}

/// A place for the thumbnails of a batch.
package protocol ThumbnailStore: Sendable {
    /// Returns the store of thumbnails of another recipe, whose sizes and format are the same; nil where it holds those of
    /// one recipe only.
    func store(for recipe: ThumbnailRecipe) -> (any ThumbnailStore)?

    /// How paths follow from an item's path and id; nil if they need more.
    var naming: OutputNaming? { get }

    /// Returns the paths of an item's thumbnails, in the order of the recipe's sizes.
    func outputs(of item: BatchItem) throws(BatchFailure) -> [String]

    /// Returns the thumbnails if all exist, are undamaged, and match the recipe and the current file.
    func existing(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) -> KeptThumbnails?

    /// Checks whether the thumbnails can be written, before they are made, and creates folders.
    func prepare(_ item: BatchItem, _ outputs: [String], _ source: FileStatus) throws(BatchFailure)

    /// Writes thumbnails, each atomically.
    func write(
        _ made: [Thumbnail], placeholder: String?, of item: BatchItem, to outputs: [String],
        _ source: FileStatus
    ) throws(BatchFailure) -> [StoredThumbnail]

    /// Records that a file failed, if the store can.
    func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus)
}

/// Existing thumbnails.
package struct KeptThumbnails: Sendable {
    package var outputs: [StoredThumbnail]
    package var placeholder: String?
}
