#include "CPageAssets.h"

// SwiftPM's own way to embed files writes their bytes as literals of Swift, which take the compiler a minute.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define TEXT(path) QUOTED(path)
#define QUOTED(path) #path
#define ASSETS ../ViewerPages/Assets

const struct page_asset *viewer_page_asset(size_t number) {
#define ASSET animation.js
#include "asset.h"
#define ASSET canvas-size.js
#include "asset.h"
#define ASSET compare.html
#include "asset.h"
#define ASSET compare.js
#include "asset.h"
#define ASSET compile.js
#include "asset.h"
#define ASSET controls.js
#include "asset.h"
#define ASSET follow-phone.js
#include "asset.h"
#define ASSET gestures.js
#include "asset.h"
#define ASSET hint.js
#include "asset.h"
#define ASSET icon.svg
#include "asset.h"
#define ASSET index.css
#include "asset.h"
#define ASSET index.html
#include "asset.h"
#define ASSET index.js
#include "asset.h"
#define ASSET key-poses.js
#include "asset.h"
#define ASSET last-place.js
#include "asset.h"
#define ASSET minimap.js
#include "asset.h"
#define ASSET neighbors.js
#include "asset.h"
#define ASSET open-page.js
#include "asset.h"
#define ASSET others.js
#include "asset.h"
#define ASSET painter.js
#include "asset.h"
#define ASSET panorama-view.js
#include "asset.h"
#define ASSET panorama.wasm
#include "asset.h"
#define ASSET place.js
#include "asset.h"
#define ASSET problem.html
#include "asset.h"
#define ASSET png-regions.js
#include "asset.h"
#define ASSET png-writer.js
#include "asset.h"
#define ASSET progress.js
#include "asset.h"
#define ASSET progressive-regions.js
#include "asset.h"
#define ASSET progressive.wasm
#include "asset.h"
#define ASSET pyramid.js
#include "asset.h"
#define ASSET readout.js
#include "asset.h"
#define ASSET regions.wasm
#include "asset.h"
#define ASSET scroll-view.js
#include "asset.h"
#define ASSET scroll.wasm
#include "asset.h"
#define ASSET sphere-canvas.js
#include "asset.h"
#define ASSET sphere-gl.js
#include "asset.h"
#define ASSET sphere-map.js
#include "asset.h"
#define ASSET sphere-mode.js
#include "asset.h"
#define ASSET sphere-pages.js
#include "asset.h"
#define ASSET sphere.js
#include "asset.h"
#define ASSET stage.js
#include "asset.h"
#define ASSET static-pyramid.js
#include "asset.h"
#define ASSET strip.js
#include "asset.h"
#define ASSET swipe.js
#include "asset.h"
#define ASSET tiff-tiles.js
#include "asset.h"
#define ASSET tile-loader.js
#include "asset.h"
#define ASSET unpack.js
#include "asset.h"
#define ASSET viewer.css
#include "asset.h"
#define ASSET viewer.html
#include "asset.h"
#define ASSET viewer.js
#include "asset.h"
#define ASSET viewport-tiles.js
#include "asset.h"
#define ASSET words.js
#include "asset.h"
    return NULL;
}
