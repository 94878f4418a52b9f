internal import Basics
internal import CatalogStorage
package import Files

/// Where the sidecars of a library lie: beside the photos, or first in a folder of their own.
///
/// That folder has them at the paths of the photos, byte for byte. Its mark says whose sidecars it has, so that two
/// libraries never share one, and so that the empty folder of a disk that is not mounted is not taken for it.
package struct SidecarPlaces: Sendable {
    package let root: String
    /// The folder of sidecars; nil if they lie beside the photos only.
    let folder: String?

    /// The path of a sidecar by its path below the root: in the folder if it is there.
    func path(of sidecar: FilePath) -> String {
        if let folder, FileStatus("\(folder)/\(sidecar.text)") != nil { return "\(folder)/\(sidecar.text)" }
        return "\(root)/\(sidecar.text)"
    }

    /// The path to which a sidecar is written.
    package func target(of sidecar: FilePath) -> String { "\(folder ?? root)/\(sidecar.text)" }

    /// The path of the file that says whose sidecars a folder has.
    package static func mark(of folder: String) -> String { "\(folder)/\(SidecarSetting.markName)" }

    /// The kind of the step by which a sidecar is written.
    var stepKind: OperationStep.Kind { folder == nil ? .sidecar : .sidecarInFolder }

    /// Returns the sidecars in the folder of photos of a folder; nil if there are none.
    package func listing(of photos: FilePath, _ scope: EntryScope) throws(FileError) -> FolderListing? {
        guard let folder else { return nil }
        do throws(FileError) {
            return try FolderListing(photos == "" ? folder : "\(folder)/\(photos.text)", scope)
        } catch .missing {
            return nil
        }
    }

    /// Throws if sidecars cannot be written because the photos are on read-only storage.
    func checkWriting() throws {
        if folder == nil, Folder.writingFault(root)?.isReadOnlyStorage == true {
            throw LibraryError(.readOnly(root, .sidecars))
        }
    }

    /// Creates the folder of a sidecar in the folder of sidecars.
    func prepare(_ sidecar: FilePath) throws(FileError) {
        guard folder != nil else { return }
        try Folder.make(OutputFile.folder(of: target(of: sidecar)), mode: 0o777)
    }

    /// Synchronizes the entries of the folders of a sidecar to disk.
    package func synchronize(_ sidecar: FilePath) throws(FileError) {
        let parent = OutputFile.folder(of: target(of: sidecar))
        if let folder { try Folder.synchronize(parent, upTo: folder) } else { try Folder.synchronize(parent) }
    }

    /// Removes the folders that a removed sidecar has left empty in the folder of sidecars.
    func removeEmptyFolders(above sidecar: FilePath) {
        guard let folder else { return }
        var parent = FilePath(target(of: sidecar)).folder
        while parent.below(FilePath(folder)) != nil {
            Folder.removeEmpty(parent.text)
            parent = parent.folder
        }
    }
}

/// The folder of a library's sidecars, as the catalog remembers it.
struct SidecarSetting: Equatable, Sendable {
    var folder: String
    /// The identifier of the library in the folder's mark.
    var library: String

    init(folder: String, library: String) { (self.folder, self.library) = (folder, library) }

    /// Reads the setting; nil if there is none.
    init?(_ catalog: Catalog) throws {
        guard let folder = try catalog.settings.value(.sidecars),
            let library = try catalog.settings.value(.sidecarsLibrary)
        else { return nil }
        self.init(folder: folder, library: library)
    }

    func store(_ catalog: Catalog) throws {
        try catalog.settings.set(.sidecars, folder)
        try catalog.settings.set(.sidecarsLibrary, library)
    }

    /// Returns the identifier of the library, and stores a new one before a folder is marked with it.
    static func identifier(_ catalog: Catalog) throws -> String {
        if let known = try catalog.settings.value(.sidecarsLibrary) { return known }
        let new = String(UInt64.random(in: 0...(.max)), radix: 16)
        try catalog.settings.set(.sidecarsLibrary, new)
        return new
    }

    static func remove(_ catalog: Catalog) throws {
        try catalog.settings.set(.sidecars, nil)
    }
}

