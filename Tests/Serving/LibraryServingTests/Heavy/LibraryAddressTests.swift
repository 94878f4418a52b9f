#if Server && Library
import Basics
import Foundation
import PhotoCatalog
import TestSupport
import Testing
import TileServing
import Vips

/// All addresses of a library, asked with HEAD, and with values that no search has.
@Suite("The addresses of a library")
struct LibraryAddressTests {
    private static let own = [
        ("Content-Type", "application/json"), ("X-Viewport-Request", "page"),
        ("Sec-Fetch-Site", "same-origin"),
    ]

    private static func with(_ body: @escaping @Sendable (RunningLibrary) async throws -> Void) async throws {
        try await RunningLibrary.with(
            {
                try TestImages.photo(width: 120, height: 90).save($0.path("lake.png"), with: "pngsave")
                try TestImages.photo(width: 90, height: 120).save($0.path("boat.jpg"), with: "jpegsave")
                try RunningLibrary.write(TinyPhoto.jpeg(salt: 1), "damaged.jpg", $0)
                let film = FilmMaker.film(created: 2_082_844_800 + 1_401_012_000, seconds: 2)
                try RunningLibrary.write(film, "film.mov", $0)
            }, settings: { $0.allowsEdits = true }
        ) { try await body($0) }
    }

    /// The paths of all addresses, those of photos with that of one.
    private static func paths(of asset: Asset) -> [String] {
        let photo = ["asset", "info", "annotations"].map { "\($0)/\(asset.id)" }
        return photo + [
            "", "group/all", "group/picks", "group/folder-1", "group/none", "manifest.json",
            "collection.json",
            "group/all/manifest.json", "list", "map", "film/\(asset.id)", "trash", "shares", "groups",
            "entries", "assets", "ids", "neighbors", "suggest", "atlas/1", "places", "annotations",
            "clusters",
            "thumbnail/\(asset.id)/x/medium", "thumbnail/\(asset.id)/x/none", "cover/all", "cover/picks",
            "file/\(asset.id)", "file/\(asset.id)/name", "motion/\(asset.id)", "zip/none", "upload/none",
            "none",
        ]
    }

    private static func post(_ running: RunningLibrary, _ path: String, _ body: String) async throws
        -> JSONValue
    {
        let answer = try await running.probe.send(
            running.address + path, method: "POST", headers: own, body: Array(body.utf8))
        #expect(answer.status == 200, "\(path): \(answer.text)")
        return try JSONValue(parsing: answer.text)
    }

    @Test("have the same length for HEAD and GET, or none for HEAD")
    func head() async throws {
        try await Self.with { running in
            let asset = try #require(try await running.library.asset(path: "lake.png"))
            let damaged = try #require(try await running.library.asset(path: "damaged.jpg"))
            let chosen = try await Self.post(running, "choose", "{\"assets\":[\(asset.id)]}")
            let zip = try #require(chosen["name"]?.string)
            let share = try await Self.post(
                running, "share",
                "{\"assets\":[\(asset.id)],\"title\":\"Lake\",\"days\":1,\"originals\":true}")
            let shared = "/" + (try #require(share["address"]?.string))
            let paths =
                Self.paths(of: asset).map { running.address + $0 }
                + ["thumbnail/\(damaged.id)/x/medium", "zip/\(zip)", "zip/\(zip)?size=1024"].map {
                    running.address + $0
                }
                + [
                    "", "view/\(asset.id)", "neighbors/\(asset.id)", "iiif/3/\(asset.id)/info.json",
                    "iiif/3/\(asset.id)/full/60,/0/default.jpg", "iiif/2/\(asset.id)/full/60,/0/default.png",
                    "thumbnail/\(asset.id)/x/medium", "file/\(asset.id)", "canvas/\(asset.id)",
                    "manifest.json", "zip?size=1024", "none",
                ].map { shared + $0 }
            for path in paths {
                let head = try await running.probe.send(path, method: "HEAD")
                let get = try await running.probe.send(path)
                #expect(head.status == get.status && head.body.isEmpty, "\(path)")
                #expect(head.headers["content-type"] == get.headers["content-type"], "\(path)")
                let length = head.headers["content-length"]
                // The copies of an archive are made while it is sent.
                let isUnknown = path.contains("zip") && path.hasSuffix("size=1024")
                #expect(length == (isUnknown ? nil : "\(get.body.count)"), "\(path)")
            }
            let events = try await running.probe.send(running.address + "events", method: "HEAD")
            #expect(events.status == 200 && events.headers["content-length"] == nil && events.body.isEmpty)
            #expect(events.headers["content-type"] == "text/event-stream")
        }
    }

    /// The parameters of addresses, of which each address has some.
    private static let parameters =
        AssetRequest.Parameter.allCases.flatMap(\.names) + [
            "word", "find", "first", "count", "asset", "page", "zoom", "bounds", "size", "at", "name",
            "folder",
        ]

    @Test("refuse a NUL and malformed escapes in a parameter with one sentence")
    func refused() async throws {
        try await Self.with { running in
            let asset = try #require(try await running.library.asset(path: "lake.png"))
            for path in Self.paths(of: asset) + ["events"] {
                for parameter in Self.parameters {
                    for value in ["a%00b", "%zz"] {
                        let answer = try await running.probe.send(
                            running.address + "\(path)?\(parameter)=\(value)")
                        #expect(answer.status == 400, "\(path)?\(parameter)=\(value)")
                        #expect(answer.text.count { $0 == "\n" } == 1, "\(answer.text)")
                    }
                }
            }
        }
    }

    /// The addresses that search, with the parameters whose values are any texts.
    private static let searches = [
        "entries", "assets", "ids", "neighbors", "clusters", "suggest", "places", "list", "map", "group/all",
        "group/all/manifest.json",
    ].flatMap { path in ["where", "album", "word", "find"].map { "\(path)?\($0)=" } }

    /// What SQLite, its full-text search, and decoders of text understand in their own way.
    static let values = [
        "%FF", "%ED%A0%80", "%EF%BF%BE", "%F4%8F%BF%BF", String(repeating: "a", count: 3000), "%22", "%22a",
        "*",
        "a*", "NEAR(", "a%20OR", "-", "--a", "(", "^a", "a:b:c", "folder:%FF", "near:nan,nan,nan",
        "near:1e999,0,1", "rating:99999999999999999999", "'", "%5C", "%25", "_", "%E2%80%8B",
        "9223372036854775808", "-1", "nan",
    ]

    @Test("answer every value of a parameter without an internal error", arguments: [values])
    func understood(_ values: [String]) async throws {
        try await Self.with { running in
            for search in Self.searches {
                for value in values {
                    let answer = try await running.probe.send(running.address + search + value)
                    #expect(answer.status < 500, "\(search)\(value): \(answer.text)")
                }
            }
        }
    }

    @Test("refuse names of albums with a NUL, which the catalog would cut")
    func names() async throws {
        try await Self.with { running in
            let asset = try #require(try await running.library.asset(path: "lake.png"))
            for name in ["\\u0000", "a\\u0000b"] {
                let body = "{\"do\":\"album\",\"assets\":[\(asset.id)],\"name\":\"\(name)\",\"value\":true}"
                let answer = try await running.probe.send(
                    running.address + "edit", method: "POST", headers: Self.own, body: Array(body.utf8))
                #expect(answer.status == 400, "\(answer.text)")
            }
            #expect(try await running.library.groups().allSatisfy { $0.kind != .album })
        }
    }
}
#endif
