internal import Basics
internal import Digests
package import Files
internal import Synchronization
public import WorkReporting

/// The result of exporting one file: an asset's, or one of its sidecars.
package struct ExportedFile: Equatable, Sendable {
    /// The outcome for a file.
    package enum Outcome: Equatable, Sendable {
        /// The file was copied.
        case copied
        /// An equal file existed already.
        case present
        /// The file could not be copied.
        case failed(reason: String)
    }

    /// Why the file could not be copied, with the path of the copy; nil if it was.
    package var failure: IndexReport.Failure? {
        guard case .failed(let reason) = outcome else { return nil }
        return IndexReport.Failure(path: path.text, reason: reason)
    }

    /// The asset that the file belongs to.
    package var asset: Asset.ID
    /// The path of the copy below the destination folder.
    package var path: FilePath
    /// The outcome.
    package var outcome: Outcome
    /// Whether it is a sidecar: XMP, AAE or THM.
    package var isSidecar: Bool
    /// Why the copy lacks the gain map of the asset's file; nil where nothing is missing.
    package var lacksGainMap: String?

    package init(asset: Asset.ID, path: FilePath, outcome: Outcome, isSidecar: Bool = false) {
        (self.asset, self.path, self.outcome, self.isSidecar) = (asset, path, outcome, isSidecar)
    }

    /// Returns the files that an export reports as not copied.
    package static func failures(
        of export: (_ each: (ExportedFile) -> Void) async throws -> Void
    ) async throws -> [IndexReport.Failure] {
        var failures: [IndexReport.Failure] = []
        try await export { file in
            if let failure = file.failure { failures.append(failure) }
        }
        return failures
    }
}

/// The paths of an export's files below its folder.
package enum ExportPaths: Sendable {
    case layout(ImportLayout)
    /// Those in the library, also of sidecars.
    case unchanged
}

/// What is exported of an asset.
package enum ExportContent: Sendable {
    /// Its file and its sidecars, unchanged.
    case original
    /// Another file, with the extension of its name (nil for that of the asset's), and its XMP sidecar.
    ///
    /// The last value states why it lacks the gain map of the asset's file; nil where nothing is missing.
    case made([UInt8], ending: String?, sidecar: [UInt8]?, lacksGainMap: String? = nil)
    /// Nothing, with the reason as the end of a sentence.
    case refused(String)
}

extension PhotoLibrary {
    /// Copies the files of assets and their sidecars into a folder; existing files are never replaced.
    ///
    /// - Parameters:
    ///   - assets: the assets to copy.
    ///   - folder: the destination; is created if it is missing.
    ///   - layout: the paths of the copies below the folder; nil for `{year}/{year}-{month}-{day}/{name}`.
    ///   - progress: receives the assets that are done.
    /// - Returns: the files that could not be copied; paths are those of the copies.
    /// - Throws: `LibraryError`, of the kind `inaccessible` if the folder cannot be written; `CancellationError`:
    ///   finished copies are kept.
    @discardableResult
    public func export(
        _ assets: [Asset], to folder: String, layout: ImportLayout? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [IndexReport.Failure] {
        try await ExportedFile.failures { each in
            try await export(
                assets, to: folder, .layout(layout ?? .standard), progress: progress, each: each)
        }
    }

    /// Exports assets and reports the result for every file.
    ///
    /// - Parameters:
    ///   - content: returns what is exported of an asset; called on several threads, which it may block.
    ///   - each: receives each file; the export ends with an error that it throws.
    package func export(
        _ assets: [Asset], to folder: String, _ paths: ExportPaths,
        content: @escaping @Sendable (Asset) -> ExportContent = { _ in .original },
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }, each: (ExportedFile) throws -> Void
    ) async throws {
        let reporter = ProgressReporter(.files, of: assets.count, progress)
        let batch = Processors.count
        let folders = ExportFolders()
        for start in stride(from: 0, to: assets.count, by: batch) {
            if Task.isCancelled { throw CancellationError() }
            let part = Array(assets[start...].prefix(batch))
            let result = await BackgroundQueue.result {
                let contents = Processors.map(below: part.count) { content(part[$0]) }
                var files: [ExportedFile] = []
                // In order, so that names that are taken get the same numbers in every run.
                for (asset, content) in zip(part, contents) {
                    files += try self.export(asset, content, to: folder, paths, folders)
                }
                return files
            }
            for file in try result.get() { try each(file) }
            reporter.report(start + part.count)
        }
        reporter.finish()
    }

