/*
 * The geometric linearization of forward dynamics, over num: D_q, D_ν, M⁻¹ in panels of columns.
 *
 * For a column c of joint i, with U of kernel_passes.h and ν̇ the forward dynamics:
 *
 *   rows d of the joint and of what it carries   ∂τ_d/∂q_c = g_d·Ψ̇_c + F_d·Ψ̈_c     ∂τ_d/∂ν_c = g_d·S_c + F_d·(Ψ̇ + Ṡ)_c
 *   rows k of its ancestors                      ∂τ_k/∂q_c = S_k·U_q               ∂τ_k/∂ν_c = S_k·U_ν
 *
 * and zero elsewhere (g_d meets the angular parts only). Then D_q = −M⁻¹ ∂τ/∂q and D_ν = −M⁻¹ ∂τ/∂ν.
 *
 * With W = L⁻¹ explicit (kernel_factor.h) no recurrence is left in a solve: M⁻¹ b = W D⁻¹ Wᵀ b. A column's half
 * solution D⁻¹ Wᵀ b lives on its ancestors and its subtree; row i of the result is a dot product over the ancestors of
 * i, as far as any column of the panel reaches. Of a tree with a free root the six base rows of the half solution are
 * already those of the result, x_b = S⁻¹ (b_b + Tᵀ b_l), and every row below gets T x_b: rows of other branches nothing
 * else.
 *
 * A free root itself: ∂ν̇/∂position = 0, ∂ν̇/∂rotation = [(Rᵀg)^; 0; 0], ∂ν̇/∂(linear velocity) = [−ω^; 0; 0]; nine
 * columns without work.
 */
#ifndef HML_ALGO_KERNEL_LINEARIZE_H
#define HML_ALGO_KERNEL_LINEARIZE_H

#include "algo/kernel_io.h"
#include "algo/kernel_passes.h"
#include "algo/kernel_passive.h"

typedef struct panel {
    panel_row *q, *v, *m;    /* rows of the tree: right-hand sides, then half solutions, for D_q, D_ν and M⁻¹ */
    panel_row *sq, *sv, *sm; /* 6 each: right-hand sides in the rows of a free root */
    num *base_inverse;       /* S⁻¹: six rows of SIX_SPAN */
    num *base_x;             /* 3 SIX_SPAN: scratch */
    vec3 *turn;              /* nv: right-hand sides and solutions for a free root's angular velocity */
    num *springs;            /* nv × PASSIVE_LD: ∂h/∂q of the springs, see kernel_passive.h */
    int32_t *reach;          /* nv: how many entries of a row's path a panel touches, for D_q and D_ν */
    int32_t *common;         /* the same for M⁻¹ */
} panel;

NUM_INLINE num *panel_entry(panel_row *rows, int32_t row, int32_t j) { return (num *)&rows[row] + j; }

/* entry of row i of the tree, which may be one of a free root */
NUM_INLINE num *panel_q(const walk *w, const panel *p, int32_t i, int32_t j)
{
    return i < w->tree->base ? panel_entry(p->sq, i, j) : panel_entry(p->q, i, j);
}

NUM_INLINE num *panel_v(const walk *w, const panel *p, int32_t i, int32_t j)
{
    return i < w->tree->base ? panel_entry(p->sv, i, j) : panel_entry(p->v, i, j);
}

/*
 * The rows that the columns begin … end − 1 of a panel touch: the path of the first one and, bodies being numbered
 * depth first, everything from it to where the last of their subtrees ends.
 */
static inline int32_t panel_carried(const walk *w, int32_t begin, int32_t end)
{
    const plan_column *pc = plan_columns(w->plan);
    int32_t carried = end;
    for (int32_t c = begin; c < end; c++) carried = pc[c].subtree_end > carried ? pc[c].subtree_end : carried;
    return carried;
}

/* ---- right-hand sides ---- */

