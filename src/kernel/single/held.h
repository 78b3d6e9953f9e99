/*
 * ν̇ and λ of one state whose feet the world holds, and what their derivatives need: the linearization of one state
 * with a stop in the middle. Notation and formulas: kernel/held.h, kernel/composite.h.
 *
 *   M ν̇ + h = τ + Jᵀλ,  c = 0     W = M⁻¹ Jᵀ     K = J W     λ = −K⁻¹ c₀     ν̇ = ν̇₀ + W λ
 *
 * ν̇₀ and c₀ are those without λ. M⁻¹ is there as N and G (single/block_inverse.h) before ν̇ is used, so λ fits in
 * between: afterwards it is one more wrench on its body, and all goes on as if it had been given. Lanes are rows of the
 * constraints here.
 *
 * K squares the condition of the rows. Where a pivot of it says that digits are lost, λ is refined by one step; where
 * it says that too many are, the kernel declines, and the caller decides about the rank by orthogonal factors.
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

/* the columns that move it */
static inline void held_path(const single_tree *t, held_foot *f)
{
    const int32_t base = t->tree->base;
    int32_t i = f->body - t->tree->body_begin;
    while (i >= 0 && t->bodies[i].nv == 0) i = t->parent[i] - 1;
    f->depth = 0, f->path = NULL, f->above = NULL;
    if (i < 0 || (base && i == 0)) return;
    const int32_t first = t->bodies[i].v, last = first + t->bodies[i].nv - 1;
    f->path = column_path(t->call->paths, last) + base;
    f->depth = plan_columns(t->call->plan)[last].depth + 1 - base;
    f->above = columns_above(t, first - t->below);
}

/* log(goal⁻¹ H) of a frame, whose pose in the root frame is B */
static inline void held_frame_error(const single_tree *t, const frame4 *B, held_foot *f)
{
    const frame4 *W = &t->W;
    const double *g = f->goal;
    const quad columns[4] = {B->x, B->y, B->z, B->p};
    quad H[4];
    for (int k = 0; k < 4; k++) H[k] = W->x * columns[k][0] + W->y * columns[k][1] + W->z * columns[k][2];
    H[3] += W->p;
    vec3 c[4];
    for (int k = 0; k < 4; k++) c[k] = vec3_of(K(H[k][0]), K(H[k][1]), K(H[k][2]));
    const mat3 R = mat3_of(vec3_of(K(g[0]), K(g[4]), K(g[8])), vec3_of(K(g[1]), K(g[5]), K(g[9])),
                           vec3_of(K(g[2]), K(g[6]), K(g[10])));
    const pose goal = pose_of(R, vec3_of(K(g[3]), K(g[7]), K(g[11])));
    const twist e = se3_log(pose_between(goal, pose_of(mat3_of(c[0], c[1], c[2]), c[3])));
    const num *x = &e.v.x;
    for (int k = 0; k < 6; k++) f->error[row8_index(k)] = x[k][0];
}

static inline void held_place(const single_tree *t, held_foot *f)
{
    const quad flat = {1, 1, 1, 0};
    const frame4 *W = &t->W;
    f->slot = f->body - t->tree->body_begin + 1;
    const frame4 body = frame4_mul(&t->H[f->slot], t->bodies[f->slot - 1].to_body);
    const frame4 B = frame4_mul(&body, f->placement);
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
        if (f->stiffness > 0) held_frame_error(t, &B, f);
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
        *(quad_anywhere *)s = held_at(S, p) * flat;
        if (f->rows == 1) {
            to[0] = held_dot(f->axis[0], s);
            memcpy(h->J + (size_t)k * h->ld + f->shadow, s, 3 * sizeof *s);
            continue;
        }
        *(quad_anywhere *)to = T[0] * s[0] + T[1] * s[1] + T[2] * s[2];
        if (f->rows == 6) *(quad_anywhere *)(to + 3) = T[0] * S[4] + T[1] * S[5] + T[2] * S[6];
    }
}

/*
 * Does every row move something? A point on an axis does not, and its row is the rounding of a lever. Without a free
 * root, under which every point moves, such a row might stand alone, where nothing says how small it is.
 */
