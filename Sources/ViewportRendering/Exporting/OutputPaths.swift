internal import Files

/// The names under which a pyramid appears, and what they are called while it is made.
struct OutputPaths {
    /// The file or folder that makes the pyramid visible: it comes last.
    let main: String
    /// The folder of Deep Zoom's tiles.
    private let tiles: String?
    private let layout: PyramidLayout
    private let input: String
    private let replaces: Bool

    /// What the main file or folder is called while it is made.
    static let mainName = "main"
    static let tilesName = "tiles"

    init(_ output: String, _ layout: PyramidLayout, input: String, replaces: Bool) {
        (self.layout, self.input, self.replaces) = (layout, input, replaces)
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
    func check() throws(FileError) {
        switch layout {
        case .iiif, .zoomify: try folder(main).check()
        case .tif, .zip: try file.check()
        case .dz:
            if let tiles { try naming(tiles) { () throws(FileError) in try folder(tiles).check() } }
            try file.check()
        }
    }

    /// Moves everything to its place, the main file last.
    func publish(from hidden: OutputFolder) throws(FileError) {
        let made = hidden.path(of: Self.mainName)
        switch layout {
        case .iiif, .zoomify:
            try PyramidMark.add(to: made, descriptor: nil)
            try folder(main).publish(made)
        case .tif, .zip:
            try file.publish(made)
        case .dz:
            guard let tiles else { return }
            let madeTiles = hidden.path(of: Self.tilesName)
            try PyramidMark.add(to: madeTiles, descriptor: made)
            // No descriptor ever stands beside the tiles of another pyramid.
            try file.check()
            let wasThere = try hidden.takeIn(main)
            do throws(FileError) {
                try naming(tiles) { () throws(FileError) in try folder(tiles).publish(madeTiles) }
            } catch {
                if wasThere { hidden.giveBack(main) }
                throw error
            }
            try file.publish(made)
        }
    }

    /// Names the folder of tiles where it is what must stay: errors are told of the main file.
    private func naming(_ tiles: String, _ body: () throws(FileError) -> Void) throws(FileError) {
        do throws(FileError) {
            try body()
        } catch .kept(let why) {
            throw .kept("its folder \(OutputFile.name(of: tiles)) \(why)")
        } catch {
            throw error
        }
    }

    /// The main file under the rule of all outputs.
    private var file: Output {
        let (tiles, layout) = (tiles, layout)
        let kind: OutputKind = layout == .tif ? .tiff : layout == .zip ? .zip : .xml
        return Output(main, kind, inputs: [input], overwrites: replaces) { path in
            guard let tiles else { return FileMark.isOn(path, kind) }
            return PyramidMark.isOn(tiles, descriptor: path)
        }
    }

    /// A folder under the same rule.
    private func folder(_ path: String) -> FolderOutput {
        let layout = layout
        return FolderOutput(path, inputs: [input], overwrites: replaces) { folder in
            let names = Folder.names(in: folder)
            return switch layout {
            case .zoomify, .iiif: names.contains("ImageProperties.xml") || names.contains("info.json")
            default: names.allSatisfy { Int($0) != nil || $0 == "vips-properties.xml" || $0.hasPrefix(".") }
            }
        } isOwn: {
            PyramidMark.isOn($0)
        }
    }
}
