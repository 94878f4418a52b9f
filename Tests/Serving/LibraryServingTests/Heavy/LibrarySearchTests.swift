#if Server && Library
import Basics
import Foundation
import ImageMetadata
@testable import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing

@Suite("Searches and maps of a library")
struct LibrarySearchTests {
    /// A library whose photos have places, cameras and keywords in the catalog.
    private static func with(_ body: @escaping @Sendable (RunningLibrary) async throws -> Void) async throws {
        try await RunningLibrary.with { running in
            let all = try await running.library.collection().assets(0..<1000)
            var changed: [Asset] = []
            for (index, var asset) in all.enumerated() {
                asset.model = index % 2 == 0 ? "X100V" : "EOS 5D"
                asset.make = index % 2 == 0 ? "FUJIFILM" : "Canon"
                asset.keywords = index % 3 == 0 ? ["lake", "blue sky"] : []
                asset.title = index == 4 ? "Evening at the lakeside" : nil
                asset.place = index < 10 ? "Genève, CH" : nil
                if index < 20 {
                    asset.location = Location(
                        latitude: index < 10 ? 46.2 + Double(index) / 1000 : -33.86,
                        longitude: index < 10 ? 6.14 : 151.2,
                        source: .exif)
                }
                changed.append(asset)
            }
            try await running.library.update(changed)
            try await body(running)
        }
    }

    private static func json(_ running: RunningLibrary, _ path: String) async throws -> JSONValue {
        let answer = try await running.probe.send(running.address + path)
        #expect(answer.status == 200, "\(path): \(answer.text)")
        return try JSONValue(parsing: answer.text)
    }

    static let searches = [
        "camera:x100", "lake", "keyword:\"blue sky\"", "-camera:canon place:gen", "near:46.2,6.14,0.3",
        "bounds:46.2015,6,46.2045,7", "bounds:-40,150,-30,-170", "from:2014-05 to:2014-05 is:photo",
        "is:located",
        "-bounds:46,6,47,7",
    ]

    @Test(
        "find the same as the library does, in entries, assets, identifiers and neighbors",
        arguments: searches)
    func agreement(_ text: String) async throws {
        try await Self.with { running in
            let found = try await running.library.collection(
                grouping: .day, filter: AssetQuery(text), sorter: .dateDescending
            ).snapshot()
            #expect(found.count > 0)
            let query =
                "by=day&where=\(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            let entries = try await Self.json(running, "entries?\(query)")["entries"]?.array ?? []
            #expect(entries.compactMap { $0.array?.last?.int } == found.entries.map(\.count))
            let ids = try await Self.json(running, "ids?\(query)")["ids"]?.array?.compactMap(\.int)
            #expect(ids == found.ids.map(Int.init))
            let assets = try await Self.json(running, "assets?\(query)&count=200")["assets"]?.array
            #expect(assets?.compactMap { $0["id"]?.int } == found.ids.map(Int.init))
            let last = try await Self.json(running, "neighbors?\(query)&asset=\(found.ids[found.count - 1])")
            #expect(last["number"]?.int == found.count && last["next"] == .null)
            // Filters agree whether the catalog evaluates them or a program.
            let filter = try AssetQuery(text)
            let all = try await running.library.collection(grouping: .day, sorter: .dateDescending).snapshot()
            let swift = try await running.library.assets(all.ids).filter(filter.includes).map(\.id)
            #expect(swift == found.ids)
        }
    }

    static let faults = [
        ("camra:x", "did you mean camera:, such as"), ("\"open", "quotation mark"),
        ("rating:9", "rating:9: a number from 0 to 5 is expected, such as rating:>=4"),
        ("near:1,2", "latitude, longitude and kilometers are expected"),
        ("bounds:5,0,4,1", "south, west, north and east"), ("bounds:nan,0,1,1", "south, west"),
        ("album:none", "there is no such album"), ("from:2014-13", "2014-13"),
    ]

