// libjpeg's own partial decoding, for crops.py: rows above the part are skipped, columns beside it are not converted.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

typedef struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf back;
} failure;

static void fail(j_common_ptr decoder) { longjmp(((failure *)decoder->err)->back, 1); }

// Decodes `width` x `height` RGB pixels from (x, y) on; returns 0 where that fails.
int crop(const unsigned char *file, unsigned long size, unsigned x, unsigned y, unsigned width, unsigned height,
         unsigned char *rgb) {
    struct jpeg_decompress_struct decoder;
    failure failure;
    unsigned char *volatile row = NULL;
    decoder.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = fail;
    if (setjmp(failure.back)) {
        jpeg_destroy_decompress(&decoder);
        free(row);
        return 0;
    }
    jpeg_create_decompress(&decoder);
    jpeg_mem_src(&decoder, file, size);
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = JCS_RGB;
    jpeg_start_decompress(&decoder);
    JDIMENSION left = x, across = width;
    jpeg_crop_scanline(&decoder, &left, &across);
    jpeg_skip_scanlines(&decoder, y);
    row = malloc((size_t)across * 3);
    for (unsigned line = 0; line < height; line++) {
        JSAMPROW rows[1] = {row};
        jpeg_read_scanlines(&decoder, rows, 1);
        for (unsigned byte = 0; byte < width * 3; byte++)
            rgb[(size_t)line * width * 3 + byte] = row[(x - left) * 3 + byte];
    }
    jpeg_abort_decompress(&decoder);
    jpeg_destroy_decompress(&decoder);
    free(row);
    return 1;
}
