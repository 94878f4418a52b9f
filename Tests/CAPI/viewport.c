// Tests the library libviewport from C: `viewport FOLDER` writes its images to a folder.
// Pixels of JPEGs are compared with whole images decoded by libjpeg-turbo.
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <turbojpeg.h>
#include <unistd.h>
#include <viewport.h>
#include <viewport_jpeg_index.h>

static const char *name = "";
static char message[300];
static const char *folder;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, name, #condition, message); \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define IS(expected, call) CHECK((call) == (expected))
#define TELL message, sizeof message

static uint64_t state = 17;

static uint32_t below(uint32_t limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 33) % limit;
}

typedef struct picture {
    unsigned char *bytes;
    unsigned long size;
    int width, height;
    // The pixels that libjpeg-turbo decodes, RGB.
    unsigned char *rgb;
} picture;

static void decode(picture *of) {
    of->rgb = malloc((size_t)of->width * of->height * 3);
    tjhandle handle = tjInitDecompress();
    CHECK(tjDecompress2(handle, of->bytes, of->size, of->rgb, of->width, 0, of->height, TJPF_RGB, 0) == 0);
    tjDestroy(handle);
}

static picture make(int width, int height, int sampling, int flags) {
    picture made = {.width = width, .height = height};
    unsigned char *pixels = malloc((size_t)width * height * 3);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int band = 0; band < 3; band++)
                pixels[((size_t)y * width + x) * 3 + band] =
                    (unsigned char)(x * (band + 1) / 2 + y * (3 - band) / 3 + below(40));
    tjhandle handle = tjInitCompress();
    CHECK(tjCompress2(handle, pixels, width, 0, height, TJPF_RGB, &made.bytes, &made.size, sampling, 85, flags) == 0);
    tjDestroy(handle);
    free(pixels);
    decode(&made);
    return made;
}

static void release(picture *of) { tjFree(of->bytes), free(of->rgb); }

static const char *put(const char *file, const void *bytes, size_t size) {
    static char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *to = fopen(path, "wb");
    CHECK(to && fwrite(bytes, 1, size, to) == size && fclose(to) == 0);
    return path;
}

static viewport_image *open_image(const picture *of, uint32_t flags) {
    viewport_options options = {.flags = flags, .threads = 2};
    viewport_image *image = NULL;
    IS(VIEWPORT_OK, viewport_open_bytes(of->bytes, of->size, name, &options, &image, TELL));
    CHECK(image && !message[0]);
    return image;
}

// Compares a region with the decoded image, and checks that the bytes around its rows are unchanged.
static void compare(const viewport_image *image, const picture *of, int x, int y, int width, int height, size_t gap) {
    size_t row = (size_t)width * 3, stride = row + gap, size = stride * (height - 1) + row;
    unsigned char *buffer = malloc(size + 1);
    memset(buffer, 0xA5, size + 1);
    viewport_region region = {.x = x, .y = y, .width = width, .height = height};
    viewport_pixels pixels = {.data = buffer, .size = size, .stride = gap ? stride : 0, .format = VIEWPORT_RGB};
    IS(VIEWPORT_OK, viewport_read(image, &region, &pixels, NULL, TELL));
    for (int at = 0; at < height; at++) {
        CHECK(memcmp(buffer + at * stride, of->rgb + ((size_t)(y + at) * of->width + x) * 3, row) == 0);
        for (size_t byte = row; byte < stride && at + 1 < height; byte++) CHECK(buffer[at * stride + byte] == 0xA5);
    }
    CHECK(buffer[size] == 0xA5);
    free(buffer);
}

static void test_regions(const picture *of, uint32_t flags) {
    viewport_image *image = open_image(of, flags);
    compare(image, of, of->width - 1, of->height - 1, 1, 1, 0);
    compare(image, of, 0, 0, of->width, of->height, 5);
    for (int number = 0; number < 25; number++) {
        int x = below(of->width), y = below(of->height);
        compare(image, of, x, y, 1 + below(of->width - x), 1 + below(of->height - y), below(9));
    }
    viewport_close(image);
}

