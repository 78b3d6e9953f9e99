/*
 * One state whose feet the world holds: feet and rows, x, J and c. Notation and formulas: kernel/held.h,
 * kernel/composite.h; loops: single/held_loop.h. W, K and λ: single/held_solve.h; ∂c: single/held_rates.h; results:
 * single/held_base.h, single/held_matrices.h.
 */
#ifndef HML_KERNEL_SINGLE_HELD_H
#define HML_KERNEL_SINGLE_HELD_H

#include "group/se3.h"
#include "kernel/held.h"
#include "kernel/single/linearize.h"

NUM_INLINE double held_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* the linear part of a twist at a point */
NUM_INLINE quad held_at(const double *row, quad p) { return quad_from(row) + quad_cross(quad_from(row + 4), p); }

/* the linear velocity of a free root, which the passes leave out */
NUM_INLINE quad held_velocity(const single_tree *t)
{
    const quad zero = {0, 0, 0, 0};
    return t->tree->base ? quad_from(t->velocity) : zero;
}

/* ---- feet ---- */

/* the last column below a free root that moves a body, in the plan's numbering, or −1 */
static inline int32_t held_last_column(const single_tree *t, int32_t body)
{
    int32_t i = body - t->tree->body_begin;
    while (i >= 0 && t->bodies[i].nv == 0) i = t->parent[i] - 1;
    if (i < 0 || (t->tree->base && i == 0)) return -1;
    return t->bodies[i].v + t->bodies[i].nv - 1;
}

/* a list of all of them; returns how many */
static inline int32_t held_path_of(const single_tree *t, int32_t last, const int32_t **path)
{
    const int32_t base = t->tree->base;
    *path = last < 0 ? NULL : column_path(t->call->paths, last) + base;
    return last < 0 ? 0 : plan_columns(t->call->plan)[last].depth + 1 - base;
}

/* the columns that move it */
static inline void held_path(const single_tree *t, held_foot *f)
{
    const int32_t last = held_last_column(t, f->body);
    f->depth = held_path_of(t, last, &f->path);
    f->above = last < 0 ? NULL : columns_above(t, last - t->below);
}

static inline pose held_pose(const frame4 *B)
{
    const quad columns[4] = {B->x, B->y, B->z, B->p};
    vec3 c[4];
    for (int k = 0; k < 4; k++) c[k] = vec3_of(K(columns[k][0]), K(columns[k][1]), K(columns[k][2]));
    return pose_of(mat3_of(c[0], c[1], c[2]), c[3]);
}

/* log(goal⁻¹ H) of a frame */
static inline void held_frame_error(pose H, held_foot *f)
{
    const double *g = f->goal;
    const mat3 R = mat3_of(vec3_of(K(g[0]), K(g[4]), K(g[8])), vec3_of(K(g[1]), K(g[5]), K(g[9])),
                           vec3_of(K(g[2]), K(g[6]), K(g[10])));
    const twist e = se3_log(pose_between(pose_of(R, vec3_of(K(g[3]), K(g[7]), K(g[11]))), H));
    const num *x = &e.v.x;
    for (int k = 0; k < 6; k++) f->error[row8_index(k)] = x[k][0];
}

/* a frame of a body, in the root frame */
static inline frame4 held_frame_of(const single_tree *t, int32_t slot, const double *placement)
{
    const frame4 body = frame4_mul(&t->H[slot], t->bodies[slot - 1].to_body);
    return frame4_mul(&body, placement);
}

static inline void held_place(const single_tree *t, held_foot *f)
{
    const quad flat = {1, 1, 1, 0};
    const frame4 *W = &t->W;
    f->slot = f->body - t->tree->body_begin + 1;
    const frame4 B = held_frame_of(t, f->slot, f->placement);
    const double *v = t->v + f->slot * ROW8;
    const quad p = B.p * flat;
    held_path(t, f);
    *(quad_anywhere *)f->p = p;
    *(quad_anywhere *)f->at = held_at(v, p);
    quads_put(f->v, quad_from(v), quad_from(v + 4));
    if (f->rows == 6) {
        *(quad_anywhere *)f->axis[0] = B.x;
        *(quad_anywhere *)f->axis[1] = B.y;
        *(quad_anywhere *)f->axis[2] = B.z;
        if (f->stiffness > 0) held_frame_error(pose_mul(held_pose(W), held_pose(&B)), f);
        return;
    }
    for (int d = 0; d < 3 && f->rows == 3; d++) {
        const quad axis = {W->x[d], W->y[d], W->z[d], 0};
        *(quad_anywhere *)f->axis[d] = axis;
    }
    if (f->rows == 1) *(quad_anywhere *)f->axis[0] = quad_seen_from(W, quad_from(f->normal));
    if (f->stiffness > 0) {
        const quad goal = {f->goal[3], f->goal[7], f->goal[11], 0};
        *(quad_anywhere *)f->error = quad_seen_from(W, (frame4_act(W, f->p) - goal) * flat);
    }
}

