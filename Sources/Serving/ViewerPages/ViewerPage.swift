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

    /// Returns the file with this name, as it was written, or nil if there is none.
    package static func asset(named name: String) -> Asset? { all[name] }

    /// The names of all files, sorted.
    package static var names: [String] { all.keys.sorted() }

    /// All files by name.
    package static let all: [String: Asset] = [
        "compare.html": Asset(PackageResources.compare_html, "text/html; charset=utf-8"),
        "compare.js": Asset(script: PackageResources.compare_js),
        "controls.js": Asset(script: PackageResources.controls_js),
        "gestures.js": Asset(script: PackageResources.gestures_js),
        "hint.js": Asset(script: PackageResources.hint_js),
        "icon.svg": Asset(PackageResources.icon_svg, "image/svg+xml"),
        "index.css": Asset(PackageResources.index_css, "text/css; charset=utf-8"),
        "key-poses.js": Asset(script: PackageResources.key_poses_js),
        "last-place.js": Asset(script: PackageResources.last_place_js),
        "minimap.js": Asset(script: PackageResources.minimap_js),
        "neighbors.js": Asset(script: PackageResources.neighbors_js),
        "painter.js": Asset(script: PackageResources.painter_js),
        "place.js": Asset(script: PackageResources.place_js),
        "progress.js": Asset(script: PackageResources.progress_js),
        "pyramid.js": Asset(script: PackageResources.pyramid_js),
        "regions.wasm": Asset(PackageResources.regions_wasm, "application/wasm"),
        "scroll-view.js": Asset(script: PackageResources.scroll_view_js),
        "scroll.wasm": Asset(PackageResources.scroll_wasm, "application/wasm"),
        "stage.js": Asset(script: PackageResources.stage_js),
        "static-pyramid.js": Asset(script: PackageResources.static_pyramid_js),
        "swipe.js": Asset(script: PackageResources.swipe_js),
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
        self.init(bytes: bytes, mediaType: mediaType)
    }

    fileprivate init(script bytes: [UInt8]) {
        self.init(bytes, "text/javascript; charset=utf-8")
    }
}