static void test_information(const picture *of) {
    viewport_image *image = open_image(of, 0);
    viewport_information facts;
    IS(VIEWPORT_OK, viewport_inform(image, &facts));
    CHECK(facts.width == of->width && facts.height == of->height && facts.stored_width == of->width);
    CHECK(facts.orientation == 1 && facts.pages == 1 && facts.page == 0 && facts.levels == 4);
    CHECK(facts.format == VIEWPORT_RGB && facts.is_indexable == 1);
    int64_t width, height;
    IS(VIEWPORT_OK, viewport_level_size(image, 3, &width, &height));
    CHECK(width == (of->width + 7) / 8 && height == (of->height + 7) / 8);
    IS(VIEWPORT_OUTSIDE, viewport_level_size(image, 4, &width, &height));
    size_t length;
    IS(VIEWPORT_BUFFER_TOO_SMALL, viewport_metadata(image, NULL, 0, &length));
    char *text = malloc(length);
    IS(VIEWPORT_BUFFER_TOO_SMALL, viewport_metadata(image, text, length - 1, &length));
    IS(VIEWPORT_OK, viewport_metadata(image, text, length, &length));
    CHECK(strlen(text) == length - 1 && strstr(text, "\"format\":\"jpeg\"") && strstr(text, "\"damage\":null"));
    free(text);
    viewport_close(image);
}

static void test_formats(const picture *of) {
    viewport_image *image = open_image(of, 0);
    enum { side = 64 };
    static unsigned char rgb[side * side * 3], rgba[side * side * 4], gray[side * side];
    static uint16_t deep[side * side * 3], deep_gray[side * side];
    viewport_region region = {.x = 9, .y = 7, .width = side, .height = side};
    viewport_pixels all[] = {
        {.data = rgb, .size = sizeof rgb, .format = VIEWPORT_RGB, .depth = 8},
        {.data = rgba, .size = sizeof rgba, .format = VIEWPORT_RGBA},
        {.data = gray, .size = sizeof gray, .format = VIEWPORT_GRAY},
        {.data = deep, .size = sizeof deep, .format = VIEWPORT_RGB, .depth = 16},
        {.data = deep_gray, .size = sizeof deep_gray, .format = VIEWPORT_GRAY, .depth = 16},
    };
    for (int number = 0; number < 5; number++) IS(VIEWPORT_OK, viewport_read(image, &region, &all[number], NULL, TELL));
    for (int pixel = 0; pixel < side * side; pixel++) {
        unsigned char *p = rgb + 3 * pixel;
        CHECK(memcmp(p, rgba + 4 * pixel, 3) == 0 && rgba[4 * pixel + 3] == 255);
        CHECK(gray[pixel] == (19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16);
        for (int band = 0; band < 3; band++) CHECK(deep[3 * pixel + band] >> 8 == p[band]);
        CHECK(abs(deep_gray[pixel] / 257 - gray[pixel]) <= 1);
    }
    // Beyond the edge: transparent in RGBA, white in others.
    region = (viewport_region){.x = of->width - 32, .y = -32, .width = side, .height = side};
    for (int number = 0; number < 3; number++) IS(VIEWPORT_OK, viewport_read(image, &region, &all[number], NULL, TELL));
    CHECK(rgba[3] == 0 && rgb[0] == 255 && gray[0] == 255);
    CHECK(rgba[(side * 32) * 4 + 3] == 255 && rgba[(side * 32 + 32) * 4 + 3] == 0);
    // Reduced: the mean of a smooth area stays.
    region = (viewport_region){.x = 0, .y = 0, .width = of->width, .height = of->height, .columns = side, .rows = side};
    IS(VIEWPORT_OK, viewport_read(image, &region, &all[0], NULL, TELL));
    double means[2] = {0, 0};
    for (size_t byte = 0; byte < sizeof rgb; byte++) means[0] += rgb[byte] / (double)sizeof rgb;
    size_t count = (size_t)of->width * of->height * 3;
    for (size_t byte = 0; byte < count; byte++) means[1] += of->rgb[byte] / (double)count;
    CHECK(fabs(means[0] - means[1]) < 1);
    viewport_close(image);
}

static void test_thumbnail(const picture *of) {
    viewport_image *image = open_image(of, 0);
    int32_t columns, rows;
    IS(VIEWPORT_OK, viewport_thumbnail_size(image, 100, 100, &columns, &rows));
    CHECK(columns == 100 && rows == (int)lround(100.0 * of->height / of->width));
    unsigned char *buffer = malloc((size_t)columns * rows * 3);
    viewport_pixels pixels = {.data = buffer, .size = (size_t)columns * rows * 3, .format = VIEWPORT_RGB};
    IS(VIEWPORT_OK, viewport_read_thumbnail(image, 100, 100, &pixels, TELL));
    pixels.size--;
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_read_thumbnail(image, 100, 100, &pixels, TELL));
    IS(VIEWPORT_OK, viewport_thumbnail_size(image, 9000, 9000, &columns, &rows));
    CHECK(columns == of->width && rows == of->height);
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_thumbnail_size(image, 0, 100, &columns, &rows));
    free(buffer);
    viewport_close(image);
}

