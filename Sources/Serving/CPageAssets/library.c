#include "CPageAssets.h"

// SwiftPM's own way to embed files writes their bytes as literals of Swift, which take the compiler a minute.
#pragma clang diagnostic ignored "-Wc23-extensions"

#ifdef LIBRARY_PAGES

static const unsigned char asset_store_js[] = {
#embed "../LibraryServing/Assets/asset-store.js"
};
static const unsigned char changes_js[] = {
#embed "../LibraryServing/Assets/changes.js"
};
static const unsigned char choices_js[] = {
#embed "../LibraryServing/Assets/choices.js"
};
static const unsigned char edits_js[] = {
#embed "../LibraryServing/Assets/edits.js"
};
static const unsigned char film_html[] = {
#embed "../LibraryServing/Assets/film.html"
};
static const unsigned char film_js[] = {
#embed "../LibraryServing/Assets/film.js"
};
static const unsigned char grid_keys_js[] = {
#embed "../LibraryServing/Assets/grid-keys.js"
};
static const unsigned char grid_layout_js[] = {
#embed "../LibraryServing/Assets/grid-layout.js"
};
static const unsigned char grid_rows_js[] = {
#embed "../LibraryServing/Assets/grid-rows.js"
};
static const unsigned char grid_html[] = {
#embed "../LibraryServing/Assets/grid.html"
};
static const unsigned char grid_js[] = {
#embed "../LibraryServing/Assets/grid.js"
};
static const unsigned char groups_html[] = {
#embed "../LibraryServing/Assets/groups.html"
};
static const unsigned char info_panel_js[] = {
#embed "../LibraryServing/Assets/info-panel.js"
};
static const unsigned char library_css[] = {
#embed "../LibraryServing/Assets/library.css"
};
static const unsigned char long_scroll_js[] = {
#embed "../LibraryServing/Assets/long-scroll.js"
};
static const unsigned char map_html[] = {
#embed "../LibraryServing/Assets/map.html"
};
static const unsigned char map_js[] = {
#embed "../LibraryServing/Assets/map.js"
};
static const unsigned char missing_html[] = {
#embed "../LibraryServing/Assets/missing.html"
};
static const unsigned char photo_css[] = {
#embed "../LibraryServing/Assets/photo.css"
};
static const unsigned char photo_js[] = {
#embed "../LibraryServing/Assets/photo.js"
};
static const unsigned char scrubber_js[] = {
#embed "../LibraryServing/Assets/scrubber.js"
};
static const unsigned char search_js[] = {
#embed "../LibraryServing/Assets/search.js"
};
static const unsigned char selection_js[] = {
#embed "../LibraryServing/Assets/selection.js"
};
static const unsigned char slideshow_js[] = {
#embed "../LibraryServing/Assets/slideshow.js"
};
static const unsigned char titles_js[] = {
#embed "../LibraryServing/Assets/titles.js"
};
static const unsigned char world_map_js[] = {
#embed "../LibraryServing/Assets/world-map.js"
};
static const unsigned char world_json[] = {
#embed "../LibraryServing/Assets/world.json"
};

#define ENTRY(name, bytes) { name, bytes, sizeof bytes }

static const struct page_asset assets[] = {
    ENTRY("asset-store.js", asset_store_js),
    ENTRY("changes.js", changes_js),
    ENTRY("choices.js", choices_js),
    ENTRY("edits.js", edits_js),
    ENTRY("film.html", film_html),
    ENTRY("film.js", film_js),
    ENTRY("grid-keys.js", grid_keys_js),
    ENTRY("grid-layout.js", grid_layout_js),
    ENTRY("grid-rows.js", grid_rows_js),
    ENTRY("grid.html", grid_html),
    ENTRY("grid.js", grid_js),
    ENTRY("groups.html", groups_html),
    ENTRY("info-panel.js", info_panel_js),
    ENTRY("library.css", library_css),
    ENTRY("long-scroll.js", long_scroll_js),
    ENTRY("map.html", map_html),
    ENTRY("map.js", map_js),
    ENTRY("missing.html", missing_html),
    ENTRY("photo.css", photo_css),
    ENTRY("photo.js", photo_js),
    ENTRY("scrubber.js", scrubber_js),
    ENTRY("search.js", search_js),
    ENTRY("selection.js", selection_js),
    ENTRY("slideshow.js", slideshow_js),
    ENTRY("titles.js", titles_js),
    ENTRY("world-map.js", world_map_js),
    ENTRY("world.json", world_json),
};

const struct page_asset *library_page_asset(size_t number) {
    return number < sizeof assets / sizeof *assets ? &assets[number] : NULL;
}

#else

const struct page_asset *library_page_asset(size_t number) { return NULL; }

#endif