/* rows that a column of the panel does not touch are zero there */
static inline void panel_clear(const walk *w, const panel *p, int32_t begin, int32_t carried)
{
    const int32_t *path = column_path(w->plan, w->paths, begin);
    const int32_t depth = plan_columns(w->plan)[begin].depth, first = w->tree->begin;
    for (int32_t d = w->tree->base; d < depth; d++) {
        int32_t k = path[d] - first;
        p->q[k] = panel_zero(), p->v[k] = panel_zero(), p->m[k] = panel_zero();
    }
    for (int32_t k = begin - first; k < carried - first; k++) {
        p->q[k] = panel_zero(), p->v[k] = panel_zero(), p->m[k] = panel_zero();
    }
}

/* −∂τ/∂q_c and −∂τ/∂ν_c into column j of the panel */
static inline void column_right_hand_sides(const walk *w, const panel *p, const int32_t *path, int32_t c, int32_t j)
{
    const plan_column *pc = &plan_columns(w->plan)[c];
    const branch_column *columns = w->columns, *col = &columns[c];
    const int32_t depth = plan_columns(w->plan)[pc->first].depth, begin = w->tree->begin, base = w->tree->base;
    int32_t d = 0;
    if (depth > 0) {
        wrench Uq = col->Uq, Uv = col->Uv;
        if (base) { /* columns of a free root are the identity */
            num *q = panel_entry(p->sq, 0, j), *v = panel_entry(p->sv, 0, j);
            q[0] = -Uq.f.x, q[PANEL] = -Uq.f.y, q[2 * PANEL] = -Uq.f.z;
            q[3 * PANEL] = -Uq.t.x, q[4 * PANEL] = -Uq.t.y, q[5 * PANEL] = -Uq.t.z;
            v[0] = -Uv.f.x, v[PANEL] = -Uv.f.y, v[2 * PANEL] = -Uv.f.z;
            v[3 * PANEL] = -Uv.t.x, v[4 * PANEL] = -Uv.t.y, v[5 * PANEL] = -Uv.t.z;
            d = 6;
        }
        for (; d < depth; d++) {
            twist S = columns[path[d]].S;
            *panel_entry(p->q, path[d] - begin, j) = -wrench_dot(Uq, S);
            *panel_entry(p->v, path[d] - begin, j) = -wrench_dot(Uv, S);
        }
    }
    vec3 Pd = col->Pd.w, S = col->S.w;
    twist Pdd = col->Pdd, PS = column_PS(col, plan_bodies(w->plan)[pc->body].nv > 1);
    for (int32_t i = pc->first; i < pc->subtree_end; i++) {
        const branch_column *s = &columns[i];
        *panel_q(w, p, i - begin, j) = -(vec3_dot(s->g, Pd) + wrench_dot(s->F, Pdd));
        *panel_v(w, p, i - begin, j) = -(vec3_dot(s->g, S) + wrench_dot(s->F, PS));
    }
}

/* Wᵀ of the unit vector, which is row c of W, for M⁻¹ */
static inline void column_unit(const walk *w, const panel *p, const int32_t *path, int32_t c, int32_t j)
{
    const int32_t depth = plan_columns(w->plan)[c].depth, begin = w->tree->begin, base = w->tree->base;
    const num *row = factor_row(&w->f, c), *own = factor_own(&w->f, w->tree, c);
    int32_t d = 0;
    if (c < begin + base) {
        for (; d < 6; d++) *panel_entry(p->sm, d, j) = K(begin + d == c);
        return;
    }
    for (; d < base; d++) *panel_entry(p->sm, d, j) = row[d];
    for (; d < depth; d++) *panel_entry(p->m, path[d] - begin, j) = own[d];
    *panel_entry(p->m, c - begin, j) = K(1);
}

