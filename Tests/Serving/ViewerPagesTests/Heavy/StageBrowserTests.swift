import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

/// What the viewer shows while it loads, and of images and browsers that are not as usual.
@Suite("The viewer in Chromium, in unusual conditions", .inBrowser)
struct StageBrowserTests {
    /// The factor of a tile, from its path: `/iiif/3/photo/x,y,w,h/w,h/0/default.png`.
    private static func factor(_ path: String) -> Int {
        let parts = path.split(separator: "/")
        let sizes = parts.dropFirst(3).prefix(2).map { $0.split(separator: ",").compactMap { Int($0) } }
        if sizes.first?.isEmpty != false {
            return sizes.last?.first.map { Int((900 / Double($0)).rounded()) } ?? 1
        }
        return Int((Double(sizes[0][2]) / Double(sizes[1][0])).rounded())
    }

    @Test("shows coarse levels first: each stage begins when the one before it has arrived, and is nearer")
    func stages() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        site.holds = { url in url.path.hasSuffix(".png") }
        try browser.visit(Site.address + "#xywh=300,200,400,300")
        var stages: [Set<Int>] = []
        var likenesses: [Double] = []
        let expected = try await site.rendered(["--rect", "300,200,400,300"])
        // The factors 8, 4 and 1, with the overview between the first two.
        for _ in 0..<12 where stages.last != [1] {
            try browser.wait(for: "true")
            while site.waiting.isEmpty { try browser.wait(for: "true") }
            let before = Set(site.waiting.map(Self.factor))
            stages.append(before)
            site.holds = { url in url.path.hasSuffix(".png") && !before.contains(Self.factor(url.path)) }
            try site.release(to: browser.tools)
            while !before.isSubset(of: Set(site.pictures.map(Self.factor)))
                || site.waiting.isEmpty && before != [1]
            { try browser.wait(for: "true") }
            if before == [1] { try browser.settle() }
            try browser.evaluate(
                "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            likenesses.append(try browser.pixels.likeness(to: expected))
        }
        #expect(stages.first == [8] && stages.contains([4]) && stages.last == [1], "\(stages)")
        // The waves of the picture are finer than the pixels of the coarse levels.
        #expect(likenesses[0] > 14 && likenesses.last == 99, "\(likenesses) dB")
        #expect(likenesses == likenesses.sorted(), "\(likenesses) dB")
        #expect(browser.complaints.isEmpty && site.strays.isEmpty)
    }

