import Foundation
import TestHarness
import TestSupport
import Testing

/// The page in a real browser, compared with `viewport render` of the same state.
@Suite("The viewer page in Chromium", .inBrowser)
struct BrowserTests {
    /// A fragment of the URL, the screen's pixels per point, and the arguments of `viewport render`.
    static let exactPlaces: [(String, Double, [String])] = [
        ("xywh=100,80,400,300", 1, ["--rect", "100,80,400,300"]),
        ("xywh=500,400,400,300", 1, ["--rect", "500,400,400,300"]),
        ("xywh=50,40,800,600", 2, ["--rect", "50,40,800,600"]),
        ("xywh=100,80,300,400&rotate=90", 1, ["--rotate", "90", "--rect", "220,100,400,300"]),
        ("xywh=100,80,400,300&rotate=180", 1, ["--rotate", "180", "--rect", "400,320,400,300"]),
        ("xywh=100,80,300,400&rotate=270", 1, ["--rotate", "270", "--rect", "80,500,400,300"]),
    ]

    @Test("shows the exact pixels of the image at 1:1", arguments: exactPlaces)
    func exact(_ place: String, _ pixelRatio: Double, _ request: [String]) async throws {
        let site = try await Site()
        let browser = try Browser(site, pixelRatio: pixelRatio)
        try browser.open(Site.address + "#" + place)
        #expect(try browser.text("#scale") == "100 %")
        let (seen, expected) = (try browser.pixels, try await site.rendered(request))
        #expect(seen == expected)
        #expect(try browser.place == place)
        Self.expectPeace(browser, site)
    }

    /// A fragment, the equivalent arguments of `viewport render`, and the minimum similarity in decibels.
    ///
    /// Browsers scale with their own kernels, from the next level. In the whole image the waves of the
    /// picture are finer than the screen's pixels, which is where kernels differ most.
    static let scaledPlaces: [(String, [String], Double)] = [
        ("", ["--size", "400x300", "--content-mode", "scaleAspectFit"], 32.5),
        ("rotate=90", ["--size", "400x300", "--content-mode", "scaleAspectFit", "--rotate", "90"], 37),
        ("xywh=0,0,640,480", ["--size", "400x300", "--rect", "0,0,640,480"], 36.5),
        ("xywh=411,222,80,60", ["--size", "400x300", "--rect", "411,222,80,60"], 42.5),
        ("xywh=411,222,20,15", ["--size", "400x300", "--rect", "411,222,20,15"], 98),
    ]

