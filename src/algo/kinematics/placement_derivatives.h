/*
 * Derivatives by the placements of joints, over num (Müller, section 6.2).
 *
 * A parameter of joint j moves everything behind the joint, as a joint of six coordinates between the placement and
 * joint j itself would. With P the predecessor frame and U = Ad_P e its twist in F₀ (motion_series.h),
 *
 *   ∂S_c = U × S_c   for the columns of j and behind it, 0 before
 *
 * and the frame moves along U. A parameter of the frame's own placement moves the frame alone.
 */
#ifndef HML_ALGO_KINEMATICS_PLACEMENT_DERIVATIVES_H
#define HML_ALGO_KINEMATICS_PLACEMENT_DERIVATIVES_H

#include "algo/kinematics/frame_derivatives.h"

static inline twist unit_twist(int k)
{
    num e[6];
    for (int i = 0; i < 6; i++) e[i] = K(i == k);
    return twist_at(e);
}

/*
 * The six parameters of a placement at P, in F₀; columns of bodies from `behind` on move along. pose: 6 × np, J:
 * np × 6 × nv, zero before; k0: the first parameter's number.
 */
static inline void placement_columns(const expression *x, pose P, int32_t behind, const path_column *path, int32_t n,
                                     int32_t k0, int32_t np, int32_t nv, num *pose_out, num *J)
{
    for (int k = 0; k < 6; k++) {
        const twist U = pose_ad(P, unit_twist(k));
        if (pose_out) matrix_put_column(pose_out, np, k0 + k, express_change(x, twist_zero(), twist_zero(), U));
        for (int32_t c = 0; J && c < n; c++) {
            twist dS = path[c].body >= behind ? twist_cross(U, path[c].S) : twist_zero();
            derivative_add(J + (int64_t)6 * nv * (k0 + k), nv, path[c].user, path[c].factor,
                           express_change(x, U, path[c].S, dS));
        }
    }
}

/* path: scratch, tree_nv of them */
static inline void placement_derivatives(const hml_model *m, int32_t frame, hml_representation rep, const num *q,
                                         path_column *path, num *pose_out, num *J)
{
    const int32_t body = model_frames(m)[frame].body, nv = m->nv, np = 6 * (m->njoints + 1);
    const plan_body *pb = plan_bodies(model_plan(m));
    state_series state = {.q = q};
    expression x;
    path_walk w;
    int32_t n = collect_path(m, frame, rep, q, path, &x);
    for (int32_t i = 0; pose_out && i < 6 * np; i++) pose_out[i] = K(0);
    for (int64_t i = 0; J && i < (int64_t)6 * nv * np; i++) J[i] = K(0);
    walk_start(&w, 0);
    for (int32_t i = body < 0 ? -1 : model_bodies(m)[body].root; i >= 0; i = i == body ? -1 : path_next(m, i, body)) {
        const int32_t joint = model_bodies(m)[i].joint;
        const pose before = w.H, origin = pose_mul(plan_pose(pb[i].X), plan_pose(pb[i].to_body));
        walk_step(&w, m, i, &state);
        pose P = pb[i].parent < 0 ? pose_between(w.world, origin) : pose_mul(before, origin);
        if (model_joints(m)[joint].body != i) continue; /* the second axis of a universal joint has no placement */
        placement_columns(&x, P, i, path, n, 6 * joint, np, nv, pose_out, J);
    }
    placement_columns(&x, x.H, m->nbodies, path, n, np - 6, np, nv, pose_out, J);
}

#endif
