internal import Files
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Encodes tiles and writes them under their names; used by several threads at once.
final class TileWriter: Sendable {
    private let options: ExportOptions
    private let orientation: Orientation
    private let samples: TileSamples
    private let folder: OutputFolder
    private let archive: ZipArchive?
    private let cutter: (any TileCutter)?
    private let exact: ExactTiles?
    private let names: @Sendable (TilePosition) -> [String]
    private let encoder: PictureEncoder

    /// The bytes of all files so far.
    let bytes = Atomic(0)
    /// The tiles that were cut, not encoded.
    let cutTiles = Atomic(0)

    init(
        options: ExportOptions, orientation: Orientation, samples: TileSamples, folder: OutputFolder,
        archive: ZipArchive?, cutter: (any TileCutter)?, exact: ExactTiles?,
        names: @escaping @Sendable (TilePosition) -> [String]
    ) {
        self.options = options
        self.orientation = orientation
        self.samples = samples
        self.folder = folder
        self.archive = archive
        self.cutter = cutter
        self.exact = exact
        self.names = names
        var encoder = PictureEncoder(options.format.pictureFormat, quality: options.quality)
        encoder.threads = 1
        self.encoder = encoder
    }

    func write(_ tile: StoredTile) throws {
        let file: [UInt8]
        if tile.key.level == 0, let cut = cutter?.tile(tile.rect, size: tile.rect.size) {
            file = cut
            cutTiles.wrappingAdd(1, ordering: .relaxed)
        } else if tile.key.level > 0, let exact {
            file = try exact.tile(tile.key, as: options.format)
        } else {
            file = try encoder.encode(tile.picture(samples, orientation))
        }
        try write(file, names(tile.key))
    }

    /// Writes a file under all of its names.
    func write(_ file: [UInt8], _ names: [String]) throws {
        guard let archive else {
            try folder.write(file, to: names[0])
            return try finish(names, file.count)
        }
        try archive.add(file, names[0])
        bytes.wrappingAdd(file.count, ordering: .relaxed)
    }

    /// Writes a whole level as one picture; its pixels are taken away afterwards.
    func write(_ spool: Spool, _ names: [String], progress: @escaping @Sendable (Double) throws -> Void)
        throws
    {
        let format = options.format.pictureFormat
        var arguments: [String: VipsArgument] = ["strip": .bool(true)]
        if let quality = options.quality, options.format != .png { arguments["Q"] = .int(quality) }
        let name = names[0]
        if let slash = name.lastIndex(of: "/") { try folder.makeFolder(String(name[..<slash])) }
        try spool.save(
            folder.path(of: name), with: format.saver, arguments, format: format, progress)
        spool.remove()
        try finish(names, folder.size(of: name))
    }

    private func finish(_ names: [String], _ count: Int) throws {
        for other in names.dropFirst() { try folder.link(names[0], as: other) }
        bytes.wrappingAdd(count, ordering: .relaxed)
    }
}
