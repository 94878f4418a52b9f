#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// The sizes of phones and of a tablet, in points.
private let screens = [(320, 640), (360, 780), (390, 844), (412, 915), (820, 1180)]

@Suite("The pages of a library on phones, in Chromium", .inBrowser)
struct LibraryPhoneTests {
    private static let grid = "group/all?group-by=all&sort=ascending&filter=all"
    private static let selected = "document.querySelectorAll('[aria-selected=true]').length"
    private static func tile(_ number: Int) -> String { "document.querySelectorAll('.tile')[\(number)]" }

    private static func opened(
        _ width: Int, _ height: Int, _ dates: [String]? = nil, path: String = grid, isPhone: Bool = true
    ) async throws -> LibraryBrowser {
        let usual = (0..<30).map { "2014:05:\(10 + $0 / 3) 10:00:\(10 + $0)" }
        let browser = try await LibraryBrowser(
            dates ?? usual, width: width, height: height, options: ["--allow-edits"])
        if isPhone { try browser.page.becomePhone(width, height) }
        try browser.open(path)
        try browser.page.wait(for: "document.querySelectorAll('.tile a[href]').length > 3")
        return browser
    }

    @Test(
        "open the photo whose middle is tapped, and select the one that a finger rests on", arguments: screens
    )
    func taps(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.opened(width, height)
        let page = browser.page
        let (x, y) = try page.middle(of: Self.tile(2))
        try page.tools.call(
            "Input.dispatchTouchEvent", ["type": "touchStart", "touchPoints": [["x": x, "y": y, "id": 0]]])
        try page.wait(for: "\(Self.selected) === 1 && !document.querySelector('#selection').hidden")
        try page.tools.call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
        try page.tap(Self.tile(4))
        try page.wait(for: "\(Self.selected) === 2")
        #expect(try page.evaluate("location.pathname.endsWith('/group/all')") as? Bool == true)
        try page.tap("document.querySelector('[data-do=clear]')")
        try page.wait(for: "\(Self.selected) === 0 && document.querySelector('#selection').hidden")
        try page.tap(Self.tile(4))
        try page.wait(for: "location.pathname.includes('IMG_4')")
    }

    @Test("have a check on each photo for a mouse, beside which a click opens")
    func mouse() async throws {
        let browser = try await Self.opened(1280, 800, isPhone: false)
        let page = browser.page
        let (x, y) = try page.middle(of: "\(Self.tile(2)).querySelector('.check')")
        try page.click(at: (x - 8, y - 8))
        try page.wait(for: "\(Self.selected) === 1")
        try page.press("Escape")
        try page.wait(for: "\(Self.selected) === 0")
        try page.click(at: page.middle(of: Self.tile(4)))
        try page.wait(for: "location.pathname.includes('IMG_4')")
    }