/* derivatives of damping and springs join them */
static inline void passive_right_hand_sides(const walk *w, const panel *p, int32_t c, int32_t j)
{
    const plan_column *pc = &plan_columns(w->plan)[c];
    int32_t m = plan_bodies(w->plan)[pc->body].nv, first = pc->first - w->tree->begin;
    for (int32_t k = 0; k < m; k++) {
        *panel_q(w, p, first + k, j) -= p->springs[(pc->first + k) * PASSIVE_LD + c - pc->first];
    }
    *panel_v(w, p, c - w->tree->begin, j) -= K(plan_coordinates(w->plan)[c].damping);
}

/* ---- D⁻¹ Wᵀ of the right-hand sides, in place ---- */

/* one row of D_q and D_ν */
typedef struct panel_pair {
    panel_row q, v;
} panel_pair;

NUM_INLINE panel_pair panel_pair_axpy(num a, const panel *p, int32_t k, panel_pair sum)
{
    sum.q = panel_axpy(a, &p->q[k], sum.q);
    sum.v = panel_axpy(a, &p->v[k], sum.v);
    return sum;
}

/* the rows of a free root: x_b = S⁻¹ (b_b + Tᵀ b_l) */
static inline void panel_base(const walk *w, const panel *p, int32_t begin, int32_t carried)
{
    const int32_t *path = column_path(w->plan, w->paths, begin);
    const int32_t depth = plan_columns(w->plan)[begin].depth, first = w->tree->begin;
    const int32_t below = begin < first + 6 ? first + 6 : begin;
    for (int32_t d = 0; d < 6; d++) {
        panel_pair sum;
        sum.q = p->sq[d], sum.v = p->sv[d];
        for (int32_t e = 6; e < depth; e++) {
            sum = panel_pair_axpy(factor_row(&w->f, path[e])[d], p, path[e] - first, sum);
        }
        for (int32_t i = below; i < carried; i++) sum = panel_pair_axpy(factor_row(&w->f, i)[d], p, i - first, sum);
        p->sq[d] = sum.q, p->sv[d] = sum.v;
    }
    for (int32_t d = 0; d < 6; d++) {
        const num *row = p->base_inverse + d * SIX_SPAN;
        panel_row q = panel_scale(row[0], &p->sq[0]), v = panel_scale(row[0], &p->sv[0]);
        panel_row m = panel_scale(row[0], &p->sm[0]);
        for (int32_t e = 1; e < 6; e++) {
            q = panel_axpy(row[e], &p->sq[e], q);
            v = panel_axpy(row[e], &p->sv[e], v);
            m = panel_axpy(row[e], &p->sm[e], m);
        }
        p->q[d] = q, p->v[d] = v, p->m[d] = m;
    }
}

/* row k at depth d: its own entry, that of the path below it, and rows begin … end − 1 */
NUM_INLINE void panel_half(const walk *w, const panel *p, int32_t row, int32_t d, const int32_t *path, int32_t depth,
                           int32_t begin, int32_t end)
{
    const int32_t first = w->tree->begin, k = row - first;
    const num inverse = w->f.diagonal[row];
    panel_pair sum;
    sum.q = p->q[k], sum.v = p->v[k];
    for (int32_t e = d + 1; e < depth; e++) {
        sum = panel_pair_axpy(factor_own(&w->f, w->tree, path[e])[d], p, path[e] - first, sum);
    }
    for (int32_t i = begin; i < end; i++) {
        sum = panel_pair_axpy(factor_own(&w->f, w->tree, i)[d], p, i - first, sum);
    }
    p->q[k] = panel_scale(inverse, &sum.q);
    p->v[k] = panel_scale(inverse, &sum.v);
    p->m[k] = panel_scale(inverse, &p->m[k]);
}

static inline void panel_half_solve(const walk *w, const panel *p, int32_t begin, int32_t carried)
{
    const plan_column *pc = plan_columns(w->plan);
    const int32_t *path = column_path(w->plan, w->paths, begin);
    const int32_t depth = pc[begin].depth, base = w->tree->base;
    if (base) panel_base(w, p, begin, carried);
    for (int32_t d = base; d < depth; d++) {
        int32_t end = pc[path[d]].subtree_end;
        panel_half(w, p, path[d], d, path, depth, begin, end < carried ? end : carried);
    }
    for (int32_t k = begin < w->tree->begin + base ? w->tree->begin + base : begin; k < carried; k++) {
        panel_half(w, p, k, pc[k].depth, path, 0, k + 1, pc[k].subtree_end);
    }
}