static inline int held_moves(const single_tree *t, const held_call *h, const held_foot *f)
{
    double lever = 0;
    if (t->tree->base) return 1;
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

/* x, J, c without ν̇, and the columns that move any foot; 0: a row moves nothing */
static inline int held_rows(const single_tree *t, const held_call *h)
{
    memset(h->X, 0, 6 * h->ld * sizeof(double));
    memset(h->J, 0, (size_t)t->n * h->ld * sizeof(double));
    memset(h->c, 0, h->kd * sizeof(double));
    memset(h->moved, 0, (size_t)t->n);
    int moves = 1;
    for (int32_t i = 0; i < h->nfeet; i++) {
        held_foot *f = &h->feet[i];
        held_place(t, f);
        held_wrenches(h, f);
        held_jacobian(t, h, f);
        held_put_rate(f, held_rate(t, f, t->a + f->slot * ROW8), h->c + f->row);
        moves &= held_moves(t, h, f);
        for (int32_t k = 0; k < f->depth; k++) h->moved[f->path[k] - t->below] = 1;
    }
    h->found->nactive = 0;
    for (int32_t k = 0; k < t->n; k++) {
        h->active[h->found->nactive] = k;
        h->found->nactive += h->moved[k];
    }
    return moves;
}

/* ---- W, K and its inverse ---- */

/* a few registers of neighbouring columns of W and K at once, and rows at once, so that sums do not wait for each other */
#if defined __AVX512VL__
enum { HELD_PACKS = 3, HELD_ROWS = 4 };
#else
enum { HELD_PACKS = 2, HELD_ROWS = 4 };
#endif

/* some columns of W: from `at` on */
typedef struct held_responses {
    const single_solver *m;
    const held_call *h;
    size_t at;
    num B[6][HELD_PACKS]; /* of a free root: x less what the columns below it take away */
} held_responses;

/* x + Σ a y: R rows by P registers; a: one number per row, `step` apart */
NUM_INLINE void held_madd(const int R, const int P, const double *a, size_t step, const double *y,
                          num x[HELD_ROWS][HELD_PACKS])
{
    num b[HELD_PACKS];
    for (int k = 0; k < P; k++) b[k] = pack_at(y + k * LANES);
    for (int r = 0; r < R; r++) {
        const double w = a[(size_t)r * step];
        for (int k = 0; k < P; k++) x[r][k] += w * b[k];
    }
}

NUM_INLINE void held_root_forces(held_responses *s, const int P)
{
    const held_call *h = s->h;
    num B[6][HELD_PACKS];
    for (int d = 0; d < 6; d++) {
        for (int k = 0; k < P; k++) B[d][k] = pack_at(h->X + (size_t)d * h->ld + s->at + (size_t)(k * LANES));
    }
    for (int32_t i = 0; i < h->found->nactive; i++) {
        const double *R = s->m->R + h->active[i] * ROW8, *J = h->J + (size_t)h->active[i] * h->ld + s->at;
        num j[HELD_PACKS];
        for (int k = 0; k < P; k++) j[k] = pack_at(J + k * LANES);
        for (int d = 0; d < 6; d++) {
            for (int k = 0; k < P; k++) B[d][k] -= R[row8_index(d)] * j[k];
        }
    }
    for (int d = 0; d < 6; d++) {
        for (int k = 0; k < P; k++) s->B[d][k] = B[d][k];
    }
}

/* R rows of W from `row` on, of a block that has the active columns from … to */
NUM_INLINE void held_response_rows(const held_responses *s, const int R, const int P, int32_t row, const int32_t *from,
                                   const int32_t *to)
{
    const single_solver *m = s->m;
    const held_call *h = s->h;
    const int32_t base = m->t.tree->base;
    const double *G = m->response + (size_t)(base + row) * ROW8;
    double *W = h->W + (size_t)(base + row) * h->ld + s->at;
    num x[HELD_ROWS][HELD_PACKS];
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) x[r][k] = K(0);
    }
    for (int d = 0; d < base; d++) held_madd(R, P, G + row8_index(d), ROW8, (const double *)s->B[d], x);
    for (; from < to; from++)
        held_madd(R, P, m->N + (size_t)row * m->ld + *from, m->ld, h->J + (size_t)*from * h->ld + s->at, x);
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) pack_put(W + (size_t)r * h->ld + (size_t)(k * LANES), x[r][k]);
    }
}

