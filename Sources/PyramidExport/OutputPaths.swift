internal import Files
internal import PNGEncoding
internal import ViewportRendering

/// The names under which a pyramid appears, and what they are called while it is made.
struct OutputPaths {
    /// The file or folder that makes the pyramid visible: it comes last.
    let main: String
    /// The folder of Deep Zoom's tiles.
    private let tiles: String?
    private let layout: PyramidLayout
    /// The image's own path, which is not to be written over.
    private let input: String?
    private let replaces: Bool

    /// What the main file or folder is called while it is made.
    static let mainName = "main"
    static let tilesName = "tiles"

    init(_ output: String, _ layout: PyramidLayout, input: String?, replaces: Bool) {
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
        return Output(main, kind, inputs: input.map { [$0] } ?? [], overwrites: replaces) { path in
            guard let tiles else { return FileMark.isOn(path, kind) }
            return PyramidMark.isOn(tiles, descriptor: path)
        }
    }

    /// A folder under the same rule.
    private func folder(_ path: String) -> FolderOutput {
        let layout = layout
        return FolderOutput(path, inputs: input.map { [$0] } ?? [], overwrites: replaces) { folder in
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

/// What says in a folder of tiles that this program made it: a hidden file with checksums of the names and sizes of
/// all other files, and of a descriptor that lies outside of the folder.
///
/// A file that somebody adds, takes away or changes in size makes the folder somebody else's.
enum PyramidMark {
    private static let name = ".viewport"

    /// Adds the mark to a finished folder.
    static func add(to folder: String, descriptor: String?) throws(FileError) {
        guard let sum = sum(of: folder) else { throw .unwritable("its files cannot be listed") }
        let text = "viewport-made 1 \(sum) \(descriptor.flatMap(Self.sum(ofFile:)) ?? 0)\n"
        try OutputFile.write(Array(text.utf8), to: "\(folder)/\(name)")
    }

    /// Whether the folder is as this program made it.
    static func isOn(_ folder: String) -> Bool {
        guard let marked = sums(of: folder) else { return false }
        return marked.listing == sum(of: folder)
    }

    /// Whether a descriptor is the one that was made with the folder.
    static func isOn(_ folder: String, descriptor: String) -> Bool {
        guard let marked = sums(of: folder) else { return false }
        return marked.descriptor == sum(ofFile: descriptor)
    }

    private static func sums(of folder: String) -> (listing: UInt32, descriptor: UInt32)? {
        guard let bytes = try? InputFile.contents("\(folder)/\(name)") else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 4, words[0] == "viewport-made", words[1] == "1", let listing = UInt32(words[2]),
            let descriptor = UInt32(words[3])
        else { return nil }
        return (listing, descriptor)
    }

    private static func sum(ofFile path: String) -> UInt32? { CRC32.of(fileAt: path) }

    /// The checksum of what lies in a folder; nil where it cannot be listed or holds anything but files and folders.
    private static func sum(of folder: String) -> UInt32? {
        var sum: UInt32 = 0
        guard add(folder, as: "", to: &sum) else { return nil }
        return sum
    }

    private static func add(_ folder: String, as path: String, to sum: inout UInt32) -> Bool {
        guard let entries = try? Folder.entries(in: folder) else { return false }
        for entry in entries.sorted(by: { $0.name < $1.name }) where path != "" || entry.name != name {
            let inner = "\(path)/\(entry.name)"
            switch entry.kind {
            case .file(let status): sum = CRC32.of(Array("\(inner) \(status.size)\n".utf8).span, after: sum)
            case .folder:
                sum = CRC32.of(Array("\(inner)/\n".utf8).span, after: sum)
                guard add("\(folder)/\(entry.name)", as: inner, to: &sum) else { return false }
            case .link, .other: return false
            }
        }
        return true
    }
}
