package import CatalogStorage
package import Files
internal import ImageMetadata

/// The files of a folder with their XMP sidecars: `photo.jpg.xmp`, else `photo.xmp`, else the lowest version `photo_01.jpg.xmp`.
package struct Sidecars {
    private let listing: FolderListing
    private let folder: FilePath
    /// The sidecars of these files that lie elsewhere, and count first.
    private let elsewhere: FolderListing?
    /// The number of XMP sidecars beside the files.
    private var count = 0
    /// The descriptions of edits, the thumbnails and the small copies, AAE, THM, LRV and LRF, of files that are there.
    private var companions: Set<Int> = []
    /// The lowest version of sidecars of further versions, by the photo.
    private var versions: [FilePath: Int] = [:]

    /// - Parameters:
    ///   - folder: the path of the folder below the root; empty for the root.
    ///   - elsewhere: the files of this folder in the folder of sidecars; nil if there are none.
    package init(_ listing: FolderListing, in folder: FilePath, _ elsewhere: FolderListing?) {
        (self.listing, self.folder, self.elsewhere) = (listing, folder, elsewhere)
        for index in 0..<listing.count {
            if isXMP(index) {
                count += 1
                noteVersion(FilePath(listing.name(index)))
            } else if Self.companionEndings.contains(where: { listing.hasSuffix(index, $0) }),
                hasOwner(FilePath(listing.name(index)))
            {
                companions.insert(index)
            }
        }
    }

    private mutating func noteVersion(_ sidecar: FilePath) {
        guard let (photo, number) = SidecarVersion.owner(of: sidecar),
            listing.index(of: sidecar.withoutExtension.text) == nil
        else { return }
        versions[photo] = min(number, versions[photo] ?? number)
    }

    /// The number of sidecars of all kinds.
    var sidecarCount: Int { count + companions.count }

    /// The number of XMP sidecars that lie elsewhere.
    var elsewhereCount: Int {
        guard let elsewhere else { return 0 }
        return (0..<elsewhere.count).count { index in Self.endings.contains { elsewhere.hasSuffix(index, $0) }
        }
    }

    package func isSidecar(_ index: Int) -> Bool { isXMP(index) || companions.contains(index) }

    private func isXMP(_ index: Int) -> Bool { Self.endings.contains { listing.hasSuffix(index, $0) } }

    private func hasOwner(_ companion: FilePath) -> Bool {
        let base = companion.withoutExtension
        let owners =
            [base, AppleName.original(ofAdjustment: base)].compactMap(\.self) + ProxyName.films(of: base)
        return owners.contains { owner in
            if FileExtension.isMedia(owner), listing.index(of: owner.text) != nil { return true }
            return FileExtension.allMedia.contains {
                listing.index(of: "\(owner.text).\($0)") != nil
                    || listing.index(of: "\(owner.text).\($0.uppercased())") != nil
            }
        }
    }

    private static let companionEndings: [StaticString] = [
        ".aae", ".AAE", ".thm", ".THM", ".lrv", ".LRV", ".lrf", ".LRF",
    ]

    private static let endings: [StaticString] = [".xmp", ".XMP"]

    /// Returns a file with its sidecar.
    package func file(_ index: Int) -> ScannedFile {
        let name = FilePath(listing.name(index))
        return ScannedFile(
            path: folder.appending(name), status: listing.status(index), sidecar: sidecar(of: name))
    }

    private func sidecar(of name: FilePath) -> ScannedFile.Sidecar? {
        if let elsewhere, let found = sidecar(of: name, in: elsewhere) { return found }
        return count > 0 ? sidecar(of: name, in: listing) : nil
    }

    private func sidecar(of name: FilePath, in listing: FolderListing) -> ScannedFile.Sidecar? {
        let version = versions[name].map { SidecarVersion.name($0, of: name).adding(".xmp") }
        let own = Self.candidates(of: name) { self.listing.index(of: $0.text) != nil }
        for candidate in own + [version].compactMap(\.self) {
            guard let index = listing.index(of: candidate.text) else { continue }
            let status = listing.status(index)
            return ScannedFile.Sidecar(
                path: folder.appending(candidate), bytes: status.size, modified: status.modified)
        }
        return nil
    }

    /// Returns the paths that the sidecar of a file can have, the preferred first.
    ///
    /// - Parameter isFile: whether there is a file at a path: where one has the name without the extension, as the film of a
    ///   motion photo has, the sidecar of that name is its own.
    package static func candidates(of path: FilePath, isFile: (FilePath) -> Bool) -> [FilePath] {
        let base = path.withoutExtension
        return (base == path || isFile(base) ? [path] : [path, base]).flatMap { owner in
            endings.map { owner.adding("\($0)") }
        }
    }
}

extension ScannedFile.Sidecar {
    /// The sidecar that a file has now; nil without one.
    ///
    /// Paths are below the root.
    ///
    /// - Parameter known: its path in the catalog, which tells how many versions may lie beside the file.
    init?(of file: FilePath, known: FilePath?, in places: SidecarPlaces) {
        let last = known.flatMap(SidecarVersion.owner)?.number ?? 3
        for folder in [places.folder, places.root].compactMap(\.self) {
            let own = Sidecars.candidates(of: file) { FileStatus("\(places.root)/\($0.text)") != nil }
            for sidecar in own
                + SidecarVersion.sidecars(of: file, 1...last, in: folder)
            {
                let path = "\(folder)/\(sidecar.text)"
                // Links are followed as in listings of folders.
                guard let status = FileStatus(path),
                    !Folder.isLink(path)
                        || folder == places.root && LinkedFiles(root: folder, .visible).isFollowed(path)
                else { continue }
                self.init(path: sidecar, bytes: status.size, modified: status.modified)
                return
            }
        }
        return nil
    }
}

extension CatalogedFile {
    /// Whether reading it again gives it another date.
    func takes(_ dateCompletion: DateCompletion) -> Bool {
        let isDatedAnew =
            switch dateCompletion.undatedBy {
            case nil: false
            case .fileTime: asset != nil && dateSource == nil
            case .nothing: dateSource == DateSource.fileTime.rawValue
            }
        return isDatedAnew || takes(dateCompletion.zone)
    }

    private func takes(_ zone: AssumedZone?) -> Bool {
        guard let zone, hasTime else { return false }
        guard let zoneSource else { return true }
        guard case .assumed(let name) = ZoneSource(stored: zoneSource) else { return false }
        return name != zone.name
    }
}

extension Catalog {
    /// Whether the sidecar of an asset is the one that the catalog knows; true if the asset is gone.
    func hasCurrentSidecar(_ id: Asset.ID, in places: SidecarPlaces) throws -> Bool {
        guard let known = try file(of: id) else { return true }
        return known.hasSidecar(ScannedFile.Sidecar(of: known.path, known: known.sidecar?.path, in: places))
    }
}
