/* The batch functions of the group layer: hml_<name>_batch and hml_<name>_batch_f32, one pair a line of ROW_MAPS
 * and PAIR_MAPS.
 */
#include "hamel/rigid_body.h"
#include "hamel/se3.h"
#include "hamel/so3.h"
#include "kernel/dispatch.h"

#define BATCH(name, ins, outs)                                                                                         \
    hml_status hml_##name##_batch(hml_isa isa, size_t n, const double *in, double *out)                                \
    {                                                                                                                  \
        const kernel_table *kernels = hmli_kernels_get(isa);                                                           \
        if (!kernels || (n > 0 && (!in || !out))) return HML_INVALID_ARGUMENT;                                         \
        kernels->name(n, in, out);                                                                                     \
        return HML_OK;                                                                                                 \
    }                                                                                                                  \
    hml_status hml_##name##_batch_f32(size_t n, const float *in, float *out)                                           \
    {                                                                                                                  \
        if (n > 0 && (!in || !out)) return HML_INVALID_ARGUMENT;                                                       \
        hmli_kernels_scalar_f32.name(n, in, out);                                                                      \
        return HML_OK;                                                                                                 \
    }
ROW_MAPS(BATCH)

#define PAIR_BATCH(name, first, second, outs)                                                                          \
    hml_status hml_##name##_batch(hml_isa isa, size_t n, const double *a, const double *b, double *out)                \
    {                                                                                                                  \
        const kernel_table *kernels = hmli_kernels_get(isa);                                                           \
        if (!kernels || (n > 0 && (!a || !b || !out))) return HML_INVALID_ARGUMENT;                                    \
        kernels->name(n, a, b, out);                                                                                   \
        return HML_OK;                                                                                                 \
    }                                                                                                                  \
    hml_status hml_##name##_batch_f32(size_t n, const float *a, const float *b, float *out)                            \
    {                                                                                                                  \
        if (n > 0 && (!a || !b || !out)) return HML_INVALID_ARGUMENT;                                                  \
        hmli_kernels_scalar_f32.name(n, a, b, out);                                                                    \
        return HML_OK;                                                                                                 \
    }
PAIR_MAPS(PAIR_BATCH)