    @Test("shows the same picture as viewport render", arguments: scaledPlaces)
    func scaled(_ place: String, _ request: [String], _ limit: Double) async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#" + place)
        let (seen, rendered) = (try browser.pixels, try await site.rendered(request))
        let likeness = seen.likeness(to: rendered)
        #expect(likeness > limit, "\(likeness) dB")
        // A shift by a single pixel is detected.
        let aside = seen.movedRight.likeness(to: rendered)
        #expect(likeness > aside + 3, "\(likeness) dB, one pixel to the side \(aside) dB")
        #expect(try browser.place == place)
        Self.expectPeace(browser, site)
    }

    /// Input at `xywh=200,150,400,300` and the resulting fragments.
    static let inputs: [(String, String, @Sendable (Browser) throws -> Void)] = [
        ("a wheel", "xywh=230,190,400,300", { try $0.wheel(30, 40, at: (200, 150)) }),
        ("a wheel's notch", "xywh=200,270,400,300", { try $0.wheel(0, 120, at: (200, 150)) }),
        (
            "a wheel with control", "xywh=200,150,200,150",
            { try $0.wheel(0, -500, at: (0, 0), control: true) }
        ),
        ("an arrow key", "xywh=240,150,400,300", { try $0.press("ArrowRight") }),
        ("home", "xywh=200,0,400,300", { try $0.press("Home") }),
        ("plus", "xywh=300,225,200,150", { try $0.press("+") }),
        ("zero", "", { try $0.press("0") }),
        ("R", "xywh=250,100,300,400&rotate=90", { try $0.press("r") }),
        (
            "a mouse that stops before it lets go", "xywh=290,210,400,300",
            {
                try $0.drag([(300, 200), (250, 180), (210, 140)] + Array(repeating: (210, 140), count: 12))
            }
        ),
        (
            "a rectangle", "xywh=300,210,100,75",
            { try $0.drag([(100, 60), (150, 100), (200, 135)], shift: true) }
        ),
        (
            "a double tap", "xywh=300,225,200,150",
            { try $0.fingers([[(200, 150)]], [[(200, 150)]]) }
        ),
        (
            "a pinch", "xywh=300,250,200,150",
            { try $0.fingers((0...10).map { [(150 - 5 * $0, 200), (250 + 5 * $0, 200)] }) }
        ),
    ]

    @Test("follows gestures and keys", arguments: inputs.indices)
    func deed(_ index: Int) async throws {
        let (name, place, deed) = Self.inputs[index]
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#xywh=200,150,400,300")
        try deed(browser)
        try browser.wait(for: "location.hash === '\(place.isEmpty ? "" : "#")\(place)'")
        try browser.settle()
        let seen = try browser.pixels
        try browser.open(Site.address + "?again#" + place)
        #expect(try browser.pixels == seen, "\(name): a link shows the same view")
        Self.expectPeace(browser, site)
    }

    @Test("returns to the place of the last visit where it is asked to, unless the URL names one")
    func lastPlace() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        func goOn() throws {
            try browser.evaluate("document.querySelector('#offer').click()")
            try browser.wait(for: "location.hash !== ''")
            try browser.settle()
        }
        let place = "xywh=200,150,200,150&rotate=180"
        try browser.open(Site.address + "#" + place)
        let seen = try browser.pixels
        try browser.open(Site.address + "?again")
        try goOn()
        #expect(try browser.place == place)
        #expect(try browser.pixels == seen)
        try browser.open(Site.address + "?linked#xywh=0,0,400,300")
        #expect(try browser.place == "xywh=0,0,400,300")
        try browser.resize(300, 400)
        try browser.open(Site.address + "?larger")
        try goOn()
        let part = try browser.place.dropFirst(5).split(separator: ",").compactMap { Double($0) }
        #expect(part.count == 4 && abs(part[0] + part[2] / 2 - 200) <= 25, "another window: the same middle")
        try browser.press("0")
        try browser.wait(for: "location.hash === ''")
        try browser.open(Site.address + "?whole")
        #expect(try browser.place == "")
        #expect(try browser.evaluate("document.querySelector('#offer').hidden") as? Bool == true)
        #expect(try browser.evaluate("document.cookie") as? String == "")
        Self.expectPeace(browser, site)
    }

    @Test(
        "shows the whole image where the last place is unusable",
        arguments: [
            "localStorage.setItem(key, '{')", "localStorage.setItem(key, 'null')",
            "localStorage.setItem(key, '{\"state\":7}')",
            "localStorage.setItem(key, '{\"state\":{\"width\":900,\"height\":700,\"place\":3}}')",
            "localStorage.setItem(key, '{\"state\":{\"width\":900,\"height\":700,\"place\":\"xywh=a\"}}')",
            "localStorage.setItem(key, '{\"state\":{\"width\":90,\"height\":70,\"place\":\"xywh=0,0,9,9\"}}')",
            "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
            "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied') } })",
        ])
    func unusablePlace(_ damage: String) async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.before("const key = 'viewport.place:/iiif/3/photo'; \(damage)")
        try browser.open(Site.address)
        #expect(try browser.place == "")
        try browser.press("1")
        try browser.wait(for: "location.hash !== ''")
        Self.expectPeace(browser, site)
    }

    @Test("keeps the places of a limited number of images")
    func manyPlaces() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.before(
            """
            if (localStorage.length === 0) {
              for (let i = 0; i < 600; i++) localStorage.setItem(`viewport.place:${i}`, `{"time":${i},"state":{}}`);
              localStorage.setItem("other", "kept");
            }
            """)
        try browser.open(Site.address + "#xywh=200,150,400,300")
        let names = try browser.evaluate("Object.keys(localStorage)") as? [String] ?? []
        #expect(
            names.count < 300 && names.contains("other") && names.contains("viewport.place:/iiif/3/photo"))
        #expect(names.contains("viewport.place:599") && !names.contains("viewport.place:0"))
    }

    @Test("decelerates after a flick and loads what it will show")
    func flick() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#xywh=500,150,400,300")
        try browser.drag((0...6).map { (150 + 12 * $0, 150) })
        try browser.wait(for: "location.hash !== '#xywh=500,150,400,300'")
        try browser.settle()
        let x = try #require(
            try browser.place.dropFirst(5).split(separator: ",").first.flatMap { Double($0) })
        #expect(x < 500 - 72 && x >= 0, "a drag by 72 points ended at \(x)")
        Self.expectPeace(browser, site)
    }

    @Test("follows its minimap, rotated or not", arguments: ["", "&rotate=90"])
    func map(_ turned: String) async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#xywh=0,0,100,75" + turned)
        let middle = try browser.evaluate(
            "(() => { const r = document.querySelector('#minimap').getBoundingClientRect(); "
                + "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        let point = try #require(middle as? [Double])
        try browser.drag([(Int(point[0].rounded()), Int(point[1].rounded()))])
        try browser.wait(for: "!location.hash.startsWith('#xywh=0,0,')")
        try browser.settle()
        let numbers = try browser.place.dropFirst(5).split(separator: "&")[0].split(separator: ",").compactMap
        {
            Double($0)
        }
        #expect(abs(numbers[0] + numbers[2] / 2 - 450) < 8 && abs(numbers[1] + numbers[3] / 2 - 350) < 8)
    }

    @Test("explains a problem, and continues when it is resolved")
    func trouble() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open()
        site.isGone = true
        try browser.press("1")
        try browser.wait(for: "!document.querySelector('#notice').hidden")
        #expect(try browser.text("#notice").contains("does not respond"))
        site.isGone = false
        try browser.wait(for: "document.querySelector('#notice').hidden")
        try browser.settle()
        #expect(try await browser.pixels == site.rendered(["--rect", "250,200,400,300"]))
    }

    @Test(
        "explains a problem at the start",
        arguments: [
            ("view/other", "", "no longer"), ("view/photo", "delete globalThis.WebAssembly", "WebAssembly"),
        ])
    func noStart(_ path: String, _ script: String, _ words: String) async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.before(script)
        try browser.open("http://127.0.0.1/" + path)
        #expect(try browser.text("#notice").contains(words))
    }

    @Test("is usable at 320 points, by name and by keyboard", arguments: [320, 1280])
    func small(_ width: Int) async throws {
        let site = try await Site()
        let browser = try Browser(site, width: width, height: 480, pixelRatio: 2)
        try browser.open(Site.address + "#xywh=100,80,200,150")
        #expect(try browser.evaluate("document.querySelector('#picture').width") as? Int == width * 2)
        let outside = try browser.evaluate(
            """
            [...document.querySelectorAll("button, a, header, #minimap")].filter((element) => {
              const { left, right, width, height } = element.getBoundingClientRect();
              const isLink = element.matches("button, a");
              return width > 0 && (left < 0 || right > innerWidth || (isLink && (width < 44 || height < 44)));
            }).length
            """)
        #expect(outside as? Int == 0)
        let nameless = try browser.evaluate(
            "[...document.querySelectorAll('button, a')].filter((one) => !(one.ariaLabel || one.textContent)).length"
        )
        #expect(nameless as? Int == 0)
        #expect(try browser.text("#status").contains("of 900 × 700 pixels"))
        try browser.press("?")
        #expect(try browser.evaluate("document.querySelector('#help').open") as? Bool == true)
        Self.expectPeace(browser, site)
    }

    @Test(
        "records key poses, and copies them as keyframes that viewport fly accepts", arguments: [true, false])
    func keyPoses(_ hasClipboard: Bool) async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.before(
            hasClipboard
                ? "navigator.clipboard.writeText = async (text) => { globalThis.copied = text; };"
                : """
                Object.defineProperty(navigator, "clipboard", { value: undefined });
                document.execCommand = (name) => {
                  globalThis.copied = name === "copy" ? getSelection().toString() : undefined;
                  return true;
                };
                """)
        try browser.open(Site.address + "#xywh=500,400,400,300")
        try browser.press("K", shift: true)
        #expect(try browser.evaluate("document.querySelector('#poses').hidden") as? Bool == true)
        try browser.press("k")
        #expect(try browser.text("#poses") == "1 key pose")
        // The view stays where it is.
        #expect(try browser.place == "xywh=500,400,400,300")
        try browser.evaluate("location.hash = '#xywh=100.5,80.25,200,150'")
        try browser.wait(for: "document.querySelector('#status').textContent.endsWith('from 101, 80')")
        // With caps lock.
        try browser.press("K")
        try browser.press("0")
        try browser.wait(for: "location.hash === ''")
        try browser.press("k")
        #expect(try browser.text("#poses") == "3 key poses")
        try browser.press("K", shift: true)
        try browser.wait(for: "document.querySelector('#poses').textContent === '3 key poses copied'")
        let text = try #require(try browser.evaluate("globalThis.copied") as? String)
        let stops = try await site.flown(text)
        #expect(stops.count == 3 && stops.first == [500, 400, 400, 300])
        #expect(stops.dropFirst().first == [100.5, 80.25, 200, 150])
        // The whole image is less wide than the film.
        #expect(stops.last?.map { ($0 * 3).rounded() } == [-50, 0, 2800, 2100])
        Self.expectPeace(browser, site)
    }

    @Test("follows the preferences for dark colors and reduced motion")
    func preferences() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        let ground = "getComputedStyle(document.body).backgroundColor"
        try browser.prefer("prefers-color-scheme", "light")
        try browser.open()
        let light = try browser.evaluate(ground) as? String
        try browser.prefer("prefers-color-scheme", "dark")
        #expect(try browser.evaluate(ground) as? String != light)
        try browser.prefer("prefers-reduced-motion", "reduce")
        let frames = try browser.evaluate(
            """
            new Promise((done) => {
              const texts = new Set();
              const look = (left) => {
                texts.add(document.querySelector("#scale").textContent);
                left > 0 ? requestAnimationFrame(() => look(left - 1)) : done(texts.size);
              };
              look(20);
              document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
            })
            """)
        #expect(frames as? Int == 2)
    }

    @Test("keeps its position when the window and its resolution change")
    func resizing() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#xywh=200,150,400,300")
        try browser.resize(300, 200, 1)
        try browser.wait(for: "location.hash === '#xywh=250,200,300,200'")
        try browser.resize(300, 200, 2)
        try browser.look()
        try browser.wait(for: "document.querySelector('#scale').textContent === '200 %'")
        try browser.settle()
        let likeness = try await browser.pixels.likeness(
            to: site.rendered(["--size", "300x200", "--scale", "2", "--rect", "250,200,300,200"]))
        #expect(likeness > 41.5, "\(likeness) dB")
        Self.expectPeace(browser, site)
    }

    /// Expects no failed requests and no errors of the page.
    private static func expectPeace(_ browser: Browser, _ site: Site) {
        #expect(site.strays.isEmpty)
        #expect(browser.complaints.isEmpty)
    }
}
