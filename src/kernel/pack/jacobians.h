/*
 * All Jacobians of a robot, over num: the right-trivialized column of every coordinate, and the poses of all bodies.
 *
 * Everything is in the world here, because that is where the results are wanted. The Jacobian of body i consists of the
 * columns of the joints that carry it: in this representation a column belongs to its joint alone, Müller (104).
 *
 * Most joints are revolute, and most of their frames are turned by quarter turns against the parent's: then an axis is
 * one of the parent's, perhaps reversed. A body at the end of a branch needs no rotation at all, unless its pose is
 * asked for: its column depends on its axis only.
 */
#ifndef HML_KERNEL_PACK_JACOBIANS_H
#define HML_KERNEL_PACK_JACOBIANS_H

#include "kernel/composite.h"
#include "kernel/simd/store4.h"
#include "kernel/simd/transpose.h"

typedef struct jacobian_call {
    const hml_plan *plan;
    void *scratch;      /* of a kernel of dynamics, which is more than enough */
    int count;          /* states in this pack, 1 … LANES */
    int trust;          /* poses of one state: 1 if it was looked at before */
    kernel_input q;     /* in the tree's numbering */
    kernel_output H, J; /* nbodies × 16 as one row; 6 × nv */
} jacobian_call;

/* ---- what comes in and goes out ---- */

/* n numbers of every state; the last run overlaps the one before */
static inline void load_row(kernel_input in, int count, int32_t n, num *x)
{
#if LANES > 1
    if (n > LANES && n % LANES) {
        kernel_input last = in;
        last.data += n - LANES;
        kernel_load_all(last, count, LANES, x + n - LANES);
        kernel_load_all(in, count, n - n % LANES, x);
        return;
    }
#endif
    kernel_load_all(in, count, n, x);
}

/*
 * Where the states of a pack are written. Unused lanes repeat the first state, bit by bit, and may be written over it:
 * so a pack is always stored whole, without a branch, from registers.
 */
typedef struct lane_places {
    lane *at[LANES];
} lane_places;

static inline lane_places places_of(kernel_output out, int count)
{
    lane_places p;
    for (int l = 0; l < LANES; l++) p.at[l] = out.data ? out.data + kernel_state(count, l) * out.stride : NULL;
    return p;
}

/* LANES numbers of every state */
NUM_INLINE void places_store(const lane_places *p, size_t index, num *x)
{
    rows_transpose(x);
    for (int l = 0; l < LANES; l++) *(num_anywhere *)(p->at[l] + index) = x[l];
}

/* 4x4, row-major, of every state */
NUM_INLINE void store_pose(const lane_places *p, int32_t body, pose A)
{
    const size_t at = 16 * (size_t)body;
#if LANES == 8
    num x[] = {A.R.x.x, A.R.y.x, A.R.z.x, A.p.x, A.R.x.y, A.R.y.y, A.R.z.y, A.p.y};
    num y[] = {A.R.x.z, A.R.y.z, A.R.z.z, A.p.z, K(0), K(0), K(0), K(1)};
    places_store(p, at, x);
    places_store(p, at + 8, y);
#else
    num x[16] = {A.R.x.x, A.R.y.x, A.R.z.x, A.p.x, A.R.x.y, A.R.y.y, A.R.z.y, A.p.y,
                 A.R.x.z, A.R.y.z, A.R.z.z, A.p.z, K(0),    K(0),    K(0),    K(1)};
    for (int k = 0; k < 16; k += LANES) places_store(p, at + (size_t)k, x + k);
#endif
}

/* x: 6 × nv; without gaps between its rows the matrix is one long row */
static inline void store_columns(kernel_output out, int count, int32_t nv, num *x)
{
    if (out.ld == (size_t)nv) {
        store_groups(out, count, 0, 6 * nv, x);
        return;
    }
    for (int32_t r = 0; r < 6; r++) store_groups(out, count, r, nv, x + r * nv);
}

static inline void put_column(num *to, int32_t nv, twist S)
{
    to[0] = S.v.x, to[nv] = S.v.y, to[2 * nv] = S.v.z;
    to[3 * nv] = S.w.x, to[4 * nv] = S.w.y, to[5 * nv] = S.w.z;
}

/* ---- poses ---- */

