internal import Files

/// A copy that was made of an asset's file, or why there is none.
public struct ExportedFile: Equatable, Sendable {
    public enum Outcome: Equatable, Sendable {
        case copied
        /// The same bytes were there already.
        case present
        case failed(reason: String)
    }

    public var asset: Asset.ID
    /// Below the folder that was exported to.
    public var path: String
    public var outcome: Outcome
}

extension PhotoLibrary {
    /// Copies the files of assets and their sidecars into a folder; what is there is never replaced.
    ///
    /// - Parameters:
    ///   - folder: is made where it is missing.
    ///   - each: gets every file as soon as it is done.
    public func export(
        _ assets: [Asset], to folder: String, layout: ImportLayout = .standard, each: (ExportedFile) -> Void
    ) async throws(ImportError) {
        for asset in assets {
            if Task.isCancelled { throw .library(.cancelled) }
            let base = layout.base(
                for: ImportLayout.Subject(
                    date: asset.date, make: asset.make, model: asset.model, original: asset.name.baseOfPath,
                    fileExtension: asset.fileExtension))
            let ending = String(asset.name.dropFirst(asset.name.baseOfPath.count))
            let result = await BackgroundQueue.result { () throws(ImportError) in
                try self.copy(asset.path, to: folder, as: base, ending: ending)
            }
            let file = try result.get()
            each(ExportedFile(asset: asset.id, path: file.path, outcome: file.outcome))
            if let sidecar = asset.sidecar {
                let copied = await BackgroundQueue.result { () throws(ImportError) in
                    try self.copy(sidecar, to: folder, as: file.path, ending: ".xmp")
                }
                _ = try copied.get()
            }
        }
    }

    /// Copies a file under a name, or that name with the first number that is free.
    private func copy(
        _ path: String, to folder: String, as base: String, ending: String
    ) throws(ImportError) -> (path: String, outcome: ExportedFile.Outcome) {
        var name = FileName.cut(base, before: ending) + ending
        var number = 2
        while true {
            let destination = "\(folder)/\(name)"
            do {
                try Folder.make(OutputFile.folder(of: destination))
                if !OutputFolder.isThere(destination) {
                    let copy = try FileCopy(of: "\(root)/\(path)", beside: destination) { _ in }
                    if try copy.publish(as: destination) { return (name, .copied) }
                    copy.discard()
                }
            } catch let error as FileCopy.Failure {
                switch error {
                case .source(let error): return (name, .failed(reason: error.description))
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