    @Test("have all actions of the selection within the window, in a bar or its menu", arguments: screens)
    func bar(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.opened(width, height)
        let page = browser.page
        try page.tap("document.querySelector('#select')")
        try page.wait(for: "document.querySelector('#status').textContent === 'Tap photos to select them.'")
        try page.tap(Self.tile(0))
        try page.wait(for: "\(Self.selected) === 1")
        // A count of six digits.
        try page.evaluate("document.querySelector('#selected').firstChild.data = '123,456 '")
        let faults = """
            (() => { const all = [...document.querySelectorAll('#selection button, #selected')].filter((one) => one.checkVisibility());
            const boxes = all.map((one) => one.getBoundingClientRect());
            return all.filter((one, i) => boxes[i].left < 0 || boxes[i].right > innerWidth || one.scrollWidth > boxes[i].width + 1
              || boxes.some((b, j) => i !== j && Math.min(boxes[i].right, b.right) - Math.max(boxes[i].left, b.left) > 1
                && Math.min(boxes[i].bottom, b.bottom) - Math.max(boxes[i].top, b.top) > 1)).map((one) => one.outerHTML.slice(0, 60)).join(); })()
            """
        // The narrowest phone may cut the word behind a large number.
        if width > 320 { #expect(try page.evaluate(faults) as? String == "") }
        try page.evaluate("document.querySelector('#selected').firstChild.data = '30 '")
        #expect(try page.evaluate(faults) as? String == "")
        let hasMenu = width <= 1000
        let all = "document.querySelector('[data-do=all]')"
        #expect(try page.evaluate("\(all).checkVisibility()") as? Bool == !hasMenu)
        if hasMenu {
            try page.tap("document.querySelector('#more')")
            try page.wait(for: "\(all).checkVisibility()")
            #expect(try page.evaluate(faults) as? String == "")
            // Escape closes the menu, and keeps the selection.
            try page.press("Escape")
            try page.wait(for: "!\(all).checkVisibility()")
            #expect(try browser.number(Self.selected) == 1)
            try page.tap("document.querySelector('#more')")
            try page.wait(for: "\(all).checkVisibility()")
        }
        try page.tap(all)
        try page.wait(for: "document.querySelector('#selected').textContent === '30 photos selected'")
        try page.tap("document.querySelector('[data-do=pick]')")
        try page.wait(for: "document.querySelector('#status').textContent.startsWith('30 photos picked.')")
        try page.tap("document.querySelector('[data-do=download]')")
        try page.wait(for: "document.querySelector('#form')?.open")
    }

    @Test(
        "show the whole title, and years where columns of different years stand side by side",
        arguments: screens)
    func titles(_ width: Int, _ height: Int) async throws {
        let days = ["2099:09:29", "2038:05:05", "2038:05:04", "2017:08:06", "2017:08:05", "2016:01:01"]
        let browser = try await Self.opened(
            width, height, days.map { "\($0) 10:00:00" },
            path: "group/all?group-by=day&sort=descending&filter=all")
        let page = browser.page
        let headings = try browser.headings
        #expect(headings.count == 6)
        for year in ["2099", "2038", "2017", "2016"] {
            #expect(headings.contains { $0.contains(year) }, "\(year) in \(headings)")
        }
        #expect(headings[0].contains("29") && headings[0].contains("2099") && headings[1].contains("2038"))
        let cut =
            "[...document.querySelectorAll('h1, #grid h2')].filter((one) => one.scrollWidth > one.clientWidth).length"
        #expect(try browser.number(cut) == 0)
        // The lines of a heading are between the header and its tile.
        let hidden = """
            [...document.querySelectorAll('#grid h2')].filter((one) => one.getBoundingClientRect().top
              < document.querySelector('#scroller').getBoundingClientRect().top - 0.5).length
            """
        #expect(try browser.number(hidden) == 0)
        #expect(try page.evaluate("document.documentElement.scrollWidth > innerWidth") as? Bool == false)
    }

    @Test(
        "say above the suggestions what is wrong with a search, and show nothing that was found before",
        arguments: screens)
    func search(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.opened(width, height)
        let page = browser.page
        try page.tap("document.querySelector('#query')")
        try page.wait(for: "document.activeElement.id === 'query'")
        try page.type("rating:x")
        try page.wait(for: "document.querySelector('#problem')?.hidden === false")
        try page.wait(for: "document.querySelectorAll('#suggestions li').length > 0")
        let (x, y) = try page.middle(of: "document.querySelector('#problem')")
        #expect(try page.evaluate("document.elementFromPoint(\(x), \(y)).id") as? String == "problem")
        let (left, top) = try page.middle(of: "document.querySelector('#suggestions li')")
        #expect(
            try page.evaluate("document.elementFromPoint(\(left), \(top)).closest('#suggestions') !== null")
                as? Bool
                == true)
        #expect(try browser.number("document.querySelectorAll('.tile').length") == 0)
        #expect(try page.text("#count") == "" && page.text("#empty").contains("not understood"))
        #expect(try page.evaluate("document.querySelector('#grid').ariaBusy") as? String == "false")
        try page.press("Escape")
        try page.press("Escape")
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length > 3")
        #expect(try page.evaluate("document.querySelector('#problem').hidden") as? Bool == true)
    }