    private func export(
        _ asset: Asset, _ content: ExportContent, to folder: String, _ paths: ExportPaths,
        _ folders: ExportFolders
    ) throws -> [ExportedFile] {
        var subject = ImportLayout.Subject(
            date: asset.date, make: asset.make, model: asset.model,
            original: asset.file.name.withoutExtension.text,
            fileExtension: asset.fileExtension)
        switch content {
        case .original: return try copy(asset, to: folder, as: paths.base(of: asset, subject), paths, folders)
        case .made(let bytes, let ending, let sidecar, let lacksGainMap):
            if let ending { subject.fileExtension = ending }
            let suffix = ending.map { ".\($0)" } ?? asset.file.ending
            let (path, outcome) = try place(
                bytes, of: asset, to: folder, as: paths.base(of: asset, subject), ending: suffix, folders)
            var files = [ExportedFile(asset: asset.id, path: path, outcome: outcome)]
            files[0].lacksGainMap = lacksGainMap
            if let sidecar {
                let (path, outcome) = try place(
                    sidecar, of: asset, to: folder, as: path, ending: ".xmp", folders)
                files.append(ExportedFile(asset: asset.id, path: path, outcome: outcome, isSidecar: true))
            }
            return files
        case .refused(let reason):
            let source = "\(root)/\(asset.path)"
            // Errors of rendering name the file already.
            let sentence = reason.hasPrefix(source) ? reason : "\(source): \(reason)"
            return [
                ExportedFile(
                    asset: asset.id, path: paths.base(of: asset, subject).adding(asset.file.ending),
                    outcome: .failed(reason: sentence))
            ]
        }
    }

    /// Writes a file under a name, with the first free number if the name is taken by another content.
    private func place(
        _ bytes: [UInt8], of asset: Asset, to folder: String, as base: FilePath, ending: String,
        _ folders: ExportFolders
    ) throws -> (path: FilePath, outcome: ExportedFile.Outcome) {
        var number = 1
        while true {
            let name = Self.numbered(number, base, ending)
            let destination = "\(folder)/\(name.text)"
            do throws(FileError) {
                try folders.prepare(FilePath(destination).folder)
                if !OutputFolder.isThere(destination),
                    try PartFile.writeNew(bytes, to: destination, modified: asset.modifiedNanoseconds)
                {
                    return (name, .copied)
                }
            } catch {
                throw LibraryError.unwritable(destination, error)
            }
            if FileStatus(destination)?.size == bytes.count, (try? InputFile.contents(destination)) == bytes {
                return (name, .present)
            }
            number += 1
        }
    }

    private func copy(
        _ asset: Asset, to folder: String, as base: FilePath, _ paths: ExportPaths, _ folders: ExportFolders
    ) throws -> [ExportedFile] {
        let (path, outcome) = try copy(
            asset.file, asset, to: folder, as: base, ending: asset.file.ending, folders)
        var files = [ExportedFile(asset: asset.id, path: path, outcome: outcome)]
        if case .failed = outcome { return files }
        for sidecar in Companions.sidecars(of: asset, in: places) {
            // The sidecar in the catalog is named after the whole file name, which is unambiguous.
            let isOfWholeName = sidecar.hasPrefix("\(asset.path).") || FileExtension.of(sidecar) == "xmp"
            let version = SidecarVersion.owner(of: sidecar).flatMap {
                $0.photo == asset.file ? $0.number : nil
            }
            let base = paths.base(
                ofSidecar: sidecar,
                beside: version.map { SidecarVersion.name($0, of: path) }
                    ?? (isOfWholeName ? path : path.withoutExtension))
            var (path, outcome) = try copy(
                sidecar, nil, to: folder, as: base, ending: sidecar.ending, folders)
            if case .failed(let reason) = outcome {
                outcome = .failed(reason: reason.ofSidecar(of: asset.file))
            }
            files.append(ExportedFile(asset: asset.id, path: path, outcome: outcome, isSidecar: true))
        }
        return files
    }

