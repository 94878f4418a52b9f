#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("Panoramas in Chromium", .inBrowser)
struct SphereBrowserTests {
    private static let width = 2048

    /// Returns a folder with pano.jpg, which states its panorama, and flat.jpg, which does not.
    ///
    /// Its colors are not stored at half of the size, so that browsers decode them as libvips does.
    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let images = folder.url.appending(path: "images")
        try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
        let flat = try TestImages.photo(width: width, height: width / 2).saved(
            with: "jpegsave_buffer", ["Q": .int(90), "subsample_mode": .name("off")])
        let pano = XMPMaker.jpeg(flat, with: [("GPano:ProjectionType", "equirectangular")])
        try Data(flat).write(to: images.appending(path: "flat.jpg"))
        try Data(pano).write(to: images.appending(path: "pano.jpg"))
        return folder
    }

    /// The field of view at which a pixel of the panorama is one of the screen in the middle.
    private static func actual(_ width: Int) -> Double {
        2 * atan(Double(width) / 2 / (Double(Self.width) / (2 * .pi))) * 180 / .pi
    }

    private static func address(_ server: ServingProgram, _ name: String) -> String {
        "http://127.0.0.1:\(server.port)/view/\(name)"
    }

    /// Has pages use WebGL, although the processor emulates it here.
    private static func useWebGL(in browser: Browser) throws {
        try browser.before(
            """
            { const original = WebGL2RenderingContext.prototype.getParameter;
              WebGL2RenderingContext.prototype.getParameter = function (name) {
                return name === 0x9246 ? "GPU" : original.call(this, name);
              }; }
            """)
    }

    private static func greatestDifference(_ one: Pixels, _ other: Pixels) -> Int {
        guard one.samples.count == other.samples.count else { return 255 }
        return zip(one.samples, other.samples).map { abs(Int($0) - Int($1)) }.max() ?? 255
    }

    private static func expectLook(
        _ yaw: Double, _ pitch: Double, in browser: Browser, _ path: String, _ folder: TemporaryFolder,
        _ size: (Int, Int)
    ) async throws {
        let rendered = folder.path("rendered.png")
        let result = try await Site.viewport.run([
            "render", path, "--look", "\(yaw),\(pitch)", "--fov", "\(actual(size.0))", "-s",
            "\(size.0)x\(size.1)", "-o", rendered, "--overwrite",
        ])
        #expect(result.code == 0, "\(result.errors)")
        let difference = greatestDifference(try browser.pixels(of: "#sphere"), try Pixels(rendered))
        #expect(difference <= 2, "\(yaw), \(pitch)")
    }

    /// In the middle, at the seam, and beside a pole.
    @Test("have the pixels of viewport render at 1:1, with WebGL and without", arguments: [true, false])
    func exact(_ hasWebGL: Bool) async throws {
        let folder = try Self.folder()
        let server = try ServingProgram(Site.viewport, [folder.path("images")])
        let (width, height) = (220, 160)
        let browser = try Browser(nil, width: width, height: height)
        if hasWebGL { try Self.useWebGL(in: browser) }
        for (yaw, pitch) in [(0.0, 0.0), (180, 8), (40, -70)] {
            try browser.visit("about:blank")
            try browser.open(
                Self.address(server, "pano.jpg") + "#look=\(yaw),\(pitch),\(Self.actual(width))")
            #expect(try browser.text("#scale") == "100 %")
            try await Self.expectLook(
                yaw, pitch, in: browser, folder.path("images/pano.jpg"), folder, (width, height))
        }
        let isWebGL = try browser.evaluate("document.querySelector('#sphere').getContext('2d') === null")
        #expect(isWebGL as? Bool == hasWebGL)
        guard hasWebGL else { return }
        // The context is lost and comes back.
        let before = try browser.pixels(of: "#sphere")
        try browser.evaluate(
            """
            new Promise((done) => {
              const canvas = document.querySelector("#sphere");
              const lost = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
              canvas.addEventListener("webglcontextlost", () => setTimeout(() => lost.restoreContext()));
              canvas.addEventListener("webglcontextrestored", () => setTimeout(done));
              lost.loseContext();
            })
            """)
        try browser.settle()
        #expect(try browser.pixels(of: "#sphere") == before)
    }

    @Test("open as a sphere where their metadata says so, and others flat, with a switch")
    func mode() throws {
        let folder = try Self.folder()
        let server = try ServingProgram(Site.viewport, [folder.path("images")])
        let browser = try Browser(nil, width: 640, height: 480)
        let (sphere, button) = (
            "document.querySelector('#sphere')", "document.querySelector('[data-do=sphere]')"
        )
        try browser.open(Self.address(server, "pano.jpg"))
        #expect(try browser.evaluate("\(sphere).checkVisibility()") as? Bool == true)
        #expect(try browser.text("#status") == "Looking ahead, 90° wide")
        #expect(try browser.place == "")
        try browser.evaluate("\(button).click()")
        try browser.settle()
        #expect(try browser.evaluate("\(sphere) === null && \(button).ariaPressed") as? String == "false")
        #expect(try browser.place == "xywh=percent:0,0,100,100")
        try browser.open(Self.address(server, "flat.jpg"))
        #expect(try browser.evaluate("\(sphere) === null && !\(button).hidden") as? Bool == true)
        try browser.press("o")
        try browser.settle()
        #expect(try browser.evaluate("\(sphere) !== null && \(button).ariaPressed") as? String == "true")
        try browser.wait(for: "location.hash === '#look=0,0,90'")
        // The neighbor is what it is.
        try browser.press("n")
        try browser.wait(for: "document.title === 'pano.jpg' && \(sphere).ariaBusy === 'false'")
        #expect(try browser.evaluate("document.activeElement.id") as? String == "sphere")
        try browser.press("p")
        try browser.wait(for: "document.title === 'flat.jpg' && \(sphere) === null")
        // A link to a part of the flat picture.
        try browser.open(Self.address(server, "pano.jpg") + "#xywh=10,10,300,200")
        #expect(try browser.evaluate("\(sphere) === null") as? Bool == true)
        // The index marks it.
        try browser.visit("http://127.0.0.1:\(server.port)/")
        try browser.wait(for: "document.querySelector('.panorama span').textContent.startsWith('pano')")
        #expect(try browser.evaluate("document.querySelectorAll('li').length") as? Int == 2)
        #expect(browser.complaints.isEmpty)
    }

    @Test("turn with keys and links, and say where they look")
    func keys() throws {
        let folder = try Self.folder()
        let server = try ServingProgram(Site.viewport, [folder.path("images")])
        let browser = try Browser(nil, width: 800, height: 600)
        try browser.prefer("prefers-reduced-motion", "reduce")
        try browser.open(Self.address(server, "pano.jpg") + "#look=30,10,75")
        #expect(try browser.text("#status") == "Looking 30° right, 10° up, 75° wide")
        try browser.press("ArrowRight")
        try browser.wait(for: "location.hash.startsWith('#look=') && !location.hash.startsWith('#look=30,')")
        try browser.press("0")
        try browser.wait(for: "location.hash === ''")
        try browser.press("1")
        try browser.wait(for: "document.querySelector('#scale').textContent === '100 %'")
        try browser.evaluate("location.hash = '#look=-90,-20,60'")
        try browser.wait(
            for: "document.querySelector('#status').textContent === 'Looking 90° left, 20° down, 60° wide'")
        try browser.wheel(0, -120, at: (400, 300))
        try browser.wait(for: "Number(location.hash.split(',')[2]) < 59")
        // Keys of the flat picture do nothing.
        let place = try browser.place
        try browser.press("r")
        try browser.settle()
        #expect(try browser.place == place)
        #expect(browser.complaints.isEmpty)
    }

    @Test("keep the point below a finger, and zoom by two")
    func fingers() throws {
        let folder = try Self.folder()
        let server = try ServingProgram(Site.viewport, [folder.path("images")])
        let browser = try Browser(nil)
        try browser.becomePhone(390, 844)
        try browser.open(Self.address(server, "pano.jpg") + "#look=0,0,60")
        func numbers() throws -> [Double] {
            try browser.place.dropFirst(5).split(separator: ",").compactMap { Double($0) }
        }
        // Resting at its end, so that no flick follows.
        let way = (0...8).map { [(100 + 20 * min($0, 5), 400 + 10 * min($0, 5))] }
        try browser.fingers(way + Array(repeating: way[8], count: 10))
        try browser.settle()
        let turned = try numbers()
        try #require(turned.count == 3)
        // The direction that was at (100, 400) is now at (200, 450).
        let radius = 195 / tan(30 * Double.pi / 180)
        let seen = Self.direction(200 - 195, 422 - 450, turned[0], turned[1], radius)
        let before = Self.direction(100 - 195, 422 - 400, 0, 0, radius)
        #expect(zip(seen, before).allSatisfy { abs($0 - $1) < 0.002 }, "\(seen) is not \(before)")
        try browser.fingers((0...6).map { [(195 - 20 - 10 * $0, 422), (195 + 20 + 10 * $0, 422)] })
        try browser.settle()
        #expect(try numbers().last ?? 60 < 30)
        #expect(browser.complaints.isEmpty)
    }

    /// Returns the direction of a point, given from the middle to the right and up, under a look.
    private static func direction(
        _ x: Double, _ y: Double, _ yaw: Double, _ pitch: Double, _ radius: Double
    ) -> [Double] {
        let (a, b) = (yaw * .pi / 180, pitch * .pi / 180)
        let length = (x * x + y * y + radius * radius).squareRoot()
        let (up, ahead) = (y * cos(b) + radius * sin(b), radius * cos(b) - y * sin(b))
        return [x * cos(a) + ahead * sin(a), up, ahead * cos(a) - x * sin(a)].map { $0 / length }
    }

    /// Looks into a panorama of 5000x2500 pixels: over the seam, and close to the poles.
    private static let pageCheck = """
        import { SphereMap } from "./sphere-map.mjs";
        const size = { width: 5000, height: 2500 };
        const facts = { projection: "equirectangular", whole: [0, 0, size.width, size.height] };
        const screen = { width: 480, height: 270 };
        const looks = [
          [34, -90, 0, 0], [34, -85, 30, 10], [45, -75, 179, 0], [60, 70, 10, 45], [90, -60, -170, 0], [90, 88, 5, 3],
          [100, 0, 180, 90], [20, 89.5, 60, 0], [5, -89.9, 13, 7], [62, -62, 0, 33], [34, -80.2, 0, 0],
        ];
        for (const [fov, pitch, yaw, roll] of looks) {
          for (const factor of [1, 4]) {
            const level = { factor, width: size.width / factor, height: size.height / factor };
            const radius = screen.width / 2 / Math.tan((fov * Math.PI) / 360);
            const map = new SphereMap(facts, size, level, { yaw, pitch, roll }, radius, screen);
            const pages = map.pages();
            for (let y = 0; y <= screen.height; y += 0.5) {
              for (let x = 0; x <= screen.width; x += 0.5) {
                map.find(x, y);
                for (const [dx, dy] of [[-2, -2], [2, -2], [-2, 2], [2, 2]]) {
                  let [column, row] = [Math.floor(map.base.x + map.x + dx), Math.floor(map.base.y + map.y + dy)];
                  if (row < 0 || row >= level.height) column += level.width / 2;
                  row = row < 0 ? -1 - row : row >= level.height ? 2 * level.height - 1 - row : row;
                  column = ((column % level.width) + level.width) % level.width;
                  if (pages.has((row >> 8) * map.pagesAcross + (column >> 8))) continue;
                  console.log(`look ${[yaw, pitch, roll, fov]}, 1/${factor}: ${column},${row} at ${x},${y}`);
                  process.exit(1);
                }
              }
            }
          }
        }
        // At 1:1, the corners are 19 degrees from the pole: 1062 of 10000 rows.
        const whole = { width: 20000, height: 10000 };
        const map = new SphereMap(
          { projection: "equirectangular", whole: [0, 0, 20000, 10000] }, whole, { factor: 1, ...whole },
          { yaw: 0, pitch: -90, roll: 0 }, 10000 / Math.PI, { width: 1920, height: 1080 });
        if (map.pages().size > 5 * map.pagesAcross) throw new Error(`${map.pages().size} pages around a pole`);
        """

    @Test("load every pixel that a look touches, and few others around a pole")
    func pages() async throws {
        guard let node = BuiltProgram(installed: "node") else { try Test.cancel("there is no node") }
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: PackageFolder.url("Sources/Serving/ViewerPages/Assets/sphere-map.js"),
            to: folder.url.appending(path: "sphere-map.mjs"))
        try Data(Self.pageCheck.utf8).write(to: folder.url.appending(path: "check.mjs"))
        let run = try await node.run([folder.path("check.mjs")])
        #expect(run.code == 0, "\(run.text) \(run.errors)")
    }

    @Test("are shown from the static files of a site")
    func site() async throws {
        let folder = try Self.folder()
        let made = try await Site.viewport.run([
            "site", folder.path("images/pano.jpg"), "-o", folder.path("site"),
        ])
        #expect(made.code == 0, "\(made.errors)")
        try FileManager.default.copyItem(
            atPath: folder.path("images/pano.jpg"), toPath: folder.path("photo.jpg"))
        let host = RangeHost(folder, .severalRanges)
        let (width, height) = (300, 200)
        let browser = try Browser(host, width: width, height: height)
        try browser.open(RangeHost.address + "#look=180,8,\(Self.actual(width))")
        try await Self.expectLook(180, 8, in: browser, folder.path("photo.jpg"), folder, (width, height))
        #expect(browser.complaints.isEmpty && host.strays.isEmpty)
    }
}
#endif
