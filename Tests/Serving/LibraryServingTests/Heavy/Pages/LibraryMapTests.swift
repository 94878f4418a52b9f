#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("The map of a library in Chromium", .inBrowser)
struct LibraryMapTests {
    /// Photos in towns of Switzerland and around it, and on both sides of the date line.
    private static let places: [(north: [Int], east: [Int])] =
        (0..<60).map { ([45 + $0 % 4, $0 * 7 % 60, $0], [5 + $0 % 6, $0 * 11 % 60, 0]) }
        + (0..<4).map { ([46, 12, $0], [6, 8, $0]) }

    private static func opened(
        _ width: Int, _ height: Int, options: [String] = [], at fragment: String = ""
    ) async throws -> LibraryBrowser {
        let browser = try await LibraryBrowser([], width: width, height: height, options: options) { folder in
            let path = folder.path(".photo.jpg")
            try TestImages.photo(width: 60, height: 40).save(path, with: "jpegsave", [:])
            let jpeg = [UInt8](try Data(contentsOf: URL(filePath: path)))
            for (number, place) in places.enumerated() {
                let photo = TinyPhoto.located(
                    jpeg + [UInt8(number)], north: place.north, east: place.east)
                try Data(photo).write(to: URL(filePath: folder.path("IMG_\(number).jpg")))
            }
        }
        if width < 1000 { try browser.page.becomePhone(width, height) }
        try browser.visit("map" + fragment)
        try browser.page.wait(for: "document.querySelectorAll('#clusters li').length > 0")
        return browser
    }

    /// How many pairs of clusters lie over each other, their numbers included.
    private static let overlapping = """
        (() => { const boxes = [...document.querySelectorAll('#clusters li:not([hidden])')].map((one) => {
            const all = [...one.querySelectorAll('a, span')].map((part) => part.getBoundingClientRect());
            return [Math.min(...all.map((box) => box.left)), Math.min(...all.map((box) => box.top)),
              Math.max(...all.map((box) => box.right)), Math.max(...all.map((box) => box.bottom))]; });
          let count = 0;
          boxes.forEach((a, index) => boxes.slice(index + 1).forEach((b) => {
            if (a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]) count++; }));
          return count; })()
        """
    private static let total = """
        [...document.querySelectorAll('#clusters a')].map((one) => Number.parseInt(one.ariaLabel)).reduce((a, b) => a + b, 0)
        """

    @Test(
        "has clusters that do not overlap, with each photo once, on a map that fills the screen",
        arguments: [(320, 640), (360, 780), (390, 844), (412, 915), (1440, 900)])
    func clusters(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.opened(width, height)
        let page = browser.page
        #expect(try page.evaluate(Self.total) as? Int == Self.places.count)
        let isFilled = """
            (() => { const { left, right, top, bottom } = document.querySelector('#world').getBoundingClientRect();
            return left === 0 && right === innerWidth && bottom === innerHeight && top <= 64
              && document.documentElement.scrollWidth <= innerWidth; })()
            """
        #expect(try page.evaluate(isFilled) as? Bool == true)
        for _ in 0..<6 {
            #expect(try page.evaluate(Self.overlapping) as? Int == 0)
            let before = try page.evaluate("location.hash") as? String ?? ""
            if width < 1000 {
                let (x, y) = (width / 2, height / 2)
                try page.fingers((0...6).map { [(x - 30 - 5 * $0, y), (x + 30 + 5 * $0, y)] })
            } else {
                try page.wheel(0, -150, at: (width / 2, height / 2))
            }
            try page.wait(for: "location.hash !== '\(before)'")
        }
        #expect(page.complaints.isEmpty)
    }

    @Test(
        "finds places by their names, by keys and by touch, and shows their surroundings in detail",
        arguments: [(320, 640), (1440, 900)])
    func search(_ width: Int, _ height: Int) async throws {
        let browser = try await Self.opened(width, height)
        let page = browser.page
        try page.press("/")
        #expect(try page.evaluate("document.activeElement.id") as? String == "find")
        try page.type("zuri")
        try page.wait(for: "document.querySelector('#found li')?.textContent === 'ZürichSwitzerland'")
        if width < 1000 {
            try page.tap("document.querySelector('#found li')")
        } else {
            try page.press("Enter")
        }
        try page.wait(for: "location.hash.startsWith('#47.3')")
        let hash = try page.evaluate("location.hash") as? String ?? ""
        let numbers = hash.dropFirst().split(separator: ",").compactMap { Double($0) }
        #expect(numbers.count == 3 && abs(numbers[1] - 8.55) < 0.05 && numbers[2] > 9, "\(hash)")
        #expect(try page.evaluate("document.querySelector('#found').hidden") as? Bool == true)
        // The part of the map has arrived: land, sea or lake, shores, borders and names.
        let cells =
            "performance.getEntriesByType('resource').filter(({ name }) => /\\/atlas\\/\\d+$/.test(name)).length"
        try page.wait(for: "\(cells) > 0")
        let colors = """
            (() => { const canvas = document.querySelector('#world');
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size; })()
            """
        try page.wait(for: "\(colors) > 20")
        let foreign =
            "performance.getEntriesByType('resource').every(({ name }) => name.startsWith(location.origin))"
        #expect(try page.evaluate(foreign) as? Bool == true)
        #expect(try page.text("#credit").contains("GeoNames (geonames.org), CC BY 4.0"))
        // A position is a place, too.
        try page.evaluate("document.querySelector('#find').value = ''")
        try page.press("/")
        try page.type("-33.87, 151.2")
        try page.press("Enter")
        try page.wait(for: "location.hash.startsWith('#-33.87')")
        try page.press("/")
        try page.type("qqqq")
        try page.press("Enter")
        try page.wait(for: "document.querySelector('#status').textContent.includes('No place is called')")
        #expect(page.complaints.isEmpty)
    }

    @Test("consists of the pictures of a tile server that the server names, which its policy allows")
    func tiles() async throws {
        let picture = PhotoMaker.png(width: 256, height: 256)
        let tiles = try HTTPTestServer { _ in
            HTTPTestResponse(200, [("Content-Type", "image/png")], picture)
        }
        let browser = try await Self.opened(
            800, 600,
            options: [
                "--map-tiles",
                "http://127.0.0.1:\(tiles.port)/{z}/{x}/{y}.png?key=1&a=\"b".replacing("\"", with: "%22"),
                "--map-attribution", "<b>Own & free",
            ])
        let page = browser.page
        let drawn =
            "performance.getEntriesByType('resource').filter(({ name }) => name.includes(':\(tiles.port)/')).length"
        try page.wait(for: "\(drawn) > 0")
        try page.wait(
            for:
                "document.querySelector('#world').getContext('2d') !== null && document.querySelector('#credit').textContent === '<b>Own & free'"
        )
        #expect(tiles.requests.allSatisfy { $0.path.hasSuffix(".png?key=1&a=%22b") })
        let cells =
            "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/atlas/')).length"
        #expect(try page.evaluate(cells) as? Int == 0)
        #expect(page.complaints.isEmpty)
    }
}
#endif
