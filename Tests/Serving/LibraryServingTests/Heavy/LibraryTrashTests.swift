#if Server && Library
import Basics
import Foundation
import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing
import Vips

@Suite("The trash of a library")
struct LibraryTrashTests {
    private static let photos = ["even/IMG_0_0.jpg", "odd/IMG_1_0.jpg", "odd/IMG_1_1.jpg"]

    /// A server with three photos in the trash.
    private static func with(
        settings change: @escaping @Sendable (inout TileServer.Configuration) -> Void = {
            $0.allowsEdits = true
        },
        _ body: @escaping @Sendable (RunningLibrary, [TrashedAsset]) async throws -> Void
    ) async throws {
        try await RunningLibrary.with(
            { folder in
                try RunningLibrary.write(into: folder)
                for (number, path) in photos.enumerated() {
                    try TestImages.photo(width: 320, height: 240, seed: UInt64(number))
                        .save(folder.path(path), with: "jpegsave")
                }
            }, settings: change
        ) { running in
            var ids: [Asset.ID] = []
            for path in photos { ids.append(try #require(try await running.library.asset(path: path)).id) }
            try await running.library.moveToTrash(ids)
            let trashed = try await running.library.trashedAssets(running.library.trashedIDs())
            try #require(trashed.count == photos.count)
            #expect(zip(trashed, photos).allSatisfy { $0.asset.path.hasSuffix($1) })
            try await body(running, trashed)
        }
    }

    private static func restore(
        _ running: RunningLibrary, _ trashed: String, headers: [(String, String)] = []
    ) async throws -> HTTPProbe.Response {
        try await running.probe.send(
            running.address + "edit", method: "POST",
            headers: headers + [("Content-Type", "application/json"), ("X-Viewport-Request", "page")],
            body: Array(#"{"do":"restore","trashed":[\#(trashed)]}"#.utf8))
    }

    @Test("is listed with pictures, and restored one by one")
    func restored() async throws {
        try await Self.with { running, trashed in
            let page = try await running.probe.send(running.address + "trash").text
            #expect(page.contains("3 photos") && page.contains("IMG_1_1.jpg"), "\(page)")
            for form in ["256", "whole"] {
                let picture = try await running.probe.send(running.address + "trash/\(trashed[1].id)/\(form)")
                #expect(picture.status == 200 && picture.body.prefix(2) == [0xFF, 0xD8])
                let tag = picture.headers["etag"] ?? ""
                let again = try await running.probe.send(
                    running.address + "trash/\(trashed[1].id)/\(form)", headers: [("If-None-Match", tag)])
                #expect(again.status == 304)
            }
            let answer = try await Self.restore(running, "\"\(trashed[1].id)\"")
            let report = try JSONValue(parsing: answer.text)
            #expect(answer.status == 200 && report["changed"] == .int(1), "\(answer.text)")
            #expect(try await running.library.asset(path: Self.photos[1]) != nil)
            let rest = try await running.probe.send(running.address + "trash").text
            #expect(rest.contains("2 photos") && !rest.contains("IMG_1_0.jpg"))
            let gone = try await running.probe.send(running.address + "trash/\(trashed[1].id)/256")
            #expect(gone.status == 404)
            let others = [trashed[0], trashed[2]].map { "\"\($0.id)\"" }.joined(separator: ",")
            #expect(try await Self.restore(running, others).status == 200)
            let empty = try await running.probe.send(running.address + "trash").text
            #expect(empty.contains("The trash is empty."))
        }
    }

    @Test("is only listed where edits are not allowed")
    func readOnly() async throws {
        try await Self.with(settings: { $0.allowsEdits = false }) { running, trashed in
            let page = try await running.probe.send(running.address + "trash").text
            #expect(page.contains("data-edits=\"\"") && page.contains("IMG_1_0.jpg"))
            #expect(try await Self.restore(running, "\"\(trashed[0].id)\"").status == 403)
            #expect(try await running.library.trashedIDs().count == 3)
        }
    }

    @Test("shows and restores no photo that the application denies")
    func denied() async throws {
        let settings: @Sendable (inout TileServer.Configuration) -> Void = { configuration in
            configuration.allowsEdits = true
            configuration.authorize = { request in
                request.path.hasSuffix("IMG_1_0.jpg") ? .deny : .allow
            }
        }
        try await Self.with(settings: settings) { running, trashed in
            func status(_ one: TrashedAsset) async throws -> Int {
                try await running.probe.send(running.address + "trash/\(one.id)/256").status
            }
            #expect(try await status(trashed[0]) == 200)
            #expect(try await status(trashed[1]) == 403)
            #expect(try await Self.restore(running, "\"\(trashed[1].id)\"").status == 403)
            let answer = try await Self.restore(running, "\"\(trashed[0].id)\"")
            #expect(answer.status == 200, "\(answer.text)")
            // Undoing names no photos.
            let last = try #require(try await running.library.operations(1).first)
            let undo = try await running.probe.send(
                running.address + "edit", method: "POST",
                headers: [("Content-Type", "application/json"), ("X-Viewport-Request", "page")],
                body: Array(#"{"do":"undo","operation":\#(last.id)}"#.utf8))
            #expect(undo.status == 200, "\(undo.text)")
        }
    }

    @Test(
        "refuses what it does not have",
        arguments: ["", "1", "\"x\"", "\"1-2-3\"", "null", "\"1-1\",\"x\""])
    func malformed(_ text: String) async throws {
        try await Self.with { running, _ async throws -> Void in
            #expect(try await Self.restore(running, text).status == 400)
            for path in ["trash/1-9/256", "trash/x/256", "trash/1-1/../../x"] {
                #expect(try await running.probe.send(running.address + path).status == 404, "\(path)")
            }
            #expect(try await running.probe.send(running.address + "trash?page=0").status == 400)
            #expect(try await running.probe.send(running.address + "trash?page=9").status == 200)
        }
    }
}
#endif
