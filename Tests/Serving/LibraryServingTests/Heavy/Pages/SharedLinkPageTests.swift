#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("A shared link on phones, in Chromium", .inBrowser)
struct SharedLinkPageTests {
    private static let grid = "group/all?group-by=all&sort=ascending&filter=all"
    private static let dialog = "document.querySelector('#form')"
    private static let address = "document.querySelector('#link input').value"

    @Test(
        "is made of the selected photos, leads to them, and is revoked", arguments: [(360, 780), (412, 915)])
    func use(_ width: Int, _ height: Int) async throws {
        let browser = try await LibraryBrowser([], width: width, height: height, options: ["--allow-edits"]) {
            for number in 0..<6 {
                let photo = try TestImages.photo(width: 300, height: 200, seed: UInt64(number))
                try photo.save($0.path("IMG_2014052\(number)_100000.jpg"), with: "jpegsave")
            }
        }
        let page = browser.page
        try page.becomePhone(width, height)
        try browser.open(Self.grid)
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 6")
        try page.tap("document.querySelector('#select')")
        for number in [1, 3] { try page.tap("document.querySelectorAll('.tile')[\(number)]") }
        try page.tap("document.querySelector('#more')")
        let action = "document.querySelector('[data-do=share]')"
        try page.wait(for: "\(action).checkVisibility()")
        #expect(try page.evaluate("document.querySelector('[data-do=shareAlbum]').hidden") as? Bool == true)
        try page.tap(action)
        try page.wait(for: "\(Self.dialog)?.open")
        try page.evaluate("\(Self.dialog).querySelector('input').select()")
        try page.type("Two days")
        try page.tap("\(Self.dialog).querySelector('[value=\"7\"]')")
        try page.tap("document.querySelector('#form-do')")
        try page.wait(for: "document.querySelector('#link')?.open")
        let address = try #require(try page.evaluate(Self.address) as? String)
        #expect(address.contains("/shared/1-") && address.hasSuffix("/"))
        #expect(try page.text("#link").contains("This address is that of this computer"))
        // The page of the link.
        try page.visit(address)
        try page.wait(for: "document.title === 'Two days' && document.querySelectorAll('li a').length === 2")
        try page.wait(for: "[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
        #expect(
            try page.evaluate("document.documentElement.scrollWidth <= innerWidth") as? Bool == true)
        try page.tap("document.querySelectorAll('li a')[0]")
        try page.wait(for: "document.querySelector('canvas[aria-busy=false]') !== null")
        try page.wait(for: "document.querySelector('#neighbors')?.ariaLabel === 'Two days 1 of 2'")
        #expect(try page.text("h1") == "IMG_20140521_100000.jpg")
        #expect(try page.evaluate("document.querySelector('#compare').hidden") as? Bool == true)
        try page.press("n")
        try page.wait(
            for:
                "document.title === 'IMG_20140523_100000.jpg' && document.querySelector('canvas[aria-busy=false]') !== null"
        )
        try page.tap("document.querySelector('header a')")
        try page.wait(for: "document.querySelectorAll('li a').length === 2")
        #expect(page.complaints.isEmpty, "\(page.complaints)")
        // The list of links.
        try browser.visit("")
        try page.wait(for: "document.querySelector('[href=shares]') !== null")
        try page.tap("document.querySelector('[href=shares]')")
        let revoke = "document.querySelector('[data-share] button')"
        try page.wait(for: "\(revoke)?.hidden === false")
        #expect(try page.text("[data-share]").contains("2 photos, ends on "))
        try page.tap(revoke)
        try page.wait(
            for: "document.querySelector('#status').textContent === 'The link to Two days was revoked.'")
        #expect(try page.evaluate("\(revoke) === null") as? Bool == true)
        try page.visit(address)
        try page.wait(for: "document.body.textContent.includes('There is no such link, or it was revoked.')")
    }
}
#endif
