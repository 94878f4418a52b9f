package import CatalogStorage
internal import Containers
internal import Files
internal import ImageMetadata
internal import ViewportGeometry

/// A sidecar that is to be written.
package struct SidecarWriting: Sendable {
    /// The path of the asset.
    package let asset: String
    package let step: OperationStep
    /// What the catalog knows from other sources than files; nil if undoing removes it from the catalog, too.
    var known: OperationStep?
    /// Whether the sidecar states everything already, so that nothing has to be written.
    let isUnchanged: Bool
    private let former: [UInt8]?
    private let bytes: [UInt8]

    /// - Throws: `AssetRefusal` if the asset cannot be edited.
    package init(of asset: Asset, _ edit: AssetEdit, in places: SidecarPlaces, _ catalog: Catalog) throws {
        let orientation =
            try edit.quarterTurns % 4 == 0 ? .up : Self.orientation(of: asset, root: places.root)
        try self.init(
            of: asset, edit.sidecarEdit(of: asset, orientation: orientation), in: places, catalog)
    }

    /// - Throws: `AssetRefusal` if the asset's sidecar cannot be edited.
    init(of asset: Asset, _ sidecarEdit: SidecarEdit, in places: SidecarPlaces, _ catalog: Catalog) throws {
        self.asset = asset.path
        // What another program has written since is unknown to the catalog, and would be overwritten.
        guard try catalog.hasCurrentSidecar(asset.id, in: places) else {
            throw AssetRefusal(
                reason: "its sidecar was changed since it was indexed", needsIndexing: true)
        }
        let whole = asset.file.adding(".xmp")
        try Self.checkLinks(of: asset.file, in: places)
        var former: [UInt8]?
        if let sidecar = asset.sidecarFile, FileStatus(places.path(of: sidecar)) != nil {
            do throws(FileError) {
                former = try SidecarReading.contents(places.path(of: sidecar))
            } catch {
                throw AssetRefusal(reason: "its sidecar \(sidecar) cannot be read: \(error.description)")
            }
        }
        // A sidecar that several files share, "a.xmp" of a.jpg and a.cr2, is copied for the one that is edited.
        let isShared = try asset.sidecar.map { try catalog.isShared($0, besides: asset.id) }
        let path = former == nil || isShared == true ? whole : asset.sidecarFile ?? whole
        do throws(SidecarFault) {
            bytes = try sidecarEdit.applied(to: former)
            let empty = try SidecarEdit().applied(to: nil)
            isUnchanged = bytes == former ?? empty
        } catch {
            throw AssetRefusal(reason: error.reason(of: "\(asset.sidecarFile ?? whole)"))
        }
        // One beside the photo stays when its successor is written to the folder of sidecars.
        let isReplaced =
            path == asset.sidecarFile && FilePath(places.path(of: path)) == FilePath(places.target(of: path))
        self.former = isReplaced ? former : nil
        guard isUnchanged || self.former == nil || !Folder.isProtected(places.target(of: path)) else {
            throw AssetRefusal(reason: "its sidecar \(path) is read-only")
        }
        step = .sidecar(path, former: self.former, new: bytes, kind: places.stepKind)
    }

    /// Refuses sidecars that are symbolic links: what they lead to may belong to others.
    private static func checkLinks(of path: FilePath, in places: SidecarPlaces) throws(AssetRefusal) {
        let candidates = Sidecars.candidates(of: path) { FileStatus("\(places.root)/\($0.text)") != nil }
        guard let link = candidates.first(where: { Folder.isLink(places.target(of: $0)) }) else { return }
        throw AssetRefusal(
            reason: "its sidecar \(link) is a symbolic link, which is not written to; replace it with a file")
    }

    /// Returns the paths of the assets whose sidecars are not those that the catalog knows.
    static func outdated(
        _ ids: [Asset.ID], in places: SidecarPlaces, _ catalog: Catalog
    ) throws -> [String] {
        let outdated = try ids.filter { try !catalog.hasCurrentSidecar($0, in: places) }
        return try catalog.assets(outdated).map(\.path)
    }

    private static func orientation(of asset: Asset, root: String) throws -> Orientation {
        do throws(FileError) {
            return try InputFile.read("\(root)/\(asset.path)") { open in
                (FileMetadata(FileBytes(open), name: asset.name)?.orientation ?? .up).followed(by: asset.turn)
            }
        } catch {
            throw AssetRefusal(reason: error.description)
        }
    }

    /// Returns what programs read of an asset's sidecar, and of its file.
    ///
    /// - Parameter includesFile: whether the file itself is read; otherwise only the sidecar is.
    static func metadata(
        of asset: Asset, in places: SidecarPlaces, includesFile: Bool
    ) throws -> FileMetadata? {
        let fault: SidecarFault?
        do throws(FileError) {
            var sidecar: [UInt8]?
            if let path = asset.sidecarFile.map(places.path(of:)), FileStatus(path) != nil {
                sidecar = try SidecarReading.contents(path)
            }
            // A picture without metadata, so that only the sidecar counts.
            let metadata =
                includesFile
                ? try InputFile.read("\(places.root)/\(asset.path)") { open in
                    FileMetadata(FileBytes(open), name: asset.name, sidecar: sidecar)
                } : FileMetadata(FileBytes(Self.emptyPicture), name: "", sidecar: sidecar)
            fault = metadata?.sidecarFault
            guard fault != nil else { return metadata }
        } catch {
            throw AssetRefusal(reason: error.description)
        }
        throw AssetRefusal(reason: fault?.reason(of: asset.sidecar ?? asset.path) ?? "")
    }

    /// A JPEG of one pixel, up to its header.
    private static let emptyPicture: [UInt8] =
        JPEGSegment.startOfImage + JPEGSegment.bytes(0xC0, [8, 0, 1, 0, 1, 1, 1, 0x11, 0])
        + JPEGSegment.bytes(0xDA, [1, 1, 0, 0, 63, 0]) + [0] + JPEGSegment.endOfImage

    /// Writes sidecars; returns the failures.
    ///
    /// - Throws: `LibraryError.unwritable` if the disk is full, `readOnly` if the storage is read-only.
    package static func write(
        _ sidecars: [SidecarWriting], in places: SidecarPlaces
    ) throws -> [IndexReport.Failure] {
        var failures: [IndexReport.Failure] = []
        for sidecar in sidecars {
            if let failure = try sidecar.write(in: places) { failures.append(failure) }
        }
        return failures
    }

    /// Writes the sidecar; returns the failure if that is impossible.
    ///
    /// - Throws: `LibraryError.unwritable` if the disk is full, `readOnly` if the storage is read-only.
    package func write(in places: SidecarPlaces) throws -> IndexReport.Failure? {
        let path = places.target(of: step.path)
        do throws(FileError) {
            try places.prepare(step.path)
            guard try PartFile.replace(former, with: bytes, at: path) else {
                let reason = "was changed by another program meanwhile, and is kept; run it again"
                return failure(reason)
            }
            try places.synchronize(step.path)
            return nil
        } catch {
            if error.isFullDisk { throw LibraryError.unwritable(path, error) }
            if error.isReadOnlyStorage { throw LibraryError(.readOnly(path, .sidecars)) }
            return failure(error.description)
        }
    }

    private func failure(_ reason: String) -> IndexReport.Failure {
        IndexReport.Failure(path: step.path.text, reason: reason.ofSidecar(of: FilePath(asset)))
    }
}