NUM_INLINE void held_response_block(const held_responses *s, const int P, int32_t begin, int32_t end,
                                    const int32_t *from, const int32_t *to)
{
    int32_t i = begin;
    for (; i + HELD_ROWS <= end; i += HELD_ROWS) held_response_rows(s, HELD_ROWS, P, i, from, to);
    switch (end - i) {
    case 3: held_response_rows(s, 3, P, i, from, to); break;
    case 2: held_response_rows(s, 2, P, i, from, to); break;
    case 1: held_response_rows(s, 1, P, i, from, to); break;
    default: break;
    }
}

/* P registers of columns of W */
NUM_INLINE void held_response_columns(held_responses *s, const int P)
{
    const single_tree *t = &s->m->t;
    const held_call *h = s->h;
    if (t->tree->base) {
        held_root_forces(s, P);
        held_response_rows(s, 3, P, -6, NULL, NULL);
        held_response_rows(s, 3, P, -3, NULL, NULL);
    }
    const int32_t *from = h->active, *last = from + h->found->nactive, *to = from;
    for (int32_t begin = 0, end; begin < t->n; begin = end, from = to) {
        end = plan_block_end(t->call->plan, t->tree, t->below + begin) - t->below;
        while (to < last && *to < end) to++;
        held_response_block(s, P, begin, end, from, to);
    }
}

/* R rows of K of a foot, P registers of columns from `at` on */
NUM_INLINE void held_gram_rows(const single_tree *t, const held_call *h, const int R, const int P, const held_foot *f,
                               int32_t row, size_t at)
{
    const int32_t base = t->tree->base;
    const double *W = h->W + at, *own = W + (size_t)base * h->ld;
    double *to = h->K + (size_t)row * h->kd + at;
    num x[HELD_ROWS][HELD_PACKS];
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) x[r][k] = K(0);
    }
    for (int d = 0; d < base; d++) held_madd(R, P, h->X + (size_t)d * h->ld + row, 1, W + (size_t)d * h->ld, x);
    for (int32_t k = 0; k < f->depth; k++) {
        const size_t c = (size_t)(f->path[k] - t->below) * h->ld;
        held_madd(R, P, h->J + c + row, 1, own + c, x);
    }
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) pack_put(to + (size_t)r * h->kd + (size_t)(k * LANES), x[r][k]);
    }
}

NUM_INLINE void held_gram_columns(const single_tree *t, const held_call *h, const int P, size_t at)
{
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        if (f->rows == 1) {
            held_gram_rows(t, h, 1, P, f, f->row, at);
            continue;
        }
        for (int32_t r = 0; r < f->rows; r += 3) held_gram_rows(t, h, 3, P, f, f->row + r, at);
    }
}

/* the columns of W from `first` on */
static inline void held_all_columns(const single_solver *m, const held_call *h, size_t first, size_t count)
{
    const size_t end = first + count;
    held_responses s;
    s.m = m, s.h = h;
    for (s.at = first; s.at < end;) {
        const size_t left = (end - s.at + LANES - 1) / LANES;
        if (left >= HELD_PACKS) {
            held_response_columns(&s, HELD_PACKS);
            s.at += HELD_PACKS * LANES;
        } else if (left >= 2) {
            held_response_columns(&s, 2);
            s.at += 2 * LANES;
        } else {
            held_response_columns(&s, 1);
            s.at += LANES;
        }
    }
}

