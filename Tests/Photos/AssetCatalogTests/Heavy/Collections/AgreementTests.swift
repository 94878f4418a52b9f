import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing

/// Comparisons of the catalog with a simple implementation in the test.
@Suite("Collections", .ownThread)
struct AgreementTests {
    struct Criteria: Sendable {
        var unit: StandardGrouping.Unit
        var filter: any AssetFilter
        var sorter: DateSorter
        var omitsEmptyEntries: Bool
        var source: Int

        /// Every combination of the standard criteria.
        static let all: [Criteria] = {
            var all: [Criteria] = []
            for unit in StandardGrouping.Unit.allCases {
                for kinds in 0..<32 {
                    for orders in 0..<4 {
                        for rest in 0..<6 {
                            let sorter = DateSorter(
                                entries: orders & 1 == 0 ? .ascending : .descending,
                                assets: orders & 2 == 0 ? .ascending : .descending)
                            all.append(
                                Criteria(
                                    unit: unit, filter: AssetKinds(rawValue: kinds), sorter: sorter,
                                    omitsEmptyEntries: rest & 1 == 0, source: rest / 2))
                        }
                    }
                }
            }
            return all
        }()
    }

    /// Each part compares 100 libraries; all parts together cover every combination of criteria.
    @Test("are the same in the catalog, in Swift, and in the test", arguments: 0..<10)
    func agreement(part: Int) async throws {
        let test = try await TestLibrary()
        let library = test.library
        let combinations = (Criteria.all.count + 999) / 1000
        for seed in part * 100..<part * 100 + TestLength.repetitions(100, short: 8) {
            var random = RandomAssets(seed: UInt64(seed))
            try await library.remove(Array(library.collection().snapshot().ids))
            let count = random.next(below: 16)
            let ids = try await library.insert(try random.assets(count).shuffled(using: &random.random))
            let assets = try await library.assets(ids)
            let album = try await library.createAlbum("\(seed)")
            let chosen = ids.filter { _ in random.next(below: 2) == 0 }
            try await library.add(chosen, to: album.id)
            let folders = try await library.groups().filter { $0.kind == .folder }
            for index in 0..<(combinations + 3) {
                var criteria = Criteria.all[(seed * combinations + index) % Criteria.all.count]
                if index >= combinations { criteria.filter = try random.filter() }
                let source: AssetGroup.ID
                let members: [Asset]
                switch criteria.source {
                case 1 where !folders.isEmpty:
                    let folder = folders[random.next(below: folders.count)]
                    source = folder.id
                    members = assets.filter { $0.folder == folder.name }
                case 2:
                    source = album.id
                    members = assets.filter { chosen.contains($0.id) }
                default:
                    source = .all
                    members = assets
                }
                try await compare(library, criteria, source, members)
            }
        }
    }

    private func compare(
        _ library: PhotoLibrary, _ criteria: Criteria, _ source: AssetGroup.ID, _ members: [Asset]
    ) async throws {
        let grouping = StandardGrouping(criteria.unit)
        let byHand = arranged(members, grouping, criteria)
        let collection = library.collection(
            of: source, grouping: grouping, filter: criteria.filter, sorter: criteria.sorter,
            omitsEmptyEntries: criteria.omitsEmptyEntries)
        let entries = try await collection.entries()
        #expect(entries == byHand.map { CollectionEntry(key: $0.key, count: $0.ids.count) }, "\(criteria)")
        #expect(try await collection.entryCount() == byHand.count)
        for (index, entry) in byHand.enumerated() where index < entries.count {
            let assets = try await collection.assets(in: entries[index])
            #expect(assets.map(\.id) == entry.ids, "\(criteria)")
            for (place, id) in entry.ids.enumerated().suffix(index == 0 ? 1 : 0) {
                let path = AssetIndexPath(entry: index, asset: place)
                #expect(try await collection.indexPath(of: id) == path, "\(criteria)")
                #expect(try await collection.asset(at: path)?.id == id, "\(criteria)")
            }
        }
        let last = byHand.lastIndex { !$0.ids.isEmpty }
        #expect(
            try await collection.lastIndexPath()
                == last.map { AssetIndexPath(entry: $0, asset: byHand[$0].ids.count - 1) }, "\(criteria)")
        let userMade = library.collection(
            of: source, grouping: UserMadeGrouping(base: grouping),
            filter: UserMadeFilter(base: criteria.filter),
            sorter: UserMadeSorter(base: criteria.sorter), omitsEmptyEntries: criteria.omitsEmptyEntries)
        for snapshot in [try await collection.snapshot(), try await userMade.snapshot()] {
            #expect(snapshot.entries == entries, "\(criteria)")
            #expect(
                snapshot.entries.indices.map { Array(snapshot.ids(in: $0)) } == byHand.map(\.ids),
                "\(criteria)")
        }
    }

    private func arranged(
        _ assets: [Asset], _ grouping: StandardGrouping, _ criteria: Criteria
    ) -> [(key: EntryKey?, ids: [Asset.ID])] {
        let entries = Dictionary(grouping: assets) { grouping.key(of: $0) }.map { key, members in
            let shown = members.filter(criteria.filter.includes)
            return (key: key, ids: shown.sorted { criteria.sorter.areInOrder($0, $1) }.map(\.id))
        }
        return entries.filter { !criteria.omitsEmptyEntries || !$0.ids.isEmpty }
            .sorted { criteria.sorter.areInOrder($0.key, $1.key) }
    }
}
