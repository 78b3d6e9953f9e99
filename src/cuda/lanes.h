/*
 * What a lane of a warp can do: the only file that knows whether it runs on a GPU or in the emulator of the tests.
 *
 *   lanes_sync()         no lane goes on before all have come here; what was written before can be read after
 *   lanes_or(x)          bits that any lane of this state has
 *   lanes_get(x, l)      x of lane l of this state
 *   lanes_sum(x)         the sum over all lanes of this state, the same bits in each
 *   work_get, work_put   a number of the workspace; …4: four at once, at an address that is a multiple of 16 bytes
 *
 *   lanes_fetch(to, from)   a number of an input into the workspace, where it is after lanes_fetched() and lanes_sync()
 *   lanes_forget()       the compiler does not keep in registers what was put into the workspace
 *
 * All lanes of a warp come to the same lanes_…, in the same order: loops around them have the same count for all lanes,
 * and no branch around them looks at a lane or at numbers.
 *
 * Every function of group/ and kernel/composite.h is one of the device too: for the compiler of CUDA, `inline` says so.
 */
#ifndef HML_CUDA_LANES_H
#define HML_CUDA_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda/call.h"
#include "hamel/se3.h"

#if defined __CUDACC__
#define inline inline __host__ __device__
#endif
#include "kernel/composite.h"
#include "kernel/held_column.h"
#if defined __CUDACC__
#undef inline
#endif

typedef struct num4 {
    num a, b, c, d;
} num4;

#if defined __CUDACC__

#define LANE_CODE static __device__ __forceinline__
#define ROLLED    _Pragma("unroll 1") /* code that is small stays in the cache of instructions */
#define UNROLLED  _Pragma("unroll")   /* arrays stay in registers */
#define BY_TWO    _Pragma("unroll 2")
#define BY_FOUR   _Pragma("unroll 4") /* loads do not wait for each other */

LANE_CODE void lanes_sync(void) { __syncwarp(); }
LANE_CODE num lanes_get(num x, int l, int width) { return __shfl_sync(0xffffffffu, x, l, width); }
LANE_CODE int lanes_or(int x, int width)
{
    for (int step = 1; step < width; step *= 2) x |= __shfl_xor_sync(0xffffffffu, x, step, width);
    return x;
}

LANE_CODE num lanes_sum(num x, int width)
{
    for (int step = 1; step < width; step *= 2) x += __shfl_xor_sync(0xffffffffu, x, step, CUDA_WARP);
    return x;
}

LANE_CODE void lanes_forget(void) { asm volatile("" ::: "memory"); }
LANE_CODE void lanes_fetched(void) { asm volatile("cp.async.wait_all;" ::: "memory"); }
LANE_CODE void lanes_fetch(num *to, const num *from)
{
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
#if defined HML_NUM_F32
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(from) : "memory");
#endif
}

LANE_CODE num work_get(const num *p) { return *p; }
LANE_CODE void work_put(num *p, num x) { *p = x; }

LANE_CODE num4 work_get4(const num *p)
{
    num4 x;
#if defined HML_NUM_F32
    const float4 y = *(const float4 *)p;
    x.a = y.x, x.b = y.y, x.c = y.z, x.d = y.w;
#else
    const double2 y = *(const double2 *)p, z = *(const double2 *)(p + 2);
    x.a = y.x, x.b = y.y, x.c = z.x, x.d = z.y;
#endif
    return x;
}

LANE_CODE void work_put4(num *p, num4 x)
{
#if defined HML_NUM_F32
    *(float4 *)p = make_float4(x.a, x.b, x.c, x.d);
#else
    *(double2 *)p = make_double2(x.a, x.b);
    *(double2 *)(p + 2) = make_double2(x.c, x.d);
#endif
}

#else
#define LANE_CODE static inline
#define ROLLED
#define UNROLLED
#define BY_TWO
#define BY_FOUR
#include "lanes_emulated.h" /* of the tests */
#endif

/* a number of an output; four of them, at an address that is a multiple of 16 bytes; one of an input into the caches */
#if defined __CUDACC__
LANE_CODE void global_put(num *p, num x) { __stcs(p, x); } /* nobody reads it soon */
LANE_CODE void global_prefetch(const num *p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
LANE_CODE void global_put4(num *p, num4 x) { work_put4(p, x); }
#else
LANE_CODE void global_put(num *p, num x) { *p = x; }
LANE_CODE void global_prefetch(const num *p) { (void)p; }
LANE_CODE void global_put4(num *p, num4 x)
{
    if ((uintptr_t)p % 16 == 0) memcpy(p, &x, sizeof x); /* else nothing is written, and the tests see it */
}
#endif

LANE_CODE num4 num4_of(num a, num b, num c, num d)
{
    num4 x;
    x.a = a, x.b = b, x.c = c, x.d = d;
    return x;
}

/* six numbers of a row of eight */
LANE_CODE twist work_twist(const num *p)
{
    const num4 x = work_get4(p), y = work_get4(p + 4);
    return twist_of(vec3_of(x.a, x.b, x.c), vec3_of(x.d, y.a, y.b));
}

LANE_CODE void work_put_twist(num *p, twist x)
{
    work_put4(p, num4_of(x.v.x, x.v.y, x.v.z, x.w.x));
    work_put4(p + 4, num4_of(x.w.y, x.w.z, K(0), K(0)));
}

LANE_CODE wrench work_wrench(const num *p)
{
    const twist x = work_twist(p);
    return wrench_of(x.v, x.w);
}

/* six numbers anywhere */
LANE_CODE twist work_twist_at(const num *p)
{
    return twist_of(vec3_of(work_get(p), work_get(p + 1), work_get(p + 2)),
                    vec3_of(work_get(p + 3), work_get(p + 4), work_get(p + 5)));
}

LANE_CODE void work_put_twist_at(num *p, twist x)
{
    work_put(p, x.v.x), work_put(p + 1, x.v.y), work_put(p + 2, x.v.z);
    work_put(p + 3, x.w.x), work_put(p + 4, x.w.y), work_put(p + 5, x.w.z);
}

#endif
