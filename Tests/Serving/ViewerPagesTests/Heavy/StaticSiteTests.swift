import Foundation
import Synchronization
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

/// A site of `viewport site` in a real browser.
@Suite("A static site in Chromium", .inBrowser)
struct StaticSiteTests {
    @Test(
        "shows the exact pixels of viewport render at 1:1",
        arguments: [Orientation.up, .right], [RangeHost.Kind.severalRanges, .oneRange])
    func exact(_ orientation: Orientation, _ kind: RangeHost.Kind) async throws {
        let host = try await RangeHost(orientation, kind)
        let browser = try Browser(host)
        for rect in ["500,600,400,300", "0,0,400,300", "333,517,400,300"] {
            try browser.open("\(RangeHost.address)?\(rect)#xywh=\(rect)")
            #expect(try browser.text("#scale") == "100 %")
            let (seen, expected) = (try browser.pixels, try await host.rendered(rect))
            #expect(seen == expected, "\(rect)")
        }
        #expect(browser.complaints.isEmpty && host.strays.isEmpty)
    }

    @Test(
        "shows the exact pixels of other images at 1:1, which are not converted",
        arguments: RangeHost.savers.keys.sorted(), [RangeHost.Kind.severalRanges, .oneRange])
    func others(_ name: String, _ kind: RangeHost.Kind) async throws {
        for orientation in [Orientation.up, .right] {
            let host = try await RangeHost(orientation, kind, name)
            let browser = try Browser(host)
            for rect in ["500,600,400,300", "0,0,400,300", "333,517,400,300"] {
                try browser.open("\(RangeHost.address)?\(rect)#xywh=\(rect)")
                let (seen, expected) = (try browser.pixels, try await host.rendered(rect))
                #expect(seen == expected, "\(rect) \(seen.likeness(to: expected)) dB")
            }
            #expect(host.paths.contains { $0.hasSuffix(name) })
            #expect(browser.complaints.isEmpty && host.strays.isEmpty, "\(browser.complaints)")
        }
    }

    @Test("shows a whole TIFF from its own levels", arguments: ["jpeg.tif", "plain.tif"])
    func levels(_ name: String) async throws {
        let host = try await RangeHost(.right, .severalRanges, name)
        let browser = try Browser(host)
        try browser.open(RangeHost.address)
        let expected = try await host.rendered(["--size", "400x300", "--content-mode", "scaleAspectFit"])
        let likeness = try browser.pixels.likeness(to: expected)
        #expect(likeness > 28, "\(likeness) dB")
        // The sidecar has no copies of them.
        let sidecar = try host.file("images/\(name).vpi", of: "site")
        #expect(sidecar.count < 4096, "\(sidecar.count) bytes")
    }

    @Test("reports a TIFF whose list of tiles is damaged")
    func damagedList() async throws {
        let host = try await RangeHost(.up, .severalRanges, "jpeg.tif")
        host.fault = .damagedIndex
        let browser = try Browser(host)
        try browser.visit("\(RangeHost.address)#xywh=500,600,400,300")
        try browser.wait(
            for: "document.querySelector('#notice')?.textContent.includes('is damaged') === true")
    }

    @Test("fetches a view with few requests where the host answers several ranges")
    func requests() async throws {
        let host = try await RangeHost(.up, .severalRanges)
        let browser = try Browser(host)
        try browser.open("\(RangeHost.address)#xywh=500,600,400,300")
        #expect(host.rangeRequests <= 3, "\(host.rangeRequests) requests")
    }

    @Test("loads scripts from compressed copies, and as they are where these cannot be used")
    func packed() async throws {
        let host = try await RangeHost(.up, .severalRanges)
        let browser = try Browser(host)
        func names() -> [String] {
            host.all.compactMap { $0.wholeMatch(of: /page\/([a-z-]+)-[0-9a-f]{16}(\.js.*)/) }
                .map { "\($0.1)\($0.2)" }.sorted()
        }
        try browser.open("\(RangeHost.address)?1")
        #expect(names() == ["static-pyramid.js.gz", "unpack.js", "viewer.js.gz"])
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
        // The sidecar is fetched once: its first bytes, and what is shown.
        #expect(host.paths.count <= 2, "\(host.paths)")
        host.forgets()
        host.policy = "script-src 'self' 'wasm-unsafe-eval'"
        try browser.open("\(RangeHost.address)?2")
        #expect(names().contains("viewer.js") && names().contains("static-pyramid.js"))
        host.forgets()
        host.policy = nil
        try browser.before("delete globalThis.DecompressionStream")
        try browser.open("\(RangeHost.address)?3")
        #expect(names().contains("viewer.js") && names().contains("static-pyramid.js"))
        #expect(host.strays.isEmpty)
    }

