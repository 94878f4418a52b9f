#include "CPageAssets.h"

// SwiftPM's own way to embed files writes their bytes as literals of Swift, which take the compiler a minute.
#pragma clang diagnostic ignored "-Wc23-extensions"

#ifdef LIBRARY_PAGES

#define TEXT(path) QUOTED(path)
#define QUOTED(path) #path
#define ASSETS ../LibraryServing/Assets

const struct page_asset *library_page_asset(size_t number) {
#define ASSET annotations.js
#include "asset.h"
#define ASSET apart.js
#include "asset.h"
#define ASSET ask.js
#include "asset.h"
#define ASSET asset-store.js
#include "asset.h"
#define ASSET atlas.js
#include "asset.h"
#define ASSET changes.js
#include "asset.h"
#define ASSET choices.js
#include "asset.h"
#define ASSET edits.js
#include "asset.h"
#define ASSET film.html
#include "asset.h"
#define ASSET film.js
#include "asset.h"
#define ASSET grid-keys.js
#include "asset.h"
#define ASSET grid-layout.js
#include "asset.h"
#define ASSET grid-rows.js
#include "asset.h"
#define ASSET grid.html
#include "asset.h"
#define ASSET grid.js
#include "asset.h"
#define ASSET groups.html
#include "asset.h"
#define ASSET info-panel.js
#include "asset.h"
#define ASSET library.css
#include "asset.h"
#define ASSET labels.js
#include "asset.h"
#define ASSET list.html
#include "asset.h"
#define ASSET long-scroll.js
#include "asset.h"
#define ASSET map-tiles.js
#include "asset.h"
#define ASSET map.html
#include "asset.h"
#define ASSET map.js
#include "asset.h"
#define ASSET missing.html
#include "asset.h"
#define ASSET photo.css
#include "asset.h"
#define ASSET photo.js
#include "asset.h"
#define ASSET place-box.js
#include "asset.h"
#define ASSET projection.js
#include "asset.h"
#define ASSET scrubber.js
#include "asset.h"
#define ASSET search.js
#include "asset.h"
#define ASSET selection.js
#include "asset.h"
#define ASSET shared.html
#include "asset.h"
#define ASSET shares.html
#include "asset.h"
#define ASSET shares.js
#include "asset.h"
#define ASSET sharing.js
#include "asset.h"
#define ASSET slideshow.js
#include "asset.h"
#define ASSET tile-size.js
#include "asset.h"
#define ASSET titles.js
#include "asset.h"
#define ASSET trash.html
#include "asset.h"
#define ASSET trash.js
#include "asset.h"
#define ASSET uploads.js
#include "asset.h"
#define ASSET world-map.js
#include "asset.h"
#define ASSET world.json
#include "asset.h"
    return NULL;
}

const struct page_asset *library_atlas(size_t number) {
#define ASSET atlas.bin
#include "asset.h"
    return NULL;
}

#else

const struct page_asset *library_page_asset(size_t number) { return NULL; }
const struct page_asset *library_atlas(size_t number) { return NULL; }

#endif
