#if Server && Library
import PhotoCatalog
import TestSupport
import Testing
import TileServing
import Vips

@Suite("An application decides who may see a library")
struct LibraryAuthorizationTests {
    /// Dated by their names; the secret one is newer.
    private static let (open, secret) = ("IMG_20140519_101500", "IMG_20140521_101500")

    private static func fill(_ folder: TemporaryFolder) throws {
        for (number, name) in [open, secret].enumerated() {
            try TestImages.photo(width: 300, height: 200, seed: UInt64(number)).save(
                folder.path("\(name).jpg"), with: "jpegsave")
        }
    }

    @Test("in pictures, downloads, covers and archives, and in lists by its folder")
    func decided() async throws {
        try await RunningLibrary.with(Self.fill) { configuration in
            configuration.allowsEdits = true
            configuration.authorize = { request in
                if request.header("X-Key") == "open" { return .allow }
                if request.isFolder { return request.header("X-Lists") == nil ? .hide : .allow }
                return request.path.hasSuffix("\(Self.secret).jpg") ? .deny : .allow
            }
        } _: { running in
            let assets = try await running.library.collection().assets(0..<2)
            let open = try #require(assets.first { $0.path == "\(Self.open).jpg" })
            let secret = try #require(assets.first { $0.path == "\(Self.secret).jpg" })
            let (key, lists) = ([("X-Key", "open")], [("X-Lists", "1")])
            func status(_ path: String, _ headers: [(String, String)] = []) async throws -> Int {
                try await running.probe.send(running.address + path, headers: headers).status
            }
            for page in [
                "asset/ID", "info/ID", "thumbnail/ID/0/whole", "file/ID", "file/ID/x.jpg", "film/ID",
            ] {
                let (shown, hidden) = (
                    page.replacing("ID", with: "\(open.id)"), page.replacing("ID", with: "\(secret.id)")
                )
                #expect(try await status(shown) == 200, "\(shown)")
                #expect(try await status(hidden) == 403, "\(hidden)")
                #expect(try await status(hidden, key) == 200, "\(hidden)")
                #expect(try await status(hidden) == 403, "\(hidden)")
            }
            for page in [
                "", "groups", "group/all", "entries", "assets", "ids", "map", "clusters", "suggest?word=o",
            ] {
                #expect(try await status(page) == 404, "\(page)")
                #expect(try await status(page, lists) != 404, "\(page)")
            }
            let newest = try await running.probe.send(running.address + "cover/all", headers: key)
            let cover = try await running.probe.send(running.address + "cover/all", headers: lists)
            #expect(newest.status == 200 && cover.status == 200 && newest.body != cover.body)

            func choose(_ headers: [(String, String)]) async throws -> HTTPProbe.Response {
                try await running.probe.send(
                    running.address + "choose", method: "POST",
                    headers: headers + [("Content-Type", "application/json"), ("X-Viewport-Request", "1")],
                    body: Array("{\"assets\":[\(open.id),\(secret.id)]}".utf8))
            }
            #expect(try await choose(lists).status == 403)
        }
    }
}
#endif
