#if Server
import Foundation
import TestHarness
import TestSupport
import Testing

/// A library on its own server, in a browser.
final class LibraryBrowser {
    let folder: TemporaryFolder
    let page: Browser
    let address: String
    let server: ServingProgram

    /// - Parameters:
    ///   - dates: The dates of the photos that the library contains at the start.
    ///   - options: Further options of the server.
    ///   - fill: Writes further files.
    init(
        _ dates: [String], width: Int = 800, height: Int = 600, options: [String] = [],
        fill: (TemporaryFolder) async throws -> Void = { _ in }
    ) async throws {
        page = try Browser(nil, width: width, height: height)
        let viewport = BuiltProgram("viewport")
        folder = try TemporaryFolder()
        for (number, date) in dates.enumerated() { try Self.write(date, number, folder) }
        try await fill(folder)
        for verb in ["init", "index"] {
            let done = try await viewport.run(["library", verb, folder.url.path])
            guard done.code == 0 else { throw DevToolsError(done.errors) }
        }
        server = try ServingProgram(viewport, options + ["--watch", folder.url.path])
        address = "http://127.0.0.1:\(server.port)/library/\(folder.url.lastPathComponent)/"
    }

    static func write(_ date: String, _ number: Int, _ folder: TemporaryFolder) throws {
        let url = URL(filePath: folder.path("\(number / 1000)/IMG_\(number).jpg"))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(TinyPhoto.jpeg(date: date, salt: UInt64(number))).write(to: url)
    }

    /// Runs a command of the library.
    func run(_ verb: String, _ arguments: String...) async throws {
        let done = try await BuiltProgram("viewport").run(["library", verb, folder.url.path] + arguments)
        guard done.code == 0 else { throw DevToolsError(done.errors) }
    }

    /// Shows a page of the library.
    func visit(_ path: String) throws {
        try page.tools.call("Page.navigate", ["url": "about:blank"])
        try page.tools.call("Page.navigate", ["url": address + path])
    }

    /// Shows a group and waits for its first photos.
    func open(_ path: String) throws {
        try page.tools.call("Page.navigate", ["url": address + path])
        try page.wait(for: "document.querySelector('#grid')?.ariaBusy === 'false'")
        try page.wait(for: "document.querySelector('.tile a[href]') !== null")
    }

    /// The labels of the visible photos.
    var labels: [String] {
        get throws {
            try page.evaluate("[...document.querySelectorAll('.tile a[href]')].map((one) => one.ariaLabel)")
                as? [String] ?? []
        }
    }

    var headings: [String] {
        get throws {
            try page.evaluate("[...document.querySelectorAll('#grid h2')].map((one) => one.textContent)")
                as? [String] ?? []
        }
    }

    func number(_ expression: String) throws -> Double { try page.evaluate(expression) as? Double ?? .nan }
}

@Suite("A library in Chromium", .inBrowser)
struct LibraryBrowserTests {
    static let days = ["2014:05:25", "2014:05:26", "2014:06:01", "2015:01:01"]

    @Test("shows the photos of the URL in its order and under its headings")
    func shown() async throws {
        let browser = try await LibraryBrowser(Self.days.map { "\($0) 10:00:00" }, width: 1000)
        try browser.open("group/all?group-by=month&sort=ascending&filter=all")
        try browser.page.wait(for: "document.querySelectorAll('.tile a[href]').length === 4")
        let names = try browser.labels.map { $0.prefix(9) }
        #expect(names == ["IMG_0.jpg", "IMG_1.jpg", "IMG_2.jpg", "IMG_3.jpg"])
        #expect(try browser.headings == ["May 2014", "June 2014", "January 2015"])
        try browser.page.evaluate("document.querySelector('[name=sort][value=descending]').click()")
        try browser.page.wait(for: "document.querySelector('#grid h2')?.textContent === 'January 2015'")
        let search = try browser.page.evaluate("location.search") as? String
        #expect(search == "?group-by=month&sort=descending&filter=all")
        try browser.page.evaluate("document.querySelector('[name=filter][value=video]').click()")
        try browser.page.wait(for: "!document.querySelector('#empty').hidden")
        try browser.page.evaluate("history.go(-2)")
        try browser.page.wait(for: "document.querySelector('#grid h2')?.textContent === 'May 2014'")
    }

    @Test("shows added and removed photos without reloading")
    func live() async throws {
        let browser = try await LibraryBrowser(Self.days.map { "\($0) 10:00:00" })
        try browser.open("group/all?group-by=day&sort=ascending&filter=all")
        try browser.page.evaluate("globalThis.isSame = true")
        try LibraryBrowser.write("2014:05:25 11:00:00", 4, browser.folder)
        try browser.page.wait(for: "document.querySelectorAll('.tile a[href]').length === 5")
        #expect(try browser.labels[1].hasPrefix("IMG_4.jpg"))
        try FileManager.default.removeItem(atPath: browser.folder.path("0/IMG_2.jpg"))
        try browser.page.wait(for: "document.querySelectorAll('#grid h2').length === 3")
        #expect(try browser.labels.count == 4)
        #expect(try browser.page.evaluate("globalThis.isSame") as? Bool == true)
    }