    @Test("say in words what is not understood", arguments: faults)
    func isFaulty(_ text: String, _ words: String) async throws {
        try await RunningLibrary.with { running async throws -> Void in
            let query = "where=\(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            for path in ["entries", "assets", "ids", "clusters", "events"] {
                let answer = try await running.probe.send(running.address + "\(path)?\(query)")
                #expect(answer.status == 400 && answer.text.contains(words), "\(path): \(answer.text)")
            }
        }
    }

    @Test("search an album or the picks, but not within another group")
    func albums() async throws {
        try await Self.with { running in
            let ids = Array(try await running.library.collection().snapshot().ids.prefix(5))
            try await running.library.add(ids, to: .picks)
            for query in ["is:picked", "album:Picks", "album:picks"] {
                let found = try await Self.json(running, "ids?where=\(query)")["ids"]?.array?.count
                #expect(found == 5)
            }
            #expect(
                try await running.probe.send(running.address + "ids?group=picks&where=is:picked").status
                    == 400)
            #expect(
                try await Self.json(running, "ids?group=picks&where=camera:x100")["ids"]?.array?.count == 3)
        }
    }

    static let words: [(word: String, first: [String])] = [
        ("cam", ["camera:"]), ("camera:x", ["camera:\"FUJIFILM X100V\""]),
        ("fuji", ["camera:\"FUJIFILM X100V\""]),
        ("keyword:bl", ["keyword:\"blue sky\""]), ("-keyword:\"blue", ["-keyword:\"blue sky\""]),
        ("genè", ["place:\"Genève, CH\""]), ("place:", ["place:\"Genève, CH\""]), ("is:vid", ["is:video"]),
        ("lakes", ["lakeside"]), ("album:see", ["album:\"Am See\""]), ("xyzzy", []), ("near:4", []),
        ("\"*'--", []),
    ]

    @Test("suggest conditions, cameras, keywords, places, albums and words", arguments: words)
    func suggestions(_ one: (word: String, first: [String])) async throws {
        try await Self.with { running in
            try await running.library.createAlbum("Am See")
            let word = one.word.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let told = try await Self.json(running, "suggest?word=\(word)")["suggestions"]?.array ?? []
            let found = told.compactMap { $0["word"]?.string }
            #expect(Array(found.prefix(one.first.count)) == one.first && (found.isEmpty == one.first.isEmpty))
            // What is suggested can be searched.
            for text in found where !text.hasSuffix(":") { _ = try AssetQuery(text) }
        }
    }

    @Test("are clustered on the map: each photo with a place once, however far one zooms")
    func clusters() async throws {
        try await Self.with { running in
            for zoom in [0, 3, 9, 14, 20] {
                let told = try await Self.json(running, "clusters?zoom=\(zoom)")
                let clusters = told["clusters"]?.array ?? []
                #expect(told["located"] == .int(20))
                #expect(clusters.compactMap { $0["count"]?.int }.reduce(0, +) == 20)
                #expect(clusters.count >= (zoom == 0 ? 2 : 2) && clusters.count <= 11)
                if zoom == 20 { #expect(clusters.count == 11) }
                // The query of a cluster finds its photos.
                for cluster in clusters {
                    let bounds = (cluster["bounds"]?.array ?? []).map(\.description).joined(separator: ",")
                    let found = try await Self.json(running, "ids?where=bounds:\(bounds)")["ids"]?.array?
                        .count
                    #expect(found == cluster["count"]?.int)
                }
            }
            let part = try await Self.json(running, "clusters?zoom=3&bounds=46,6,47,7")["clusters"]?.array
            #expect(part?.compactMap { $0["count"]?.int }.reduce(0, +) == 10)
            let across = try await Self.json(running, "clusters?zoom=3&bounds=-50,150,0,-170")["clusters"]?
                .array
            #expect(across?.compactMap { $0["count"]?.int } == [10])
            let some = try await Self.json(running, "clusters?zoom=9&where=camera:x100")
            #expect(some["located"] == .int(10))
            let none = try await Self.json(running, "clusters?where=date:1999")
            #expect(none["located"] == .int(0) && none["clusters"] == .array([]))
            for query in [
                "zoom=21", "zoom=x", "bounds=1,2,3", "bounds=5,0,4,1", "bounds=0,0,91,0", "bounds=nan,0,1,1",
            ] {
                let status = try await running.probe.send(running.address + "clusters?\(query)").status
                #expect(status == 400, "\(query)")
            }
        }
    }

    @Test("count every place once at any level, and refuse more clusters than a page can show")
    func points() {
        var positions = AssetPositions()
        var random = SplitMix64(seed: 7)
        func share() -> Double { Double(random.next() >> 11) / Double(1 << 53) }
        for id in 1...5000 {
            positions.append(Int64(id), latitude: share() * 180 - 90, longitude: share() * 360 - 180)
        }
        // The poles and the date line lie in the outermost cells.
        positions.append(5001, latitude: 90, longitude: 180)
        positions.append(5002, latitude: -90, longitude: -180)
        let points = MapPoints(positions)
        for cells in [1.0, 4, 16] {
            let clusters = points.clusters(cells: cells, in: .world, limit: 1000) ?? []
            #expect(clusters.map(\.count).reduce(0, +) == 5002)
            #expect(clusters.count <= Int((cells + 1) * (cells + 1)))
            #expect(clusters.map(\.count) == clusters.map(\.count).sorted(by: >))
        }
        #expect(points.clusters(cells: 1024, in: .world, limit: 1000) == nil)
        let half = MapBounds(south: -90, west: 0, north: 90, east: 180)
        let other = MapBounds(south: -90, west: 180, north: 90, east: 0)
        let counts = [half, other].map { bounds in
            points.clusters(cells: 4, in: bounds, limit: 100)?.map(\.count).reduce(0, +) ?? 0
        }
        // The date line belongs to both.
        #expect(counts.reduce(0, +) == 5003)
    }
}
#endif
