#if CommandLine
#if Library
import ArgumentParser
import Basics
import Containers
import Files
import ImageMetadata
import PhotoCatalog

/// `viewport library list`: prints assets, grouped, filtered and sorted.
struct LibraryListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List assets by \(units.listed("or")).",
        discussion: """
            Files of one shot (raw and JPEG, HEIC and JPEG, edited copies) and bursts are a
            stack: one asset, its cover, is listed, with [+2] for two files behind it.
            --stack all lists these after it, --stack none all files by their own dates. A
            search with stack: finds all files. A file is shown where its cover is not found.
            """,
        examples: [
            "viewport library list photos --group-by day --entries": "Days and the number of assets of each",
            "viewport library list photos --from 2024-05 --filter jpeg --limit 20": "JPEGs since May 2024",
            "viewport library list photos --where stack:cover --stack all": "Stacks with all their files",
        ])

    @OptionGroup var library: LibraryArguments

    @Option(help: AssetRequest.Parameter.groupBy.help)
    var groupBy: StandardGrouping.Unit = .all

    @OptionGroup(title: "Which assets") var selection: SelectionArguments
    @OptionGroup var zone: ZoneArguments

    @Option(help: "Maximum number of assets.")
    var limit: Int?

    @Flag(help: "Print the entries and their number of assets only.")
    var entries = false

    @Flag(help: "Print one line of JSON for each.")
    var json = false

    func validate() throws {
        try require("--limit", limit, in: 0..., example: 100)
    }

    func run() async throws {
        let library = try await library.openWithPlaces()
        let collection = try await selection.collection(of: library, by: groupBy)
        let all = try await collection.entries()
        if all.allSatisfy({ $0.count == 0 }), let query = selection.query {
            try await library.noteNothingFound(by: query.query, in: query.source(in: library))
        }
        if entries { return show(all) }
        let table = json ? nil : Table(AssetReport.columns)
        var rest = limit ?? .max
        let showsOthers = selection.stacks() == .all
        for (number, entry) in all.enumerated() where rest > 0 {
            let key = groupBy == .all ? .text("all") : entry.key
            var start = 0
            while start < entry.count, rest > 0 {
                let page = try await collection.assets(in: entry, start..<(start + min(rest, Self.page)))
                guard !page.isEmpty else { break }
                let stacks = showsOthers ? try await library.stacks(of: page.compactMap(\.stack)) : [:]
                for (index, asset) in page.enumerated() {
                    let path = AssetIndexPath(entry: number, asset: start + index)
                    let others = asset.stack == asset.id ? stacks[asset.id]?.dropFirst() ?? [] : []
                    for asset in [asset] + others {
                        let report = AssetReport(
                            asset: asset, zone: zone.zone, entry: (key, groupBy.title(of: entry.key), path))
                        if let table { table.add(report.row) } else { print(report.json) }
                    }
                }
                start += page.count
                rest -= page.count
            }
        }
    }

    private static var units: [String] { StandardGrouping.Unit.allCases.dropFirst().map(\.rawValue) }

    /// The number of assets per page.
    private static let page = 1000

    private func show(_ entries: [CollectionEntry]) {
        let table = json ? nil : Table([.init("COUNT", .right, least: 8), .init("GROUP")])
        for entry in entries.prefix(limit ?? .max) {
            let key = groupBy == .all ? .text("all") : entry.key
            if let table {
                table.add(["\(entry.count)", groupBy.title(of: entry.key)])
            } else {
                print(json: [
                    "group": JSONValue(key, AssetReport.json), "count": .int(entry.count),
                ])
            }
        }
    }
}

