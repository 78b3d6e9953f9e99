/*
 * The table of functions that one kernel object exports, see kernel/kinds.cmake. All code over packs is static inline
 * behind it; no pack crosses the boundary of an object.
 */
#ifndef HML_KERNEL_TABLE_H
#define HML_KERNEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/base.h"

/*
 * Functions that map n rows of numbers to n rows: name, numbers in a row in, numbers in a row out. A line here, a body
 * in kernel/pack/so3_rows.h or pack/se3_rows.h and a declaration in a public header make a batch function:
 * hml_<name>_batch, and its hml_<name>_batch_f32.
 */
#define ROW_MAPS(X)                                                                                                    \
    X(so3_exp, 3, 9)                                                                                                   \
    X(quat_to_rotvec, 4, 3)                                                                                            \
    X(so3_dexp_left, 3, 9)                                                                                             \
    X(quat_to_matrix, 4, 9)                                                                                            \
    X(se3_exp, 6, 16)                                                                                                  \
    X(se3_log, 16, 6)                                                                                                  \
    X(se3_dexp_left, 6, 36)                                                                                            \
    X(se3_dexp_left_inverse, 6, 36)

/* The same for functions of two arrays of n rows: name, numbers in a row of the first, of the second, of the result. */
#define PAIR_MAPS(X)                                                                                                   \
    X(twist_transform, 16, 6, 6)                                                                                       \
    X(twist_cross, 6, 6, 6)                                                                                            \
    X(inertia_mul, 10, 6, 6)

/*
 * The kernels of a table: the type of its call, its name, and which objects have it (kernel/table.c); the others have
 * NULL. This list makes the members of kernel_table and their initializer.
 *
 * pack_…    A pack of 1 … lanes states. Returns the lanes that failed, one bit each: M is singular, or the state is not
 *           finite or not on the group. pack_inverse_dynamics_derivatives checks nothing and returns 0. pack_integrate
 *           and pack_difference return 1 if some state of the pack is bad.
 * single_…  One state; the lanes are bodies, columns or x, y, z. Returns 1 if the kernel cannot handle it; the caller
 *           then uses the pack kernel of the fallback table. single_poses returns 1 for a bad state.
 *           single_jacobians, single_mass_centre, single_frame, single_forward_dynamics, single_inverse_mass_matrix and
 *           single_inverse_dynamics_derivatives expect a state that was checked. single_mass_centre returns 1 for a
 *           robot without mass.
 */
#define KERNEL_LIST(X)                                                                                                 \
    PACK_KERNEL_LIST(X)                                                                                                \
    X(configuration_call, pack_integrate, PACK_EXTRA)                                                                  \
    X(configuration_call, pack_difference, PACK_EXTRA)                                                                 \
    X(robot_call, pack_coriolis, PACK_EXTRA)                                                                           \
    X(robot_call, pack_regressor, PACK_EXTRA)                                                                          \
    X(robot_call, pack_centroidal, PACK_EXTRA)                                                                         \
    X(frame_call, pack_frame, PACK_EXTRA)                                                                              \
    X(kernel_call, single_linearize, TWO_LANES)                                                                        \
    X(kernel_call, single_inverse_mass_matrix, TWO_LANES)                                                              \
    X(kernel_call, single_inverse_dynamics_derivatives, TWO_LANES)                                                     \
    X(kernel_call, single_forward_dynamics, FOUR_LANES)                                                                \
    X(jacobian_call, single_jacobians, FOUR_LANES)                                                                     \
    X(robot_call, single_mass_centre, FOUR_LANES)                                                                      \
    X(frame_call, single_frame, FOUR_LANES)                                                                            \
    X(jacobian_call, single_poses, EVERY_OBJECT)                                                                       \
    X(step_call, single_step_euler, EVERY_OBJECT)                                                                      \
    X(step_call, single_step_stage, EVERY_OBJECT)                                                                      \
    X(step_call, single_step_limbs, EVERY_OBJECT)                                                                      \
    X(step_call, single_step_sum, EVERY_OBJECT)                                                                        \
    X(held_call, single_held, TWO_LANES)                                                                               \
    X(held_pack_call, pack_held, TWO_LANES)