    @Test("is navigated by keys, to the viewer, its neighbors and back")
    func keys() async throws {
        let browser = try await LibraryBrowser(Self.days.map { "\($0) 10:00:00" })
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try browser.page.wait(for: "document.querySelectorAll('.tile a[href]').length === 4")
        try browser.page.evaluate("document.querySelector('.tile a').focus()")
        let focused = "document.activeElement.ariaLabel?.slice(0, 9)"
        for (key, name) in [("ArrowRight", "IMG_1.jpg"), ("End", "IMG_3.jpg"), ("ArrowLeft", "IMG_2.jpg")] {
            try browser.page.press(key)
            #expect(try browser.page.evaluate(focused) as? String == name)
        }
        try browser.page.evaluate("document.activeElement.click()")
        try browser.page.wait(for: "location.pathname.startsWith('/view/')")
        try browser.page.wait(for: "document.querySelector('nav')?.textContent === '‹3 / 4›'")
        try browser.page.press("n")
        try browser.page.wait(for: "document.querySelector('nav')?.textContent === '‹4 / 4›'")
        #expect(try browser.page.evaluate("document.title") as? String == "IMG_3.jpg")
        try browser.page.evaluate("document.querySelector('header a').click()")
        try browser.page.wait(for: "location.pathname.endsWith('/group/all')")
        try browser.page.wait(for: focused + " === 'IMG_3.jpg'")
    }

    @Test("returns to the grouping, the place and the selection of the last visit, unless the URL names them")
    func lastPlace() async throws {
        let days = (0..<300).map { "2014:0\(1 + $0 / 100):1\($0 % 7) 10:00:\(10 + $0 % 50)" }
        let browser = try await LibraryBrowser(days)
        try browser.open("group/all?group-by=month&sort=ascending&filter=all")
        let top = "document.querySelector('#scroller').scrollTop"
        let first = "new URL(document.querySelector('.tile a').href).searchParams.get('asset')"
        try browser.page.evaluate("globalThis.first = \(first); \(top) = 1234")
        // The top may have been kept before.
        try browser.page.wait(
            for: "`${JSON.parse(Object.values(localStorage)[0] ?? 'null')?.state.asset ?? first}` !== first")
        try browser.page.wait(
            for: "(({ asset, offset }) => asset > 1 && Math.abs(offset) < 600)"
                + "(JSON.parse(Object.values(localStorage)[0]).state)")
        let kept = try browser.page.evaluate("Object.values(localStorage)[0]") as? String
        try browser.open("group/all")
        try browser.page.wait(for: "\(top) > 1200")
        #expect(abs(try browser.number(top) - 1234) < 2)
        #expect(
            try browser.page.evaluate("location.search") as? String
                == "?group-by=month&sort=ascending&filter=all")
        try browser.open("group/all?group-by=year&sort=ascending&filter=all")
        #expect(try browser.number(top) == 0)
        #expect(kept?.contains("group-by=month") == true)
        for damaged in [
            "{", "null", "{\"state\":{\"query\":7}}", "{\"state\":{\"query\":\"group-by=x\",\"asset\":-1}}",
        ] {
            try browser.page.before(
                "localStorage.setItem('viewport.place:' + location.pathname, '\(damaged)')")
            try browser.open("group/all")
            #expect(try browser.number(top) == 0)
        }
    }

    @Test("keeps few elements for any number of photos, from one end to the other")
    func large() async throws {
        let days = (0..<3000).map { "20\(10 + $0 / 300):0\(1 + $0 % 9):1\($0 % 7) 10:00:\(10 + $0 % 50)" }
        let browser = try await LibraryBrowser(days, width: 320)
        try Self.scroll(browser)
        try browser.page.resize(800, 600)
        try Self.scroll(browser)
    }

    private static func scroll(_ browser: LibraryBrowser) throws {
        try browser.open("group/all?group-by=day&sort=ascending&filter=all")
        let count = "document.querySelectorAll('#grid *').length"
        #expect(try browser.number(count) < 600)
        for share in [0.3, 0.9, 0.5, 1] {
            let scroller = "document.querySelector('#scroller')"
            try browser.page.evaluate("\(scroller).scrollTop = \(scroller).scrollHeight * \(share)")
            try browser.page.wait(for: "document.querySelectorAll('.tile a[href]').length > 8")
            #expect(try browser.number(count) < 600)
        }
        let last = "[...document.querySelectorAll('#grid > .row')].at(-1)"
        try browser.page.wait(for: "\(last).ariaRowIndex === document.querySelector('#grid').ariaRowCount")
        let isWide = try browser.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        #expect(isWide as? Bool == false)
    }
}
#endif