/// `viewport library show`: prints all metadata of assets.
struct LibraryShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all metadata of assets.",
        examples: [
            "viewport library show photos trip/c.jpg": "By path",
            "viewport library show photos 17 --json": "By identifier, as JSON",
        ])

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Identifiers, file names, or paths below the library's folder.")
    var assets: [String]

    @OptionGroup var zone: ZoneArguments

    @Flag(help: "Print one line of JSON for each.")
    var json = false

    func run() async throws {
        let library = try await library.openWithPlaces()
        for (number, asset) in try await library.assets(called: assets).enumerated() {
            let film: (members: JSONValue?, text: String?) =
                asset.isPhoto ? Self.film(library.path(of: asset)) : (nil, nil)
            let dates = DateReport(ofAsset: library.path(of: asset), sidecar: library.sidecarPath(of: asset))
            if json {
                print(
                    AssetReport(asset: asset, zone: zone.zone, film: film.members ?? .null, dates: dates).json
                )
            } else {
                if number > 0 { print() }
                show(asset, film.text, dates)
            }
        }
    }

    /// Describes the film inside of a photo; a file that cannot be read has none.
    private static func film(_ path: String) -> (members: JSONValue?, text: String?) {
        (try? InputFile.read(path) { file in
            EmbeddedFilm.report { () throws(EmbeddedFilmError) in try EmbeddedFilm.find(in: FileBytes(file)) }
        }) ?? (nil, nil)
    }

    private func show(_ asset: Asset, _ film: String?, _ dates: DateReport?) {
        let row = zip(AssetReport.columns, AssetReport(asset: asset, zone: zone.zone).row)
        var rows = row.filter { $0.0.title != "GROUP" }.map { ($0.0.title.lowercased(), $0.1) }
        func add(_ name: String, _ value: String?) { if let value { rows.append((name, value)) } }
        add("date from", asset.date.map { $0.source.rawValue + ($0.source.isGuess ? ", a guess" : "") })
        add("zone from", asset.date?.zoneSource?.description)
        for notice in dates?.notices ?? [] { add("but", notice) }
        add("camera", [asset.make, asset.model].compactMap(\.self).joined(separator: " ").nonEmpty)
        add("lens", asset.lens)
        add("location", asset.location.map { "\($0.latitude), \($0.longitude), from \($0.source.rawValue)" })
        add("place", asset.place)
        add("duration", asset.seconds.map { "\($0) s" })
        add("title", asset.title)
        add("caption", asset.caption)
        add("keywords", asset.keywords.joined(separator: ", ").nonEmpty)
        add("rating", asset.rating.map { $0 < 0 ? "rejected" : "\($0)" })
        add("label", asset.label)
        add("sidecar", asset.sidecar)
        add("live with", asset.livePartner.map { "\($0)" })
        add("film", film)
        add("burst", asset.burst)
        add("stack", asset.stack.map { "\(asset.stackCount ?? 1) files; the cover is \($0)" })
        add("sha256", asset.sha256)
        for (name, value) in rows {
            print(name + String(repeating: " ", count: max(1, 11 - name.count)) + value)
        }
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension PhotoLibrary {
    /// Returns assets by identifiers, paths below the root, or the ends of such paths, for example their file names.
    ///
    /// - Throws: `ValidationError` that names a missing asset, or those that have the name.
    func assets(called names: [String]) async throws -> [Asset] {
        var assets: [Asset] = []
        for name in names { assets.append(try await asset(called: name)) }
        return assets
    }

    private func asset(called name: String) async throws -> Asset {
        if let asset = try await asset(path: name) { return asset }
        if let id = Int64(name), let asset = try await asset(id) { return asset }
        // Shells complete paths from the current folder.
        if let inside = FilePath(ProcessEnvironment.absolutePath(name)).below(FilePath(root)),
            let asset = try await asset(path: inside.text)
        {
            return asset
        }
        let found = try await self.assets(pathsEndingWith: name)
        guard let asset = found.first else {
            throw ValidationError(
                "there is no asset \(PathText.shown(name)); `viewport library list` lists all assets")
        }
        guard found.count == 1 else {
            let paths = found.prefix(Self.listedPaths).map { PathText.shown($0.path) }
            let rest = found.count - paths.count
            throw ValidationError(
                "\(found.count) assets are called \(PathText.shown(name)): \(paths.joined(separator: ", "))"
                    + (rest > 0 ? " and \(rest) more" : "") + "; name one by its path")
        }
        return asset
    }

    /// The number of paths in a message.
    private static var listedPaths: Int { 10 }
}

extension PhotoLibrary {
    /// Says why a search finds nothing; nothing is said if other options exclude what it finds.
    fileprivate func noteNothingFound(by query: AssetQuery, in group: AssetGroup.ID) async throws {
        guard let reason = try await reason(toFindNothing: query, in: group) else { return }
        StandardError.note("nothing found: \(reason)")
    }
}

/// `viewport library find`: searches assets by words.
struct LibraryFindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find assets by name, caption, keyword, place or camera, best first.",
        discussion: """
            Conditions narrow the search, as those of --where: `viewport help query` lists
            them. A search that finds nothing says which words are nowhere.
            """,
        examples: [
            "viewport library find photos geneva": "By the name of a place",
            "viewport library find photos canon sunset --json": "All words have to match; JSON",
            "viewport library find photos lake stars:4 month:may": "With conditions",
        ])

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Words or their beginnings, and conditions; all have to match.")
    var words: [String]

    @OptionGroup var zone: ZoneArguments

    @Option(help: "Maximum number of assets.")
    var limit = 100

    @Flag(help: "Print one line of JSON for each.")
    var json = false

    func validate() throws {
        try require("--limit", limit, in: 0..., example: 100)
        do throws(LibraryError) { _ = try query } catch { throw ValidationError(error.description) }
    }

    private var query: AssetQuery {
        get throws(LibraryError) { try AssetQuery(words.joined(separator: " ")) }
    }

    func run() async throws {
        let (library, query) = (try await library.openWithPlaces(), try query)
        let source = try await QueryArgument(query).source(in: library)
        let found = try await library.find(query, in: source, limit: limit)
        if found.isEmpty, limit > 0 { return try await library.noteNothingFound(by: query, in: source) }
        let reports = found.map { AssetReport(asset: $0, zone: zone.zone) }
        if json { return reports.forEach { print($0.json) } }
        let table = Table(AssetReport.columns)
        for report in reports { table.add(report.row) }
    }
}

