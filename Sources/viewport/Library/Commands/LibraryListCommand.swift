import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library list`: the assets, grouped, filtered and sorted.
struct LibraryListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List assets by year, month, week, day, hour or place.")

    @OptionGroup var library: LibraryArguments

    @Option(help: "What the assets of an entry share: all, year, month, week, day, hour or place.")
    var groupBy: StandardGrouping.Unit = .all

    @OptionGroup(title: "Which assets") var selection: SelectionArguments
    @OptionGroup var zone: ZoneArguments

    @Option(help: "So many assets at most.")
    var limit: Int?

    @Flag(help: "Only the entries, with how many assets each has.")
    var entries = false

    @Flag(help: "One line of JSON for each.")
    var json = false

    func validate() throws {
        try require("--limit", limit, in: 0..., example: 100)
    }

    func run() async throws {
        let library = try await library.openWithPlaces()
        let collection = try await selection.collection(of: library, by: groupBy)
        let all = try await collection.entries()
        if entries { return show(all) }
        let table = json ? nil : Table(AssetReport.columns)
        var rest = limit ?? .max
        for (number, entry) in all.enumerated() where rest > 0 {
            let key = groupBy == .all ? .text("all") : entry.key
            var start = 0
            while start < entry.count, rest > 0 {
                let page = try await collection.assets(in: entry, start..<(start + min(rest, Self.page)))
                guard !page.isEmpty else { break }
                for (index, asset) in page.enumerated() {
                    let path = AssetIndexPath(entry: number, asset: start + index)
                    let report = AssetReport(
                        asset: asset, zone: zone.zone, entry: (key, groupBy.title(of: entry.key), path))
                    if let table { table.add(report.row) } else { print(report.json) }
                }
                start += page.count
                rest -= page.count
            }
        }
    }

    /// Assets that are asked for at once.
    private static let page = 1000

    private func show(_ entries: [AssetEntry]) {
        let table = json ? nil : Table([.init("COUNT", .right, least: 8), .init("GROUP")])
        for entry in entries.prefix(limit ?? .max) {
            let key = groupBy == .all ? .text("all") : entry.key
            if let table {
                table.add(["\(entry.count)", groupBy.title(of: entry.key)])
            } else {
                print(
                    JSONValue.object([
                        ("group", JSONValue(key, AssetReport.json)), ("count", .int(entry.count)),
                    ]))
            }
        }
    }
}
