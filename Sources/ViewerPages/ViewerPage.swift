internal import Basics

/// The files of the page that shows one image in a browser, embedded in the program.
///
/// `viewer.html` is a template with HTML-escaped placeholders: `{{title}}`; `{{base}}`, the server's address
/// without a trailing slash, or a relative one; `{{identifier}}`, the image's identifier below
/// `{{base}}/iiif/3/`, percent-encoded; `{{navigation}}`, links to other pages, or nothing. The page requests
/// all other files below `{{base}}/page/`, by the names here, and nothing from other servers. Its content
/// security policy may be `'self'` for everything, plus `'wasm-unsafe-eval'` for scripts.
package enum ViewerPage {
    /// A file of the page.
    package struct Asset: Equatable, Sendable {
        package let bytes: [UInt8]
        package let mediaType: String
        /// A strong entity tag of the bytes, in quotes.
        package let etag: String
    }

    /// Returns the file with this name, or nil if there is none.
    package static func asset(named name: String) -> Asset? { assets[name] }

    /// The names of all files, sorted.
    package static var names: [String] { assets.keys.sorted() }

    private static let assets: [String: Asset] = [
        "controls.js": Asset(script: PackageResources.controls_js),
        "gestures.js": Asset(script: PackageResources.gestures_js),
        "icon.svg": Asset(PackageResources.icon_svg, "image/svg+xml"),
        "index.css": Asset(PackageResources.index_css, "text/css; charset=utf-8"),
        "key-poses.js": Asset(script: PackageResources.key_poses_js),
        "last-place.js": Asset(script: PackageResources.last_place_js),
        "minimap.js": Asset(script: PackageResources.minimap_js),
        "neighbors.js": Asset(script: PackageResources.neighbors_js),
        "painter.js": Asset(script: PackageResources.painter_js),
        "place.js": Asset(script: PackageResources.place_js),
        "pyramid.js": Asset(script: PackageResources.pyramid_js),
        "regions.wasm": Asset(PackageResources.regions_wasm, "application/wasm"),
        "scroll-view.js": Asset(script: PackageResources.scroll_view_js),
        "scroll.wasm": Asset(PackageResources.scroll_wasm, "application/wasm"),
        "static-pyramid.js": Asset(script: PackageResources.static_pyramid_js),
        "tile-loader.js": Asset(script: PackageResources.tile_loader_js),
        "viewer.css": Asset(PackageResources.viewer_css, "text/css; charset=utf-8"),
        "viewer.html": Asset(PackageResources.viewer_html, "text/html; charset=utf-8"),
        "viewer.js": Asset(script: PackageResources.viewer_js),
        "viewport-tiles.js": Asset(script: PackageResources.viewport_tiles_js),
        "words.js": Asset(script: PackageResources.words_js),
    ]
}

extension ViewerPage.Asset {
    fileprivate init(_ bytes: [UInt8], _ mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        // A hash to distinguish versions of a file; it need not resist attacks.
        etag = "\"" + String(FNV1a.hash(bytes), radix: 16) + "\""
    }

    fileprivate init(script bytes: [UInt8]) {
        self.init(bytes, "text/javascript; charset=utf-8")
    }
}