/// `viewport library groups`: lists the whole library, albums and folders.
struct LibraryGroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups", abstract: "List albums and folders with their number of assets.",
        examples: [
            "viewport library groups photos": "A table",
            "viewport library groups photos --json": "One line of JSON per group",
        ])

    @OptionGroup var library: LibraryArguments

    @Flag(help: "Print one line of JSON for each.")
    var json = false

    func run() async throws {
        let groups = try await library.open().groups()
        if json { return groups.forEach { print($0.json) } }
        let table = Table([
            .init("KIND", least: 6), .init("COUNT", .right, least: 8), .init("BYTES", .right, least: 14),
            .init("GROUP", least: 10), .init("NAME"),
        ])
        for group in groups {
            table.add([
                group.kind.rawValue, "\(group.count)", "\(group.bytes)", group.id.pathComponent, group.name,
            ])
        }
    }
}

extension AssetGroup {
    var json: JSONValue {
        .object([
            "kind": .string(kind.rawValue), "name": .string(name), "count": .int(count),
            "bytes": .int(bytes), "group": .string(id.pathComponent),
        ])
    }
}

/// `viewport library stats`: prints the library in numbers.
struct LibraryStatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show the size of the library in numbers.",
        examples: [
            "viewport library stats photos": "A table",
            "viewport library stats photos --json": "As JSON",
        ])

    @OptionGroup var library: LibraryArguments

    @Flag(help: "Print one line of JSON.")
    var json = false

    func run() async throws {
        let statistics = try await library.openWithPlaces().statistics()
        let members: [(String, JSONValue)] = [
            ("assets", .int(statistics.assets)), ("bytes", .int(statistics.bytes)),
            ("photos", .int(statistics.photos)), ("videos", .int(statistics.videos)),
            ("screenshots", .int(statistics.screenshots)),
            ("seconds", .number((statistics.seconds * 1000).rounded() / 1000)),
            ("firstDate", JSONValue(statistics.firstDate, JSONValue.string)),
            ("lastDate", JSONValue(statistics.lastDate, JSONValue.string)),
            ("undated", .int(statistics.undated)),
            ("withoutZone", .int(statistics.withoutZone)), ("located", .int(statistics.located)),
            ("places", .int(statistics.places)), ("albums", .int(statistics.albums)),
        ]
        if json {
            let formats = JSONValue.object(statistics.formats.map { ($0.name, .int($0.count)) })
            print(JSONValue.object(members + [("formats", formats)]))
            return
        }
        let table = Table([.init("WHAT", least: 14), .init("NUMBER", .right, least: 24)])
        for (name, value) in members { table.add([name, "\(value)".replacing("\"", with: "")]) }
        for format in statistics.formats { table.add(["  \(format.name)", "\(format.count)"]) }
    }
}
#endif
#endif