    @Test("shows the whole image from its small levels alone")
    func overview() async throws {
        let host = try await RangeHost(.right, .severalRanges)
        let browser = try Browser(host)
        try browser.open(RangeHost.address)
        #expect(host.paths.contains { $0.hasSuffix(".vpi") } && !host.paths.contains { $0.hasSuffix(".jpg") })
        let seen = try browser.pixels
        let expected = try await host.rendered(["--size", "400x300", "--content-mode", "scaleAspectFit"])
        #expect(seen.likeness(to: expected) > 28, "\(seen.likeness(to: expected)) dB")
    }

    /// What is wrong with a site, and words of the sentence that the page shows.
    static let faults: [(RangeHost.Fault, String)] = [
        (.noRanges, "does not support ranges"), (.otherImage, "do not belong together"),
        (.shorterImage, "do not belong together"), (.shortSidecar, "is damaged"),
        (.noSidecar, "no longer has this image"), (.damagedIndex, "is damaged"),
    ]

    @Test("reports what is wrong in one sentence", arguments: faults.indices)
    func reported(_ index: Int) async throws {
        let (fault, words) = Self.faults[index]
        let host = try await RangeHost(.up, .severalRanges)
        host.fault = fault
        let browser = try Browser(host)
        try browser.visit("\(RangeHost.address)#xywh=500,600,400,300")
        try browser.wait(for: "document.querySelector('#notice')?.textContent.includes('\(words)') === true")
    }

    @Test("is a source of OpenSeadragon")
    func openSeadragon() async throws {
        guard let path = ProcessInfo.processInfo.environment["OPENSEADRAGON"],
            let script = try? Data(contentsOf: URL(filePath: path))
        else { try Test.cancel("the variable OPENSEADRAGON has no path of openseadragon.min.js") }
        let host = try await RangeHost(.right, .severalRanges)
        host.extra["openseadragon.js"] = script
        host.extra["osd.html"] = Data(
            """
            <!doctype html><meta charset="utf-8"><style>body { margin: 0 }</style>
            <div id="v" style="width:400px;height:300px"></div><script src="openseadragon.js"></script>
            <script type="module">
            import { tileSource } from "./page/viewport-tiles.js";
            const source = await tileSource(OpenSeadragon, "images/photo.jpg");
            const viewer = OpenSeadragon({ id: "v", showNavigationControl: false, drawer: "canvas", tileSources: [source],
              animationTime: 0, immediateRender: true, imageSmoothingEnabled: false });
            viewer.addHandler("tile-drawn", () => { window.drawn = (window.drawn ?? 0) + 1; });
            viewer.addHandler("tile-load-failed", (event) => { window.failure = event.message; });
            viewer.addHandler("open", () => {
              const rect = viewer.viewport.imageToViewportRectangle(500, 600, 400, 300);
              viewer.viewport.fitBounds(rect, true);
            });
            window.isLoaded = () => viewer.world.getItemAt(0)?.getFullyLoaded() && window.drawn > 0;
            </script>
            """.utf8)
        let browser = try Browser(host)
        try browser.visit("http://127.0.0.1/osd.html")
        try browser.wait(for: "window.failure !== undefined || window.isLoaded?.() === true")
        #expect(try browser.evaluate("window.failure ?? ''") as? String == "")
        let seen = try browser.pixels(of: "#v canvas")
        let expected = try await host.rendered("500,600,400,300")
        // It places tiles between pixels at their borders.
        #expect(seen.likeness(to: expected) > 40, "\(seen.likeness(to: expected)) dB")
    }
}

