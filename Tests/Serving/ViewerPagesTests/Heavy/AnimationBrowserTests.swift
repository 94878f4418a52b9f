#if Server
import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("Animations and drawings in the viewer, in Chromium", .inBrowser)
struct AnimationBrowserTests {
    /// A server with animations of 61 frames, whose gray grows from frame to frame, a still picture and a drawing.
    private struct Scene {
        let folder: TemporaryFolder
        let server: ServingProgram

        init() async throws {
            folder = try TemporaryFolder()
            let path = folder.path("ramp.png")
            let samples = (0..<20).flatMap { _ in (0..<400).map { UInt8($0 * 255 / 399) } }
            try VipsImage.pixels(
                samples, width: 400, height: 20, bands: 1, format: .uint8, interpretation: "b-w"
            ).save(path, with: "pngsave", [:])
            for name in ["film.gif", "film.webp", "film.png"] {
                let made = try await Site.viewport.run([
                    "fly", path, "--from", "0,0,40,20", "--to", "360,0,40,20", "-s", "40x20", "--fps", "3",
                    "--duration", "20", "--easing", "linear", "-o", folder.path(name),
                ])
                guard made.code == 0 else { throw DevToolsError(made.errors) }
            }
            let drawing = """
                <svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">
                <rect width="100" height="100" fill="#fff"/><path d="M0 0L100 100V0z"/></svg>
                """
            try Data(drawing.utf8).write(to: URL(filePath: folder.path("drawing.svg")))
            server = try ServingProgram(Site.viewport, ["--allow-untrusted", folder.url.path])
        }

        func address(_ path: String) -> String { "http://127.0.0.1:\(server.port)/\(path)" }
    }

    /// The value of the pixel in the middle of the picture.
    private static let middle = """
        (() => { const probe = globalThis.probe ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
        const canvas = document.querySelector('#picture');
        probe.drawImage(canvas, canvas.width / 2, canvas.height / 2, 1, 1, 0, 0, 1, 1);
        return probe.getImageData(0, 0, 1, 1).data[0]; })()
        """
    private static let button = "document.querySelector('[data-do=play]')"
    /// Whether the picture shows at least three different frames within some seconds.
    private static let plays = """
        new Promise((done) => { const seen = new Set(); const start = performance.now();
          const look = () => { seen.add(\(middle));
            if (seen.size > 2 || performance.now() - start > 20_000) done(seen.size > 2);
            else requestAnimationFrame(look); }; look(); })
        """
    /// Whether the picture stays the same for longer than an animation takes.
    private static let rests = """
        new Promise((done) => { const first = \(middle); const start = performance.now();
          const look = () => { if (\(middle) !== first) done(false);
            else if (performance.now() - start > 1500) done(true); else requestAnimationFrame(look); }; look(); })
        """

