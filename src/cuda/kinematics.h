/*
 * From a state's numbers to poses, twists S of the columns, velocities and accelerations without ν̇, in the frame of the
 * tree's root body. Formulas: kernel/composite.h.
 *
 *   lane of a body, of a column      what depends on one of them
 *   lane of a chain and a number     sums along the tree: a chain's bodies one after the other, a number in every lane
 */
#ifndef HML_CUDA_KINEMATICS_H
#define HML_CUDA_KINEMATICS_H

#include "cuda/chains.h"

/* which of a joint's numbers is an angle about z; −1: none */
LANE_CODE int angle_at(int type)
{
    switch (type) {
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_HELICAL: return 0;
    case HML_JOINT_CYLINDRICAL: return 1;
    case HML_JOINT_PLANAR: return 2;
    case HML_JOINT_SCHOENFLIES: return 3;
    default: return -1;
    }
}

/* how far a joint without a quaternion, or a free one, moves its predecessor frame */
LANE_CODE vec3 joint_shift(int type, num pitch, const num *q)
{
    switch (type) {
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_CYLINDRICAL: return vec3_of(K(0), K(0), work_get(q));
    case HML_JOINT_HELICAL: return vec3_of(K(0), K(0), pitch * work_get(q));
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_PLANAR: return vec3_of(work_get(q), work_get(q + 1), K(0));
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE: return vec3_of(work_get(q), work_get(q + 1), work_get(q + 2));
    default: return vec3_zero();
    }
}

/* the frame of a body in its parent's: joint_move of kernel/composite.h, with one sine for all types of joints */
LANE_CODE pose body_move(lane_state *s, int i, int type)
{
    const num *q = s->work + s->call->model.q + own_body(s, BODY_Q, i);
    const int angle = angle_at(type), at = quaternion_at(type);
    pose P = body_placement(s, BODY_X, i);
    if (type != HML_JOINT_REVOLUTE) P.p = pose_act(P, joint_shift(type, body_number(s, BODY_PITCH, i), q));
    if (angle >= 0) P.R = turn_z(P.R, work_get(q + angle));
    if (at >= 0) {
        const quat r = quat_of(work_get(q + at), work_get(q + at + 1), work_get(q + at + 2), work_get(q + at + 3));
        if (!quat_is_unit(r)) s->flags |= FLAG_NOT_NORMALIZED;
        P.R = mat3_mul(P.R, quat_to_mat3(quat_normalize(r)));
    }
    return P;
}

/* lane of a body: its pose in its parent's frame. The root's own frame is the tree's; its gravity and speed are kept */
LANE_CODE void bodies_move(lane_state *s)
{
    const cuda_tree *t = s->tree;
    num *local = s->work + t->at.sum, *root = s->work + t->at.root;
    FOR_BODIES(s, i)
    {
        const int type = own_body(s, BODY_TYPE, i);
        pose H = body_move(s, i, type);
        if (i == 0) {
            const double *g = s->call->model.gravity;
            const vec3 gravity = mat3_tmul_vec(H.R, vec3_of(K(g[0]), K(g[1]), K(g[2])));
            work_put4(root, num4_of(gravity.x, gravity.y, gravity.z, K(0)));
            H = pose_identity();
            work_put_pose(s->work + t->at.H, H);
        }
        work_put_pose(local + 12 * i, H);
    }
    lanes_sync();
}

/* ---- columns and velocities ---- */

/* coordinate k of a joint whose successor frame is H; every axis is z */
LANE_CODE twist column_at(int type, int k, pose H, num pitch)
{
    const int turns = !joint_is_length(type, k);
    int axis = 2;
    if (type == HML_JOINT_FREE)
        axis = k % 3;
    else if (type == HML_JOINT_SPHERICAL || type == HML_JOINT_TRANSLATION2 || type == HML_JOINT_TRANSLATION3)
        axis = k;
    else if (type == HML_JOINT_PLANAR || type == HML_JOINT_SCHOENFLIES)
        axis = turns ? 2 : k;
    const vec3 n = axis == 0 ? H.R.x : axis == 1 ? H.R.y : H.R.z;
    twist S = turns ? turn_column(n, H.p) : slide_column(n);
    if (type == HML_JOINT_HELICAL) S.v = vec3_axpy(pitch, n, S.v);
    return S;
}

/* lane of a column below a free root: S */
LANE_CODE void columns_twists(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    FOR_COLUMNS(s, c)
    {
        const int i = own_column(s, COLUMN_BODY, c);
        const pose H = work_pose(s->work + t->at.H + 12 * i);
        work_put_twist(s->work + t->at.S + 8 * c,
                       column_at(own_column(s, COLUMN_TYPE, c), c - own_column(s, COLUMN_FIRST, c), H,
                                 body_number(s, BODY_PITCH, i)));
    }
    lanes_sync();
}

/* Σ S x over the columns of body i, x one number per coordinate of the velocity; of a free root, x itself */
LANE_CODE twist body_columns_sum(const lane_state *s, int i, const num *x)
{
    const cuda_tree *t = s->tree;
    const int first = own_body(s, BODY_V, i), n = own_body(s, BODY_NV, i);
    if (i == 0 && t->base) return work_twist_at(x + first);
    twist sum = twist_zero();
    for (int k = first; k < first + n; k++)
        sum = twist_axpy(work_get(x + k), work_twist(s->work + t->at.S + 8 * (k - t->begin)), sum);
    return sum;
}

/*
 * Velocities; then v_p × v_i, whose sums are the accelerations without ν̇. Gravity acts at a root that is not free. x: ν̇,
 * of a free root less what root_acceleration says, which comes in too; or NULL
 */
LANE_CODE void bodies_velocities(const lane_state *s, const num *x)
{
    const cuda_tree *t = s->tree;
    num *v = s->work + t->at.v, *a = s->work + t->at.a;
    FOR_BODIES(s, i)
    {
        twist V = body_columns_sum(s, i, s->work + s->call->model.v);
        if (i == 0 && t->base) V.v = vec3_zero(); /* Galilei: base_motion of kernel/composite.h */
        work_put_twist(v + 8 * i, V);
    }
    lanes_sync();
    chains_out(s, numbers_of(v, 8, 1, 6));
    FOR_BODIES(s, i)
    {
        twist A = twist_zero();
        if (i > 0) {
            A = twist_cross(work_twist(v + 8 * own_body(s, BODY_PARENT, i)), work_twist(v + 8 * i));
        } else if (!t->base) {
            const num4 g = work_get4(s->work + t->at.root);
            A.v = vec3_of(-g.a, -g.b, -g.c);
        }
        if (x) A = twist_add(A, body_columns_sum(s, i, x));
        work_put_twist(a + 8 * i, A);
    }
    lanes_sync();
    chains_out(s, numbers_of(a, 8, 1, 6));
}

#endif
