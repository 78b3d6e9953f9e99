/*
 * From a state's numbers to poses, twists S of the columns, velocities and accelerations without ν̇, in the frame of the
 * tree's root body. Formulas: kernel/composite.h.
 *
 *   lane of a body, of a column      what depends on one of them
 *   lane of a chain and a number     sums along the tree: a chain's bodies one after the other, a number in every lane
 */
#ifndef HML_CUDA_KINEMATICS_H
#define HML_CUDA_KINEMATICS_H

#include "cuda/lanes.h"

/* what can be wrong with a state: the first bit that is set names its status */
enum { FLAG_NOT_FINITE = 1, FLAG_NOT_NORMALIZED = 2, FLAG_SINGULAR = 4, FLAG_OVERFLOW = 8 };

/* one lane's view of the state that its group computes */
typedef struct lane_state {
    const cuda_call *call;
    const cuda_tree *tree;
    const int32_t *integers;
    const num *numbers;
    num *work;
    int lane, width;
    int one; /* 1: a lane has one body and one column at most, and the compiler knows it */
    size_t state;
    int flags;
    int32_t body[BODY_INTEGERS], column[COLUMN_INTEGERS]; /* where `one` is set: of the lane's own */
} lane_state;

/* tasks of any number; and bodies and columns, of which a lane may have one at most */
#define FOR_LANES(s, i, n) ROLLED for (int i = (s)->lane; i < (n); i += (s)->width)
#define FOR_OWN(s, i, first, n)                                                                                        \
    for (int i = (s)->lane + (first), more_##i = 1; more_##i && i < (n); i += (s)->width, more_##i = !(s)->one)
#define FOR_BODIES(s, i) FOR_OWN(s, i, 0, (s)->tree->bodies)

/* Columns below a free root, and of all other trees. The first lanes are those of the root's columns: see columns.h */
#define FOR_COLUMNS(s, c) FOR_OWN(s, c, (s)->tree->k0, (s)->tree->columns) if (c >= (s)->tree->base)

LANE_CODE int32_t body_integer(const lane_state *s, int which, int i)
{
    return s->integers[s->tree->body + which * s->tree->bodies + i];
}

/* of a body that the lane has in FOR_BODIES, of a column that it has in FOR_COLUMNS */
LANE_CODE int32_t own_body(const lane_state *s, int which, int i)
{
    return s->one ? s->body[which] : body_integer(s, which, i);
}

LANE_CODE num body_number(const lane_state *s, int which, int i)
{
    return s->numbers[s->tree->body_numbers + which * s->tree->bodies + i];
}

LANE_CODE int32_t column_integer(const lane_state *s, int which, int c)
{
    return s->integers[s->tree->column + which * s->tree->columns + c];
}

LANE_CODE int32_t own_column(const lane_state *s, int which, int c)
{
    return s->one ? s->column[which] : column_integer(s, which, c);
}

LANE_CODE num column_number(const lane_state *s, int which, int c)
{
    return s->numbers[s->tree->column_numbers + which * s->tree->columns + c];
}

LANE_CODE pose body_placement(const lane_state *s, int which, int i)
{
    const mat3 R =
        mat3_of(vec3_of(body_number(s, which, i), body_number(s, which + 3, i), body_number(s, which + 6, i)),
                vec3_of(body_number(s, which + 1, i), body_number(s, which + 4, i), body_number(s, which + 7, i)),
                vec3_of(body_number(s, which + 2, i), body_number(s, which + 5, i), body_number(s, which + 8, i)));
    return pose_of(R,
                   vec3_of(body_number(s, which + 9, i), body_number(s, which + 10, i), body_number(s, which + 11, i)));
}

/* the integers of the lane's own body and column, kept for all states of the warp */
LANE_CODE void load_own(lane_state *s)
{
    const cuda_tree *t = s->tree;
    const int i = s->lane < t->bodies ? s->lane : 0, c = s->lane + t->k0 < t->columns ? s->lane + t->k0 : 0;
    for (int k = 0; k < BODY_INTEGERS; k++) s->body[k] = body_integer(s, k, i);
    for (int k = 0; k < COLUMN_INTEGERS; k++) s->column[k] = column_integer(s, k, c);
}

/* 1 or 0, without a conversion at run time */
LANE_CODE num one_if(int condition) { return condition ? K(1) : K(0); }

LANE_CODE int not_finite(num x) { return !(x - x == K(0)); }

/* ---- inputs ---- */

/* n numbers of an array into the workspace */
LANE_CODE void load_input(lane_state *s, cuda_input in, int n, num *to)
{
    const num *from = in.data ? (const num *)in.data + s->state * in.stride : (const num *)0;
    FOR_LANES(s, i, n)
    {
        const num x = from ? from[i] : K(0);
        s->flags |= not_finite(x) ? FLAG_NOT_FINITE : 0;
        work_put(to + i, x);
    }
}

LANE_CODE void check_wrenches(lane_state *s)
{
    const cuda_input in = s->call->wrenches;
    const num *from = in.data ? (const num *)in.data + s->state * in.stride : (const num *)0;
    FOR_LANES(s, i, from ? 6 * s->call->model.bodies : 0) s->flags |= not_finite(from[i]) ? FLAG_NOT_FINITE : 0;
}

LANE_CODE void load_state(lane_state *s)
{
    const cuda_call *c = s->call;
    const cuda_model *m = &c->model;
    load_input(s, c->q, m->nq, s->work + m->q);
    load_input(s, c->v, m->nv, s->work + m->v);
    load_input(s, c->tau, m->nv, s->work + m->b);
    check_wrenches(s);
    lanes_sync();
}

/* ---- poses ---- */

LANE_CODE pose work_pose(const num *p)
{
    const num4 x = work_get4(p), y = work_get4(p + 4), z = work_get4(p + 8);
    return pose_of(mat3_of(vec3_of(x.a, y.a, z.a), vec3_of(x.b, y.b, z.b), vec3_of(x.c, y.c, z.c)),
                   vec3_of(x.d, y.d, z.d));
}

LANE_CODE void work_put_pose(num *p, pose H)
{
    work_put4(p, num4_of(H.R.x.x, H.R.y.x, H.R.z.x, H.p.x));
    work_put4(p + 4, num4_of(H.R.x.y, H.R.y.y, H.R.z.y, H.p.y));
    work_put4(p + 8, num4_of(H.R.x.z, H.R.y.z, H.R.z.z, H.p.z));
}

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
        }
        work_put_pose(local + 12 * i, H);
    }
    lanes_sync();
}

