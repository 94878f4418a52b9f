#if Server && Library
import Basics
import Foundation
import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing

@Suite("Edits from the pages of a library")
struct LibraryEditsTests {
    private static let own = [("Content-Type", "application/json"), ("X-Viewport-Request", "page")]

    private static func with(
        _ change: (inout TileServer.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningLibrary, Asset) async throws -> Void
    ) async throws {
        try await RunningLibrary.with(settings: {
            $0.allowsEdits = true; change(&$0)
        }) { running in
            try await body(running, try #require(try await running.library.asset(path: "even/IMG_0_0.jpg")))
        }
    }

    private static func post(
        _ running: RunningLibrary, _ text: String, to path: String = "edit", headers: [(String, String)] = own
    ) async throws -> HTTPProbe.Response {
        try await running.probe.send(
            running.address + path, method: "POST", headers: headers, body: Array(text.utf8))
    }

    private static func info(_ running: RunningLibrary, _ asset: Asset) async throws -> JSONValue {
        try JSONValue(parsing: try await running.probe.send(running.address + "info/\(asset.id)").text)
    }

    @Test("pick, add to albums, rate and name photos, and are undone one by one")
    func edits() async throws {
        try await Self.with { running, asset in
            let before = try await Self.info(running, asset)
            #expect(before["picked"] == .bool(false) && before["allowsEdits"] == .bool(true))
            let done: [(body: String, key: String, value: JSONValue)] = [
                (#"{"do":"pick","assets":[ID],"value":true}"#, "picked", .bool(true)),
                (#"{"do":"rate","assets":[ID],"rating":4}"#, "rating", .int(4)),
                (#"{"do":"title","assets":[ID],"text":"Am See <b>"}"#, "title", .string("Am See <b>")),
                (#"{"do":"caption","assets":[ID],"text":"two\nlines"}"#, "caption", .string("two\nlines")),
                (
                    #"{"do":"keywords","assets":[ID],"add":["lake"," blue sky "]}"#, "keywords",
                    .array([.string("lake"), .string("blue sky")])
                ),
                (
                    #"{"do":"keywords","assets":[ID],"remove":["lake"]}"#, "keywords",
                    .array([.string("blue sky")])
                ),
            ]
            var operations: [Int] = []
            var states = [before]
            for (body, key, value) in done {
                let answer = try await Self.post(running, body.replacing("ID", with: "\(asset.id)"))
                #expect(answer.status == 200, "\(body): \(answer.text)")
                let report = try JSONValue(parsing: answer.text)
                #expect(report["changed"] == .int(1) && report["failures"] == .array([]), "\(body)")
                operations.append(try #require(report["operation"]?.int))
                states.append(try await Self.info(running, asset))
                #expect(states.last?[key] == value, "\(body)")
            }
            // The original was not touched: words are in a sidecar.
            let file = try Data(contentsOf: URL(filePath: running.folder.path(asset.path)))
            #expect(file.count == asset.bytes)
            for (operation, state) in zip(operations, states).reversed() {
                let answer = try await Self.post(running, #"{"do":"undo","operation":\#(operation)}"#)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try await Self.info(running, asset) == state)
                // Once only.
                #expect(
                    try await Self.post(running, #"{"do":"undo","operation":\#(operation)}"#).status == 409)
            }
        }
    }

    @Test("date, shift, place and trash photos, and are undone")
    func datesAndTrash() async throws {
        try await Self.with { running, asset in
            func edit(_ action: String, _ text: String) async throws -> HTTPProbe.Response {
                try await Self.post(
                    running, #"{"do":"\#(action)","assets":[\#(asset.id)],"text":"\#(text)"}"#)
            }
            func date() async throws -> String {
                try await Self.info(running, asset)["date"]?["local"]?.string ?? ""
            }
            #expect(try await edit("date", "2015-06-01 08:30").status == 200)
            #expect(try await date() == "2015-06-01T08:30:00")
            #expect(try await edit("date", "+1h30m").status == 200)
            #expect(try await date() == "2015-06-01T10:00:00")
            #expect(try await edit("location", "47.05, 8.31").status == 200)
            let placed = try await Self.info(running, asset)
            #expect(placed["location"]?["latitude"]?.description == "47.05")
            #expect(try await edit("location", "").status == 200)
            #expect(try await Self.info(running, asset)["location"]?["latitude"] == nil)
            for (action, text) in [
                ("date", "tomorrow"), ("date", "+1y"), ("location", "91,0"), ("location", "x"),
            ] {
                #expect(try await edit(action, text).status == 400, "\(action) \(text)")
            }
            let before = try await Self.info(running, asset)
            let bytes = try running.folder.data(asset.path)
            let trash = try await Self.post(running, #"{"do":"trash","assets":[\#(asset.id),\#(asset.id)]}"#)
            let report = try JSONValue(parsing: trash.text)
            #expect(report["changed"] == .int(1) && report["failures"] == .array([]), "\(trash.text)")
            #expect(!FileManager.default.fileExists(atPath: running.folder.path(asset.path)))
            #expect(try await running.library.trash().map(\.path).contains(asset.path))
            #expect(
                try await running.probe.send(running.address + "info/\(asset.id)").status == 404)
            let undo = #"{"do":"undo","operation":\#(report["operation"]?.int ?? 0)}"#
            #expect(try await Self.post(running, undo).status == 200)
            #expect(try running.folder.data(asset.path) == bytes)
            #expect(try await Self.info(running, asset) == before)
            // What is gone already is told.
            try FileManager.default.removeItem(atPath: running.folder.path(asset.path))
            let gone = try await Self.post(running, #"{"do":"trash","assets":[\#(asset.id)]}"#)
            #expect(try JSONValue(parsing: gone.text)["failures"]?.array?.count == 1)
        }
    }

    @Test("add to new and existing albums, which the photo then names")
    func albums() async throws {
        try await Self.with { running, asset in
            let other = try #require(try await running.library.asset(path: "odd/IMG_1_0.jpg"))
            let body =
                #"{"do":"album","assets":[\#(asset.id),\#(other.id)],"name":"Zürich & more","value":true}"#
            for changed in [2, 0] {
                let answer = try JSONValue(parsing: try await Self.post(running, body).text)
                #expect(answer["changed"] == .int(changed))
            }
            let albums = try await Self.info(running, asset)["albums"]?.array
            #expect(albums?.compactMap { $0["title"]?.string } == ["Zürich & more"])
            let album = try #require(try await running.library.album(named: "Zürich & more"))
            #expect(album.count == 2)
            let remove = #"{"do":"album","assets":[\#(asset.id)],"name":"Zürich & more","value":false}"#
            let report = try JSONValue(parsing: try await Self.post(running, remove).text)
            #expect(try await Self.info(running, asset)["albums"] == .array([]))
            let undo = #"{"do":"undo","operation":\#(report["operation"]?.int ?? 0)}"#
            #expect(try await Self.post(running, undo).status == 200)
            #expect(try await Self.info(running, asset)["albums"]?.array?.count == 1)
            // Undoing what made the album removes it; one that was there stays, also empty.
            let last = try #require(try await running.library.operations(1).first)
            let made = #"{"do":"undo","operation":\#(last.id)}"#
            #expect(try await Self.post(running, made).status == 200)
            #expect(try await running.library.album(named: "Zürich & more") == nil)
            _ = try await running.library.createAlbum("Empty")
            let add = body.replacing("Zürich & more", with: "Empty")
            let added = try JSONValue(parsing: try await Self.post(running, add).text)
            let undone = #"{"do":"undo","operation":\#(added["operation"]?.int ?? 0)}"#
            #expect(try await Self.post(running, undone).status == 200)
            #expect(try await running.library.album(named: "Empty")?.count == 0)
        }
    }

    static let refused: [(body: String, status: Int)] = [
        ("", 400), ("[]", 400), ("{", 400), (#"{"do":"pick"}"#, 400), (#"{"do":"erase","assets":[1]}"#, 400),
        (#"{"do":"pick","assets":[],"value":true}"#, 400), (#"{"do":"pick","assets":[1]}"#, 400),
        (#"{"do":"pick","assets":["1"],"value":true}"#, 400),
        (#"{"do":"pick","assets":[-1],"value":true}"#, 400),
        (#"{"do":"pick","assets":[1.5],"value":true}"#, 400),
        (#"{"do":"pick","assets":[999999],"value":true}"#, 404),
        (#"{"do":"rate","assets":[1],"rating":6}"#, 400), (#"{"do":"rate","assets":[1],"rating":"5"}"#, 400),
        (#"{"do":"album","assets":[1],"name":" ","value":true}"#, 400),
        (#"{"do":"album","assets":[1],"name":"none","value":false}"#, 404),
        (#"{"do":"keywords","assets":[1],"add":["a\nb"]}"#, 400),
        (#"{"do":"keywords","assets":[1],"add":"a"}"#, 400), (#"{"do":"undo"}"#, 409),
        (#"{"do":"undo","operation":77}"#, 409),
    ]

    @Test("are refused with one sentence if they are malformed", arguments: refused)
    func malformed(_ one: (body: String, status: Int)) async throws {
        try await Self.with { running, _ in
            let answer = try await Self.post(running, one.body)
            #expect(answer.status == one.status, "\(answer.text)")
            #expect(answer.text.hasSuffix("\n") && answer.text.split(separator: "\n").count == 1)
        }
    }

    @Test("are refused to other websites, to requests without the header, and to other types")
    func forgery() async throws {
        try await Self.with { running, asset in
            let body = #"{"do":"pick","assets":[\#(asset.id)],"value":true}"#
            let here = "http://127.0.0.1:\(running.probe.port)"
            let json = ("Content-Type", "application/json")
            let mark = ("X-Viewport-Request", "page")
            let cases: [(headers: [(String, String)], status: Int)] = [
                ([json, mark, ("Sec-Fetch-Site", "cross-site")], 403),
                ([json, mark, ("Sec-Fetch-Site", "same-site")], 403),
                ([json, mark, ("Sec-Fetch-Site", "none")], 403),
                (
                    [
                        json, mark, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
                        ("Sec-Fetch-Dest", "document"),
                    ], 403
                ),
                ([json, mark, ("Origin", "https://evil.example")], 403),
                ([json, mark, ("Origin", "null")], 403),
                ([json, mark, ("Origin", "http://127.0.0.1:1")], 403),
                ([json, mark, ("Origin", "http://127.0.0.1:1"), ("Sec-Fetch-Site", "same-origin")], 403),
                ([json, mark, ("Origin", "")], 403), ([json, mark, ("Origin", "\(here)@evil.example")], 403),
                ([json, mark, ("Origin", "\(here).evil.example")], 403),
                ([json, mark, ("Origin", here), ("Sec-Fetch-Site", "cross-site")], 403),
                ([json, mark, ("Referer", "https://evil.example/a?\(here)")], 403),
                ([json, mark, ("Origin", here), ("Referer", "https://evil.example/")], 403),
                ([json], 403), ([json, ("Origin", here)], 403), ([mark], 415),
                ([json, ("Sec-Fetch-Site", "same-origin"), ("Referer", here + "/")], 403),
                ([mark, ("Content-Type", "text/plain")], 415),
                ([mark, ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", here)], 415),
                ([mark, ("Content-Type", "multipart/form-data; boundary=application/json")], 415),
                ([mark, ("Content-Type", "text/plain;application/json")], 415),
                ([mark, ("Content-Type", "text/plain, application/json")], 415),
                ([mark, ("Content-Type", "application/json, text/plain")], 415),
                ([json, mark, ("Origin", here), ("Sec-Fetch-Site", "same-origin")], 200),
                ([json, mark, ("Referer", here + "/library/x/")], 200),
                ([("Content-Type", "application/json; charset=utf-8"), mark], 200),
            ]
            for (headers, status) in cases {
                let answer = try await Self.post(running, body, headers: headers)
                #expect(answer.status == status, "\(headers): \(answer.text)")
                let isPicked = try await Self.info(running, asset)["picked"]
                #expect(isPicked == .bool(status == 200), "\(headers)")
            }
            // No preflight grants what a script of another site would need.
            let preflight = try await running.probe.send(
                running.address + "edit", method: "OPTIONS",
                headers: [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")])
            #expect(preflight.headers["access-control-allow-origin"] == nil)
            let long = String(repeating: " ", count: 1 << 20) + body
            #expect(try await Self.post(running, long).status == 413)
        }
    }

    @Test("are refused by a server that does not allow them, and by every other route")
    func denied() async throws {
        try await RunningLibrary.with { running async throws -> Void in
            let asset = try #require(try await running.library.asset(path: "even/IMG_0_0.jpg"))
            let body = #"{"do":"pick","assets":[\#(asset.id)],"value":true}"#
            let answer = try await Self.post(running, body)
            #expect(answer.status == 403 && answer.text.contains("--allow-edits"))
            #expect(try await Self.info(running, asset)["allowsEdits"] == .bool(false))
            for path in ["entries", "group/all", ""] {
                #expect(try await Self.post(running, body, to: path).status == 405, "\(path)")
            }
            let other = try await running.probe.send(
                "/iiif/3/x/info.json", method: "POST", headers: Self.own, body: Array(body.utf8))
            #expect(other.status == 405)
        }
    }

    @Test("need the token, if the server has one")
    func token() async throws {
        try await Self.with({ $0.token = "sesame" }) { running, asset in
            let body = #"{"do":"pick","assets":[\#(asset.id)],"value":true}"#
            let refused = try await Self.post(running, body)
            #expect(refused.status == 401)
            let bearer = [("Authorization", "Bearer sesame")]
            // The cookie alone is sent by forms of other ports of this host, too.
            let address = running.address + "?token=sesame"
            let visit = try await running.probe.send(
                address, headers: [("Sec-Fetch-Mode", "navigate"), ("Accept", "text/html")])
            let given = try #require(visit.headers["set-cookie"]?.split(separator: ";").first)
            let cookie = ("Cookie", String(given))
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/json"] {
                let forged = try await Self.post(running, body, headers: [cookie, ("Content-Type", type)])
                #expect(forged.status == 403, "\(type)")
            }
            let info = running.address + "info/\(asset.id)"
            let state = try await running.probe.send(info, headers: [cookie])
            #expect(try JSONValue(parsing: state.text)["picked"] == .bool(false))
            #expect(try await Self.post(running, body, headers: Self.own + [cookie]).status == 200)
            let admitted = try await Self.post(running, body, headers: Self.own + bearer)
            #expect(admitted.status == 200)
        }
    }

    @Test("need a token where other machines can connect", arguments: ["0.0.0.0", "::", "192.0.2.1"])
    func configuration(_ host: String) throws {
        let folder = FileManager.default.temporaryDirectory.path
        var configuration = TileServer.Configuration(roots: [folder])
        configuration.allowsEdits = true
        configuration.isPublic = true
        #expect(throws: ServerError.editsNeedToken) { try TileServer(configuration) }
        configuration.host = host
        #expect(throws: ServerError.editsNeedToken) { try TileServer(configuration) }
        configuration.token = "sesame"
        _ = try TileServer(configuration)
    }
}
#endif
