#pragma once

#include <stddef.h>

/// A file of the pages, embedded in the program.
struct page_asset {
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t count;
};

/// Returns the file of the viewer's pages with a number; null behind the last one.
const struct page_asset *_Nullable viewer_page_asset(size_t number);

/// Returns the file of the pages of libraries with a number; null behind the last one.
const struct page_asset *_Nullable library_page_asset(size_t number);

/// Returns the map of the world in cells for 0; null for other numbers.
const struct page_asset *_Nullable library_atlas(size_t number);