    @Test("play, and pause on the frame that is shown", arguments: ["film.gif", "film.webp", "film.png"])
    func plays(_ name: String) async throws {
        let scene = try await Scene()
        let browser = try Browser(nil, width: 390, height: 844)
        try browser.becomePhone(390, 844)
        defer { _ = try? browser.tools.call("Emulation.setTouchEmulationEnabled", ["enabled": false]) }
        try browser.visit(scene.address("view/\(name)"))
        try browser.wait(for: "\(Self.button)?.ariaLabel === 'Pause' && \(Self.button).checkVisibility()")
        #expect(try browser.evaluate(Self.plays) as? Bool == true)
        // The button is there as long as something moves, within the screen.
        #expect(
            try browser.evaluate("getComputedStyle(document.querySelector('#controls')).opacity") as? String
                == "1")
        let isInside =
            "(({ left, right, width }) => left >= 0 && right <= 390 && width >= 44)(\(Self.button).getBoundingClientRect())"
        #expect(try browser.evaluate(isInside) as? Bool == true)
        try browser.tap(Self.button)
        try browser.wait(for: "\(Self.button).ariaLabel === 'Play'")
        #expect(try browser.evaluate(Self.rests) as? Bool == true)
        try browser.press(" ")
        try browser.wait(for: "\(Self.button).ariaLabel === 'Pause'")
        #expect(try browser.evaluate(Self.plays) as? Bool == true)
        #expect(browser.complaints.isEmpty)
    }

    @Test("wait for the button where motion is unwanted")
    func reducedMotion() async throws {
        let scene = try await Scene()
        let browser = try Browser(nil, width: 700, height: 600)
        try browser.prefer("prefers-reduced-motion", "reduce")
        defer { try? browser.prefer("prefers-reduced-motion", "") }
        try browser.visit(scene.address("view/film.gif"))
        try browser.wait(for: "\(Self.button)?.checkVisibility()")
        try browser.settle()
        #expect(try browser.evaluate("\(Self.button).ariaLabel") as? String == "Play")
        let requests =
            "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/animation')).length"
        #expect(try browser.evaluate(requests) as? Int == 0)
        #expect(try browser.evaluate(Self.rests) as? Bool == true)
        try browser.click(at: browser.middle(of: Self.button))
        #expect(try browser.evaluate(Self.plays) as? Bool == true)
        #expect(try browser.evaluate(requests) as? Int == 1)
        // A still picture has no button.
        try browser.open(scene.address("view/ramp.png"))
        #expect(try browser.evaluate("\(Self.button).hidden") as? Bool == true)
        #expect(browser.complaints.isEmpty)
    }

    @Test("are played by the browser over the picture where it has no decoder of frames")
    func withoutDecoder() async throws {
        let scene = try await Scene()
        let browser = try Browser(nil, width: 700, height: 600)
        try browser.before("delete globalThis.ImageDecoder")
        try browser.visit(scene.address("view/film.webp"))
        let picture = "document.querySelector('#animation')"
        try browser.wait(for: "\(picture)?.complete && \(picture).naturalWidth === 40")
        try browser.settle()
        // At the place of the picture, also when it is moved.
        for _ in 0..<2 {
            let isThere = """
                (() => { const { view } = document.querySelector('#picture'); const box = \(picture).getBoundingClientRect();
                const [from, to] = [view.viewPoint(0, 0), view.viewPoint(40, 20)];
                return [box.left - from.x, box.top - from.y, box.right - to.x, box.bottom - to.y].every((one) => Math.abs(one) < 0.1); })()
                """
            #expect(try browser.evaluate(isThere) as? Bool == true)
            try browser.wheel(0, -120, at: (300, 250), control: true)
            try browser.settle()
        }
        try browser.press(" ")
        try browser.wait(for: "\(picture) === null")
        #expect(try browser.evaluate(Self.rests) as? Bool == true)
        #expect(browser.complaints.isEmpty)
    }

    @Test("are sent without what their metadata say, and still pictures are not")
    func files() async throws {
        let scene = try await Scene()
        let browser = try Browser(nil, width: 700, height: 600)
        try browser.open(scene.address("view/ramp.png"))
        /// The status, the media type, the number of bytes, and whether they have a text.
        func fetched(_ name: String) throws -> [String] {
            let script = """
                fetch('../iiif/3/\(name)/animation').then(async (answer) => { const bytes = new Uint8Array(await answer.arrayBuffer());
                  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
                  return [String(answer.status), answer.headers.get('Content-Type'), String(bytes.length), String(text.includes('place: 46 N'))]; })
                """
            return try browser.evaluate(script) as? [String] ?? []
        }
        for (name, type) in [
            ("film.gif", "image/gif"), ("film.webp", "image/webp"), ("film.png", "image/png"),
        ] {
            let answer = try fetched(name)
            #expect(Array(answer.prefix(2)) == ["200", type] && (Int(answer[2]) ?? 0) > 100, "\(answer)")
        }
        for name in ["ramp.png", "drawing.svg", "none.gif"] {
            #expect(try fetched(name).first == "404", "\(name)")
        }
        // A block with a position, as phones write it, behind the frames.
        let path = scene.folder.path("film.webp")
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes += Array("EXIF".utf8) + [12, 0, 0, 0] + Array("place: 46 N ".utf8)
        let size = UInt32(bytes.count - 8)
        for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * UInt32(index))) }
        try Data(bytes).write(to: URL(filePath: path))
        let answer = try fetched("film.webp")
        #expect(answer.first == "200" && (Int(answer[2]) ?? 0) > 100 && answer[3] == "false", "\(answer)")
    }

    @Test("are drawn again at every zoom: the edges of an SVG stay sharp", arguments: [1.0, 3])
    func drawings(_ pixelRatio: Double) async throws {
        let scene = try await Scene()
        let browser = try Browser(nil, width: 400, height: 400)
        try browser.resize(400, 400, pixelRatio)
        try browser.visit("about:blank")
        try browser.open(scene.address("view/drawing.svg#xywh=45,45,20,20"))
        let pixels = try browser.pixels
        let grays = stride(from: 0, to: pixels.samples.count, by: 4).count { 30..<226 ~= pixels.samples[$0] }
        // Enlarged pixels would have grays along the diagonal, as wide as a pixel of the file: 20 CSS pixels.
        let side = Double(pixels.width)
        #expect(Double(grays) < 4 * side && grays > 0, "\(grays) grays of \(pixels.width) × \(pixels.height)")
        let dark = stride(from: 0, to: pixels.samples.count, by: 4).count { pixels.samples[$0] < 30 }
        #expect(abs(Double(dark) / (side * side) - 0.5) < 0.02)
        #expect(browser.complaints.isEmpty)
    }
}
#endif
