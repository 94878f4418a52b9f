/// \file viewport.h
/// Any rectangle of an image of any size and format, at any size, into the caller's memory.
///
/// \code
/// viewport_image *image;
/// char message[256];
/// if (viewport_open("big.jpg", NULL, &image, message, sizeof message) != VIEWPORT_OK) { puts(message); return 1; }
///
/// static uint8_t pixels[512][512 * 3];
/// viewport_region region = {.x = 4000, .y = 3000, .width = 1024, .height = 1024, .columns = 512, .rows = 512};
/// viewport_pixels target = {.data = pixels, .size = sizeof pixels, .stride = 512 * 3, .format = VIEWPORT_RGB};
/// if (viewport_read(image, &region, &target, NULL, message, sizeof message) != VIEWPORT_OK) puts(message);
/// viewport_close(image);
/// \endcode
///
/// **Formats.** JPEG, PNG, tiled TIFF and HEIC are read by the library itself; WebP, AVIF, other TIFFs and all that
/// libvips has a loader for need libvips, which is loaded when the first such file is opened. Where it is not
/// installed, they are `VIEWPORT_LIBRARY_MISSING`.
///
/// **Units.** Coordinates are pixels of the upright image at full resolution, from 0 at the top left: the orientation
/// in the file's metadata is applied. Fractions are allowed. Samples are sRGB unless `VIEWPORT_KEEP_COLORS` is set.
///
/// **Pixels.** A region of as many pixels as it is wide and high is copied: of a JPEG without a color profile, the
/// pixels are those of libjpeg-turbo's default decoder for the whole file. Others are resampled from the smallest level
/// that has enough pixels, with the kernels of the command `viewport render`.
///
/// **Errors.** Functions return a status. Those with a `message` parameter write a sentence there that names the file
/// and the cause, as UTF-8 with a terminating zero, cut to `capacity` bytes; an empty text if they succeed. `message`
/// may be NULL if `capacity` is 0. No function throws, exits or prints.
///
/// **Threads.** All functions may be called from several threads at the same time, with the same image, too, except
/// that no call may use an image during or after `viewport_close`.
///
/// **Processes.** After `fork`, images of the parent can only be closed: open them again in the child. Where the
/// parent has started libvips, formats that need it are `VIEWPORT_FORKED` in the child.
///
/// **Ownership.** The caller owns all buffers, which are used during the call only. An image belongs to the caller,
/// who releases it with `viewport_close`.

#ifndef VIEWPORT_H
#define VIEWPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VIEWPORT_CHECK __attribute__((warn_unused_result))
#else
#define VIEWPORT_CHECK
#endif

/// The result of a call. The numbers up to 7 are those of `vji_status`.
typedef enum viewport_status {
    /// The call succeeded.
    VIEWPORT_OK = 0,
    /// An argument is NULL, not finite, zero or unknown where it must not be, or a buffer is too small for its region.
    VIEWPORT_INVALID_ARGUMENT = 1,
    /// The region lies outside of the image, or there is no such page or level.
    VIEWPORT_OUTSIDE = 2,
    /// The file is missing, empty, a folder, or cannot be read; or it is not an address.
    VIEWPORT_READ_FAILED = 3,
    /// No reader knows the format, or the file does not allow what is asked for, such as an index.
    VIEWPORT_UNSUPPORTED = 4,
    /// The file is damaged or incomplete.
    VIEWPORT_DAMAGED = 5,
    /// The saved index belongs to another file or another state of the file, or is damaged.
    VIEWPORT_STALE_INDEX = 6,
    /// The buffer for an index or a text is too small.
    VIEWPORT_BUFFER_TOO_SMALL = 7,
    /// The file was written while it was read. Open it again.
    VIEWPORT_CHANGED = 8,
    /// A server does not answer or is busy; a later call can succeed.
    VIEWPORT_UNAVAILABLE = 9,
    /// The image or the result has more pixels, or needs more memory, than is allowed.
    VIEWPORT_TOO_LARGE = 10,
    /// The callback or `viewport_cancel` has ended the call.
    VIEWPORT_CANCELLED = 11,
    /// The format needs libvips, which is not installed or cannot be started.
    VIEWPORT_LIBRARY_MISSING = 12,
    /// A file cannot be written: that of an index in the cache.
    VIEWPORT_WRITE_FAILED = 13,
    /// The image, or libvips, belongs to the process from which this one was forked.
    VIEWPORT_FORKED = 14,
} viewport_status;

/// An open image.
typedef struct viewport_image viewport_image;

