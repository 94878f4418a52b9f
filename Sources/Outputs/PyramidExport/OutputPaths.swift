internal import Checksums
internal import Containers
package import Files
internal import ViewportRendering

/// The paths of a pyramid, and its temporary paths while it is written.
struct OutputPaths {
    /// The main file or folder, which is published last.
    let main: String
    /// The folder of tiles of Deep Zoom.
    private let tiles: String?
    private let layout: PyramidLayout
    /// The path of the image, which must not be overwritten.
    private let input: String?
    private let replaces: Bool

    /// The temporary name of the main file or folder.
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

    /// Checks whether the pyramid can be published, before it is made.
    func check() throws(FileError) {
        switch layout {
        case .iiif, .zoomify, .cube: try folder(main).check()
        case .tif, .zip: try file.check()
        case .dz:
            if let tiles { try naming(tiles) { () throws(FileError) in try folder(tiles).check() } }
            try file.check()
        }
    }

    /// Moves all files to their final paths, the main file last.
    func publish(from hidden: OutputFolder) throws(FileError) {
        let made = hidden.path(of: Self.mainName)
        switch layout {
        case .iiif, .zoomify, .cube:
            try FolderMark.add(to: made, descriptor: nil)
            try folder(main).publish(made)
        case .tif, .zip:
            try file.publish(made)
        case .dz:
            guard let tiles else { return }
            let madeTiles = hidden.path(of: Self.tilesName)
            try FolderMark.add(to: madeTiles, descriptor: made)
            // A descriptor is never visible next to the tiles of another pyramid.
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

    /// Names the folder of tiles in errors where it cannot be replaced: errors name the main file.
    private func naming(_ tiles: String, _ body: () throws(FileError) -> Void) throws(FileError) {
        do throws(FileError) {
            try body()
        } catch .kept(let why) {
            throw .kept("its folder \(OutputFile.name(of: tiles)) \(why)")
        } catch {
            throw error
        }
    }

    /// Checks the main file by the rule of all outputs.
    private var file: Output {
        let (tiles, layout) = (tiles, layout)
        let kind: OutputKind = layout == .tif ? .tiff : layout == .zip ? .zip : .xml
        return Output(main, kind, inputs: input.map { [$0] } ?? [], overwrites: replaces) { path in
            guard let tiles else { return FileMark.isOn(path, kind) }
            return FolderMark.isOn(tiles, descriptor: path)
        }
    }

    /// Checks a folder by the same rule.
    private func folder(_ path: String) -> FolderOutput {
        let layout = layout
        return FolderOutput(path, inputs: input.map { [$0] } ?? [], overwrites: replaces) { folder in
            let names = Folder.names(in: folder)
            return switch layout {
            case .cube: names.contains("config.json")
            case .zoomify, .iiif: names.contains("ImageProperties.xml") || names.contains("info.json")
            default: names.allSatisfy { Int($0) != nil || $0 == "vips-properties.xml" || $0.hasPrefix(".") }
            }
        } isOwn: {
            FolderMark.isOn($0)
        }
    }
}

/// The mark in a folder of tiles, or another output, that this program wrote: a hidden file with checksums of the names and sizes of
/// all other files, and of a descriptor outside the folder.
///
/// The mark becomes invalid when a file is added, removed or changed in size.
package enum FolderMark {
    private static let name = ".viewport"

    /// The version of a mark: the order of the names in its checksum.
    private enum Version: String {
        /// That of Unicode, which does not distinguish names that are equal after normalization.
        case first = "1"
        /// That of their bytes.
        case second = "2"

        func sorted(_ entries: [Folder.Entry]) -> [Folder.Entry] {
            switch self {
            case .first: entries.sorted { $0.name < $1.name }
            case .second: entries.sorted { FilePath($0.name) < FilePath($1.name) }
            }
        }
    }

    /// Adds the mark to a finished folder.
    package static func add(to folder: String, descriptor: String? = nil) throws(FileError) {
        let version = Version.second
        guard let sum = sum(of: folder, version) else { throw .unwritable("its files cannot be listed") }
        let text =
            "viewport-made \(version.rawValue) \(sum) \(descriptor.flatMap(Self.sum(ofFile:)) ?? 0)\n"
        try OutputFile.write(Array(text.utf8), to: "\(folder)/\(name)")
    }

    /// Returns whether the folder is unchanged since this program wrote it.
    package static func isOn(_ folder: String) -> Bool {
        guard let marked = sums(of: folder) else { return false }
        return marked.listing == sum(of: folder, marked.version)
    }

    /// Returns whether a descriptor was written together with the folder.
    static func isOn(_ folder: String, descriptor: String) -> Bool {
        guard let marked = sums(of: folder) else { return false }
        return marked.descriptor == sum(ofFile: descriptor)
    }

    private static func sums(
        of folder: String
    ) -> (version: Version, listing: UInt32, descriptor: UInt32)? {
        guard let bytes = try? InputFile.contents("\(folder)/\(name)") else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 4, words[0] == "viewport-made",
            let version = Version(rawValue: String(words[1])), let listing = UInt32(words[2]),
            let descriptor = UInt32(words[3])
        else { return nil }
        return (version, listing, descriptor)
    }

    private static func sum(ofFile path: String) -> UInt32? { CRC32.of(fileAt: path) }

    /// Returns the checksum of a folder; nil where it cannot be listed or contains anything but files and folders.
    private static func sum(of folder: String, _ version: Version) -> UInt32? {
        var sum: UInt32 = 0
        guard add(folder, as: "", version, to: &sum) else { return nil }
        return sum
    }

    private static func add(
        _ folder: String, as path: String, _ version: Version, to sum: inout UInt32
    ) -> Bool {
        guard let entries = try? Folder.entries(in: folder) else { return false }
        for entry in version.sorted(entries) where path != "" || entry.name != name {
            let inner = "\(path)/\(entry.name)"
            switch entry.kind {
            case .file(let status): sum = CRC32.of(Array("\(inner) \(status.size)\n".utf8).span, after: sum)
            case .folder:
                sum = CRC32.of(Array("\(inner)/\n".utf8).span, after: sum)
                guard add("\(folder)/\(entry.name)", as: inner, version, to: &sum) else { return false }
            case .link, .other: return false
            }
        }
        return true
    }
}