/// A static host of the site of one image of 1600 x 1400 points, as stored.
final class RangeHost: PageHost {
    enum Kind: Sendable { case severalRanges, oneRange }

    enum Fault: Sendable {
        case noRanges, otherImage, shorterImage, shortSidecar, noSidecar, damagedIndex
    }

    static let address = "http://127.0.0.1/index.html"

    private let kind: Kind
    private let folder: TemporaryFolder
    private let photo: String
    var fault: Fault?
    /// Further files.
    var extra: [String: Data] = [:]
    /// The content security policy of all answers.
    var policy: String?
    /// The paths of requests for ranges, and of all requests.
    private(set) var (paths, all): ([String], [String]) = ([], [])
    /// Requests for missing files.
    private(set) var strays: [String] = []

    var rangeRequests: Int { paths.count }

    func forgets() { (paths, all) = ([], []) }

    /// A host of the folder `site` in a folder, which was made of its `photo.jpg`.
    init(_ folder: TemporaryFolder, _ kind: Kind, _ name: String = "photo.jpg") {
        (self.folder, self.kind) = (folder, kind)
        photo = folder.path(name)
    }

    convenience init(_ orientation: Orientation, _ kind: Kind, _ name: String = "photo.jpg") async throws {
        let made = Self.made.withLock { made in
            let key = "\(orientation) \(name)"
            let site = made[key] ?? Task { try await Self.site(orientation, name) }
            made[key] = site
            return site
        }
        self.init(try await made.value, kind, name)
    }

    private static func tiled(
        _ compression: String, _ more: [String: VipsArgument] = [:]
    ) -> [String: VipsArgument] {
        ["tile": .bool(true), "compression": .name(compression)].merging(more) { $1 }
    }

    /// The images that are no baseline JPEGs, with how they are stored.
    static let savers: [String: [String: VipsArgument]] = [
        "photo.png": [:],
        // Written by the program: every strip but the last ends with an empty stored block.
        "strips.png": [:],
        "progressive.jpg": ["Q": .int(85), "interlace": .bool(true)],
        "jpeg.tif": tiled("jpeg", ["Q": .int(85), "pyramid": .bool(true)]),
        "rgb.tif": tiled("jpeg", ["Q": .int(95), "tile_width": .int(256)]),
        "deflate.tif": tiled("deflate", ["predictor": .name("horizontal"), "tile_height": .int(256)]),
        "gray.tif": tiled("deflate", ["predictor": .name("none")]),
        "deep.tif": tiled("deflate", ["predictor": .name("horizontal"), "pyramid": .bool(true)]),
        "gray-deep.tif": tiled("none"),
        "clear.tif": tiled("deflate", ["predictor": .name("horizontal")]),
        "gray-deep-clear.tif": tiled("deflate", ["predictor": .name("none"), "bigtiff": .bool(true)]),
        "plain.tif": tiled(
            "none", ["pyramid": .bool(true), "subifd": .bool(true), "bigtiff": .bool(true)]),
    ]

    /// The sites by the orientation and the name of their image, each made once for all tests.
    private static let made = Mutex<[String: Task<TemporaryFolder, any Error>]>([:])

    /// An image whose name says how its samples are: gray, deep, of 16 bits, or clear, with holes.
    private static func image(_ name: String) throws -> VipsImage {
        let clouds = try TestImages.clouds(width: 1600, height: 1400)
        let isGray = name.hasPrefix("gray")
        var image = isGray ? try clouds.bands(1, count: 1).relabelled("b-w") : clouds
        if name.contains("clear") {
            let holes = try clouds.bands(0, count: 1).scaled(by: 1 / 128).cast(to: .uint8).scaled(by: 255)
            image = try image.joined(holes.cast(to: .uint8))
        }
        guard name.contains("deep") else { return image }
        return try image.scaled(by: 257).cast(to: .uint16).relabelled(isGray ? "grey16" : "rgb16")
    }

