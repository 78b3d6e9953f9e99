/*
 * The geometric linearization of forward dynamics, over num: ν̇, D_q, D_ν, M⁻¹ column by column.
 *
 * For a column c of joint i, with I, B, f those of i's subtree (kernel_tree.h) and ν̇ the forward dynamics:
 *
 *   rows d of the joint and of what it carries   ∂τ_d/∂q_c = g_d·Ψ̇_c + F_d·Ψ̈_c          ∂τ_d/∂ν_c = g_d·S_c + F_d·(Ψ̇ +
 * Ṡ)_c rows k of its ancestors                      ∂τ_k/∂q_c = S_k·(2B Ψ̇_c + I Ψ̈_c + [f] S_c)   ∂τ_k/∂ν_c = S_k·(2B
 * S_c + I (Ψ̇ + Ṡ)_c)
 *
 * and zero elsewhere (g_d meets the angular parts only). Then D_q = −M⁻¹ ∂τ/∂q and D_ν = −M⁻¹ ∂τ/∂ν with
 * M⁻¹ = W D⁻¹ Wᵀ (kernel_factor.h): a column's D⁻¹ Wᵀ b is nonzero only on its ancestors and its subtree, so every
 * other row needs only the ancestors it shares.
 *
 * A free root: ∂ν̇/∂position = 0, ∂ν̇/∂rotation = [(Rᵀg)^; 0; 0], ∂ν̇/∂(linear velocity) = [−ω^; 0; 0]; nine columns
 * without work.
 */
#ifndef HML_ALGO_KERNEL_LINEARIZE_H
#define HML_ALGO_KERNEL_LINEARIZE_H

#include "algo/kernel_factor.h"
#include "algo/kernel_passive.h"

/* one entry of the three right-hand sides of a column, or of their solutions: for D_q, D_ν and M⁻¹ */
typedef struct triple {
    num q, v, m;
} triple;

typedef struct linearize_scratch {
    body_state *bodies;
    column_state *columns;
    wrench *G; /* nbodies */
    mass_factor f;
    num *original;     /* nv: diagonal of M */
    num *b, *x;        /* nv each */
    triple *path;      /* depth: right-hand side, then D⁻¹ Wᵀ of it, on the ancestors of a column */
    triple *branch;    /* nv: the same on the joint and what it carries */
    base_motion *base; /* ntrees */
    num *springs;      /* nv × PASSIVE_LD: ∂h/∂q of the springs, see kernel_passive.h */
} linearize_scratch;

/* right-hand sides of column c: −∂τ/∂q_c, −∂τ/∂ν_c on its ancestors and its subtree */
static inline void column_right_hand_sides(const hml_plan *plan, const int32_t *path, const plan_tree *tree, int32_t c,
                                           const linearize_scratch *s)
{
    const plan_column *pc = &plan_columns(plan)[c];
    const column_state *columns = s->columns, *col = &columns[c];
    const body_state *b = &s->bodies[pc->body];
    int32_t depth = plan_columns(plan)[pc->first].depth;

    wrench Uq =
        wrench_add(body_2B(b, col->Pd), wrench_add(inertia_mul(b->I, col->Pdd), twist_cross_dual(col->S, b->f)));
    wrench Uv = wrench_add(body_2B(b, col->S), inertia_mul(b->I, col->PS));
    triple *r = s->path;
    int32_t d = 0;
    if (tree->base && depth >= 6) { /* columns of a free root are the identity */
        r[0].q = -Uq.f.x, r[1].q = -Uq.f.y, r[2].q = -Uq.f.z, r[3].q = -Uq.t.x, r[4].q = -Uq.t.y, r[5].q = -Uq.t.z;
        r[0].v = -Uv.f.x, r[1].v = -Uv.f.y, r[2].v = -Uv.f.z, r[3].v = -Uv.t.x, r[4].v = -Uv.t.y, r[5].v = -Uv.t.z;
        d = 6;
    }
    for (; d < depth; d++) {
        r[d].q = -wrench_dot(Uq, columns[path[d]].S);
        r[d].v = -wrench_dot(Uv, columns[path[d]].S);
    }
    for (int32_t i = pc->first; i < pc->subtree_end; i++) {
        s->branch[i].q = -(vec3_dot(columns[i].g, col->Pd.w) + wrench_dot(columns[i].F, col->Pdd));
        s->branch[i].v = -(vec3_dot(columns[i].g, col->S.w) + wrench_dot(columns[i].F, col->PS));
    }
}

/* adds row times the right-hand sides b of one column to n rows of the half solution */
static inline void half_solve_add(int32_t n, const num *row, triple b, triple *sum)
{
    for (int32_t d = 0; d < n; d++) sum[d].q += row[d] * b.q, sum[d].v += row[d] * b.v;
}

