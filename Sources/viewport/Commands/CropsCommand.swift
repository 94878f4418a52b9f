#if CommandLine
import ArgumentParser
import Basics
import Batches
import Crops
import Files
import Thumbnails
import ViewportGeometry
import ViewportRendering

/// `viewport crops`: writes crops of many images to tar archives, as training programs read them.
struct CropsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crops",
        abstract: "Write random crops, listed crops or all tiles of many images to tar archives.",
        discussion: """
            Archives have the form of WebDataset: a picture and a JSON file for each crop,
            with the path, the rectangle, the seed, and the labels of a manifest. Only the
            blocks of an image that a crop touches are decoded. All crops of an archive have
            the same channels, and all JSON files the same members: a text that a line
            lacks is empty, anything else null.

            A random crop is at a random place of a random image, the same for every crop
            of the same number and seed: however the work is sharded, together the archives
            have the same crops, each image as often as the others, and no place twice.
            Images without room for a crop are left out, as are those that cannot be read.
            With --min-detail, other places are tried, 64 at most.

            Lines of a manifest with "rect" are one crop each: {"path":"a.jpg",
            "rect":[0,0,512,512],"label":"tissue"}; other members are labels. A rectangle of
            another size is scaled, in both directions independently. What is outside of the
            image is filled with --background; "outside" and "scale" of the JSON and the
            last line say so. The share of --shard is every n-th crop.

            --grid cuts all tiles of each image, row by row, with --overlap; the last ones of a
            row or column end at the edge. NAME_grid.json beside the archives states where
            they are: `viewport stitch` joins what a model makes of them.

            --exclude leaves out what must not be seen: rectangles of a manifest, whose crops
            touch none of them, or masks, of which all that is not black is excluded. A tile of
            a grid is left out only if all of it is excluded.

            An archive grows as OUTPUT.part, and NAME_stats.json beside it states how many
            crops and bytes it has when it is complete. Exit code 3: some images or crops
            are left out, each with a line that says why.
            """,
        examples: [
            "viewport crops --recursive scans --size 512 --count 1000 -o crops.tar":
                "A thousand random crops",
            "viewport crops -r scans -s 512 -c 90000 --shard 0/8 -o 'crops-{shard}.tar'":
                "The first of eight shards",
            "viewport crops -r scans -s 512 -c 90000 -o 'crops-{000..007}.tar'": "Eight archives in one run",
            "viewport crops --manifest places.jsonl --size 512 --class label -o crops.tar":
                "The rectangles of a list, with their classes",
            "viewport crops --manifest x.jsonl -s 99 --class kind --per-class 9 -o c.tar":
                "5000 random crops of each class",
            "viewport crops -r scans -s 512 --exclude 'masks/{stem}.png' -o crops.tar":
                "Nothing of what masks show",
            "viewport crops slide.tif --grid --size 512 --overlap 64 -o tiles.tar":
                "All tiles, for inference",
        ])

    @Argument(
        help: ArgumentHelp("Images, with --recursive also folders.", valueName: "file"), completion: .file())
    var paths: [String] = []

    @Flag(name: .shortAndLong, help: "Include all images below folders, except hidden ones.")
    var recursive = false

    @Option(name: .shortAndLong, help: "Size of the crops in pixels: 512 or 512x256.")
    var size: SizeArgument

    @Option(name: .shortAndLong, help: ArgumentHelp("The number of random crops.", valueName: "n"))
    var count: Int?

    @Option(
        help: ArgumentHelp(
            "The number of crops of each class of --class, in place of --count; lists with fewer lines repeat them.",
            valueName: "n"))
    var perClass: Int?

    @Flag(help: "Cut all tiles of each image.")
    var grid = false

    @Option(help: ArgumentHelp("With --grid: the pixels that neighbors share at least.", valueName: "pixels"))
    var overlap = 0

    @Option(
        help: ArgumentHelp(
            "What crops must not touch: a .jsonl with \"path\" and \"rect\", or a mask, also 'masks/{stem}.png'.",
            valueName: "file"), completion: .file())
    var exclude: String?

    @Option(help: "The number that decides all random places.")
    var seed = 0

    @Option(
        help: ArgumentHelp(
            "The least standard deviation of a crop's gray values: paper has less than 4, text more than 15.",
            valueName: "value"))
    var minDetail = 0.0

    @Option(
        name: .shortAndLong,
        help:
            "Archive to write, with {shard} or numbers such as {000..007} for several; - is standard output.",
        completion: .file())
    var output: String

    @OptionGroup var list: ListArguments

    @Flag(help: "Continue an archive that an earlier run has left as OUTPUT.part.")
    var resume = false

    @OptionGroup var overwriting: OverwriteArgument

    @Option(
        help:
            "Format of the crops; a png has no palette. npy and tif have the stored values of one type, for measurements."
    )
    var cropFormat = CropForm.Format.jpg

    @Option(
        name: [.customShort("Q"), .customShort("q"), .long],
        help: "Quality of jpg (default 75, with 4:2:0 chroma subsampling) and webp (default 75), 1 to 100.")
    var quality: Int?

    @Option(help: "Channels of all crops, 8 bits each; source: those of each image.")
    var mode = CropForm.Mode.rgb

    @Option(help: "Color behind transparent pixels and outside of the image, where crops have no opacity.")
    var background = Color.white

    @Flag(help: "Leave out rectangles that reach beyond their image.")
    var inside = false

    @Option(
        name: .customLong("class"),
        help: ArgumentHelp(
            "Write the class of this label as NUMBER.cls, and the table of classes beside the archives.",
            valueName: "label"))
    var classLabel: String?

    @Option(help: ArgumentHelp("Write the text of this label as NUMBER.txt.", valueName: "label"))
    var text: String?

    @Option(help: ArgumentHelp("Divide the crops among as many archives as needed.", valueName: "n"))
    var samplesPerArchive: Int?

    @OptionGroup(title: "Reading") var opening: OpenArguments

    @Flag(
        inversion: .prefixedNo,
        help: "Store the indexes of images on disk for other runs; --no-cache does not read them either.")
    var cache: Bool?

    @Flag(help: "Report the result as one line of JSON.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if paths.isEmpty, list.manifest == nil {
            throw ValidationError("give images, or a list with --manifest")
        }
        if !paths.isEmpty || recursive, list.manifest != nil {
            throw ValidationError("--manifest and files exclude each other")
        }
        try require("--count", count, in: 1...1_000_000_000, example: 1000)
        try require("--seed", seed, in: 0..., example: 7)
        try require("--min-detail", minDetail, in: 0...127.5, example: 8)
        try require("--quality", quality, in: 1...100, example: 85)
        let size = try cropSize
        try require("--per-class", perClass, in: 1...1_000_000_000, example: 1000)
        try require("--overlap", overlap, in: 0..., example: 64)
        if overlap > 0, !grid { throw ValidationError("--overlap is that of --grid") }
        if overlap >= min(size.width, size.height) {
            throw ValidationError("--overlap \(overlap): tiles of \(size) pixels share less than a side")
        }
        if grid, count != nil || perClass != nil || minDetail > 0 || inside {
            throw ValidationError(
                "--grid cuts all tiles: leave out --count, --per-class, --min-detail and --inside")
        }
        if grid, output == "-" {
            throw ValidationError("--grid writes NAME_grid.json beside the archive: give -o a name")
        }
        if perClass != nil, count != nil { throw ValidationError("--per-class takes the place of --count") }
        if perClass != nil, classLabel == nil {
            throw ValidationError(
                "--per-class: name the member of the class with --class, for example --class label")
        }
        if cropFormat.hasValues, mode != .rgb || minDetail > 0 {
            throw ValidationError(
                "--crop-format \(cropFormat.rawValue) keeps stored values: leave out --mode and --min-detail")
        }
        try require("--samples-per-archive", samplesPerArchive, in: 1...1_000_000_000, example: 10_000)
        if mode == .rgba, cropFormat != .png {
            throw ValidationError(
                "--mode rgba: \(cropFormat.rawValue) cannot keep it in every crop; choose png")
        }
        if mode == .grey, cropFormat == .webp {
            throw ValidationError("--mode grey: webp has three channels; choose jpg or png")
        }
        if quality != nil, cropFormat != .jpg, cropFormat != .webp {
            throw ValidationError("--quality is that of jpg and webp: leave it out, or choose one of them")
        }
        if output == "-", json || resume {
            throw ValidationError("-o - is the archive itself: leave out --json and --resume")
        }
        try CropOutputs(output).check(shard: resolvedShard, samplesPerArchive: samplesPerArchive)
    }

    var cropSize: PixelSize<OutputGrid> {
        get throws {
            guard let both = size.both, let width = Int(exactly: both.width),
                let height = Int(exactly: both.height), (1...65_535).contains(width),
                (1...65_535).contains(height)
            else {
                throw ValidationError(
                    refusing: size.text, of: "--size", give: "pixels from 1 to 65535",
                    example: "512 or 512x256")
            }
            return PixelSize(width: width, height: height)
        }
    }

    private var resolvedShard: Shard? {
        get throws {
            try list.resolvedShard(
                orOfEnvironmentIf: CropOutputs(output).isForShards && samplesPerArchive == nil)
        }
    }

    func run() throws {
        let shard = try resolvedShard
        let outputs = CropOutputs(output)
        let overwrites = overwriting.overwrite
        if resume, !overwrites, samplesPerArchive == nil {
            let all = outputs.archives(shard)
            if all.allSatisfy({ CropArchive.isComplete($0.path) }) {
                for archive in all { report(nil, archive.path, nil) }
                return
            }
        }
        let (opening, cache) = (opening, cache)
        let open: @Sendable (BatchItem) throws -> ImageFile = { item in
            try opening.open(
                item.file,
                through: cache == false ? nil : CacheSettings.caches(of: item.file, stores: cache == true)
            ) { $0.optimizesForRandomAccess = true }
        }
        ThumbnailMaker.prepareForBatch()
        if opening.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let (plan, faults) = try plan(open)
        for fault in faults { StandardError.write("viewport: \(fault)\n") }
        let archives = outputs.archives(shard, count: plan.count, samplesPerArchive: samplesPerArchive)
        let isFile = output != "-"
        if let classes = plan.classes, isFile {
            let table = CropDocument(
                beside: outputs.common, ending: "_classes.json", member: "classes", overwrites: overwrites)
            try table.check()
            try table.write(classes.table)
        }
        let run = CropRun(plan, threads: list.jobs ?? Processors.count, open: open) { sentence in
            StandardError.write("viewport: \(sentence)\n")
        }
        if let grid = plan.grid {
            let places = CropDocument(
                beside: outputs.common, ending: "_grid.json", member: "overlap", overwrites: overwrites)
            try places.check()
            try places.write(grid.document(recipe: run.recipe))
        }
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let line = ProgressLine("cropping")
        defer { line.clear() }
        var left = faults.count
        for (path, shard) in archives {
            if resume, !overwrites, CropArchive.isComplete(path) {
                report(nil, path, nil)
                continue
            }
            let stats =
                isFile
                ? CropDocument(beside: path, ending: "_stats.json", member: "recipe", overwrites: overwrites)
                : nil
            try stats?.check()
            let archive = try CropArchive(path, resumes: resume, overwrites: overwrites)
            let made = try run.run(shard, to: archive, isStopped: { flag.isRaised }) { done, total in
                line.show(count: done, of: total)
            }
            try flag.check()
            let bytes = try archive.finish { bytes throws(CropError) in
                try stats?.write(made.json(path, bytes, recipe: run.recipe))
            }
            line.clear()
            report(made, path, bytes)
            left += made.missing + (path == archives.last?.path ? made.unusable : 0)
        }
        if left > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }

    /// - Parameter made: nil where the archive was complete already.
    private func report(_ made: CropRun.Report?, _ path: String, _ bytes: Int?) {
        if json {
            print(
                JSONValue.object([
                    "output": .string(path), "crops": JSONValue(made?.crops, JSONValue.int),
                    "missing": JSONValue(made?.missing, JSONValue.int),
                    "unusable": JSONValue(made?.unusable, JSONValue.int),
                    "bytes": JSONValue(bytes, JSONValue.int),
                    "outside": JSONValue(made?.outside, JSONValue.int),
                    "magnified": JSONValue(made?.magnified, JSONValue.int),
                    "stretched": JSONValue(made?.stretched, JSONValue.int),
                    "excluded": JSONValue(made?.excluded, JSONValue.int),
                ]))
        } else if let made {
            StandardError.note("\(made.crops) crops are in \(PathText.shown(path))\(made.words)")
        } else {
            StandardError.note("\(PathText.shown(path)) is complete already")
        }
    }
}

