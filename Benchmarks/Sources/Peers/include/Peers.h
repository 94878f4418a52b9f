// What libvips is asked to do beside us. Functions that can fail return 0 where all is well.
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>
#include <stdint.h>

// Starts libvips, with as many threads for an operation.
int peer_start(int threads);

// A tiled pyramid TIFF of JPEG tiles of a quality, made from an image file; 75 is libvips' own choice.
int peer_write_pyramid(const char *from, const char *to, int quality);

// An image file that stays open; page 0 of a pyramid is the full resolution. NULL where it cannot be opened.
void *peer_open(const char *file, int page);
int peer_width(void *image);
int peer_height(void *image);

// Pixels of a part of it, 3 bytes each: what `vips crop` does, into memory. They are copied unless `pixels` is
// NULL.
int peer_crop(void *image, int x, int y, int width, int height, uint8_t *pixels);

// The size of the PNG that libvips makes by default of pixels of 3 bytes; 0 where it fails.
size_t peer_png(const uint8_t *pixels, int width, int height);

#endif
