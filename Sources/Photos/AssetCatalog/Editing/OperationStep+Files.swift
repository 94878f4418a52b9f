internal import CatalogStorage
internal import Digests
internal import Files
internal import ImageMetadata

extension OperationStep {
    static func sidecar(_ path: FilePath, former: [UInt8]?, new: [UInt8], kind: Kind) -> Self {
        Self(kind: kind, path: path, other: digest(new), former: former)
    }

    /// The path of its file; nil if it is in a folder of sidecars that the library has no more.
    func file(in places: SidecarPlaces) -> String? {
        kind == .sidecarInFolder ? places.folder.map { "\($0)/\(path.text)" } : "\(places.root)/\(path.text)"
    }

    /// What only the catalog knows of an asset; nil if there is nothing.
    static func known(_ asset: Asset) -> Self? {
        let isTracked = asset.location?.source == .track
        var zone: String?
        if let source = asset.date?.zoneSource, case .assumed = source { zone = source.stored }
        guard isTracked || zone != nil else { return nil }
        return Self(kind: .known, path: asset.file, other: zone, former: isTracked ? [] : nil)
    }

    private static func digest(_ bytes: [UInt8]) -> String { SHA256.hash(bytes.span).hexadecimal }

    /// Restores the file of the step; returns the reason if that is impossible.
    package func restore(in places: SidecarPlaces) -> String? {
        guard let path = file(in: places) else {
            return "is in a folder of sidecars that the library has no more; name it with --sidecars"
        }
        let root = places.root
        do throws(FileError) {
            switch kind {
            case .sidecar, .sidecarInFolder:
                let now = FileStatus(path) == nil ? nil : try InputFile.contents(path)
                // Both are equal where an undo was killed after this step.
                if now != former {
                    guard let now, Self.digest(now) == other else { return "was changed since, and is kept" }
                    if let former {
                        guard try PartFile.replace(now, with: former, at: path) else {
                            return "was changed since, and is kept"
                        }
                    } else {
                        OutputFile.remove(path)
                    }
                }
                // Also those above a file that a killed process has removed.
                if former == nil, kind == .sidecarInFolder { places.removeEmptyFolders(above: self.path) }
            case .trash:
                guard let other else { return nil }
                let trash = TrashFolder(root: root)
                guard FileStatus("\(root)/\(other)") != nil else {
                    trash.removeEmptyFolders(above: FilePath(other))
                    // It is back already where an undo was killed after this step.
                    return FileStatus(path) == nil ? "is no longer in the trash" : nil
                }
                try Folder.make(OutputFile.folder(of: path), mode: 0o777)
                guard try Folder.moveToNewName("\(root)/\(other)", path) else {
                    return "\(TrashUnit.nameIsTaken); rename that and undo again"
                }
                trash.removeEmptyFolders(above: FilePath(other))
            case .joined, .left, .album, .row, .kept, .known: break
            }
            return nil
        } catch {
            return error.description
        }
    }
}

extension TrashUnit {
    /// The move of the asset's own file; nil if it is no longer in the log.
    private var own: OperationStep? { rows.last.flatMap { row in moves.last { $0.path == row.path } } }

    /// The numbers of the moves of its film and its sidecars, by that of the asset's own file.
    var companions: [Int: [Int]] {
        own.map { own in [own.number: moves.map(\.number).filter { $0 != own.number }] } ?? [:]
    }

    /// Why its asset cannot be restored; nil if nothing is known against it.
    func fault(in root: String) -> IndexReport.Failure? {
        guard let own else { return nil }
        let isThere = FileStatus("\(root)/\(own.path.text)") != nil
        guard own.isInTrash(of: root) == isThere else { return nil }
        return IndexReport.Failure(
            path: own.path.text, reason: isThere ? Self.nameIsTaken : "is no longer in the trash")
    }

    static let nameIsTaken = "stays in the trash, for another file has its name"

    /// Whether some of its files are still, or again, where they were.
    func isPending(in root: String) -> Bool {
        moves.contains { FileStatus("\(root)/\($0.path.text)") != nil && !$0.isInTrash(of: root) }
    }
}
