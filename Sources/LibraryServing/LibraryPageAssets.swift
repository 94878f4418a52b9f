package import TileServing

/// The files that the pages of libraries are made of, as they stand in the program itself.
package enum LibraryPageAssets {
    /// The file of that name; nil where there is none.
    package static func asset(named name: String) -> PageAsset? { assets[name] }

    /// The names of all files, sorted.
    package static var names: [String] { assets.keys.sorted() }

    private static let assets: [String: PageAsset] = [
        "asset-store.js": script(PackageResources.asset_store_js),
        "changes.js": script(PackageResources.changes_js),
        "choices.js": script(PackageResources.choices_js),
        "film.html": asset(PackageResources.film_html, "text/html; charset=utf-8"),
        "film.js": script(PackageResources.film_js),
        "grid-keys.js": script(PackageResources.grid_keys_js),
        "grid-layout.js": script(PackageResources.grid_layout_js),
        "grid-rows.js": script(PackageResources.grid_rows_js),
        "grid.html": asset(PackageResources.grid_html, "text/html; charset=utf-8"),
        "grid.js": script(PackageResources.grid_js),
        "groups.html": asset(PackageResources.groups_html, "text/html; charset=utf-8"),
        "library.css": asset(PackageResources.library_css, "text/css; charset=utf-8"),
        "long-scroll.js": script(PackageResources.long_scroll_js),
        "titles.js": script(PackageResources.titles_js),
    ]

    private static func script(_ bytes: [UInt8]) -> PageAsset {
        asset(bytes, "text/javascript; charset=utf-8")
    }

    private static func asset(_ bytes: [UInt8], _ mediaType: String) -> PageAsset {
        PageAsset(
            bytes: bytes, mediaType: mediaType, etag: EntityTag(String(decoding: bytes, as: UTF8.self)).text)
    }
}
