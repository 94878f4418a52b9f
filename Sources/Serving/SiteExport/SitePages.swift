internal import Files
internal import ViewerPages
internal import ViewportGeometry

/// An image of a site.
struct SiteImage {
    /// The name of its file, as users see it.
    let title: String
    /// The path of its page in the site.
    let page: String
    /// The URL of the JPEG, relative to the page, or of another host.
    let address: String
    /// The path of its sidecar in the site.
    let sidecar: String
    /// The path of its thumbnail in the site.
    let thumbnail: String
    /// The upright size.
    let size: PixelSize<UprightGrid>
}

/// The HTML pages of a site.
///
/// All of them lie in its main folder, and links are relative.
enum SitePages {
    /// Returns the page that shows one image.
    ///
    /// - Parameter isAlone: Whether there is no index to return to.
    static func viewer(_ image: SiteImage, isAlone: Bool) -> String {
        let template = String(decoding: ViewerPage.files["viewer.html"]?.bytes ?? [], as: UTF8.self)
        let full = PageTemplate.escaped(image.address)
        return PageTemplate(template).filled([
            "source": #"data-service="\#(full)" data-sidecar="\#(address(image.sidecar))""#,
            "still": address(image.thumbnail), "full": full, "base": ".",
            "title": PageTemplate.escaped(image.title),
            "navigation": isAlone ? "" : #"<a href="./index.html" aria-label="All images">‹</a>"#,
        ])
    }

    /// Returns the index of a site: a thumbnail of each image.
    static func index(_ images: [SiteImage], title: String) -> String {
        let items = images.map { image in
            """
            <li><a href="\(address(image.page))"><img src="\(address(image.thumbnail))" alt="" loading="lazy" \
            width="180" height="180"><span title="\(image.size.width) × \(image.size.height)">\
            \(PageTemplate.escaped(image.title))</span></a></li>
            """
        }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(PageTemplate.escaped(title))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" type="image/svg+xml" href="./page/\(ViewerPage.files.address(of: "icon.svg"))">
            <link rel="stylesheet" href="./page/\(ViewerPage.files.address(of: "index.css"))">
            <h1>\(PageTemplate.escaped(title))</h1>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            </html>

            """
    }

    /// The names of the files that pages of a site load, and of those that other pages may load.
    static func files(isGallery: Bool) -> [String] {
        let unused = ["compare", isGallery ? nil : "index"].compactMap { $0 }
        return ViewerPage.files.finalNames.filter { name in !unused.contains { name.hasPrefix("\($0)-") } }
            + ["viewport-tiles.js", "regions.wasm"]
    }

    /// Returns the relative URL of a path in the site, for HTML.
    static func address(_ path: String) -> String { "./" + percentEncoded(path) }

    /// Encodes a path for URLs: everything except letters, digits and -._~/.
    static func percentEncoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return PathText.bytes(path).reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }
}
