#if Server
import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("The trash of a library, in Chromium", .inBrowser)
struct LibraryTrashPageTests {
    private static let items = "document.querySelectorAll('[data-trashed]')"
    private static let status = "document.querySelector('#status').textContent"
    private static let restoreAll =
        "document.querySelector('#all').click(); document.querySelector('#restore').click()"
    private static let dates = (0..<24).map { "2014:05:\(10 + $0 / 3) 10:00:\(10 + $0)" }
    private static func check(_ number: Int) -> String { "\(items)[\(number)].querySelector('input')" }

    private static func opened(
        _ width: Int, _ height: Int, isPhone: Bool, options: [String] = ["--allow-edits"]
    ) async throws -> LibraryBrowser {
        let browser = try await LibraryBrowser(dates, width: width, height: height, options: options)
        if isPhone { try browser.page.becomePhone(width, height) }
        return browser
    }

    /// Moves the first photos to the trash, as the grid does.
    private static func fill(_ browser: LibraryBrowser, _ count: Int) throws {
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let sent = """
            fetch('../ids?group=all&group-by=all&sort=ascending&filter=all&count=\(count)').then((answer) => answer.json())
              .then(({ ids }) => fetch('../edit', { method: 'POST', headers: { 'Content-Type': 'application/json',
                'X-Viewport-Request': 'page' }, body: JSON.stringify({ do: 'trash', assets: ids }) })).then(({ status }) => status)
            """
        #expect(try browser.number(sent) == 200)
    }

    @Test(
        "is reached from the grid, selected by taps and restored, on phones",
        arguments: [(360, 780), (390, 844), (412, 915)])
    func phone(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.opened(width, height, isPhone: true)
        let page = browser.page
        try Self.fill(browser, 8)
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 16")
        try page.tap("document.querySelector('#view summary')")
        let link = "document.querySelector('#choices > a')"
        try page.wait(for: "\(link).checkVisibility()")
        try page.evaluate("\(link).scrollIntoView({ block: 'nearest' })")
        try page.tap(link)
        try page.wait(for: "\(Self.items).length === 8 && !document.querySelector('#restoring').hidden")
        #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") as? Bool == true)
        let restore = "document.querySelector('#restore')"
        #expect(try page.evaluate("\(restore).disabled") as? Bool == true)
        for number in [0, 3] { try page.tap(Self.check(number)) }
        #expect(try page.text("#restore") == "Restore 2")
        // A finger scrolls the list, and selects nothing; the button stays in sight. It rests at its end: a tap on a
        // page that still glides only stops it.
        try page.fingers((0..<20).map { [(width / 2, height - 150 - 30 * min($0, 7))] })
        try page.wait(for: "scrollY > 50")
        #expect(try page.text("#restore") == "Restore 2")
        try page.tap(restore)
        try page.wait(for: "\(Self.items).length === 6 && \(Self.status) === '2 photos restored.'")
        let isThere = (0..<8).map {
            FileManager.default.fileExists(atPath: browser.folder.path("0/IMG_\($0).jpg"))
        }
        #expect(isThere == (0..<8).map { [0, 3].contains($0) })
        // The photos are too small to have pixels.
        #expect(page.complaints.allSatisfy { $0.contains("status of 422") }, "\(page.complaints)")
        // A tap beside the check asks for the photo.
        try page.evaluate("scrollTo(0, 0)")
        try page.tap("\(Self.items)[1].querySelector('b')")
        try page.wait(for: "location.pathname.endsWith('/whole')")
    }

    @Test("is selected by keys, clicks and Shift, and scrolled by a wheel, on desktops")
    func desktop() async throws {
        let browser = try await Self.opened(1000, 600, isPhone: false)
        let page = browser.page
        try Self.fill(browser, 20)
        try browser.visit("trash")
        try page.wait(for: "\(Self.items).length === 20 && !document.querySelector('#restoring').hidden")
        try page.click(at: page.middle(of: Self.check(1)))
        #expect(try page.text("#restore") == "Restore 1")
        try page.tools.call(
            "Input.dispatchKeyEvent",
            ["type": "keyDown", "key": "Shift", "modifiers": 8, "windowsVirtualKeyCode": 16])
        try page.drag([page.middle(of: Self.check(4))], shift: true)
        try page.wait(for: "document.querySelector('#restore').textContent === 'Restore 4'")
        try page.press("Escape")
        #expect(try page.text("#restore") == "Restore")
        try page.wheel(0, 300, at: (500, 400))
        try page.wait(for: "scrollY > 100")
        try page.click(at: page.middle(of: "document.querySelector('#all')"))
        #expect(try page.text("#restore") == "Restore 20")
        #expect(try page.text("#all") == "Select none")
        try page.click(at: page.middle(of: "document.querySelector('#all')"))
        #expect(try page.text("#restore") == "Restore")
        // From check to check, whose photos lie between them.
        try page.evaluate("\(Self.check(0)).focus()")
        try page.press(" ")
        for _ in 0..<2 { try page.press("Tab") }
        try page.press(" ")
        try page.wait(for: "document.querySelector('#restore').textContent === 'Restore 2'")
        try page.press("Enter")
        try page.wait(for: "\(Self.items).length === 18 && \(Self.status) === '2 photos restored.'")
        try page.evaluate(Self.restoreAll)
        try page.wait(for: "document.querySelector('main').textContent.includes('The trash is empty.')")
        #expect(try page.evaluate("document.querySelector('#restoring').hidden") as? Bool == true)
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 24")
    }

    @Test("tells what stays because another file has its name")
    func taken() async throws {
        let browser = try await Self.opened(1000, 600, isPhone: false)
        let page = browser.page
        try Self.fill(browser, 2)
        try LibraryBrowser.write("2014:05:25 11:00:00", 0, browser.folder)
        try browser.visit("trash")
        try page.wait(for: "\(Self.items).length === 2 && !document.querySelector('#restoring').hidden")
        try page.evaluate(Self.restoreAll)
        try page.wait(for: "\(Self.items).length === 1")
        #expect(
            try page.text("#status")
                == "1 photo restored. 0/IMG_0.jpg: stays in the trash, for another file has its name.")
    }

    @Test("is a list without edits, and without scripts")
    func list() async throws {
        let browser = try await Self.opened(390, 844, isPhone: true)
        let page = browser.page
        try Self.fill(browser, 3)
        _ = browser.server.end()
        let reader = try ServingProgram(BuiltProgram("viewport"), [browser.folder.url.path])
        let address = "http://127.0.0.1:\(reader.port)/library/\(browser.folder.url.lastPathComponent)/trash"
        try page.visit(address)
        try page.wait(for: "\(Self.items).length === 3 && document.readyState === 'complete'")
        #expect(try page.evaluate("document.querySelector('#restoring').hidden") as? Bool == true)
        #expect(try page.evaluate("\(Self.check(0)).checkVisibility()") as? Bool == false)
        try page.tools.call("Emulation.setScriptExecutionDisabled", ["value": true])
        defer { _ = try? page.tools.call("Emulation.setScriptExecutionDisabled", ["value": false]) }
        try page.visit(address)
        // Nor do timers of the page run.
        try page.ask("\(Self.items).length === 3 && document.readyState === 'complete'")
        #expect(try page.evaluate("\(Self.check(0)).checkVisibility()") as? Bool == false)
    }
}
#endif
