internal import Files
internal import GRDB
internal import ImageMetadata
internal import ViewportGeometry

/// A sidecar that is to be written.
struct SidecarWriting: Sendable {
    /// The path of the asset.
    let asset: String
    let step: OperationStep
    /// What the catalog knows from other sources than files; nil if undoing removes it from the catalog, too.
    var known: OperationStep?
    private let former: [UInt8]?
    private let bytes: [UInt8]

    /// - Throws: `AssetEdit.Refusal` if the asset cannot be edited.
    init(of asset: Asset, _ edit: AssetEdit, root: String, _ database: Database) throws {
        let orientation = try edit.quarterTurns % 4 == 0 ? .up : Self.orientation(of: asset, root: root)
        try self.init(
            of: asset, edit.sidecarEdit(of: asset, orientation: orientation), root: root, database)
    }

    /// - Throws: `AssetEdit.Refusal` if the asset's sidecar cannot be edited.
    init(of asset: Asset, _ sidecarEdit: SidecarEdit, root: String, _ database: Database) throws {
        self.asset = asset.path
        // What another program has written since is unknown to the catalog, and would be overwritten.
        guard try Self.isCurrent(asset.id, root: root, database) else {
            throw AssetEdit.Refusal(
                reason: "its sidecar was changed since it was indexed", needsIndexing: true)
        }
        let whole = "\(asset.path).xmp"
        var former: [UInt8]?
        if let sidecar = asset.sidecar, FileStatus("\(root)/\(sidecar)") != nil {
            do throws(FileError) {
                former = try InputFile.contents("\(root)/\(sidecar)")
            } catch {
                throw AssetEdit.Refusal(reason: "its sidecar \(sidecar) cannot be read: \(error.description)")
            }
        }
        // A sidecar that several files share, "a.xmp" of a.jpg and a.cr2, is copied for the one that is edited.
        let isShared = try asset.sidecar.map { sidecar in
            try Bool.fetchOne(
                database, sql: "SELECT 1 FROM asset WHERE sidecar = ? AND id <> ?",
                arguments: [sidecar, asset.id]) ?? false
        }
        let path = former == nil || isShared == true ? whole : asset.sidecar ?? whole
        do throws(SidecarEditError) {
            bytes = try sidecarEdit.applied(to: former)
        } catch {
            throw AssetEdit.Refusal(
                reason: "its sidecar \(asset.sidecar ?? whole) is not XMP; repair or remove it")
        }
        self.former = path == asset.sidecar ? former : nil
        step = .sidecar(path, former: self.former, new: bytes)
    }

    /// Returns the paths of the assets whose sidecars are not those that the catalog knows.
    static func outdated(_ ids: [Asset.ID], root: String, _ database: Database) throws -> [String] {
        let outdated = try ids.filter { try !isCurrent($0, root: root, database) }
        return try Asset.fetch(outdated, database).map(\.path)
    }

    /// Whether an asset's sidecar is the one that the catalog knows; true if the asset is gone.
    private static func isCurrent(_ id: Asset.ID, root: String, _ database: Database) throws -> Bool {
        let find = try database.cachedStatement(
            sql: "SELECT path, sidecar, sidecarBytes, sidecarModified FROM asset WHERE id = ?")
        guard let row = try Row.fetchOne(find, arguments: [id]) else { return true }
        let known = (row[1] as String?).map {
            ScannedFile.Sidecar(path: $0, bytes: row[2] ?? 0, modified: row[3] ?? 0)
        }
        return known == ScannedFile.Sidecar(of: row[0], root: root)
    }

    private static func orientation(of asset: Asset, root: String) throws -> Orientation {
        do throws(FileError) {
            return try InputFile.read("\(root)/\(asset.path)") { open in
                (FileMetadata(FileBytes(open), name: asset.name)?.orientation ?? .up).followed(by: asset.turn)
            }
        } catch {
            throw AssetEdit.Refusal(reason: error.description)
        }
    }

    /// Returns what programs read of an asset's sidecar, and of its file.
    ///
    /// - Parameter includesFile: whether the file itself is read; otherwise only the sidecar is.
    static func metadata(of asset: Asset, root: String, includesFile: Bool) throws -> FileMetadata? {
        do throws(FileError) {
            var sidecar: [UInt8]?
            if let path = asset.sidecar, FileStatus("\(root)/\(path)") != nil {
                sidecar = try InputFile.contents("\(root)/\(path)")
            }
            guard includesFile else {
                // A picture without metadata, so that only the sidecar counts.
                return FileMetadata(FileBytes(Self.emptyPicture), name: "", sidecar: sidecar)
            }
            return try InputFile.read("\(root)/\(asset.path)") { open in
                FileMetadata(FileBytes(open), name: asset.name, sidecar: sidecar)
            }
        } catch {
            throw AssetEdit.Refusal(reason: error.description)
        }
    }

    /// A JPEG of one pixel, up to its header.
    private static let emptyPicture: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0,
        0xFF, 0xD9,
    ]

    /// Writes sidecars; returns the failures.
    ///
    /// - Throws: `LibraryError.unwritable` if the disk is full.
    static func write(
        _ sidecars: [SidecarWriting], in root: String
    ) throws(LibraryError) -> [IndexReport.Failure] {
        var failures: [IndexReport.Failure] = []
        for sidecar in sidecars {
            if let failure = try sidecar.write(in: root) { failures.append(failure) }
        }
        return failures
    }

    /// Writes the sidecar; returns the failure if that is impossible.
    ///
    /// - Throws: `LibraryError.unwritable` if the disk is full.
    func write(in root: String) throws(LibraryError) -> IndexReport.Failure? {
        let path = "\(root)/\(step.path)"
        do throws(FileError) {
            guard try PartFile.replace(former, with: bytes, at: path) else {
                let reason = "was changed by another program meanwhile, and is kept; run it again"
                return IndexReport.Failure(path: step.path, reason: reason)
            }
            try Folder.synchronize(OutputFile.folder(of: path))
            return nil
        } catch {
            if error.isFullDisk { throw .unwritable(path, reason: error.cause) }
            return IndexReport.Failure(path: step.path, reason: error.description)
        }
    }
}