/* those that objects of floats have as well */
#define PACK_KERNEL_LIST(X)                                                                                            \
    X(kernel_call, pack_linearize, EVERY_OBJECT)                                                                       \
    X(kernel_call, pack_mass_matrix, EVERY_OBJECT)                                                                     \
    X(kernel_call, pack_inverse_mass_matrix, PACK_EXTRA)                                                               \
    X(kernel_call, pack_forward_dynamics, PACK_EXTRA)                                                                  \
    X(kernel_call, pack_inverse_dynamics, PACK_EXTRA)                                                                  \
    X(kernel_call, pack_inverse_dynamics_derivatives, PACK_EXTRA)                                                      \
    X(jacobian_call, pack_jacobians, PACK_EXTRA)                                                                       \
    X(jacobian_call, pack_poses, PACK_EXTRA)

struct kernel_call;
struct kernel_call_f32;
struct jacobian_call_f32;
struct jacobian_call;
struct configuration_call;
struct robot_call;
struct frame_call;
struct step_call;
struct held_call;
struct held_pack_call;
struct kept_scratch;
struct hml_plan;

/* what a workspace will call, as far as the size of the scratch depends on it; a set of bits */
enum {
    SCRATCH_PACK_LINEARIZE = 1, /* pack_linearize, which needs the most */
    SCRATCH_LONG_CHAIN = 2,     /* single_linearize by sweeps (kernel/single/long_chains.h) */
};

typedef struct kernel_table {
    const char *name;
    int lanes;
    /* bytes of scratch for any kernel of the table (kernel/scratch_size.h) */
    size_t (*scratch_size)(const struct hml_plan *plan, unsigned uses);
    /* where the object leaves what others may read (kernel/scratch.h); returns its size in bytes */
    size_t (*kept_scratch)(const struct hml_plan *plan, void *memory, struct kept_scratch *kept);
    /* sines and cosines of the entries begin … end − 1 of q; s and c have room for one pack more */
    void (*sincos)(const double *q, int32_t begin, int32_t end, double *s, double *c);
#define KERNEL_MEMBER(call_type, name, which) unsigned (*name)(const struct call_type *call);
    KERNEL_LIST(KERNEL_MEMBER)
#undef KERNEL_MEMBER
#define ROW_MAP_MEMBER(name, ins, outs) void (*name)(size_t n, const double *in, double *out);
    ROW_MAPS(ROW_MAP_MEMBER)
#undef ROW_MAP_MEMBER
#define PAIR_MAP_MEMBER(name, first, second, outs)                                                                     \
    void (*name)(size_t n, const double *a, const double *b, double *out);
    PAIR_MAPS(PAIR_MAP_MEMBER)
#undef PAIR_MAP_MEMBER
} kernel_table;

/* single precision: the model is read in double, states and results are floats */
typedef struct kernel_table_f32 {
    const char *name;
    int lanes;
    size_t (*scratch_size)(const struct hml_plan *plan, unsigned uses);
#define KERNEL_MEMBER(call_type, name, which) unsigned (*name)(const struct call_type##_f32 *call);
    PACK_KERNEL_LIST(KERNEL_MEMBER)
#undef KERNEL_MEMBER
    /* of the scalar object alone */
#define ROW_MAP_MEMBER(name, ins, outs) void (*name)(size_t n, const float *in, float *out);
    ROW_MAPS(ROW_MAP_MEMBER)
#undef ROW_MAP_MEMBER
#define PAIR_MAP_MEMBER(name, first, second, outs) void (*name)(size_t n, const float *a, const float *b, float *out);
    PAIR_MAPS(PAIR_MAP_MEMBER)
#undef PAIR_MAP_MEMBER
} kernel_table_f32;

/* the kinds of kernel/kinds.cmake */
extern const kernel_table hmli_kernels_scalar, hmli_kernels_sse2_x2, hmli_kernels_neon_x2, hmli_kernels_vector_x2;
extern const kernel_table hmli_kernels_avx2_x4, hmli_kernels_avx512_x8;
extern const kernel_table hmli_kernels_avx2_scalar, hmli_kernels_avx512vl_scalar, hmli_kernels_avx512vl_x4;
extern const kernel_table_f32 hmli_kernels_scalar_f32, hmli_kernels_sse2_f32x4, hmli_kernels_neon_f32x4;
extern const kernel_table_f32 hmli_kernels_vector_f32x4, hmli_kernels_avx2_f32x8, hmli_kernels_avx512_f32x16;

#endif
