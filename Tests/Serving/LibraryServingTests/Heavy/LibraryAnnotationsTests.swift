#if Server && Library
import Basics
import Foundation
import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing
import ViewportGeometry

@Suite("Annotations of a library's photos")
struct LibraryAnnotationsTests {
    private static let own = [("Content-Type", "application/json"), ("X-Viewport-Request", "page")]

    private static func with(
        allowsEdits: Bool = true,
        _ body: @escaping @Sendable (RunningLibrary, Asset) async throws -> Void
    ) async throws {
        try await RunningLibrary.with(settings: { $0.allowsEdits = allowsEdits }) { running in
            try await body(running, try #require(try await running.library.asset(path: "even/IMG_0_0.jpg")))
        }
    }

    private static func post(
        _ running: RunningLibrary, _ text: String, headers: [(String, String)] = own
    ) async throws -> (status: Int, json: JSONValue, text: String) {
        let answer = try await running.probe.send(
            running.address + "annotate", method: "POST", headers: headers, body: Array(text.utf8))
        return (answer.status, (try? JSONValue(parsing: answer.text)) ?? .null, answer.text)
    }

    private static func items(_ running: RunningLibrary, _ path: String) async throws -> [JSONValue] {
        let answer = try await running.probe.send(running.address + "annotations\(path)")
        #expect(answer.status == 200)
        let page = try JSONValue(parsing: answer.text)
        #expect(page["type"] == .string("AnnotationPage"))
        #expect(page["@context"] == .string("http://www.w3.org/ns/anno.jsonld"))
        return page["items"]?.array ?? []
    }

    @Test("are W3C Web Annotations that all read, of one photo and of the library")
    func kept() async throws {
        try await Self.with { running, asset in
            let other = try #require(try await running.library.asset(path: "odd/IMG_1_0.jpg"))
            let name = "Anna & <b>\u{1F431}"
            let added = try await Self.post(
                running, #"{"do":"add","assets":[\#(asset.id)],"rect":[3,4,10,12],"name":" \#(name) "}"#)
            #expect(added.status == 200, "\(added.text)")
            _ = try await Self.post(
                running, #"{"do":"add","assets":[\#(other.id)],"rect":[39,29,1,1],"name":"corner"}"#)
            let items = try await Self.items(running, "/\(asset.id)")
            #expect(items.count == 1)
            let one = try #require(items.first)
            #expect(one["type"] == .string("Annotation") && one["body"]?["value"] == .string(name))
            #expect(one["body"]?["type"] == .string("TextualBody"))
            #expect(one["target"]?["selector"]?["value"] == .string("xywh=pixel:3,4,10,12"))
            #expect(one["target"]?["source"]?.string?.hasSuffix("/iiif/3/even%2FIMG_0_0.jpg") == true)
            let id = try #require(one["id"]?.string)
            #expect(id.hasPrefix("http://") && URL(string: id) != nil)
            let all = try await Self.items(running, "")
            #expect(all.compactMap { $0["body"]?["value"]?.string } == [name, "corner"])
            // A file that is moved takes its annotations along, without a word in the catalog about it.
            try FileManager.default.moveItem(
                atPath: running.folder.path("even/IMG_0_0.jpg"), toPath: running.folder.path("odd/moved.jpg"))
            try await running.library.index()
            let moved = try #require(try await running.library.asset(path: "odd/moved.jpg"))
            #expect(try await Self.items(running, "/\(moved.id)").count == 1)
        }
    }

    @Test("are changed and removed by the version that a page knows, and by nobody else's")
    func conflicts() async throws {
        try await Self.with { running, asset in
            func body(_ action: String, _ version: Int, _ rest: String = "") -> String {
                #"{"do":"\#(action)","assets":[\#(asset.id)],"number":1,"version":\#(version)\#(rest)}"#
            }
            _ = try await Self.post(
                running, #"{"do":"add","assets":[\#(asset.id)],"rect":[0,0,1,1],"name":"a"}"#)
            let renamed = try await Self.post(running, body("change", 1, #","name":"b""#))
            #expect(renamed.status == 200 && renamed.json["viewport:version"] == .int(2))
            let late = try await Self.post(running, body("change", 1, #","name":"c""#))
            #expect(late.status == 409 && late.text.contains("somebody else has changed \"b\""))
            #expect(try await Self.post(running, body("remove", 1)).status == 409)
            let moved = try await Self.post(running, body("change", 2, #","rect":[1,2,3,4]"#))
            #expect(moved.json["body"]?["value"] == .string("b"))
            #expect(moved.json["target"]?["selector"]?["value"] == .string("xywh=pixel:1,2,3,4"))
            // Of two at once, one wins.
            let both = try await withThrowingTaskGroup(of: Int.self) { group in
                for name in ["x", "y"] {
                    group.addTask {
                        try await Self.post(running, body("change", 3, #","name":"\#(name)""#)).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(both.sorted() == [200, 409])
            #expect(try await Self.post(running, body("remove", 4)).status == 200)
            #expect(try await Self.post(running, body("remove", 4)).status == 404)
            #expect(try await Self.items(running, "/\(asset.id)").isEmpty)
        }
    }

    @Test(
        "refuse what is no part of the photo, no name, or no photo",
        arguments: [
            (#"{"do":"add","assets":[ID],"rect":[0,0,41,1],"name":"a"}"#, 400, "outside"),
            (#"{"do":"add","assets":[ID],"rect":[39,29,1,2],"name":"a"}"#, 400, "outside"),
            (#"{"do":"add","assets":[ID],"rect":[0,0,0,1],"name":"a"}"#, 400, "rect"),
            (#"{"do":"add","assets":[ID],"rect":[-1,0,1,1],"name":"a"}"#, 400, "rect"),
            (#"{"do":"add","assets":[ID],"rect":[0.5,0,1,1],"name":"a"}"#, 400, "rect"),
            (#"{"do":"add","assets":[ID],"rect":[9223372036854775807,0,1,1],"name":"a"}"#, 400, "rect"),
            (#"{"do":"add","assets":[ID],"rect":[0,0,1,1],"name":"  "}"#, 400, "name"),
            (#"{"do":"add","assets":[ID],"rect":[0,0,1,1]}"#, 400, "name"),
            (#"{"do":"add","assets":[ID,ID],"rect":[0,0,1,1],"name":"a"}"#, 400, "one photo"),
            (#"{"do":"add","assets":[99999],"rect":[0,0,1,1],"name":"a"}"#, 404, "no such photo"),
            (#"{"do":"add","assets":[],"rect":[0,0,1,1],"name":"a"}"#, 400, "assets"),
            (#"{"do":"change","assets":[ID],"number":7,"version":1,"name":"a"}"#, 404, "no annotation"),
            (#"{"do":"change","assets":[ID],"name":"a"}"#, 400, "number"),
            (#"{"do":"paint","assets":[ID]}"#, 400, "add, change, remove"), ("[]", 400, "JSON"),
        ])
    func refused(_ body: String, _ status: Int, _ words: String) async throws {
        try await Self.with { running, asset in
            let answer = try await Self.post(running, body.replacing("ID", with: "\(asset.id)"))
            #expect(answer.status == status && answer.text.contains(words), "\(answer)")
            #expect(try await Self.items(running, "").isEmpty)
        }
    }

    @Test("are read, and not changed, where edits are not allowed or the request is a foreign page's")
    func forbidden() async throws {
        try await Self.with(allowsEdits: false) { running, asset in
            let body = #"{"do":"add","assets":[\#(asset.id)],"rect":[0,0,1,1],"name":"a"}"#
            let answer = try await Self.post(running, body)
            #expect(answer.status == 403 && answer.text.contains("--allow-edits"))
            #expect(try await Self.items(running, "").isEmpty)
        }
        try await Self.with { running, asset in
            let body = #"{"do":"add","assets":[\#(asset.id)],"rect":[0,0,1,1],"name":"a"}"#
            let foreign = Self.own + [("Origin", "http://example.org")]
            #expect(try await Self.post(running, body, headers: foreign).status == 403)
            let read = try await running.probe.send(
                running.address + "annotations",
                headers: [("Origin", "http://example.org"), ("Sec-Fetch-Site", "cross-site")])
            #expect(read.status == 403)
            #expect(try await Self.items(running, "").isEmpty)
        }
    }

    @Test("stay where they are in the picture when the photo is turned")
    func turned() async throws {
        try await Self.with { running, asset in
            _ = try await Self.post(
                running, #"{"do":"add","assets":[\#(asset.id)],"rect":[2,3,10,5],"name":"a"}"#)
            func value() async throws -> String? {
                try await Self.items(running, "/\(asset.id)").first?["target"]?["selector"]?["value"]?.string
            }
            var edit = AssetEdit()
            edit.quarterTurns = 1
            try await running.library.edit([asset.id], edit)
            // 40 x 30 points become 30 x 40, turned clockwise.
            #expect(try await value() == "xywh=pixel:22,2,5,10")
            _ = try await Self.post(
                running,
                #"{"do":"change","assets":[\#(asset.id)],"number":1,"version":1,"rect":[0,0,4,6]}"#)
            #expect(try await value() == "xywh=pixel:0,0,4,6")
            try await running.library.undo()
            #expect(try await value() == "xywh=pixel:0,26,6,4")
        }
    }
}
#endif
