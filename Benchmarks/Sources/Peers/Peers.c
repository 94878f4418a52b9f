#include "Peers.h"

#include <string.h>
#include <vips/vips.h>

int peer_start(int threads) {
    if (vips_init("peers") != 0) return -1;
    // A tile that is read again must be decoded again.
    vips_cache_set_max(0);
    vips_concurrency_set(threads);
    return 0;
}

int peer_write_pyramid(const char *from, const char *to, int quality) {
    VipsImage *image = vips_image_new_from_file(from, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (!image) return -1;
    int code = vips_tiffsave(image, to, "tile", TRUE, "pyramid", TRUE, "compression",
                             VIPS_FOREIGN_TIFF_COMPRESSION_JPEG, "Q", quality, NULL);
    g_object_unref(image);
    return code;
}

void *peer_open(const char *file, int page) {
    // Only the TIFF loader has pages.
    if (page == 0) return vips_image_new_from_file(file, NULL);
    return vips_image_new_from_file(file, "page", page, NULL);
}

int peer_width(void *image) { return vips_image_get_width(image); }
int peer_height(void *image) { return vips_image_get_height(image); }

int peer_crop(void *image, int x, int y, int width, int height, uint8_t *pixels) {
    VipsImage *part;
    if (vips_crop(image, &part, x, y, width, height, NULL) != 0) return -1;
    size_t size;
    void *memory = vips_image_write_to_memory(part, &size);
    g_object_unref(part);
    if (!memory || size != (size_t)width * height * 3) return -1;
    if (pixels) memcpy(pixels, memory, size);
    g_free(memory);
    return 0;
}

size_t peer_png(const uint8_t *pixels, int width, int height) {
    VipsImage *image = vips_image_new_from_memory(pixels, (size_t)width * height * 3, width, height, 3,
                                                  VIPS_FORMAT_UCHAR);
    if (!image) return 0;
    void *png = NULL;
    size_t size = 0;
    if (vips_pngsave_buffer(image, &png, &size, NULL) != 0) size = 0;
    g_object_unref(image);
    g_free(png);
    return size;
}
