// Tests the C library of the JPEG index from C: `index FOLDER` writes files for index.py to a folder.
// Regions are compared with whole images decoded by libjpeg-turbo.
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>
#include <viewport_jpeg_index.h>

static const char *name = "";

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, name, #condition);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static uint64_t state;

static uint32_t below(uint32_t limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 33) % limit;
}

typedef struct file {
    unsigned char *bytes;
    unsigned long size;
    int width, height;
    // The limits and errors of the source.
    size_t most;
    int64_t limit, failing, excess;
    // The number of bytes read.
    _Atomic int64_t total;
} file;

// Returns an image of gradients and noise.
static file make(int width, int height, int sampling, int quality) {
    file made = {.width = width, .height = height, .failing = -1, .limit = INT64_MAX};
    int bands = sampling == TJSAMP_GRAY ? 1 : 3;
    unsigned char *pixels = malloc((size_t)width * height * bands);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int band = 0; band < bands; band++)
                pixels[((size_t)y * width + x) * bands + band] =
                    (unsigned char)(x * (band + 1) / 2 + y * (3 - band) / 3 + below(40));
    tjhandle handle = tjInitCompress();
    CHECK(tjCompress2(handle, pixels, width, 0, height, bands == 1 ? TJPF_GRAY : TJPF_RGB, &made.bytes,
              &made.size, sampling, quality, 0) == 0);
    tjDestroy(handle);
    free(pixels);
    return made;
}

static int64_t read_file(void *context, void *buffer, size_t length, int64_t offset) {
    file *of = context;
    CHECK(length > 0 && offset >= 0 && offset + (int64_t)length <= (int64_t)of->size);
    if (of->failing >= 0 && offset + (int64_t)length > of->failing) return -5;
    if (of->excess) return (int64_t)length + of->excess;
    if (offset >= of->limit) return 0;
    if (of->most && length > of->most) length = of->most;
    if ((int64_t)length > of->limit - offset) length = (size_t)(of->limit - offset);
    memcpy(buffer, of->bytes + offset, length);
    of->total += (int64_t)length;
    return (int64_t)length;
}

static vji_source source(file *of) {
    return (vji_source){.context = of, .size = (int64_t)of->size, .modified = 17, .read = read_file};
}

static vji_index *open_index(file *of) {
    vji_source from = source(of);
    vji_index *index = NULL;
    char message[200] = "?";
    vji_status status = vji_open(&from, &index, message, sizeof message);
    if (status != VJI_OK) fprintf(stderr, "%s: %s\n", vji_status_name(status), message);
    CHECK(status == VJI_OK && index != NULL && message[0] == 0);
    return index;
}

// Returns all pixels as decoded by libjpeg-turbo.
static unsigned char *whole(const file *of, int denominator, vji_format format, int *width, int *height) {
    *width = (of->width + denominator - 1) / denominator;
    *height = (of->height + denominator - 1) / denominator;
    unsigned char *pixels = malloc((size_t)*width * *height * format);
    tjhandle handle = tjInitDecompress();
    int kind = format == VJI_GRAY ? TJPF_GRAY : format == VJI_RGB ? TJPF_RGB : TJPF_RGBA;
    CHECK(tjDecompress2(handle, of->bytes, of->size, pixels, *width, 0, *height, kind, 0) == 0);
    tjDestroy(handle);
    return pixels;
}

// Compares regions with the whole image, and checks that the bytes around them in the buffer are unchanged.
static void compare(const vji_index *index, const file *of, int denominator, vji_format format, int count) {
    int width, height;
    unsigned char *expected = whole(of, denominator, format, &width, &height);
    int32_t w = 0, h = 0;
    CHECK(vji_size(index, denominator, &w, &h) == VJI_OK && w == width && h == height);
    for (int number = 0; number < count; number++) {
        vji_region region = {.denominator = denominator};
        region.x = below(width), region.y = below(height);
        region.width = 1 + below(width - region.x), region.height = 1 + below(height - region.y);
        if (number == 0) region = (vji_region){0, 0, width, height, denominator};
        if (number == 1) region = (vji_region){width - 1, height - 1, 1, 1, denominator};
        size_t row = (size_t)region.width * format, stride = row + below(9);
        size_t size = stride * (region.height - 1) + row;
        unsigned char *pixels = malloc(size + 8);
        memset(pixels, 0xA5, size + 8);
        vji_pixels target = {pixels, size, stride, format};
        char message[200];
        vji_status status = vji_read_region(index, &region, &target, message, sizeof message);
        if (status != VJI_OK) fprintf(stderr, "%s: %s\n", vji_status_name(status), message);
        CHECK(status == VJI_OK);
        for (int y = 0; y < region.height; y++) {
            const unsigned char *line = expected + ((size_t)(region.y + y) * width + region.x) * format;
            CHECK(memcmp(pixels + y * stride, line, row) == 0);
            if (y + 1 == region.height) break;
            for (size_t gap = row; gap < stride; gap++) CHECK(pixels[y * stride + gap] == 0xA5);
        }
        for (int behind = 0; behind < 8; behind++) CHECK(pixels[size + behind] == 0xA5);
        free(pixels);
    }
    free(expected);
}

