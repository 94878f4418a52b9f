#if Server
import Files
import Foundation
import TestSupport
import Testing

@testable import TileServing

@Suite("The index of folders")
struct IndexTests {
    /// A folder with images, a subfolder, links and other files, which were there before the server started.
    private static func folder(_ count: Int = 3) throws -> TemporaryFolder {
        let (folder, files) = (try TemporaryFolder(), FileManager.default)
        let (trip, outside) = (folder.path("served/trip"), folder.path("outside"))
        for path in [trip + "/deep", outside] {
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for number in 0..<count { try Data().write(to: url("served/img \(number).jpg")) }
        for name in [
            "served/notes.txt", "served/.hidden.jpg", "served/trip/Lake & <sea>.PNG", "outside/x.jpg",
        ] {
            try Data().write(to: url(name))
        }
        try Data().write(to: url("served/trip/deep/lake.webp"))
        for (link, target) in [
            ("out.jpg", "../outside/x.jpg"), ("in.jpg", "trip/deep/lake.webp"), ("folder", "trip"),
            ("none.jpg", "nothing"),
        ] {
            try files.createSymbolicLink(
                atPath: folder.path("served/\(link)"), withDestinationPath: target)
        }
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)]
        for name in ["served", "served/trip", "served/trip/deep"] {
            try files.setAttributes(old, ofItemAtPath: folder.path(name))
        }
        return folder