/* ---- W times the half solutions ---- */

/*
 * How far the columns begin … end − 1 of a panel reach into the path of each row of the tree: two columns share as many
 * ancestors as the shallowest one between them has.
 */
static inline void panel_reach(const walk *w, const panel *p, int32_t begin, int32_t end, int32_t carried)
{
    const plan_column *pc = plan_columns(w->plan);
    int32_t tree_begin = w->tree->begin, shared = INT32_MAX;
    int32_t *reach = p->reach - tree_begin, *common = p->common - tree_begin;
    for (int32_t i = begin; i < end; i++) reach[i] = common[i] = pc[i].depth + 1;
    for (int32_t i = begin - 1; i >= tree_begin; i--) {
        if (pc[i + 1].depth < shared) shared = pc[i + 1].depth;
        reach[i] = common[i] = shared <= pc[i].depth ? shared : pc[i].depth + 1;
    }
    shared = pc[end - 1].depth + 1;
    for (int32_t i = end; i < w->tree->end; i++) {
        if (pc[i].depth < shared) shared = pc[i].depth;
        common[i] = shared;
        reach[i] = i < carried ? pc[i].depth + 1 : shared;
    }
}

/* one row of the three results */
typedef struct panel_rows {
    panel_row q, v, m;
} panel_rows;

NUM_INLINE panel_rows panel_rows_axpy(num a, const panel *p, int32_t k, panel_rows sum)
{
    sum.q = panel_axpy(a, &p->q[k], sum.q);
    sum.v = panel_axpy(a, &p->v[k], sum.v);
    sum.m = panel_axpy(a, &p->m[k], sum.m);
    return sum;
}

/* row i, which the panel reaches as far as that; not for the rows of a free root */
NUM_INLINE panel_rows panel_finish(const walk *w, const panel *p, int32_t i)
{
    const int32_t *path = column_path(w->plan, w->paths, i);
    const int32_t begin = w->tree->begin, k = i - begin, depth = plan_columns(w->plan)[i].depth;
    const int32_t reach = p->reach[k], common = p->common[k];
    const num *row = factor_row(&w->f, i);
    panel_rows sum;
    int32_t d = 0;
    if (w->tree->base) {
        sum.q = panel_scale(row[0], &p->q[0]);
        sum.v = panel_scale(row[0], &p->v[0]);
        sum.m = panel_scale(row[0], &p->m[0]);
        sum = panel_rows_axpy(row[1], p, 1, sum);
        sum = panel_rows_axpy(row[2], p, 2, sum);
        sum = panel_rows_axpy(row[3], p, 3, sum);
        sum = panel_rows_axpy(row[4], p, 4, sum);
        sum = panel_rows_axpy(row[5], p, 5, sum);
        row += SIX_SPAN - 6;
        d = 6;
    } else {
        sum.q = sum.v = sum.m = panel_zero();
    }
    for (; d < common && d < depth; d++) sum = panel_rows_axpy(row[d], p, path[d] - begin, sum);
    for (; d < reach && d < depth; d++) {
        sum.q = panel_axpy(row[d], &p->q[path[d] - begin], sum.q);
        sum.v = panel_axpy(row[d], &p->v[path[d] - begin], sum.v);
    }
    if (reach > depth) {
        sum.q = panel_add(&p->q[k], sum.q);
        sum.v = panel_add(&p->v[k], sum.v);
        if (common > depth) sum.m = panel_add(&p->m[k], sum.m);
    }
    return sum;
}

