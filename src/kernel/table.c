/*
 * The kernels of one object, and the one symbol it shows. Compiled once for each line of kernel/kinds.cmake: HML_NUM_…
 * says what a number is, HML_KIND names the table. KERNEL_WITHOUT_PACK_EXTRAS: of the kernels for packs of states the
 * object has only the linearization and M.
 */
#include "kernel/table.h"

/*
 * One translation unit, piece after piece. The order of the definitions affects the object code, so it is kept by hand.
 */
/* clang-format off */
#include "kernel/simd/base6.h"
#include "kernel/simd/transpose.h"
#include "kernel/simd/memory.h"
#include "kernel/call.h"
#include "kernel/simd/store4.h"
#include "kernel/composite.h"
#include "kernel/passes.h"
#include "kernel/pack/poses.h"
#include "kernel/pack/jacobians.h"
#if !defined NUM_SINGLE
#include "kernel/pack/configuration.h"
#endif
#include "kernel/pack/ltdl.h"
#include "kernel/pack/block_inverse.h"
#include "kernel/pack/sincos.h"
#include "kernel/pack/walk.h"
#include "kernel/pack/articulated.h"
#include "kernel/passive.h"
#include "kernel/simd/columns.h"
#include "kernel/pack/assemble.h"
#include "kernel/pack/columns.h"
#include "kernel/pack/free_base.h"
#include "kernel/pack/layout.h"
#include "kernel/pack/linearize.h"
#if LANES > 1 && !defined NUM_SINGLE
#include "kernel/pack/held_inverse.h"
#include "kernel/pack/held_columns.h"
#endif
#include "kernel/pack/forward_dynamics.h"
#include "kernel/pack/inverse_dynamics_derivatives.h"
#include "kernel/pack/body_frames.h"
#include "kernel/pack/mass_matrix.h"
#include "kernel/pack/inverse_mass_matrix.h"
#include "kernel/pack/inverse_dynamics.h"
#if !defined NUM_SINGLE
#include "kernel/pack/robot.h"
#include "kernel/pack/coriolis.h"
#include "kernel/pack/regressor.h"
#include "kernel/pack/centroidal.h"
#include "kernel/pack/frame.h"
#endif
#if LANES > 1 && !defined NUM_SINGLE
#include "kernel/simd/vec4.h"
#include "kernel/single/joint.h"
#include "kernel/single/poses.h"
#include "kernel/single/jacobians.h"
#include "kernel/single/mass_centre.h"
#include "kernel/single/frame.h"
#include "kernel/single/forward_dynamics.h"
#include "kernel/simd/row8.h"
#include "kernel/single/passes.h"
#include "kernel/single/block_inverse.h"
#include "kernel/single/columns.h"
#include "kernel/single/free_base.h"
#include "kernel/single/long_chains.h"
#include "kernel/single/linearize.h"
#include "kernel/single/inverse_dynamics_derivatives.h"
#include "kernel/single/held.h"
#include "kernel/single/held_loop.h"
#include "kernel/single/held_solve.h"
#include "kernel/single/held_rates.h"
#include "kernel/single/held_base.h"
#include "kernel/single/held_matrices.h"
#endif
#include "kernel/scratch_size.h"
#if !defined NUM_SINGLE
#include "kernel/single/step.h"
#include "kernel/single/step_limbs.h"
#endif
/* clang-format on */

#define TABLE_(kind) hmli_kernels_##kind
#define TABLE(kind)  TABLE_(kind)

#if LANES >= 2
#define TWO_LANES(kernel) kernel
#else
#define TWO_LANES(kernel) NULL
#endif
#if LANES >= 4
#define FOUR_LANES(kernel) kernel
#else
#define FOUR_LANES(kernel) NULL
#endif
#define EVERY_OBJECT(kernel) kernel

#if defined KERNEL_WITHOUT_PACK_EXTRAS
#define PACK_EXTRA(kernel) NULL
#else
#define PACK_EXTRA(kernel) kernel
#endif

#if defined KERNEL_WITHOUT_PACK_EXTRAS || (defined NUM_SINGLE && LANES > 1)
#define ROW_MAP(name, ins, outs)            NULL,
#define PAIR_MAP(name, first, second, outs) NULL,
#else
#include "kernel/pack/row_map.h"

#include "kernel/pack/so3_rows.h"
#define ROW_MAP(name, ins, outs)            name##_rows,
#define PAIR_MAP(name, first, second, outs) name##_pairs,
#endif

#define KERNEL(call_type, name, which) which(name),
#if defined NUM_SINGLE
extern const kernel_table_f32 TABLE(HML_KIND);
const kernel_table_f32 TABLE(HML_KIND) = {
    HML_NUM_NAME, LANES, pack_scratch_size,
    PACK_KERNEL_LIST(KERNEL)
#else
extern const kernel_table TABLE(HML_KIND);
const kernel_table TABLE(HML_KIND) = {
    HML_NUM_NAME,
    LANES,
    pack_scratch_size,
    kept_scratch_lay,
    sincos_range,
    KERNEL_LIST(KERNEL)
#endif
        ROW_MAPS(ROW_MAP) /* so3_exp_rows, … */
    PAIR_MAPS(PAIR_MAP)   /* twist_transform_pairs, … */
};
