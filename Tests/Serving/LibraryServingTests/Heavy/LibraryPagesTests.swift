#if Server && Library
import Foundation
import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing
import Vips
import ViewerPages

@Suite("The pages of a library", .library)
struct LibraryPagesTests {
    @Test("contain every file of their folder")
    func files() throws {
        let folder = try PackageFolder.sources(of: "LibraryServing").appending(path: "Assets")
        // The atlas of the map is sent in parts.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0 != "atlas.bin" }
        #expect(ViewerPage.library.keys.sorted() == names)
        for name in names {
            #expect(
                ViewerPage.library[name]?.bytes
                    == Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }

    @Test("have HTML that satisfies a strict content security policy, and load nothing from other hosts")
    func policy() {
        for name in ViewerPage.library.keys.sorted() {
            let text = String(decoding: ViewerPage.library[name]?.bytes ?? [], as: UTF8.self)
            #expect(!text.contains("http://") && !text.contains("https://"), "\(name)")
            guard name.hasSuffix(".html") else { continue }
            #expect(!text.contains("style=") && !text.contains("<style") && !text.contains(/\son[a-z]+=/))
        }
    }

    @Test("are reached from the URL of the server, with its token")
    func index() async throws {
        let running = try #require(RunningLibrary.shared)
        let first = try await running.probe.send("/?token=abc")
        #expect(first.status == 303)
        #expect(first.headers["location"]?.hasSuffix(running.address + "?token=abc") == true)
        let bare = try await running.probe.send(String(running.address.dropLast()))
        #expect(bare.status == 303 && bare.headers["location"]?.hasSuffix(running.address) == true)
    }

    @Test("are listed in the index beside other folders")
    func mixed() async throws {
        let other = try TemporaryFolder()
        try TestImages.photo(width: 60, height: 40).save(other.path("other.png"), with: "pngsave")
        try await RunningLibrary.with(settings: { $0.roots.append(other.url.path) }) { running in
            let page = try await running.probe.send("/")
            #expect(page.status == 200 && page.text.contains(running.address))
            let folder = "/?folder=\(other.url.lastPathComponent)"
            #expect(page.text.contains("\".\(folder)\"") && !page.text.contains("IMG_0_0"))
            #expect(try await running.probe.send(folder).text.contains("other.png"))
            let asset = try #require(try await running.library.asset(path: "even/IMG_0_0.jpg"))
            let told = try await running.probe.send(running.address + "asset/\(asset.id)")
            let name = running.folder.url.lastPathComponent
            #expect(told.text.contains("\"page\":\"view/\(name)%2Feven%2FIMG_0_0.jpg\""))
        }
    }

    @Test("show the groups without scripts, whatever their names")
    func groups() async throws {
        let running = try #require(RunningLibrary.shared)
        try await running.library.createAlbum("<script>alert(1)</script>")
        let page = try await running.probe.send(running.address)
        #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(!page.text.contains("<script"))
        for name in ["all", "picks"] { #expect(page.text.contains("href=\"group/\(name)\"")) }
        #expect(page.text.contains("src=\"cover/all\"") && !page.text.contains("src=\"cover/picks\""))
    }

    @Test("list photos without scripts, by entries and pages, with links to the viewer")
    func list() async throws {
        let running = try #require(RunningLibrary.shared)
        let (probe, address) = (running.probe, running.address)
        let grid = try await probe.send(address + "group/all?group-by=month").text
        #expect(grid.contains("content=\"0; url=../list?group=all&amp;group-by=month\""))
        let list = try await probe.send(address + "list?group=all&group-by=month&sort=ascending")
        #expect(list.status == 200 && !list.text.contains("<script"))
        for title in ["2013-12", "2014-05", "2015-05", "Undated"] {
            #expect(list.text.contains("<h2>\(title)</h2>"), "\(title)")
        }
        let links = list.text.matches(of: /<a href="..\/..\/(view[^"]*)"/).map { String($0.output.1) }
        #expect(links.count == list.text.components(separatedBy: "<li>").count - 1 - 3, "3 films")
        let first = try #require(links.first).replacing("&amp;", with: "&")
        #expect(first.contains("library=") && first.contains("group-by=month") && first.contains("asset="))
        #expect(try await probe.send("/" + first).status == 200)
        let found = try await probe.send(address + "list?group=all&where=undated.jpg").text
        #expect(found.contains("1 photo") && found.contains("value=\"undated.jpg\""))
        #expect(try await probe.send(address + "list?group=all&where=nothing").text.contains("No photos."))
        for wrong in ["list?page=2", "list?page=0", "list?group=album:99"] {
            #expect(try await probe.send(address + wrong).status == 404, "\(wrong)")
        }
    }

    @Test("have every word of the command line and of Swift in their menus, and understand it in addresses")
    func words() async throws {
        let running = try #require(RunningLibrary.shared)
        let page = try await running.probe.send(running.address + "group/all").text
        for parameter in AssetRequest.Parameter.allCases {
            for word in parameter.words {
                let input = "name=\"\(parameter.rawValue)\" value=\"\(word.word)\""
                #expect(page.contains(input), "\(input)")
                for (name, value) in parameter.names.flatMap({ name in
                    ([word.word, word.word.uppercased()] + word.others).map { (name, $0) }
                }) {
                    let entries = try await running.probe.send(running.address + "entries?\(name)=\(value)")
                    #expect(entries.status == 200, "\(name)=\(value)")
                    let grid = try await running.probe.send(running.address + "group/all?\(name)=\(value)")
                    let isUsual = name == parameter.rawValue && value == word.word
                    let led = grid.headers["location"] == "all?\(parameter.rawValue)=\(word.word)"
                    #expect(isUsual ? grid.status == 200 : led, "\(name)=\(value) \(grid.headers)")
                }
            }
        }
        for rule in QueryRule.all {
            let query = rule.example.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            // An album has to be there.
            guard rule.name != "album:" else { continue }
            let entries = try await running.probe.send(running.address + "entries?where=\(query)")
            #expect(entries.status == 200, "\(rule.example): \(entries.text)")
            let suggested = try await running.probe.send(
                running.address + "suggest?word=\(rule.name.dropLast())")
            #expect(suggested.text.contains("\"\(rule.name)\""), "\(rule.name)")
        }
    }

    @Test(
        "lead addresses with former names and other options to those that they write themselves",
        arguments: [
            ("group/all?by=month&order=asc&show=jpeg", "all?group-by=month&sort=ascending&filter=jpeg"),
            (
                "group/all?where=lake&place=New+York&to=2014",
                "all?where=lake%20to%3A2014%20place%3A%22New%20York%22"
            ),
            ("group/all?filter=png,jpeg", "all?filter=jpeg%2Cpng"),
            ("map?group=all&show=all", "map?group=all&filter=all"),
        ])
    func formerAddresses(_ address: String, _ other: String) async throws {
        let running = try #require(RunningLibrary.shared)
        let answer = try await running.probe.send(running.address + address)
        #expect(answer.status == 303 && answer.headers["location"] == other, "\(answer.headers)")
        let base = address.hasPrefix("map") ? "" : "group/"
        #expect(try await running.probe.send(running.address + base + other).status == 200)
    }

    @Test("have several kinds as one choice where the address has them")
    func kinds() async throws {
        let running = try #require(RunningLibrary.shared)
        let page = try await running.probe.send(running.address + "group/all?filter=jpeg%2Cpng")
        #expect(page.text.contains("value=\"jpeg,png\"><span>JPEG, PNG</span>"), "\(page.text)")
    }

    @Test("include a grid and a map for every group, and a page that plays videos")
    func grid() async throws {
        let running = try #require(RunningLibrary.shared)
        for group in try await running.library.groups() {
            let name =
                switch group.id {
                case .all: "all"
                case .picks: "picks"
                case .album(let id): "album-\(id)"
                case .folder(let id): "folder-\(id)"
                }
            let page = try await running.probe.send(running.address + "group/\(name)?group-by=week")
            #expect(page.status == 200 && page.text.contains("data-group=\"\(name)\""))
            #expect(page.headers["content-security-policy"]?.contains("script-src 'self'") == true)
            let map = try await running.probe.send(running.address + "map?group=\(name)")
            #expect(map.status == 200 && map.text.contains("data-group=\"\(name)\""))
        }
        let film = try #require(try await running.library.asset(path: "film 0.mov"))
        let page = try await running.probe.send(running.address + "film/\(film.id)")
        #expect(page.status == 200 && page.text.contains("data-kind=\"film\""))
        #expect(page.text.contains("data-type=\"video/quicktime\""))
        #expect(page.headers["content-security-policy"]?.contains("media-src 'self'") == true)
        for name in ViewerPage.library.keys.sorted() {
            #expect(try await running.probe.send("/page/\(name)").status == 200)
        }
    }

    @Test("that are missing lead back, and answer 404")
    func missing() async throws {
        try await RunningLibrary.with { running async throws -> Void in
            let film = try #require(try await running.library.asset(path: "film 1.mov"))
            try FileManager.default.removeItem(atPath: running.folder.path("film 1.mov"))
            let html = [("Accept", "text/html")]
            let page = try await running.probe.send(
                running.address + "film/\(film.id)?group=all", headers: html)
            #expect(page.status == 404 && page.text.contains("data-kind=\"missing\""))
            #expect(
                page.text.contains("href=\"../group/all\"") && page.text.contains("is not there any more"))
            for path in ["film/999999", "group/album-77", "group/nonsense", "map?group=album-77"] {
                let page = try await running.probe.send(running.address + path, headers: html)
                #expect(page.status == 404 && page.text.contains("All groups of this library"), "\(path)")
                let link = try #require(page.text.firstMatch(of: #/class="link" href="([^"]*)"/#)).1
                let base = URL(string: "http://localhost" + running.address + path)
                let target = URL(string: String(link), relativeTo: base)?.absoluteURL.path
                #expect(target == String(running.address.dropLast()))
                #expect(try await running.probe.send(running.address + path).text.hasPrefix("there is no"))
            }
            for path in ["info/\(film.id)", "thumbnail/\(film.id)/x/128", "file/\(film.id)"] {
                let status = try await running.probe.send(running.address + path).status
                #expect(path.hasPrefix("info") ? status == 200 : status == 404, "\(path)")
            }
            for path in ["info/999999", "file/999999", "thumbnail/999999/x/128", "zip/none", "nothing"] {
                #expect(try await running.probe.send(running.address + path).status == 404, "\(path)")
            }
        }
    }