    /// The path of a copy, with a number from 2 on.
    private static func numbered(_ number: Int, _ base: FilePath, _ ending: String) -> FilePath {
        let ending = number == 1 ? ending : " (\(number))\(ending)"
        return FilePath(FileName.cut(base.text, before: ending) + ending)
    }

    /// Copies a file under a name, with the first free number if the name is taken.
    ///
    /// - Parameter asset: the asset whose checksum the file has to match; nil for sidecars.
    private func copy(
        _ path: FilePath, _ asset: Asset?, to folder: String, as base: FilePath, ending: String,
        _ folders: ExportFolders
    ) throws -> (path: FilePath, outcome: ExportedFile.Outcome) {
        let source = asset == nil ? places.path(of: path) : self.path(of: path)
        var number = 1
        while true {
            let name = Self.numbered(number, base, ending)
            let destination = "\(folder)/\(name.text)"
            do {
                try folders.prepare(FilePath(destination).folder)
                if !OutputFolder.isThere(destination) {
                    var hash = SHA256()
                    let copy = try FileCopy(of: source, beside: destination) { hash.update($0) }
                    if let asset, copy.source.status.size == asset.bytes,
                        copy.source.status.modified == asset.modifiedNanoseconds,
                        hash.finalize().hexadecimal != asset.sha256
                    {
                        copy.discard()
                        return (name, .failed(reason: Asset.damage))
                    }
                    if try copy.publish(as: destination) { return (name, .copied) }
                    copy.discard()
                }
            } catch let error as FileCopy.Failure {
                switch error {
                case .source(let error):
                    return (name, .failed(reason: "\(source): \(error.description)"))
                case .destination(let error): throw LibraryError.unwritable(destination, error)
                case .full: throw LibraryError(.unwritable(destination, reason: "the disk is full"))
                }
            } catch let error as FileError {
                throw LibraryError.unwritable(destination, error)
            } catch {
                throw LibraryError(.unwritable(destination, reason: "\(error)"))
            }
            if let there = try? FileDigest.of(destination), there == (try? FileDigest.of(source)) {
                return (name, .present)
            }
            number += 1
        }
    }
}

extension ExportPaths {
    /// Returns the path of a copy without its extension.
    fileprivate func base(of asset: Asset, _ subject: ImportLayout.Subject) -> FilePath {
        switch self {
        case .layout(let layout): layout.base(for: subject)
        case .unchanged: asset.file.withoutExtension
        }
    }

    /// Returns the path of the copy of a sidecar without its extension; `place` is that beside the copy of its asset.
    fileprivate func base(ofSidecar sidecar: FilePath, beside place: FilePath) -> FilePath {
        switch self {
        case .layout: place
        case .unchanged: sidecar.withoutExtension
        }
    }
}

/// The folders of an export, each cleaned of what killed exports have left in it.
private final class ExportFolders: Sendable {
    private let cleaned = Mutex(Set<FilePath>())

    /// Creates a folder where it is missing.
    func prepare(_ folder: FilePath) throws(FileError) {
        try Folder.make(folder.text, mode: 0o777)
        guard cleaned.withLock({ $0.insert(folder).inserted }) else { return }
        FileCopy.sweep(folder.text)
        TemporaryName.sweep(folder.text)
    }
}