    @Test("shows progress while the visible part loads, and none when it has arrived")
    func progress() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        site.holds = { url in url.path.hasSuffix(".png") && Self.factor(url.path) == 1 }
        try browser.visit(Site.address + "#xywh=300,200,400,300")
        let line = "document.querySelector('#progress')"
        try browser.wait(for: "\(line)?.hidden === false && \(line).value > 0 && \(line).value < 1")
        site.holds = { _ in false }
        try site.release(to: browser.tools)
        try browser.settle()
        #expect(try browser.evaluate("\(line).hidden") as? Bool == true)
    }

    @Test("zooms by the wheel where nothing can scroll, goes on while it turns, and wakes the controls")
    func wheel() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open()
        try browser.evaluate("document.body.classList.add('calm')")
        for _ in 0..<3 { try browser.wheel(0, -120, at: (200, 150)) }
        try browser.wait(for: "location.hash !== ''")
        #expect(try browser.evaluate("document.body.classList.contains('calm')") as? Bool == false)
        let zoomed = try Self.rect(browser)
        #expect(zoomed[2] < 700 && abs(zoomed[0] + zoomed[2] / 2 - 450) < 1, "\(zoomed)")
        try browser.evaluate("new Promise((done) => setTimeout(done, 600))")
        try browser.wheel(0, 120, at: (200, 150))
        try browser.wait(for: "!location.hash.includes(',\(Self.text(zoomed[1])),')")
        #expect(abs(try Self.rect(browser)[2] - zoomed[2]) < 0.01, "the next turn scrolls")
    }

    /// Counts what is drawn: frames on the screen, compositions of tiles, new sizes of canvases, and rests of the view.
    private static let counting = """
        globalThis.counts = { frames: 0, compositions: 0, sizes: 0, rests: 0 };
        const after = (target, name, count) => {
          const old = target[name];
          target[name] = function (...given) { count(this, given); return old.apply(this, given); };
        };
        after(CanvasRenderingContext2D.prototype, "clearRect", () => { counts.frames++; });
        after(OffscreenCanvasRenderingContext2D.prototype, "clearRect", ({ canvas }, [x, y, width, height]) => {
          if (x === 0 && y === 0 && width === canvas.width && height === canvas.height) counts.compositions++;
        });
        after(history, "replaceState", () => { counts.rests++; });
        for (const name of ["width", "height"]) {
          const own = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, name);
          Object.defineProperty(HTMLCanvasElement.prototype, name, {
            ...own, set(value) { counts.sizes++; own.set.call(this, value); },
          });
        }
        """

    @Test(
        "composes tiles at rest alone, and resizes no canvas, while it is moved",
        arguments: ["wheel", "flick", "pinch"])
    func motion(_ gesture: String) async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.tools.call("Emulation.setTouchEmulationEnabled", ["enabled": true, "maxTouchPoints": 5])
        defer { _ = try? browser.tools.call("Emulation.setTouchEmulationEnabled", ["enabled": false]) }
        try browser.before(Self.counting)
        try browser.open(Site.address + "#xywh=200,150,600,450")
        try browser.evaluate(
            "for (const name in counts) counts[name] = 0; document.querySelector('#picture').ariaBusy = 'true'"
        )
        switch gesture {
        case "wheel":
            for _ in 0..<8 { try browser.wheel(0, -120, at: (200, 150), control: true) }
        case "flick":
            try browser.fingers((0...8).map { [(300 - 20 * $0, 200 - 8 * $0)] })
        default:
            try browser.fingers((0...20).map { [(180 - 5 * $0, 150), (220 + 5 * $0, 150)] })
        }
        try browser.settle()
        let counts = try #require(try browser.evaluate("counts") as? [String: Int])
        let (frames, compositions) = (counts["frames"] ?? 0, counts["compositions"] ?? 0)
        #expect(frames > 2 * compositions && compositions > 0, "\(counts)")
        #expect(compositions <= counts["rests"] ?? 0 && counts["sizes"] == 0, "\(counts)")
        let seen = try browser.pixels
        try browser.open(Site.address + "?again#" + browser.place)
        #expect(try browser.pixels.likeness(to: seen) > 40)
        #expect(browser.complaints.isEmpty && site.strays.isEmpty)
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\(number)"
    }

    private static func rect(_ browser: Browser) throws -> [Double] {
        try browser.place.split(separator: "&")[0].dropFirst("xywh=".count).split(separator: ",").compactMap {
            Double($0)
        }
    }

    @Test("tells once how to move")
    func hint() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open()
        let hint = "document.querySelector('#hint')"
        #expect(
            try browser.evaluate("!\(hint).hidden && \(hint).textContent.includes('zoom')") as? Bool == true)
        try browser.press("ArrowLeft")
        #expect(try browser.evaluate("\(hint).hidden") as? Bool == true)
        try browser.open(Site.address + "?again")
        #expect(try browser.evaluate("\(hint).hidden") as? Bool == true)
    }

    @Test(
        "understands media fragments in pixels and in percent",
        arguments: [
            ("xywh=pixel:100,80,400,300", "xywh=100,80,400,300"),
            ("xywh=percent:50,50,50,50", "xywh=450,350,450,350"), ("xywh=percent:0,0,100,100", ""),
            ("xywh=percent:a,0,1,1", ""), ("xywh=percent:0,0,0,10", ""), ("xywh=,,,", ""),
        ])
    func fragments(_ text: String, _ place: String) async throws {
        let site = try await Site()
        let browser = try Browser(
            site, width: place.contains("450,350") ? 450 : 400, height: place.contains("450,350") ? 350 : 300)
        try browser.open(Site.address + "#" + text)
        #expect(try browser.place == place)
    }

    /// A fragment, keys, and the fragment that follows.
    static let turns: [(String, [String], String)] = [
        ("xywh=100,80,400,300", ["h"], "xywh=100,80,400,300&flip=1"),
        ("xywh=100,80,400,300", ["h", "h"], "xywh=100,80,400,300"),
        ("xywh=100,80,400,300", ["v"], "xywh=100,80,400,300&rotate=180&flip=1"),
        ("xywh=100,80,300,400&rotate=90", ["h"], "xywh=100,80,300,400&rotate=270&flip=1"),
        ("", ["r", "r", "r"], "rotate=270"), ("flip=1", ["h"], ""),
        ("xywh=250,200,400,300", ["]", "]", "["], "xywh=250,200,400,300&rotate=1"),
    ]

    @Test("rotates and flips by keys, and by the link", arguments: turns.indices)
    func turned(_ index: Int) async throws {
        let (start, keys, end) = Self.turns[index]
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#" + start)
        for key in keys { try browser.press(key) }
        try browser.wait(for: "location.hash === '\(end.isEmpty ? "" : "#")\(end)'")
        try browser.settle()
        let seen = try browser.pixels
        try browser.open(Site.address + "?again#" + end)
        #expect(try browser.pixels == seen)
        #expect(browser.complaints.isEmpty)
    }

    @Test("shows the exact pixels of flipped images, saves them, and follows its map and selections")
    func flipped() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#xywh=100,80,400,300&flip=1")
        let expected = try await site.rendered(["--rect", "100,80,400,300"])
        #expect(try browser.pixels == expected.flipped)
        // A drag to the right moves what was seen at the left, the higher columns of the image, to the right.
        try browser.drag([(100, 100), (130, 100)] + Array(repeating: (140, 100), count: 12))
        try browser.wait(for: "location.hash === '#xywh=140,80,400,300&flip=1'")
        try browser.drag([(0, 0), (50, 40), (100, 75)], shift: true)
        // The left of the window is the right of the image.
        try browser.wait(for: "location.hash === '#xywh=440,80,100,75&flip=1'")
        let middle = try #require(
            try browser.evaluate(
                "(() => { const r = document.querySelector('#minimap img').getBoundingClientRect(); "
                    + "return [r.x + r.width * 0.25, r.y + r.height / 2]; })()") as? [Double])
        try browser.drag([(Int(middle[0].rounded()), Int(middle[1].rounded()))])
        try browser.wait(for: "!location.hash.startsWith('#xywh=440,80')")
        let rect = try Self.rect(browser)
        #expect(abs(rect[0] + rect[2] / 2 - 675) < 12 && abs(rect[1] + rect[3] / 2 - 350) < 12, "\(rect)")
    }

    @Test("shows freely rotated images as viewport render does", arguments: [10.0, 137.5])
    func freelyRotated(_ angle: Double) async throws {
        let site = try await Site()
        let image = try TestImages.clouds(width: 900, height: 700)
        site.other = try await Site.tiles(of: image, "other")
        let browser = try Browser(site, width: 200, height: 160)
        try browser.open("http://127.0.0.1/view/other#xywh=350,270,200,160&rotate=\(Self.text(angle))")
        #expect(try browser.place == "xywh=350,270,200,160&rotate=\(Self.text(angle))")
        #expect(try browser.text("#scale") == "100 %")
        let seen = try browser.pixels
        func likeness(_ angle: Double) throws -> Double {
            let path = site.folder.path("rotated.png")
            let turned = try image.rotated(degrees: angle, background: [0, 0, 0])
            try turned.cropped(
                to: PixelRect(
                    x: (turned.width - 200) / 2, y: (turned.height - 160) / 2, width: 200, height: 160)
            ).save(path, with: "pngsave", [:])
            return try seen.likeness(to: Pixels(path))
        }
        let (right, other) = (try likeness(angle), try likeness(angle + 3))
        #expect(right > 30 && right > other + 3, "\(right) dB, three degrees further \(other) dB")
    }

    @Test("shows checks through transparent pixels, in light and dark")
    func transparent() async throws {
        let site = try await Site()
        site.other = try await Site.tiles(of: TestImages.photo(width: 300, height: 200, bands: 4), "other")
        let browser = try Browser(site)
        var colors: [Set<[UInt8]>] = []
        for scheme in ["light", "dark"] {
            try browser.prefer("prefers-color-scheme", scheme)
            try browser.open("http://127.0.0.1/view/other?\(scheme)")
            let pixels = try browser.pixels
            let inside = pixels.cut(x: 60, y: 60, width: 280, height: 180)
            #expect(inside.alphas == [255], "nothing shows through")
            #expect(
                pixels.cut(x: 0, y: 0, width: 10, height: 10).alphas == [0], "nothing is beside the image")
            colors.append(inside.colors)
        }
        #expect(colors[0] != colors[1])
        try browser.open()
        #expect(browser.complaints.isEmpty)
    }

    @Test("shows the picture and a link where there is no WebAssembly, and without scripts")
    func plain() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        for damage in [
            "delete globalThis.WebAssembly",
            "WebAssembly.compile = async () => { throw new WebAssembly.CompileError('no') }",
        ] {
            try browser.before(damage)
            try browser.visit(Site.address + "?\(damage.count)")
            try browser.wait(for: "document.querySelector('a.still img')?.naturalWidth > 0")
            #expect(try browser.text("#notice").contains("WebAssembly"))
            let link = try browser.evaluate("document.querySelector('a.still').pathname") as? String
            #expect(link == "/iiif/3/photo/full/max/0/default.png")
        }
        try browser.tools.call("Emulation.setScriptExecutionDisabled", ["value": true])
        defer { _ = try? browser.tools.call("Emulation.setScriptExecutionDisabled", ["value": false]) }
        try browser.visit(Site.address + "?off")
        // Nor do timers of the page run.
        try browser.ask("document.querySelector('a.still img')?.naturalWidth > 0")
    }

    @Test("has one region that is read aloud, and moves without animations where they are not wanted")
    func spoken() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.prefer("prefers-reduced-motion", "reduce")
        try browser.open()
        let live = try browser.evaluate(
            "document.querySelectorAll('[role=status], [role=alert], [role=log], output, [aria-live]').length"
        )
        #expect(live as? Int == 1)
        #expect(try browser.text("#status").contains("of 900 × 700 pixels"))
        site.isGone = true
        try browser.press("1")
        try browser.wait(for: "document.querySelector('#status').textContent.includes('does not respond')")
        let moving = try browser.evaluate(
            "[...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length"
        )
        #expect(moving as? Int == 0)
    }
}
