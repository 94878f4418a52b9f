#if Server && Library
import Basics
import Foundation
import PhotoCatalog
import TestSupport
import Testing
import TileServing

@Suite("The JSON responses for a library's pages", .library)
struct CollectionResponsesTests {
    static let kinds: [(String, AssetKinds)] = [
        ("all", .all), ("photo", .photo), ("jpeg", .jpeg), ("png", .png), ("screenshot", .screenshot),
        ("video", .video),
    ]

    private static func json(_ running: RunningLibrary, _ path: String) async throws -> JSONValue {
        let answer = try await running.probe.send(running.address + path)
        #expect(answer.status == 200, "\(path): \(answer.text)")
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.headers["cache-control"] == "no-store")
        return try JSONValue(parsing: answer.text)
    }

    private static func names(_ value: JSONValue) -> [String] {
        value["assets"]?.array?.compactMap { $0["name"]?.string } ?? []
    }

    @Test("contain the groups, with names and counts")
    func groups() async throws {
        let running = try #require(RunningLibrary.shared)
        try await running.library.createAlbum("Geneva & <more>")
        let groups = try await running.library.groups()
        let told = try await Self.json(running, "groups")["groups"]?.array ?? []
        #expect(told.compactMap { $0["count"]?.int } == groups.map(\.count))
        #expect(
            told.compactMap { $0["title"]?.string }
                == ["Everything", "Picks", "Geneva & <more>", "Not in a folder", "even", "odd"])
        for (group, told) in zip(groups, told) where group.kind == .folder {
            let name = told["group"]?.string ?? ""
            let entries = try await Self.json(running, "entries?group=\(name)&by=all")["entries"]
            #expect(entries?.array?.first?.array?.last?.int == group.count)
        }
    }

    @Test("contain the entries and assets of the collection, for every grouping, kind and order")
    func agreement() async throws {
        let running = try #require(RunningLibrary.shared)
        for unit in ["all", "year", "month", "week", "day", "hour"] {
            for (name, kinds) in Self.kinds {
                for order in DateSorter.Order.allCases {
                    let query = "by=\(unit)&show=\(name)&order=\(order.rawValue)"
                    try await Self.compare(running, query, unit, kinds, order)
                }
            }
        }
    }

    @Test("contain undated assets last in either order")
    func undated() async throws {
        let running = try #require(RunningLibrary.shared)
        for order in DateSorter.Order.allCases {
            for unit in ["year", "month", "week", "day", "hour"] {
                let query = "by=\(unit)&order=\(order.rawValue)"
                let entries = try await Self.json(running, "entries?\(query)")["entries"]?.array ?? []
                #expect(
                    entries.map { $0.array?.first == .null }.firstIndex(of: true) == entries.count - 1)
                #expect(entries.last == .array([.null, .int(1)]))
            }
            let all = try await Self.json(running, "assets?by=all&order=\(order.rawValue)&count=200")
            #expect(Self.names(all).last == "undated.jpg")
            #expect(
                all["assets"]?.array?.last?["date"] == .null || all["assets"]?.array?.last?["date"] == nil
            )
        }
        #expect(try await running.probe.send("/page/titles.js").text.contains("return \"Undated\""))
    }

    private static func compare(
        _ running: RunningLibrary, _ query: String, _ unit: String, _ kinds: AssetKinds,
        _ order: DateSorter.Order
    ) async throws {
        let collection = running.library.collection(
            grouping: StandardGrouping(try #require(.init(rawValue: unit))), filter: kinds,
            sorter: DateSorter(entries: order, assets: order))
        let entries = try await collection.entries()
        let expected = entries.map { entry -> JSONValue in
            guard let key = entry.key?.number else { return .array([.null, .int(entry.count)]) }
            return .array([.int(key), .int(entry.count)])
        }
        #expect(try await json(running, "entries?\(query)")["entries"] == .array(expected), "\(query)")
        let part = try await json(running, "entries?\(query)&first=1&count=2")
        #expect(part["entries"] == .array(Array(expected.dropFirst().prefix(2))))
        #expect(part["isLast"] == .bool(expected.count < 3))

        var all: [String] = []
        for entry in entries { all += try await collection.assets(in: entry).map(\.name) }
        #expect(all.count > 2)
        #expect(names(try await json(running, "assets?\(query)&count=200")) == all, "\(query)")
        // From the middle of an entry, across the following entries.
        let entry = entries.count / 2
        let asset = entries[entry].count / 2
        let first = entries[..<entry].reduce(0) { $0 + $1.count } + asset
        let range = try await json(running, "assets?\(query)&from=\(entry).\(asset)&count=9")
        #expect(names(range) == Array(all[first...].prefix(9)), "\(query)")
        #expect(range["from"] == .array([.int(entry), .int(asset)]))
    }

    @Test("contain the neighbors of every asset, in the order of the grid")
    func neighbors() async throws {
        let running = try #require(RunningLibrary.shared)
        for query in ["by=day&order=descending&show=all", "by=hour&order=ascending&show=png", "by=all"] {
            let assets = try await Self.json(running, "assets?\(query)&count=200")["assets"]?.array ?? []
            for (index, asset) in assets.enumerated() {
                let id = try #require(asset["id"]?.int)
                let told = try await Self.json(running, "neighbors?\(query)&asset=\(id)")
                #expect(told["asset"] == asset && told["number"] == .int(index + 1))
                #expect(told["count"] == .int(assets.count))
                #expect(told["previous"] == (index > 0 ? assets[index - 1] : .null))
                #expect(told["next"] == (index + 1 < assets.count ? assets[index + 1] : .null))
            }
        }
    }

    @Test("contain the metadata of an asset and the URL of its page")
    func asset() async throws {
        let running = try #require(RunningLibrary.shared)
        let film = try #require(try await running.library.asset(path: "film 0.mov"))
        let told = try await Self.json(running, "asset/\(film.id)")
        #expect(told["kind"] == .string("video") && told["seconds"] == .int(65))
        #expect(told["page"]?.string?.hasSuffix("/film/\(film.id)") == true)
        let photo = try #require(try await running.library.asset(path: "even/IMG_0_0.jpg"))
        let other = try await Self.json(running, "asset/\(photo.id)")
        #expect(other["page"] == .string("view/even%2FIMG_0_0.jpg"))
        #expect(other["date"] == .string("2013-12-31T08:15:00") && other["width"] == .int(40))
    }

    static let refusals: [(String, Int)] = [
        ("entries?group=folder-99", 404), ("entries?group=nothing", 404), ("entries?group=album-x", 404),
        ("entries?group=..%2Fall", 404), ("entries?by=fortnight", 400),
        ("entries?order=random", 400), ("entries?show=raw", 400), ("entries?first=-1", 400),
        ("entries?count=0", 400), ("entries?count=20001", 400), ("entries?first=99999999999999999999", 400),
        ("assets?from=0", 400), ("assets?from=0.0.0", 400), ("assets?from=-1.0", 400),
        ("assets?from=x.y", 400), ("assets?from=9999.0", 404), ("assets?from=0.9999", 404),
        ("assets?count=201", 400), ("neighbors?asset=99999", 404), ("neighbors", 404),
        ("neighbors?asset=1&group=picks", 404), ("asset/0", 404), ("asset/x", 404), ("asset/-1", 404),
        ("thumbnail/99999/0/256", 404), ("thumbnail/1/0/257", 400), ("cover/picks", 404),
        ("cover/folder-99", 404), ("group/nothing", 404), ("group/folder-99", 404), ("film/99999", 404),
        ("events?group=folder-99", 404), ("events?by=x", 400), ("nothing", 404), ("groups/", 404),
        (".viewport-library/catalogue.sqlite", 404), ("..%2F..%2Fetc%2Fpasswd", 404),
    ]

    @Test("are one sentence for invalid requests")
    func refused() async throws {
        let running = try #require(RunningLibrary.shared)
        for (path, status) in Self.refusals {
            let answer = try await running.probe.send(running.address + path)
            #expect(answer.status == status, "\(path): \(answer.status) \(answer.text)")
            #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(answer.text.split(separator: "\n").count == 1, "\(path)")
            #expect(!answer.text.contains(running.folder.url.path))
        }
        #expect(try await running.probe.send("/library/other/groups").status == 404)
        #expect(try await running.probe.send("/library").status == 404)
    }
}
#endif
