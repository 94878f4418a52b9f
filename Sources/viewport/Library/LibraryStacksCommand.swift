#if CommandLine
#if Library
import ArgumentParser
import Basics
import Files
import PhotoCatalog

/// `viewport library stacks`: lists stacks, chooses covers, and joins folders.
struct LibraryStacksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stacks",
        abstract: "List stacks of files of one shot or burst, or choose their covers.",
        discussion: """
            Photos with a known capture time, in one folder, are a stack if they are

            - one shot: equal names without extension and marks of versions (a.dng and a.jpg,
              IMG_E1 and IMG_1, a-edited and a, a~2 and a), at most a second apart on the
              camera's clock;
            - one burst: the same identifier in metadata or by the name, with at most a minute
              from one to the next;

            and no two of different cameras. The cover is the one that was chosen with
            --cover; else an edited copy, the cover by the camera's name, HEIC before JPEG
            before others before raw files, the best rated, the first; rejected files are
            last. --across-folders yes joins files of different folders by the same rules.
            """,
        examples: [
            "viewport library stacks photos": "List all stacks",
            "viewport library stacks photos --cover trip/IMG_7.dng": "Show the raw file instead",
            "viewport library stacks photos --across-folders yes": "Join raw/ and jpeg/, too",
        ])

    /// "yes" or "no".
    enum Answer: String, ExpressibleByArgument, CaseIterable {
        case yes, no
    }

    @OptionGroup var library: LibraryArguments

    @Option(
        help: ArgumentHelp(
            "A file that becomes the cover of its stack; repeat for several.", valueName: "asset"))
    var cover: [String] = []

    @Option(help: ArgumentHelp("Whether stacks join folders: yes or no.", valueName: "answer"))
    var acrossFolders: Answer?

    @Flag(help: "Print one line of JSON per stack.")
    var json = false

    /// The number of stacks that are read at a time.
    private static let page = 500

    func run() async throws {
        let library = try await library.open()
        if let acrossFolders { try await library.setStacksJoinFolders(acrossFolders == .yes) }
        for asset in try await library.assets(called: cover) {
            guard asset.stack != nil else { throw ValidationError("\(asset.path) is in no stack") }
            try await library.chooseCover(asset.id)
        }
        if !cover.isEmpty || acrossFolders != nil { return }
        var last: Asset.ID = 0
        var count = 0
        while true {
            let covers = try await library.stackCovers(after: last, limit: Self.page)
            guard let end = covers.last else { break }
            let stacks = try await library.stacks(of: covers)
            for cover in covers {
                guard let stack = stacks[cover] else { continue }
                count += 1
                if json {
                    print(json: [
                        "cover": .int(Int(cover)),
                        "files": .array(
                            stack.map { .object(["id": .int(Int($0.id)), "path": .string($0.path)]) }),
                    ])
                } else {
                    let line = stack.map(\.path).joined(separator: "  + ")
                    print(line)
                }
            }
            last = end
        }
        if count == 0, !json { say("there are no stacks") }
    }
}
#endif
#endif