        func url(_ name: String) -> URL { URL(fileURLWithPath: folder.path(name)) }
    }

    @Test("is the viewer where a single image is served")
    func single() async throws {
        let photos = try RunningServer.photos()
        let change = { @Sendable (configuration: inout TileServer.Configuration) in
            configuration.roots = [photos.path("deep/a b.png")]
        }
        try await RunningServer.with(photos, change) { probe in
            for address in ["/", "/?folder=deep", "/?name=x"] {
                let answer = try await probe.send(address)
                #expect(
                    answer.status == 303 && answer.headers["location"] == "./view/a%20b.png", "\(address)")
            }
            let viewer = try await probe.send("/view/a%20b.png")
            #expect(viewer.status == 200 && !viewer.text.contains("All images"))
            #expect(!viewer.text.contains("open-page"))
        }
    }

    @Test("lists images and subfolders, but no links that lead out of the folder")
    func listed() throws {
        let folder = try Self.folder()
        let roots = try ImageRoots([folder.path("served")])
        let top = try #require(roots.contents(of: ""))
        #expect(top.folders == ["trip"])
        #expect(top.images == ["img 0.jpg", "img 1.jpg", "img 2.jpg", "in.jpg"])
        let trip = try #require(roots.contents(of: "trip"))
        #expect(trip.folders == ["trip/deep"] && trip.images == ["trip/Lake & <sea>.PNG"])
        for name in ["folder", "..", "../outside", "trip/", "/", "nothing", ".", "trip/../trip"] {
            #expect(roots.contents(of: name) == nil, "\(name)")
        }
        let several = try ImageRoots([
            folder.path("served"), folder.path("outside"), folder.path("served/img 1.jpg"),
        ])
        let all = try #require(several.contents(of: ""))
        #expect(all.folders == ["outside", "served"] && all.images == ["img 1.jpg"])
        #expect(several.contents(of: "served/trip/deep")?.images == ["served/trip/deep/lake.webp"])
        #expect(
            several.contents(of: "", except: [FilePath(folder.path("served"))])?.folders.contains("served")
                != true)
    }

    @Test("tells names apart that are equal only after Unicode normalization")
    func twins() throws {
        let folder = try TemporaryFolder()
        let names = ["caf\u{E9}.jpg", "cafe\u{301}.jpg"]
        for (name, size) in zip(names, 1...) {
            try Data(count: size).write(to: URL(fileURLWithPath: folder.path(name)))
        }
        // A name that begins with a combining mark: with the slash before it, it is one character.
        try FileManager.default.createDirectory(
            atPath: folder.path("trip/\u{301}deep"), withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder.path("trip/\u{301}deep/\u{301}a.jpg")))
        let roots = try ImageRoots([folder.url.path])
        let images = try #require(roots.contents(of: "")?.images)
        #expect(images.map { Array($0.utf8) } == names.reversed().map { Array($0.utf8) })
        for (name, size) in zip(names, 1...) {
            for identifier in [name, String(name.dropLast(4))] {
                let path = try #require(roots.path(of: identifier))
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == size)
            }
            #expect(roots.neighbors(of: name)?.number == 3 - size)
        }
        #expect(roots.path(of: "trip/\u{301}deep/\u{301}a")?.hasSuffix("a.jpg") == true)
        #expect(roots.contents(of: "trip/\u{301}deep")?.images.count == 1)
        #expect(roots.neighbors(of: "trip/\u{301}deep/\u{301}a.jpg")?.count == 1)
        #expect(roots.contents(of: "", matching: "CAF\u{E9}")?.images.count == 2)
        let folders = names.map { folder.path("roots/\($0)/same") }
        for path in folders {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let several = try ImageRoots(names.map { folder.path("roots/\($0)") })
        #expect(several.contents(of: "")?.folders.count == 2)
        #expect(throws: ServerError.self) { try ImageRoots(folders) }
    }

    @Test("finds names in a folder and below it")
    func found() throws {
        let folder = try Self.folder()
        let roots = try ImageRoots([folder.path("served")])
        let lakes = try #require(roots.contents(of: "", matching: "LAKE"))
        #expect(lakes.images == ["trip/Lake & <sea>.PNG", "trip/deep/lake.webp"])
        #expect(roots.contents(of: "", matching: "deep")?.folders == ["trip/deep"])
        // The name of the folder itself does not count.
        #expect(roots.contents(of: "trip", matching: "trip")?.images.isEmpty == true)
    }

    @Test("reads a folder once until it changes, also for names without an extension")
    func kept() throws {
        let folder = try Self.folder()
        let roots = try ImageRoots([folder.path("served")])
        for _ in 0..<3 {
            #expect(roots.path(of: "img 1")?.hasSuffix("/img 1.jpg") == true)
            #expect(roots.path(of: "nothing") == nil && roots.path(of: "out") == nil)
            #expect(roots.contents(of: "")?.images.count == 4)
        }
        #expect(roots.listings.readCount == 1)
        try Data().write(to: URL(fileURLWithPath: folder.path("served/nothing.png")))
        #expect(roots.path(of: "nothing")?.hasSuffix("/nothing.png") == true)
        #expect(roots.contents(of: "")?.images.contains("nothing.png") == true)
    }

    @Test(
        "sorts images by name, date and size, and their neighbors with them",
        arguments: [
            (FolderOrder.name, ["a.jpg", "b.jpg", "c.jpg"]), (.newest, ["b.jpg", "a.jpg", "c.jpg"]),
            (.oldest, ["c.jpg", "a.jpg", "b.jpg"]), (.largest, ["c.jpg", "b.jpg", "a.jpg"]),
            (.smallest, ["a.jpg", "b.jpg", "c.jpg"]),
        ])
    private func order(_ order: FolderOrder, _ names: [String]) async throws {
        let folder = try TemporaryFolder()
        for (name, size, time) in [("a", 1, 2.0), ("b", 2, 3.0), ("c", 3, 1.0)] {
            try Data(count: size).write(to: URL(fileURLWithPath: folder.path("\(name).jpg")))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000 + time)],
                ofItemAtPath: folder.path("\(name).jpg"))
        }
        try await RunningServer.with(folder) { probe in
            let page = try await probe.send("/?sort=\(order.rawValue)").text
            let shown = page.matches(of: /<span>(.\.jpg)<\/span>/).map { String($0.output.1) }
            #expect(shown == names && page.contains("value=\"\(order.rawValue)\" selected"))
            let query = order == .name ? "" : "?sort=\(order.rawValue)"
            #expect(page.contains("href=\"./view/\(names[1])\(query)\""))
            let neighbors = try await probe.send("/neighbors/\(names[1])?sort=\(order.rawValue)").text
            for name in [names[0], names[2]] { #expect(neighbors.contains("\"view/\(name)\(query)\"")) }
            let wrong = try await probe.send("/?sort=color")
            #expect(wrong.status == 400 && wrong.text.contains("name, newest, oldest, largest, smallest"))
        }
    }

    @Test("shows folders by their first image, also one in a folder below")
    func covers() async throws {
        let photos = try RunningServer.photos()
        for name in ["top/below", "empty"] {
            try FileManager.default.createDirectory(
                atPath: photos.path(name), withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(
            atPath: photos.path("photo.jpg"), toPath: photos.path("top/below/x y.jpg"))
        try await RunningServer.with(photos) { probe in
            let page = try await probe.send("/").text
            #expect(page.contains("src=\"./cover/top\"") && page.contains("src=\"./cover/empty\""))
            let cover = try await probe.send("/cover/top")
            #expect(cover.status == 303)
            let address = "../iiif/3/top%2Fbelow%2Fx%20y.jpg/full/!480,480/0/default.jpg"
            #expect(cover.headers["location"] == address)
            #expect(try await probe.send(address.dropFirst(2).description).status == 200)
            for wrong in ["/cover/empty", "/cover/none", "/cover/..", "/cover/photo.jpg", "/cover"] {
                #expect((400..<500).contains(try await probe.send(wrong).status), "\(wrong)")
            }
        }
    }

    @Test("has pages, a count and a search")
    func pages() async throws {
        let folder = try Self.folder(500)
        try await RunningServer.with(folder, { $0.roots = [folder.path("served")] }) { probe in
            let first = try await probe.send("/")
            #expect(first.status == 200)
            #expect(first.text.contains("501 images, 1 folder, page 1 of 3"))
            #expect(first.text.components(separatedBy: "loading=\"lazy\"").count == 242)
            #expect(first.text.contains("href=\"./?page=2\"") && !first.text.contains("rel=\"prev\""))
            #expect(first.headers["content-security-policy"]?.contains("form-action 'self'") == true)
            let last = try await probe.send("/?page=3").text
            #expect(last.contains("page 3 of 3") && last.contains("in.jpg") && !last.contains("rel=\"next\""))
            for wrong in ["/?page=4", "/?page=0", "/?page=x", "/?folder=..", "/?folder=folder"] {
                #expect(try await probe.send(wrong).status == 404, "\(wrong)")
            }
            let found = try await probe.send("/?name=%3CSEA%3E").text
            #expect(found.contains("1 image") && found.contains("trip/Lake &amp; &lt;sea&gt;.PNG"))
            #expect(!found.contains("<sea>") && found.contains("value=\"&lt;SEA&gt;\""))
            let trip = try await probe.send("/?folder=trip").text
            #expect(trip.contains("./view/trip%2FLake%20%26%20%3Csea%3E.PNG"))
            #expect(trip.contains("./?folder=trip%2Fdeep") && trip.contains("name=\"folder\" value=\"trip\""))
            #expect(try await probe.send("/?name=nothing%20at%20all").text.contains("No name contains"))
        }
    }
}
#endif