static void regions(void) {
    static const struct { const char *name; int sampling, width, height; } images[] = {
        {"4:2:0", TJSAMP_420, 523, 391}, {"4:2:2", TJSAMP_422, 300, 217}, {"4:4:4", TJSAMP_444, 129, 250},
        {"4:4:0", TJSAMP_440, 200, 133}, {"4:1:1", TJSAMP_411, 311, 97}, {"gray", TJSAMP_GRAY, 257, 190},
        {"one column", TJSAMP_420, 17, 900}, {"one pixel more", TJSAMP_420, 33, 33}, {"small", TJSAMP_420, 9, 8},
    };
    for (size_t number = 0; number < sizeof images / sizeof *images; number++) {
        name = images[number].name;
        file of = make(images[number].width, images[number].height, images[number].sampling, 85);
        of.most = number % 2 ? 1000 : 0;
        vji_index *index = open_index(&of);
        vji_format format = 0;
        CHECK(vji_native_format(index, &format) == VJI_OK);
        CHECK(format == (images[number].sampling == TJSAMP_GRAY ? VJI_GRAY : VJI_RGB));
        for (int denominator = 1; denominator <= 8; denominator *= 2) {
            compare(index, &of, denominator, VJI_RGB, 12);
            compare(index, &of, denominator, VJI_RGBA, 3);
            compare(index, &of, denominator, VJI_GRAY, 3);
        }
        vji_close(index);
        tjFree(of.bytes);
    }
}

// A region needs a small part of a large file.
static void economy(void) {
    name = "economy";
    file of = make(4000, 3000, TJSAMP_420, 90);
    vji_index *index = open_index(&of);
    CHECK(of.total < (int64_t)of.size * 5 / 4);
    of.total = 0;
    static unsigned char pixels[64 * 64 * 3];
    vji_region region = {2000, 1500, 64, 64, 1};
    vji_pixels target = {pixels, sizeof pixels, 64 * 3, VJI_RGB};
    CHECK(vji_read_region(index, &region, &target, NULL, 0) == VJI_OK);
    CHECK(of.total < (int64_t)of.size / 20);
    compare(index, &of, 8, VJI_RGB, 2);
    size_t length = 0;
    CHECK(vji_save(index, NULL, 0, &length) == VJI_BUFFER_TOO_SMALL);
    CHECK(length * 400 <= of.size);
    vji_close(index);
    tjFree(of.bytes);
}

#define INVALID(call) CHECK((call) == VJI_INVALID_ARGUMENT)

