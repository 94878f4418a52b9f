#include "CPageAssets.h"

// SwiftPM's own way to embed files writes their bytes as literals of Swift, which take the compiler a minute.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char compare_html[] = {
#embed "../ViewerPages/Assets/compare.html"
};
static const unsigned char compare_js[] = {
#embed "../ViewerPages/Assets/compare.js"
};
static const unsigned char controls_js[] = {
#embed "../ViewerPages/Assets/controls.js"
};
static const unsigned char gestures_js[] = {
#embed "../ViewerPages/Assets/gestures.js"
};
static const unsigned char hint_js[] = {
#embed "../ViewerPages/Assets/hint.js"
};
static const unsigned char icon_svg[] = {
#embed "../ViewerPages/Assets/icon.svg"
};
static const unsigned char index_css[] = {
#embed "../ViewerPages/Assets/index.css"
};
static const unsigned char key_poses_js[] = {
#embed "../ViewerPages/Assets/key-poses.js"
};
static const unsigned char last_place_js[] = {
#embed "../ViewerPages/Assets/last-place.js"
};
static const unsigned char minimap_js[] = {
#embed "../ViewerPages/Assets/minimap.js"
};
static const unsigned char neighbors_js[] = {
#embed "../ViewerPages/Assets/neighbors.js"
};
static const unsigned char painter_js[] = {
#embed "../ViewerPages/Assets/painter.js"
};
static const unsigned char place_js[] = {
#embed "../ViewerPages/Assets/place.js"
};
static const unsigned char progress_js[] = {
#embed "../ViewerPages/Assets/progress.js"
};
static const unsigned char pyramid_js[] = {
#embed "../ViewerPages/Assets/pyramid.js"
};
static const unsigned char regions_wasm[] = {
#embed "../ViewerPages/Assets/regions.wasm"
};
static const unsigned char scroll_view_js[] = {
#embed "../ViewerPages/Assets/scroll-view.js"
};
static const unsigned char scroll_wasm[] = {
#embed "../ViewerPages/Assets/scroll.wasm"
};
static const unsigned char stage_js[] = {
#embed "../ViewerPages/Assets/stage.js"
};
static const unsigned char static_pyramid_js[] = {
#embed "../ViewerPages/Assets/static-pyramid.js"
};
static const unsigned char swipe_js[] = {
#embed "../ViewerPages/Assets/swipe.js"
};
static const unsigned char tile_loader_js[] = {
#embed "../ViewerPages/Assets/tile-loader.js"
};
static const unsigned char viewer_css[] = {
#embed "../ViewerPages/Assets/viewer.css"
};
static const unsigned char viewer_html[] = {
#embed "../ViewerPages/Assets/viewer.html"
};
static const unsigned char viewer_js[] = {
#embed "../ViewerPages/Assets/viewer.js"
};
static const unsigned char viewport_tiles_js[] = {
#embed "../ViewerPages/Assets/viewport-tiles.js"
};
static const unsigned char words_js[] = {
#embed "../ViewerPages/Assets/words.js"
};

#define ENTRY(name, bytes) { name, bytes, sizeof bytes }

static const struct page_asset assets[] = {
    ENTRY("compare.html", compare_html),
    ENTRY("compare.js", compare_js),
    ENTRY("controls.js", controls_js),
    ENTRY("gestures.js", gestures_js),
    ENTRY("hint.js", hint_js),
    ENTRY("icon.svg", icon_svg),
    ENTRY("index.css", index_css),
    ENTRY("key-poses.js", key_poses_js),
    ENTRY("last-place.js", last_place_js),
    ENTRY("minimap.js", minimap_js),
    ENTRY("neighbors.js", neighbors_js),
    ENTRY("painter.js", painter_js),
    ENTRY("place.js", place_js),
    ENTRY("progress.js", progress_js),
    ENTRY("pyramid.js", pyramid_js),
    ENTRY("regions.wasm", regions_wasm),
    ENTRY("scroll-view.js", scroll_view_js),
    ENTRY("scroll.wasm", scroll_wasm),
    ENTRY("stage.js", stage_js),
    ENTRY("static-pyramid.js", static_pyramid_js),
    ENTRY("swipe.js", swipe_js),
    ENTRY("tile-loader.js", tile_loader_js),
    ENTRY("viewer.css", viewer_css),
    ENTRY("viewer.html", viewer_html),
    ENTRY("viewer.js", viewer_js),
    ENTRY("viewport-tiles.js", viewport_tiles_js),
    ENTRY("words.js", words_js),
};

const struct page_asset *viewer_page_asset(size_t number) {
    return number < sizeof assets / sizeof *assets ? &assets[number] : NULL;
}
