import Foundation
import TestHarness
import TestSupport
import ViewerPages
import Vips

/// An image of 900 x 700 points as `viewport pyramid` exports it, and the page that shows it.
final class Site: PageHost {
    static let viewport = BuiltProgram("viewport")
    static let address = "http://127.0.0.1/view/photo"

    /// The image and its tiles, made once for all tests.
    private static let made = Task {
        try await tiles(of: TestImages.photo(width: 900, height: 700), "photo")
    }

    /// Exports an image as tiles under a name.
    static func tiles(of image: VipsImage, _ name: String) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try image.save(path, with: "pngsave", [:])
        let made = try await viewport.run([
            "pyramid", path, "--tile-size", "128", "--format", "png", "--id",
            "http://127.0.0.1/iiif/3/\(name)", "-o", folder.path("tiles"),
        ])
        guard made.code == 0 else { throw DevToolsError(made.errors) }
        return folder
    }

    /// The path of the image.
    var source: String { image.path("photo.png") }

    private let image: TemporaryFolder
    /// The folder for the pictures of a test.
    let folder: TemporaryFolder
    /// Whether requests remain unanswered.
    var isGone = false
    /// Whether a request waits until it is released.
    var holds: (URL) -> Bool = { _ in false }
    private var held: [[String: Any]] = []
    /// The paths of pictures, in the order of the requests.
    private(set) var pictures: [String] = []
    /// The encoded image behind the name `other`.
    var other: TemporaryFolder?
    /// The requests for missing files.
    private(set) var strays: [String] = []

    init() async throws {
        image = try await Self.made.value
        folder = try TemporaryFolder()
    }

    /// Answers a request of the browser.
    func answer(_ event: [String: Any], to browser: DevTools) throws {
        let request = event["requestId"] ?? ""
        let url = ((event["request"] as? [String: Any])?["url"] as? String).flatMap(URL.init(string:))
        guard !isGone else {
            try browser.send("Fetch.failRequest", ["requestId": request, "errorReason": "ConnectionRefused"])
            return
        }
        if let url, holds(url) {
            held.append(event)
            return
        }
        if let path = url?.path, path.hasPrefix("/iiif/"), !path.hasSuffix(".json") { pictures.append(path) }
        let found = url.flatMap(file)
        if found == nil { strays.append(url?.absoluteString ?? "") }
        let headers = [
            "Content-Type": found?.mediaType ?? "text/plain",
            "Content-Security-Policy":
                "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'",
        ]
        try browser.send(
            "Fetch.fulfillRequest",
            [
                "requestId": request, "responseCode": found == nil ? 404 : 200,
                "responseHeaders": headers.map { ["name": $0.key, "value": $0.value] },
                "body": (found?.bytes ?? Data()).base64EncodedString(),
            ])
    }

    /// The paths of requests that wait.
    var waiting: [String] {
        held.compactMap {
            (($0["request"] as? [String: Any])?["url"] as? String).flatMap(URL.init(string:))?.path
        }
    }

    /// Answers the requests that wait, except those that `holds` still holds.
    func release(to browser: DevTools) throws {
        let all = held
        held = []
        for event in all { try answer(event, to: browser) }
    }

    private func file(_ url: URL) -> (bytes: Data, mediaType: String)? {
        let parts = url.path.split(separator: "/")
        guard url.host == "127.0.0.1" else { return nil }
        switch parts.first {
        case "view" where parts.count == 2:
            return (Self.page(of: String(parts[1])), "text/html; charset=utf-8")
        case "page" where parts.count == 2:
            return ViewerPage.files[String(parts[1])].map { (Data($0.bytes), $0.mediaType) }
        case "neighbors":
            return (Data(#"{"count": 0}"#.utf8), "application/json")
        case "iiif" where parts.count > 3 && (parts[2] == "photo" || parts[2] == "other"):
            let name = "tiles/" + parts.dropFirst(3).joined(separator: "/")
            let type = name.hasSuffix(".json") ? "application/json" : "image/png"
            let folder = parts[2] == "photo" ? image : other
            return (try? folder?.data(name)).map { ($0, type) }
        default:
            return nil
        }
    }

    private static func page(of identifier: String) -> Data {
        var html = String(decoding: ViewerPage.files["viewer.html"]?.bytes ?? [], as: UTF8.self)
        let service = "../iiif/3/\(identifier)"
        let values = [
            "title": "photo", "base": "..", "source": "data-service=\"\(service)\"", "preload": "",
            "still": "\(service)/full/113,88/0/default.png", "full": "\(service)/full/max/0/default.png",
            "navigation": "<a href=\"../\" aria-label=\"All images\">‹</a>",
        ]
        for (name, value) in values { html = html.replacing("{{\(name)}}", with: value) }
        return Data(html.utf8)
    }

    /// Renders the image with `viewport render`.
    func rendered(_ arguments: [String]) async throws -> Pixels {
        let path = folder.path("rendered.png")
        let result = try await BuiltProgram("viewport").run(
            ["render", image.path("photo.png"), "-o", path] + arguments)
        guard result.code == 0 else { throw DevToolsError(result.errors) }
        return try Pixels(path)
    }

    /// Makes a film along keyframes with `viewport fly`; returns the rectangles at its poses.
    func flown(_ keyframes: String) async throws -> [[Double]] {
        try Data(keyframes.utf8).write(to: folder.url.appendingPathComponent("poses.json"))
        let result = try await BuiltProgram("viewport").run(
            [
                "fly", image.path("photo.png"), "--keyframes", "poses.json", "-s", "40x30", "--fps", "1",
                "-o",
                "film.gif", "--json",
            ], in: folder.url)
        guard result.code == 0 else { throw DevToolsError(result.errors) }
        return result.json["stops"] as? [[Double]] ?? []
    }
}

/// The pixels of a PNG, four samples each.
///
/// All transparent pixels are equal.
struct Pixels: Equatable {
    var width: Int
    var height: Int
    var samples: [UInt8] = []

    init(_ path: String) throws {
        let image = try VipsImage.load(path, with: "pngload", [:])
        (width, height) = (image.width, image.height)
        let (bytes, bands) = (try image.pixels().copied(), image.bands)
        samples.reserveCapacity(width * height * 4)
        if bands == 4 || bands == 2 {
            samples =
                bands == 4
                ? bytes
                : stride(from: 0, to: bytes.count, by: 2).flatMap { start in
                    [bytes[start], bytes[start], bytes[start], bytes[start + 1]]
                }
            for alpha in stride(from: 3, to: samples.count, by: 4) where samples[alpha] == 0 {
                for band in 1...3 { samples[alpha - band] = 0 }
            }
        } else {
            for start in stride(from: 0, to: bytes.count, by: bands) {
                for band in 0..<3 { samples.append(bytes[start + (bands < 3 ? 0 : band)]) }
                samples.append(255)
            }
        }
    }

    /// The similarity to another picture, in decibels: 99 if equal, 0 for another size.
    func likeness(to other: Pixels) -> Double {
        (width, height) == (other.width, other.height) ? Comparing.psnr(samples, other.samples) : 0
    }

    /// The picture with its columns in reverse.
    var flipped: Pixels {
        var flipped = self
        for row in 0..<height {
            for column in 0..<width {
                let (from, to) = (4 * (row * width + column), 4 * (row * width + width - 1 - column))
                for band in 0..<4 { flipped.samples[to + band] = samples[from + band] }
            }
        }
        return flipped
    }

    /// A part of the picture.
    func cut(x: Int, y: Int, width: Int, height: Int) -> Pixels {
        var part = self
        (part.width, part.height) = (width, height)
        part.samples = []
        for row in y..<(y + height) {
            let start = 4 * (row * self.width + x)
            part.samples += samples[start..<(start + 4 * width)]
        }
        return part
    }

    var alphas: Set<UInt8> { Set(stride(from: 3, to: samples.count, by: 4).map { samples[$0] }) }

    var colors: Set<[UInt8]> {
        var colors: Set<[UInt8]> = []
        for start in stride(from: 0, to: samples.count, by: 4) {
            colors.insert([samples[start], samples[start + 1], samples[start + 2]])
        }
        return colors
    }

    /// The picture shifted one pixel to the right.
    var movedRight: Pixels {
        var moved = self
        moved.samples = Array(samples[..<4] + samples.dropLast(4))
        return moved
    }
}

extension Browser {
    /// Shows the page of the image.
    func open() throws { try open(Site.address) }

    /// The pixels of the canvas.
    var pixels: Pixels { get throws { try pixels(of: "#picture") } }

    /// The pixels of a canvas.
    func pixels(of selector: String) throws -> Pixels { try Pixels(picture(of: selector)) }
}