    @Test("answer 422 for the picture of a damaged photo, not 500")
    func damaged() async throws {
        try await RunningLibrary.with({ folder in
            try TestImages.photo(width: 300, height: 200).save(folder.path("cut.jpg"), with: "jpegsave")
            let bytes = try Data(contentsOf: URL(filePath: folder.path("cut.jpg")))
            try bytes.prefix(700).write(to: URL(filePath: folder.path("cut.jpg")))
        }) { running async throws -> Void in
            let asset = try #require(try await running.library.asset(path: "cut.jpg"))
            let answer = try await running.probe.send(
                running.address + "thumbnail/\(asset.id)/\(asset.sha256.prefix(32))/128")
            #expect((400..<500).contains(answer.status), "\(answer.status) \(answer.text)")
        }
    }

    @Test("require the token")
    func token() async throws {
        try await RunningLibrary.with(settings: { $0.token = "sesame" }) { running async throws -> Void in
            for path in ["", "groups", "entries", "assets", "events", "group/all", "cover/all"] {
                #expect(try await running.probe.send(running.address + path).status == 401, "\(path)")
            }
            #expect(try await running.probe.send(running.address + "groups?token=sesame").status == 200)
        }
    }
}

@Suite("Access to a library")
struct LibraryAccessTests {
    /// The headers of requests from pages of other sites, and of other servers on this machine.
    private static let foreign: [[(String, String)]] = [
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"), ("Origin", "https://evil.example")],
        [("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
        [("Origin", "http://127.0.0.1:1")], [("Origin", "null")],
    ]

    /// Runs a server of a library and of another folder with an image.
    private static func with(_ body: @escaping @Sendable (RunningLibrary) async throws -> Void) async throws {
        let other = try TemporaryFolder()
        try TestImages.photo(width: 60, height: 40).save(other.path("other.png"), with: "pngsave")
        try await RunningLibrary.with(settings: { $0.roots.append(other.url.path) }) { running in
            try await body(running)
            // The other folder is still shared with all origins.
            let name = other.url.lastPathComponent
            for path in ["/iiif/3/\(name)%2Fother/info.json", "/dzi/\(name)/other.dzi"] {
                let answer = try await running.probe.send(path, headers: Self.foreign[0])
                #expect(answer.status == 200 && answer.headers["access-control-allow-origin"] == "*")
                #expect(answer.headers["cache-control"]?.hasPrefix("public") == true)
            }
        }
    }

    private static func paths(_ running: RunningLibrary) async throws -> (here: [String], missing: [String]) {
        let asset = try #require(try await running.library.asset(path: "even/IMG_0_0.jpg"))
        let name = running.folder.url.lastPathComponent
        let pages = [
            "", "groups", "entries", "assets", "neighbors?asset=\(asset.id)", "asset/\(asset.id)",
            "group/all",
            "film/\(asset.id)", "cover/all", "thumbnail/\(asset.id)/\(asset.sha256.prefix(32))/128",
            "thumbnail/\(asset.id)/x/whole",
        ].map { running.address + $0 }
        let images = ["even%2FIMG_0_0.jpg", "even/IMG_0_0"].flatMap { photo in
            [
                "/iiif/3/\(name)/\(photo)/info.json", "/iiif/2/\(name)%2F\(photo)/info.json",
                "/iiif/3/\(name)/\(photo)/full/max/0/default.jpg", "/iiif/3/\(name)/\(photo)",
                "/dzi/\(name)/\(photo).dzi", "/dzi/\(name)/\(photo)_files/0/0_0.jpg",
            ]
        }
        let missing = ["even%2FNONE.jpg", "none%2F..%2FIMG", "even/IMG_0_0;9", "undated%2F"].flatMap {
            photo in
            ["/iiif/3/\(name)/\(photo)/info.json", "/dzi/\(name)/\(photo).dzi"]
        }
        return (["/", "/health"] + pages + images, missing)
    }

    @Test("is granted to its own pages and to followed links")
    func own() async throws {
        try await Self.with { running in
            let asking: [[(String, String)]] = [
                [], [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")],
                [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")],
                [
                    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
                    ("Sec-Fetch-Dest", "document"),
                ],
                [("Origin", "http://127.0.0.1:\(running.probe.port)")],
            ]
            let (here, missing) = try await Self.paths(running)
            for headers in asking {
                for path in here + missing {
                    let answer = try await running.probe.send(path, headers: headers)
                    // The photos cannot be decoded, but errors about them are private, too.
                    let isLetIn = ![401, 403, 421].contains(answer.status)
                    #expect(missing.contains(path) ? answer.status == 404 : isLetIn, "\(path)")
                    #expect(answer.headers["access-control-allow-origin"] == nil, "\(path)")
                    #expect(answer.headers["cross-origin-resource-policy"] == "same-origin", "\(path)")
                    #expect(answer.headers["cache-control"]?.hasPrefix("public") != true, "\(path)")
                }
            }
        }
    }

    @Test("is denied to pages of other origins, without revealing which files exist")
    func others() async throws {
        try await Self.with { running in
            let (here, missing) = try await Self.paths(running)
            for headers in Self.foreign {
                var texts: Set<String> = []
                for path in here + missing + [running.address + "events"] {
                    for method in ["GET", "HEAD"] {
                        let answer = try await running.probe.send(path, method: method, headers: headers)
                        #expect(answer.status == 403, "\(path)")
                        #expect(answer.headers["access-control-allow-origin"] == nil, "\(path)")
                        texts.insert(answer.text)
                    }
                }
                #expect(texts.count == 2)
            }
        }
    }

    @Test("is denied to other origins if the library is below a served folder")
    func nested() async throws {
        try await RunningLibrary.with({ folder in
            try TestImages.photo(width: 60, height: 40).save(folder.path("a.png"), with: "pngsave")
            let inner = folder.url.appending(path: "deep/inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try TestImages.photo(width: 60, height: 40).save(folder.path("deep/inner/b.png"), with: "pngsave")
            // The folder is a library because it contains a catalog, but it is not served as a library.
            try FileManager.default.createDirectory(
                at: inner.appending(path: LibraryFolder.name), withIntermediateDirectories: true)
            try Data("x".utf8).write(
                to: inner.appending(path: "\(LibraryFolder.name)/\(LibraryFolder.catalog)"))
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("link"), withDestinationPath: inner.path)
        }) { running in
            try FileManager.default.removeItem(
                atPath: running.folder.path("\(LibraryFolder.name)/\(LibraryFolder.catalog)"))
            for (image, status) in [
                ("a", 200), ("none", 404), ("deep%2Finner%2Fb", 403), ("link%2Fb", 403), ("link%2Fnone", 403),
                ("deep%2Finner%2Fnone", 403), ("deep%2F%2Finner%2Fnone", 403), ("deep%2Fnone", 404),
            ] {
                let path = "/iiif/3/\(image)/info.json"
                let answer = try await running.probe.send(path, headers: Self.foreign[0])
                #expect(answer.status == status, "\(image)")
                #expect((answer.headers["access-control-allow-origin"] == "*") == (status != 403), "\(image)")
            }
        }
    }
}
#endif