typedef struct reports {
    int count, limit;
    double last;
} reports;

static int report(void *context, double fraction) {
    reports *to = context;
    CHECK(fraction >= to->last && fraction <= 1);
    to->last = fraction;
    return ++to->count >= to->limit;
}

static void test_many(const picture *of) {
    viewport_image *image = open_image(of, VIEWPORT_MANY_PARTS);
    enum { count = 40, side = 50 };
    static unsigned char buffers[count][side * side * 3];
    viewport_region regions[count];
    viewport_pixels pixels[count];
    for (int number = 0; number < count; number++) {
        regions[number] = (viewport_region){
            .x = below(of->width - side), .y = below(of->height - side), .width = side, .height = side};
        pixels[number] = (viewport_pixels){.data = buffers[number], .size = side * side * 3, .format = VIEWPORT_RGB};
    }
    for (int threads = 0; threads <= 3; threads++) {
        reports to = {.limit = 1000};
        viewport_progress progress = {&to, report};
        memset(buffers, 0, sizeof buffers);
        size_t failed = 99;
        IS(VIEWPORT_OK, viewport_read_many(image, regions, pixels, count, threads, &progress, &failed, TELL));
        // The first call makes the index.
        CHECK((threads == 0 ? to.count > count : to.count == count) && to.last == 1);
        for (int number = 0; number < count; number++)
            for (int y = 0; y < side; y++)
                CHECK(memcmp(buffers[number] + y * side * 3,
                          of->rgb + (((size_t)regions[number].y + y) * of->width + (size_t)regions[number].x) * 3,
                          side * 3) == 0);
    }
    // Cancelled by the callback.
    reports to = {.limit = 3};
    viewport_progress progress = {&to, report};
    IS(VIEWPORT_CANCELLED, viewport_read_many(image, regions, pixels, count, 1, &progress, NULL, TELL));
    CHECK(to.count == 3 && strstr(message, "cancelled"));
    // The region that fails.
    size_t failed;
    regions[7].x = of->width + 1;
    IS(VIEWPORT_OUTSIDE, viewport_read_many(image, regions, pixels, count, 1, NULL, &failed, TELL));
    CHECK(failed == 7);
    regions[5].width = NAN;
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_read_many(image, regions, pixels, count, 2, NULL, &failed, TELL));
    CHECK(failed == 5);
    IS(VIEWPORT_OK, viewport_read_many(image, NULL, NULL, 0, 2, NULL, NULL, TELL));
    viewport_close(image);
}

