package import Files

/// The names of the small copies that cameras keep of films: "GX010001.LRV" or "GL010001.LRV" of "GX010001.MP4" (GoPro),
/// "DJI_0001.LRF" of "DJI_0001.MP4".
package enum ProxyName {
    /// Returns the names without extension that the film of a copy can have, besides its own.
    package static func films(of base: FilePath) -> [FilePath] {
        renamed(base, from: ["GL"], to: ["GX", "GH"])
    }

    /// Returns the names without extension that the copies of a film can have, besides its own.
    package static func proxies(of base: FilePath) -> [FilePath] {
        renamed(base, from: ["GX", "GH"], to: ["GL"])
    }

    private static func renamed(_ base: FilePath, from: [String], to: [String]) -> [FilePath] {
        let digits = base.name.text.dropFirst(2)
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            from.contains(where: { base.name.hasPrefix($0) })
        else { return [] }
        return to.map { base.renamed(FilePath($0 + digits)) }
    }
}
