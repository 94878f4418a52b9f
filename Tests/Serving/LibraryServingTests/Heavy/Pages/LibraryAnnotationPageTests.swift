#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("Annotations on the page of a photo, in Chromium", .inBrowser)
struct LibraryAnnotationPageTests {
    private static func opened(
        _ width: Int, _ height: Int, options: [String] = ["--allow-edits"]
    ) async throws -> LibraryBrowser {
        let browser = try await LibraryBrowser([], width: width, height: height, options: options) {
            try TestImages.photo(width: 600, height: 400).save($0.path("a.jpg"), with: "jpegsave", [:])
        }
        if width < 1000 { try browser.page.becomePhone(width, height) }
        try Self.show(browser)
        return browser
    }

    private static func show(_ browser: LibraryBrowser) throws {
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try browser.page.evaluate("document.querySelector('.tile a').click()")
        try browser.page.wait(for: "document.querySelector('[data-tool=download]')?.href.includes('/file/')")
        try browser.page.wait(for: "document.querySelector('#picture').ariaBusy === 'false'")
    }

    private static let tool = "document.querySelector('[data-tool=annotate]')"
    private static let marks = "[...document.querySelectorAll('#annotations li')]"
    /// The window's point of a pixel of the picture.
    private static func point(_ browser: Browser, _ x: Int, _ y: Int) throws -> (Int, Int) {
        let found =
            try browser.evaluate(
                "(({ x, y }) => [x, y])(document.querySelector('#picture').view.viewPoint(\(x), \(y)))")
            as? [Double]
        let numbers = try #require(found)
        return (Int(numbers[0].rounded()), Int(numbers[1].rounded()))
    }

    /// The parts and names that the server has.
    private static func kept(_ browser: LibraryBrowser) throws -> [String] {
        try browser.page.evaluate(
            "fetch('\(browser.address)annotations').then((answer) => answer.json()).then(({ items }) => items.map((one) => `${one.body.value} ${one.target.selector.value}`))"
        ) as? [String] ?? []
    }

    @Test(
        "are drawn as boxes and points, named, shown to all, renamed and removed",
        arguments: [(320, 640), (390, 844), (1280, 800)])
    func drawn(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.opened(width, height)
        let page = browser.page
        let isPhone = width < 1000
        func press(_ element: String) throws {
            if isPhone { try page.tap(element) } else { try page.click(at: page.middle(of: element)) }
        }
        let isInside =
            "(({ left, right, width, height }) => left >= 0 && right <= innerWidth && width >= 44 && height >= 44)(\(Self.tool).getBoundingClientRect())"
        #expect(try page.evaluate(isInside) as? Bool == true)
        // A box.
        try press(Self.tool)
        try page.wait(for: "document.querySelector('#board')?.hidden === false")
        let (from, to) = (try Self.point(page, 150, 100), try Self.point(page, 300, 250))
        let middle = ((from.0 + to.0) / 2, (from.1 + to.1) / 2)
        if isPhone { try page.fingers([[from], [middle], [to]]) } else { try page.drag([from, middle, to]) }
        try page.wait(for: "document.querySelector('#form')?.open")
        try page.type("Anna <b>")
        try page.press("Enter")
        try page.wait(for: "\(Self.marks).length === 1 && document.querySelector('#form') === null")
        #expect(try page.text("#annotations") == "Anna <b>")
        // A point.
        if isPhone { try press(Self.tool) } else { try page.press("b") }
        try page.wait(for: "document.querySelector('#board').hidden === false")
        let place = try Self.point(page, 450, 300)
        if isPhone { try page.fingers([[place]]) } else { try page.click(at: place) }
        try page.wait(for: "document.querySelector('#form')?.open")
        try page.type("peak")
        try page.press("Enter")
        try page.wait(for: "\(Self.marks).length === 2")
        let kept = try Self.kept(browser)
        let numbers = kept.map {
            $0.split(separator: ":").last?.split(separator: ",").compactMap { Int($0) } ?? []
        }
        #expect(kept.count == 2 && kept[0].hasPrefix("Anna <b> xywh") && kept[1].hasPrefix("peak xywh"))
        // As exact as a finger on the screen: a point of it is up to two pixels of the picture.
        for (found, expected) in zip(numbers[0], [150, 100, 150, 150]) {
            #expect(abs(found - expected) <= 4, "\(kept)")
        }
        #expect(
            abs(numbers[1][0] - 450) <= 2 && abs(numbers[1][1] - 300) <= 2 && numbers[1].suffix(2) == [1, 1])
        // Marks follow the picture.
        let isThere = """
            (() => { const { view } = document.querySelector('#picture'); const box = \(Self.marks)[0].getBoundingClientRect();
            const { x, y } = view.viewPoint(\(numbers[0][0]), \(numbers[0][1])); return Math.abs(box.left - x) < 1 && Math.abs(box.top - y) < 1; })()
            """
        #expect(try page.evaluate(isThere) as? Bool == true)
        try page.press("+")
        try page.wait(for: "location.hash !== '' && document.querySelector('#picture').ariaBusy === 'false'")
        #expect(try page.evaluate(isThere) as? Bool == true)
        try page.press("0")
        try page.wait(for: "document.querySelector('#picture').ariaBusy === 'false'")
        // Everybody sees them.
        try Self.show(browser)
        try page.wait(for: "\(Self.marks).length === 2")
        try press("\(Self.marks)[1].querySelector('span')")
        try page.wait(for: "document.querySelector('#form')?.open")
        try page.evaluate("document.querySelector('#form input').value = ''")
        try page.type("summit")
        try page.press("Enter")
        try page.wait(for: "document.querySelector('#annotations').textContent.includes('summit')")
        try page.wait(for: "document.querySelector('#form') === null")
        try press("\(Self.marks)[0].querySelector('span')")
        try page.wait(for: "document.querySelector('#form')?.open")
        try press("document.querySelector('#form .remove')")
        try page.wait(for: "\(Self.marks).length === 1 && document.querySelector('#form') === null")
        #expect(try Self.kept(browser).map { $0.prefix(6) } == ["summit"])
        #expect(page.complaints.isEmpty)
    }

    @Test("are marked by keys, and given up with Escape without losing what was typed")
    func keys() async throws {
        let browser = try await Self.opened(1280, 800)
        let page = browser.page
        try page.press("b")
        try page.wait(for: "document.activeElement.id === 'board'")
        try page.press("Escape")
        try page.wait(for: "document.querySelector('#board').hidden")
        try page.press("b")
        try page.press("Enter")
        try page.wait(for: "document.querySelector('#form')?.open")
        try page.type("all of it")
        try page.press("Escape")
        try page.wait(for: "document.querySelector('#form')?.innerText.includes('Discard what you typed?')")
        try page.press("Escape")
        try page.press("Enter")
        try page.wait(for: "\(Self.marks).length === 1")
        #expect(try Self.kept(browser) == ["all of it xywh=pixel:0,0,600,400"])
        try page.evaluate("\(Self.marks)[0].querySelector('button').focus(); document.activeElement.click()")
        try page.wait(for: "document.querySelector('#form')?.open")
        #expect(page.complaints.isEmpty)
    }

    @Test("are shown, and cannot be drawn, where edits are not allowed")
    func readOnly() async throws {
        let browser = try await Self.opened(1280, 800, options: [])
        let page = browser.page
        #expect(try page.evaluate("\(Self.tool).hidden") as? Bool == true)
        try page.press("b")
        #expect(try page.evaluate("document.querySelector('#board').hidden") as? Bool == true)
        #expect(page.complaints.isEmpty)
    }
}
#endif