/* behind a revolute joint; the turned axes x and y only if `whole` */
static inline void move_revolute(const plan_body *b, const pose *P, num angle, int whole, pose *out)
{
    const double *X = b->X;
    const vec3 *axes = &P->R.x;
    int at[3];
    double sign[3];
    const int quarter = plan_quarter_turn(b->turn, at, sign);
    out->p = pose_act(*P, vec3_of(K(X[9]), K(X[10]), K(X[11])));
    out->R.z = quarter ? vec3_scale(K(sign[2]), axes[at[2]]) : mat3_mul_vec(P->R, vec3_of(K(X[2]), K(X[5]), K(X[8])));
    if (!whole) return;
    num s, c;
    vec3 x, y;
    num_sincos(angle, &s, &c);
    if (quarter) {
        num sx = s * K(sign[0]), cx = c * K(sign[0]), sy = s * K(sign[1]), cy = c * K(sign[1]);
        x = axes[at[0]], y = axes[at[1]];
        out->R.x = vec3_axpy(sy, y, vec3_scale(cx, x));
        out->R.y = vec3_axpy(-sx, x, vec3_scale(cy, y));
    } else {
        x = mat3_mul_vec(P->R, vec3_of(K(X[0]), K(X[3]), K(X[6])));
        y = mat3_mul_vec(P->R, vec3_of(K(X[1]), K(X[4]), K(X[7])));
        out->R.x = vec3_axpy(s, y, vec3_scale(c, x));
        out->R.y = vec3_axpy(-s, x, vec3_scale(c, y));
    }
}

/* any joint: its pose and its columns */
static inline void move_any(const plan_body *p, const pose *parent, const num *q, pose *out, num *columns, int32_t nv)
{
    twist c[HML_JOINT_MAX_NV];
    num pitch = K(p->pitch);
    pose X = plan_pose(p->X);
    if (parent) X = pose_mul(*parent, X);
    *out = joint_move(p->type, X, pitch, q);
    joint_columns_at(p->type, *out, pitch, c);
    for (int32_t k = 0; k < p->nv; k++) put_column(columns + k, nv, c[k]);
}

static inline void *jacobian_room(char **at, size_t bytes)
{
    void *p = *at;
    *at += (bytes + 63) / 64 * 64;
    return p;
}

#if LANES == 1
static inline num load_some(const lane *from, size_t n) { return (void)n, *from; }
static inline void store_some(lane *to, size_t n, num x) { (void)n, *to = x; }
#else
static inline num load_some(const lane *from, size_t n) { return num_load_part(from, (int)n); }
static inline void store_some(lane *to, size_t n, num x) { num_store_part(to, (int)n, x); }
#endif

#if !defined HML_NUM_F32 && !defined HML_NUM_C64 && !defined HML_NUM_F128 /* the kinds that show their bits */
/* x − x is zero exactly where x is finite: its bits, all together */
static inline bits not_finite_bits(size_t n, const lane *x, bits all)
{
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        num y = *(const num_anywhere *)(x + k);
        all |= num_to_bits(y - y);
    }
    if (k < n) {
        num y = load_some(x + k, n - k);
        all |= num_to_bits(y - y);
    }
    return all;
}
#endif

/* 3 × 4, row-major */
NUM_INLINE pose rows_pose(const num x[12])
{
    return pose_of(mat3_of(vec3_of(x[0], x[4], x[8]), vec3_of(x[1], x[5], x[9]), vec3_of(x[2], x[6], x[10])),
                   vec3_of(x[3], x[7], x[11]));
}

/* the pose of a body in its parent's frame, see plan_motion; s, c: of its angle, if it has but one */
NUM_INLINE pose motion_pose(const plan_motion *b, const num *q, const num *s, const num *c)
{
    num x[12], y[12];
    if (b->type == HML_JOINT_REVOLUTE) {
        for (int k = 0; k < 12; k++) x[k] = K(b->rows[0][k]) + *c * K(b->rows[1][k]) + *s * K(b->rows[2][k]);
        return rows_pose(x);
    }
    for (int k = 0; k < 12; k++) x[k] = K(b->rows[0][k]), y[k] = K(b->rows[1][k]);
    if (b->type == HML_JOINT_FREE && b->turn) {
        return pose_of(quat_to_mat3(quat_normalize(quat_of(q[3], q[4], q[5], q[6]))), vec3_of(q[0], q[1], q[2]));
    }
    if (b->type != HML_JOINT_PRISMATIC) {
        return pose_mul(joint_move(b->type, rows_pose(x), K(b->pitch), q), rows_pose(y));
    }
    for (int k = 3; k < 12; k += 4) x[k] += q[0] * y[k];
    return rows_pose(x);
}

