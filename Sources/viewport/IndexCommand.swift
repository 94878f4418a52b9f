import ArgumentParser
import Basics
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
                StandardError.write("viewport: \(error)\n")
                if json {
                    print(JSONValue.object([("path", .string(image)), ("error", .string("\(error)"))]))
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