/* a lane's share of the chains of a level: chains first, first + step, …, and numbers k, k + lanes, … of each */
typedef struct chain_share {
    int first, end, step, k, lanes;
} chain_share;

LANE_CODE chain_share share_chains(const lane_state *s, const int32_t *level, int l)
{
    const int begin = level[l], end = level[l + 1], n = end - begin;
    chain_share share;
    share.lanes = n >= s->width ? 1 : n == 1 ? s->width : s->width / n;
    share.step = n >= s->width ? s->width : n;
    share.k = n == 1 ? s->lane : s->lane % share.lanes;
    share.first = begin + (n == 1 ? 0 : s->lane / share.lanes);
    share.end = share.first < begin + share.step ? end : 0; /* lanes that are left over have none */
    return share;
}

/* lane of a chain and a row: poses in the root frame */
LANE_CODE void chains_poses(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    const int32_t *level = s->integers + t->out, *chains = level + t->out_levels + 1;
    ROLLED for (int l = 0; l < t->out_levels; l++)
    {
        const chain_share share = share_chains(s, level, l);
        ROLLED for (int c = share.first; c < share.end; c += share.step)
        {
            const int32_t *chain = chains + CHAIN_SIZE * c;
            const int begin = chain[CHAIN_BEGIN], end = chain[CHAIN_END], attach = chain[CHAIN_ATTACH];
            ROLLED for (int r = share.k; r < 3; r += share.lanes)
            {
                const num *local = s->work + t->at.sum + 12 * begin;
                num *H = s->work + t->at.H + 12 * begin + 4 * r;
                num4 row = num4_of(one_if(r == 0), one_if(r == 1), one_if(r == 2), K(0));
                if (attach >= 0) row = work_get4(s->work + t->at.H + 12 * attach + 4 * r);
                ROLLED for (int i = begin; i < end; i++, local += 12, H += 12)
                {
                    const num4 x = work_get4(local), y = work_get4(local + 4), z = work_get4(local + 8);
                    row = num4_of(row.a * x.a + row.b * y.a + row.c * z.a, row.a * x.b + row.b * y.b + row.c * z.b,
                                  row.a * x.c + row.b * y.c + row.c * z.c,
                                  row.a * x.d + row.b * y.d + row.c * z.d + row.d);
                    work_put4(H, row);
                }
            }
        }
        lanes_sync();
    }
}

