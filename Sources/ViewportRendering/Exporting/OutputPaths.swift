internal import Files

/// The names under which a pyramid appears, and what they are called while it is made.
struct OutputPaths {
    /// The file or folder that makes the pyramid visible: it comes last.
    let main: String
    /// The folder of Deep Zoom's tiles.
    private let tiles: String?

    /// What the main file or folder is called while it is made.
    static let mainName = "main"
    static let tilesName = "tiles"

    init(_ output: String, _ layout: PyramidLayout) {
        var name = output
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        guard layout == .dz else {
            (main, tiles) = (name, nil)
            return
        }
        if name.lowercased().hasSuffix(".dzi") { name.removeLast(4) }
        (main, tiles) = (name + ".dzi", name + "_files")
    }

    /// Finds what would stop the pyramid from appearing, before work is put into it.
    func check(replaces: Bool) throws(FileError) {
        for path in [main, tiles].compactMap(\.self) where OutputFolder.isThere(path) && !replaces {
            throw .exists
        }
    }

    /// Moves everything to its place, the main file last.
    func publish(from folder: OutputFolder, replaces: Bool) throws(FileError) {
        guard let tiles else {
            return try folder.publish(Self.mainName, as: main, replaces: replaces)
        }
        // No descriptor ever stands beside the tiles of another pyramid.
        if replaces { try folder.retract(main) }
        try folder.publish(Self.tilesName, as: tiles, replaces: replaces)
        try folder.publish(Self.mainName, as: main, replaces: replaces)
    }
}