extension SidecarSetting {
    /// The file that says whose sidecars a folder has.
    fileprivate static let markName = ".viewport-sidecars"

    private var markPath: String { SidecarPlaces.mark(of: folder) }

    private var mark: JSONValue? {
        guard let bytes = try? InputFile.contents(markPath) else { return nil }
        return (try? JSONValue(parsing: bytes)) ?? .null
    }

    /// Whether the folder is there, with the sidecars of this library.
    var isThere: Bool { mark?["library"]?.string == library }

    /// Marks the folder as that of this library's sidecars, and creates it where it is missing.
    func claim(root: String) throws {
        let text = JSONValue.object(["library": .string(library), "root": .string(root)]).description
        do throws(FileError) {
            if mark == nil {
                try Folder.make(folder, mode: 0o777)
                // Another process may mark it meanwhile.
                _ = try PartFile.writeNew(Array("\(text)\n".utf8), to: markPath)
            }
        } catch {
            throw LibraryError.unwritable(folder, error)
        }
        guard !isThere else { return }
        let owner = mark?["root"]?.string.map { "the library \($0)" } ?? "another library"
        throw LibraryError(
            .sidecars(
                folder,
                reason:
                    "has the sidecars of \(owner); name another folder, or remove \(markPath) if that is gone"
            ))
    }
}

extension SidecarPlaces {
    /// Chooses the folder of sidecars when a library is opened, and remembers it in the catalog.
    ///
    /// - Parameter asked: the folder to use from now on; nil for the remembered one, the root for none.
    init(root: String, asked: String?, _ catalog: CatalogStore) throws {
        let stored = try catalog.readAndWait { try SidecarSetting($0) }
        guard let asked else {
            self.init(root: root, folder: stored?.folder)
            return
        }
        let folder = ProcessEnvironment.futurePath(asked)
        let isOther =
            stored.map {
                FilePath($0.folder) != FilePath(folder) && !Folder.isSame($0.folder, as: folder)
            } ?? false
        if let stored, isOther, stored.isThere {
            throw LibraryError(
                .sidecars(
                    stored.folder,
                    reason: "has the sidecars of this library; move that folder before you name another one"))
        }
        guard FilePath(folder) != FilePath(root) else {
            if stored != nil { try catalog.writeAndWait { try SidecarSetting.remove($0) } }
            self.init(root: root, folder: nil)
            return
        }
        if let below = FilePath(folder).below(FilePath(root)),
            !below.names.contains(where: { $0.hasPrefix(".") })
        {
            throw LibraryError(.sidecars(folder, reason: "is in the library; name a folder outside of it"))
        }
        var library = stored?.library ?? ""
        if stored == nil, !catalog.isReadOnly {
            library = try catalog.writeAndWait { try SidecarSetting.identifier($0) }
        }
        let setting = SidecarSetting(folder: folder, library: library)
        if let stored, isOther, !setting.isThere {
            throw LibraryError(
                .sidecars(
                    folder,
                    reason: """
                        does not have the sidecars of this library, which were in \(stored.folder); name the folder to \
                        which they were moved, or the library's own folder to do without them
                        """))
        }
        // What is there is read also by a library that cannot be written.
        if catalog.isReadOnly {
            guard setting.isThere else { throw LibraryError(.sidecarsGone(folder)) }
        } else {
            try setting.claim(root: root)
            if setting != stored { try catalog.writeAndWait { try setting.store($0) } }
        }
        self.init(root: root, folder: folder)
    }
}

extension PhotoLibrary {
    /// Returns the absolute path of an asset's sidecar; nil if it has none.
    package func sidecarPath(of asset: Asset) -> String? {
        asset.sidecarFile.map(places.path(of:)).flatMap { FileStatus($0) == nil ? nil : $0 }
    }

    /// Throws if the folder of sidecars is not there: without it, what they state would be lost from the catalog.
    package func checkSidecars() throws {
        guard let folder = places.folder else { return }
        let stored = try readAndWait { try SidecarSetting($0) }
        let setting = SidecarSetting(folder: folder, library: stored?.library ?? "")
        guard setting.isThere else { throw LibraryError(.sidecarsGone(folder)) }
    }
}
