/// What systems, network storage and programs keep beside photos: thumbnails, deleted files, previews, proxies of cameras.
package enum SystemEntry {
    /// Names of files and folders, in lower case.
    private static let names: Set = [
        // Synology; QNAP
        "@eadir", "#recycle", "#snapshot", "@tmp", "@__thumb", "@recycle", "@recently-snapshot", ".@__thumb",
        // Windows; macOS; Linux; Android
        "$recycle.bin", "recycler", "system volume information", "__macosx", ".appledouble", ".thumbnails",
        "lost+found",
        // Lightroom; PhotoStructure
        "lightroom catalog", ".photostructure",
    ]

    private static let beginnings = ["synofile_thumb_", "synophoto_thumb_", "._", ".trash"]
    /// Lightroom keeps previews beside its catalog in "NAME Previews.lrdata".
    private static let ending = ".lrdata"
    /// The folders in which cameras of Sony keep the thumbnails and proxies of their films.
    private static let ofFilms: Set = ["thmbnl", "sub"]
    private static let cards: Set = ["m4root", "xdroot"]

    /// Whether an entry is kept by a system, by its name and that of its folder.
    package static func isKept(_ name: FilePath, in folder: FilePath) -> Bool {
        let lower = name.text.lowercased()
        return names.contains(lower) || lower.hasSuffix(ending) || beginnings.contains { lower.hasPrefix($0) }
            || ofFilms.contains(lower) && cards.contains(folder.name.text.lowercased())
    }

    /// Whether an entry is left out where hidden ones are: it is hidden, or kept by a system.
    package static func isLeftOut(_ name: FilePath, in folder: FilePath) -> Bool {
        name.isHidden || isKept(name, in: folder)
    }

    /// Whether something at a path is left out, by any of its names.
    package static func isLeftOut(_ path: FilePath) -> Bool {
        var folder: FilePath = ""
        for name in path.names {
            if isLeftOut(name, in: folder) { return true }
            folder = name
        }
        return false
    }
}
