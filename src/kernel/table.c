/*
 * One instruction set's kernels, and the one symbol they show. Compiled once for each kind of number: HML_NUM_… says
 * which, HML_KIND names its table. HML_SINGLE_CALLS: of packs of states it has the linearization and M alone.
 */
#include "kernel/table.h"

/*
 * One translation unit, piece after piece. The order is that of the definitions, and part of the object code: it is
 * kept by hand.
 */
/* clang-format off */
#if !defined HML_NUM_F32
#include "kernel/simd/base6.h"
#include "kernel/call.h"
#include "kernel/simd/store4.h"
#include "kernel/composite.h"
#include "kernel/passes.h"
#include "kernel/simd/transpose.h"
#include "kernel/pack/poses.h"
#include "kernel/pack/jacobians.h"
#include "kernel/pack/configuration.h"
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
#include "kernel/pack/forward_dynamics.h"
#include "kernel/pack/inverse_dynamics_derivatives.h"
#include "kernel/pack/body_frames.h"
#include "kernel/pack/mass_matrix.h"
#include "kernel/pack/inverse_mass_matrix.h"
#include "kernel/pack/inverse_dynamics.h"
#if LANES > 1
#include "kernel/simd/vec4.h"
#include "kernel/single/joint.h"
#include "kernel/single/poses.h"
#include "kernel/single/jacobians.h"
#include "kernel/single/forward_dynamics.h"
#include "kernel/simd/row8.h"
#include "kernel/single/passes.h"
#include "kernel/single/block_inverse.h"
#include "kernel/single/columns.h"
#include "kernel/single/free_base.h"
#include "kernel/single/long_chains.h"
#include "kernel/single/linearize.h"
#endif
#include "kernel/pack/scratch_size.h"
#include "kernel/single/poses.h"
#endif
/* clang-format on */

#if defined HML_NUM_X4 || defined HML_NUM_X8
#define JACOBIANS_SINGLE single_jacobians
#define FORWARD_SINGLE   single_forward_dynamics
#define LINEARIZE_SINGLE single_linearize
#define INVERSE_SINGLE   single_inverse_mass_matrix
#elif defined HML_NUM_X2
#define JACOBIANS_SINGLE NULL
#define FORWARD_SINGLE   NULL
#define LINEARIZE_SINGLE single_linearize
#define INVERSE_SINGLE   single_inverse_mass_matrix
#else
#define JACOBIANS_SINGLE pack_jacobians
#define FORWARD_SINGLE   NULL
#define LINEARIZE_SINGLE NULL
#define INVERSE_SINGLE   NULL
#endif

#define TABLE_(kind) hml_kernels_##kind
#define TABLE(kind)  TABLE_(kind)

#if defined HML_NUM_F32
typedef hml_kernels_f32 kernel_table;
#else
typedef hml_kernels kernel_table;
#endif

#if defined HML_SINGLE_CALLS
#define PACKS(function)                     NULL
#define ROW_MAP(name, ins, outs)            NULL,
#define PAIR_MAP(name, first, second, outs) NULL,
#else
#include "kernel/pack/row_map.h"

#include "kernel/pack/so3_rows.h"
#define PACKS(function)                     function
#define ROW_MAP(name, ins, outs)            name##_rows,
#define PAIR_MAP(name, first, second, outs) name##_pairs,
#endif

extern const kernel_table TABLE(HML_KIND);
const kernel_table TABLE(HML_KIND) = {
    HML_NUM_NAME,
    LANES,
#if !defined HML_NUM_F32
    pack_scratch_size,
    pack_linearize,
    LINEARIZE_SINGLE,
    PACKS(pack_forward_dynamics),
    FORWARD_SINGLE,
    PACKS(pack_inverse_dynamics_derivatives),
    PACKS(pack_inverse_dynamics),
    pack_mass_matrix,
    PACKS(pack_inverse_mass_matrix),
    INVERSE_SINGLE,
    PACKS(pack_jacobians),
    JACOBIANS_SINGLE,
    PACKS(pack_poses),
    single_poses,
    PACKS(pack_integrate),
    PACKS(pack_difference),
    sincos_range,
#endif
    HML_ROW_MAPS(ROW_MAP)   /* so3_exp_rows, … */
    HML_PAIR_MAPS(PAIR_MAP) /* twist_transform_pairs, … */
};
