/// \file viewport_jpeg_index.h
/// Random access into baseline JPEGs: decode any region without decoding the rest of the file.
///
/// The library `libviewport-jpeg-index` is deprecated: `libviewport` has these functions, too; link that one.
///
/// \code
/// vji_index *index;
/// char message[256];
/// if (vji_open_path("photo.jpg", &index, message, sizeof message) != VJI_OK) { puts(message); return 1; }
///
/// static uint8_t pixels[600][800 * 3];
/// vji_region region = {.x = 4000, .y = 3000, .width = 800, .height = 600, .denominator = 1};
/// vji_pixels target = {.data = pixels, .size = sizeof pixels, .stride = 800 * 3, .format = VJI_RGB};
/// if (vji_read_region(index, &region, &target, message, sizeof message) != VJI_OK) puts(message);
/// vji_close(index);
/// \endcode
///
/// An index stores positions in the compressed data from which decoding can begin. `vji_open` finds them in one
/// pass over the file; `vji_save` and `vji_load` keep them for later runs, in at most 0.25 % of the file's size (or a
/// few bytes for each row of blocks where that is more).
///
/// **Pixels.** A region has exactly the pixels that libjpeg-turbo's default decoder gives there for the whole file:
/// accurate integer transform, "fancy" upsampling, rows from the top. The EXIF orientation and color profiles are not
/// applied. Coordinates count pixels of the stored image, from 0 at the top left.
///
/// **Errors.** Every function but `vji_close` returns a status. Functions with a `message` parameter write the cause
/// there as UTF-8 with a terminating zero, cut to `capacity` bytes; an empty text if they succeed. `message` may be
/// NULL if `capacity` is 0. No function throws, exits or prints.
///
/// **Threads.** All functions may be called from several threads at the same time, with the same index, too, except
/// that no call may use an index during or after `vji_close`. The library keeps no global state.
///
/// **Ownership.** The caller owns all buffers, which are used during the call only. An index belongs to the caller,
/// who releases it with `vji_close`.

#ifndef VIEWPORT_JPEG_INDEX_H
#define VIEWPORT_JPEG_INDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VJI_CHECK __attribute__((warn_unused_result))
#else
#define VJI_CHECK
#endif

/// The result of a call.
typedef enum vji_status {
    /// The call succeeded.
    VJI_OK = 0,
    /// An argument is NULL, negative, zero or unknown where it must not be, or a buffer is too small for its region.
    VJI_INVALID_ARGUMENT = 1,
    /// The region is not inside the image at its scale.
    VJI_OUTSIDE = 2,
    /// The file cannot be opened, the caller's `read` failed, or the file ended before its size or was changed.
    VJI_READ_FAILED = 3,
    /// Not a JPEG that allows random access: progressive, arithmetic-coded, CMYK, or no JPEG at all.
    VJI_UNSUPPORTED = 4,
    /// The JPEG's header or compressed data is damaged or incomplete.
    VJI_DAMAGED = 5,
    /// The saved index belongs to another file or another state of the file, or is damaged.
    VJI_STALE_INDEX = 6,
    /// The buffer for the saved index is too small.
    VJI_BUFFER_TOO_SMALL = 7,
} vji_status;

/// An index with its source of bytes.
typedef struct vji_index vji_index;

/// A file that the caller reads for the library.
///
/// The struct is copied; `context` and what it points to must stay valid until `vji_close` returns.
typedef struct vji_source {
    /// Passed to `read`; not used otherwise.
    void *context;
    /// The size of the file in bytes.
    int64_t size;
    /// The time of the file's last modification, or any other number that changes with its contents; 0 if unknown.
    /// A saved index is accepted only with the same number.
    int64_t modified;
    /// Copies up to `length` bytes, beginning `offset` bytes from the start of the file, to `buffer`.
    ///
    /// Returns the number of copied bytes, which may be less than `length` but is 0 only at the end of the file, or
    /// a negative number on failure. `length` is at least 1, and `offset + length` at most `size`.
    ///
    /// It is called only by the thread that calls a function of this library, and before that function returns: by
    /// several threads at the same time if several use the index. To cancel a call, return a negative number. It must
    /// not leave by `longjmp` or an exception.
    int64_t (*read)(void *context, void *buffer, size_t length, int64_t offset);
} vji_source;