static inline void held_gram(const single_tree *t, const held_call *h)
{
    for (size_t at = 0; at < (size_t)h->rows;) {
        const size_t left = ((size_t)h->rows - at + LANES - 1) / LANES;
        if (left >= HELD_PACKS) {
            held_gram_columns(t, h, HELD_PACKS, at);
            at += HELD_PACKS * LANES;
        } else if (left >= 2) {
            held_gram_columns(t, h, 2, at);
            at += 2 * LANES;
        } else {
            held_gram_columns(t, h, 1, at);
            at += LANES;
        }
    }
}

/* packs of K's rows that stay in registers */
enum { HELD_REGISTERS = 4 };

/* K ← K⁻¹ by Gauss-Jordan elimination; returns the largest ratio of a diagonal entry to its pivot, or NaN */
NUM_INLINE double held_invert_packs(const held_call *h, const int packs)
{
    const size_t kd = h->kd, m = (size_t)h->rows;
    double worst = 1;
    for (size_t p = 0; p < m; p++) {
        double *row = h->K + p * kd, *other = h->K;
        const double inverse = 1 / row[p], ratio = h->diagonal[p] * inverse;
        num x[HELD_REGISTERS];
        lane_set but[HELD_REGISTERS];
        worst = ratio > worst ? ratio : ratio > 0.5 ? worst : NAN;
        for (int k = 0; k < packs; k++) {
            but[k] = lanes_in((int)p / LANES == k ? ~(1u << p % LANES) : ~0u);
            x[k] = lanes_select(but[k], inverse * pack_at(row + k * LANES), K(inverse));
            pack_put(row + k * LANES, x[k]);
        }
        for (size_t i = 0; i < m; i++, other += kd) {
            if (i == p) continue;
            const double f = other[p];
            for (int k = 0; k < packs; k++)
                pack_put(other + k * LANES, lanes_where(but[k], pack_at(other + k * LANES)) - f * x[k]);
        }
    }
    return worst;
}

/* the same for any number of rows */
static inline double held_invert_wide(const held_call *h)
{
    const size_t kd = h->kd, m = (size_t)h->rows;
    double worst = 1;
    for (size_t p = 0; p < m; p++) {
        double *row = h->K + p * kd, *other = h->K;
        const double inverse = 1 / row[p], ratio = h->diagonal[p] * inverse;
        worst = ratio > worst ? ratio : ratio > 0.5 ? worst : NAN;
        row[p] = 1;
        for (size_t k = 0; k < m; k += LANES) pack_put(row + k, inverse * pack_at(row + k));
        for (size_t i = 0; i < m; i++, other += kd) {
            if (i == p) continue;
            const double f = other[p];
            other[p] = 0;
            for (size_t k = 0; k < m; k += LANES) pack_put(other + k, pack_at(other + k) - f * pack_at(row + k));
        }
    }
    return worst;
}

static inline double held_invert(const held_call *h)
{
    switch ((h->rows + LANES - 1) / LANES) {
    case 1: return held_invert_packs(h, 1);
    case 2: return held_invert_packs(h, 2);
    case 3: return held_invert_packs(h, 3);
    case 4: return held_invert_packs(h, 4);
    default: return held_invert_wide(h);
    }
}

/* 0: it is too near to singular, or the caller's tolerance may say so */
static inline int held_factor(const held_call *h)
{
    const size_t m = (size_t)h->rows;
    double largest = 0, smallest, ratio;
    for (size_t r = 0; r < m; r++) {
        h->diagonal[r] = h->K[r * (h->kd + 1)];
        if (h->diagonal[r] > largest) largest = h->diagonal[r];
    }
    ratio = held_invert(h);
    smallest = largest;
    for (size_t r = 0; r < m; r++) {
        if (!(h->diagonal[r] >= smallest)) smallest = h->diagonal[r];
    }
    h->found->refine = !(ratio < HELD_REFINE);
    /* a pivot is at least smallest / ratio; the tolerance speaks of lengths, and K of their squares */
    return ratio < HELD_DECLINE && smallest > 100 * h->tolerance * h->tolerance * largest * ratio;
}

/* ---- λ and ν̇ ---- */

