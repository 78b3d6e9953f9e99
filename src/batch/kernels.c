/*
 * One instruction set's kernels, and the one symbol they show. Compiled once for each kind of number: HML_NUM_… says
 * which, HML_KIND names its table. HML_SINGLE_CALLS: of packs of states it has the linearization and M alone.
 */
#include "batch/kernels.h"

#if !defined HML_NUM_F32
#include "algo/kernel_configuration.h"
#include "algo/kernel_inverse.h"
#include "algo/kernel_kinematics.h"
#include "algo/kernel_recursive.h"
#include "algo/single_poses.h"
#endif
#if defined HML_NUM_X4 || defined HML_NUM_X8
#include "algo/single_articulated.h"
#include "algo/single_kinematics.h"
#include "algo/single_linearize.h"
#define JACOBIANS_SINGLE single_jacobians
#define FORWARD_SINGLE   single_forward_dynamics
#define LINEARIZE_SINGLE single_linearize
#define INVERSE_SINGLE   single_inverse_mass
#elif defined HML_NUM_X2
#include "algo/single_linearize.h"
#define JACOBIANS_SINGLE NULL
#define FORWARD_SINGLE   NULL
#define LINEARIZE_SINGLE single_linearize
#define INVERSE_SINGLE   single_inverse_mass
#else
#define JACOBIANS_SINGLE kernel_jacobians
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
#include "batch/kernel_group.h"
#define PACKS(function)                     function
#define ROW_MAP(name, ins, outs)            name##_rows,
#define PAIR_MAP(name, first, second, outs) name##_pairs,
#endif

extern const kernel_table TABLE(HML_KIND);
const kernel_table TABLE(HML_KIND) = {
    HML_NUM_NAME,
    LANES,
#if !defined HML_NUM_F32
    recursive_scratch_size,
    kernel_linearize,
    LINEARIZE_SINGLE,
    PACKS(kernel_forward_dynamics),
    FORWARD_SINGLE,
    PACKS(kernel_inverse_dynamics),
    PACKS(kernel_torque),
    kernel_mass,
    PACKS(kernel_inverse_mass),
    INVERSE_SINGLE,
    PACKS(kernel_jacobians),
    JACOBIANS_SINGLE,
    PACKS(kernel_poses),
    single_poses,
    PACKS(kernel_integrate),
    PACKS(kernel_difference),
    range_sincos,
#endif
    HML_ROW_MAPS(ROW_MAP)   /* so3_exp_rows, … */
    HML_PAIR_MAPS(PAIR_MAP) /* twist_transform_pairs, … */
};
