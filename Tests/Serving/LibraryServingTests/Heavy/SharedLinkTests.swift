#if Server && Library
import Basics
import Foundation
@testable import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing
import Vips

@Suite("A shared link")
struct SharedLinkTests {
    private static let own = [
        ("Content-Type", "application/json"), ("X-Viewport-Request", "page"),
        ("Sec-Fetch-Site", "same-origin"),
        ("Authorization", "Bearer secret"),
    ]

    /// Serves a library whose server asks for a token.
    private static func with(
        edits: Bool = true, _ body: @escaping @Sendable (RunningLibrary) async throws -> Void
    ) async throws {
        try await RunningLibrary.with(
            {
                try RunningLibrary.write(into: $0)
                try TestImages.photo(width: 420, height: 300).save($0.path("lake.png"), with: "pngsave")
                try TestImages.photo(width: 300, height: 420)
                    .save($0.path("even/IMG_0_0.jpg"), with: "jpegsave")
            }, settings: { ($0.allowsEdits, $0.token) = (edits, "secret") }
        ) { try await body($0) }
    }

    private static func post(_ running: RunningLibrary, _ body: String) async throws -> HTTPProbe.Response {
        try await running.probe.send(
            running.address + "share", method: "POST", headers: own, body: Array(body.utf8))
    }

