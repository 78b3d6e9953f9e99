/*
 * num: what a number is.
 *
 * Every algorithm is written once over the type `num` and compiled once for each kind of number. The kind is chosen
 * by one macro before this header is included (default HML_NUM_F64):
 *
 *   HML_NUM_F64   double                      single calls; the reference
 *   HML_NUM_F32   float                       small targets
 *   HML_NUM_F32X4, F32X8, F32X16   packs of floats    batches in single precision: 128 bits, AVX2, AVX-512
 *   HML_NUM_X2    pack of 2 doubles           SSE2, NEON, WASM
 *   HML_NUM_X4    pack of 4 doubles           AVX2
 *   HML_NUM_X8    pack of 8 doubles           AVX-512
 *   HML_NUM_C64   double _Complex             tests: complex-step derivatives through the very same source
 *   HML_NUM_F128  113-bit                     tests: references
 *
 * `num` is an arithmetic type with the operators of C, never a struct. In a pack, a lane is a state. What the
 * operators do not offer is a function:
 *
 *   num   K(c)                      a constant; fractions are written K(1) / K(6) so that they are exact in every kind
 *   num   num_sqrt(x)
 *   void  num_sincos(x, &s, &c)
 *   void  num_sinccos(t, &s, &c)    sin(√t)/√t and cos(√t), t >= 0
 *   num   num_atan2(y, x)
 *   num   num_fma(a, b, c)          a·b + c with one rounding where the hardware has it
 *   mask  num_lt(a, b)              per lane, all bits set where a < b; complex numbers compare their real parts
 *   num   num_select(m, a, b)       per lane, a where m is set, else b
 *   int   num_any(m)                is any lane set?
 *   unsigned num_lanes(m)           which lanes are, one bit each
 *   lane  num_get(x, i)             lane i, 0 <= i < LANES
 *   void  num_set(&x, i, value)
 *
 * Rules: branch on topology, never on lane values; guard the unused denominator before a division, then select.
 */
#ifndef HML_NUM_NUM_H
#define HML_NUM_NUM_H

#include <stdint.h>

/* for small functions over packs: a file full of kernels exhausts the compiler's will to inline, and a call spills */
#if defined __GNUC__
#define NUM_INLINE static inline __attribute__((always_inline))
#else
#define NUM_INLINE static inline
#endif

#if defined HML_NUM_C64
#include "num/num_c64.h"
#elif defined HML_NUM_F128
#include "num/num_f128.h"
#elif defined HML_NUM_F32
#include "num/num_f32.h"
#elif defined HML_NUM_F32X4 || defined HML_NUM_F32X8 || defined HML_NUM_F32X16
#include "num/num_pack_f32.h"
#elif defined HML_NUM_X2 || defined HML_NUM_X4 || defined HML_NUM_X8
#include "num/num_pack.h"
#else
#include "num/num_f64.h"
#endif

#endif
