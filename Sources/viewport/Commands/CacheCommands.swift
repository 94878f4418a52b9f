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
            0.5 % of a progressive one and 2 % of a PNG. Raw files are indexed by their largest
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
        ])

    @Argument(help: "JPEGs, PNGs and raw files to index.", completion: .file())
    var images: [String]

    @Option(
        name: .shortAndLong, help: "Sidecar to write: FILE.vpi, or a folder for IMAGE.vpi of each image.",
        completion: .file())
    var output: String?

    @Flag(help: "Add small levels to the sidecar.")
    var levels = false

    @Flag(help: "Print one line of JSON per file.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if let image = images.first(where: PipedInput.isPiped) {
            throw ValidationError("an index is stored for a file: give its name instead of \(image)")
        }
        guard let output else {
            if levels { throw ValidationError("--levels needs -o: only sidecars have levels") }
            return
        }
        if images.count > 1, !OutputName.isFolder(output) {
            throw ValidationError("-o \(output): give a folder for the sidecars of several images")
        }
        var sidecars: [FilePath: FilePath] = [:]
        for image in images.map({ FilePath($0) }) {
            let path = FilePath(sidecar(of: image.text, output))
            if let other = sidecars.updateValue(image, forKey: path), other != image {
                throw ValidationError(
                    "\(path): would be the sidecar of \(other) and of \(image); choose two folders")
            }
        }
    }

    func run() throws {
        let cache = IndexCache(folder: try CacheSettings.folder())
        try OutputName.makeFolder(output)
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        var failures = 0
        var line = ProgressLine("indexing")
        for (number, image) in images.enumerated() {
            try interruption.flag.check()
            line.show(Double(number) / Double(images.count))
            let clock = ContinuousClock()
            let start = clock.now
            do {
                guard let output else {
                    let made = try OnceMore.run(image) { try cache.make(try ImageFile.open(image)) }
                    line.clear()
                    report(image, made, clock.now - start)
                    continue
                }
                let path = sidecar(of: image, output)
                let made = try OnceMore.run(image) { try write(image, path, cache, interruption.flag) }
                line.clear()
                report(image, made, path, clock.now - start)
            } catch let error as RenderingError where images.count > 1 {
                line.clear()
                failures += 1
                let sentence = viewport.sentence(for: error)
                StandardError.write("viewport: \(sentence)\n")
                if json {
                    print(json: [
                        "path": .string(RemoteAddress.shown(image)), "error": .string(sentence),
                    ])
                }
            }
        }
        line.clear()
        if failures > 0 { throw ExitCode(3) }
    }

    private func sidecar(of image: String, _ output: String) -> String {
        guard OutputName.isFolder(output) else { return output }
        return "\(output)\(output.hasSuffix("/") ? "" : "/")\(OutputName.fileName(of: image)).vpi"
    }

    private func write(
        _ image: String, _ path: String, _ cache: IndexCache, _ flag: Interruption.Flag
    ) throws -> SidecarWriter.Made {
        // Only this program makes sidecars.
        let output = Output(path, .sidecar, inputs: [image], overwrites: false) { _ in true }
        return try OutputError.naming(path) {
            try output.check()
            let file = try ImageFile.open(image)
            let made = try SidecarWriter(hasLevels: levels).make(cache.existing(file) ?? file) { _ in
                try flag.check()
            }
            try output.write(made.bytes)
            return made
        }
    }

    private func report(_ image: String, _ made: SidecarWriter.Made, _ path: String, _ time: Duration) {
        let share = Double(made.bytes.count) / Double(max(1, made.imageBytes))
        guard json else {
            let percent = (share * 10000).rounded() / 100
            return say(
                "\(path): \(made.bytes.count) bytes, \(percent) % of the image, \(made.levels.count) levels")
        }
        print(json: [
            "path": .string(RemoteAddress.shown(image)), "output": .string(path),
            "bytes": .int(made.bytes.count),
            "share": .number(share), "indexBytes": .int(made.indexBytes),
            "levels": .array(made.levels.map { .array([.int($0.width), .int($0.height)]) }),
            "quality": made.quality.map { .int($0) } ?? .null,
            "ms": .number((time / .microseconds(1)).rounded() / 1000),
        ])
    }

    private func report(_ image: String, _ made: IndexCache.Made, _ time: Duration) {
        let share = Double(made.indexSize) / Double(max(1, made.fileSize))
        guard json else {
            let percent = (share * 10000).rounded() / 100
            say(
                "\(RemoteAddress.shown(image)): index of \(made.indexSize) bytes, \(percent) % of the file\(made.isKept ? ", kept" : "")"
            )
            return
        }
        print(json: [
            "path": .string(RemoteAddress.shown(image)), "bytes": .int(made.indexSize),
            "share": .number(share),
            "kept": .bool(made.isKept), "ms": .number((time / .microseconds(1)).rounded() / 1000),
        ])
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