static void test_index(const picture *of) {
    viewport_image *image = open_image(of, 0);
    size_t length;
    IS(VIEWPORT_UNSUPPORTED, viewport_save_index(image, NULL, 0, &length));
    reports to = {.limit = 0};
    viewport_progress progress = {&to, report};
    IS(VIEWPORT_CANCELLED, viewport_make_index(image, &progress, TELL));
    CHECK(to.count == 1 && strstr(message, "cancelled"));
    IS(VIEWPORT_UNSUPPORTED, viewport_save_index(image, NULL, 0, &length));
    to = (reports){.limit = 1 << 30};
    IS(VIEWPORT_OK, viewport_make_index(image, &progress, TELL));
    CHECK(to.count > 0 && to.last == 1);
    IS(VIEWPORT_OK, viewport_make_index(image, NULL, TELL));
    IS(VIEWPORT_BUFFER_TOO_SMALL, viewport_save_index(image, NULL, 0, &length));
    unsigned char *saved = malloc(length);
    IS(VIEWPORT_OK, viewport_save_index(image, saved, length, &length));
    compare(image, of, 30, 40, 100, 90, 0);
    viewport_close(image);
    image = open_image(of, 0);
    IS(VIEWPORT_STALE_INDEX, viewport_load_index(image, saved, length - 1, TELL));
    IS(VIEWPORT_OK, viewport_load_index(image, saved, length, TELL));
    compare(image, of, 30, 40, 100, 90, 0);
    compare(image, of, of->width - 60, of->height - 50, 60, 50, 0);
    free(saved);
    viewport_close(image);
}

static void *cancelling(void *image) {
    for (int turn = 0; turn < 2000; turn++) viewport_cancel(image), usleep(100);
    return NULL;
}

static void test_cancel(const picture *of) {
    viewport_image *image = open_image(of, 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancelling, image) == 0);
    size_t size = (size_t)of->width * of->height * 3;
    unsigned char *buffer = malloc(size);
    viewport_region region = {.width = of->width, .height = of->height};
    viewport_pixels pixels = {.data = buffer, .size = size, .format = VIEWPORT_RGB};
    int cancelled = 0;
    for (int turn = 0; turn < 1000 && !cancelled; turn++) {
        viewport_status status = viewport_read(image, &region, &pixels, NULL, TELL);
        CHECK(status == VIEWPORT_OK || status == VIEWPORT_CANCELLED);
        cancelled = status == VIEWPORT_CANCELLED;
    }
    CHECK(cancelled);
    pthread_join(thread, NULL);
    IS(VIEWPORT_OK, viewport_read(image, &region, &pixels, NULL, TELL));
    free(buffer);
    viewport_close(image);
}

