#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// The strip of a manifest below the image, with the real server.
@Suite("Manifests in the viewer in Chromium", .inBrowser)
struct StripBrowserTests {
    /// A server of `book/p 1.png` to `p 12.png`.
    private final class Book {
        let folder: TemporaryFolder
        let server: ServingProgram
        var address: String { "http://127.0.0.1:\(server.port)" }

        init(_ options: [String] = []) throws {
            folder = try TemporaryFolder()
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent("book"), withIntermediateDirectories: true)
            for number in 1...12 {
                try TestImages.photo(width: 300 + number, height: 200, seed: UInt64(number)).save(
                    folder.path("book/p \(number).png"), with: "pngsave")
            }
            server = try ServingProgram(BuiltProgram("viewport"), [folder.url.path] + options)
        }
    }

    private static let current = "document.querySelector('#strip [aria-current]')?.textContent"

    @Test("are opened by the id of a canvas, in natural order, with previous and next")
    func deepLink() throws {
        let book = try Book(["--attribution", "<p>Archive of <b>pages</b></p>"])
        let browser = try Browser(nil)
        try browser.open("\(book.address)/presentation/book/canvas/book%2Fp%202.png")
        try browser.wait(for: "\(Self.current) === 'p 2.png'")
        #expect(try browser.evaluate("location.pathname") as? String == "/view/book%2Fp%202.png")
        try browser.wait(for: "document.querySelector('#neighbors')?.textContent === '‹2 / 12›'")
        #expect(try browser.evaluate("document.querySelectorAll('#strip li').length") as? Int == 12)
        #expect(try browser.text("#strip p") == "Archive of pages")
        // In the order of the index, 10 would be the one before.
        try browser.press("n")
        try browser.wait(for: "\(Self.current) === 'p 3.png' && document.title === 'p 3.png'")
        try browser.settle()
        try browser.press("p")
        try browser.wait(for: "\(Self.current) === 'p 2.png'")
        try browser.settle()
        // The address is a link to the same place.
        let address = try #require(try browser.evaluate("location.href") as? String)
        try browser.visit(address)
        try browser.wait(for: "\(Self.current) === 'p 2.png'")
        #expect(browser.complaints.isEmpty)
    }

    @Test("go to a page by a finger or a click in the strip, without another page load")
    func touch() throws {
        let book = try Book()
        let browser = try Browser(nil)
        try browser.becomePhone(400, 700)
        try browser.open("\(book.address)/presentation/book/canvas/")
        try browser.wait(for: "\(Self.current) === 'p 1.png'")
        try browser.evaluate("globalThis.isSame = true")
        try browser.tap("document.querySelector('#strip li:nth-child(3) a')")
        try browser.wait(for: "\(Self.current) === 'p 3.png'")
        try browser.settle()
        #expect(try browser.evaluate("isSame && location.pathname") as? String == "/view/book%2Fp%203.png")
        // A swipe across the image goes on.
        try browser.fingers([[(300, 300)], [(220, 300)], [(120, 300)]])
        try browser.wait(for: "\(Self.current) === 'p 4.png'")
        try browser.settle()
        #expect(
            try browser.evaluate(
                "(() => { const strip = document.querySelector('#strip ol').getBoundingClientRect(); "
                    + "const one = document.querySelector('#strip [aria-current]').getBoundingClientRect(); "
                    + "return one.left >= strip.left - 1 && one.right <= strip.right + 1; })()") as? Bool
                == true,
            "the strip follows")
        #expect(browser.complaints.isEmpty)
    }

    @Test("are gone through by keys while the focus is in the strip")
    func keys() throws {
        let book = try Book()
        let browser = try Browser(nil)
        try browser.open("\(book.address)/presentation/book/canvas/")
        try browser.wait(for: "\(Self.current) === 'p 1.png'")
        try browser.evaluate("document.querySelector('#strip a').focus()")
        try browser.press("ArrowRight")
        #expect(try browser.evaluate("document.activeElement.textContent") as? String == "p 2.png")
        try browser.press("End")
        #expect(try browser.evaluate("document.activeElement.textContent") as? String == "p 12.png")
        try browser.evaluate("document.activeElement.click()")
        try browser.wait(for: "\(Self.current) === 'p 12.png'")
        let title = try browser.evaluate("document.querySelector('#neighbors [aria-disabled]').title")
        #expect(title as? String == "Next (N)")
    }

    @Test("show the ranges of a manifest of the same server as a table of contents")
    func contents() throws {
        let book = try Book()
        let browser = try Browser(nil)
        // The server has no such manifest: the page gets one with ranges.
        try browser.before(
            """
            { const original = fetch;
              window.fetch = async (...given) => {
                const answer = await original(...given);
                if (!String(given[0]).includes("manifest.json")) return answer;
                const json = await answer.json();
                const id = (index) => ({ id: json.items[index].id, type: "Canvas" });
                json.structures = [
                  { id: "r1", type: "Range", label: { en: ["One"] }, items: [id(0), id(1)] },
                  { id: "r2", type: "Range", label: { en: ["Two"] }, items: [
                    { id: "r3", type: "Range", label: { en: ["Inner"] }, items: [id(4)] }] }];
                return new Response(JSON.stringify(json));
              }; }
            """)
        try browser.open("\(book.address)/presentation/book/canvas/")
        try browser.wait(for: "\(Self.current) === 'p 1.png'")
        #expect(try browser.evaluate("document.querySelector('#contents').hidden") as? Bool == true)
        try browser.press("t")
        let text = try browser.evaluate("document.querySelector('#contents').innerText.replace(/\\s+/g, ' ')")
        #expect(text as? String == "One 1 Two 5 Inner 5")
        #expect(try browser.evaluate("document.activeElement.title") as? String == "One")
        try browser.press("Escape")
        #expect(try browser.evaluate("document.querySelector('#contents').hidden") as? Bool == true)
        try browser.press("t")
        try browser.evaluate("document.querySelector('#contents ol ol a').click()")
        try browser.wait(for: "\(Self.current) === 'p 5.png' && document.querySelector('#contents').hidden")
    }

    @Test(
        "of other servers, or that cannot be read, leave the page as it is",
        arguments: [
            "https://example.org/manifest.json", "//example.org/presentation/manifest.json",
            "presentation/none/manifest.json", "presentation/collection.json", "..", "http://[",
            "javascript:alert(1)",
        ])
    func foreign(_ manifest: String) throws {
        let book = try Book()
        let browser = try Browser(nil)
        let name = manifest.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        try browser.open("\(book.address)/view/book%2Fp%202.png?manifest=\(name)")
        try browser.wait(for: "document.querySelector('#neighbors')?.textContent.endsWith('/ 12›')")
        #expect(try browser.evaluate("document.querySelector('#strip') === null") as? Bool == true)
    }
}
#endif
