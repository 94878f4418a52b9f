import ArgumentParser
import Basics
import Files
internal import RenderCaching
import ViewportRendering

/// `viewport index`: makes JPEGs ready for quick looks at any part of them.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Note where the blocks of JPEGs begin, so that any part is decoded at once.",
        discussion: """
            The index goes to the cache and is about a thousandth of the file. Files that cannot be indexed are \
            named with the reason; the exit code is 3 where there are any.
            """)

    @Argument(help: "JPEGs to index.")
    var images: [String]

    @Flag(help: "One line of JSON for each file.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws {
        if images.contains(PipedInput.name) {
            throw ValidationError("an index is kept for a file: name it instead of -")
        }
    }

    func run() throws {
        let cache = JPEGIndexCache(folder: try CacheSettings.folder())
        var failures = 0
        var line = ProgressLine("indexing")
        for (number, image) in images.enumerated() {
            line.show(Double(number) / Double(images.count))
            let clock = ContinuousClock()
            let start = clock.now
            do {
                let made = try cache.make(try ImageFile.open(image))
                line.clear()
                tell(image, made, clock.now - start)
            } catch let error as RenderingError where images.count > 1 {
                line.clear()
                failures += 1
                let sentence = viewport.sentence(for: error)
                StandardError.write("viewport: \(sentence)\n")
                if json {
                    print(JSONValue.object([("path", .string(image)), ("error", .string(sentence))]))
                }
            }
        }
        line.clear()
        if failures > 0 { throw ExitCode(3) }
    }

    private func tell(_ image: String, _ made: JPEGIndexCache.Made, _ time: Duration) {
        let share = Double(made.bytes) / Double(max(1, made.fileBytes))
        guard json else {
            let percent = (share * 10000).rounded() / 100
            say(
                "\(image): index of \(made.bytes) bytes, \(percent) % of the file\(made.isKept ? ", kept" : "")"
            )
            return
        }
        print(
            JSONValue.object([
                ("path", .string(image)), ("bytes", .int(made.bytes)), ("share", .number(share)),
                ("kept", .bool(made.isKept)), ("ms", .number((time / .microseconds(1)).rounded() / 1000)),
            ]))
    }
}

/// `viewport cache`: what is kept of slow images between runs.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Look at what is kept of slow images, or remove it.",
        discussion: """
            Entries are in viewport in XDG_CACHE_HOME (~/.cache unless set), VIEWPORT_CACHE_BYTES at most \
            (10 GiB unless set); the longest unused make room. All of it can be made again.
            """,
        subcommands: [Info.self, Clear.self], defaultSubcommand: Info.self)

    /// `viewport cache info`: the entries, the last used first.
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "List what is kept, the last used first.")

        @Flag(help: "One line of JSON.")
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
                ("path", .string(folder.path)), ("capacity", .int(folder.capacity)), ("bytes", .int(total)),
                (
                    "entries",
                    .array(
                        items.map {
                            .object([
                                ("path", .string($0.source)), ("kind", .string($0.kind)),
                                ("bytes", .int($0.bytes)), ("used", .number(Double($0.used) / 1e9)),
                            ])
                        })
                ),
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

    /// `viewport cache clear`: removes entries that nobody reads.
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Remove what is kept, and what stopped programs left.")

        @Option(help: ArgumentHelp("Only what was not used for so long.", valueName: "days"))
        var olderThan: Double?

        @Flag(help: "One line of JSON.")
        var json = false

        @OptionGroup var quietness: QuietArguments

        func validate() throws {
            try require("--older-than", olderThan, in: 0...1e6, example: 30)
        }

        func run() throws {
            let cleared = try CacheSettings.folder().clear(unusedFor: (olderThan ?? 0) * 86400)
            if json {
                print(
                    JSONValue.object([
                        ("removed", .int(cleared.removed)), ("bytes", .int(cleared.bytes)),
                        ("inUse", .int(cleared.inUse)),
                    ]))
                return
            }
            say("removed \(cleared.removed) entries, \(cleared.bytes) bytes")
            if cleared.inUse > 0 { StandardError.note("\(cleared.inUse) entries are being read and stay") }
        }
    }
}

/// The cache as the environment sets it.
enum CacheSettings {
    /// The bound of VIEWPORT_CACHE_BYTES, or ten gibibytes.
    ///
    /// - Throws: `ValidationError` where the variable is no number of bytes.
    static func folder() throws -> CacheFolder {
        guard let text = ProcessEnvironment.variable("VIEWPORT_CACHE_BYTES") else { return CacheFolder() }
        guard let capacity = ByteCount(argument: text)?.bytes else {
            throw ValidationError(
                refusing: text, of: "VIEWPORT_CACHE_BYTES", give: ByteCount.understood,
                example: "VIEWPORT_CACHE_BYTES=\(ByteCount.example)")
        }
        return CacheFolder(capacity: capacity)
    }

    /// Who asks for a pyramid on the command line gets one, however small the image.
    static var policy: PyramidPolicy {
        var policy = PyramidPolicy()
        policy.minimumPixels = 1
        policy.keepsDrawings = true
        return policy
    }
}
