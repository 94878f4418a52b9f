import ArgumentParser
import PhotoLibrary

/// How long a library takes to show the first page of every arrangement.
struct AskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Time first pages of every grouping, filter and order.")

    @Argument(help: "The library's folder.")
    var folder: String

    func run() async throws {
        let library = try await PhotoLibrary.open(folder)
        let clock = ContinuousClock()
        let filters: [(String, AssetKinds)] = [("all", .all), ("png", .png), ("screenshot", .screenshot)]
        for unit in StandardGrouping.Unit.allCases {
            let collection = library.collection(grouping: StandardGrouping(unit))
            for (name, kinds) in filters {
                for sorter in [DateSorter.dateAscending, .dateDescending] {
                    collection.filter = kinds
                    collection.sorter = sorter
                    let start = clock.now
                    let entries = try await collection.entries(0..<50)
                    let first = try await entries.first.asyncMap {
                        try await collection.assets(in: $0, 0..<100)
                    }
                    let page = clock.now - start
                    let last = try await collection.lastIndexPath()
                    print(
                        unit, name, sorter.assets, "\(entries.count) entries, \(first?.count ?? 0) assets",
                        page,
                        "last \(last?.description ?? "none")", clock.now - start - page)
                }
            }
        }
        let start = clock.now
        let arrangement = try await library.collection(grouping: .day).arrangement()
        print("all \(arrangement.count) assets by day", clock.now - start)
        let found = clock.now
        print("found \(try await library.find("img 99", limit: 50).count)", clock.now - found)
    }
}

extension Optional {
    fileprivate func asyncMap<R>(_ body: (Wrapped) async throws -> R) async throws -> R? {
        guard let self else { return nil }
        return try await body(self)
    }
}
