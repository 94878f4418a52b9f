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
        let template = String(decoding: ViewerPage.asset(named: "viewer.html")?.bytes ?? [], as: UTF8.self)
        let thumbnail = address(image.thumbnail)
        let sidecar = #"data-service="\#(escaped(image.address))" data-sidecar="\#(address(image.sidecar))""#
        let values = [
            (#"data-service="{{base}}/iiif/3/{{identifier}}""#, sidecar),
            ("{{base}}/iiif/3/{{identifier}}/full/!1600,1200/0/default.jpg", thumbnail),
            ("{{base}}", "."), ("{{title}}", escaped(image.title)),
            ("{{navigation}}", isAlone ? "" : #"<a href="./index.html" aria-label="All images">‹</a>"#),
        ]
        return values.reduce(template) { $0.replacing($1.0, with: $1.1) }
    }

    /// Returns the index of a site: a thumbnail of each image.
    static func index(_ images: [SiteImage], title: String) -> String {
        let items = images.map { image in
            """
            <li><a href="\(address(image.page))"><img src="\(address(image.thumbnail))" alt="" loading="lazy" \
            width="180" height="180"><span title="\(image.size.width) × \(image.size.height)">\
            \(escaped(image.title))</span></a></li>
            """
        }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(escaped(title))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" type="image/svg+xml" href="./page/icon.svg">
            <link rel="stylesheet" href="./page/index.css">
            <h1>\(escaped(title))</h1>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            </html>

            """
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

    /// Escapes a text for HTML and its attributes.
    static func escaped(_ text: String) -> String {
        PathText.shown(text).reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // Placeholders of the template are not for values.
            case "{": result += "&#123;"
            default: result.append(character)
            }
        }
    }
}