    private static let form = "document.querySelector('#form')"
    private static let panel = "document.querySelector('#info')"
    private static func button(_ words: String) -> String {
        "[...document.querySelectorAll('#info button, #form button')].find((one) => one.checkVisibility() && one.textContent === '\(words)')"
    }

    private static func photo(_ width: Int, _ height: Int) async throws -> LibraryBrowser {
        let browser = try await opened(width, height, isPhone: width < 1000)
        let page = browser.page
        try page.evaluate("\(tile(0)).querySelector('a').click()")
        try page.wait(for: "document.querySelector('[data-tool=download]')?.href.includes('/file/')")
        try page.press("i")
        try page.wait(for: "\(panel).innerText.includes('Add a title')")
        return browser
    }

    @Test(
        "save what was typed with Enter, and discard it after a question only",
        arguments: [(390, 844), (1280, 800)])
    func dialogs(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.photo(width, height)
        let page = browser.page
        func press(_ words: String) throws {
            try page.evaluate("\(Self.button(words)).scrollIntoView({ block: 'center' })")
            if width < 1000 {
                try page.tap(Self.button(words))
            } else {
                try page.click(at: page.middle(of: Self.button(words)))
            }
        }
        func opens(_ words: String) throws {
            try press(words)
            try page.wait(for: "\(Self.form)?.open && \(Self.form).contains(document.activeElement)")
        }
        try opens("Add a title")
        try page.type("Evening")
        try page.press("Enter")
        try page.wait(for: "\(Self.form) === null && \(Self.panel).innerText.includes('Evening')")
        // Neither Escape, however often, nor Cancel loses what was typed.
        try opens("Edit the title")
        try page.type(" at the lake")
        for _ in 0..<3 { try page.press("Escape") }
        try page.wait(for: "document.activeElement.textContent === 'Keep editing'")
        try page.press("Enter")
        try page.wait(for: "document.activeElement.value === 'Evening at the lake'")
        try press("Cancel")
        try page.wait(for: "\(Self.form).innerText.includes('Discard what you typed?')")
        try press("Discard")
        try page.wait(for: "\(Self.form) === null")
        #expect(try page.text("#info .title") == "Evening")
        // Without a change there is no question.
        try opens("Edit the title")
        try page.press("Escape")
        try page.wait(for: "\(Self.form) === null")
        try page.press("a")
        try page.wait(for: "document.activeElement.ariaLabel === 'Name of the album'")
        try page.type("At the lake")
        try page.press("Enter")
        try page.wait(for: "\(Self.form) === null && \(Self.panel).innerText.includes('At the lake')")
        // A server that is gone takes nothing away.
        try opens("Edit the title")
        try page.type("!")
        #expect(browser.server.end() == 0)
        try page.press("Enter")
        try page.wait(for: "\(Self.form)?.innerText.includes('does not answer')")
        #expect(try page.evaluate("\(Self.form).querySelector('input').value") as? String == "Evening!")
        try page.evaluate("\(Self.form).querySelector('input').value = 'Evening'")
    }

    @Test("say how photos come into an empty library, and name files that are not readable")
    func empty() async throws {
        let browser = try await LibraryBrowser([])
        let page = browser.page
        try page.becomePhone(390, 844)
        try browser.visit("")
        try page.wait(for: "document.body?.innerText.includes('viewport library import')")
        try browser.visit("group/all")
        try page.wait(for: "document.querySelector('#empty')?.innerText.includes('viewport library import')")
        let photo = try TestImages.photo(width: 400, height: 300).saved(with: "jpegsave_buffer", [:])
        try Data(photo.prefix(photo.count / 4)).write(to: URL(filePath: browser.folder.path("cut.jpg")))
        try page.wait(
            for:
                "document.querySelector('.broken')?.innerText.replace(/\\s+/g, ' ') === 'Not readable cut.jpg'"
        )
        try page.tap("document.querySelector('.tile')")
        try page.wait(
            for: "document.querySelector('#notice')?.innerText.includes('The file is damaged: rows')")
        // The rows that are there are shown.
        try page.settle()
        let colors = """
            (() => { const canvas = document.querySelector('#picture');
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size; })()
            """
        #expect(try browser.number(colors) > 100)
    }
}
#endif
