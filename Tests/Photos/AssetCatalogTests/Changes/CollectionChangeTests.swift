import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@Suite("Changes of a collection")
struct CollectionChangeTests {
    /// Returns a list after a change, updated like a view, only with the contents of the change.
    private func apply(_ change: CollectionChange, to list: [[Asset.ID]]) -> [[Asset.ID]] {
        var list = list
        for path in (change.removed + change.moved.map(\.from)).sorted().reversed() {
            list[path.entry].remove(at: path.asset)
        }
        for entry in change.deletedEntries.reversed() {
            #expect(list[entry].isEmpty)
            list.remove(at: entry)
        }
        for entry in change.insertedEntries { list.insert([], at: entry) }
        for path in (change.inserted + change.moved.map(\.to)).sorted() {
            list[path.entry].insert(change.after[path], at: path.asset)
        }
        return list
    }

    private func list(_ snapshot: CollectionSnapshot) -> [[Asset.ID]] {
        snapshot.entries.indices.map { Array(snapshot.ids(in: $0)) }
    }

    @Test("turn the old list into the new one, for random changes", arguments: 0..<12)
    func random(seed: Int) async throws {
        var random = RandomAssets(seed: UInt64(seed))
        let test = try await TestLibrary(try random.assets(40))
        let library = test.library
        let units = StandardGrouping.Unit.allCases
        let kinds: AssetKinds = seed % 3 == 0 ? [.jpeg, .video] : .all
        let sorter: DateSorter = seed % 2 == 0 ? .dateAscending : .dateDescending
        let collection = library.collection(
            grouping: StandardGrouping(units[seed % units.count]), filter: kinds, sorter: sorter,
            omitsEmptyEntries: seed % 4 != 0)
        var known = try await collection.snapshot()
        var shown = list(known)
        var number = 1000
        for _ in 0..<15 {
            var updated: [Asset.ID] = []
            for _ in 0...random.next(below: 6) {
                var all = try await library.collection().snapshot().ids
                switch random.next(below: 4) {
                case 0:
                    number += 1
                    try await library.insert([try random.asset(number)])
                case 1 where !all.isEmpty:
                    try await library.remove([all.remove(at: random.next(below: all.count))])
                case 2 where !all.isEmpty:
                    var asset = try #require(try await library.asset(all[random.next(below: all.count)]))
                    asset.date = random.date()
                    try await library.update([asset])
                case 3 where !all.isEmpty:
                    var asset = try #require(try await library.asset(all[random.next(below: all.count)]))
                    asset.title = "\(random.next(below: 100))"
                    try await library.update([asset])
                    updated.append(asset.id)
                default: break
                }
            }
            var changes = collection.changes(since: known).makeAsyncIterator()
            let now = try await collection.snapshot()
            guard now != known || updated.contains(where: { now.indexPath(of: $0) != nil }) else { continue }
            let change = try #require(try await changes.next())
            #expect(change.before == known && change.after == now)
            shown = apply(change, to: shown)
            #expect(shown == list(now))
            for id in updated {
                guard let path = now.indexPath(of: id), !change.inserted.contains(path) else { continue }
                #expect(change.updated.contains(path))
            }
            // Moves refer to the same assets before and after.
            #expect(change.moved.allSatisfy { known[$0.from] == now[$0.to] })
            known = change.after
        }
    }

    @Test("contain no unnecessary moves")
    func few() async throws {
        let test = try await TestLibrary(
            try (1...9).map { try .made("\($0).jpg", "2020-01-0\($0)T00:00:00") })
        let collection = test.library.collection()
        let before = try await collection.snapshot()
        var asset = try #require(try await collection.asset(at: AssetIndexPath(entry: 0, asset: 0)))
        asset.date = try Asset.made("x", "2020-01-05T12:00:00").date
        try await test.library.update([asset])
        var changes = collection.changes(since: before).makeAsyncIterator()
        let change = try #require(try await changes.next())
        #expect(change.moved == [.init(from: .init(entry: 0, asset: 0), to: .init(entry: 0, asset: 4))])
        #expect(change.updated == [.init(entry: 0, asset: 4)])
        #expect(change.removed.isEmpty && change.inserted.isEmpty && !change.isReload)
    }

    @Test("follow the filter and the sorter")
    func criteria() async throws {
        let test = try await TestLibrary(try CollectionTests.assets())
        let collection = test.library.collection(grouping: .month)
        var changes = collection.changes(since: try await collection.snapshot()).makeAsyncIterator()
        collection.filter = AssetKinds.jpeg
        let filtered = try #require(try await changes.next())
        #expect(filtered.deletedEntries == [1, 2])
        #expect(
            filtered.removed == [
                .init(entry: 0, asset: 0), .init(entry: 1, asset: 0), .init(entry: 2, asset: 0),
            ])
        collection.sorter = DateSorter.dateDescending
        let sorted = try #require(try await changes.next())
        #expect(sorted.moved.count == 1)
        collection.filter = AssetKinds.all
        collection.sorter = DateSorter.dateAscending
        #expect(try await changes.next()?.after.count == 5)
    }

    @Test("that exceed the limit are reloads")
    func many() async throws {
        let test = try await TestLibrary([try .made("a.jpg")])
        let collection = test.library.collection()
        let before = try await collection.snapshot()
        let limit = CollectionChange.limit
        try await test.library.insert(try (0...limit).map { try .made("\($0).jpg") })
        var changes = collection.changes(since: before).makeAsyncIterator()
        let change = try #require(try await changes.next())
        #expect(change.isReload && change.inserted.isEmpty)
        #expect(change.after.count == limit + 2)
        try await test.library.remove([change.after.ids[0]])
        #expect(try await changes.next()?.removed == [.init(entry: 0, asset: 0)])
    }

    @Test("end when their task is cancelled")
    func cancelled() async throws {
        let test = try await TestLibrary()
        let collection = test.library.collection()
        let task = Task {
            var count = 0
            for try await _ in collection.changes() { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(try await task.value == 0)
    }
}