/* c += J x, for x of the columns from the root on; what the columns below it add is summed apart */
static inline void held_add_motion(const single_tree *t, const held_call *h, const double *x, double *c)
{
    for (size_t at = 0; at < (size_t)h->rows; at += LANES) {
        num sum = pack_at(c + at), more = K(0);
        for (int32_t d = 0; d < t->tree->base; d++) sum += x[d] * pack_at(h->X + (size_t)d * h->ld + at);
        for (int32_t i = 0; i < h->found->nactive; i++) {
            const int32_t k = h->active[i];
            more += x[t->tree->base + k] * pack_at(h->J + (size_t)k * h->ld + at);
        }
        pack_put(c + at, sum + more);
    }
}

NUM_INLINE double held_sum(num x)
{
    double sum = 0;
#if LANES == 4
    sum = (x[0] + x[2]) + (x[1] + x[3]);
#else
    for (int l = 0; l < LANES; l++) sum += x[l];
#endif
    return sum;
}

/* λ += y and ν̇ += W y with y = −K⁻¹ c */
static inline void held_step(const single_tree *t, const held_call *h, const double *c, double *y)
{
    double *x = t->x + t->tree->begin;
    const double *W = h->W;
    const size_t m = (size_t)h->rows;
    for (size_t at = 0; at < m; at += LANES) {
        num sum = K(0), more = K(0);
        size_t s = 0;
        for (; s + 2 <= m; s += 2) {
            sum -= c[s] * pack_at(h->K + s * h->kd + at);
            more -= c[s + 1] * pack_at(h->K + (s + 1) * h->kd + at);
        }
        if (s < m) sum -= c[s] * pack_at(h->K + s * h->kd + at);
        sum += more;
        pack_put(y + at, sum);
        pack_put(h->lambda + at, pack_at(h->lambda + at) + sum);
    }
    for (int32_t i = 0; i < t->tree->base + t->n; i++, W += h->ld) {
        num sum = K(0);
        for (size_t at = 0; at < m; at += LANES) sum += pack_at(W + at) * pack_at(y + at);
        x[i] += held_sum(sum);
    }
}

/* λ, and ν̇ with it; 0: the kernel declines */
static inline int held_solve(single_solver *m, const held_call *h)
{
    const single_tree *t = &m->t;
    double *x = t->x + t->tree->begin;
    h->found->refine = 0;
    if (h->rows == 0) return 1;
    if (!held_rows(t, h)) return 0;
    held_all_columns(m, h, 0, (size_t)h->rows);
    if (h->shadows) held_all_columns(m, h, h->kd, (size_t)h->shadows);
    held_gram(t, h);
    if (!held_factor(h)) return 0;
    memset(h->lambda, 0, h->kd * sizeof(double));
    for (int step = 0; step <= h->found->refine; step++) {
        memcpy(h->Y, h->c, h->kd * sizeof(double));
        held_add_motion(t, h, x, h->Y);
        held_step(t, h, h->Y, h->E);
    }
    if (t->tree->base) {
        const pair4 root = pair4_from(x);
        quads_put(t->da + ROW8, root.v, root.w);
    }
    return 1;
}

/* the force of a foot and, of a frame, its torque, in the root's axes */
NUM_INLINE pair4 held_force(const held_call *h, const held_foot *f)
{
    const double *l = h->lambda + f->row;
    const quad zero = {0, 0, 0, 0}, x = quad_from(f->axis[0]), y = quad_from(f->axis[1]), z = quad_from(f->axis[2]);
    pair4 F = {x * l[0], zero};
    if (f->rows > 1) F.v += y * l[1] + z * l[2];
    if (f->rows == 6) F.w = x * l[3] + y * l[4] + z * l[5];
    return F;
}

/* λ joins the forces of all subtrees that its foot is in */
static inline void held_add_forces(const single_tree *t, const held_call *h)
{
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        const pair4 F = held_force(h, f);
        const quad torque = F.w + quad_cross(quad_from(f->p), F.v);
        for (int32_t slot = f->slot; slot > 0; slot = t->parent[slot - 1]) {
            double *G = t->G + slot * ROW8;
            quads_put(G, quad_from(G) - F.v, quad_from(G + 4) - torque);
        }
    }
}

#endif
