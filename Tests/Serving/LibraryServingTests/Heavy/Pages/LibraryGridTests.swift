#if Server
import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("The grid of a library in Chromium", .inBrowser)
struct LibraryGridTests {
    /// Many small days, from a seeded generator: 1 to 12 photos each, 2.6 on average.
    private static func smallDays(_ count: Int) -> [String] {
        var random = SplitMix64(seed: 11)
        var dates: [String] = []
        var day = 0
        while dates.count < count {
            day += 1
            let (year, rest) = (2010 + day / 336, day % 336)
            let name = "\(year):\(two(rest / 28 + 1)):\(two(rest % 28 + 1))"
            var photos = 1
            while random.next() % 100 < 62, photos < 12 { photos += 1 }
            for second in 0..<min(photos, count - dates.count) {
                dates.append("\(name) 10:00:\(two(second))")
            }
        }
        return dates
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let scroller = "document.querySelector('#scroller')"

    @Test("makes photos larger and smaller by keys, a pinch, the wheel and a control, and remembers it")
    func tileSizes() async throws {
        let browser = try await LibraryBrowser(Self.smallDays(300), width: 390, height: 844)
        let page = browser.page
        try page.becomePhone(390, 844)
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let columns = "Number(document.querySelector('#grid').ariaColCount)"
        let usual = try browser.number(columns)
        try page.press("+")
        try page.wait(for: "\(columns) < \(usual)")
        try page.press("-")
        try page.press("-")
        try page.press("-")
        try page.wait(for: "\(columns) > \(usual)")
        #expect(try browser.number("document.querySelector('.tile').clientWidth") >= 44)
        let least = try browser.number(columns)
        // The photo between the fingers stays between them.
        try page.evaluate("\(Self.scroller).scrollTop = 400")
        try page.wait(
            for: "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )
        let nearest = """
            (() => {
              const boxes = [...document.querySelectorAll('.tile a[href]')].map((one) => [one, one.getBoundingClientRect()]);
              const far = ([, { x, y }]) => Math.hypot(x - 170, y - 380);
              const [link, { x, y, width }] = boxes.reduce((best, one) => far(one) < far(best) ? one : best);
              return [link.href, `${Math.round(x + width / 2)}`, `${Math.round(y + width / 2)}`];
            })()
            """
        let found = try #require(try page.evaluate(nearest) as? [String])
        let (x, y) = (try #require(Int(found[1])), try #require(Int(found[2])))
        let top = "document.querySelector('.tile a[href=\"\(found[0])\"]').getBoundingClientRect().top"
        let height = try browser.number(top)
        try page.fingers([20, 30, 40].map { [(x - $0, y), (x + $0, y)] })
        try page.wait(for: "\(columns) < \(least)")
        let now = try browser.number(top)
        #expect(abs(now - height) < 2)
        let pinched = try browser.number(columns)
        #expect(try page.evaluate("visualViewport.scale") as? Double == 1)
        try page.evaluate(
            "(() => { const one = document.querySelector('#tiles'); one.value = one.max; "
                + "one.dispatchEvent(new Event('input', { bubbles: true })); })()")
        try page.wait(for: "\(columns) < \(pinched)")
        let largest = try browser.number(columns)
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        #expect(try browser.number(columns) == largest)
    }

    @Test("tells its keys, and undoes the last edit with Ctrl and Z, wherever the focus is")
    func keys() async throws {
        let browser = try await LibraryBrowser(Self.smallDays(12), options: ["--allow-edits"])
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let page = browser.page
        try page.press("?")
        try page.wait(for: "document.querySelector('#help').open")
        try page.press("Escape")
        try page.wait(for: "!document.querySelector('#help').open")
        try page.evaluate("document.activeElement.blur()")
        try page.press("ArrowRight")
        try page.wait(for: "document.querySelector('#grid').contains(document.activeElement)")
        try page.press("x")
        try page.evaluate("document.querySelector('[data-do=pick]').click()")
        try page.wait(for: "document.querySelector('#status').textContent.includes('Undo')")
        let undo =
            "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true }))"
        try page.evaluate("document.body.\(undo.dropFirst("document.".count))")
        try page.wait(for: "document.querySelector('#status').textContent === 'Undone.'")
    }

    /// `before` is the smallest tile of the layout that gave each day rows of its own, below a heading of 52 points.
    @Test(
        "packs small days side by side: at most a third of the height of a row for each",
        arguments: [
            (1280, 800, before: 156), (700, 700, before: 132), (390, 844, before: 90), (320, 640, before: 90),
        ])
    func packed(_ width: Int, _ height: Int, before: Int) async throws {
        let browser = try await LibraryBrowser(Self.smallDays(1500), width: width, height: height)
        try browser.open("group/all?group-by=day&sort=ascending&filter=all")
        let rows = """
            fetch('../entries?group=all&by=day').then((answer) => answer.json()).then(({ entries }) => {
              const width = document.querySelector('#grid').clientWidth;
              const columns = Math.floor((width + 3) / \(before + 3));
              const side = (width - 3 * (columns - 1)) / columns;
              return entries.reduce((sum, [, count]) => sum + 52 + Math.ceil(count / columns) * (side + 3), 0);
            })
            """
        let ratio = try browser.number("document.querySelector('#grid').offsetHeight") / browser.number(rows)
        #expect(ratio < 1.0 / 3, "\(ratio)")
        // Neither tiles nor headings overlap, nothing leaves the window, no date is cut, and fingers hit every tile.
        let faults = """
            (() => { const [tiles, headings] = ['.tile', '[role=columnheader]'].map((one) => [...document.querySelectorAll(one)]);
            const boxes = [...tiles, ...headings].map((one) => one.getBoundingClientRect());
            return [
              boxes.some((a, i) => a.right > innerWidth || boxes.some((b, j) => i < j
                && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)) && 'overlap',
              headings.some((one) => one.firstChild.scrollWidth > one.firstChild.clientWidth) && 'cut',
              tiles.some((one) => one.clientWidth < 44) && 'small',
            ].filter(Boolean).join(); })()
            """
        for share in [0, 0.41, 1] {
            try browser.page.evaluate(
                "\(Self.scroller).scrollTop = \(Self.scroller).scrollHeight * \(share)")
            try browser.page.wait(for: "document.querySelectorAll('.tile a[href]').length > 8")
            // Rows that scrolled out of sight may be used again at once.
            try browser.page.wait(for: "\(faults) === ''")
        }
        // In another width, the same photos are laid out anew.
        try browser.page.resize(height, width)
        try browser.page.wait(for: "innerWidth === \(height) && \(faults) === ''")
    }

    @Test("keeps the photo in view where it is over changes of the grouping, and comes back exactly")
    func kept() async throws {
        let browser = try await LibraryBrowser(Self.smallDays(600), width: 1000, height: 700)
        try browser.open("group/all?group-by=day&sort=ascending&filter=all")
        let page = browser.page
        try page.evaluate("\(Self.scroller).scrollTop = 2345")
        let first = """
            (() => { const top = \(Self.scroller).getBoundingClientRect().top;
            const tile = [...document.querySelectorAll('.tile')].filter((one) => one.getBoundingClientRect().bottom > top + 4)
              .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top || a.getBoundingClientRect().left - b.getBoundingClientRect().left)[0];
            return tile?.querySelector('a').ariaLabel ?? ''; })()
            """
        try page.wait(for: "\(first) !== '' && document.querySelector('#grid').ariaBusy === 'false'")
        let (label, top) = (
            try page.evaluate(first) as? String ?? "", try browser.number("\(Self.scroller).scrollTop")
        )
        let y = """
            ([...document.querySelectorAll('.tile')].find((one) => one.querySelector('a').ariaLabel === \(quoted(label)))
              ?.getBoundingClientRect().top ?? NaN)
            """
        let height = try browser.number(y)
        for unit in ["month", "year", "hour", "week", "all", "day"] {
            try page.evaluate("document.querySelector('[name=group-by][value=\(unit)]').click()")
            try page.wait(for: "document.querySelector('#grid').ariaBusy === 'false'")
            // Without dates there is no scrubber, so that the grid gets wider and is laid out once more.
            try page.evaluate(
                "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            try page.wait(for: "Math.abs(\(y) - \(height)) < 1")
        }
        #expect(abs(try browser.number("\(Self.scroller).scrollTop") - top) < 0.01)
        #expect(try page.evaluate(first) as? String == label)
    }

    private func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "\\'"))'" }

    @Test("finds what is typed, in the URL too, and says what is not understood")
    func search() async throws {
        let browser = try await LibraryBrowser(
            ["2014:05:25 10:00:00", "2014:05:26 10:00:00", "2015:01:01 10:00:00"], width: 1000)
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let page = browser.page
        func type(_ text: String) throws {
            try page.evaluate("document.querySelector('#query').focus()")
            try page.evaluate("document.querySelector('#query').select()")
            try page.tools.call("Input.insertText", ["text": text])
        }
        func isShown(_ count: Int) throws {
            try page.wait(for: "document.querySelectorAll('.tile a[href]').length === \(count)")
        }
        try type("from:2014-05-26")
        try isShown(2)
        #expect(
            try page.evaluate("new URLSearchParams(location.search).get('where')") as? String
                == "from:2014-05-26")
        try type("rating:7")
        try page.wait(for: "!document.querySelector('#problem').hidden")
        #expect(try page.text("#problem").contains("a number from 0 to 5 is expected"))
        #expect(
            try page.evaluate("document.querySelector('#query').getAttribute('aria-invalid')") as? String
                == "true")
        // What was found before belongs to another search.
        try isShown(0)
        try type("date:2015")
        try isShown(1)
        #expect(try page.evaluate("document.querySelector('#problem').hidden") as? Bool == true)
        // The photo's page, its neighbors, and the way back know the search.
        try page.evaluate("document.querySelector('.tile a').click()")
        try page.wait(
            for:
                "document.querySelector('header nav')?.textContent?.includes('1 / 1') || new URLSearchParams(location.search).get('where') === 'date:2015' && location.pathname.startsWith('/view/')"
        )
        try page.wait(for: "document.querySelector('header a')?.href.includes('where=date%3A2015')")
        try page.evaluate("document.querySelector('header a').click()")
        try page.wait(for: "document.querySelector('#query')?.value === 'date:2015'")
        try isShown(1)
        try type("")
        try page.press("Backspace")
        try isShown(3)
        // Suggestions are taken by keys.
        try type("IMG_2 came")
        try page.wait(
            for: "document.querySelectorAll('#suggestions[aria-busy=false] li').length === 1")
        #expect(try page.evaluate("document.querySelector('#query').ariaExpanded") as? String == "true")
        try page.press("ArrowDown")
        #expect(
            try page.evaluate(
                "document.querySelector('#suggestions [aria-selected=true]').id === document.querySelector('#query').getAttribute('aria-activedescendant')"
            ) as? Bool == true)
        try page.press("Enter")
        try page.wait(for: "document.querySelector('#query').value === 'IMG_2 camera:'")
        try page.wait(
            for:
                "document.querySelector('#suggestions li b')?.textContent === 'Lens' || document.querySelectorAll('#suggestions li').length === 0"
        )
        try page.press("Escape")
        try page.wait(for: "document.querySelector('#suggestions').hidden")
    }

    @Test("selects by keys, by shift and by long presses, and does something with all of them")
    func selection() async throws {
        let dates = (0..<30).map { "2014:05:\(Self.two($0 % 28 + 1)) 10:00:\(Self.two($0))" }
        let browser = try await LibraryBrowser(dates, options: ["--allow-edits"])
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let page = browser.page
        let count = "document.querySelectorAll('[aria-selected=true]').length"
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 30")
        try page.evaluate("document.querySelector('.tile a').focus()")
        try page.press("x")
        try page.wait(for: "\(count) === 1 && !document.querySelector('#selection').hidden")
        // A click on another selects it, with Shift everything between.
        try page.evaluate("document.querySelectorAll('.tile a')[3].click()")
        #expect(try browser.number(count) == 2)
        try page.evaluate(
            "document.querySelectorAll('.tile a')[9].dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: true }))"
        )
        try page.wait(for: "\(count) === 8")
        #expect(try page.text("#selected") == "8 photos selected")
        #expect(try page.evaluate("location.pathname.endsWith('/group/all')") as? Bool == true)
        try page.evaluate("document.querySelector('[data-do=pick]').click()")
        try page.wait(for: "document.querySelector('#status').textContent.startsWith('8 photos picked.')")
        try page.evaluate("document.querySelector('#status button').click()")
        try page.wait(for: "document.querySelector('#status').textContent === 'Undone.'")
        try page.evaluate("document.querySelector('[data-do=all]').click()")
        try page.wait(for: "\(count) === 30")
        // A download of them all.
        let folder = try TemporaryFolder()
        try page.tools.call(
            "Page.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder.url.path])
        try page.evaluate("document.querySelector('[data-do=download]').click()")
        try page.wait(for: "document.querySelector('#form').open")
        try page.evaluate("document.querySelector('#form-do').click()")
        var names: [String] = []
        for _ in 0..<6000 where !names.contains(where: { $0.hasSuffix(".zip") }) {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            try page.evaluate("new Promise((done) => setTimeout(done, 10))")
        }
        let zip = try #require(names.first { $0.hasSuffix(".zip") })
        #expect(zip.hasSuffix("30 photos.zip"))
        try page.press("Escape")
        try page.wait(for: "document.querySelector('#selection').hidden && \(count) === 0")
        // A finger that stays selects, and does not open.
        let tile =
            try page.evaluate(
                "(({ left, top }) => [left + 20, top + 20])(document.querySelectorAll('.tile')[2].getBoundingClientRect())"
            ) as? [Double]
        let at = ["x": Int(tile?[0] ?? 0), "y": Int(tile?[1] ?? 0), "id": 0]
        try page.tools.call("Emulation.setTouchEmulationEnabled", ["enabled": true])
        try page.tools.call("Input.dispatchTouchEvent", ["type": "touchStart", "touchPoints": [at]])
        try page.wait(for: "\(count) === 1")
        try page.tools.call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
        #expect(try browser.number(count) == 1)
        #expect(try page.evaluate("location.pathname.endsWith('/group/all')") as? Bool == true)
    }

    @Test("is scrubbed through the years, by hand and by keys")
    func scrubber() async throws {
        let browser = try await LibraryBrowser(Self.smallDays(1500), width: 390, height: 844)
        try browser.open("group/all?group-by=day&sort=ascending&filter=all")
        let page = browser.page
        let scrubber = "document.querySelector('#scrubber')"
        #expect(try page.evaluate("\(scrubber).hidden") as? Bool == false)
        #expect(try browser.number("document.querySelectorAll('#years span').length") >= 2)
        #expect(try page.evaluate("document.querySelector('#years span').textContent") as? String == "2010")
        try page.evaluate("\(scrubber).focus()")
        try page.press("End")
        try page.wait(for: "Number(\(scrubber).ariaValueNow) > 90")
        try page.press("Home")
        try page.wait(for: "\(scrubber).ariaValueNow === '0' && \(scrubber).ariaValueText === 'January 2010'")
        try page.press("ArrowDown")
        try page.wait(for: "\(scrubber).ariaValueText === 'February 2010'")
        try page.press("PageDown")
        try page.wait(for: "\(scrubber).ariaValueText === 'January 2011'")
        try page.press("ArrowUp")
        try page.wait(for: "\(scrubber).ariaValueText === 'December 2010'")
        let box =
            try page.evaluate(
                "(({ left, top, bottom }) => [left + 12, top + 2, bottom - 2])(\(scrubber).getBoundingClientRect())"
            ) as? [Double] ?? []
        try page.drag([(Int(box[0]), Int(box[1])), (Int(box[0]), Int(box[2]))])
        try page.wait(for: "Number(\(scrubber).ariaValueNow) > 95")
    }

    @Test("opens a map of its places, and from a cluster the photos there")
    func map() async throws {
        let browser = try await LibraryBrowser(
            (0..<12).map { "2014:05:2\($0 % 9) 10:00:\(Self.two($0))" }, width: 1000, height: 700)
        for number in 0..<12 where number != 5 {
            try await browser.run(
                "edit", "0/IMG_\(number).jpg",
                number < 8 ? "--location=46.2\(number),6.14" : "--location=-33.8,151.2")
        }
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let page = browser.page
        try page.evaluate("document.querySelector('#map').click()")
        try page.wait(for: "document.querySelectorAll('#clusters li:not([hidden])').length === 2")
        #expect(try page.text("#count") == "11")
        let labels =
            try page.evaluate(
                "[...document.querySelectorAll('#clusters a')].map((one) => one.ariaLabel.split(',')[0])")
            as? [String]
        #expect(labels == ["7 photos", "4 photos"])
        // Four at the same place: their photos open.
        let href = try page.evaluate("document.querySelectorAll('#clusters a')[1].href") as? String ?? ""
        try page.evaluate("document.querySelectorAll('#clusters a')[0].click()")
        try page.wait(for: "document.querySelectorAll('#clusters li:not([hidden])').length > 2")
        #expect(try page.evaluate("location.hash.length > 5") as? Bool == true)
        try page.press("0")
        try page.wait(for: "document.querySelectorAll('#clusters li:not([hidden])').length === 2")
        try page.tools.call("Page.navigate", ["url": href])
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 4")
        #expect(
            try page.evaluate("document.querySelector('#query').value.startsWith('bounds:-33.8,151.2')")
                as? Bool == true)
    }
}
#endif
