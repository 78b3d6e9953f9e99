/* Bytes of scratch that any kernel of an object needs. */
#ifndef HML_KERNEL_SCRATCH_SIZE_H
#define HML_KERNEL_SCRATCH_SIZE_H

#include "kernel/pack/inverse_dynamics.h"
#include "kernel/pack/inverse_mass_matrix.h"
#include "kernel/pack/jacobians.h"
#include "kernel/pack/layout.h"
#include "kernel/table.h"
#if !defined NUM_SINGLE
#include "kernel/pack/centroidal.h"
#include "kernel/pack/coriolis.h"
#include "kernel/pack/frame.h"
#include "kernel/pack/regressor.h"
#include "kernel/single/poses.h"
#endif
#if LANES > 1 && !defined NUM_SINGLE
#include "kernel/single/frame.h"
#include "kernel/single/linearize.h"
#include "kernel/single/mass_centre.h"
#endif

static inline size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* uses: see table.h. In a workspace for the tree alone the depth is 0: kernels of M and M⁻¹ are not called */
static inline size_t pack_scratch_size(const hml_plan *plan, unsigned uses)
{
    torque_scratch torque;
    inverse_scratch inverse;
    pose_scratch poses;
    jacobian_scratch jacobians;
    hml_plan tree = *plan;
    if (!(uses & SCRATCH_PACK_LINEARIZE)) tree.depth = 0;
    size_t size = kernel_scratch_size(&tree);
    size = larger(size, torque_scratch_lay(plan, NULL, &torque));
    size = larger(size, pose_scratch_lay(plan, NULL, &poses));
    size = larger(size, jacobian_scratch_lay(plan, NULL, &jacobians));
#if !defined NUM_SINGLE
    double *sine, *cosine;
    layout_cursor single = single_scratch_begin(plan, NULL, &sine, &cosine);
    layout_take(&single, (size_t)plan->nbodies * sizeof(frame4)); /* single_jacobians */
    size = larger(size, single.used);
#if LANES > 1
    layout_cursor centre = single_scratch_begin(plan, NULL, &sine, &cosine);
    layout_take(&centre, (size_t)plan->nbodies * sizeof(centre_body));
    size = larger(size, centre.used);
    frame4_scratch seen;
    size = larger(size, frame4_scratch_lay(plan, NULL, &seen));
#endif
    robot_scratch regressor;
    centroidal_scratch centroidal;
    frame_scratch frame;
    coriolis_scratch coriolis;
    size = larger(size, regressor_scratch_lay(plan, NULL, &regressor));
    size = larger(size, centroidal_scratch_lay(plan, NULL, &centroidal));
    size = larger(size, frame_scratch_lay(plan, NULL, &frame));
    if (plan->depth) size = larger(size, coriolis_scratch_lay(plan, NULL, &coriolis));
#endif
    if (!plan->depth) return size;
    size = larger(size, inverse_scratch_lay(plan, NULL, &inverse));
#if LANES > 1 && !defined NUM_SINGLE
    size = larger(size, single_scratch_size(plan, (uses & SCRATCH_LONG_CHAIN) != 0));
#endif
    return size;
}

#endif
