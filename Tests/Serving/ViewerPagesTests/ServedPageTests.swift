#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// End to end: the server, its page in a real browser, and the pictures of `viewport render`.
@Suite("The page of viewport serve in Chromium", .inBrowser)
struct ServedPageTests {
    @Test("shows, moves and saves the same pictures as viewport render")
    func served() async throws {
        let browser = try Browser(nil)
        let folder = try TemporaryFolder()
        let path = folder.path("images/photo.png")
        try FileManager.default.createDirectory(
            atPath: folder.path("images"), withIntermediateDirectories: true)
        try TestImages.photo(width: 900, height: 700).save(path, with: "pngsave")
        let server = try ServingProgram(Site.viewport, [folder.path("images")])
        defer { #expect(server.end() == 0) }
        func render(_ request: [String]) async throws -> Data {
            let file = folder.path("rendered.png")
            let result = try await Site.viewport.run(
                ["render", path, "-o", file] + request,
                environment: ["XDG_CACHE_HOME": server.cache.url.path])
            #expect(result.code == 0, "\(result.errors)")
            return try Data(contentsOf: URL(filePath: file))
        }
        func pixels(_ request: [String]) async throws -> Pixels {
            _ = try await render(request)
            return try Pixels(folder.path("rendered.png"))
        }

        let page = "http://127.0.0.1:\(server.port)/view/photo?format=png#xywh=200,150,400,300"
        try browser.open(page)
        #expect(try await browser.pixels == pixels(["--rect", "200,150,400,300"]))

        try browser.wheel(0, 120, at: (200, 150))
        try browser.wait(for: "location.hash === '#xywh=200,270,400,300'")
        try browser.press("ArrowRight")
        try browser.wait(for: "location.hash === '#xywh=240,270,400,300'")
        try browser.settle()
        #expect(try await browser.pixels == pixels(["--rect", "240,270,400,300"]))

        try browser.press("+")
        try browser.wait(for: "location.hash === '#xywh=340,345,200,150'")
        try browser.settle()
        let rendered = try await pixels(["--size", "400x300", "--rect", "340,345,200,150"])
        #expect(try browser.pixels.likeness(to: rendered) > 40)

        try browser.tools.call(
            "Page.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder.path("saved")])
        try browser.press("s")
        while folder.files(below: "saved").filter({ $0.hasSuffix(".png") }).isEmpty { try browser.settle() }
        let saved = try #require(folder.files(below: "saved").first)
        let request =
            try browser.evaluate(
                "decodeURI(document.querySelector('#save').href).split('/iiif/3/photo/')[1]") as? String
        #expect(try await folder.data("saved/\(saved)") == render(["--iiif", request ?? ""]))
        #expect(try Pixels(folder.path("saved/\(saved)")).likeness(to: rendered) > 60)
        #expect(browser.complaints.isEmpty)
    }

    @Test("removes the token from the URL and loads pictures with the cookie")
    func token() throws {
        let browser = try Browser(nil)
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 900, height: 700).save(folder.path("photo.png"), with: "pngsave")
        let arguments = [folder.url.path, "--token", "a&b+c%#="]
        let (server, other) = (
            try ServingProgram(Site.viewport, arguments), try ServingProgram(Site.viewport, arguments)
        )
        defer { #expect(server.end() == 0 && other.end() == 0) }
        for port in [server.port, other.port] {
            try browser.tools.call(
                "Page.navigate", ["url": "http://127.0.0.1:\(port)/?x=1&token=a%26b%2Bc%25%23%3D#here"])
            try browser.wait(
                for: "location.port === '\(port)' && document.querySelector('img')?.naturalWidth > 0")
            #expect(
                try browser.evaluate("location.pathname + location.search + location.hash") as? String
                    == "/?x=1#here")
            #expect(try browser.evaluate("document.cookie") as? String == "")
        }
        // The second server's cookie has not replaced the first one's.
        try browser.open("http://127.0.0.1:\(server.port)/view/photo?format=png#xywh=200,150,400,300")
        #expect(try browser.pixels.samples.contains { $0 != 0 })
        // Chromium requests a favicon from every site.
        let complaints = browser.complaints.filter { !$0.contains("/favicon.ico") }
        #expect(complaints.isEmpty, "\(complaints)")
    }

    @Test("keeps a library's photos from pages of other origins")
    func library() async throws {
        let browser = try Browser(nil)
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        try TestImages.photo(width: 900, height: 700).save(folder.path("photo.jpg"), with: "jpegsave")
        for verb in ["init", "index"] {
            #expect(try await Site.viewport.run(["library", verb, folder.url.path]).code == 0)
        }
        let (library, page) = (
            try ServingProgram(Site.viewport, [folder.url.path]),
            try ServingProgram(Site.viewport, [other.url.path])
        )
        defer { #expect(library.end() == 0 && page.end() == 0) }
        try browser.tools.call("Page.navigate", ["url": "http://127.0.0.1:\(page.port)/health"])
        try browser.wait(for: "location.port === '\(page.port)' && document.readyState === 'complete'")
        let name = folder.url.lastPathComponent
        let seen = try browser.evaluate(
            """
            (async () => {
              const base = 'http://127.0.0.1:\(library.port)'
              const seen = []
              for (const path of ['library/\(name)/groups', 'library/\(name)/cover/all', 'iiif/3/photo/info.json',
                                  'iiif/3/photo/full/200,/0/default.jpg', 'dzi/photo.dzi', '']) {
                for (const mode of ['cors', 'no-cors']) {
                  await fetch(`${base}/${path}`, { mode }).then(() => seen.push(`${mode} ${path}`), () => {})
                }
                const image = new Image()
                image.src = `${base}/${path}`
                await image.decode().then(() => seen.push(`image ${path}`), () => {})
              }
              return seen.join()
            })()
            """)
        #expect(seen as? String == "")
        // A link works all the same.
        try browser.evaluate("location.href = 'http://127.0.0.1:\(library.port)/'")
        try browser.wait(for: "location.pathname === '/library/\(name)/'")
        try browser.wait(for: "document.querySelector('img')?.naturalWidth > 0")
    }

    @Test("lets viewers on other origins read its descriptions and the pixels of its tiles")
    func otherOrigins() throws {
        let browser = try Browser(nil)
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 900, height: 700).save(folder.path("photo.jpg"), with: "jpegsave")
        let (images, other) = (
            try ServingProgram(Site.viewport, [folder.url.path]),
            try ServingProgram(Site.viewport, [folder.url.path])
        )
        defer { #expect(images.end() == 0 && other.end() == 0) }
        // The requests of OpenSeadragon, from a page without a policy on another port.
        try browser.tools.call("Page.navigate", ["url": "http://127.0.0.1:\(other.port)/health"])
        try browser.wait(for: "location.port === '\(other.port)' && document.readyState === 'complete'")
        let answers = try browser.evaluate(
            """
            (async () => {
              const base = 'http://127.0.0.1:\(images.port)'
              const information = await (await fetch(`${base}/iiif/3/photo/info.json`)).json()
              const descriptor = await (await fetch(`${base}/dzi/photo.dzi`)).text()
              const answers = [information.width, descriptor.includes('<Size') && descriptor.includes('900')]
              for (const path of ['iiif/3/photo/512,512,388,188/388,188/0/default.jpg', 'dzi/photo_files/10/0_0.jpg']) {
                const image = new Image()
                image.crossOrigin = 'anonymous'
                image.src = `${base}/${path}`
                await image.decode()
                const canvas = document.createElement('canvas')
                const context = canvas.getContext('2d')
                context.drawImage(image, 0, 0)
                // Throws if the picture may be shown but not read.
                answers.push(image.width > 200, context.getImageData(1, 1, 1, 1).data[3])
              }
              return JSON.stringify(answers)
            })()
            """)
        #expect(answers as? String == "[900,true,true,255,true,255]")
    }
}
#endif
