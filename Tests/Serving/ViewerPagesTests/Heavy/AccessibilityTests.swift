#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// The rules of axe-core, and what it cannot see: contrast over any picture, and the order of the focus.
@Suite("The accessibility of the viewer in Chromium", .inBrowser)
struct AccessibilityTests {
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (seed, name) in [(1, "a"), (2, "b")] {
            try TestImages.photo(width: 900, height: 700, seed: UInt64(seed)).save(
                folder.path("\(name).png"), with: "pngsave")
        }
        return folder
    }

    @Test(
        "violates no rule of axe-core", arguments: ["light", "dark"], [(1280, 800), (390, 844)])
    func rules(_ scheme: String, _ size: (Int, Int)) throws {
        guard let path = ProcessInfo.processInfo.environment["AXE"],
            let axe = try? String(contentsOf: URL(filePath: path), encoding: .utf8)
        else { try Test.cancel("the variable AXE has no path of axe.min.js") }
        let folder = try Self.folder()
        let server = try ServingProgram(Site.viewport, [folder.url.path])
        let browser = try Browser(nil, width: size.0, height: size.1)
        try browser.prefer("prefers-color-scheme", scheme)
        func violations() throws -> String {
            try browser.evaluate(axe)
            return try browser.evaluate(
                """
                axe.run().then(({ violations }) => violations.map((one) =>
                  `${one.id}: ${one.nodes.map((node) => node.target.join()).join(' ')}`).join('; '))
                """) as? String ?? "no answer"
        }
        let address = "http://127.0.0.1:\(server.port)"
        try browser.open("\(address)/view/a.png#xywh=100,100,200,200")
        try browser.wait(for: "document.querySelector('nav') !== null")
        #expect(try violations() == "", "viewer")
        try browser.evaluate("document.querySelector('[data-do=more]').click()")
        #expect(try violations() == "", "panel")
        try browser.press("Escape")
        try browser.press("?")
        #expect(try violations() == "", "help")
        try browser.visit("\(address)/view/missing.png")
        try browser.wait(for: "document.querySelector('#notice')?.hidden === false")
        #expect(try violations() == "", "missing image")
        try browser.open("\(address)/compare/a.png/b.png#mode=swipe&at=40")
        #expect(try violations() == "", "comparison")
        try browser.visit("\(address)/")
        try browser.wait(for: "document.readyState === 'complete'")
        #expect(try violations() == "", "index")
    }

    @Test("has a contrast of text of at least 4.5 over any picture", arguments: ["light", "dark"])
    func contrast(_ scheme: String) async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.prefer("prefers-color-scheme", scheme)
        try browser.open(Site.address + "#xywh=100,100,200,200")
        let lowest = try browser.evaluate(
            """
            (() => {
              const channels = (color) => color.match(/[\\d.]+/g).map(Number);
              const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
                .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
                .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
              const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              const bar = channels(getComputedStyle(document.querySelector('#controls')).backgroundColor);
              const texts = ['h1', '#size', '#scale', '#degrees', '#hint', '#controls button'];
              return Math.min(...[0, 255].flatMap((under) => texts.map((text) => {
                const ground = bar.slice(0, 3).map((value) => value * (bar[3] ?? 1) + under * (1 - (bar[3] ?? 1)));
                return contrast(light(ground), light(channels(getComputedStyle(document.querySelector(text)).color)));
              })));
            })()
            """)
        #expect(try #require(lowest as? Double) >= 4.5)
    }

    @Test(
        "is used by the keyboard alone: the focus goes through the page in its order, into the panel and back"
    )
    func keyboard() async throws {
        let site = try await Site()
        let browser = try Browser(site)
        try browser.open(Site.address + "#xywh=100,100,200,200")
        var names: [String] = []
        for _ in 0..<9 {
            try browser.press("Tab")
            names.append(
                try browser.evaluate(
                    "document.activeElement.dataset.do ?? (document.activeElement.id || document.activeElement.tagName)"
                )
                    as? String ?? "")
        }
        #expect(names == ["A", "picture", "out", "in", "fit", "actual", "turn", "more", "BODY"], "\(names)")
        try browser.evaluate("document.querySelector('[data-do=more]').focus()")
        try browser.press("Enter")
        try browser.wait(for: "!document.querySelector('#more').hidden")
        try browser.press("Tab")
        #expect(try browser.evaluate("document.activeElement.id") as? String == "angle")
        let place = try browser.place
        try browser.press("ArrowRight")
        try browser.wait(for: "location.hash.includes('rotate=0.5')")
        #expect(try browser.text("#degrees") == "0.5°" && place.contains("xywh"))
        try browser.press("Escape")
        #expect(try browser.evaluate("document.querySelector('#more').hidden") as? Bool == true)
        #expect(try browser.evaluate("document.activeElement.dataset.do") as? String == "more")
        #expect(browser.complaints.isEmpty)
    }
}
#endif