static void wrong_arguments(void) {
    name = "wrong arguments";
    file of = make(100, 80, TJSAMP_420, 80);
    vji_source from = source(&of);
    vji_index *index = (vji_index *)&of;
    char message[100];
    INVALID(vji_open(NULL, &index, message, sizeof message));
    CHECK(index == NULL && strstr(message, "source"));
    INVALID(vji_open(&from, NULL, message, sizeof message));
    INVALID(vji_open(&from, NULL, NULL, 0));
    INVALID(vji_open_path(NULL, &index, message, sizeof message));
    from.read = NULL;
    INVALID(vji_open(&from, &index, message, sizeof message));
    from = source(&of), from.size = -1;
    INVALID(vji_open(&from, &index, message, sizeof message));
    from = source(&of);
    INVALID(vji_load(&from, NULL, 10, &index, message, sizeof message));
    INVALID(vji_load(&from, message, SIZE_MAX, &index, message, sizeof message));
    vji_close(NULL);

    index = open_index(&of);
    int32_t width, height;
    size_t length;
    vji_format format;
    INVALID(vji_size(NULL, 1, &width, &height));
    INVALID(vji_size(index, 1, NULL, &height));
    INVALID(vji_size(index, 1, &width, NULL));
    static const int denominators[] = {0, -1, 3, 16, INT_MAX, INT_MIN};
    for (int number = 0; number < 6; number++) INVALID(vji_size(index, denominators[number], &width, &height));
    INVALID(vji_native_format(NULL, &format));
    INVALID(vji_native_format(index, NULL));
    INVALID(vji_save(NULL, NULL, 0, &length));
    INVALID(vji_save(index, NULL, 0, NULL));
    INVALID(vji_save(index, NULL, 5, &length));

    unsigned char pixels[30 * 20 * 3];
    const vji_region region = {1, 2, 30, 20, 1};
    const vji_pixels target = {pixels, sizeof pixels, 90, VJI_RGB};
    INVALID(vji_read_region(NULL, &region, &target, message, sizeof message));
    INVALID(vji_read_region(index, NULL, &target, message, sizeof message));
    INVALID(vji_read_region(index, &region, NULL, message, sizeof message));
    CHECK(strstr(message, "NULL"));
    const vji_pixels targets[] = {
        {NULL, sizeof pixels, 90, VJI_RGB}, {pixels, sizeof pixels - 1, 90, VJI_RGB}, {pixels, 0, 90, VJI_RGB},
        {pixels, sizeof pixels, 89, VJI_RGB}, {pixels, sizeof pixels, 0, VJI_RGB},
        {pixels, sizeof pixels, 91, VJI_RGB}, {pixels, sizeof pixels, 90, VJI_RGBA},
        {pixels, sizeof pixels, 90, 0}, {pixels, sizeof pixels, 90, 2}, {pixels, sizeof pixels, 90, 200},
        {pixels, SIZE_MAX, 90, VJI_RGB}, {pixels, sizeof pixels, SIZE_MAX, VJI_RGB},
        {pixels, sizeof pixels, SIZE_MAX / 2, VJI_RGB}, {pixels, SIZE_MAX / 2, SIZE_MAX / 2, VJI_RGB},
    };
    for (size_t number = 0; number < sizeof targets / sizeof *targets; number++)
        INVALID(vji_read_region(index, &region, &targets[number], message, sizeof message));
    const vji_region empty[] = {{0, 0, 0, 1, 1}, {0, 0, 1, 0, 1}, {0, 0, -1, 1, 1}, {0, 0, 1, INT_MIN, 1},
        {0, 0, 1, 1, 0}, {0, 0, 1, 1, 5}};
    for (size_t number = 0; number < sizeof empty / sizeof *empty; number++)
        INVALID(vji_read_region(index, &empty[number], &target, message, sizeof message));
    const vji_region outside[] = {{-1, 0, 1, 1, 1}, {0, -1, 1, 1, 1}, {100, 0, 1, 1, 1}, {0, 80, 1, 1, 1},
        {99, 0, 2, 1, 1}, {50, 0, 1, 1, 2}, {INT_MAX, 0, 1, 1, 1}, {INT_MIN, INT_MIN, 1, 1, 1},
        {INT_MAX, INT_MAX, 30, 20, 8}};
    for (size_t number = 0; number < sizeof outside / sizeof *outside; number++) {
        CHECK(vji_read_region(index, &outside[number], &target, message, sizeof message) == VJI_OUTSIDE);
        CHECK(strstr(message, "not inside"));
    }
    // Regions too large for any buffer.
    vji_pixels huge = {pixels, sizeof pixels, 90, VJI_RGB};
    const vji_region most = {0, 0, INT_MAX, INT_MAX, 1};
    INVALID(vji_read_region(index, &most, &huge, NULL, 0));
    // Texts are truncated to a buffer of any length.
    for (size_t capacity = 0; capacity < 40; capacity++) {
        memset(message, 'x', sizeof message);
        CHECK(vji_read_region(index, &outside[0], &target, message, capacity) == VJI_OUTSIDE);
        CHECK(capacity == 0 || strlen(message) == capacity - 1);
        CHECK(message[capacity] == 'x');
    }
    CHECK(vji_read_region(index, &outside[0], &target, NULL, 99) == VJI_OUTSIDE);
    CHECK(vji_read_region(index, &region, &target, NULL, 99) == VJI_OK);
    vji_close(index);
    CHECK(strcmp(vji_status_name(VJI_DAMAGED), "VJI_DAMAGED") == 0);
    CHECK(strcmp(vji_status_name(-3), "unknown") == 0);
    tjFree(of.bytes);
}

