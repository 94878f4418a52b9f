internal import Files
internal import GRDB

/// The files that belong to an asset.
enum Companions {
    /// Returns the sidecars of an asset: "a.jpg.xmp", "a.xmp", and "a.aae".
    ///
    /// - Parameter ids: assets that go away together; what belongs to others, too, is omitted.
    static func sidecars(
        of asset: Asset, leaving ids: Set<Asset.ID>, root: String, _ database: Database
    ) throws -> [String] {
        let all = sidecars(of: asset, root: root)
        guard !all.isEmpty else { return [] }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, path, sidecar FROM asset WHERE path >= ?1 AND path < ?1 || char(1114111)
                """,
            arguments: [asset.path.baseOfPath])
        let others = rows.filter { !ids.contains($0[0]) }
        return all.filter { sidecar in
            !others.contains { row in
                let path: String = row[1]
                return row[2] as String? == sidecar || sidecar.baseOfPath == path
                    || FileExtension.of(sidecar) != "xmp" && sidecar.baseOfPath == path.baseOfPath
            }
        }
    }

    /// Returns all sidecars of an asset.
    static func sidecars(of asset: Asset, root: String) -> [String] {
        var found = asset.sidecar.map { [$0] } ?? []
        // Names are tried, since folders may have millions of files.
        var seen: Set<FileIdentity> = []
        for owner in [asset.path, asset.path.baseOfPath] {
            for ending in ["aae", "AAE", "thm", "THM"] {
                let path = "\(owner).\(ending)"
                guard FileStatus("\(root)/\(path)") != nil, let file = FileIdentity("\(root)/\(path)"),
                    seen.insert(file).inserted
                else { continue }
                found.append(path)
            }
        }
        return found.filter { FileStatus("\(root)/\($0)") != nil }.sorted()
    }
}
