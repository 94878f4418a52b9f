#if Server
import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("The pages of a library for everybody, in Chromium", .inBrowser)
struct AccessiblePagesTests {
    private static let dates = (0..<40).map {
        "20\(10 + $0 / 10):0\(1 + $0 % 9):1\($0 % 10) 10:00:\(10 + $0)"
    }

    /// Each page, in the state in which it has most to show.
    private static let pages: [(name: String, path: String, ready: String, act: String)] = [
        ("groups", "", "document.querySelector('main li') !== null", ""),
        (
            "grid", "group/all?group-by=year&sort=ascending&filter=all",
            "document.querySelectorAll('.tile a[href]').length > 8", ""
        ),
        (
            "choices", "group/all?group-by=day&sort=ascending&filter=all",
            "document.querySelectorAll('.tile a[href]').length > 8",
            "document.querySelector('#view').open = true"
        ),
        (
            "selection", "group/all?group-by=year&sort=ascending&filter=all",
            "document.querySelectorAll('.tile a[href]').length > 8",
            "document.querySelector('#select').click(); document.querySelector('.check').click()"
        ),
        (
            "suggestions", "group/all?group-by=year&sort=ascending&filter=all&where=rating:x",
            "document.querySelector('#problem')?.hidden === false", "document.querySelector('#query').focus()"
        ),
        ("map", "map", "document.querySelectorAll('#clusters li').length > 0", ""),
        (
            "places", "map", "document.querySelectorAll('#clusters li').length > 0",
            """
            (() => { const find = document.querySelector('#find'); find.focus(); find.value = 'zur';
            find.dispatchEvent(new Event('input'));
            return new Promise((done) => { const look = () => (document.querySelector('#found li') ? done() : setTimeout(look, 20)); look(); }); })()
            """
        ),
        (
            "share", "group/all?group-by=year&sort=ascending&filter=all",
            "document.querySelectorAll('.tile a[href]').length > 8",
            "document.querySelector('#select').click(); document.querySelector('.check').click(); document.querySelector('[data-do=share]').click()"
        ),
        ("shares", "shares", "document.querySelector('[data-share] button')?.hidden === false", ""),
        (
            "trash", "trash", "document.querySelector('#restoring')?.hidden === false",
            "document.querySelector('[data-trashed] input').click()"
        ),
        ("shared", "shares", "document.querySelector('.downloads') !== null", ""),
        ("missing", "film/99999", "document.querySelector('.link') !== null", ""),
        ("information", "photo", "document.querySelector('#info')?.innerText.includes('Camera')", ""),
    ]

    /// The page of a photo with an annotation, and with the dialog that names one.
    private static let annotated: [(name: String, path: String, ready: String, act: String)] = [
        (
            "annotations", "photo", "document.querySelector('#info')?.innerText.includes('Camera')",
            """
            fetch(`../library/${new URLSearchParams(location.search).get('library')}/annotate`, { method: 'POST',
              headers: { 'Content-Type': 'application/json', 'X-Viewport-Request': 'page' },
              body: JSON.stringify({ do: 'add', assets: [Number(new URLSearchParams(location.search).get('asset'))],
                rect: [10, 10, 1, 1], name: 'peak' }) }).then(() => { dispatchEvent(new Event('focus'));
              return new Promise((done) => { const look = () => (document.querySelector('#annotations li') ? done() : setTimeout(look, 20)); look(); }); })
            """
        ),
        (
            "naming", "photo", "document.querySelector('#annotations li') !== null",
            "document.querySelector('#annotations button').click()"
        ),
    ]

    private static func opened(width: Int, height: Int) async throws -> LibraryBrowser {
        let browser = try await LibraryBrowser(
            dates, width: width, height: height, options: ["--allow-edits"])
        for number in 0..<3 {
            try await browser.run(
                "edit", "0/IMG_\(number).jpg", "--location=46.2\(number),6.14", "--rating=4",
                "--add-keyword=lake",
                "--title=Evening")
        }
        try browser.open("group/all")
        let made = """
            fetch('../share', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Viewport-Request': 'page' },
              body: JSON.stringify({ assets: [1, 2, 3], title: 'Evening', days: 7 }) }).then(({ status }) => status)
            """
        #expect(try browser.number(made) == 200)
        let trashed = """
            fetch('../edit', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Viewport-Request': 'page' },
              body: JSON.stringify({ do: 'trash', assets: [39, 40] }) }).then(({ status }) => status)
            """
        #expect(try browser.number(trashed) == 200)
        return browser
    }