/* c in the root's axes, from the body's acceleration as the passes have it; a frame's error comes in its own axes */
static inline pair4 held_rate(const single_tree *t, const held_foot *f, const double *a)
{
    const quad p = quad_from(f->p), at = quad_from(f->at), w = quad_from(f->v + 4), u = held_velocity(t);
    const quad g = quad_from(t->gravity);
    pair4 c = {held_at(a, p) + g + (at + u) * f->damping, quad_from(a + 4) + w * f->damping};
    if (f->rows == 6) {
        c.v -= quad_cross(w, u);
        return c;
    }
    c.v += quad_cross(w, at);
    if (f->stiffness > 0) c.v += quad_from(f->error) * f->stiffness;
    return c;
}

/* numbers of a row of six or three by the foot's axes, added to what stands there */
static inline void held_put_rate(const held_foot *f, pair4 rate, double *c)
{
    double x[ROW8];
    quads_put(x, rate.v, rate.w);
    if (f->rows == 1) {
        c[0] = held_dot(f->axis[0], x);
        return;
    }
    for (int d = 0; d < f->rows; d++) {
        c[d] = held_dot(f->axis[d % 3], d < 3 ? x : x + 4);
        if (f->rows == 6 && f->stiffness > 0) c[d] += f->stiffness * f->error[row8_index(d)];
    }
}

/* ---- rows ---- */

/* the wrenches of its rows, and of its shadow */
static inline void held_wrenches(const held_call *h, const held_foot *f)
{
    const quad p = quad_from(f->p);
    for (int d = 0; d < (f->rows == 1 ? 1 : 3); d++) {
        const quad axis = quad_from(f->axis[d]), turned = quad_cross(p, axis);
        double *force = h->X + f->row + d;
        for (int e = 0; e < 3; e++) {
            force[(size_t)e * h->ld] = axis[e], force[(size_t)(e + 3) * h->ld] = turned[e];
            if (f->rows == 6) force[(size_t)e * h->ld + 3] = 0, force[(size_t)(e + 3) * h->ld + 3] = axis[e];
        }
    }
    for (int d = 0; d < 3 && f->rows == 1; d++) {
        const quad turned = quad_cross(p, unit4[d]);
        double *force = h->X + f->shadow + d;
        for (int e = 0; e < 3; e++) force[(size_t)e * h->ld] = d == e, force[(size_t)(e + 3) * h->ld] = turned[e];
    }
}

/* J of its rows. Four numbers are written for three: the next foot's come later, and the array is longer */
static inline void held_jacobian(const single_tree *t, const held_call *h, const held_foot *f)
{
    const quad p = quad_from(f->p), flat = {1, 1, 1, 0};
    quad T[3];
    for (int e = 0; e < 3; e++) {
        const quad x = {f->axis[0][e], f->axis[1][e], f->axis[2][e], 0};
        T[e] = x;
    }
    for (int32_t i = 0; i < f->depth; i++) {
        const int32_t k = f->path[i] - t->below;
        const double *S = t->S + k * ROW8;
        double *to = h->J + (size_t)k * h->ld + f->row, s[4];
        const double sign = f->behind && (f->behind[k / 8] >> k % 8 & 1) ? -1 : 1;
        *(quad_anywhere *)s = held_at(S, p) * flat * sign;
        if (f->rows == 1) {
            to[0] = held_dot(f->axis[0], s);
            memcpy(h->J + (size_t)k * h->ld + f->shadow, s, 3 * sizeof *s);
            continue;
        }
        *(quad_anywhere *)to = T[0] * s[0] + T[1] * s[1] + T[2] * s[2];
        if (f->rows == 6) *(quad_anywhere *)(to + 3) = (T[0] * S[4] + T[1] * S[5] + T[2] * S[6]) * sign;
    }
}

/*
 * Does every row move something? A point on an axis does not, and its row is the rounding of a lever. Without a free
 * root, under which every point moves, and in a loop, such a row might stand alone, where nothing says how small it is.
 */
static inline int held_moves(const single_tree *t, const held_call *h, const held_foot *f)
{
    double lever = 0;
    if (t->tree->base && f->other < 0) return 1;
    for (int32_t i = 0; i < f->depth; i++) {
        const double *S = t->S + (f->path[i] - t->below) * ROW8;
        lever += held_dot(S, S) + held_dot(S + 4, S + 4) * (1 + held_dot(f->p, f->p));
    }
    for (int32_t r = f->row; r < f->row + f->rows; r++) {
        double length = 0;
        for (int32_t i = 0; i < f->depth; i++) {
            const double j = h->J[(size_t)(f->path[i] - t->below) * h->ld + (size_t)r];
            length += j * j;
        }
        if (!(length > 1e-20 * lever)) return 0;
    }
    return 1;
}

#endif
