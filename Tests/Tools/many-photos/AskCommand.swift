import ArgumentParser
import PhotoCatalog

/// Measures how long a library takes to return the first page of every collection.
struct AskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Time first pages of every group, grouping, filter and order.",
        discussion: """
            A page is the first 50 entries and the first 100 assets of the first entry; the fastest of three reads \
            counts. A line has the maximum and the median in milliseconds of the pages of a group and a filter, and \
            the name of the slowest page.
            """)

    @Argument(help: "The library's folder.")
    var folder: String

    func run() async throws {
        let library = try await PhotoLibrary.open(folder)
        let groups = try await library.groups()
        let folder = groups.filter { $0.kind == .folder }.max { $0.count < $1.count }
        let album = groups.filter { $0.kind == .album || $0.kind == .picks }.max { $0.count < $1.count }
        for group in [groups.first, album, folder].compactMap(\.self) {
            for (name, filter) in try AskedFilter.all() {
                let pages = try await pages(of: group.id, filter, in: library)
                let (slowest, middle) = (pages[pages.count - 1], pages[pages.count / 2])
                print(
                    "\(text(slowest.time)) \(text(middle.time)) ms, \(pages.count) pages of \(group.count)",
                    "(\(group.kind)), \(name): \(slowest.name)")
            }
        }
        let all = library.collection(grouping: .day)
        try await time("all assets arranged by day") { _ = try await all.snapshot() }
        try await time("\(groups.count) groups") { _ = try await library.groups() }
        try await time("words found") { _ = try await library.find("img 99", limit: 50) }
    }

    /// Measures the first page of every grouping and order, sorted by time.
    private func pages(
        of group: AssetGroup.ID, _ filter: any AssetFilter, in library: PhotoLibrary
    ) async throws -> [(time: Duration, name: String)] {
        var pages: [(time: Duration, name: String)] = []
        for unit in StandardGrouping.Unit.allCases {
            let collection = library.collection(of: group, grouping: StandardGrouping(unit))
            for sorter in [DateSorter.dateAscending, .dateDescending] {
                collection.filter = filter
                collection.sorter = sorter
                let time = try await quickest { try await show(collection) }
                pages.append((time, "\(unit) \(sorter.assets)"))
            }
        }
        return pages.sorted { $0.time < $1.time }
    }

    private func show(_ collection: AssetCollection) async throws {
        guard let first = try await collection.entries(0..<50).first else { return }
        _ = try await collection.assets(in: first, 0..<100)
    }

    private func time(_ name: String, _ work: () async throws -> Void) async throws {
        print("\(text(try await quickest(work))) ms, \(name)")
    }

    private func quickest(_ work: () async throws -> Void) async throws -> Duration {
        var quickest = Duration.seconds(1 << 30)
        for _ in 0..<3 { quickest = min(quickest, try await ContinuousClock().measure { try await work() }) }
        return quickest
    }

    private func text(_ time: Duration) -> String { "\((time / .milliseconds(1) * 10).rounded() / 10)" }
}
