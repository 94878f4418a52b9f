import Foundation
import TestSupport
import ViewerPages
import Vips

/// An image of 900 x 700 points as `viewport pyramid` exports it, and the page that shows it.
@MainActor
final class Site: PageHost {
    static let viewport = BuiltProgram("viewport")
    static let address = "http://127.0.0.1/view/photo"

    /// The image and its tiles, made once for all tests.
    private static let made = Task {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try TestImages.photo(width: 900, height: 700).save(path, with: "pngsave", [:])
        let made = try await viewport.run([
            "pyramid", path, "--tile-size", "128", "--format", "png", "--id", "http://127.0.0.1/iiif/3/photo",
            "-o",
            folder.path("tiles"),
        ])
        guard made.code == 0 else { throw DevToolsError(made.errors) }
        return folder
    }

    private let image: TemporaryFolder
    /// The folder for the pictures of a test.
    let folder: TemporaryFolder
    /// Whether requests remain unanswered.
    var isGone = false
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

    private func file(_ url: URL) -> (bytes: Data, mediaType: String)? {
        let parts = url.path.split(separator: "/")
        guard url.host == "127.0.0.1" else { return nil }
        switch parts.first {
        case "view" where parts.count == 2:
            return (Self.page(of: String(parts[1])), "text/html; charset=utf-8")
        case "page" where parts.count == 2:
            return ViewerPage.asset(named: String(parts[1])).map { (Data($0.bytes), $0.mediaType) }
        case "iiif" where parts.count > 3 && parts[2] == "photo":
            let name = "tiles/" + parts.dropFirst(3).joined(separator: "/")
            let type = name.hasSuffix(".json") ? "application/json" : "image/png"
            return (try? image.data(name)).map { ($0, type) }
        default:
            return nil
        }
    }

    private static func page(of identifier: String) -> Data {
        var html = String(decoding: ViewerPage.asset(named: "viewer.html")?.bytes ?? [], as: UTF8.self)
        let values = ["title": "photo", "base": "..", "identifier": identifier, "navigation": ""]
        for (name, value) in values { html = html.replacing("{{\(name)}}", with: value) }
        return Data(html.utf8)
    }

    /// Renders the image with `viewport render`.
    nonisolated func rendered(_ arguments: [String]) async throws -> Pixels {
        let path = folder.path("rendered.png")
        let result = try await BuiltProgram("viewport").run(
            ["render", image.path("photo.png"), "-o", path] + arguments)
        guard result.code == 0 else { throw DevToolsError(result.errors) }
        return try Pixels(path)
    }

    /// Makes a film along keyframes with `viewport fly`; returns the rectangles at its poses.
    nonisolated func flown(_ keyframes: String) async throws -> [[Double]] {
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
        if bands == 4 {
            samples = bytes
            for alpha in stride(from: 3, to: bytes.count, by: 4) where bytes[alpha] == 0 {
                for band in 1...3 { samples[alpha - band] = 0 }
            }
        } else {
            for start in stride(from: 0, to: bytes.count, by: bands) {
                for band in 0..<3 { samples.append(bytes[start + band]) }
                samples.append(255)
            }
        }
    }

    /// The similarity to another picture, in decibels: 99 if equal, 0 for another size.
    func likeness(to other: Pixels) -> Double {
        (width, height) == (other.width, other.height) ? Comparing.psnr(samples, other.samples) : 0
    }

    /// The picture shifted one pixel to the right.
    var movedRight: Pixels {
        var moved = self
        moved.samples = Array(samples[..<4] + samples.dropLast(4))
        return moved
    }
}
