#pragma once

// Instructions that Swift's SIMD types do not express.

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// Swift's SIMD8<Int16>, SIMD4<Int32> and SIMD4<UInt8>.
typedef short vectors_short8 __attribute__((ext_vector_type(8)));
typedef int vectors_int4 __attribute__((ext_vector_type(4)));
typedef unsigned char vectors_byte4 __attribute__((ext_vector_type(4)));

// The products of eight numbers, each pair of neighbors added.
static inline __attribute__((always_inline)) vectors_int4
vectors_pair_products(vectors_short8 a, vectors_short8 b) {
#if defined(__SSE2__)
    return (vectors_int4)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vectors_int4)vpaddq_s32(
        vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b)),
        vmull_high_s16((int16x8_t)a, (int16x8_t)b));
#else
    return __builtin_convertvector(a.even, vectors_int4) * __builtin_convertvector(b.even, vectors_int4)
        + __builtin_convertvector(a.odd, vectors_int4) * __builtin_convertvector(b.odd, vectors_int4);
#endif
}

// The first four bytes of two pixels, alternating.
static inline __attribute__((always_inline)) vectors_short8
vectors_pixel_pair(const unsigned char *first, const unsigned char *second) {
    vectors_byte4 a, b;
    __builtin_memcpy(&a, first, sizeof a);
    __builtin_memcpy(&b, second, sizeof b);
    return __builtin_convertvector(__builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7), vectors_short8);
}

// Numbers that fit into 16 bits, alternating.
static inline __attribute__((always_inline)) vectors_short8
vectors_alternate(vectors_int4 first, vectors_int4 second) {
    return (vectors_short8)((first & 0xFFFF) | (second << 16));
}

// Twice the width, for processors that have it.
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VECTORS_AVX2 static inline __attribute__((target("avx2")))

// Returns 1 where the processor and the operating system have AVX2.
static inline int vectors_has_avx2(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

// Writes eight samples at a time, as many as fit into `count`, as the first or second of pairs; returns how many.
VECTORS_AVX2 ptrdiff_t
vectors_load_pairs_avx2(const uint8_t *samples, int16_t *pairs, ptrdiff_t count, int is_second) {
    ptrdiff_t x = 0;
    for (; x + 8 <= count; x += 8) {
        __m256i eight = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(samples + x)));
        __m256i *out = (__m256i *)(pairs + 2 * x);
        if (is_second) {
            eight = _mm256_blend_epi16(_mm256_loadu_si256(out), _mm256_slli_epi32(eight, 16), 0xAA);
        }
        _mm256_storeu_si256(out, eight);
    }
    return x;
}

// Adds up weighted pairs of rows: `pairs` rows of a ring, from `first` on, each of `stride` pairs of samples, a
// multiple of 16. The sums are shifted by `shift` bits and must fit into 16 bits.
VECTORS_AVX2 void
vectors_filter_rows_avx2(const int16_t *ring, ptrdiff_t stride, ptrdiff_t pairs, ptrdiff_t first,
                         const int32_t *weights, int16_t *out, int shift) {
    const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
    const __m128i down = _mm_cvtsi32_si128(shift);
    ptrdiff_t x = 0;
    // Thirty-two sums stay in registers across all rows.
    for (; x + 32 <= stride; x += 32) {
        __m256i a = half, b = half, c = half, d = half;
        ptrdiff_t slot = first;
        for (ptrdiff_t pair = 0; pair < pairs; pair++) {
            const __m256i *rows = (const __m256i *)(ring + 2 * (slot * stride + x));
            const __m256i weight = _mm256_set1_epi32(weights[pair]);
            a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_loadu_si256(rows), weight));
            b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_loadu_si256(rows + 1), weight));
            c = _mm256_add_epi32(c, _mm256_madd_epi16(_mm256_loadu_si256(rows + 2), weight));
            d = _mm256_add_epi32(d, _mm256_madd_epi16(_mm256_loadu_si256(rows + 3), weight));
            slot = slot + 1 == pairs ? 0 : slot + 1;
        }
        __m256i lower = _mm256_packs_epi32(_mm256_sra_epi32(a, down), _mm256_sra_epi32(b, down));
        __m256i upper = _mm256_packs_epi32(_mm256_sra_epi32(c, down), _mm256_sra_epi32(d, down));
        _mm256_storeu_si256((__m256i *)(out + x), _mm256_permute4x64_epi64(lower, 0xD8));
        _mm256_storeu_si256((__m256i *)(out + x + 16), _mm256_permute4x64_epi64(upper, 0xD8));
    }
    if (x < stride) {
        __m256i a = half, b = half;
        ptrdiff_t slot = first;
        for (ptrdiff_t pair = 0; pair < pairs; pair++) {
            const __m256i *rows = (const __m256i *)(ring + 2 * (slot * stride + x));
            const __m256i weight = _mm256_set1_epi32(weights[pair]);
            a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_loadu_si256(rows), weight));
            b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_loadu_si256(rows + 1), weight));
            slot = slot + 1 == pairs ? 0 : slot + 1;
        }
        __m256i sums = _mm256_packs_epi32(_mm256_sra_epi32(a, down), _mm256_sra_epi32(b, down));
        _mm256_storeu_si256((__m256i *)(out + x), _mm256_permute4x64_epi64(sums, 0xD8));
    }
}

// Resamples a line of interleaved pixels of 3 or 4 bands. Each of `count` pixels begins at the pixel `starts[x]` of the
// line and has `pairs` pairs of weights; reads eight samples from the first of each pair. Writes four sums per pixel.
VECTORS_AVX2 void
vectors_filter_pixels_avx2(const int16_t *line, const ptrdiff_t *starts, ptrdiff_t count,
                           const int32_t *weights, ptrdiff_t pairs, ptrdiff_t bands, int32_t *out) {
    const __m128i neighbors = bands == 3
        ? _mm_setr_epi8(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, -1, -1, -1, -1)
        : _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    const __m256i both = _mm256_broadcastsi128_si256(neighbors);
    const __m256i lanes = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    for (ptrdiff_t x = 0; x < count; x++, weights += pairs, out += 4) {
        const int16_t *samples = line + starts[x] * bands;
        __m256i sums = _mm256_setzero_si256();
        ptrdiff_t pair = 0;
        for (; pair + 2 <= pairs; pair += 2, samples += 4 * bands) {
            __m256i four = _mm256_inserti128_si256(
                _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)samples)),
                _mm_loadu_si128((const __m128i *)(samples + 2 * bands)), 1);
            int64_t two;
            memcpy(&two, weights + pair, sizeof two);
            __m256i weight = _mm256_permutevar8x32_epi32(_mm256_set1_epi64x(two), lanes);
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_shuffle_epi8(four, both), weight));
        }
        __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        if (pair < pairs) {
            __m128i two = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)samples), neighbors);
            sum = _mm_add_epi32(sum, _mm_madd_epi16(two, _mm_set1_epi32(weights[pair])));
        }
        _mm_storeu_si128((__m128i *)out, sum);
    }
}
#endif