/// What an image is opened for, to be combined with `|`.
enum {
    /// The orientation in the metadata is not applied: the image is as it is stored.
    VIEWPORT_AS_STORED = 1,
    /// A file of which a part is missing or damaged is shown as far as it can be; the member `damage` of
    /// `viewport_metadata` tells what is missing. Needs libvips. Else, such a file is `VIEWPORT_DAMAGED`.
    VIEWPORT_TOLERANT = 2,
    /// Samples keep their values, whatever the color profile says; CMYK still becomes RGB.
    VIEWPORT_KEEP_COLORS = 4,
    /// Many parts will be read: the first read makes the index of a JPEG or PNG, which stays in memory.
    VIEWPORT_MANY_PARTS = 8,
    /// Indexes and pyramids in the cache of the command `viewport` are used, and `viewport_make_index` stores there.
    VIEWPORT_CACHED = 16,
    /// Formats that libvips does not trust with hostile files (SVG, PDF, JPEG 2000, OpenSlide's) are opened, from then on
    /// in the whole process.
    VIEWPORT_UNTRUSTED = 32,
};

/// How an image is opened. Initialize it with zeros, which are the defaults.
typedef struct viewport_options {
    /// A combination of the flags above.
    uint32_t flags;
    /// The page, frame or slide, from 0.
    int32_t page;
    /// The threads of one read; 0 for one per processor. They do not change the pixels.
    int32_t threads;
    /// The most pixels that an image may have; 0 for the default: 2^32 - 1, and less for formats that are decoded as a
    /// whole.
    int64_t maximum_pixels;
} viewport_options;

/// Reports progress, and can end the call.
typedef struct viewport_progress {
    /// Passed to `report`; not used otherwise.
    void *context;
    /// Receives the share that is done, from 0 to 1, and never less than before. Returns 0 to go on; anything else ends
    /// the call with `VIEWPORT_CANCELLED`.
    ///
    /// It is called by one thread at a time: by the calling thread, or by one that works for it. It must not leave by
    /// `longjmp` or an exception, nor close the image.
    int (*report)(void *context, double fraction);
} viewport_progress;

/// A rectangle of the image, and the size at which it is wanted.
typedef struct viewport_region {
    /// The left edge in pixels of the upright image. May lie outside, where pixels are background.
    double x;
    /// The upper edge in pixels of the upright image.
    double y;
    /// The width in pixels of the upright image, more than 0.
    double width;
    /// The height in pixels of the upright image, more than 0.
    double height;
    /// The width of the result in pixels; 0 for `width`, rounded.
    int32_t columns;
    /// The height of the result in pixels; 0 for `height`, rounded.
    int32_t rows;
} viewport_region;

/// The layout of a pixel; the value is its number of samples.
typedef enum viewport_format {
    /// Gray. Colors are converted. Transparent pixels and background are white.
    VIEWPORT_GRAY = 1,
    /// Red, green, blue. Transparent pixels and background are white.
    VIEWPORT_RGB = 3,
    /// Red, green, blue, and straight alpha. Background is transparent.
    VIEWPORT_RGBA = 4,
} viewport_format;

/// A buffer for pixels.
typedef struct viewport_pixels {
    /// The address of the first pixel of the first row; needs no alignment.
    void *data;
    /// The size of the buffer in bytes. Nothing behind it is written.
    size_t size;
    /// The bytes from the start of a row to the start of the next, at least those of a row; 0 for just those. Bytes
    /// between rows are not written.
    size_t stride;
    /// The layout of a pixel.
    viewport_format format;
    /// The bits of a sample: 8, or 16 in the machine's byte order; 0 for 8. Samples of 8 bits become 16 by 257.
    int32_t depth;
} viewport_pixels;

/// Facts of an image.
typedef struct viewport_information {
    /// The width of the upright image in pixels.
    int64_t width;
    /// The height of the upright image in pixels.
    int64_t height;
    /// The width of the image as it is stored.
    int64_t stored_width;
    /// The height of the image as it is stored.
    int64_t stored_height;
    /// The orientation in the metadata by EXIF's numbers, 1 to 8.
    int32_t orientation;
    /// The number of pages, frames or slides.
    int32_t pages;
    /// The page that is read, from 0.
    int32_t page;
    /// The resolutions that can be read without decoding the others, at least 1: see `viewport_level_size`.
    int32_t levels;
    /// The layout with the image's own colors and alpha: gray, RGB or RGBA.
    viewport_format format;
    /// Whether an index can be made of it, 0 or 1.
    int32_t is_indexable;
} viewport_information;

/// Opens the image at a path, or at an address of the scheme `https`, `http` or `s3`, of which only the parts that are
/// needed are requested. Reads the header only.
///
/// `path` is in the system's bytes. `options` may be NULL. On success, `*image` is a new image; else NULL.
VIEWPORT_CHECK viewport_status viewport_open(const char *path, const viewport_options *options,
    viewport_image **image, char *message, size_t capacity);

/// Opens the image in the bytes of a file, which are copied.
///
/// `name` is the file's name in messages; its extension helps with formats without a signature. `options` may be NULL.
/// On success, `*image` is a new image; else NULL.
VIEWPORT_CHECK viewport_status viewport_open_bytes(const void *bytes, size_t length, const char *name,
    const viewport_options *options, viewport_image **image, char *message, size_t capacity);

/// Writes the facts of an image to `*information`.
VIEWPORT_CHECK viewport_status viewport_inform(const viewport_image *image, viewport_information *information);