/// A rectangle of the image at a scale.
typedef struct vji_region {
    /// The left edge, in pixels of the scaled image.
    int32_t x;
    /// The upper edge, in pixels of the scaled image.
    int32_t y;
    /// The width in pixels, at least 1.
    int32_t width;
    /// The height in pixels, at least 1.
    int32_t height;
    /// The scale as a divisor of the image's sides: 1, 2, 4 or 8. Sides are rounded up.
    int32_t denominator;
} vji_region;

/// The layout of a pixel; the value is its number of bytes.
typedef enum vji_format {
    /// Gray, 8 bits. Of color images, the luminance (Y).
    VJI_GRAY = 1,
    /// Red, green, blue, 8 bits each.
    VJI_RGB = 3,
    /// Red, green, blue, 8 bits each, and an alpha of 255.
    VJI_RGBA = 4,
} vji_format;

/// A buffer for pixels.
typedef struct vji_pixels {
    /// The address of the first pixel of the first row; needs no alignment.
    void *data;
    /// The size of the buffer in bytes. Nothing behind it is written.
    size_t size;
    /// The bytes from the start of a row to the start of the next, at least `width * format`. Bytes between rows are
    /// not written.
    size_t stride;
    /// The layout of a pixel.
    vji_format format;
} vji_pixels;

/// Indexes a file that the caller reads, in one pass from start to end.
///
/// On success, `*index` is a new index; else NULL.
VJI_CHECK vji_status vji_open(const vji_source *source, vji_index **index, char *message, size_t capacity);

/// Indexes the file at a path, which is UTF-8 or the system's bytes; the file stays open until `vji_close`.
///
/// Large files are read by two threads. On success, `*index` is a new index; else NULL.
VJI_CHECK vji_status vji_open_path(const char *path, vji_index **index, char *message, size_t capacity);

/// Opens a file that the caller reads with an index that `vji_save` has written; reads the header and the file's ends.
///
/// The index is accepted if the file has the same size, `modified`, first 4096 and last 4096 bytes. Whatever a wrong
/// index says, reading through it stays inside the file. On success, `*index` is a new index; else NULL.
VJI_CHECK vji_status vji_load(const vji_source *source, const void *saved, size_t length, vji_index **index,
    char *message, size_t capacity);

/// Opens the file at a path with an index that `vji_save` has written, as `vji_load` does.
///
/// `modified` is the time of the file's last modification, in nanoseconds since 1970.
VJI_CHECK vji_status vji_load_path(const char *path, const void *saved, size_t length, vji_index **index,
    char *message, size_t capacity);

/// Writes the size of the image, divided by 1, 2, 4 or 8 and rounded up, to `*width` and `*height`.
VJI_CHECK vji_status vji_size(const vji_index *index, int32_t denominator, int32_t *width, int32_t *height);

/// Writes the format with the image's own number of components to `*format`: `VJI_GRAY` or `VJI_RGB`.
VJI_CHECK vji_status vji_native_format(const vji_index *index, vji_format *format);

/// Decodes a region into the caller's buffer.
///
/// The region must be inside the image at its scale (`vji_size`). Only the compressed data of the region and of few
/// blocks around it is read and decoded. If the call fails, the contents of the buffer are undefined.
///
/// Images of at most 5 x 5 pixels can be `VJI_UNSUPPORTED` at reduced scales.
VJI_CHECK vji_status vji_read_region(const vji_index *index, const vji_region *region, const vji_pixels *pixels,
    char *message, size_t capacity);

/// Writes the index to a buffer, and its size in bytes to `*length`.
///
/// If `size` is less than that, nothing is written to the buffer and the status is `VJI_BUFFER_TOO_SMALL`: call with
/// `buffer` NULL and `size` 0 to get the size. The bytes are the same on all machines.
VJI_CHECK vji_status vji_save(const vji_index *index, void *buffer, size_t size, size_t *length);

/// Releases an index; does nothing with NULL.
void vji_close(vji_index *index);

/// Returns the name of a status, such as "VJI_OUTSIDE"; "unknown" for other numbers. The text is static.
const char *vji_status_name(vji_status status);

#ifdef __cplusplus
}
#endif

#endif