/*
 * D⁻¹ Wᵀ of the right-hand sides, in place; for M⁻¹ that of the unit vector, which is row c of W. On the ancestors:
 * their own entries, those of the ancestors below them, those of the subtree. The six columns of a free root go
 * together.
 */
static inline void column_half_solve(const hml_plan *plan, const int32_t *path, const plan_tree *tree, int32_t c,
                                     const linearize_scratch *s)
{
    const plan_column *pc = plan_columns(plan);
    const mass_factor *f = &s->f;
    int32_t first = pc[c].first, end = pc[c].subtree_end, depth = pc[first].depth, d = 0;
    const num *wc = factor_row(f, c);
    triple *r = s->path, *y = s->branch;

    if (tree->base && depth >= 6) {
        triple sum[6];
        for (int32_t k = 0; k < 6; k++) sum[k] = r[k];
        for (int32_t e = 1; e < 6; e++) half_solve_add(e, factor_row(f, tree->begin + e), r[e], sum);
        for (int32_t e = 6; e < depth; e++) half_solve_add(6, factor_row(f, path[e]), r[e], sum);
        for (int32_t i = first; i < end; i++) half_solve_add(6, factor_row(f, i), y[i], sum);
        for (int32_t k = 0; k < 6; k++) r[k] = sum[k];
        d = 6;
    }
    for (; d < depth; d++) {
        num q = r[d].q, v = r[d].v;
        for (int32_t e = d + 1; e < depth; e++) {
            num w = factor_row(f, path[e])[d];
            q += w * r[e].q, v += w * r[e].v;
        }
        for (int32_t i = first; i < end; i++) {
            num w = factor_row(f, i)[d];
            q += w * y[i].q, v += w * y[i].v;
        }
        r[d].q = q, r[d].v = v;
    }
    for (d = 0; d < depth; d++) {
        num inverse = f->diagonal[path[d]];
        r[d].q *= inverse, r[d].v *= inverse, r[d].m = inverse * wc[d];
    }
    for (int32_t k = first; k < end; k++) {
        num q = y[k].q, v = y[k].v;
        for (int32_t i = k + 1; i < pc[k].subtree_end; i++) {
            num w = factor_row(f, i)[pc[k].depth];
            q += w * y[i].q, v += w * y[i].v;
        }
        num inverse = f->diagonal[k];
        y[k].q = inverse * q, y[k].v = inverse * v;
        y[k].m = k < c ? inverse * wc[pc[k].depth] : k == c ? inverse : K(0);
    }
}

/* Σ W_i[d] y[d] over the first n ancestors */
static inline triple row_dot(const num *row, const triple *y, int32_t n, triple sum)
{
    for (int32_t d = 0; d < n; d++) {
        sum.q += row[d] * y[d].q;
        sum.v += row[d] * y[d].v;
        sum.m += row[d] * y[d].m;
    }
    return sum;
}

static inline triple triple_zero(void)
{
    triple t;
    t.q = t.v = t.m = K(0);
    return t;
}

/* rows that share only some ancestors with the column; six, a free root, is what most of them share */
static inline void off_branch_rows(const mass_factor *f, off_range range, const triple *y, triple *out)
{
    if (range.shared == 6) {
        triple base[6];
        for (int32_t d = 0; d < 6; d++) base[d] = y[d];
        for (int32_t i = range.begin; i < range.end; i++) out[i] = row_dot(factor_row(f, i), base, 6, triple_zero());
    } else {
        for (int32_t i = range.begin; i < range.end; i++) {
            out[i] = row_dot(factor_row(f, i), y, range.shared, triple_zero());
        }
    }
}

/* W times the half solution: column c of D_q, D_ν, M⁻¹, for all rows of the tree, into out[row] */
static inline void column_finish(const hml_plan *plan, const topology *t, const int32_t *path, int32_t c,
                                 const linearize_scratch *s, triple *out)
{
    const plan_column *pc = plan_columns(plan);
    const mass_factor *f = &s->f;
    int32_t first = pc[c].first, end = pc[c].subtree_end, depth = pc[first].depth, segment = pc[c].segment;
    const triple *r = s->path, *y = s->branch;

    for (int64_t o = t->first[segment]; o < t->first[segment + 1]; o++) off_branch_rows(f, t->off[o], r, out);
    for (int32_t d = 0; d < depth; d++) out[path[d]] = row_dot(factor_row(f, path[d]), r, d, r[d]);
    for (int32_t i = first; i < end; i++) {
        const num *row = factor_row(f, i);
        const int32_t *own = column_path(plan, t, i);
        triple sum = row_dot(row, r, depth, y[i]);
        for (int32_t d = depth; d < pc[i].depth; d++) {
            sum.q += row[d] * y[own[d]].q;
            sum.v += row[d] * y[own[d]].v;
            sum.m += row[d] * y[own[d]].m;
        }
        out[i] = sum;
    }
}

#endif
