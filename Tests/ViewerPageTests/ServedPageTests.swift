import Foundation
import TestSupport
import Testing
import Vips

/// All of it together: the program's own server, its page in a real browser, and what `viewport render` makes.
@Suite("The page of viewport serve in Chromium", .serialized)
@MainActor
struct ServedPageTests {
    @Test("shows, moves and saves what viewport render makes of the same state")
    func served() throws {
        let browser = try Browser(nil)
        let folder = try TemporaryFolder()
        let path = folder.path("images/photo.png")
        try FileManager.default.createDirectory(
            atPath: folder.path("images"), withIntermediateDirectories: true)
        try TestImages.photo(width: 900, height: 700).save(path, with: "pngsave")
        let server = try ServingProgram(Site.viewport, [folder.path("images")])
        defer { #expect(server.end() == 0) }
        func render(_ request: [String]) throws -> Data {
            let file = folder.path("rendered.png")
            let result = try Site.viewport.run(
                ["render", path, "-o", file] + request,
                environment: ["XDG_CACHE_HOME": server.cache.url.path])
            #expect(result.code == 0, "\(result.errors)")
            return try Data(contentsOf: URL(filePath: file))
        }
        func pixels(_ request: [String]) throws -> Pixels {
            _ = try render(request)
            return try Pixels(folder.path("rendered.png"))
        }

        let page = "http://127.0.0.1:\(server.port)/view/photo?format=png#xywh=200,150,400,300"
        try browser.open(page)
        #expect(try browser.pixels == pixels(["--rect", "200,150,400,300"]))

        try browser.wheel(0, 120, at: (200, 150))
        try browser.wait(for: "location.hash === '#xywh=200,270,400,300'")
        try browser.press("ArrowRight")
        try browser.wait(for: "location.hash === '#xywh=240,270,400,300'")
        try browser.settle()
        #expect(try browser.pixels == pixels(["--rect", "240,270,400,300"]))

        try browser.press("+")
        try browser.wait(for: "location.hash === '#xywh=340,345,200,150'")
        try browser.settle()
        let rendered = try pixels(["--size", "400x300", "--rect", "340,345,200,150"])
        #expect(try browser.pixels.likeness(to: rendered) > 40)

        try browser.tools.call(
            "Page.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder.path("saved")])
        try browser.press("s")
        while folder.files(below: "saved").filter({ $0.hasSuffix(".png") }).isEmpty { try browser.settle() }
        let saved = try #require(folder.files(below: "saved").first)
        let request =
            try browser.evaluate(
                "decodeURI(document.querySelector('#save').href).split('/iiif/3/photo/')[1]") as? String
        #expect(try folder.data("saved/\(saved)") == render(["--iiif", request ?? ""]))
        #expect(try Pixels(folder.path("saved/\(saved)")).likeness(to: rendered) > 60)
        #expect(browser.complaints.isEmpty)
    }
}
