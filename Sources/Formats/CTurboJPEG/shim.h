#pragma once

#include <turbojpeg.h>

// TurboJPEG's interface codes whole images only. Row by row there is libjpeg's, which reports errors by jumping out of
// its functions: the jumps begin and end in the functions below, and no Swift frame lies between.
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

// Errors and cancellation of a coder. Its first member is what libjpeg knows of it.
typedef struct {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf resume;
    // Returns 1 where the work is no longer wanted; called once for each row of blocks, on the calling thread.
    int (*is_cancelled)(void);
    int is_strict;
    int was_cancelled;
    char reason[JMSG_LENGTH_MAX];
} cjpeg_context;

typedef struct {
    cjpeg_context context;
    struct jpeg_decompress_struct info;
} cjpeg_decoder;

typedef struct {
    cjpeg_context context;
    struct jpeg_compress_struct info;
    unsigned char *file;
    unsigned long size;
} cjpeg_encoder;

static void cjpeg_fail(j_common_ptr info) {
    cjpeg_context *context = (cjpeg_context *) info->err;
    info->err->format_message(info, context->reason);
    longjmp(context->resume, 1);
}

static void cjpeg_message(j_common_ptr info, int level) {
    cjpeg_context *context = (cjpeg_context *) info->err;
    if (level >= 0) return;
    info->err->num_warnings++;
    if (context->is_strict) cjpeg_fail(info);
}

// Nothing is written to standard error.
static void cjpeg_output(j_common_ptr info) { (void) info; }

static void cjpeg_progress(j_common_ptr info) {
    cjpeg_context *context = (cjpeg_context *) info->err;
    if (!context->is_cancelled || !context->is_cancelled()) return;
    context->was_cancelled = 1;
    longjmp(context->resume, 1);
}

static inline void cjpeg_prepare(cjpeg_context *context, int is_strict, int (*is_cancelled)(void)) {
    jpeg_std_error(&context->errors);
    context->errors.error_exit = cjpeg_fail;
    context->errors.emit_message = cjpeg_message;
    context->errors.output_message = cjpeg_output;
    context->progress.progress_monitor = cjpeg_progress;
    context->is_cancelled = is_cancelled;
    context->is_strict = is_strict;
}

static inline cjpeg_decoder *cjpeg_decoder_new(int is_strict, int (*is_cancelled)(void)) {
    cjpeg_decoder *decoder = calloc(1, sizeof(cjpeg_decoder));
    if (!decoder) return NULL;
    cjpeg_prepare(&decoder->context, is_strict, is_cancelled);
    decoder->info.err = &decoder->context.errors;
    return decoder;
}

// Reads the header and, of a file of several scans, all of its coefficients; returns 1, or 0 where that fails.
// The bytes are read until the decoder is freed.
static inline int cjpeg_decoder_start(
    cjpeg_decoder *decoder, const unsigned char *bytes, size_t count, int denominator, int bands) {
    if (setjmp(decoder->context.resume)) return 0;
    jpeg_create_decompress(&decoder->info);
    decoder->info.progress = &decoder->context.progress;
    jpeg_mem_src(&decoder->info, bytes, (unsigned long) count);
    jpeg_read_header(&decoder->info, TRUE);
    decoder->info.scale_num = 1;
    decoder->info.scale_denom = (unsigned int) denominator;
    decoder->info.out_color_space = bands == 1 ? JCS_GRAYSCALE : bands == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_start_decompress(&decoder->info);
    return 1;
}

static inline int cjpeg_decoder_width(const cjpeg_decoder *decoder) { return (int) decoder->info.output_width; }
static inline int cjpeg_decoder_height(const cjpeg_decoder *decoder) { return (int) decoder->info.output_height; }

// Decodes the next row; returns 1, or 0 where that fails.
static inline int cjpeg_decoder_read(cjpeg_decoder *decoder, unsigned char *row) {
    if (setjmp(decoder->context.resume)) return 0;
    return jpeg_read_scanlines(&decoder->info, &row, 1) == 1;
}

// Reads what follows the last row: in strict decoding damage there counts as well.
static inline int cjpeg_decoder_finish(cjpeg_decoder *decoder) {
    if (setjmp(decoder->context.resume)) return 0;
    return jpeg_finish_decompress(&decoder->info);
}

static inline void cjpeg_decoder_free(cjpeg_decoder *decoder) {
    // Without a memory manager it was never created, and there is nothing to destroy.
    if (decoder->info.mem) jpeg_destroy_decompress(&decoder->info);
    free(decoder);
}

static inline cjpeg_encoder *cjpeg_encoder_new(int (*is_cancelled)(void)) {
    cjpeg_encoder *encoder = calloc(1, sizeof(cjpeg_encoder));
    if (!encoder) return NULL;
    cjpeg_prepare(&encoder->context, 0, is_cancelled);
    encoder->info.err = &encoder->context.errors;
    return encoder;
}

