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
        abstract: "Write random or listed crops of many images to tar archives for training.",
        discussion: """
            Archives have the form of WebDataset: a picture and a JSON file for each crop,
            with the path, the rectangle, the seed, and the labels of a manifest. Only the
            blocks of an image that a crop touches are decoded.

            A random crop is at a random place of a random image, the same for every crop
            of the same number and seed: however the work is sharded, together the archives
            have the same crops. Images without room for a crop are left out, as are those
            that cannot be read. With --min-detail, other places are tried, 64 at most.

            Lines of a manifest with "rect" are one crop each: {"path":"a.jpg",
            "rect":[0,0,512,512],"label":"tissue"}; other members are labels. The share of
            --shard is every n-th crop.

            An archive grows as OUTPUT.part. Exit code 3: some images or crops are left
            out, each with a line that says why.
            """,
        examples: [
            "viewport crops --recursive scans --size 512 --count 1000 -o crops.tar":
                "A thousand random crops",
            "viewport crops -r scans -s 512 -c 90000 --shard 0/8 -o 'crops-{shard}.tar'":
                "The first of eight shards",
            "viewport crops --manifest places.jsonl --size 512 -o crops.tar": "The rectangles of a list",
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

    @Option(help: "The number that decides all random places.")
    var seed = 0

    @Option(
        help: ArgumentHelp(
            "The least standard deviation of a crop's gray values: paper has less than 4, text more than 15.",
            valueName: "value"))
    var minDetail = 0.0

    @Option(
        name: .shortAndLong,
        help: "Archive to write, with {shard} for several; - is standard output.", completion: .file())
    var output: String

    @OptionGroup var list: ListArguments

    @Flag(help: "Continue an archive that an earlier run has left as OUTPUT.part.")
    var resume = false

    @OptionGroup var overwriting: OverwriteArgument

    @Option(help: "Format of the crops: jpg, png or webp.")
    var cropFormat = PictureFormat.jpg

    @Option(name: [.customShort("Q"), .customShort("q"), .long], help: "Quality of jpg and webp, 1 to 100.")
    var quality: Int?

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
        _ = try cropSize
        if ![.jpg, .png, .webp].contains(cropFormat) {
            throw ValidationError("--crop-format \(cropFormat.rawValue): choose jpg, png or webp")
        }
        if quality != nil, cropFormat == .png {
            throw ValidationError("--quality is that of jpg and webp: leave it out, or choose one of them")
        }
        if output == "-", json || resume {
            throw ValidationError("-o - is the archive itself: leave out --json and --resume")
        }
        let parts = try resolvedShard?.count ?? 1
        if parts > 1, !output.contains(Self.place), output != "-" {
            throw ValidationError(
                "-o \(output): one name for \(parts) shards; write {shard} into it, for example crops-{shard}.tar"
            )
        }
    }

    private static let place = "{shard}"

    private var cropSize: PixelSize<OutputGrid> {
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
        get throws { try list.resolvedShard(orOfEnvironmentIf: output.contains(Self.place)) }
    }

    /// The path of the archive: all shards of a run have as many digits.
    private func path(_ shard: Shard?) -> String {
        output.replacing(Self.place, with: CropPlan.padded(shard?.index ?? 0, below: shard?.count ?? 1))
    }

    func run() throws {
        let shard = try resolvedShard
        let path = path(shard)
        if resume, !overwriting.overwrite, CropArchive.isComplete(path) {
            return try finish(nil, path)
        }
        let (plan, faults) = try plan()
        for fault in faults { StandardError.write("viewport: \(fault)\n") }
        let archive = try CropArchive(path, resumes: resume, overwrites: overwriting.overwrite)
        ThumbnailMaker.prepareForBatch()
        if opening.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let (opening, cache) = (opening, cache)
        let run = CropRun(
            plan, PictureEncoder(cropFormat, quality: quality), threads: list.jobs ?? Processors.count
        ) { item in
            try opening.open(
                item.file,
                through: cache == false ? nil : CacheSettings.caches(of: item.file, stores: cache == true)
            ) { $0.optimizesForRandomAccess = true }
        } note: { sentence in
            StandardError.write("viewport: \(sentence)\n")
        }
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let line = ProgressLine("cropping")
        defer { line.clear() }
        let report = try run.run(shard, to: archive, isStopped: { flag.isRaised }) { done, total in
            line.show(count: done, of: total)
        }
        try flag.check()
        try archive.finish()
        line.clear()
        try finish(report, path, faults: faults.count)
    }

    /// - Parameter report: nil where the archive was complete already.
    private func finish(_ report: CropRun.Report?, _ path: String, faults: Int = 0) throws {
        if json {
            print(
                JSONValue.object([
                    "output": .string(path), "crops": JSONValue(report?.crops, JSONValue.int),
                    "missing": JSONValue(report?.missing, JSONValue.int),
                    "unusable": JSONValue(report?.unusable, JSONValue.int),
                ]))
        } else if let report {
            let missing = report.missing > 0 ? ", and \(report.missing) without a place" : ""
            StandardError.note("\(report.crops) crops are in \(PathText.shown(path))\(missing)")
        } else {
            StandardError.note("\(PathText.shown(path)) is complete already")
        }
        let left = faults + (report.map { $0.missing + $0.unusable } ?? 0)
        if left > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }

    /// The images, and their rectangles where lines have them.
    private func plan() throws -> (CropPlan, faults: [String]) {
        let root = list.pathRoot(hasItemsOfLines: list.manifest != nil)
        var images =
            try list.manifest.map { try BatchList(manifest: $0, root: root) }
            ?? BatchList(paths, isRecursive: recursive, takesVideos: false, root: root)
        let listed = try images.items()
        var items = listed.items
        let rects = try CropRects(&items)
        guard !items.isEmpty else { throw ValidationError("no image is given: the list is empty") }
        guard rects != nil || count != nil else {
            throw ValidationError("give the number of random crops with --count, or lines with \"rect\"")
        }
        if rects != nil, count != nil {
            throw ValidationError("lines with \"rect\" are one crop each: leave out --count")
        }
        var plan = CropPlan(
            items, rects: rects?.all, size: try cropSize, count: count ?? items.count, seed: UInt64(seed))
        plan.minimumDetail = minDetail
        return (plan, listed.faults)
    }
}

/// The rectangles of a manifest's lines.
private struct CropRects {
    let all: [Rect<ImageSpace>]

    /// Takes the rectangles out of the members of items; nil where no line has one.
    init?(_ items: inout [BatchItem]) throws {
        guard items.contains(where: { $0.rest.contains { $0.name == "rect" } }) else { return nil }
        var all: [Rect<ImageSpace>] = []
        for index in items.indices {
            let numbers =
                items[index].rest.first { $0.name == "rect" }?.value.array?.compactMap(\.double) ?? []
            guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[3] > 0 else {
                throw ValidationError(
                    "line \(items[index].line): \"rect\" must be [x, y, width, height] in image points, in every line or in none"
                )
            }
            all.append(Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
            items[index].rest.removeAll { $0.name == "rect" }
        }
        self.all = all
    }
}

extension CropError: ExitCoded {
    var exit: Exit {
        switch self {
        case .unwritable: .cannotWrite
        case .inUse: .tryAgain
        case .otherRecipe: .usage
        }
    }
}
#endif
