import Foundation
import TestSupport
import Testing
import Vips

@Suite("viewport site of a folder")
struct SiteFolderTests {
    /// A folder `photos` with images, what is no image, and folders.
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for path in ["trip/day 1", "trip/empty", "papers", ".hidden"] { try makeFolder("photos/\(path)") }
        try save("a.jpg", "trip/b.jpg", "trip/day 1/c.png", ".hidden/d.jpg")
        try write(Data("notes".utf8), "notes.txt", "papers/text.txt")
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path(name), withIntermediateDirectories: true)
    }

    private func save(_ names: String...) throws {
        for name in names {
            try TestImages.photo(width: 96, height: 64).save(
                folder.path("photos/\(name)"), with: name.hasSuffix("png") ? "pngsave" : "jpegsave")
        }
    }

    private func write(_ data: Data, _ names: String...) throws {
        for name in names { try data.write(to: URL(fileURLWithPath: folder.path("photos/\(name)"))) }
    }

    private func site(_ arguments: String...) async throws -> BuiltProgram.Result {
        try await BuiltProgram("viewport").run(
            ["site", "photos", "-o", "site"] + arguments, in: folder.url)
    }

    /// The pages of the site.
    private var pages: Set<String> { Set(folder.files(below: "site").filter { $0.hasSuffix(".html") }) }

    private func page(_ name: String) throws -> String {
        String(decoding: try folder.data("site/\(name)"), as: UTF8.self)
    }

    @Test("names the folders that it leaves out, which have images")
    func folders() async throws {
        let result = try await site("--json")
        #expect(result.code == 3)
        #expect(
            result.errors
                == "viewport: photos/trip: is a folder with images; add --recursive to include it\n")
        let errors = result.json["errors"] as? [[String: Any]] ?? []
        #expect(errors.map { $0["path"] as? String } == ["photos/trip"])
        #expect(pages == ["index.html", "a.jpg.html"])
    }

    @Test("shows each page of a TIFF, in its own size, with a canvas for each", arguments: [false, true])
    func scans(_ isFolder: Bool) async throws {
        let scans = folder.path("scans")
        try FileManager.default.createDirectory(atPath: scans, withIntermediateDirectories: true)
        try Data(PageMaker.scan).write(to: URL(fileURLWithPath: "\(scans)/book.tif"))
        let result = try await BuiltProgram("viewport").run(
            [
                "site", isFolder ? "scans" : "scans/book.tif", "-o", "site", "--base-url",
                "https://example.org/s", "--json",
            ],
            in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        let names = (result.json["images"] as? [[String: Any]] ?? []).compactMap { $0["page"] as? String }
        #expect(
            names.count == 2 && Set(names).isSubset(of: pages) && pages.contains("index.html"), "\(pages)")
        let manifest =
            try JSONSerialization.jsonObject(with: folder.data("site/manifest.json")) as? [String: Any]
        let canvases = manifest?["items"] as? [[String: Any]] ?? []
        #expect(canvases.map { [$0["width"] as? Int, $0["height"] as? Int] } == [[40, 30], [20, 50]])
        #expect(Set(canvases.compactMap { $0["id"] as? String }).count == 2)
        #expect(try page("index.html").contains("book.tif, page 2"))
    }

    @Test("has an index of each folder with --recursive, which link to each other")
    func recursive() async throws {
        let result = try await site("--recursive", "--title", "Summer", "--json")
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(
            pages == [
                "index.html", "a.jpg.html", "trip/index.html", "trip/b.jpg.html", "trip/day 1/index.html",
                "trip/day 1/c.png.html",
            ])
        let images = result.json["images"] as? [[String: Any]] ?? []
        #expect(
            Set(images.compactMap { $0["page"] as? String })
                == ["a.jpg.html", "trip/b.jpg.html", "trip/day 1/c.png.html"])
        #expect(try page("index.html").contains(#"<h1>Summer</h1>"#))
        #expect(try page("index.html").contains(#"href="./trip/index.html""#))
        let inner = try page("trip/day 1/index.html")
        #expect(
            inner.contains(
                #"<h1><a href="../../index.html">Summer</a> / <a href="../index.html">trip</a> / day 1</h1>"#)
        )
        // Every link of every page leads to a file.
        for name in pages {
            let folder = URL(fileURLWithPath: folder.path("site/\(name)"))
            for link in try page(name).matches(of: /(?:href|src|data-service|data-sidecar)="([^"]+)"/) {
                let target = URL(string: String(link.output.1), relativeTo: folder)
                #expect(
                    FileManager.default.fileExists(atPath: target?.path ?? ""), "\(name): \(link.output.1)")
            }
        }
        // Its own sites are replaced.
        #expect(try await site("--recursive").code == 0)
    }

    @Test("does not include itself")
    func inside() async throws {
        for _ in 0..<2 {
            let result = try await BuiltProgram("viewport").run(
                ["site", "photos", "-o", "photos/site", "--recursive", "--json"], in: folder.url)
            #expect(result.code == 0, "\(result.errors)")
            #expect((result.json["images"] as? [Any])?.count == 3)
        }
    }

    @Test("names images of blocked formats, and converts them with --allow-untrusted")
    func untrusted() async throws {
        try write(Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>"#.utf8), "d.svg")
        let result = try await site("--recursive")
        #expect(result.code == 3)
        #expect(result.errors.contains("photos/d.svg: looks like"), "\(result.errors)")
        #expect(result.errors.contains("--allow-untrusted"), "\(result.errors)")
        guard VipsLibrary.hasOperation("svgload") else { return }
        let allowed = try await site("--recursive", "--allow-untrusted")
        #expect(allowed.code == 0 && pages.contains("d.svg.jpg.html"), "\(allowed.errors)")
    }

    @Test("converts what pages cannot read, and names it, or leaves it out with --convert none")
    func conversion() async throws {
        try TestImages.photo(width: 96, height: 64).save(
            folder.path("photos/tiles.tif"), with: "tiffsave",
            ["tile": .bool(true), "compression": .name("jpeg")])
        try TestImages.photo(width: 96, height: 64).save(folder.path("photos/strips.tif"), with: "tiffsave")
        try TestImages.photo(width: 96, height: 64).save(
            folder.path("photos/scans.jpg"), with: "jpegsave", ["interlace": .bool(true)])
        let all = try await site("--recursive", "--json")
        #expect(all.code == 0, "\(all.errors)")
        #expect(all.errors == "viewport: photos/strips.tif: was converted to a JPEG\n")
        let images = all.json["images"] as? [[String: Any]] ?? []
        let converted = images.filter { $0["converted"] as? Bool == true }.compactMap {
            $0["path"] as? String
        }
        #expect(converted == ["photos/strips.tif"])
        for name in ["tiles.tif", "scans.jpg"] {
            #expect(try folder.data("site/images/\(name)") == folder.data("photos/\(name)"))
        }
        #expect(try await site("--recursive", "--quiet").errors.isEmpty)
        let none = try await site("--recursive", "--convert", "NONE")
        #expect(none.code == 3)
        #expect(none.errors.contains("photos/strips.tif: "), "\(none.errors)")
        #expect(none.errors.split(separator: "\n").count == 1 && none.errors.contains("is not converted"))
        #expect(pages.contains("tiles.tif.html") && !pages.contains("strips.tif.jpg.html"))
        let alone = try await BuiltProgram("viewport").run(
            ["site", "photos/strips.tif", "-o", "alone", "--convert", "none"], in: folder.url)
        #expect(alone.code == 65 && !folder.names.contains("alone"), "\(alone.code)")
    }

    @Test("names damaged images, and converts what is there with --allow-damaged")
    func damaged() async throws {
        try TestImages.photo(width: 304, height: 400).save(folder.path("whole.jpg"), with: "jpegsave")
        let whole = try folder.data("whole.jpg")
        try write(whole.prefix(whole.count / 2), "cut.jpg")
        let result = try await site("--recursive")
        #expect(result.code == 3 && result.errors.contains("photos/cut.jpg: is damaged"), "\(result.errors)")
        #expect(result.errors.contains("--allow-damaged") && !pages.contains("cut.jpg.html"))
        let allowed = try await site("--recursive", "--allow-damaged")
        #expect(allowed.code == 0, "\(allowed.errors)")
        #expect(pages.contains("cut.jpg.jpg.html"))
        let shown = try PyramidCommandTests.image(folder.path("site/images/cut.jpg.jpg"))
        #expect((shown.width, shown.height) == (304, 400))
    }

    @Test("names what is no file, links to folders, and images that are no longer there")
    func others() async throws {
        #expect(unsafe mkfifo(folder.path("photos/pipe.jpg"), 0o600) == 0)
        for (link, target) in [("linked", "trip"), ("gone.jpg", "nothing"), ("a link.jpg", "a.jpg")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("photos/\(link)"), withDestinationPath: target)
        }
        try write(Data(), "empty.jpg")
        try write(Data("no film".utf8), "film.mp4")
        let result = try await site("--recursive")
        #expect(result.code == 3)
        let lines = result.errors.split(separator: "\n").map { $0.dropFirst("viewport: photos/".count) }
        let names = ["pipe.jpg", "linked", "gone.jpg", "empty.jpg", "film.mp4"]
        #expect(lines.count == names.count, "\(result.errors)")
        for name in names { #expect(lines.contains { $0.hasPrefix("\(name): ") }, "\(name)") }
        #expect(pages.contains("a link.jpg.html"))
    }

    @Test("refuses larger images with --max-pixels")
    func large() async throws {
        let result = try await site("--recursive", "--max-pixels", "1000")
        #expect(result.code == 3 && result.errors.contains("--max-pixels"), "\(result.errors)")
    }

    @Test("gives names of its own to what would have the same files")
    func names() async throws {
        // Folders of the site, pages, and names that are equal after normalization.
        for name in ["images", "thumbs", "page", "a.jpg.html", "caf\u{E9}", "cafe\u{301}"] {
            try makeFolder("photos/\(name)")
            try save("\(name)/x.jpg")
        }
        try save("caf\u{E9}.jpg", "cafe\u{301}.jpg", "A.JPG")
        let result = try await site("--recursive", "--json")
        #expect(result.code == 0, "\(result.errors)")
        let images = result.json["images"] as? [[String: Any]] ?? []
        let shown = images.compactMap { $0["page"] as? String }
        #expect(images.count == 12 && Set(shown.map { $0.lowercased() }).count == 12, "\(shown)")
        for page in shown { #expect(try !self.page(page).isEmpty) }
    }

    @Test("links JPEGs of folders by their paths")
    func linked() async throws {
        try FileManager.default.removeItem(atPath: folder.path("photos/trip/day 1"))
        try makeFolder("photos/dé")
        try save("dé/é.jpg")
        let result = try await site("--recursive", "--link", "https://example.org/all")
        #expect(result.code == 0, "\(result.errors)")
        #expect(
            try page("trip/b.jpg.html").contains(#"data-service="https://example.org/all/trip/b.jpg""#))
        #expect(
            try page("dé/é.jpg.html").contains(
                #"data-service="https://example.org/all/d%C3%A9/%C3%A9.jpg""#))
    }

    @Test("is refused without images, and --recursive without a folder")
    func refused() async throws {
        let none = try await BuiltProgram("viewport").run(
            ["site", "photos/papers", "-o", "site"], in: folder.url)
        #expect(none.code == 64 && none.errors.contains("has no images"), "\(none.errors)")
        let image = try await BuiltProgram("viewport").run(
            ["site", "photos/a.jpg", "-o", "site", "--recursive"], in: folder.url)
        #expect(image.code == 64 && image.errors.contains("--recursive"), "\(image.errors)")
        #expect(folder.names == ["photos"])
    }
}
