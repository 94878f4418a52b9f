#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// The images of a folder, one after the other and beside each other, with the real server.
@Suite("The images of a folder in Chromium", .inBrowser)
struct RowBrowserTests {
    /// A server of photos of 900 x 700 points, and one damaged one: a.png, b.png, c.jpg, d.png.
    private final class Folder {
        let folder: TemporaryFolder
        let server: ServingProgram
        var address: String { "http://127.0.0.1:\(server.port)" }

        init() throws {
            folder = try TemporaryFolder()
            for (seed, name) in [(1, "a"), (2, "b"), (3, "d")] {
                try TestImages.photo(width: 900, height: 700, seed: UInt64(seed)).save(
                    folder.path("\(name).png"), with: "pngsave")
            }
            try TestImages.photo(width: 900, height: 700).save(folder.path("c.jpg"), with: "jpegsave")
            let whole = try folder.data("c.jpg")
            try whole.prefix(whole.count / 3).write(to: URL(filePath: folder.path("c.jpg")))
            server = try ServingProgram(BuiltProgram("viewport"), [folder.url.path])
        }

        func rendered(_ name: String, _ rect: String) async throws -> Pixels {
            let path = folder.path("rendered-\(UUID().uuidString).tmp")
            let done = try await BuiltProgram("viewport").run(
                ["render", folder.path(name), "-o", path + ".png", "--rect", rect])
            guard done.code == 0 else { throw DevToolsError(done.errors) }
            defer { try? FileManager.default.removeItem(atPath: path + ".png") }
            return try Pixels(path + ".png")
        }
    }

    /// Waits until the tiles of the neighbors have arrived, too.
    private static func waitForNeighbors(_ browser: Browser, _ names: [String]) throws {
        for name in names {
            try browser.wait(
                for: "performance.getEntriesByType('resource').some((one) => one.name.includes('/\(name)/')"
                    + " && one.name.includes('default.png') && one.responseEnd > 0)")
        }
        try browser.wait(
            for: "new Promise((done) => { let count; const look = () => { "
                + "const now = performance.getEntriesByType('resource').length; "
                + "if (now === count) done(true); else { count = now; setTimeout(look, 400); } }; look(); })")
        try browser.settle()
    }