static void test_files(const picture *of) {
    viewport_image *image;
    const char *path = put("photo.jpg", of->bytes, of->size);
    IS(VIEWPORT_OK, viewport_open(path, NULL, &image, TELL));
    compare(image, of, 10, 20, 70, 60, 0);
    // A process that is forked opens it again.
    pid_t child = fork();
    if (child == 0) {
        static unsigned char pixel[3];
        viewport_region region = {.width = 1, .height = 1};
        viewport_pixels pixels = {.data = pixel, .size = 3, .format = VIEWPORT_RGB};
        IS(VIEWPORT_FORKED, viewport_read(image, &region, &pixels, NULL, TELL));
        CHECK(strstr(message, "photo.jpg"));
        viewport_close(image);
        viewport_options options = {.flags = VIEWPORT_MANY_PARTS};
        IS(VIEWPORT_OK, viewport_open(path, &options, &image, TELL));
        compare(image, of, 10, 20, 70, 60, 0);
        compare(image, of, 0, 0, of->width, of->height, 0);
        viewport_close(image);
        _exit(0);
    }
    int code;
    CHECK(waitpid(child, &code, 0) == child && code == 0);
    // Written while it is open.
    put("photo.jpg", of->bytes, of->size / 2);
    unsigned char pixel[3];
    viewport_region region = {.x = of->width - 1, .y = of->height - 1, .width = 1, .height = 1};
    viewport_pixels pixels = {.data = pixel, .size = 3, .format = VIEWPORT_RGB};
    IS(VIEWPORT_CHANGED, viewport_read(image, &region, &pixels, NULL, TELL));
    viewport_close(image);

    // A part of it is missing.
    IS(VIEWPORT_DAMAGED, viewport_open(path, NULL, &image, TELL));
    CHECK(!image && strstr(message, "photo.jpg") && strstr(message, "missing"));
    viewport_options options = {.flags = VIEWPORT_TOLERANT};
    IS(VIEWPORT_OK, viewport_open(path, &options, &image, TELL));
    compare(image, of, 0, 0, 100, 50, 0);
    size_t length;
    char text[2000];
    IS(VIEWPORT_OK, viewport_metadata(image, text, sizeof text, &length));
    CHECK(strstr(text, "\"damage\":\"") && strstr(text, "missing"));
    viewport_close(image);

    IS(VIEWPORT_READ_FAILED, viewport_open("/does/not/exist.jpg", NULL, &image, TELL));
    CHECK(!image && strcmp(message, "/does/not/exist.jpg: there is no such file") == 0);
    IS(VIEWPORT_READ_FAILED, viewport_open("/does/not/exist.jpg", NULL, &image, NULL, 0));
    char cut[9];
    IS(VIEWPORT_READ_FAILED, viewport_open("/does/not/exist.jpg", NULL, &image, cut, sizeof cut));
    CHECK(strcmp(cut, "/does/no") == 0);
    IS(VIEWPORT_READ_FAILED, viewport_open(folder, NULL, &image, TELL));
    IS(VIEWPORT_READ_FAILED, viewport_open(put("empty.jpg", "", 0), NULL, &image, TELL));
    IS(VIEWPORT_UNSUPPORTED, viewport_open(put("text.jpg", "not an image", 12), NULL, &image, TELL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_open(NULL, NULL, &image, TELL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_open(path, NULL, NULL, TELL));
    options = (viewport_options){.flags = 1 << 20};
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_open(path, &options, &image, TELL));
    options = (viewport_options){.page = 3};
    IS(VIEWPORT_OK, viewport_open(put("whole.jpg", of->bytes, of->size), NULL, &image, TELL));
    viewport_close(image);
    options = (viewport_options){.maximum_pixels = 1000};
    IS(VIEWPORT_TOO_LARGE, viewport_open(path, &options, &image, TELL));
}

static void test_arguments(const picture *of) {
    viewport_image *image = open_image(of, 0);
    unsigned char buffer[300];
    viewport_region region = {.width = 10, .height = 10};
    viewport_pixels pixels = {.data = buffer, .size = sizeof buffer, .format = VIEWPORT_RGB};
#define REFUSED(change)                                                                            \
    do {                                                                                           \
        viewport_region r = region;                                                                \
        viewport_pixels p = pixels;                                                                \
        change;                                                                                    \
        (void)r, (void)p;                                                                          \
        IS(VIEWPORT_INVALID_ARGUMENT, viewport_read(image, &r, &p, NULL, TELL));                   \
        CHECK(message[0]);                                                                         \
    } while (0)
    REFUSED(p.data = NULL);
    REFUSED(p.size = 299);
    REFUSED(p.stride = 29);
    REFUSED(p.stride = 31);
    REFUSED(p.stride = SIZE_MAX);
    REFUSED(p.stride = SIZE_MAX / 2);
    REFUSED(p.format = 2);
    REFUSED(p.depth = 12);
    REFUSED(p.depth = 16);
    REFUSED(r.width = 0);
    REFUSED(r.height = -1);
    REFUSED(r.x = INFINITY);
    REFUSED(r.columns = -1);
    REFUSED(r.rows = INT32_MAX);
    REFUSED(r.width = 1e300);
    region.x = of->width;
    IS(VIEWPORT_OUTSIDE, viewport_read(image, &region, &pixels, NULL, TELL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_read(NULL, &region, &pixels, NULL, TELL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_read(image, NULL, &pixels, NULL, TELL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_inform(NULL, NULL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_make_index(NULL, NULL, TELL));
    viewport_image *associated = image;
    size_t length;
    IS(VIEWPORT_OUTSIDE, viewport_associated_name(image, 0, NULL, 0, &length));
    IS(VIEWPORT_OUTSIDE, viewport_associated_name(image, -1, NULL, 0, &length));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_associated_name(NULL, 0, NULL, 0, &length));
    IS(VIEWPORT_OUTSIDE, viewport_open_associated(image, "label", &associated, TELL));
    CHECK(associated == NULL && strstr(message, "\"label\""));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_open_associated(image, NULL, &associated, TELL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_open_associated(NULL, "label", &associated, TELL));
    IS(VIEWPORT_INVALID_ARGUMENT, viewport_open_associated(image, "label", NULL, TELL));
    viewport_cancel(NULL);
    viewport_close(NULL);
    viewport_close(image);
}

// A frame of motion JPEG: without its Huffman codes, which are the standard's.
static picture without_codes(const picture *of) {
    picture made = {.width = of->width, .height = of->height, .bytes = tjAlloc((int)of->size)};
    unsigned long at = 2;
    memcpy(made.bytes, of->bytes, made.size = 2);
    while (of->bytes[at + 1] != 0xDA) {
        unsigned long size = 2 + (unsigned long)(of->bytes[at + 2] << 8 | of->bytes[at + 3]);
        if (of->bytes[at + 1] != 0xC4) memcpy(made.bytes + made.size, of->bytes + at, size), made.size += size;
        at += size;
    }
    memcpy(made.bytes + made.size, of->bytes + at, of->size - at);
    made.size += of->size - at;
    decode(&made);
    return made;
}

static void test_jpegs(void) {
    static const int samplings[] = {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_GRAY};
    for (int number = 0; number < 4; number++) {
        name = "a sampling";
        picture made = make(333, 247, samplings[number], 0);
        test_regions(&made, 0);
        test_regions(&made, VIEWPORT_MANY_PARTS);
        name = "a motion JPEG";
        picture frame = without_codes(&made);
        test_regions(&frame, 0);
        vji_index *index;
        IS(VJI_OK, vji_open_path(put("frame.jpg", frame.bytes, frame.size), &index, TELL));
        vji_close(index);
        release(&frame), release(&made);
        name = "a progressive JPEG";
        made = make(333, 247, samplings[number], TJFLAG_PROGRESSIVE);
        test_regions(&made, 0);
        test_regions(&made, VIEWPORT_MANY_PARTS);
        test_index(&made);
        release(&made);
    }
    name = "one pixel";
    picture pixel = make(1, 1, TJSAMP_420, 0);
    test_regions(&pixel, 0);
    // JPEG-LS, whose frame has the marker F7: not supported, and not damaged.
    for (unsigned long at = 2; pixel.bytes[at + 1] != 0xDA; at++)
        if (pixel.bytes[at] == 0xFF && pixel.bytes[at + 1] == 0xC0) pixel.bytes[at + 1] = 0xF7;
    vji_index *index;
    IS(VJI_UNSUPPORTED, vji_open_path(put("ls.jpg", pixel.bytes, pixel.size), &index, TELL));
    release(&pixel);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    folder = arguments[1];
    CHECK(strcmp(viewport_status_name(VIEWPORT_FORKED), "VIEWPORT_FORKED") == 0 && viewport_version()[0]);
    test_jpegs();
    name = "a photo";
    picture photo = make(640, 480, TJSAMP_420, 0);
    test_information(&photo);
    test_formats(&photo);
    test_thumbnail(&photo);
    test_many(&photo);
    test_index(&photo);
    test_arguments(&photo);
    test_files(&photo);
    picture large = make(3000, 2000, TJSAMP_420, 0);
    test_cancel(&large);
    release(&photo), release(&large);
    return 0;
}
