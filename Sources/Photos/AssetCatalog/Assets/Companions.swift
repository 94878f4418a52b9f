package import CatalogStorage
internal import Containers
package import Files

/// The files that belong to an asset.
package enum Companions {
    /// Returns the sidecars of an asset: "a.jpg.xmp", "a.xmp", "a.aae", darktable's "a_01.jpg.xmp", and "a.jpg (2).xmp".
    ///
    /// - Parameter ids: assets that go away together; what belongs to others, too, is omitted.
    package static func sidecars(
        of asset: Asset, leaving ids: Set<Asset.ID>, in places: SidecarPlaces, _ catalog: Catalog
    ) throws -> [FilePath] {
        // Those in the folder of sidecars stay there.
        let all = sidecars(of: asset, in: SidecarPlaces(root: places.root, folder: nil))
        guard !all.isEmpty else { return [] }
        let others = try catalog.neighbors(asset.file.withoutExtension, except: ids)
        return all.filter { sidecar in
            !others.contains { other in
                let base = sidecar.withoutExtension
                return other.sidecar == sidecar || base == other.path
                    || FileExtension.of(sidecar) != "xmp" && base == other.path.withoutExtension
            }
        }
    }

    /// Returns all sidecars of an asset.
    package static func sidecars(of asset: Asset, in places: SidecarPlaces) -> [FilePath] {
        let root = places.root
        var found = [asset.sidecarFile].compactMap(\.self)
        // Names are tried, since folders may have millions of files.
        var seen: Set<FileIdentity> = []
        let others = FileType.sidecarExtensions.subtracting(["xmp"]).sorted()
        let base = asset.file.withoutExtension
        for owner in [asset.file, base] + ProxyName.proxies(of: base) {
            for ending in others.flatMap({ [$0, $0.uppercased()] }) {
                let path = owner.adding(".\(ending)")
                let absolute = "\(root)/\(path.text)"
                guard FileStatus(absolute) != nil, let file = FileIdentity(absolute),
                    seen.insert(file).inserted
                else { continue }
                found.append(path)
            }
        }
        // Second ones that an import has kept.
        for ending in (["xmp"] + others).flatMap({ [$0, $0.uppercased()] }) {
            for number in 2... {
                let path = asset.file.adding(" (\(number)).\(ending)")
                guard let file = FileIdentity("\(root)/\(path.text)"), seen.insert(file).inserted else {
                    break
                }
                found.append(path)
            }
        }
        // darktable's versions lie beside its first sidecar, or are the sidecar.
        let whole = asset.file.adding(".xmp")
        if asset.sidecarFile.flatMap(SidecarVersion.owner) != nil
            || FileStatus("\(root)/\(whole.text)") != nil
        {
            let versions = SidecarVersion.sidecars(of: asset.file, 1...99, in: root)
            found += versions.filter { !found.contains($0) }
        }
        return found.filter { FileStatus(places.path(of: $0)) != nil }.sorted()
    }
}

extension String {
    /// The reason of a message about a sidecar, with the name of the photo.
    package func ofSidecar(of photo: FilePath?) -> String {
        photo.map { "\(self); it is the sidecar of \($0)" } ?? self
    }
}