static void broken_sources(void) {
    name = "broken sources";
    file of = make(400, 300, TJSAMP_420, 90);
    vji_source from = source(&of);
    vji_index *index;
    char message[200];
    // The source fails, ends early, or returns too many bytes, at every part of the file.
    for (int64_t at = 0; at < (int64_t)of.size; at += at < 700 ? 1 : 997) {
        of.failing = at;
        CHECK(vji_open(&from, &index, message, sizeof message) == VJI_READ_FAILED && index == NULL);
        CHECK(strstr(message, "-5"));
        of.failing = -1, of.limit = at;
        CHECK(vji_open(&from, &index, message, sizeof message) == VJI_READ_FAILED && index == NULL);
        CHECK(strstr(message, "ended"));
        of.limit = INT64_MAX;
    }
    for (int64_t excess = 1; excess < INT64_MAX / 4; excess *= 3) {
        of.excess = excess;
        CHECK(vji_open(&from, &index, message, sizeof message) == VJI_READ_FAILED && index == NULL);
    }
    of.excess = 0;
    // The file is truncated, and the source reports its size.
    for (from.size = 0; from.size < (int64_t)of.size - 2; from.size += from.size < 700 ? 1 : 499) {
        vji_status status = vji_open(&from, &index, message, sizeof message);
        CHECK(status == (from.size < 4 ? VJI_UNSUPPORTED : VJI_DAMAGED) && index == NULL && message[0] != 0);
    }
    // The source fails after it was opened, and then works again.
    index = open_index(&of);
    of.failing = 0;
    unsigned char pixels[300];
    vji_region region = {200, 200, 10, 10, 1};
    vji_pixels target = {pixels, sizeof pixels, 30, VJI_RGB};
    CHECK(vji_read_region(index, &region, &target, message, sizeof message) == VJI_READ_FAILED);
    of.failing = -1;
    CHECK(vji_read_region(index, &region, &target, message, sizeof message) == VJI_OK && message[0] == 0);
    // Damage is an error, not a crash.
    unsigned char *bytes = of.bytes;
    of.bytes = malloc(of.size);
    for (int number = 0; number < 300; number++) {
        memcpy(of.bytes, bytes, of.size);
        for (int count = 0; count < 5; count++) of.bytes[below(number % 2 ? 700 : of.size)] = below(256);
        vji_status status = vji_read_region(index, &region, &target, message, sizeof message);
        CHECK(status == VJI_OK || status == VJI_DAMAGED);
        vji_index *other;
        from = source(&of);
        status = vji_open(&from, &other, message, sizeof message);
        CHECK(status == VJI_OK || status == VJI_DAMAGED || status == VJI_UNSUPPORTED);
        if (status == VJI_OK) {
            status = vji_read_region(other, &region, &target, message, sizeof message);
            CHECK(status != VJI_READ_FAILED && status != VJI_INVALID_ARGUMENT);
        }
        vji_close(other);
    }
    vji_close(index);
    free(of.bytes);
    tjFree(bytes);
}

static void saving(void) {
    name = "saving";
    file of = make(1200, 900, TJSAMP_422, 90), other = make(1200, 900, TJSAMP_422, 89);
    vji_index *index = open_index(&of);
    size_t length = 0, again = 0;
    CHECK(vji_save(index, NULL, 0, &length) == VJI_BUFFER_TOO_SMALL && length > 64);
    unsigned char *saved = malloc(length + 1);
    saved[length] = 0xA5;
    CHECK(vji_save(index, saved, length - 1, &again) == VJI_BUFFER_TOO_SMALL && again == length);
    CHECK(vji_save(index, saved, length, &again) == VJI_OK && again == length && saved[length] == 0xA5);
    vji_close(index);

    vji_source from = source(&of), wrong = source(&other);
    char message[200];
    of.total = 0;
    CHECK(vji_load(&from, saved, length, &index, message, sizeof message) == VJI_OK);
    CHECK(of.total < (int64_t)of.size / 2);
    for (int denominator = 1; denominator <= 8; denominator *= 2) compare(index, &of, denominator, VJI_RGB, 5);
    vji_close(index);
    // Another file, the same file later, and damaged bytes.
    CHECK(vji_load(&wrong, saved, length, &index, message, sizeof message) == VJI_STALE_INDEX && index == NULL);
    from.modified++;
    CHECK(vji_load(&from, saved, length, &index, message, sizeof message) == VJI_STALE_INDEX);
    from = source(&of);
    for (size_t cut = 0; cut < length; cut++)
        CHECK(vji_load(&from, saved, cut, &index, message, sizeof message) == VJI_STALE_INDEX);
    for (size_t at = 0; at < length; at++) {
        saved[at] ^= 0x10;
        CHECK(vji_load(&from, saved, length, &index, message, sizeof message) == VJI_STALE_INDEX);
        saved[at] ^= 0x10;
    }
    free(saved);
    tjFree(of.bytes);
    tjFree(other.bytes);
}

