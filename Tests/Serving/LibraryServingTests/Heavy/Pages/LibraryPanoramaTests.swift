#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("Panoramas of a library in Chromium", .inBrowser)
struct LibraryPanoramaTests {
    @Test("have a badge in the grid, and open as a sphere")
    func badge() async throws {
        let browser = try await LibraryBrowser([], width: 390, height: 844) { folder in
            let (width, height) = (800, 400)
            let flat = try TestImages.photo(width: width, height: height).saved(
                with: "jpegsave_buffer", [:])
            try Data(flat).write(to: URL(filePath: folder.path("flat.jpg")))
            let pano = XMPMaker.jpeg(flat, with: [("GPano:ProjectionType", "equirectangular")])
            try Data(pano).write(to: URL(filePath: folder.path("pano.jpg")))
        }
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let page = browser.page
        let badge = "document.querySelectorAll('.tile .around')"
        try page.wait(for: "document.querySelectorAll('.tile a').length === 2 && \(badge).length === 1")
        #expect(
            try page.evaluate("\(badge)[0].closest('a').ariaLabel.startsWith('pano.jpg, panorama, ')")
                as? Bool == true)
        try page.evaluate("\(badge)[0].closest('a').click()")
        try page.wait(for: "document.querySelector('#sphere').ariaBusy === 'false'")
        #expect(try page.text("#status") == "Looking ahead, 90° wide")
    }
}
#endif
