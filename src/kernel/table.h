/*
 * The table of functions that one instruction set's object exports. Everything over packs is static inline behind it;
 * no pack crosses a function boundary.
 */
#ifndef HML_KERNEL_TABLE_H
#define HML_KERNEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/isa.h"

/*
 * Functions that map n rows of numbers to n rows: name, numbers in a row in, numbers in a row out. A line here, a body
 * in kernel/pack/so3_rows.h or pack/se3_rows.h and a declaration in a public header make a batch function:
 * hml_<name>_batch, and its hml_<name>_batch_f32.
 */
#define HML_ROW_MAPS(X)                                                                                                \
    X(so3_exp, 3, 9)                                                                                                   \
    X(so3_log, 4, 3)                                                                                                   \
    X(so3_dexp, 3, 9)                                                                                                  \
    X(quat_to_matrix, 4, 9)                                                                                            \
    X(se3_exp, 6, 16)                                                                                                  \
    X(se3_log, 16, 6)                                                                                                  \
    X(se3_dexp_left, 6, 36)                                                                                            \
    X(se3_dexp_left_inverse, 6, 36)

/* The same for functions of two arrays of n rows: name, numbers in a row of the first, of the second, of the result. */
#define HML_PAIR_MAPS(X)                                                                                               \
    X(twist_transform, 16, 6, 6)                                                                                       \
    X(twist_cross, 6, 6, 6)                                                                                            \
    X(inertia_mul, 10, 6, 6)

struct kernel_call;
struct jacobian_call;
struct configuration_call;
struct hml_plan;

typedef struct hml_kernels {
    const char *name;
    int lanes;
    /* kernel/pack/scratch_size.h: bytes of scratch, with or without those of `linearize` */
    size_t (*scratch_size)(const struct hml_plan *plan, int linearizes);
    /* kernel/pack/linearize.h, pack/inverse_dynamics_derivatives.h: a pack of states, returning the lanes that failed
     */
    unsigned (*linearize)(const struct kernel_call *call);
    /* kernel/single/linearize.h: one state, or 1 where the scalar table must do it; NULL: it always must */
    unsigned (*linearize_single)(const struct kernel_call *call);
    unsigned (*forward_dynamics)(const struct kernel_call *call);
    /* kernel/single/forward_dynamics.h: one state, or 1 where the scalar table must do it; NULL: it always must */
    unsigned (*forward_dynamics_single)(const struct kernel_call *call);
    unsigned (*inverse_dynamics_derivatives)(const struct kernel_call *call);
    /* kernel/pack/scratch_size.h: the same alone; they also mark states that are not finite or not on the group */
    unsigned (*inverse_dynamics)(const struct kernel_call *call);
    unsigned (*mass_matrix)(const struct kernel_call *call);
    unsigned (*inverse_mass_matrix)(const struct kernel_call *call);
    /* kernel/single/linearize.h: as linearize_single; it trusts the state */
    unsigned (*inverse_mass_matrix_single)(const struct kernel_call *call);
    /* kernel/pack/jacobians.h, single/jacobians.h: a pack of states; one state, NULL: the scalar table has it */
    unsigned (*jacobians)(const struct jacobian_call *call);
    unsigned (*jacobians_single)(const struct jacobian_call *call);
    /* poses alone; single/poses.h */
    unsigned (*poses)(const struct jacobian_call *call);
    unsigned (*poses_single)(const struct jacobian_call *call);
    /* kernel/pack/configuration.h: a pack of q ⊕ ν or q₁ ⊖ q₀; 1: some state is bad */
    unsigned (*integrate)(const struct configuration_call *call);
    unsigned (*difference)(const struct configuration_call *call);
    /* single/poses.h: of the numbers begin … end − 1 of q */
    void (*sincos)(const double *q, int32_t begin, int32_t end, double *s, double *c);
#define HML_ROW_MAP(name, ins, outs) void (*name)(size_t n, const double *in, double *out);
    HML_ROW_MAPS(HML_ROW_MAP)
#undef HML_ROW_MAP
#define HML_PAIR_MAP(name, first, second, outs) void (*name)(size_t n, const double *a, const double *b, double *out);
    HML_PAIR_MAPS(HML_PAIR_MAP)
#undef HML_PAIR_MAP
} hml_kernels;

/* single precision: the row maps alone, since models are always double */
typedef struct hml_kernels_f32 {
    const char *name;
    int lanes;
#define HML_ROW_MAP(name, ins, outs) void (*name)(size_t n, const float *in, float *out);
    HML_ROW_MAPS(HML_ROW_MAP)
#undef HML_ROW_MAP
#define HML_PAIR_MAP(name, first, second, outs) void (*name)(size_t n, const float *a, const float *b, float *out);
    HML_PAIR_MAPS(HML_PAIR_MAP)
#undef HML_PAIR_MAP
} hml_kernels_f32;

extern const hml_kernels hml_kernels_F64, hml_kernels_X2, hml_kernels_X4, hml_kernels_X8;
extern const hml_kernels hml_kernels_S4, hml_kernels_S4V; /* double, with registers of four across columns */
extern const hml_kernels hml_kernels_X4V; /* lanes of four with AVX-512: single calls, packs for linearizations and M */
extern const hml_kernels_f32 hml_kernels_F32;

/* the table of an instruction set, NULL if this build or processor does not have it */
const hml_kernels *hmli_kernels_get(hml_isa isa);

/* the table for single calls of a workspace of that instruction set; the same in lanes of bodies and columns */
const hml_kernels *hmli_kernels_single(hml_isa isa);
const hml_kernels *hmli_kernels_single_lanes(hml_isa isa);

#endif