extension CropForm.Format: ExpressibleByArgument {}
extension CropForm.Mode: ExpressibleByArgument {
    init?(argument: String) { self.init(rawValue: argument == "gray" ? "grey" : argument) }
}

extension CropRun.Report {
    /// What the file beside an archive states of it.
    fileprivate func json(_ path: String, _ bytes: Int, recipe: String) -> JSONValue {
        .object([
            "archive": .string(FilePath(path).name.text), "crops": .int(crops),
            "bytes": .int(bytes), "missing": .int(missing), "outside": .int(outside),
            "magnified": .int(magnified), "stretched": .int(stretched), "excluded": .int(excluded),
            "recipe": .string(recipe),
        ])
    }

    /// What is not as it may be expected: ", of which 2 reach beyond their image, 1 is magnified, and 1 without a place".
    fileprivate var words: String {
        func part(_ count: Int, _ one: String, _ several: String) -> String? {
            count == 0 ? nil : "\(count) \(count == 1 ? one : several)"
        }
        let parts = [
            part(outside, "reaches beyond its image", "reach beyond their image"),
            part(magnified, "is magnified", "are magnified"),
            part(stretched, "is stretched", "are stretched"),
        ].compactMap(\.self)
        return (parts.isEmpty ? "" : ", of which " + parts.joined(separator: ", "))
            + (excluded > 0 ? ", and \(excluded) left out as excluded" : "")
            + (missing > 0 ? ", and \(missing) without a place" : "")
    }
}

extension CropError: ExitCoded {
    var exit: Exit {
        switch self {
        case .unwritable, .closed: .cannotWrite
        case .inUse: .tryAgain
        case .otherRecipe: .usage
        }
    }
}
#endif