    private static func show(
        _ one: (name: String, path: String, ready: String, act: String), _ browser: LibraryBrowser
    ) throws {
        let page = browser.page
        if one.path == "photo" {
            try browser.open("group/all?group-by=all&sort=ascending&filter=all")
            try page.evaluate("document.querySelector('.tile a').click()")
            try page.wait(for: "document.querySelector('[data-tool=download]')?.href.includes('/file/')")
            try page.press("i")
        } else {
            try browser.visit(one.path)
        }
        if one.name == "shared" {
            try page.wait(for: "document.querySelector('[data-share]') !== null")
            try page.evaluate("document.querySelector('[data-share] a').click()")
        }
        // Pages of plain HTML are there before their style sheet.
        try page.wait(for: "document.readyState === 'complete' && (\(one.ready))")
        if !one.act.isEmpty { try page.evaluate(one.act) }
    }

    @Test("have no fault that axe-core finds, in light and dark, wide and narrow")
    func axe() async throws {
        guard let path = ProcessInfo.processInfo.environment["AXE"],
            let script = try? String(contentsOfFile: path, encoding: .utf8)
        else { try Test.cancel("the variable AXE has no path of axe.min.js") }
        for (width, height) in [(1280, 800), (390, 844)] {
            let browser = try await Self.opened(width: width, height: height)
            for scheme in ["light", "dark"] {
                try browser.page.prefer("prefers-color-scheme", scheme)
                for one in Self.pages + Self.annotated {
                    try Self.show(one, browser)
                    try browser.page.evaluate(script)
                    let own =
                        switch one.name {
                        case "information": "{ include: ['#info', '#photo-tools'] }"
                        case "annotations": "{ include: ['#annotations', '#photo-tools'] }"
                        case "naming": "{ include: ['#form'] }"
                        default: "document"
                        }
                    let found = """
                        axe.run(\(own), { resultTypes: ['violations'], rules: { region: { enabled: false } } }).then(({ violations }) =>
                          violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`).join(' | ')}`).join('\\n'))
                        """
                    let faults = try browser.page.evaluate(found) as? String
                    #expect(faults == "", "\(one.name), \(width), \(scheme): \(faults ?? "")")
                }
            }
        }
    }

    @Test("have one live region each")
    func live() async throws {
        let browser = try await Self.opened(width: 1000, height: 700)
        let count =
            "document.querySelectorAll('[role=status], [role=alert], [role=log], [aria-live], output').length"
        for one in Self.pages where !["information", "share"].contains(one.name) {
            try Self.show(one, browser)
            let most = ["groups", "missing", "shared"].contains(one.name) ? 0.0 : 1
            #expect(try browser.number(count) == most, "\(one.name)")
        }
    }

    @Test("have targets of at least 44 points for fingers")
    func targets() async throws {
        let browser = try await Self.opened(width: 390, height: 844)
        let small = """
            [...document.querySelectorAll('a[href], button, summary, label, input:not([type=radio], [type=checkbox]), [role=option], [role=slider]')]
              .filter((one) => one.checkVisibility({ opacityProperty: false }) && !one.closest('header.bar, #controls, p, #minimap'))
              .map((one) => [one, one.getBoundingClientRect()])
              .filter(([one, { width, height }]) => width > 1 && height > 1 && (width < 43.5 || height < 43.5) && one.id !== 'scrubber')
              .map(([one, { width, height }]) => `${one.outerHTML.slice(0, 90)} ${width}x${height}`).join('\\n')
            """
        for one in Self.pages {
            try Self.show(one, browser)
            let found = try browser.page.evaluate(small) as? String
            #expect(found == "", "\(one.name): \(found ?? "")")
            let isWide = try browser.page.evaluate("document.documentElement.scrollWidth > innerWidth")
            #expect(isWide as? Bool == false, "\(one.name)")
        }
    }

    @Test("move nothing for those who prefer that")
    func motion() async throws {
        let browser = try await Self.opened(width: 1000, height: 700)
        try browser.page.prefer("prefers-reduced-motion", "reduce")
        let moving = """
            [...document.querySelectorAll('body *')].filter((one) => getComputedStyle(one).transitionDuration !== '0s'
              && !one.closest('.bar, #controls')).length
            """
        for one in Self.pages {
            try Self.show(one, browser)
            #expect(try browser.number(moving) == 0, "\(one.name)")
        }
    }

    @Test("are reached by Tab in the order in which they are seen")
    func order() async throws {
        let browser = try await Self.opened(width: 1280, height: 800)
        try Self.show(Self.pages[1], browser)
        try browser.page.evaluate("document.body.tabIndex = -1; document.body.focus()")
        var names: [String] = []
        for _ in 0..<9 {
            try browser.page.press("Tab")
            let name =
                "document.activeElement.id || document.activeElement.className || document.activeElement.localName"
            names.append(try browser.page.evaluate(name) as? String ?? "")
        }
        #expect(names.prefix(6) == ["back", "query", "summary", "map", "add", "slideshow"], "\(names)")
        // The grid is one stop, wherever its focus is.
        #expect(names[7] == "a" || names[8] == "a", "\(names)")
    }
}
#endif