/* ---- sums along the tree ---- */

/* x_i += x_parent, from the root on; number k of body i is at x[i·body + k·number] */
LANE_CODE void chains_out(const lane_state *s, num *x, int body, int number, int n)
{
    const cuda_tree *t = s->tree;
    const int32_t *level = s->integers + t->out, *chains = level + t->out_levels + 1;
    ROLLED for (int l = 0; l < t->out_levels; l++)
    {
        const chain_share share = share_chains(s, level, l);
        ROLLED for (int c = share.first; c < share.end; c += share.step)
        {
            const int32_t *chain = chains + CHAIN_SIZE * c;
            const int begin = chain[CHAIN_BEGIN], end = chain[CHAIN_END], attach = chain[CHAIN_ATTACH];
            ROLLED for (int k = share.k; k < n; k += share.lanes)
            {
                num *at = x + number * k + body * begin;
                num sum = attach >= 0 ? work_get(x + number * k + body * attach) : K(0);
                ROLLED for (int i = begin; i < end; i++, at += body)
                {
                    sum += work_get(at);
                    work_put(at, sum);
                }
            }
        }
        lanes_sync();
    }
}

/* x_parent += x_i, from the leaves on */
LANE_CODE void chains_back(const lane_state *s, num *x, int body, int number, int n)
{
    const cuda_tree *t = s->tree;
    const int32_t *level = s->integers + t->back, *chains = level + t->back_levels + 1;
    const int32_t *heads = s->integers + t->heads;
    ROLLED for (int l = 0; l < t->back_levels; l++)
    {
        const chain_share share = share_chains(s, level, l);
        ROLLED for (int c = share.first; c < share.end; c += share.step)
        {
            const int32_t *chain = chains + CHAIN_SIZE * c;
            const int begin = chain[CHAIN_BEGIN], end = chain[CHAIN_END];
            const int first = chain[CHAIN_HEADS], last = chain[CHAIN_HEADS_END];
            ROLLED for (int k = share.k; k < n; k += share.lanes)
            {
                num *at = x + number * k + body * (end - 1), sum = K(0);
                ROLLED for (int h = first; h < last; h++) sum += work_get(x + number * k + body * heads[h]);
                ROLLED for (int i = end - 1; i >= begin; i--, at -= body)
                {
                    sum += work_get(at);
                    work_put(at, sum);
                }
            }
        }
        lanes_sync();
    }
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

/* velocities; then v_p × v_i, whose sums are the accelerations without ν̇. Gravity acts at a root that is not free */
LANE_CODE void bodies_velocities(const lane_state *s)
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
    chains_out(s, v, 8, 1, 6);
    FOR_BODIES(s, i)
    {
        twist A = twist_zero();
        if (i > 0) {
            A = twist_cross(work_twist(v + 8 * own_body(s, BODY_PARENT, i)), work_twist(v + 8 * i));
        } else if (!t->base) {
            const num4 g = work_get4(s->work + t->at.root);
            A.v = vec3_of(-g.a, -g.b, -g.c);
        }
        work_put_twist(a + 8 * i, A);
    }
    lanes_sync();
    chains_out(s, a, 8, 1, 6);
}

#endif
