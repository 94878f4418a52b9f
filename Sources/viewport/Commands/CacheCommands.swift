#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
import PyramidExport
internal import RenderCaching
import ViewportRendering

/// `viewport index`: stores indexes of JPEGs and PNGs, for fast access to any part.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Store an index of JPEGs and PNGs, for fast access to any part.",
        discussion: """
            The index is stored in the cache and takes about 0.1 % of a baseline JPEG, at most
            0.25 % of a progressive one and 2 % of a PNG. Raw files are indexed by their largest
            embedded JPEG. Other formats have no index: use `render --cache` for them. Exit
            code 3: some of several files could not be indexed.

            -o FILE.vpi writes a sidecar instead: a file to put beside the image on a web
            server, which serves parts of it then. --levels adds the levels from 1/4 down as
            JPEG tiles, in at most 10 % of the size of the image.
            """,
        examples: [
            "viewport index big.jpg": "Later renders of any part read only that part",
            "viewport index big.jpg -o big.jpg.vpi --levels": "A sidecar for a web server",
            "viewport index scans/*.jpg --json": "Size and time of each index, as JSON",
            "viewport index --recursive scans --results done.jsonl --resume": "Continue an interrupted run",
        ])

    @OptionGroup(title: "Input and batch") var inputs: InputArguments

    @Option(
        name: .shortAndLong,
        help:
            "Sidecar to write: FILE.vpi, a folder for NAME.vpi of each image, or a path with {dir} {name} {stem} {ext} {id}.",
        completion: .file())
    var output: String?

    @Flag(help: "Add small levels to the sidecar.")
    var levels = false

    @Flag(help: "Print one line of JSON per file.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        try inputs.require("an image")
        if let image = inputs.paths.first(where: PipedInput.isPiped) {
            throw ValidationError("an index is stored for a file: give its name instead of \(image)")
        }
        if levels, output == nil { throw ValidationError("--levels needs -o: only sidecars have levels") }
        guard let output, !inputs.isSingle else { return }
        guard let template = try template, OutputName.isFolder(output) || template.isForMany else {
            throw ValidationError(
                "-o \(output): give a folder, or a path with {stem}, for the sidecars of several images")
        }
    }

    /// The paths of sidecars; nil for indexes in the cache.
    private var template: OutputTemplate? {
        get throws {
            return try output.map {
                try OutputTemplate(output: $0, folder: "", name: inputs.place("{name}") + ".vpi")
            }
        }
    }

    func run() throws {
        let cache = IndexCache(folder: try CacheSettings.folder())
        guard inputs.isSingle else { return try run(in: cache) }
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let (image, flag) = (inputs.path, interruption.flag)
        let clock = ContinuousClock()
        let start = clock.now
        let path = output.map { sidecar(of: image, $0) }
        try OutputName.makeFolder(output)
        let line = ProgressLine("indexing \(RemoteAddress.shown(image))")
        let made = try OnceMore.run(image) {
            try make(image, path, cache) { share in
                try flag.check()
                line.show(share)
            }
        }
        line.clear()
        report(image, made, clock.now - start)
    }

    private func run(in cache: IndexCache) throws {
        let command = self
        let naming = try template.map { OutputNaming($0, [OutputNaming.Size("")]) }
        let work = NotedWork(noun: "index", options: "index 1 \(levels)", naming: naming) { item, outputs in
            do {
                let path = outputs.first
                if let path { try Folder.make(OutputFile.folder(of: path), mode: 0o777) }
                let made = try command.make(item.file, path, cache) { _ in }
                return BatchOutput(.made(made.output.map { [$0] } ?? []), notes: made.notes)
            } catch RenderingError.notIndexable where command.inputs.recursive {
                // Folders have files of other formats, too.
                return BatchOutput(.skipped([]))
            }
        }
        var run = BatchRun(work, inputs, json: false)
        run.printsResults = false
        if inputs.course.results == nil {
            run.onResult = { result in
                let path = result.file ?? ""
                switch result.outcome {
                case .made(let outputs):
                    command.report(path, Made(notes: result.notes, output: outputs.first), result.duration)
                case .failed(let failure) where command.json:
                    print(JSONValue.failure(RemoteAddress.shown(path), failure))
                case .failed, .skipped, .duplicate: break
                }
            }
        }
        try run.run(inputs.list(for: work, leavingOut: template?.folder))
    }

    private func sidecar(of image: String, _ output: String) -> String {
        guard OutputName.isFolder(output) else { return output }
        return "\(output)\(output.hasSuffix("/") ? "" : "/")\(OutputName.fileName(of: image)).vpi"
    }

    /// An index that was made: the members of its report, and its sidecar.
    private struct Made {
        var notes: [JSONValue.Member]
        var output: StoredThumbnail?
    }

    /// Stores the index in the cache, or in a sidecar at a path.
    private func make(
        _ image: String, _ path: String?, _ cache: IndexCache,
        progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> Made {
        func notes(_ members: KeyValuePairs<String, JSONValue?>) -> [JSONValue.Member] {
            members.compactMap { name, value in value.map { JSONValue.Member(name: name, value: $0) } }
        }
        guard let path else {
            let made = try cache.make(try ImageFile.open(image))
            return Made(
                notes: notes([
                    "bytes": .int(made.indexSize),
                    "share": .number(Double(made.indexSize) / Double(max(1, made.fileSize))),
                    "kept": .bool(made.isKept),
                ]))
        }
        // Only this program makes sidecars.
        let output = Output(path, .sidecar, inputs: [image], overwrites: false) { _ in true }
        return try OutputError.naming(path) {
            try output.check()
            let file = try ImageFile.open(image)
            let made = try SidecarWriter(hasLevels: levels).make(
                cache.existing(file) ?? file, progress: progress)
            try output.write(made.bytes)
            let size = file.uprightSize
            return Made(
                notes: notes([
                    "bytes": .int(made.bytes.count),
                    "share": .number(Double(made.bytes.count) / Double(max(1, made.imageBytes))),
                    "indexBytes": .int(made.indexBytes),
                    "levels": .array(made.levels.map { .array([.int($0.width), .int($0.height)]) }),
                    "quality": made.quality.map { .int($0) } ?? .null,
                ]), output: StoredThumbnail("sidecar", size.width, size.height, made.bytes, path))
        }
    }

    private func report(_ image: String, _ made: Made, _ time: Duration) {
        let shown = RemoteAddress.shown(image)
        func note(_ name: String) -> JSONValue? { made.notes.first { $0.name == name }?.value }
        guard json else {
            let bytes = note("bytes")?.int ?? 0
            let share = if case .number(let text) = note("share") { Double(text) ?? 0 } else { 0.0 }
            let percent = (share * 10000).rounded() / 100
            guard let output = made.output else {
                let kept = note("kept") == .bool(true) ? ", kept" : ""
                return say("\(shown): index of \(bytes) bytes, \(percent) % of the file\(kept)")
            }
            let levels = note("levels")?.array?.count ?? 0
            return say("\(output.path): \(bytes) bytes, \(percent) % of the image, \(levels) levels")
        }
        let output: [(String, JSONValue?)] =
            made.output.map {
                [("output", .string($0.path)), ("outputs", .outputs($0.path, bytes: $0.fileSize))]
            } ?? []
        print(
            JSONValue.object(
                [("path", .string(shown))] + output + made.notes.map { ($0.name, $0.value) }
                    + [("ms", .number((time / .microseconds(1)).rounded() / 1000))]))
    }
}

