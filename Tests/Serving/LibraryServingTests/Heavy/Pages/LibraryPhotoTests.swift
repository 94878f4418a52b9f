#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("The page of a library's photo in Chromium", .inBrowser)
struct LibraryPhotoTests {
    private static let days = ["2014:05:25 10:00:00", "2014:05:26 10:00:00", "2014:06:01 10:00:00"]

    /// What darktable or digiKam would write beside the first photo.
    private static func writeSidecar(_ folder: TemporaryFolder) throws {
        let text = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="3" exif:GPSLatitude="46,12.000N"
            exif:GPSLongitude="6,8.400E"><dc:subject><rdf:Bag><rdf:li>lake</rdf:li><rdf:li>blue sky</rdf:li></rdf:Bag>
            </dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>
            """
        try Data(text.utf8).write(to: URL(filePath: folder.path("0/IMG_0.jpg.xmp")))
    }

    /// Opens the first photo of a library from its grid.
    private static func opened(
        options: [String] = [], width: Int = 1000, height: Int = 700
    ) async throws -> LibraryBrowser {
        let browser = try await LibraryBrowser(days, width: width, height: height, options: options) {
            try Self.writeSidecar($0)
        }
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try browser.page.evaluate("document.querySelector('.tile a').click()")
        try browser.page.wait(for: "location.pathname.startsWith('/view/')")
        try browser.page.wait(for: "document.querySelector('[data-tool=download]')?.href.includes('/file/')")
        return browser
    }

    private static let panel = "document.querySelector('#info')"

    @Test("tells date, place on a map, words and file, by a key and by a button")
    func information() async throws {
        let browser = try await Self.opened()
        let page = browser.page
        #expect(try page.evaluate("\(Self.panel).hidden") as? Bool == true)
        try page.press("i")
        try page.wait(for: "\(Self.panel).innerText.includes('IMG_0.jpg')")
        let words = try page.text("#info")
        for expected in [
            "May 25, 2014", "from DateTimeOriginal", "46.2000° N, 6.1400° E", "lake", "blue sky", "Lens",
            "★★★☆☆",
            "0/IMG_0.jpg", "40 × 30", "JPEG",
        ] { #expect(words.contains(expected), "\(expected) in \(words)") }
        // The outline of the world has arrived: sea, land and coast are drawn.
        let colors = """
            (() => { const canvas = document.querySelector('#info canvas');
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size; })()
            """
        try page.wait(for: "\(colors) > 3")
        let requests =
            "performance.getEntriesByType('resource').every(({ name }) => name.startsWith(location.origin))"
        #expect(try page.evaluate(requests) as? Bool == true)
        let link =
            "[...document.querySelectorAll('#info a')].find((one) => one.textContent === 'blue sky').href"
        let query = try page.evaluate("new URL(\(link)).searchParams.get('where')") as? String
        #expect(query == "keyword:\"blue sky\"")
        // Nothing can be edited on this server.
        #expect(try page.evaluate("document.querySelector('[data-tool=pick]').hidden") as? Bool == true)
        #expect(try page.evaluate("[...document.querySelectorAll('#info button')].length") as? Int == 2)
        try page.evaluate("document.querySelector('#info .close').click()")
        #expect(try page.evaluate("document.activeElement.dataset.tool") as? String == "info")
        // The next photo has its own.
        try page.press("i")
        try page.press("n")
        try page.wait(
            for: "document.title === 'IMG_1.jpg' && \(Self.panel)?.innerText.includes('0/IMG_1.jpg')")
        #expect(try !page.text("#info").contains("lake"))
    }

    @Test("leaves the picture in sight above the information on a phone")
    func smallInformation() async throws {
        let browser = try await Self.opened(width: 390, height: 844)
        try browser.page.press("i")
        try browser.page.wait(for: "\(Self.panel).innerText.includes('IMG_0.jpg')")
        try browser.page.wait(
            for:
                "document.querySelector('#picture').clientHeight < \(Self.panel).getBoundingClientRect().top + 40"
        )
    }

    @Test("picks, rates and names, adds to albums, and undoes, where the server allows it")
    func edits() async throws {
        let browser = try await Self.opened(options: ["--allow-edits"])
        let page = browser.page
        let pressed = "document.querySelector('[data-tool=pick]').ariaPressed"
        try page.press("p")
        try page.wait(for: "\(pressed) === 'true'")
        #expect(try page.evaluate("document.title") as? String == "IMG_0.jpg")
        #expect(try page.text("#said").hasPrefix("Picked."))
        try page.evaluate("document.querySelector('#said button').click()")
        try page.wait(for: "\(pressed) === 'false'")
        try page.press("i")
        try page.wait(for: "document.querySelectorAll('#info div.stars [aria-pressed=true]').length === 1")
        try page.press("5")
        try page.wait(
            for: "document.querySelector('#info div.stars [aria-pressed=true]')?.ariaLabel === '5 stars'")
        try page.press("a")
        try page.wait(for: "document.querySelector('#form').open")
        try page.evaluate("document.querySelector('#form input').value = 'Am See'")
        try page.evaluate("document.querySelector('#form-do').click()")
        try page.wait(for: "\(Self.panel).innerText.includes('Am See')")
        // Keys in a dialog are text.
        try page.press("a")
        try page.wait(for: "document.querySelector('#form').open")
        try page.press("p")
        try page.press("Escape")
        try page.wait(for: "document.activeElement.textContent === 'Keep editing'")
        try page.evaluate("document.querySelector('#form .row:not([hidden]) button').click()")
        try page.wait(for: "document.querySelector('#form') === null")
        #expect(try page.evaluate(pressed) as? String == "false")
        try page.evaluate("document.querySelector('#info [aria-label=\"Remove lake\"]').click()")
        try page.wait(for: "!\(Self.panel).innerText.includes('lake')")
        let sidecar = try String(contentsOfFile: browser.folder.path("0/IMG_0.jpg.xmp"), encoding: .utf8)
        #expect(sidecar.contains("blue sky") && !sidecar.contains(">lake<") && sidecar.contains("46,12.000N"))
    }

    @Test("leads on by itself in a slideshow with a pause, a pace and an end")
    func slideshow() async throws {
        let browser = try await LibraryBrowser(Self.days)
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let page = browser.page
        try page.evaluate("document.querySelector('#slideshow').click()")
        try page.wait(for: "document.title === 'IMG_0.jpg' && document.body.classList.contains('slideshow')")
        try page.wait(for: "document.title === 'IMG_1.jpg' && document.body.classList.contains('slideshow')")
        // Its keys lead on and pause, and other keys do nothing.
        try page.press(" ")
        try page.wait(for: "document.querySelector('[data-show=pause]').ariaLabel === 'Continue'")
        #expect(try page.evaluate("sessionStorage.getItem('viewport.slideshow')") as? String == "paused")
        try page.wait(for: "document.querySelector('#neighbors').textContent.includes('2 /')")
        try page.press("ArrowLeft")
        try page.wait(for: "document.title === 'IMG_0.jpg'")
        try page.wait(for: "document.querySelector('#neighbors').textContent.includes('1 /')")
        try page.press("-")
        #expect(try page.evaluate("document.querySelector('#show select').value") as? String == "3")
        #expect(try page.evaluate("localStorage.getItem('viewport.pace')") as? String == "3")
        // The bar can be hit, and that of the viewer cannot.
        let exit = try page.middle(of: "document.querySelector('[data-show=exit]')")
        #expect(
            try page.evaluate("document.elementFromPoint(\(exit.0), \(exit.1)).closest('#show') !== null")
                as? Bool == true)
        #expect(
            try page.evaluate("getComputedStyle(document.querySelector('#controls')).visibility") as? String
                == "hidden")
        try page.evaluate("document.querySelector('[data-show=pause]').click()")
        try page.wait(for: "document.title === 'IMG_1.jpg'")
        try page.evaluate("document.querySelector('[data-show=exit]').click()")
        try page.wait(for: "!document.body.classList.contains('slideshow')")
        #expect(try page.evaluate("sessionStorage.length") as? Int == 0)
    }

    private static func film(_ arguments: [String], _ name: String, _ folder: TemporaryFolder) async throws {
        guard let ffmpeg = BuiltProgram(installed: "ffmpeg") else {
            try Test.cancel("NO FILM TEST: ffmpeg is not installed (apt-get install ffmpeg)")
        }
        let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=10:duration=4"]
        let done = try await ffmpeg.run(source + arguments + [folder.path(name)])
        try #require(done.code == 0, "\(done.errors)")
    }

    @Test("plays films, which may be moved in")
    func films() async throws {
        let browser = try await LibraryBrowser(Self.days) { folder in
            try await Self.film(
                ["-c:v", "libvpx", "-metadata", "creation_time=2014-05-26T12:00:00Z"], "a.webm", folder)
        }
        try browser.open("group/all?group-by=all&sort=ascending&filter=video")
        let page = browser.page
        try page.evaluate("document.querySelector('.tile a').click()")
        try page.wait(for: "document.querySelector('video')?.readyState >= 1")
        #expect(try browser.number("document.querySelector('video').duration") > 3.5)
        #expect(
            try page.evaluate("document.querySelector('video').poster.includes('/thumbnail/')") as? Bool
                == true)
        // On phones, the link ends above the tools, with space for fingers.
        try page.resize(390, 844)
        let gap = """
            (document.querySelector('#photo-tools')?.getBoundingClientRect().top ?? 0)
              - document.querySelector('#download a').getBoundingClientRect().bottom
            """
        try page.wait(for: "innerWidth === 390 && \(gap) >= 8")
        try page.evaluate("document.querySelector('video').currentTime = 3")
        try page.wait(
            for: "!document.querySelector('video').seeking && document.querySelector('video').readyState >= 2"
        )
        #expect(abs(try browser.number("document.querySelector('video').currentTime") - 3) < 0.2)
        try page.evaluate("document.querySelector('video').muted = true")
        try page.evaluate("document.querySelector('video').play()")
        try page.wait(for: "document.querySelector('video').currentTime > 3.2")
        #expect(
            try page.evaluate("document.querySelector('#download a').href.endsWith('a.webm?download')")
                as? Bool == true)
    }

    @Test("says which films the browser cannot play, and offers the file")
    func strangeFilms() async throws {
        let browser = try await LibraryBrowser(Self.days) { folder in
            try await Self.film(["-c:v", "mpeg4"], "old.avi", folder)
        }
        try browser.open("group/all?group-by=all&sort=ascending&filter=video")
        let page = browser.page
        try page.evaluate("document.querySelector('.tile a').click()")
        try page.wait(for: "document.querySelector('#words')?.textContent.includes('cannot play')")
        #expect(try page.text("#words").contains("video/x-msvideo"))
        #expect(try page.evaluate("document.querySelector('#download a') !== null") as? Bool == true)
    }

    /// Opens a motion photo whose film ffmpeg makes.
    private static func motionPhoto(_ arguments: [String]) async throws -> LibraryBrowser {
        let browser = try await LibraryBrowser([]) { folder in
            let photo = folder.path("photo.jpg")
            try TestImages.photo(width: 1600, height: 1200).save(photo, with: "jpegsave")
            try await film(arguments + ["-movflags", "+faststart"], "film.mp4", folder)
            let film = [UInt8](try Data(contentsOf: URL(filePath: folder.path("film.mp4"))))
            let still = [UInt8](try Data(contentsOf: URL(filePath: photo)))
            let packet = XMPMaker.packet([
                ("GCamera:MicroVideo", "1"), ("GCamera:MicroVideoOffset", "\(film.count)"),
            ])
            let body = Array("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8)
            let count = body.count + 2
            let segment = [0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 0xFF)] + body
            try Data(still.prefix(2) + segment + still.dropFirst(2) + film).write(to: URL(filePath: photo))
            try FileManager.default.removeItem(atPath: folder.path("film.mp4"))
        }
        return try open(browser)
    }

    /// Opens a live photo: a picture and a film with one identifier and different names.
    private static func livePhoto() async throws -> LibraryBrowser {
        let browser = try await LibraryBrowser([]) { folder in
            let photo = URL(filePath: folder.path("IMG_1.jpg"))
            try TestImages.photo(width: 1600, height: 1200).save(photo.path, with: "jpegsave")
            let still = [UInt8](try Data(contentsOf: photo))
            let exif = ExifBuilder(bigEndian: true).block([
                (0x010F, .text("Apple")),
                (0x8769, .directory([(0x927C, .bytes(SampleFiles.appleNote))])),
            ])
            let body = Array("Exif\0\0".utf8) + exif
            let segment = [0xFF, 0xE1, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 0xFF)] + body
            try Data(still.prefix(2) + segment + still.dropFirst(2)).write(to: photo)
            // Browsers without H.264 play VP9, which ffmpeg writes into MP4 only.
            let identifier = "com.apple.quicktime.content.identifier=LIVE-0001-UUID"
            try await film(
                [
                    "-c:v", "libvpx-vp9", "-deadline", "realtime", "-f", "mp4", "-movflags",
                    "+use_metadata_tags+faststart", "-metadata", identifier,
                ], "moving.MOV", folder)
        }
        return try open(browser)
    }

    /// Opens the page of the only photo.
    private static func open(_ browser: LibraryBrowser) throws -> LibraryBrowser {
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try browser.page.evaluate("document.querySelector('.tile a[title$=\".jpg\"]').click()")
        try browser.page.wait(for: "document.querySelector('[data-tool=live]')?.hidden === false")
        try browser.page.settle()
        return browser
    }

    @Test("plays the film of a motion photo while the picture, the button or a key is held")
    func motion() async throws {
        // It comes from inside of the photo's file.
        try Self.holds(
            try await Self.motionPhoto(["-c:v", "libvpx-vp9", "-deadline", "realtime"]), "/motion/")
    }

    @Test("plays the film of a live photo, a file beside it, in the same way")
    func live() async throws {
        try Self.holds(try await Self.livePhoto(), "/file/")
    }

    private static func holds(_ browser: LibraryBrowser, _ address: String) throws {
        let page = browser.page
        let plays = "document.querySelector('#film.seen')?.currentTime > 0.05"
        let rests = "document.querySelector('#film') === null"
        func mouse(_ type: String, _ x: Int, _ y: Int) throws {
            try page.tools.call(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": x, "y": y, "button": "left",
                    "buttons": type == "mouseReleased" ? 0 : 1,
                    "clickCount": 1,
                ])
        }
        try mouse("mousePressed", 400, 300)
        try page.wait(for: plays)
        #expect(
            try page.evaluate("document.querySelector('#film').currentSrc.includes('\(address)')") as? Bool
                == true)
        // Nothing scrolls or leaves below it.
        try mouse("mouseMoved", 600, 340)
        try mouse("mouseReleased", 600, 340)
        try page.wait(for: rests)
        #expect(try page.place == "")
        let finger = ["x": 400, "y": 300, "id": 0]
        try page.tools.call("Emulation.setTouchEmulationEnabled", ["enabled": true])
        try page.tools.call("Input.dispatchTouchEvent", ["type": "touchStart", "touchPoints": [finger]])
        try page.wait(for: plays)
        try page.tools.call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
        try page.wait(for: rests)
        for (target, key) in [("#picture", "m"), ("[data-tool=live]", "Enter")] {
            try page.evaluate("document.querySelector('\(target)').focus()")
            try page.tools.call("Input.dispatchKeyEvent", ["type": "keyDown", "key": key])
            try page.wait(for: plays)
            try page.tools.call("Input.dispatchKeyEvent", ["type": "keyUp", "key": key])
            try page.wait(for: rests)
        }
        #expect(page.complaints.isEmpty, "\(page.complaints)")
    }

    @Test("says that the browser cannot play the film of a motion photo, and offers it as a file")
    func strangeMotion() async throws {
        let browser = try await Self.motionPhoto(["-c:v", "mpeg4"])
        let page = browser.page
        try page.tools.call("Input.dispatchKeyEvent", ["type": "keyDown", "key": "m"])
        try page.wait(for: "document.querySelector('#said span')?.textContent.includes('cannot play')")
        try page.tools.call("Input.dispatchKeyEvent", ["type": "keyUp", "key": "m"])
        #expect(try page.evaluate("document.querySelector('#film') === null") as? Bool == true)
        let folder = try TemporaryFolder()
        try page.tools.call(
            "Page.setDownloadBehavior", ["behavior": "allow", "downloadPath": folder.url.path])
        try page.evaluate("document.querySelector('#said button').click()")
        var names: [String] = []
        for _ in 0..<6000 where !names.contains("photo.mp4") {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            try page.evaluate("new Promise((done) => setTimeout(done, 10))")
        }
        #expect(names.contains("photo.mp4"))
    }

    @Test(
        "that is damaged keeps its place: its name in the grid, words for its cover, and a page with a way on"
    )
    func damaged() async throws {
        let browser = try await LibraryBrowser([]) { folder in
            for (number, name) in ["a.jpg", "b.jpg", "c.jpg"].enumerated() {
                let photo = try TestImages.photo(width: 400, height: 300, seed: UInt64(number))
                    .saved(with: "jpegsave_buffer", [:])
                try FileManager.default.createDirectory(
                    atPath: folder.path("damaged"), withIntermediateDirectories: true)
                let path = folder.path(name == "b.jpg" ? "damaged/\(name)" : name)
                try Data(name == "b.jpg" ? photo.prefix(photo.count / 4) : photo[...]).write(
                    to: URL(filePath: path))
            }
        }
        let page = browser.page
        try browser.visit("")
        // The library has a cover, the folder of the damaged photo words.
        try page.wait(for: "document.querySelector('[src=\"cover/all\"]')?.naturalWidth === 256")
        let words = """
            (() => { const figure = [...document.querySelectorAll('figure:has(img)')].at(-1);
              return figure.querySelector('img').complete && figure.querySelector('img').naturalWidth === 0
                && getComputedStyle(figure.querySelector('p')).visibility === 'visible' && figure.innerText; })()
            """
        try page.wait(for: "\(words) === 'No picture'")
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        try page.wait(for: "document.querySelector('.tile .broken')?.textContent === 'Not readableb.jpg'")
        #expect(try browser.number("document.querySelectorAll('.tile img').length") == 2)
        try page.evaluate("document.querySelector('.tile a[title=\"b.jpg\"]').click()")
        try page.wait(
            for: "location.pathname.includes('b.jpg') && document.body.innerText.includes('is damaged')")
        // Photos without a date are ordered by their folders: it is the last one.
        try page.wait(for: "document.querySelector('nav')?.textContent === '‹3 / 3›'")
        try page.wait(for: "document.querySelector('header a').href.includes('/library/')")
        try page.press("p")
        try page.wait(for: "document.querySelector('nav')?.textContent === '‹2 / 3›'")
    }

    @Test("that is missing keeps its neighbors and a way back")
    func missing() async throws {
        let browser = try await LibraryBrowser(Self.days)
        try browser.open("group/all?group-by=all&sort=ascending&filter=all")
        let page = browser.page
        let asset = "new URL(document.querySelectorAll('.tile a')[1].href).searchParams.get('asset')"
        let id = try #require(try page.evaluate(asset) as? String)
        try FileManager.default.removeItem(atPath: browser.folder.path("0/IMG_1.jpg"))
        let name = browser.folder.url.lastPathComponent
        try browser.visit(
            "film/\(id)?library=\(name)&group=all&group-by=all&sort=ascending&filter=all&asset=\(id)")
        try page.wait(for: "document.readyState === 'complete'")
        // The library is watched: either the file is missing, or the photo is already forgotten.
        let words = try page.evaluate("document.body.innerText") as? String ?? ""
        #expect(words.contains("not there any more") || words.contains("There is no such photo"))
        let ways =
            "[...document.querySelectorAll('a')].filter(({ href }) => href.includes('/library/')).length"
        #expect(try browser.number(ways) >= 1)
    }
}
#endif