typedef struct job {
    const vji_index *index;
    const file *of;
} job;

static void *work(void *context) {
    job *of = context;
    static const vji_format formats[] = {VJI_RGB, VJI_RGBA, VJI_GRAY};
    for (int number = 0; number < 9; number++) compare(of->index, of->of, 1 << number % 4, formats[number % 3], 4);
    return NULL;
}

static void threads(void) {
    name = "threads";
    file of = make(900, 600, TJSAMP_420, 85);
    vji_index *index = open_index(&of);
    job shared = {index, &of};
    pthread_t threads[2];
    for (int number = 0; number < 2; number++) CHECK(pthread_create(&threads[number], NULL, work, &shared) == 0);
    for (int number = 0; number < 2; number++) CHECK(pthread_join(threads[number], NULL) == 0);
    vji_close(index);
    tjFree(of.bytes);
}

static void write_bytes(const char *folder, const char *file_name, const void *bytes, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file_name);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void paths(const char *folder) {
    name = "paths";
    char path[4096], message[200];
    file of = make(640, 480, TJSAMP_420, 85);
    write_bytes(folder, "photo.jpg", of.bytes, of.size);
    int width, height;
    unsigned char *pixels = whole(&of, 1, VJI_RGB, &width, &height);
    write_bytes(folder, "photo.rgb", pixels, (size_t)width * height * 3);
    snprintf(path, sizeof path, "%s/photo.jpg", folder);
    vji_index *index;
    CHECK(vji_open_path(path, &index, message, sizeof message) == VJI_OK);
    compare(index, &of, 1, VJI_RGB, 5);
    compare(index, &of, 4, VJI_GRAY, 5);
    size_t length = 0;
    CHECK(vji_save(index, NULL, 0, &length) == VJI_BUFFER_TOO_SMALL);
    unsigned char *saved = malloc(length);
    CHECK(vji_save(index, saved, length, &length) == VJI_OK);
    vji_close(index);
    CHECK(vji_load_path(path, saved, length, &index, message, sizeof message) == VJI_OK);
    compare(index, &of, 2, VJI_RGB, 5);
    // The file is truncated while it is open.
    write_bytes(folder, "photo.jpg", of.bytes, of.size / 3);
    vji_region region = {600, 440, 10, 10, 1};
    vji_pixels target = {pixels, 300, 30, VJI_RGB};
    CHECK(vji_read_region(index, &region, &target, message, sizeof message) == VJI_READ_FAILED);
    CHECK(strstr(message, "photo.jpg"));
    vji_close(index);
    CHECK(vji_load_path(path, saved, length, &index, message, sizeof message) == VJI_STALE_INDEX);
    CHECK(vji_open_path(path, &index, message, sizeof message) == VJI_DAMAGED);
    write_bytes(folder, "photo.jpg", of.bytes, of.size);
    CHECK(vji_open_path(folder, &index, message, sizeof message) == VJI_READ_FAILED && index == NULL);
    snprintf(path, sizeof path, "%s/none\xFF.jpg", folder);
    CHECK(vji_open_path(path, &index, message, sizeof message) == VJI_READ_FAILED);
    CHECK(strstr(message, "none\\xFF.jpg does not exist"));
    free(saved);
    free(pixels);
    tjFree(of.bytes);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    state = 88172645463325252;
    regions();
    economy();
    wrong_arguments();
    broken_sources();
    saving();
    threads();
    paths(arguments[1]);
    return 0;
}
