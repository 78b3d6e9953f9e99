/* Which instruction sets this build and this processor have. Stateless: the answer is asked for, never stored. */
#include "hamel/isa.h"

#include "kernel/table.h"

static int processor_has(hml_isa isa)
{
#if (defined __x86_64__ || defined __i386__) && defined __GNUC__
    __builtin_cpu_init();
    if (isa == HML_ISA_X4) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi");
    }
    if (isa == HML_ISA_X8) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi");
    }
#endif
    return isa == HML_ISA_SCALAR || isa == HML_ISA_X2;
}

static const hml_kernels *table(hml_isa isa)
{
    switch (isa) {
    case HML_ISA_SCALAR: return &hml_kernels_F64;
#if defined HML_HAVE_X2
    case HML_ISA_X2: return &hml_kernels_X2;
#endif
#if defined HML_HAVE_X4
    case HML_ISA_X4: return &hml_kernels_X4;
#endif
#if defined HML_HAVE_X8
    case HML_ISA_X8: return &hml_kernels_X8;
#endif
    default: return NULL;
    }
}

const hml_kernels *hmli_kernels_get(hml_isa isa)
{
    if (isa == HML_ISA_BEST) isa = hml_isa_best();
    return processor_has(isa) ? table(isa) : NULL;
}

const hml_kernels *hmli_kernels_single(hml_isa isa)
{
    if (isa == HML_ISA_BEST) isa = hml_isa_best();
#if defined HML_HAVE_S4
    if (isa == HML_ISA_X4 && processor_has(isa)) return &hml_kernels_S4;
#endif
#if defined HML_HAVE_S4V
    if (isa == HML_ISA_X8 && processor_has(isa)) return &hml_kernels_S4V;
#endif
    return &hml_kernels_F64;
}

const hml_kernels *hmli_kernels_single_lanes(hml_isa isa)
{
    if (isa == HML_ISA_BEST) isa = hml_isa_best();
#if defined HML_HAVE_X4V
    if (isa == HML_ISA_X8 && processor_has(isa)) return &hml_kernels_X4V;
#endif
    return hmli_kernels_get(isa);
}

int hml_isa_available(hml_isa isa) { return hmli_kernels_get(isa) != NULL; }

hml_isa hml_isa_best(void)
{
    static const hml_isa widest_first[] = {HML_ISA_X8, HML_ISA_X4, HML_ISA_X2};
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
    case HML_ISA_X2: return "x2";
    case HML_ISA_X4: return "x4";
    case HML_ISA_X8: return "x8";
    default: return "unknown";
    }
}
