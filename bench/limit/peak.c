/* The fastest loops of multiplications and additions: see peak.h. */
#include "peak.h"

#include <string.h>

/* as many chains as hide a latency of 4 cycles in two units, twice where a step is two instructions */
enum { CHAINS = 12 };

typedef struct operands {
    const double *from;
    size_t count; /* doubles to go through, again and again */
} operands;

enum { FIRST = 2048, SECOND = 65536 }; /* 16 KiB, half of a small L1; 512 KiB, more than any L1 */
static double array[SECOND] __attribute__((aligned(64)));
static operands first = {array, FIRST}, second = {array, SECOND};
static volatile double last; /* keeps the compiler from dropping the computation */

/*
 * The same two loops for each width. Chains are an array of known length in a loop that is unrolled, which compilers
 * keep in registers. a and b come from memory, so that nothing is known of them.
 */
#define LOOPS(name, lanes, flags)                                                                                      \
    flags static size_t name##_registers(void *self, bench_algorithm algorithm, size_t states)                         \
    {                                                                                                                  \
        double sum;                                                                                                    \
        const double *from = ((const operands *)self)->from;                                                           \
        name##_pack a, b, x[CHAINS];                                                                                   \
        (void)algorithm;                                                                                               \
        memcpy(&a, from, sizeof a), memcpy(&b, from + 8, sizeof b);                                                    \
        for (int k = 0; k < CHAINS; k++) x[k] = b * (double)k;                                                         \
        for (size_t i = 0; i < states * PEAK_PACKS; i += CHAINS) {                                                     \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) x[k] = a * x[k] + b;                             \
        }                                                                                                              \
        for (int k = 1; k < CHAINS; k++) x[0] += x[k];                                                                 \
        memcpy(&sum, x, sizeof sum);                                                                                   \
        last = sum;                                                                                                    \
        return states;                                                                                                 \
    }                                                                                                                  \
    flags static size_t name##_cache(void *self, bench_algorithm algorithm, size_t states)                             \
    {                                                                                                                  \
        double sum;                                                                                                    \
        const double *from = ((const operands *)self)->from;                                                           \
        name##_pack a, x[CHAINS];                                                                                      \
        size_t at = 0;                                                                                                 \
        const size_t count = ((const operands *)self)->count;                                                          \
        (void)algorithm;                                                                                               \
        memcpy(&a, from, sizeof a);                                                                                    \
        for (int k = 0; k < CHAINS; k++) x[k] = a;                                                                     \
        for (size_t i = 0; i < states * PEAK_PACKS; i += CHAINS) {                                                     \
            const name##_pack *y = (const name##_pack *)(const void *)(from + at);                                     \
            _Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) x[k] = a * y[k] + x[k];                          \
            at = at + 2 * CHAINS * lanes < count ? at + CHAINS * lanes : 0;                                            \
        }                                                                                                              \
        for (int k = 1; k < CHAINS; k++) x[0] += x[k];                                                                 \
        memcpy(&sum, x, sizeof sum);                                                                                   \
        last = sum;                                                                                                    \
        return states;                                                                                                 \
    }

#if defined __x86_64__
#define PEAK_AVX2   __attribute__((target("avx2,fma")))
#define PEAK_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#else
#define PEAK_AVX2
#define PEAK_AVX512
#endif
typedef double x2_pack __attribute__((vector_size(16))), x4_pack __attribute__((vector_size(32))),
    x8_pack __attribute__((vector_size(64)));
LOOPS(x2, 2, )
LOOPS(x4, 4, PEAK_AVX2)
LOOPS(x8, 8, PEAK_AVX512)

static void *open_first(const bench_robot *robot)
{
    (void)robot;
    for (int i = 0; i < SECOND; i++) array[i] = 0.5; /* x = x/2 + 1/2 stays near 1 */
    return &first;
}

static void *open_second(const bench_robot *robot)
{
    open_first(robot);
    return &second;
}

static void peak_close(void *self) { (void)self; }

#define PEAK(isa, name)                                                                                                \
    {                                                                                                                  \
        isa,                                                                                                           \
        {                                                                                                              \
            {"registers", "", open_first, name##_registers, NULL, peak_close},                                         \
                {"first cache", "", open_first, name##_cache, NULL, peak_close},                                       \
                {"second cache", "", open_second, name##_cache, NULL, peak_close},                                     \
        }                                                                                                              \
    }
const peak peaks[PEAKS] = {PEAK(HML_ISA_128, x2), PEAK(HML_ISA_AVX2, x4), PEAK(HML_ISA_AVX512, x8)};
