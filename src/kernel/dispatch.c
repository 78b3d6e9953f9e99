/* Which instruction sets this build and this processor have, and which kernels a workspace runs. No state is kept. */
#include "kernel/dispatch.h"

#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>
#include <string.h>
#endif

static int processor_has(hml_isa isa)
{
#if (defined __x86_64__ || defined __i386__) && defined __GNUC__
    __builtin_cpu_init();
    if (isa == HML_ISA_AVX2) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi");
    }
    if (isa == HML_ISA_AVX512) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi");
    }
#endif
    return isa == HML_ISA_SCALAR || isa == HML_ISA_128;
}

static const kernel_table *table(hml_isa isa)
{
    switch (isa) {
    case HML_ISA_SCALAR: return &hmli_kernels_scalar;
#if defined HML_HAVE_sse2_x2
    case HML_ISA_128: return &hmli_kernels_sse2_x2;
#elif defined HML_HAVE_neon_x2
    case HML_ISA_128: return &hmli_kernels_neon_x2;
#elif defined HML_HAVE_vector_x2
    case HML_ISA_128: return &hmli_kernels_vector_x2;
#endif
#if defined HML_HAVE_avx2_x4
    case HML_ISA_AVX2: return &hmli_kernels_avx2_x4;
#endif
#if defined HML_HAVE_avx512_x8
    case HML_ISA_AVX512: return &hmli_kernels_avx512_x8;
#endif
    default: return NULL;
    }
}

static const kernel_table_f32 *table_f32(hml_isa isa)
{
    switch (isa) {
#if defined HML_HAVE_sse2_f32x4
    case HML_ISA_128: return &hmli_kernels_sse2_f32x4;
#elif defined HML_HAVE_neon_f32x4
    case HML_ISA_128: return &hmli_kernels_neon_f32x4;
#elif defined HML_HAVE_vector_f32x4
    case HML_ISA_128: return &hmli_kernels_vector_f32x4;
#endif
#if defined HML_HAVE_avx2_f32x8
    case HML_ISA_AVX2: return &hmli_kernels_avx2_f32x8;
#endif
#if defined HML_HAVE_avx512_f32x16
    case HML_ISA_AVX512: return &hmli_kernels_avx512_f32x16;
#endif
    default: return &hmli_kernels_scalar_f32;
    }
}

const kernel_table *hmli_kernels_get(hml_isa isa)
{
    if (isa == HML_ISA_BEST) isa = hml_isa_best();
    return processor_has(isa) ? table(isa) : NULL;
}

/* ---- the choice ---- */

/*
 * Measured limits, in columns of velocity.
 *
 * LONG_CHAIN: from this length of path on, sweeps along the tree take fewer steps than products with an inverse
 * (docs/decisions/0010). Long paths also fill the widest registers, so single calls use the native width.
 * LONG_FOR_PACKS: packs of states have no sweeps; from here on single calls, one after the other, are faster.
 * LARGE_ROBOT: from here on eight states of a linearization do not fit into L2, and packs of four are faster.
 */
enum { LONG_CHAIN = 24, LONG_FOR_PACKS = 28, LARGE_ROBOT = 28 };

/* single calls of an instruction set; AVX-512 without its 512-bit registers, which lower the CPU frequency */
static const kernel_table *scalar_table(hml_isa isa)
{
#if defined HML_HAVE_avx2_scalar
    if (isa == HML_ISA_AVX2) return &hmli_kernels_avx2_scalar;
#endif
#if defined HML_HAVE_avx512vl_scalar
    if (isa == HML_ISA_AVX512) return &hmli_kernels_avx512vl_scalar;
#endif
    (void)isa;
    return &hmli_kernels_scalar;
}

static const kernel_table *narrow_table(hml_isa isa)
{
#if defined HML_HAVE_avx512vl_x4
    if (isa == HML_ISA_AVX512) return &hmli_kernels_avx512vl_x4;
#endif
    return table(isa);
}

/*
 * Does the processor multiply 512 bits at once without lowering its frequency? Of AMD's it does from Zen 5, family 26,
 * on (docs/decisions/0011).
 */
static int wide_registers_are_free(void)
{
#if defined __x86_64__ && defined __GNUC__
    unsigned a, vendor[3], unused[3];
    if (!__get_cpuid(0, &a, &vendor[0], &vendor[2], &vendor[1]) || memcmp(vendor, "AuthenticAMD", 12) != 0) return 0;
    if (!__get_cpuid(1, &a, &unused[0], &unused[1], &unused[2])) return 0;
    return (a >> 8 & 15) + (a >> 20 & 255) >= 26;
#else
    return 0;
#endif
}

int hmli_kernel_choose(const hml_plan *plan, int followers, hml_isa isa, kernel_choice *choice)
{
    if (isa == HML_ISA_BEST) isa = hml_isa_best();
    kernel_choice c = {.batch = hmli_kernels_get(isa)};
    if (!c.batch) return 0;
    c.long_chain = plan->longest_path >= LONG_CHAIN;
    c.single = c.long_chain ? c.batch : narrow_table(isa);
    c.held = wide_registers_are_free() ? c.batch : c.single;
    c.batch_matrices = plan->nv >= LARGE_ROBOT ? narrow_table(isa) : c.batch;
    c.fallback = scalar_table(isa);
    c.one_by_one = plan->longest_path >= LONG_FOR_PACKS && c.single->single_linearize && !followers;
    if (!c.one_by_one && !followers)
        c.batch_f32 = table_f32(isa); /* large robots too: measured, 1.3 times narrower packs */
    *choice = c;
    return 1;
}

size_t hmli_kernel_scratch_size(const hml_plan *plan, const kernel_choice *choice, int factor)
{
    const unsigned chain = choice->long_chain ? SCRATCH_LONG_CHAIN : 0;
    const unsigned packs = choice->one_by_one ? 0 : SCRATCH_PACK_LINEARIZE;
    const struct {
        const kernel_table *table;
        unsigned uses;
    } all[] = {{choice->batch, chain | packs}, /* held robots of any size */
               {choice->single, chain},
               {choice->batch_matrices, chain | packs},
               {choice->fallback, chain | SCRATCH_PACK_LINEARIZE}};
    hml_plan tree = *plan;
    size_t size = 0;
    if (!factor) tree.depth = 0; /* what grows with columns times depth is left out */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t each = all[i].table->scratch_size(&tree, all[i].uses);
        if (each > size) size = each;
    }
    const size_t floats = choice->batch_f32 ? choice->batch_f32->scratch_size(&tree, SCRATCH_PACK_LINEARIZE) : 0;
    return floats > size ? floats : size;
}

/* ---- instruction sets ---- */

int hml_isa_available(hml_isa isa) { return hmli_kernels_get(isa) != NULL; }

hml_isa hml_isa_best(void)
{
    static const hml_isa widest_first[] = {HML_ISA_AVX512, HML_ISA_AVX2, HML_ISA_128};
    for (size_t i = 0; i < sizeof widest_first / sizeof *widest_first; i++) {
        if (processor_has(widest_first[i]) && table(widest_first[i])) return widest_first[i];
    }
    return HML_ISA_SCALAR;
}

const char *hml_isa_name(hml_isa isa)
{
    switch (isa) {
    case HML_ISA_BEST: return "best";
    case HML_ISA_SCALAR: return "scalar";
    case HML_ISA_128: return "x2";
    case HML_ISA_AVX2: return "x4";
    case HML_ISA_AVX512: return "x8";
    default: return "unknown";
    }
}