/* row i of all three matrices, n columns from `begin` on */
static inline void panel_store(const kernel_call *call, int32_t i, int32_t begin, int32_t n, const panel_rows *x)
{
    if (call->Dq.data) kernel_store_panel(call->Dq, call->count, i, begin, n, x->q);
    if (call->Dv.data) kernel_store_panel(call->Dv, call->count, i, begin, n, x->v);
    if (call->Minv.data) kernel_store_panel(call->Minv, call->count, i, begin, n, x->m);
}

/* ---- a free root ---- */

/* what the passes left out of a free root's acceleration: gravity − ω × u */
static inline vec3 base_acceleration(const base_motion *base, const num *v)
{
    return vec3_sub(base->gravity, vec3_cross(vec3_of(v[3], v[4], v[5]), base->u));
}

/* its derivatives by column k of a free root's position and velocity */
static inline void base_derivative(int32_t k, const base_motion *base, const num *v, vec3 *dq, vec3 *dv)
{
    vec3 e = vec3_of(K(k % 3 == 0), K(k % 3 == 1), K(k % 3 == 2));
    *dq = k < 3 ? vec3_zero() : vec3_cross(base->gravity, e);
    *dv = k < 3 ? vec3_cross(e, vec3_of(v[3], v[4], v[5])) : vec3_cross(base->u, e);
}

