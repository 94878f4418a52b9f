import Foundation
import LibraryServing
import PhotoCatalog
import TestSupport
import TestTurns
import Testing
import TileServing
import Vips

@Suite("The pages of a library", .inTurn)
struct LibraryPagesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("hold every file of their folder, whole")
    func files() throws {
        let folder = Self.root.appending(path: "Sources/LibraryServing/Assets")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(LibraryPageAssets.names == names)
        for name in names {
            #expect(
                LibraryPageAssets.asset(named: name)?.bytes
                    == Array(try Data(contentsOf: folder.appending(path: name))))
        }
        #expect(Set(names.compactMap { LibraryPageAssets.asset(named: $0)?.etag }).count == names.count)
    }

    @Test("have nothing in their HTML that a strict content security policy forbids, and need no network")
    func policy() {
        for name in LibraryPageAssets.names {
            let text = String(decoding: LibraryPageAssets.asset(named: name)?.bytes ?? [], as: UTF8.self)
            #expect(!text.contains("http://") && !text.contains("https://"), "\(name)")
            guard name.hasSuffix(".html") else { continue }
            #expect(!text.contains("style=") && !text.contains("<style") && !text.contains(/\son[a-z]+=/))
        }
    }

    @Test("are reached from the address of the server, with its token")
    func index() async throws {
        try await RunningLibrary.with { running in
            let first = try await running.probe.ask("/?token=abc")
            #expect(first.status == 303)
            #expect(first.headers["location"]?.hasSuffix(running.address + "?token=abc") == true)
            let bare = try await running.probe.ask(String(running.address.dropLast()))
            #expect(bare.status == 303 && bare.headers["location"]?.hasSuffix(running.address) == true)
        }
    }

    @Test("stand in the index beside the images of other folders")
    func mixed() async throws {
        let other = try TemporaryFolder()
        try TestImages.photo(width: 60, height: 40).save(other.path("other.png"), with: "pngsave")
        try await RunningLibrary.with(settings: { $0.paths.append(other.url.path) }) { running in
            let page = try await running.probe.ask("/")
            #expect(page.status == 200 && page.text.contains(running.address))
            #expect(page.text.contains("other.png") && !page.text.contains("IMG_0_0"))
            let asset = try #require(try await running.library.asset(path: "even/IMG_0_0.jpg"))
            let told = try await running.probe.ask(running.address + "asset/\(asset.id)")
            let name = running.folder.url.lastPathComponent
            #expect(told.text.contains("\"page\":\"view/\(name)%2Feven%2FIMG_0_0.jpg\""))
        }
    }

    @Test("show the groups without scripts, whatever they are called")
    func groups() async throws {
        try await RunningLibrary.with { running in
            try await running.library.createAlbum("<script>alert(1)</script>")
            let page = try await running.probe.ask(running.address)
            #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
            #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(!page.text.contains("<script"))
            for name in ["all", "picks"] { #expect(page.text.contains("href=\"group/\(name)\"")) }
            #expect(page.text.contains("src=\"cover/all\"") && !page.text.contains("src=\"cover/picks\""))
        }
    }

    @Test("are a grid for every group, and a page that is honest about films")
    func grid() async throws {
        try await RunningLibrary.with { running in
            for group in try await running.library.groups() {
                let name =
                    switch group.id {
                    case .all: "all"
                    case .picks: "picks"
                    case .album(let id): "album-\(id)"
                    case .folder(let id): "folder-\(id)"
                    }
                let page = try await running.probe.ask(running.address + "group/\(name)?by=week")
                #expect(page.status == 200 && page.text.contains("data-group=\"\(name)\""))
                #expect(page.headers["content-security-policy"]?.contains("script-src 'self'") == true)
            }
            let film = try #require(try await running.library.asset(path: "film 0.mov"))
            let page = try await running.probe.ask(running.address + "film/\(film.id)")
            #expect(page.status == 200 && page.text.contains("shows no films"))
            for name in LibraryPageAssets.names {
                #expect(try await running.probe.ask("/page/\(name)").status == 200)
            }
        }
    }

    @Test("are shown to nobody without the token")
    func token() async throws {
        try await RunningLibrary.with(settings: { $0.token = "sesame" }) { running async throws -> Void in
            for path in ["", "groups", "entries", "assets", "events", "group/all", "cover/all"] {
                #expect(try await running.probe.ask(running.address + path).status == 401, "\(path)")
            }
            #expect(try await running.probe.ask(running.address + "groups?token=sesame").status == 200)
        }
    }
}