/// Writes the size of a level of the upright image to `*width` and `*height`. Level 0 is the image.
VIEWPORT_CHECK viewport_status viewport_level_size(const viewport_image *image, int32_t level, int64_t *width,
    int64_t *height);

/// Writes the metadata as one line of JSON with a terminating zero, and its size with the zero to `*length`.
///
/// The members are those of `viewport info --json`: format, sizes, levels, colors, profile, camera, date, place,
/// damage. If `size` is less than `*length`, nothing is written to `text` and the status is `VIEWPORT_BUFFER_TOO_SMALL`:
/// call with `text` NULL and `size` 0 to get the size.
VIEWPORT_CHECK viewport_status viewport_metadata(const viewport_image *image, char *text, size_t size,
    size_t *length);

/// Renders a region into the caller's buffer.
///
/// `progress` may be NULL; where the read makes an index first, that is nine tenths of it. If the call fails, the contents of the buffer are undefined.
VIEWPORT_CHECK viewport_status viewport_read(const viewport_image *image, const viewport_region *region,
    const viewport_pixels *pixels, const viewport_progress *progress, char *message, size_t capacity);

/// Renders `count` regions into as many buffers, which must not overlap.
///
/// `threads` regions are rendered at the same time; 0 for one per processor. `progress` may be NULL; it counts regions,
/// and where the call makes an index first, that is nine tenths of it.
/// The first region that fails ends the call, and its number is written to `*failed`, which may be NULL; the contents of
/// all buffers are undefined then.
VIEWPORT_CHECK viewport_status viewport_read_many(const viewport_image *image, const viewport_region *regions,
    const viewport_pixels *pixels, size_t count, int32_t threads, const viewport_progress *progress,
    size_t *failed, char *message, size_t capacity);

/// Writes the size of the thumbnail that fits into a box to `*columns` and `*rows`: with the aspect of the image, not
/// enlarged, at least 1 by 1.
VIEWPORT_CHECK viewport_status viewport_thumbnail_size(const viewport_image *image, int32_t width, int32_t height,
    int32_t *columns, int32_t *rows);

/// Renders the thumbnail that fits into a box, with the pixels of the command `viewport thumbnail`.
///
/// The buffer has the size that `viewport_thumbnail_size` returns.
VIEWPORT_CHECK viewport_status viewport_read_thumbnail(const viewport_image *image, int32_t width, int32_t height,
    const viewport_pixels *pixels, char *message, size_t capacity);

/// Writes the name of an associated image with a terminating zero, and its size with the zero to `*length`.
///
/// Associated images are those that a file has beside its picture, by OpenSlide's names: the "thumbnail" that a camera
/// has embedded; the "thumbnail", the "label" and the "macro" of a slide in a TIFF. `number` counts them from 0; behind
/// the last, the status is `VIEWPORT_OUTSIDE`. `text` and `size` are as in `viewport_metadata`.
VIEWPORT_CHECK viewport_status viewport_associated_name(const viewport_image *image, int32_t number, char *text,
    size_t size, size_t *length);

/// Opens an associated image, with the options of the image. On success, `*associated` is a new image; else NULL.
///
/// It does not depend on `image`, which may be closed before it. `VIEWPORT_OUTSIDE` where there is none of that name.
VIEWPORT_CHECK viewport_status viewport_open_associated(const viewport_image *image, const char *name,
    viewport_image **associated, char *message, size_t capacity);

/// Makes the index of a JPEG or PNG in one pass over the file, unless it has one: from then on, any part is read
/// directly.
///
/// Images that need no index, because their parts can be read directly or they are decoded as a whole, are
/// `VIEWPORT_UNSUPPORTED`, and the message has the reason.
///
/// `progress` may be NULL; it counts the bytes of the file. An index that was not finished is lost.
VIEWPORT_CHECK viewport_status viewport_make_index(viewport_image *image, const viewport_progress *progress,
    char *message, size_t capacity);

/// Writes the index to a buffer, and its size in bytes to `*length`.
///
/// If `size` is less than that, nothing is written to the buffer and the status is `VIEWPORT_BUFFER_TOO_SMALL`: call with
/// `buffer` NULL and `size` 0 to get the size. An image without an index is `VIEWPORT_UNSUPPORTED`.
VIEWPORT_CHECK viewport_status viewport_save_index(const viewport_image *image, void *buffer, size_t size,
    size_t *length);

/// Uses an index that `viewport_save_index` has written for the same state of the same file.
VIEWPORT_CHECK viewport_status viewport_load_index(viewport_image *image, const void *saved, size_t length,
    char *message, size_t capacity);

/// Ends all calls that use the image on other threads, with `VIEWPORT_CANCELLED`. Later calls are not affected.
void viewport_cancel(const viewport_image *image);

/// Releases an image; does nothing with NULL.
void viewport_close(viewport_image *image);

/// Returns the name of a status, such as "VIEWPORT_OUTSIDE"; "unknown" for other numbers. The text is static.
const char *viewport_status_name(viewport_status status);

/// Returns the version of the library, such as "0.1.0". The text is static.
const char *viewport_version(void);

#ifdef __cplusplus
}
#endif

#endif
