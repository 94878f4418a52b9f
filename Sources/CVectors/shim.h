#pragma once

// Instructions that Swift's SIMD types do not express.

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// Swift's SIMD8<Int16> and SIMD4<Int32>.
typedef short vectors_short8 __attribute__((ext_vector_type(8)));
typedef int vectors_int4 __attribute__((ext_vector_type(4)));

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
