internal import CPageAssets

/// The files of the page that shows one image in a browser, embedded in the program.
///
/// `viewer.html` is a template with HTML-escaped placeholders: `{{title}}`; `{{base}}`, the server's address
/// without a trailing slash, or a relative one; `{{source}}`, the attributes of the body that name the image:
/// `data-service` with the URL of its IIIF service, or of the JPEG with `data-sidecar`; `{{preload}}`, links to what
/// scripts will request, or nothing; `{{still}}` and `{{full}}`, the URLs of a small and of a large picture for
/// browsers without scripts; `{{navigation}}`, links to other pages, or nothing. `compare.html` has `{{title}}`,
/// `{{base}}`, `{{navigation}}`, and `{{source}}` with `data-first` and `data-second`. The pages request all other
/// files below `{{base}}/page/`, by the names of ``PageFiles``, and nothing from other servers. Their content security
/// policy may be `'self'` for everything, plus `'wasm-unsafe-eval'` for scripts, and `blob:` for pictures.
package enum ViewerPage {
    /// A file of the page.
    package struct Asset: Equatable, Sendable {
        package let bytes: [UInt8]
        package let mediaType: String

        package init(bytes: [UInt8], mediaType: String) {
            (self.bytes, self.mediaType) = (bytes, mediaType)
        }
    }

    /// All files by name, as they were written.
    package static let all = unsafe embedded { unsafe viewer_page_asset($0) }

    /// The files of the pages of libraries, by name.
    package static let library = unsafe embedded { unsafe library_page_asset($0) }

    /// The map of the world in cells, of which pages of libraries get one at a time.
    package static let atlas = (unsafe embedded { unsafe library_atlas($0) })["atlas.bin"]?.bytes ?? []

    /// Returns the files that a function gives by their numbers, until there are no more.
    private static func embedded(_ file: (Int) -> UnsafePointer<page_asset>?) -> [String: Asset] {
        var files: [String: Asset] = [:]
        // Names and bytes are constants of the program.
        while let file = unsafe file(files.count)?.pointee {
            let bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
            let name = unsafe String(cString: file.name)
            files[name] = Asset(bytes: bytes, mediaType: mediaType(of: name))
        }
        return files
    }

    /// The media type of a file, whose extension is one of those that the pages have.
    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "wasm": "application/wasm"
        case "svg": "image/svg+xml"
        case "bin": "application/octet-stream"
        default: preconditionFailure("\(name) has an extension without a media type")
        }
    }
}