// Begins a file in `file`, which has room for `capacity` bytes, enough for any picture of the size; color has half the
// resolution where `halves_color` is 1. Returns 1, or 0 where that fails.
static inline int cjpeg_encoder_start(
    cjpeg_encoder *encoder, unsigned char *file, size_t capacity, int width, int height, int bands, int quality,
    int halves_color) {
    encoder->file = file;
    encoder->size = (unsigned long) capacity;
    if (setjmp(encoder->context.resume)) return 0;
    jpeg_create_compress(&encoder->info);
    encoder->info.progress = &encoder->context.progress;
    jpeg_mem_dest(&encoder->info, &encoder->file, &encoder->size);
    encoder->info.image_width = (JDIMENSION) width;
    encoder->info.image_height = (JDIMENSION) height;
    encoder->info.input_components = bands;
    encoder->info.in_color_space = bands == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&encoder->info);
    jpeg_set_quality(&encoder->info, quality, TRUE);
    encoder->info.dct_method = JDCT_ISLOW;
    encoder->info.comp_info[0].h_samp_factor = halves_color ? 2 : 1;
    encoder->info.comp_info[0].v_samp_factor = halves_color ? 2 : 1;
    jpeg_start_compress(&encoder->info, TRUE);
    return 1;
}

static inline int cjpeg_encoder_write(cjpeg_encoder *encoder, const unsigned char *row) {
    if (setjmp(encoder->context.resume)) return 0;
    JSAMPROW start = (JSAMPROW) row;
    return jpeg_write_scanlines(&encoder->info, &start, 1) == 1;
}

// Ends the file; returns its size, or 0 where that fails.
static inline size_t cjpeg_encoder_finish(cjpeg_encoder *encoder, const unsigned char *file) {
    if (setjmp(encoder->context.resume)) return 0;
    jpeg_finish_compress(&encoder->info);
    // A buffer that was too small would have been replaced.
    return encoder->file == file ? encoder->size : 0;
}

// Prepares an encoder for tiles of planes, which share their tables: squares whose sides are whole MCUs. Chroma has one
// sample for `across` times `down` pixels. Returns 1, or 0 where that fails.
static inline int cjpeg_encoder_prepare_tiles(
    cjpeg_encoder *encoder, int side, int components, int across, int down, int is_rgb, int quality) {
    if (setjmp(encoder->context.resume)) return 0;
    jpeg_create_compress(&encoder->info);
    encoder->info.progress = &encoder->context.progress;
    encoder->info.image_width = (JDIMENSION) side;
    encoder->info.image_height = (JDIMENSION) side;
    encoder->info.input_components = components;
    encoder->info.in_color_space = components == 1 ? JCS_GRAYSCALE : is_rgb ? JCS_RGB : JCS_YCbCr;
    jpeg_set_defaults(&encoder->info);
    jpeg_set_colorspace(&encoder->info, encoder->info.in_color_space);
    jpeg_set_quality(&encoder->info, quality, TRUE);
    encoder->info.dct_method = JDCT_ISLOW;
    encoder->info.comp_info[0].h_samp_factor = across;
    encoder->info.comp_info[0].v_samp_factor = down;
    encoder->info.raw_data_in = TRUE;
    encoder->info.write_JFIF_header = FALSE;
    encoder->info.write_Adobe_marker = FALSE;
    return 1;
}

// Writes the tables of all tiles as a file without a picture; returns its size, or 0 where that fails.
static inline size_t cjpeg_encoder_write_tables(cjpeg_encoder *encoder, unsigned char *file, size_t capacity) {
    encoder->file = file;
    encoder->size = (unsigned long) capacity;
    if (setjmp(encoder->context.resume)) return 0;
    jpeg_mem_dest(&encoder->info, &encoder->file, &encoder->size);
    jpeg_write_tables(&encoder->info);
    return encoder->file == file ? encoder->size : 0;
}

// Writes a tile without tables, from planes that begin at `offsets` and have rows of `strides` bytes; `capacity` is
// enough for any tile. Returns its size, or 0 where that fails.
static inline size_t cjpeg_encoder_write_tile(
    cjpeg_encoder *encoder, unsigned char *file, size_t capacity, const unsigned char *planes,
    const size_t offsets[3], const size_t strides[3]) {
    encoder->file = file;
    encoder->size = (unsigned long) capacity;
    if (setjmp(encoder->context.resume)) {
        jpeg_abort_compress(&encoder->info);
        return 0;
    }
    jpeg_mem_dest(&encoder->info, &encoder->file, &encoder->size);
    jpeg_suppress_tables(&encoder->info, TRUE);
    jpeg_start_compress(&encoder->info, FALSE);
    JSAMPROW rows[3][2 * DCTSIZE];
    JSAMPARRAY data[3] = {rows[0], rows[1], rows[2]};
    while (encoder->info.next_scanline < encoder->info.image_height) {
        for (int i = 0; i < encoder->info.num_components; i++) {
            int factor = encoder->info.comp_info[i].v_samp_factor;
            size_t first = encoder->info.next_scanline / encoder->info.max_v_samp_factor * factor;
            for (int y = 0; y < factor * DCTSIZE; y++)
                rows[i][y] = (JSAMPROW) planes + offsets[i] + (first + y) * strides[i];
        }
        jpeg_write_raw_data(&encoder->info, data, encoder->info.max_v_samp_factor * DCTSIZE);
    }
    jpeg_finish_compress(&encoder->info);
    return encoder->file == file ? encoder->size : 0;
}

static inline void cjpeg_encoder_free(cjpeg_encoder *encoder) {
    if (encoder->info.mem) jpeg_destroy_compress(&encoder->info);
    free(encoder);
}