static inline num vec3_entry(vec3 a, int32_t i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

/* turn[…]: right-hand sides of the three angular velocities; base_x: their solutions in the root's rows */
static inline void turn_half_solve(const walk *w, const panel *p)
{
    const plan_tree *tree = w->tree;
    const plan_column *pc = plan_columns(w->plan);
    const branch_column *s = w->columns, *turn = &w->columns[tree->begin + 3];
    vec3 *y = p->turn - tree->begin;
    num *x = p->base_x;
    for (int32_t i = tree->begin; i < tree->end; i++) {
        y[i].x = -(s[i].g.x + vec3_dot(s[i].F.t, turn[0].Sd.w));
        y[i].y = -(s[i].g.y + vec3_dot(s[i].F.t, turn[1].Sd.w));
        y[i].z = -(s[i].g.z + vec3_dot(s[i].F.t, turn[2].Sd.w));
    }
    for (int32_t d = 0; d < SIX_SPAN; d++) {
        x[d] = d < 6 ? y[tree->begin + d].x : K(0);
        x[SIX_SPAN + d] = d < 6 ? y[tree->begin + d].y : K(0);
        x[2 * SIX_SPAN + d] = d < 6 ? y[tree->begin + d].z : K(0);
    }
    six sx = six_load(x), sy = six_load(x + SIX_SPAN), sz = six_load(x + 2 * SIX_SPAN);
    for (int32_t i = tree->begin + 6; i < tree->end; i++) {
        six T = six_load(factor_row(&w->f, i));
        sx = six_axpy(y[i].x, T, sx), sy = six_axpy(y[i].y, T, sy), sz = six_axpy(y[i].z, T, sz);
    }
    six_store(sx, x), six_store(sy, x + SIX_SPAN), six_store(sz, x + 2 * SIX_SPAN);
    six row = six_load(p->base_inverse);
    sx = six_scale(x[0], row), sy = six_scale(x[SIX_SPAN], row), sz = six_scale(x[2 * SIX_SPAN], row);
    for (int32_t e = 1; e < 6; e++) {
        row = six_load(p->base_inverse + e * SIX_SPAN);
        sx = six_axpy(x[e], row, sx);
        sy = six_axpy(x[SIX_SPAN + e], row, sy);
        sz = six_axpy(x[2 * SIX_SPAN + e], row, sz);
    }
    six_store(sx, x), six_store(sy, x + SIX_SPAN), six_store(sz, x + 2 * SIX_SPAN);
    for (int32_t k = tree->begin + 6; k < tree->end; k++) {
        vec3 sum = y[k];
        for (int32_t i = k + 1; i < pc[k].subtree_end; i++) {
            sum = vec3_axpy(factor_own(&w->f, tree, i)[pc[k].depth], y[i], sum);
        }
        num inverse = w->f.diagonal[k];
        y[k] = vec3_scale(inverse, sum);
    }
}

/* the rows of a free root itself: Galilei's part, and what its turning does */
static inline void base_rows(const walk *w, const kernel_call *call, const panel *p)
{
    const plan_tree *tree = w->tree;
    const num *xb = p->base_x;
    num q[6][8], v[6][8];
    for (int32_t i = 0; i < 6; i++) {
        for (int32_t j = 0; j < 8; j++) q[i][j] = v[i][j] = K(0);
        v[i][3] = xb[i], v[i][4] = xb[SIX_SPAN + i], v[i][5] = xb[2 * SIX_SPAN + i];
    }
    for (int32_t j = 0; j < 6; j++) {
        vec3 dq, dv;
        base_derivative(j, w->base, &w->v[tree->begin], &dq, &dv);
        q[0][j] += dq.x, q[1][j] += dq.y, q[2][j] += dq.z;
        v[0][j] += dv.x, v[1][j] += dv.y, v[2][j] += dv.z;
    }
    for (int32_t i = 0; i < 6; i++) {
        num m[8];
        for (int32_t j = 0; j < 6; j++) m[j] = p->base_inverse[i * SIX_SPAN + j];
        if (call->Dq.data) kernel_store_run(call->Dq, call->count, tree->begin + i, tree->begin, 6, q[i]);
        if (call->Dv.data) kernel_store_run(call->Dv, call->count, tree->begin + i, tree->begin, 6, v[i]);
        if (call->Minv.data) kernel_store_run(call->Minv, call->count, tree->begin + i, tree->begin, 6, m);
    }
}

/* the six columns of a free root without passive forces: D_q and D_ν from Galilei but for the angular velocity */
static inline void base_columns(const walk *w, const kernel_call *call, const panel *p)
{
    const plan_tree *tree = w->tree;
    const vec3 *y = p->turn - tree->begin;
    const num *xb = p->base_x;
    turn_half_solve(w, p);
    base_rows(w, call, p);
    six S0 = six_load(p->base_inverse), S1 = six_load(p->base_inverse + SIX_SPAN);
    six S2 = six_load(p->base_inverse + 2 * SIX_SPAN), S3 = six_load(p->base_inverse + 3 * SIX_SPAN);
    six S4 = six_load(p->base_inverse + 4 * SIX_SPAN), S5 = six_load(p->base_inverse + 5 * SIX_SPAN);
    for (int32_t i = tree->begin + 6; i < tree->end; i++) {
        const int32_t *path = column_path(w->plan, w->paths, i);
        const num *T = factor_row(&w->f, i), *own = T + SIX_SPAN - 6;
        const int32_t depth = plan_columns(w->plan)[i].depth;
        vec3 x = y[i];
        for (int32_t d = 6; d < depth; d++) x = vec3_axpy(own[d], y[path[d]], x);
        for (int32_t d = 0; d < 6; d++) {
            x.x += T[d] * xb[d], x.y += T[d] * xb[SIX_SPAN + d], x.z += T[d] * xb[2 * SIX_SPAN + d];
        }
        if (call->Dq.data) kernel_store_zeros(call->Dq, call->count, i, tree->begin, 6);
        if (call->Dv.data) {
            num v[8] = {K(0), K(0), K(0), x.x, x.y, x.z, K(0), K(0)};
            kernel_store_run(call->Dv, call->count, i, tree->begin, 6, v);
        }
        if (call->Minv.data) {
            num m[8];
            six sum = six_axpy(T[1], S1, six_scale(T[0], S0));
            sum = six_axpy(T[3], S3, six_axpy(T[2], S2, sum));
            sum = six_axpy(T[5], S5, six_axpy(T[4], S4, sum));
            six_scatter(sum, m, 1);
            kernel_store_run(call->Minv, call->count, i, tree->begin, 6, m);
        }
    }
}

#endif