    private static func made(_ running: RunningLibrary, _ body: String) async throws -> (
        id: Int, path: String
    ) {
        let answer = try await post(running, body)
        #expect(answer.status == 200, "\(answer.text)")
        let json = try JSONValue(parsing: answer.text)
        return (try #require(json["id"]?.int), "/" + (try #require(json["address"]?.string)))
    }

    private static func id(_ path: String, _ running: RunningLibrary) async throws -> Int {
        Int(try #require(try await running.library.asset(path: path)).id)
    }

    @Test("shows its photos without the token of the server, and nothing else of the library")
    func photos() async throws {
        try await Self.with { running in
            let (one, two) = (
                try await Self.id("even/IMG_0_0.jpg", running),
                try await Self.id("lake.png", running)
            )
            let other = try await Self.id("odd/IMG_1_0.jpg", running)
            #expect(try await running.probe.send(running.address).status == 401)
            let link = try await Self.made(
                running, #"{"assets":[\#(two),\#(one)],"title":"Lake & <b>","days":30}"#)
            func get(_ path: String) async throws -> HTTPProbe.Response {
                try await running.probe.send(link.path + path)
            }
            let list = try await get("")
            #expect(list.status == 200 && list.text.contains("Lake &amp; &lt;b&gt;"))
            #expect(list.text.contains("2 photos. The link ends on "), "\(list.text)")
            #expect(list.text.contains("\"view/\(one)\"") && !list.text.contains("even/"))
            #expect(list.headers["x-robots-tag"] == "noindex, nofollow")
            let view = try await get("view/\(two)")
            #expect(view.status == 200 && view.text.contains("data-service=\"../iiif/3/\(two)\""))
            let information = try JSONValue(parsing: try await get("iiif/3/\(two)/info.json").text)
            let address = try #require(information["id"]?.string)
            #expect(address.hasSuffix("\(link.path)iiif/3/\(two)"), "\(address)")
            #expect(information["width"] == .int(420))
            let picture = try await get("iiif/3/\(two)/0,0,64,64/32,32/0/default.png")
            #expect(picture.status == 200)
            #expect(!(picture.headers["link"] ?? "").contains("IMG_"), "\(picture.headers)")
            let neighbors = try JSONValue(parsing: try await get("neighbors/\(one)").text)
            #expect(neighbors["count"] == .int(2) && neighbors["next"]?["page"] == .string("view/\(two)"))
            #expect(neighbors["previous"] == .null)
            let version = try #require(try await running.library.asset(path: "even/IMG_0_0.jpg")).version
            // Only its own photos, pictures without metadata, and no way to the rest.
            #expect(try await get("iiif/3/\(other)/info.json").status == 404)
            #expect(try await get("thumbnail/\(other)/\(version)/256").status == 404)
            for path in [
                "view/\(other)", "film/\(other)", "neighbors/\(other)", "iiif/3/even%2FIMG_0_0.jpg/info.json",
            ]
                + [
                    "iiif/1/\(one)/info.json", "iiif/3/\(one);x/info.json", "groups", "../",
                    "view/\(one)/more",
                ]
            {
                #expect([404, 400].contains(try await get(path).status), "\(path)")
            }
            for path in ["file/\(one)", "file/\(one)/IMG_0_0.jpg", "zip"] {
                #expect(try await get(path).status == 403, "\(path)")
            }
            #expect(try await get("zip?size=1024").status == 200)
            #expect(try await running.probe.send("/iiif/3/even%2FIMG_0_0.jpg/info.json").status == 401)
            // Revoked, it is gone for everybody.
            let page = try await running.probe.send(running.address + "shares", headers: [Self.own[3]])
            #expect(
                page.status == 200 && page.text.contains(link.path)
                    && page.text.contains("2 photos, ends on "))
            #expect(try await Self.post(running, #"{"revoke":\#(link.id)}"#).status == 200)
            #expect(try await Self.post(running, #"{"revoke":\#(link.id)}"#).status == 404)
            for path in ["", "view/\(one)", "iiif/3/\(one)/info.json"] {
                #expect(try await get(path).status == 404)
            }
        }
    }

    @Test("has a manifest for viewers of other origins, which says nothing else of the library")
    func manifest() async throws {
        try await Self.with { running in
            let (one, two) = (
                try await Self.id("even/IMG_0_0.jpg", running), try await Self.id("lake.png", running)
            )
            let film = try await Self.id("film 0.mov", running)
            let link = try await Self.made(
                running, #"{"assets":[\#(two),\#(one),\#(film)],"title":"Lake","days":30}"#)
            let foreign = [
                ("Origin", "https://viewer.example"), ("Sec-Fetch-Site", "cross-site"),
                ("Sec-Fetch-Mode", "cors"),
            ]
            func get(_ path: String) async throws -> HTTPProbe.Response {
                try await running.probe.send(link.path + path, headers: foreign)
            }
            let answer = try await get("manifest.json")
            #expect(answer.status == 200 && answer.headers["access-control-allow-origin"] == "*")
            #expect(answer.headers["cross-origin-resource-policy"] == "cross-origin")
            let manifest = try JSONValue(parsing: answer.text)
            #expect(manifest["id"]?.string?.hasSuffix("\(link.path)manifest.json") == true)
            #expect(manifest["items"]?.array?.count == 2)
            for word in ["even", "Originals", "file/", "metadata", "navDate", "navPlace", "secret"] {
                #expect(!answer.text.contains(word), "\(word)")
            }
            let tag = try #require(answer.headers["etag"])
            let again = try await running.probe.send(
                link.path + "manifest.json", headers: foreign + [("If-None-Match", tag)])
            #expect(again.status == 304)
            // All that it names is there for the same viewer.
            for match in answer.text.matches(of: /"(?:id|@id)": ?"http:\/\/[^\/"]+([^"#]+)"/) {
                let path = String(match.output.1)
                guard path.contains("/iiif/") || path.hasSuffix(".json") else { continue }
                let address = path.hasSuffix(".jpg") || path.hasSuffix(".json") ? path : path + "/info.json"
                let found = try await running.probe.send(address, headers: foreign)
                #expect(found.status == 200, "\(address)")
                #expect(found.headers["access-control-allow-origin"] == "*", "\(address)")
            }
            #expect(try await get("collection.json").status == 200)
            #expect(try await get("manifest-1.json").status == 404)
            // Pages, and the rest of the server, stay closed.
            for path in ["", "view/\(one)", "neighbors/\(one)", "zip?size=1024", "canvas/\(one)"] {
                let refused = try await get(path)
                #expect(refused.status == 403 && refused.headers["access-control-allow-origin"] == nil)
            }
            let canvas = try await running.probe.send(link.path + "canvas/\(one)")
            #expect(canvas.status == 303)
            #expect(canvas.headers["location"]?.hasSuffix("\(link.path)view/\(one)") == true)
            let inside = try await running.probe.send(
                "/iiif/3/even%2FIMG_0_0.jpg/info.json", headers: foreign)
            #expect([401, 403].contains(inside.status))
        }
    }

    @Test("with the originals has the files as they are")
    func originals() async throws {
        try await Self.with { running in
            let id = try await Self.id("even/IMG_0_0.jpg", running)
            let film = try await Self.id("film 0.mov", running)
            let link = try await Self.made(
                running, #"{"assets":[\#(id),\#(film)],"title":"All","days":1,"originals":true}"#)
            let file = try await running.probe.send(link.path + "file/\(id)/IMG_0_0.jpg?download")
            #expect(try file.body == Array(running.folder.data("even/IMG_0_0.jpg")))
            let page = try await running.probe.send(link.path + "film/\(film)")
            #expect(
                page.text.contains("data-kind=\"film\"") && page.text.contains("../file/\(film)/film%200.mov")
            )
            #expect(try await running.probe.send(link.path + "zip").status == 200)
            let bare = try await Self.made(running, #"{"assets":[\#(film)],"title":"Bare","days":1}"#)
            let still = try await running.probe.send(bare.path + "film/\(film)").text
            #expect(still.contains("data-kind=\"picture\"") && !still.contains("film%200.mov"))
        }
    }

    @Test("to an album has the photos that the album has now, and ends with it")
    func album() async throws {
        try await Self.with { running in
            let ids = [
                Int64(try await Self.id("even/IMG_0_0.jpg", running)),
                Int64(try await Self.id("undated.jpg", running)),
            ]
            try await running.library.setMembership(of: [ids[0]], inAlbum: "Lake", true)
            let album = try #require(try await running.library.album(named: "Lake"))
            let body = #"{"group":"\#(album.id.pathComponent)","title":"Lake","days":7}"#
            let link = try await Self.made(running, body)
            #expect(try await running.probe.send(link.path).text.contains("1 photo."))
            try await running.library.setMembership(of: [ids[1]], inAlbum: "Lake", true)
            #expect(try await running.probe.send(link.path).text.contains("2 photos."))
            try await running.library.setMembership(of: ids, inAlbum: "Lake", false)
            #expect(try await running.probe.send(link.path).text.contains("No photos."))
            #expect(try await running.probe.send(link.path + "zip?size=1024").status == 404)
            try await running.library.deleteAlbum(album.id)
            #expect(try await running.probe.send(link.path).status == 404)
        }
    }

    static let refused: [(body: String, status: Int)] = [
        (#"{"assets":[1],"title":"","days":7}"#, 400), (#"{"assets":[1],"title":"A","days":0}"#, 400),
        (#"{"assets":[1],"title":"A","days":100000}"#, 400), (#"{"assets":[1],"title":"A"}"#, 400),
        (#"{"assets":[],"title":"A","days":7}"#, 400), (#"{"title":"A","days":7}"#, 400),
        (#"{"assets":[999999],"title":"A","days":7}"#, 404), (#"{"group":"all","title":"A","days":7}"#, 400),
        (#"{"group":"album-99","title":"A","days":7}"#, 404), (#"{"revoke":99}"#, 404), ("[]", 400),
    ]

    @Test("is not made of what is missing, too much, or no album")
    func refusals() async throws {
        try await Self.with { running in
            for (body, status) in Self.refused {
                let answer = try await Self.post(running, body)
                #expect(answer.status == status, "\(body): \(answer.text)")
            }
            #expect(try await running.library.shares().isEmpty)
        }
    }

    @Test(
        "cannot be guessed, changed or used after its end, and is made and listed only where edits are allowed"
    )
    func signature() async throws {
        try await Self.with(edits: false) { running in
            let id = Int64(try await Self.id("even/IMG_0_0.jpg", running))
            #expect(try await Self.post(running, #"{"assets":[\#(id)],"title":"A","days":7}"#).status == 403)
            #expect(
                try await running.probe.send(running.address + "shares", headers: [Self.own[3]]).status == 403
            )
            let share = try await running.library.share(
                .assets([id]), title: "A", until: Date(timeIntervalSinceNow: 3600))
            func status(_ token: String, _ path: String = "") async throws -> Int {
                try await running.probe.send("/shared/\(token)/\(path)").status
            }
            #expect(try await status(share.token) == 200)
            #expect(try await status(share.token, "view/\(id)") == 200)
            let flipped = String(share.token.dropLast()) + (share.token.hasSuffix("0") ? "1" : "0")
            for token in [
                flipped, "\(share.id)", "\(share.id)-", "-", "%00",
                "\(share.id + 1)-" + share.token.dropFirst(2),
            ] {
                #expect(try await status(token) == 404, "\(token)")
            }
            let ended = try await running.library.share(
                .assets([id]), title: "A", until: Date(timeIntervalSinceNow: -1))
            #expect(try await status(ended.token) == 410)
            #expect(try await status(ended.token, "view/\(id)") == 410)
            #expect(ended.token.split(separator: "-").last?.count == 40)
        }
    }
}
#endif
