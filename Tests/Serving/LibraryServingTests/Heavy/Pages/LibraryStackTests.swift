#if Server
import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("Stacks of a library in Chromium", .inBrowser)
struct LibraryStackTests {
    @Test("are one photo with a badge and a way to the others, of which one can be made the cover")
    func stack() async throws {
        let browser = try await LibraryBrowser([], options: ["--allow-edits"]) { folder in
            for (name, salt) in [("IMG_1.JPG", 1), ("IMG_E1.JPG", 2), ("IMG_2.JPG", 3)] as [(String, UInt64)]
            {
                try Data(TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: salt))
                    .write(to: URL(filePath: folder.path(name)))
            }
        }
        let page = browser.page
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 2")
        #expect(try page.evaluate("document.querySelector('.tile .stack').textContent") as? String == "+1")
        #expect(
            try browser.labels.contains {
                $0.hasPrefix("IMG_E1.JPG") && $0.hasSuffix(", cover of a stack of 2")
            })
        // All files by the menu.
        try page.evaluate("document.querySelector('input[name=stack][value=none]').click()")
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 3")
        #expect(try page.evaluate("location.search.includes('stack=none')") as? Bool == true)
        try page.evaluate("document.querySelector('input[name=stack][value=cover]').click()")
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 2")
        // The badge leads to the files of the stack.
        try page.evaluate("document.querySelector('.tile .others').click()")
        try page.wait(for: "location.search.includes('where=stack')")
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 2")
        #expect(try browser.labels.allSatisfy { $0.contains("a stack of 2") })
        // The other one becomes the cover.
        try page.evaluate("document.querySelector('.tile a[aria-label^=\"IMG_1.JPG\"]').click()")
        try page.wait(for: "document.querySelector('#info') !== null && location.pathname.includes('/view/')")
        try page.press("i")
        let button =
            "[...document.querySelectorAll('#info button')].find((one) => one.textContent === 'Show this one')"
        try page.wait(for: "\(button) !== undefined")
        try page.evaluate("\(button).click()")
        try page.wait(for: "\(button) === undefined")
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try page.wait(for: "document.querySelectorAll('.tile a[href]').length === 2")
        #expect(
            try browser.labels.contains {
                $0.hasPrefix("IMG_1.JPG") && $0.hasSuffix(", cover of a stack of 2")
            })
    }
}
#endif
