// The libvips side of the benchmarks. Functions that can fail return 0 on success.
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>
#include <stdint.h>

// Starts libvips with a number of threads per operation.
int peer_start(int threads);

// Writes a tiled pyramid TIFF with JPEG tiles of a quality; the default of libvips is 75.
int peer_write_pyramid(const char *from, const char *to, int quality);

// Opens an image file; page 0 of a pyramid has full resolution. Returns NULL on failure.
void *peer_open(const char *file, int page);
int peer_width(void *image);
int peer_height(void *image);

// Decodes a part, 3 bytes per pixel, as `vips crop` does. Copies it unless `pixels` is NULL.
int peer_crop(void *image, int x, int y, int width, int height, uint8_t *pixels);

// Returns the size of the PNG that libvips writes by default, from 3 bytes per pixel; 0 on failure.
size_t peer_png(const uint8_t *pixels, int width, int height);

#endif