/* the same behind a pose, for a motion that turns about axis k: of its columns one stays and two turn */
NUM_INLINE pose quarter_turn_pose(const plan_motion *b, const pose *P, num s, num c, int k)
{
    const vec3 *from = &P->R.x;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    int at[3];
    double sign[3];
    vec3 out[3];
    plan_quarter_turn(b->turn, at, sign);
    const num si = s * K(b->axis & 4 ? -sign[i] : sign[i]), sj = s * K(b->axis & 4 ? -sign[j] : sign[j]);
    out[k] = vec3_scale(K(sign[k]), from[at[k]]);
    out[i] = vec3_axpy(sj, from[at[j]], vec3_scale(c * K(sign[i]), from[at[i]]));
    out[j] = vec3_axpy(-si, from[at[i]], vec3_scale(c * K(sign[j]), from[at[j]]));
    return pose_of(mat3_of(out[0], out[1], out[2]),
                   pose_act(*P, vec3_of(K(b->rows[0][3]), K(b->rows[0][7]), K(b->rows[0][11]))));
}

/* poses alone; returns the lanes that need a closer look */
static inline unsigned kernel_poses(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_motion *b = plan_motions(plan);
    char *at = (char *)call->scratch;
    num *q = (num *)jacobian_room(&at, (size_t)plan->nq * sizeof(num));
    pose *W = (pose *)jacobian_room(&at, (size_t)plan->levels * sizeof(pose)); /* bodies in the world */
    num *s = (num *)jacobian_room(&at, (size_t)plan->nq * sizeof(num));
    num *c = (num *)jacobian_room(&at, (size_t)plan->nq * sizeof(num));
    const lane_places H = places_of(call->H, call->count);
    load_row(call->q, call->count, plan->nq, q);
    for (int32_t k = plan->angles_begin; k < plan->angles_end; k++) num_sincos(q[k], &s[k], &c[k]);
    for (int32_t i = 0; i < plan->nbodies; i++, b++) {
        pose *to = &W[b->level], *parent = b->level ? to - 1 : NULL; /* depth first: the parent is the last one there */
        if (parent && b->turn) {
            const num sine = s[b->q], cosine = c[b->q];
            switch (b->axis & 3) {
            case 0: *to = quarter_turn_pose(b, parent, sine, cosine, 0); break;
            case 1: *to = quarter_turn_pose(b, parent, sine, cosine, 1); break;
            default: *to = quarter_turn_pose(b, parent, sine, cosine, 2); break;
            }
        } else {
            const pose M = motion_pose(b, q + b->q, s + b->q, c + b->q);
            *to = parent ? pose_mul(*parent, M) : M;
        }
        store_pose(&H, i, *to);
    }
    return num_lanes(kernel_bad_state(plan, q, NULL, NULL));
}

/* returns the lanes that need a closer look: what they computed may be nothing */
static inline unsigned kernel_jacobians(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const int32_t nv = plan->nv, n = plan->nbodies;
    char *at = (char *)call->scratch;
    num *q = (num *)jacobian_room(&at, (size_t)plan->nq * sizeof(num));
    num *columns = (num *)jacobian_room(&at, 6 * (size_t)nv * sizeof(num));
    pose *W = (pose *)jacobian_room(&at, (size_t)n * sizeof(pose)); /* plan frames in the world, by depth */
    int32_t *depth = (int32_t *)jacobian_room(&at, (size_t)n * sizeof(int32_t));
    const lane_places H = places_of(call->H, call->count);
    load_row(call->q, call->count, plan->nq, q);
    for (int32_t i = 0; i < n; i++) {
        const plan_body *p = &pb[i];
        const int32_t d = depth[i] = p->parent < 0 ? 0 : depth[p->parent] + 1; /* depth first: its parent is at d − 1 */
        if (p->type == HML_JOINT_REVOLUTE && d > 0) {
            int carries = i + 1 < n && pb[i + 1].parent == i;
            move_revolute(p, &W[d - 1], q[p->q], carries || call->H.data, &W[d]);
            put_column(columns + p->v, nv, column_turn(W[d].p, W[d].R.z));
        } else {
            move_any(p, d ? &W[d - 1] : NULL, &q[p->q], &W[d], columns + p->v, nv);
        }
        if (call->H.data) store_pose(&H, i, pose_mul(W[d], plan_pose(p->to_body)));
    }
    if (call->J.data) store_columns(call->J, call->count, nv, columns);
    return num_lanes(kernel_bad_state(plan, q, NULL, NULL));
}

#endif
