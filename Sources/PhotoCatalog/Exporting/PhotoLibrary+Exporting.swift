internal import Digests
internal import Files

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

    /// The asset that the file belongs to.
    package var asset: Asset.ID
    /// The path of the copy below the destination folder.
    package var path: String
    /// The outcome.
    package var outcome: Outcome
    /// Whether it is a sidecar: XMP, AAE or THM.
    package var isSidecar = false
}

extension PhotoLibrary {
    /// Copies the files of assets and their sidecars into a folder; existing files are never replaced.
    ///
    /// - Parameters:
    ///   - assets: the assets to copy.
    ///   - folder: the destination; is created if it is missing.
    ///   - layout: the paths of the copies below the folder; nil for `{year}/{year}-{month}-{day}/{name}`.
    ///   - progress: receives the number of assets done, and of all.
    /// - Returns: the files that could not be copied; paths are those of the copies.
    /// - Throws: `LibraryError`, of the kind `inaccessible` if the folder cannot be written, `cancelled` if the task
    ///   was cancelled; finished copies are kept.
    @discardableResult
    public func export(
        _ assets: [Asset], to folder: String, layout: ImportLayout? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) async throws(LibraryError) -> [IndexReport.Failure] {
        var failures: [IndexReport.Failure] = []
        for (number, asset) in assets.enumerated() {
            try await export([asset], to: folder, layout: layout ?? .standard) { file in
                guard case .failed(let reason) = file.outcome else { return }
                failures.append(IndexReport.Failure(path: file.path, reason: reason))
            }
            progress(number + 1, assets.count)
        }
        return failures
    }

    /// Exports assets and reports the result for every file.
    package func export(
        _ assets: [Asset], to folder: String, layout: ImportLayout, each: (ExportedFile) -> Void
    ) async throws(LibraryError) {
        for asset in assets {
            if Task.isCancelled { throw .cancelled }
            let base = layout.base(
                for: ImportLayout.Subject(
                    date: asset.date, make: asset.make, model: asset.model, original: asset.name.baseOfPath,
                    fileExtension: asset.fileExtension))
            let result = await BackgroundQueue.result { () throws(LibraryError) in
                try self.copy(asset, to: folder, as: base)
            }
            for file in try result.get() { each(file) }
        }
    }

    private func copy(_ asset: Asset, to folder: String, as base: String) throws(LibraryError)
        -> [ExportedFile]
    {
        let ending = String(asset.name.dropFirst(asset.name.baseOfPath.count))
        let (path, outcome) = try copy(asset.path, asset, to: folder, as: base, ending: ending)
        var files = [ExportedFile(asset: asset.id, path: path, outcome: outcome)]
        if case .failed = outcome { return files }
        for sidecar in sidecars(of: asset) {
            // The sidecar in the catalog is named after the whole file name, which is unambiguous.
            let isOfWholeName = sidecar.hasPrefix(asset.path + ".") || FileExtension.of(sidecar) == "xmp"
            let ending = String(sidecar.dropFirst(sidecar.baseOfPath.count))
            let base = isOfWholeName ? path : path.baseOfPath
            let (path, outcome) = try copy(sidecar, nil, to: folder, as: base, ending: ending)
            files.append(ExportedFile(asset: asset.id, path: path, outcome: outcome, isSidecar: true))
        }
        return files
    }

    /// Returns the sidecars of an asset: "a.jpg.xmp", and "a.aae".
    private func sidecars(of asset: Asset) -> [String] {
        let folder = OutputFile.folder(of: "\(root)/\(asset.path)")
        let prefix = asset.path.contains("/") ? OutputFile.folder(of: asset.path) + "/" : ""
        let paths = Folder.names(in: folder).filter { name in
            guard FileExtension.isSidecar(name), !name.hasPrefix(".") else { return false }
            let owner = Sidecars.base(of: name)
            guard FileExtension.of(name) != "xmp" else { return prefix + name == asset.sidecar }
            return owner == asset.name || owner == asset.name.baseOfPath
        }
        return paths.sorted().map { prefix + $0 }
    }

    /// Copies a file under a name, with the first free number if the name is taken.
    ///
    /// - Parameter asset: the asset whose checksum the file has to match; nil for sidecars.
    private func copy(
        _ path: String, _ asset: Asset?, to folder: String, as base: String, ending: String
    ) throws(LibraryError) -> (path: String, outcome: ExportedFile.Outcome) {
        var name = FileName.cut(base, before: ending) + ending
        var number = 2
        while true {
            let destination = "\(folder)/\(name)"
            do {
                try Folder.make(OutputFile.folder(of: destination))
                if !OutputFolder.isThere(destination) {
                    var hash = SHA256()
                    let copy = try FileCopy(of: "\(root)/\(path)", beside: destination) { hash.update($0) }
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
                    return (name, .failed(reason: "\(root)/\(path): \(error.description)"))
                case .destination(let error): throw .unwritable(destination, reason: error.description)
                case .full: throw .unwritable(destination, reason: "the disk is full")
                }
            } catch {
                throw .unwritable(destination, reason: "\(error)")
            }
            if let there = try? FileDigest.of(destination), there == (try? FileDigest.of("\(root)/\(path)")) {
                return (name, .present)
            }
            let mark = " (\(number))\(ending)"
            name = FileName.cut(base, before: mark) + mark
            number += 1
        }
    }
}