/// `viewport cache`: lists and removes cached indexes and pyramids.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List or remove cached indexes and pyramids.",
        discussion: """
            The cache is $XDG_CACHE_HOME/viewport (default ~/.cache/viewport). It holds at
            most VIEWPORT_CACHE_BYTES (else the setting cacheSize, 10 GiB) and evicts the
            least recently used entries. All entries can be made again.
            """,
        examples: [
            "viewport cache": "List the entries",
            "viewport cache clear --older-than 30": "Remove entries not used for 30 days",
        ],
        subcommands: [Info.self, Clear.self], defaultSubcommand: Info.self)

    /// `viewport cache info`: lists the entries, most recently used first.
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "List the entries, most recently used first.",
            examples: [
                "viewport cache info": "Size, kind, age and image of each entry",
                "viewport cache info --json": "The same as JSON",
            ])

        @Flag(help: "Print one line of JSON.")
        var json = false

        @OptionGroup var quietness: QuietArguments

        func run() throws {
            let folder = try CacheSettings.folder()
            let items = folder.items()
            let total = items.reduce(0) { $0 + $1.bytes }
            print(json ? "\(Self.report(folder, items, total))" : Self.table(folder, items, total))
        }

        private static func report(_ folder: CacheFolder, _ items: [CacheItem], _ total: Int) -> JSONValue {
            .object([
                "path": .string(folder.path), "capacity": .int(folder.capacity), "bytes": .int(total),
                "entries": .array(
                    items.map {
                        .object([
                            "path": .string($0.source), "kind": .string($0.kind),
                            "bytes": .int($0.bytes), "used": .number(Double($0.used) / 1e9),
                        ])
                    }),
            ])
        }

        private static func table(_ folder: CacheFolder, _ items: [CacheItem], _ total: Int) -> String {
            let now = ProcessEnvironment.now
            let rows = items.map { item in
                "\(size(item.bytes))  \(item.kind)  used \(age(now - item.used)) ago  \(item.source)"
            }
            let sum = "\(size(total)) of \(size(folder.capacity)) in \(folder.path)"
            return (rows + [sum]).joined(separator: "\n")
        }

        /// "123.4 MB", ten characters wide.
        private static func size(_ bytes: Int) -> String {
            let units = ["B", "kB", "MB", "GB", "TB"]
            var (value, unit) = (Double(bytes), 0)
            while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
            let text = "\((value * 10).rounded() / 10) \(units[unit])"
            return String(repeating: " ", count: max(0, 8 - text.count)) + text
        }

        private static func age(_ nanoseconds: Int) -> String {
            let seconds = max(0, nanoseconds / 1_000_000_000)
            let units = [(86400, "d"), (3600, "h"), (60, "min")]
            guard let unit = units.first(where: { seconds >= $0.0 }) else { return "\(seconds) s" }
            return "\(seconds / unit.0) \(unit.1)"
        }
    }

    /// `viewport cache clear`: removes entries that are not in use.
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Remove entries, and leftovers of stopped processes.",
            examples: [
                "viewport cache clear": "Remove all entries",
                "viewport cache clear --older-than 7 --json": "Remove entries not used for a week",
            ])

        @Option(help: ArgumentHelp("Only entries not used for this many days.", valueName: "days"))
        var olderThan: Double?

        @Flag(help: "Print one line of JSON.")
        var json = false

        @OptionGroup var quietness: QuietArguments

        func validate() throws {
            try require("--older-than", olderThan, in: 0...1e6, example: 30)
        }

        func run() throws {
            let cleared = try CacheSettings.folder().clear(unusedFor: .seconds((olderThan ?? 0) * 86400))
            if json {
                print(json: [
                    "removed": .int(cleared.removed), "bytes": .int(cleared.bytes),
                    "inUse": .int(cleared.inUse),
                ])
                return
            }
            say("removed \(cleared.removed) entries, \(cleared.bytes) bytes")
            if cleared.inUse > 0 { StandardError.note("\(cleared.inUse) entries are in use and were kept") }
        }
    }
}

/// The cache that the settings configure.
enum CacheSettings {
    /// Returns the cache folder, limited to VIEWPORT_CACHE_BYTES, the setting `cacheSize` or 10 GiB.
    ///
    /// - Throws: `ValidationError` if the variable is not a number of bytes, or `SettingsError`.
    static func folder() throws -> CacheFolder {
        CacheFolder(capacity: try UserSettings.value(.cacheSize).bytes)
    }

    /// Returns the caches of an image; nil for one that has no identity, such as standard input.
    ///
    /// - Parameter stores: whether what is missing is made: `--cache` stores a pyramid of any image, however small.
    static func caches(of image: String, stores: Bool = false) throws -> ImageCaches? {
        guard !PipedInput.isPiped(image) else { return nil }
        var policy = PyramidPolicy()
        policy.minimumPixels = 1
        policy.keepsDrawings = true
        let folder = try folder()
        return ImageCaches(
            IndexCache(folder: folder), PyramidCache(folder: folder, policy: policy),
            missing: stores ? .isMade : .isLeft)
    }
}
#endif