    @Test("shows the next image at the same zoom and place without a request for its tiles")
    func culling() async throws {
        let files = try Folder()
        let browser = try Browser(nil)
        let place = "xywh=200,150,400,300"
        try browser.open("\(files.address)/view/a.png#\(place)")
        #expect(try await browser.pixels == files.rendered("a.png", "200,150,400,300"))
        try Self.waitForNeighbors(browser, ["b.png"])
        let history = try browser.evaluate("history.length") as? Int
        try browser.evaluate("performance.clearResourceTimings(); globalThis.isSame = true")
        try browser.press("ArrowRight", shift: true)
        // The next frame has it, before any answer can have come.
        try browser.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        let seen = try browser.pixels
        #expect(try await seen == files.rendered("b.png", "200,150,400,300"))
        let requests = try browser.evaluate(
            """
            performance.getEntriesByType('resource').map((one) => one.name).filter((name) => {
              const [x, y, width, height] = (name.split('/b.png/')[1] ?? '').split('/')[0].split(',').map(Number);
              return name.endsWith('.png') && x < 600 && x + width > 200 && y < 450 && y + height > 150;
            }).join()
            """
        )
        #expect(requests as? String == "", "everything visible was there")
        try browser.settle()
        #expect(
            try browser.evaluate("location.pathname + location.hash") as? String == "/view/b.png#\(place)")
        #expect(
            try browser.evaluate("document.title + document.querySelector('h1').textContent") as? String
                == "b.pngb.png")
        #expect(
            try browser.evaluate("isSame && history.length") as? Int == history, "Back leads to the index")
        try browser.press("p")
        try browser.wait(for: "location.pathname === '/view/a.png'")
        try browser.settle()
        #expect(try browser.place == "", "the previous image as a whole")
    }

    @Test("keeps page, neighbors and the way back where an image is damaged or missing")
    func damaged() async throws {
        let files = try Folder()
        let browser = try Browser(nil)
        try browser.open("\(files.address)/view/b.png")
        try browser.wait(for: "document.querySelector('nav')?.textContent === '‹2 / 4›'")
        try browser.press("n")
        try browser.wait(for: "document.querySelector('#notice')?.textContent.includes('damaged')")
        #expect(try browser.evaluate("location.pathname") as? String == "/view/c.jpg")
        try browser.wait(for: "document.querySelector('nav')?.textContent === '‹3 / 4›'")
        try browser.press("n")
        try browser.wait(for: "location.pathname === '/view/d.png'")
        try browser.settle()
        #expect(try browser.evaluate("document.querySelector('#notice').hidden") as? Bool == true)
        // Opened by its address.
        try browser.visit("\(files.address)/view/c.jpg")
        try browser.wait(for: "document.querySelector('nav')?.textContent === '‹3 / 4›'")
        try browser.wait(for: "document.querySelector('#notice')?.textContent.includes('damaged')")
        #expect(try browser.evaluate("document.querySelector('header a').pathname") as? String == "/")
        try browser.press("p")
        try browser.wait(for: "location.pathname === '/view/b.png'")
        try browser.settle()
        try browser.visit("\(files.address)/view/nothing.png")
        try browser.wait(
            for: "document.querySelector('#notice')?.textContent.includes('There is no such image')")
        #expect(try browser.evaluate("document.querySelector('header a').pathname") as? String == "/")
    }

    @Test("goes where a key was pressed before the neighbors were known")
    func early() async throws {
        let files = try Folder()
        let browser = try Browser(nil)
        try browser.before(
            """
            { const original = fetch;
              window.fetch = async (...given) => {
                if (String(given[0]).includes("/neighbors/")) await new Promise((done) => { globalThis.answer = done; });
                return original(...given);
              }; }
            """)
        try browser.open("\(files.address)/view/b.png")
        try browser.wait(for: "globalThis.answer !== undefined")
        try browser.press("p")
        #expect(try browser.evaluate("location.pathname") as? String == "/view/b.png")
        try browser.evaluate("answer()")
        try browser.wait(for: "location.pathname === '/view/a.png'")
    }

    @Test("goes by swipes where the image fits, back by one down, and nowhere where it can scroll")
    func swipes() async throws {
        let files = try Folder()
        let browser = try Browser(nil, width: 390, height: 844, pixelRatio: 2)
        try browser.open("\(files.address)/view/a.png")
        try browser.wait(for: "document.querySelector('nav')?.textContent === '‹1 / 4›'")
        try browser.fingers((0...8).map { [(300 - 20 * $0, 400)] })
        try browser.wait(for: "location.pathname === '/view/b.png'")
        try browser.wait(for: "document.querySelector('nav')?.textContent === '‹2 / 4›'")
        try browser.fingers((0...8).map { [(100 + 20 * $0, 400)] })
        try browser.wait(for: "location.pathname === '/view/a.png'")
        try browser.wait(for: "document.querySelector('nav')?.textContent === '‹1 / 4›'")
        try browser.settle()
        // Before the first image there is none, and a short movement means nothing.
        try browser.fingers((0...8).map { [(100 + 20 * $0, 400)] })
        try browser.fingers(
            Array(repeating: [(100, 400)], count: 12) + [[(90, 400)]]
                + Array(repeating: [(85, 400)], count: 20))
        #expect(try browser.evaluate("location.pathname") as? String == "/view/a.png")
        let moved = try browser.evaluate("document.querySelector('#picture').style.transform") as? String
        #expect(moved == "")
        try browser.press("1")
        try browser.wait(for: "location.hash !== ''")
        try browser.fingers((0...8).map { [(300 - 20 * $0, 400)] })
        try browser.settle()
        #expect(try browser.evaluate("location.pathname") as? String == "/view/a.png")
        try browser.press("0")
        try browser.wait(for: "location.hash === ''")
        try browser.settle()
        try browser.fingers((0...8).map { [(200, 300 + 20 * $0)] })
        try browser.wait(for: "location.pathname === '/'")
    }

    @Test(
        "compares two images with one place, beside each other and one above the other",
        arguments: [(1280, 600), (390, 800)])
    func comparison(_ width: Int, _ height: Int) async throws {
        let files = try Folder()
        let browser = try Browser(nil, width: width, height: height)
        try browser.open("\(files.address)/view/a.png")
        try browser.wait(for: "document.querySelector('#compare')?.hidden === false")
        try browser.press("c")
        try browser.wait(for: "location.pathname === '/compare/a.png/b.png'")
        // Both images: a page without any would be ready, too.
        let isReady =
            "(document.querySelectorAll('canvas[aria-busy=false]').length === 2)"
        try browser.wait(for: isReady)
        try browser.press("1")
        try browser.wait(
            for:
                "location.hash.startsWith('#xywh=') && document.querySelector('#scale').textContent === '100 %'"
        )
        try browser.wheel(30, 40, at: (width / 4, height / 4))
        try browser.wait(for: isReady)
        // A gesture in the second image moves the first one.
        try browser.drag(
            [(3 * width / 4, 3 * height / 4), (3 * width / 4 - 24, 3 * height / 4 - 16)]
                + Array(repeating: (3 * width / 4 - 24, 3 * height / 4 - 16), count: 12))
        try browser.wait(for: isReady)
        let rect = try browser.place.dropFirst(5).split(separator: "&")[0].split(separator: ",").compactMap {
            Double($0)
        }
        let text = rect.map { "\(Int($0))" }.joined(separator: ",")
        let first = try browser.pixels(of: "section:first-of-type canvas")
        #expect(try await first == files.rendered("a.png", text))
        let second = try browser.pixels(of: "section:nth-of-type(2) canvas")
        #expect(try await second == files.rendered("b.png", text))
        #expect(first.width <= width && first.height <= height && first != second)
        try browser.press("m")
        try browser.wait(for: "location.hash.endsWith('mode=swipe&at=50')")
        try browser.wait(for: isReady)
        #expect(try browser.pixels(of: "section:nth-of-type(2) canvas").width == width)
        try browser.evaluate("document.querySelector('#divider').focus()")
        try browser.press("ArrowRight")
        try browser.wait(for: "location.hash.endsWith('mode=swipe&at=55')")
        #expect(try browser.evaluate("document.querySelector('#divider').ariaValueNow") as? String == "55")
        let hash = try browser.place
        #expect(hash.contains("&mode="))
        try browser.press("x")
        try browser.wait(for: "location.pathname === '/compare/b.png/a.png'")
        try browser.wait(for: isReady)
        #expect(try browser.place == hash)
        try browser.press("m")
        try browser.wait(for: "location.hash.endsWith('mode=blend&at=55')")
        let opacity = "getComputedStyle(document.querySelector('section:nth-of-type(2) canvas')).opacity"
        #expect(try browser.evaluate(opacity) as? String == "0.45")
        // Another second image, at the same place.
        try browser.press("o")
        try browser.wait(for: "document.querySelectorAll('#others a').length > 1")
        #expect(
            try browser.evaluate("document.querySelector('#others [aria-current]').title") as? String
                == "a.png")
        try browser.evaluate("document.querySelector('#others a[title=\"b.png\"]').click()")
        try browser.wait(
            for: "location.pathname === '/compare/b.png/b.png' && location.hash.endsWith('mode=blend&at=55')")
        try browser.wait(for: isReady)
        try browser.press("Escape")
        try browser.wait(for: "location.pathname === '/view/b.png'")
    }

    @Test("leads through the pages of a file with buttons and keys")
    func pages() async throws {
        let files = try Folder()
        let tall = try VipsImage.column(
            of: (4...6).map { try TestImages.photo(width: 300, height: 200, seed: $0) })
        try tall.save(files.folder.path("book.tif"), with: "tiffsave", ["page_height": .int(200)])
        let browser = try Browser(nil)
        try browser.open("\(files.address)/view/book.tif")
        let text = "document.querySelector('#pages')?.textContent"
        try browser.wait(for: "\(text) === '‹Page 1 / 3›'")
        try browser.press(".")
        try browser.wait(for: "\(text) === '‹Page 2 / 3›' && location.pathname === '/view/book.tif;1'")
        try browser.wait(for: "document.querySelector('#size').textContent === '300 × 200'")
        try browser.evaluate("document.querySelector('#pages a:last-child').click()")
        try browser.wait(for: "\(text) === '‹Page 3 / 3›'")
        #expect(
            try browser.evaluate("document.querySelector('#pages a:last-child').ariaDisabled") as? String
                == "true")
        try browser.press(",")
        try browser.press(",")
        try browser.wait(for: "\(text) === '‹Page 1 / 3›' && location.pathname === '/view/book.tif'")
        // The neighbors are those of the file.
        try browser.press("p")
        try browser.wait(for: "location.pathname === '/view/b.png'")
        try browser.wait(for: "document.querySelector('#pages') === null")
    }

    @Test("shows the scale, and the place and value of the pixel below the pointer")
    func readout() async throws {
        let files = try Folder()
        let browser = try Browser(nil)
        try browser.open("\(files.address)/view/a.png#xywh=200,150,400,300")
        try browser.press("l")
        let parts = "[...document.querySelector('#readout').children].map((one) => one.textContent)"
        try browser.wait(for: "\(parts)[0] === '50 px'")
        try browser.move(to: (112, 134))
        try browser.wait(for: "\(parts)[1] === '312, 284' && \(parts)[2] !== ''")
        let pixel = try await files.rendered("a.png", "312,284,1,1").samples
        let value = try #require(try browser.evaluate("\(parts)[2]") as? String)
        #expect(value.hasPrefix(pixel.prefix(3).map { "\($0)" }.joined(separator: " ")), "\(value)")
        try browser.press("l")
        try browser.wait(for: "document.querySelector('#readout').hidden")
    }

    @Test("measures what has a known resolution in units of length")
    func ruler() async throws {
        let files = try Folder()
        try TestImages.photo(width: 900, height: 700).save(
            files.folder.path("scan.tif"), with: "tiffsave", ["xres": .double(10), "yres": .double(10)])
        let browser = try Browser(nil)
        try browser.open("\(files.address)/view/scan.tif#xywh=200,150,400,300")
        try browser.press("l")
        let bar = "document.querySelector('#readout').firstElementChild"
        // At most 88 pixels, of which ten are a millimeter.
        try browser.wait(for: "\(bar).textContent === '5 mm' && \(bar).offsetWidth === 50")
        try browser.visit("\(files.address)/view/scan.tif#xywh=0,0,900,700")
        try browser.wait(for: "\(bar).textContent === '2 cm'")
    }

    @Test("compares versions of different sizes at the same part of the photo")
    func versions() async throws {
        let files = try Folder()
        try TestImages.photo(width: 450, height: 350).save(files.folder.path("a-small.png"), with: "pngsave")
        let browser = try Browser(nil, width: 800, height: 400)
        try browser.open("\(files.address)/compare/a.png/a-small.png#xywh=200,160,399,400")
        try browser.wait(for: "document.querySelectorAll('canvas[aria-busy=false]').length === 2")
        let rect = try #require(try browser.evaluate("location.hash.slice(6)") as? String)
        #expect(rect == "200,160,399,400")
        let sizes = try browser.evaluate(
            "performance.getEntriesByType('resource').filter((one) => one.name.includes('/a-small.png/0,0') || one.name.includes('/a-small.png/full')).length"
        )
        #expect((sizes as? Int ?? 0) > 0)
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test("compares two pictures side by side without scripts, each of which leads to its page")
    func plainComparison() throws {
        let files = try Folder()
        let browser = try Browser(nil, width: 390, height: 844)
        try browser.tools.call("Emulation.setScriptExecutionDisabled", ["value": true])
        defer { _ = try? browser.tools.call("Emulation.setScriptExecutionDisabled", ["value": false]) }
        try browser.visit("\(files.address)/compare/a.png/b.png")
        let pictures = "[...document.querySelectorAll('.pair img')]"
        try browser.ask("\(pictures).filter((one) => one.naturalWidth > 0).length === 2")
        let places = try browser.evaluate(
            "\(pictures).map((one) => one.getBoundingClientRect()).every(({ left, right, width }, index) => width > 190 && left >= index * 190 && right <= 200 + index * 190)"
        )
        #expect(places as? Bool == true)
        let links = "[...document.querySelectorAll('.pair a')].map((one) => one.pathname).join()"
        #expect(try browser.evaluate(links) as? String == "/view/a.png,/view/b.png")
    }

    @Test("shows lossless images exactly, and has a switch to smaller tiles")
    func exactness() async throws {
        let files = try Folder()
        let browser = try Browser(nil)
        let place = "xywh=200,150,400,300"
        try browser.open("\(files.address)/view/a.png#\(place)")
        let box = "document.querySelector('#exact')"
        #expect(try browser.evaluate("\(box).checked && !\(box).closest('label').hidden") as? Bool == true)
        #expect(try await browser.pixels == files.rendered("a.png", "200,150,400,300"))
        try browser.evaluate("void setTimeout(() => \(box).click())")
        try browser.wait(for: "location.search === '?format=jpg' && \(box) !== null")
        try browser.settle()
        #expect(try browser.place == place)
        #expect(try browser.evaluate("\(box).checked") as? Bool == false)
        let likeness = try await browser.pixels.likeness(to: files.rendered("a.png", "200,150,400,300"))
        #expect(likeness > 25 && likeness < 99, "\(likeness) dB")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test("gets coarse tiles before exact ones over a slow link, and shows the same in the end")
    func slow() async throws {
        let files = try Folder()
        let browser = try Browser(nil, width: 400, height: 300)
        try browser.tools.call("Network.enable")
        try browser.tools.call(
            "Network.emulateNetworkConditions",
            ["offline": false, "latency": 300, "downloadThroughput": 90_000, "uploadThroughput": 90_000])
        try TestImages.photo(width: 4000, height: 3000).save(files.folder.path("large.png"), with: "pngsave")
        try browser.open("\(files.address)/view/large.png#xywh=1800,1400,400,300")
        let paths = try browser.evaluate(
            "performance.getEntriesByType('resource').filter((one) => one.initiatorType === 'fetch' && one.name.includes('/large.png/') && one.name.includes('default'))"
                + ".sort((a, b) => a.startTime - b.startTime).map((one) => new URL(one.name).pathname).join(' ')"
        )
        let order = try #require(paths as? String).split(separator: " ")
        let isCoarse = { (path: Substring) in path.hasSuffix(".webp") }
        #expect(isCoarse(order[0]) && !isCoarse(order[order.count - 1]), "\(order)")
        let exact = try #require(order.firstIndex { !isCoarse($0) })
        #expect(order[..<exact].allSatisfy(isCoarse) && exact >= 2, "\(order)")
        #expect(try await browser.pixels == files.rendered("large.png", "1800,1400,400,300"))
        // The rest of the page was compressed, and will not be asked for again.
        let sizes = try browser.evaluate(
            "performance.getEntriesByType('resource').filter((one) => one.name.includes('/page/')).every((one) => one.encodedBodySize <= one.decodedBodySize)"
        )
        #expect(sizes as? Bool == true)
    }
}
#endif
