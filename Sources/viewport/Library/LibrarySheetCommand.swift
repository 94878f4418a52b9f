#if CommandLine
#if Library
import ArgumentParser
import AssetRendering
import Basics
import PhotoCatalog

/// `viewport library sheet`: draws a contact sheet.
struct LibrarySheetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sheet", abstract: "Make a contact sheet: thumbnails under the heading of each entry.",
        examples: [
            "viewport library sheet photos -o sheet.png": "All assets by day",
            "viewport library sheet photos -o sheets/ --group-by month --columns 8":
                "Eight thumbnails in a row, by month",
        ])

    @OptionGroup var library: LibraryArguments

    @Option(
        name: .shortAndLong,
        help: "The .png, .jpg, .webp, .avif or .tif to write, or a folder; - for standard output as PNG.",
        completion: .file())
    var output: String

    @OptionGroup var overwriting: OverwriteArgument

    @Option(help: AssetRequest.Parameter.groupBy.help)
    var groupBy: StandardGrouping.Unit = .day

    @OptionGroup(title: "Which assets") var selection: SelectionArguments

    @Option(help: "Thumbnails per row.")
    var columns = 6

    @Option(name: .shortAndLong, help: "Long side of a thumbnail in pixels.")
    var size = ContactSheet.usualSide

    @Option(help: "Maximum number of assets.")
    var limit = 500

    @Flag(help: "Print one line of JSON.")
    var json = false

    func validate() throws {
        try require("--columns", columns, in: 1...100, example: 6)
        try require("--size", size, in: 16...1024, example: 192)
        try require("--limit", limit, in: 1...ContactSheet.limit, example: 500)
        _ = try name
    }

    private var name: OutputName {
        get throws { try OutputName(output, asked: nil, default: "sheet") }
    }

    func run() async throws {
        let name = try name
        try OutputName.makeFolder(self.output)
        let library = try await library.openWithPlaces()
        let sections = try await sections(of: selection.collection(of: library, by: groupBy))
        let inputs = sections.flatMap { $0.assets.map { "\(library.root)/\($0.path)" } }
        let output = PictureOutput(name.path, name.format, inputs: inputs, overwrites: overwriting.overwrite)
        try output.check()
        let sheet = ContactSheet(columns: columns, side: size)
        let (bytes, failures) = try await InterruptibleWork.run("drawing") { _ in
            try await sheet.file(of: sections, in: library, as: name.format)
        }
        try output.write(bytes)
        let count = sections.reduce(0) { $0 + $1.assets.count }
        if json {
            output.report(
                .object([
                    "output": .string(output.path), "outputs": .outputs(output.path), "assets": .int(count),
                    "failures": .array(failures.map(\.json)),
                ]))
        }
        try reportFailures(failures)
    }

    private func sections(of collection: AssetCollection) async throws -> [ContactSheet.Section] {
        var sections: [ContactSheet.Section] = []
        var rest = limit
        for entry in try await collection.entries() where rest > 0 {
            let assets = try await collection.assets(in: entry, 0..<rest)
            let heading = entry.key?.heading(groupBy) ?? groupBy.title(of: nil)
            sections.append(ContactSheet.Section(heading: heading, assets: assets))
            rest -= assets.count
        }
        return sections
    }
}

extension EntryKey {
    /// The key as a readable date: "2014-05", "week of 2014-05-19", "2014-05-25 10:00"; a place's name.
    fileprivate func heading(_ unit: StandardGrouping.Unit) -> String {
        guard case .period(let period) = self else { return unit.title(of: self) }
        return unit == .week && period.number % 100 > 0 ? "week of \(period.text)" : period.text
    }
}
#endif
#endif
