#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("The pages of viewport serve on phones and desktops, in Chromium", .inBrowser)
struct ServedImageTests {
    private static func page(_ server: ServingProgram, _ path: String) -> String {
        "http://127.0.0.1:\(server.port)/\(path)"
    }

    /// JPEGs whose colors are stored at half of the size, and at the whole.
    @Test(
        "show the exact pixels of a JPEG at 1:1, also at the edges of its tiles",
        arguments: [("on", 80), ("off", 95)])
    func exact(_ subsampling: String, _ quality: Int) async throws {
        let browser = try Browser(nil, width: 700, height: 600)
        let folder = try TemporaryFolder()
        let path = folder.path("images/photo.jpg")
        try FileManager.default.createDirectory(
            atPath: folder.path("images"), withIntermediateDirectories: true)
        try TestImages.photo(width: 1300, height: 1200).save(
            path, with: "jpegsave", ["Q": .int(quality), "subsample_mode": .name(subsampling)])
        let server = try ServingProgram(Site.viewport, [folder.path("images")])
        defer { #expect(server.end() == 0) }
        // The corner of four tiles, and the end of the image.
        for rect in ["300,250,700,600", "600,600,700,600"] {
            try browser.visit("about:blank")
            try browser.open(Self.page(server, "view/photo#xywh=\(rect)"))
            #expect(try browser.text("#scale") == "100 %")
            let rendered = folder.path("rendered.png")
            let result = try await Site.viewport.run([
                "render", path, "-o", rendered, "--overwrite", "--rect", rect,
            ])
            #expect(result.code == 0, "\(result.errors)")
            let (seen, expected) = (try browser.pixels, try Pixels(rendered))
            let differing = zip(seen.samples, expected.samples).count { $0 != $1 }
            #expect(seen == expected, "\(rect): \(differing) samples differ")
        }
        #expect(browser.complaints.isEmpty)
    }

    @Test(
        "fit an image that was left at another place, and offer that place",
        arguments: [(390, 844), (1280, 800)])
    func offer(_ width: Int, _ height: Int) async throws {
        let site = try await Site()
        let browser = try Browser(site, width: width, height: height)
        let place = "xywh=100,80,50,40"
        try browser.open(Site.address + "#" + place)
        let kept = try browser.place
        let offer = "document.querySelector('#offer')"
        #expect(try browser.evaluate("\(offer).hidden") as? Bool == true)
        // Without an answer, the place is offered again.
        for time in 1...2 {
            try browser.open(Site.address + "?again\(time)")
            #expect(try browser.place == "")
            #expect(try browser.evaluate("\(offer).checkVisibility()") as? Bool == true)
        }
        if width < 1000 { try browser.tools.call("Emulation.setTouchEmulationEnabled", ["enabled": true]) }
        let (x, y) = try browser.middle(of: offer)
        if width < 1000 { try browser.fingers([[(x, y)]]) } else { try browser.click(at: (x, y)) }
        try browser.wait(for: "location.hash === '#\(kept)' && \(offer).hidden")
        // Who moves the image on takes the new place along.
        try browser.open(Site.address + "?moved")
        try browser.wheel(0, -300, at: (width / 2, height / 2))
        try browser.wait(for: "location.hash !== '' && \(offer).hidden")
        let moved = try browser.place
        try browser.open(Site.address + "?new")
        try browser.evaluate("\(offer).focus()")
        try browser.press("Enter")
        try browser.wait(for: "location.hash === '#\(moved)'")
        #expect(try browser.evaluate("document.activeElement.id") as? String == "picture")
        if width < 1000 { try browser.tools.call("Emulation.setTouchEmulationEnabled", ["enabled": false]) }
        #expect(browser.complaints.isEmpty && site.strays.isEmpty)
    }

    @Test("show what is there of a damaged JPEG, and say what a file is that is no image")
    func damaged() throws {
        let browser = try Browser(nil, width: 390, height: 844)
        try browser.becomePhone(390, 844)
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 900, height: 700).saved(with: "jpegsave_buffer", [:])
        try Data(photo.prefix(photo.count / 3)).write(to: URL(filePath: folder.path("cut.jpg")))
        try Data("no image".utf8).write(to: URL(filePath: folder.path("not-an-image.jpg")))
        let server = try ServingProgram(Site.viewport, [folder.url.path])
        defer { #expect(server.end() == 0) }
        try browser.open(Self.page(server, "view/cut.jpg"))
        let notice = try browser.text("#notice")
        #expect(
            notice.hasPrefix("The file is damaged: rows ") && notice.hasSuffix(" to 700 are missing."),
            "\(notice)")
        let colors = try browser.pixels.colors
        #expect(colors.count > 100)
        try browser.visit(Self.page(server, "view/not-an-image.jpg"))
        try browser.wait(
            for: "document.querySelector('#notice')?.innerText.includes('not an image in a supported format')"
        )
        // The next image has no remark.
        try browser.open(Self.page(server, "view/cut.jpg"))
        try browser.visit(Self.page(server, "view/nowhere.jpg"))
        try browser.wait(
            for: "document.querySelector('#notice')?.innerText.includes('There is no such image here.')")
    }

    @Test(
        "have a page for addresses that lead nowhere, with a way on",
        arguments: ["nothing", "nothing/at/all", "view/", "iiif/3/x/y"])
    func unknown(_ path: String) throws {
        let browser = try Browser(nil, width: 390, height: 844)
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 90, height: 70).save(folder.path("photo.png"), with: "pngsave")
        let server = try ServingProgram(Site.viewport, [folder.url.path])
        defer { #expect(server.end() == 0) }
        try browser.becomePhone(390, 844)
        try browser.visit(Self.page(server, path))
        try browser.wait(
            for:
                "document.readyState === 'complete' && document.querySelector('h1')?.innerText.startsWith('There is no such')"
        )
        #expect(
            try browser.evaluate(
                "document.styleSheets.length === 1 && document.styleSheets[0].cssRules.length > 5") as? Bool
                == true)
        try browser.tap("document.querySelector('main a')")
        try browser.wait(for: "location.pathname === '/' && document.querySelectorAll('li').length === 1")
    }
}
#endif