    private static func site(_ orientation: Orientation, _ name: String) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let photo = folder.path(name)
        let image = try image(name)
        func run(_ arguments: [String]) async throws {
            let result = try await BuiltProgram("viewport").run(arguments)
            guard result.code == 0 else { throw DevToolsError(result.errors) }
        }
        let source = name == "strips.png" ? folder.path("source.png") : photo
        try image.save(source, oriented: orientation, savers[name] ?? ["Q": .int(85)])
        if source != photo { try await run(["render", source, "-o", photo, "--zoom", "1"]) }
        try await run(["site", photo, "-o", folder.path("site")])
        return folder
    }

    func answer(_ event: [String: Any], to browser: DevTools) throws {
        let request = event["request"] as? [String: Any]
        let path = (request?["url"] as? String).flatMap(URL.init(string:))?.path.dropFirst() ?? ""
        let headers = request?["headers"] as? [String: String] ?? [:]
        let range = headers.first { $0.key.lowercased() == "range" }?.value
        var answer = response(to: String(path), range)
        all.append(String(path))
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["Content-Security-Policy"] = policy
        try browser.send(
            "Fetch.fulfillRequest",
            [
                "requestId": event["requestId"] ?? "", "responseCode": answer.code,
                "responseHeaders": answer.headers.map { ["name": $0.key, "value": $0.value] },
                "body": answer.body.base64EncodedString(),
            ])
    }

    private func response(
        to path: String, _ range: String?
    ) -> (code: Int, headers: [String: String], body: Data) {
        guard let file = file(path) else {
            strays.append(path)
            return (404, [:], Data())
        }
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript", "css": "text/css",
            "svg": "image/svg+xml",
        ]
        let type = types[String(path.split(separator: ".").last ?? "")] ?? "application/octet-stream"
        guard let range, fault != .noRanges else { return (200, ["Content-Type": type], file) }
        paths.append(path)
        let ranges = range.dropFirst("bytes=".count).split(separator: ",").compactMap { part -> Range<Int>? in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            return ends.count == 2 ? ends[0]..<min(ends[1] + 1, file.count) : nil
        }
        guard ranges.allSatisfy({ !$0.isEmpty && $0.upperBound <= file.count }), let first = ranges.first
        else {
            return (416, [:], Data())
        }
        func field(_ range: Range<Int>) -> String {
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"
        }
        if ranges.count == 1 {
            return (206, ["Content-Type": type, "Content-Range": field(first)], file.subdata(in: first))
        }
        guard kind == .severalRanges else { return (200, ["Content-Type": type], file) }
        var body = Data()
        for range in ranges {
            body += Data("\r\n--part\r\nContent-Type: \(type)\r\nContent-Range: \(field(range))\r\n\r\n".utf8)
            body += file.subdata(in: range)
        }
        return (
            206, ["Content-Type": "multipart/byteranges; boundary=part"], body + Data("\r\n--part--\r\n".utf8)
        )
    }

    private func file(_ path: String) -> Data? {
        if let data = extra[path] { return data }
        guard !path.contains(".."), var data = try? folder.data("site/\(path)") else { return nil }
        switch (fault, path) {
        case (.otherImage, "images/photo.jpg"): data[data.count / 2] ^= 1
        case (.shorterImage, "images/photo.jpg"): data.removeLast(100)
        case (.shortSidecar, "images/photo.jpg.vpi"): data.removeLast(data.count / 2)
        case (.noSidecar, "images/photo.jpg.vpi"): return nil
        // Behind the directory and the smallest level, whose sizes are in the directory.
        case (.damagedIndex, "images/photo.jpg.vpi"), (.damagedIndex, "images/jpeg.tif.vpi"):
            let start = (0..<8).reduce(0) { $0 | Int(data[20 + $1]) << (8 * $1) }
            data[start + 60] ^= 0xFF
        default: break
        }
        return data
    }

    /// A file of a folder, as it was made.
    func file(_ name: String, of site: String) throws -> Data { try folder.data("\(site)/\(name)") }

    /// Renders a rectangle of the upright image.
    func rendered(_ rect: String) async throws -> Pixels { try await rendered(["--rect", rect]) }

    func rendered(_ arguments: [String]) async throws -> Pixels {
        let path = folder.path("rendered-\(UUID().uuidString).png")
        let result = try await BuiltProgram("viewport").run(["render", photo, "-o", path] + arguments)
        guard result.code == 0 else { throw DevToolsError(result.errors) }
        return try Pixels(path)
    }
}
