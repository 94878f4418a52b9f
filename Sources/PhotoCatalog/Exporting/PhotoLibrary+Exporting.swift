internal import Digests
internal import Files

/// The result of exporting one file: an asset's, or one of its sidecars.
public struct ExportedFile: Equatable, Sendable {
    /// What became of the file.
    public enum Outcome: Equatable, Sendable {
        /// The file was copied.
        case copied
        /// The same bytes were there already.
        case present
        /// The file could not be copied, and why.
        case failed(reason: String)
    }

    /// The asset that the file belongs to.
    public var asset: Asset.ID
    /// The path of the copy below the folder that was exported to.
    public var path: String
    /// What became of the file.
    public var outcome: Outcome
    /// Whether it is a sidecar: XMP, AAE or THM.
    public var isSidecar = false
}

extension PhotoLibrary {
    /// Copies the files of assets and their sidecars into a folder; existing files are never replaced.
    ///
    /// - Parameters:
    ///   - assets: whose files are copied.
    ///   - folder: the destination; is made where it is missing.
    ///   - layout: the names of the copies.
    ///   - each: receives every file as soon as it is done.
    /// - Throws: `ImportError.unwritable` where nothing can be written, `.library(.cancelled)` where the task was
    ///   cancelled; what was copied stays.
    public func export(
        _ assets: [Asset], to folder: String, layout: ImportLayout = .standard, each: (ExportedFile) -> Void
    ) async throws(ImportError) {
        for asset in assets {
            if Task.isCancelled { throw .library(.cancelled) }
            let base = layout.base(
                for: ImportLayout.Subject(
                    date: asset.date, make: asset.make, model: asset.model, original: asset.name.baseOfPath,
                    fileExtension: asset.fileExtension))
            let result = await BackgroundQueue.result { () throws(ImportError) in
                try self.copy(asset, to: folder, as: base)
            }
            for file in try result.get() { each(file) }
        }
    }

    private func copy(_ asset: Asset, to folder: String, as base: String) throws(ImportError)
        -> [ExportedFile]
    {
        let ending = String(asset.name.dropFirst(asset.name.baseOfPath.count))
        let (path, outcome) = try copy(asset.path, asset, to: folder, as: base, ending: ending)
        var files = [ExportedFile(asset: asset.id, path: path, outcome: outcome)]
        if case .failed = outcome { return files }
        for sidecar in sidecars(of: asset) {
            // The catalog's sidecar is named after the whole file, so that it is found whatever else is there.
            let isOfWholeName = sidecar.hasPrefix(asset.path + ".") || FileExtension.of(sidecar) == "xmp"
            let ending = String(sidecar.dropFirst(sidecar.baseOfPath.count))
            let base = isOfWholeName ? path : path.baseOfPath
            let (path, outcome) = try copy(sidecar, nil, to: folder, as: base, ending: ending)
            files.append(ExportedFile(asset: asset.id, path: path, outcome: outcome, isSidecar: true))
        }
        return files
    }

    /// The files beside an asset's that tell about it: "a.jpg.xmp", and "a.aae".
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

    /// Copies a file under a name, or that name with the first number that is free.
    ///
    /// - Parameter asset: what the file is, where it has to have the bytes that were indexed.
    private func copy(
        _ path: String, _ asset: Asset?, to folder: String, as base: String, ending: String
    ) throws(ImportError) -> (path: String, outcome: ExportedFile.Outcome) {
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
