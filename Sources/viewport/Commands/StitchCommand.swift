#if CommandLine
import ArgumentParser
import Basics
import Batches
import Containers
import Crops
import Files
import Platform
import Thumbnails
import ViewportRendering

/// `viewport stitch`: joins what a model has made of the tiles of `crops --grid`.
struct StitchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stitch",
        abstract: "Join what a model has made of tiles to one large picture.",
        discussion: """
            GRID is the NAME_grid.json of `viewport crops --grid`. TILES are folders of .npy
            (NumPy) and .png files, such files, and tar archives of them, as webdataset's
            TarWriter writes them. Each has the name of its crop: 0012-1a2b3c4d.npy, or only
            the number. A tile has as many rows and columns as its crop, and any number of
            channels before or behind them; all tiles have one type.

            Where tiles overlap, values are weighted means: weights fall from 1 to the edge of
            a tile over the overlap. --nearest takes the value of the tile whose edge is
            farthest, as numbers of classes need. Pixels that are filled up, at the edge of
            small images, are cut off.

            Outputs: .npy; .png for 8 and 16 bits; .tif with tiles and all smaller levels
            (BigTIFF, deflate), also for 32-bit floats. Means of 8 and 16 bits are rounded,
            those of other types are floats. Memory is that of some rows.

            Tiles that are missing, twice there, of another grid, shape or type are errors.
            """,
        examples: [
            "viewport stitch tiles_grid.json predictions -o map.tif": "The .npy files of a folder",
            "viewport stitch tiles_grid.json classes-*.tar --nearest -o classes.png":
                "Numbers of classes, from archives, for each image",
        ])

    @Argument(help: ArgumentHelp("The description of the grid.", valueName: "grid"), completion: .file())
    var grid: String

    @Argument(
        help: ArgumentHelp("Folders, files and tar archives of tiles.", valueName: "tiles"),
        completion: .file())
    var tiles: [String]

    @Option(
        name: .shortAndLong,
        help:
            "File to write: .npy, .png or .tif; with {stem}, {name} or {dir} where the grid has several images.",
        completion: .file())
    var output: String

    @Flag(help: "Where tiles overlap, take the value of one; needed for numbers of classes.")
    var nearest = false

    @Option(
        help: ArgumentHelp(
            "The value where tiles are missing; without it, they are an error.", valueName: "value"))
    var fill: Double?

    @Option(
        help: ArgumentHelp(
            "What follows the first point of the tiles' names, such as npy or mask.png (default: npy and png).",
            valueName: "text"))
    var ending: String?

    @Option(help: "Most rows of tiles processed at a time (default: one per processor).")
    var jobs: Int?

    @OptionGroup var overwriting: OverwriteArgument

    @Flag(help: "Report the result as one line of JSON.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    private var format: Stitcher.Format? {
        FilePath(output).fileExtension.flatMap { Stitcher.Format(rawValue: $0.text.lowercased()) }
    }

    func validate() throws {
        try require("--jobs", jobs, in: 1...1024, example: 4)
        if tiles.isEmpty { throw ValidationError("give the folder of the tiles, or their archives") }
        guard format != nil else {
            throw ValidationError(
                refusing: output, of: "--output", give: "a name that ends in .npy, .png or .tif",
                example: "map.tif")
        }
    }

    func run() throws {
        guard let format else { return }
        let text = try StitchError.reading(grid)
        guard let value = try? JSONValue(parsing: text), let grid = CropGrid(value),
            let recipe = value["recipe"]?.string
        else { throw StitchError.badGrid(self.grid) }
        let outputs = try outputs(of: grid)
        for output in outputs { try StitchError.writing(output) }
        let files = try TileFiles(
            tiles, ending: ending.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 }, recipe: recipe,
            count: grid.count)
        ThumbnailMaker.prepareForBatch()
        let stitcher = try Stitcher(
            grid, files, takesNearest: nearest, fill: fill, threads: jobs ?? Processors.count)
        try stitcher.check(format)
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let line = ProgressLine("joining")
        defer { line.clear() }
        for (number, output) in outputs.enumerated() {
            try stitcher.write(number, as: format, to: output) { share in
                try flag.check()
                line.show((Double(number) + share) / Double(outputs.count))
            }
            line.clear()
            report(grid.pictures[number], output.path)
        }
        if files.missingCount > 0 {
            StandardError.note("\(files.missingCount) tiles were missing and are filled")
        }
    }

    private func report(_ picture: CropGrid.Picture, _ path: String) {
        let (width, height) = (picture.size.width, picture.size.height)
        if json {
            print(
                JSONValue.object([
                    "output": .string(path), "path": .string(picture.path),
                    "size": .array([.int(width), .int(height)]), "tiles": .int(picture.count),
                ]))
        } else {
            StandardError.note("\(picture.count) tiles are in \(PathText.shown(path)): \(width)x\(height)")
        }
    }

    /// An output for each image of the grid.
    private func outputs(of grid: CropGrid) throws -> [Output] {
        let naming = OutputNaming(try OutputTemplate(named: output), [OutputNaming.Size("")])
        let paths = try grid.pictures.enumerated().map { index, picture in
            let relative = BatchRoot().relative(picture.path)
            let item = BatchItem(
                line: index + 1, path: picture.path, file: picture.path, relativePath: relative)
            return try naming.outputs(of: item)[0]
        }
        guard Set(paths.map { FilePath($0) }).count == paths.count else {
            throw ValidationError(
                "-o \(output): one name for \(paths.count) images; write {stem} into it, for example map-{stem}.tif"
            )
        }
        let kind =
            format == .npy
            ? Self.array : OutputKind(FileType.ofExtension(format?.rawValue ?? "")).rawValue
        let input = FileIdentity(self.grid)
        return paths.map { path in
            Output(
                path, kind: kind,
                recognizing: {
                    $0.starts(with: NPYHeader.signature)
                        ? Self.array : OutputKind(FileType(head: $0)).rawValue
                },
                overwrites: overwriting.overwrite, isOwn: { _ in false }, isInput: { $0 == input })
        }
    }

    private static let array = "an array of NumPy"
}

extension StitchError: ExitCoded {
    var exit: Exit {
        switch self {
        case .unreadable: .noInput
        case .badGrid, .notWhole, .notTile, .twice, .missing, .mismatch: .badInput
        case .unfit: .usage
        case .unwritable: .cannotWrite
        }
    }

    /// Reads the description of a grid.
    fileprivate static func reading(_ path: String) throws(StitchError) -> [UInt8] {
        do throws(FileError) {
            return try InputFile.contents(path)
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// Throws if an output cannot be written, before any work is done.
    fileprivate static func writing(_ output: Output) throws(StitchError) {
        do throws(FileError) {
            try output.check()
        } catch {
            throw .unwritable(output.path, error)
        }
    }
}
#endif
