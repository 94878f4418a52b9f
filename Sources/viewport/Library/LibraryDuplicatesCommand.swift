#if Library
import ArgumentParser
import AssetRendering
import Basics
import PhotoCatalog

/// `viewport library duplicates`: lists equal and similar assets.
struct LibraryDuplicatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates",
        abstract: "List assets that are equal or look alike.",
        discussion: """
            Equal bytes are found from the checksums in the catalog. For pixels and looks,
            every photo is decoded once, and the result is stored. Pixels can be equal
            although metadata differ.
            """,
        examples: [
            ("viewport library duplicates photos", "Files with equal bytes"),
            ("viewport library duplicates photos --by looks --distance 8", "Photos that look alike"),
        ])

    /// What is compared.
    enum Comparison: String, ExpressibleByArgument, CaseIterable {
        case bytes, pixels, looks
    }

    @OptionGroup var library: LibraryArguments

    @Option(help: "Compare bytes, pixels or looks.")
    var by: Comparison = .bytes

    @Option(help: ArgumentHelp("Maximum number of the 64 bits in which looks differ.", valueName: "bits"))
    var distance = 6

    @Flag(help: "Print one line of JSON per group.")
    var json = false

    func validate() throws {
        try require("--distance", distance, in: 0...64, example: 6)
    }

    func run() async throws {
        let library = try await library.openWithPlaces()
        var failures: [IndexReport.Failure] = []
        if by != .bytes {
            let line = SharedProgressLine("decoding")
            failures = try await InterruptibleWork.run {
                try await library.makeFingerprints {
                    line.show(Double($0) / Double(max(1, $1)))
                }
            }
            line.clear()
        }
        let criterion: DuplicateCriterion =
            switch by {
            case .bytes: .bytes
            case .pixels: .pixels
            case .looks: .appearance(distance: distance)
            }
        let line = SharedProgressLine("comparing")
        let groups = try await InterruptibleWork.run {
            try await library.duplicates(criterion) { line.show(Double($0) / Double(max(1, $1))) }
        }
        line.clear()
        if json {
            for group in groups {
                let assets = group.map { AssetReport(asset: $0).json }
                print(JSONValue.object([("by", .string(by.rawValue)), ("assets", .array(assets))]))
            }
        } else {
            let table = Table(AssetReport.columns)
            for (number, group) in groups.enumerated() {
                let path = AssetIndexPath(entry: number, asset: 0)
                for asset in group {
                    table.add(
                        AssetReport(asset: asset, entry: (.number(number + 1), "\(number + 1)", path)).row)
                }
            }
        }
        try reportFailures(failures)
    }
}
#endif
