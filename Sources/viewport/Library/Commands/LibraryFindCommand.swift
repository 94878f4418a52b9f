import ArgumentParser
import PhotoCatalog

/// `viewport library find`: assets by words.
struct LibraryFindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find assets by words of their names, texts, keywords, places and cameras, the best first.")

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Words, or their beginnings; all of them have to be there.")
    var words: [String]

    @OptionGroup var zone: ZoneArguments

    @Option(help: "So many assets at most.")
    var limit = 100

    @Flag(help: "One line of JSON for each.")
    var json = false

    func validate() throws {
        try require("--limit", limit, in: 0..., example: 100)
    }

    func run() async throws {
        let found = try await library.openWithPlaces().find(words.joined(separator: " "), limit: limit)
        let reports = found.map { AssetReport(asset: $0, zone: zone.zone) }
        if json { return reports.forEach { print($0.json) } }
        let table = Table(AssetReport.columns)
        for report in reports { table.add(report.row) }
    }
}
