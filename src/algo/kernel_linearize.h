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

static inline triple triple_zero(void)
{
    triple t;
    t.q = t.v = t.m = K(0);
    return t;
}

/* sum + w y */
static inline triple triple_axpy(num w, triple y, triple sum)
{
    sum.q += w * y.q;
    sum.v += w * y.v;
    sum.m += w * y.m;
    return sum;
}

/* sum + Σ row[d] y[d] */
static inline triple row_dot(const num *row, const triple *y, int32_t begin, int32_t end, triple sum)
{
    for (int32_t d = begin; d < end; d++) sum = triple_axpy(row[d], y[d], sum);
    return sum;
}

/* adds row times the right-hand sides b of one column to the half solution of a free root's six */
static inline void base_half_solve(const num *row, triple b, triple sum[6])
{
    for (int32_t d = 0; d < 6; d++) sum[d].q += row[d] * b.q, sum[d].v += row[d] * b.v;
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
    int32_t first = pc[c].first, end = pc[c].subtree_end, depth = pc[first].depth, base = depth >= 6 ? tree->base : 0;
    const num *wc = factor_row(f, c);
    triple *r = s->path, *y = s->branch;

    if (base) {
        triple sum[6];
        for (int32_t d = 0; d < 6; d++) sum[d] = r[d];
        for (int32_t e = 1; e < 6; e++) {
            const num *row = factor_row(f, tree->begin + e);
            for (int32_t d = 0; d < e; d++) sum[d].q += row[d] * r[e].q, sum[d].v += row[d] * r[e].v;
        }
        for (int32_t e = 6; e < depth; e++) base_half_solve(factor_row(f, path[e]), r[e], sum);
        for (int32_t i = first; i < end; i++) base_half_solve(factor_row(f, i), y[i], sum);
        for (int32_t d = 0; d < 6; d++) {
            num inverse = f->diagonal[tree->begin + d];
            r[d].q = inverse * sum[d].q, r[d].v = inverse * sum[d].v, r[d].m = inverse * wc[d];
        }
    }
    for (int32_t d = base; d < depth; d++) {
        num q = r[d].q, v = r[d].v;
        for (int32_t e = d + 1; e < depth; e++) {
            num w = factor_row(f, path[e])[d];
            q += w * r[e].q, v += w * r[e].v;
        }
        for (int32_t i = first; i < end; i++) {
            num w = factor_row(f, i)[d];
            q += w * y[i].q, v += w * y[i].v;
        }
        num inverse = f->diagonal[path[d]];
        r[d].q = inverse * q, r[d].v = inverse * v, r[d].m = inverse * wc[d];
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

/* what the six columns of a free root give to all rows: themselves, and everything below */
static inline void base_finish(const plan_tree *tree, const mass_factor *f, const triple *r, triple *out)
{
    triple y[6];
    for (int32_t d = 0; d < 6; d++) y[d] = r[d];
    for (int32_t d = 0; d < 6; d++) out[tree->begin + d] = row_dot(factor_row(f, tree->begin + d), y, 0, d, y[d]);
    for (int32_t i = tree->begin + 6; i < tree->end; i++) out[i] = row_dot(factor_row(f, i), y, 0, 6, triple_zero());
}

/* W times the half solution: column c of D_q, D_ν, M⁻¹, for all rows of the tree, into out[row] */
static inline void column_finish(const hml_plan *plan, const topology *t, const int32_t *path, const plan_tree *tree,
                                 int32_t c, const linearize_scratch *s, triple *out)
{
    const plan_column *pc = plan_columns(plan);
    const mass_factor *f = &s->f;
    int32_t first = pc[c].first, end = pc[c].subtree_end, depth = pc[first].depth, segment = pc[c].segment;
    int32_t base = depth >= 6 ? tree->base : 0;
    const triple *r = s->path, *y = s->branch;

    if (base) {
        base_finish(tree, f, r, out);
    } else {
        for (int32_t i = tree->begin; i < tree->end; i++) out[i] = triple_zero();
    }
    for (int64_t o = t->first[segment]; o < t->first[segment + 1]; o++) { /* rows that share some ancestors */
        if (t->off[o].shared == base) continue;
        for (int32_t i = t->off[o].begin; i < t->off[o].end; i++) {
            out[i] = row_dot(factor_row(f, i), r, base, t->off[o].shared, out[i]);
        }
    }
    for (int32_t d = base; d < depth; d++) { /* the ancestors */
        triple *x = &out[path[d]];
        *x = row_dot(factor_row(f, path[d]), r, base, d, triple_axpy(K(1), r[d], *x));
    }
    for (int32_t i = first; i < end; i++) { /* the joint and what it carries */
        const num *row = factor_row(f, i);
        const int32_t *own = column_path(plan, t, i);
        triple x = row_dot(row, r, base, depth, triple_axpy(K(1), y[i], out[i]));
        for (int32_t d = depth; d < pc[i].depth; d++) x = triple_axpy(row[d], y[own[d]], x);
        out[i] = x;
    }
}

/*
 * The six columns of a free root at once, for a model without passive forces: D_q and D_ν come from Galilei, but for
 * the angular velocity, whose three right-hand sides are solved together; M⁻¹ is W times the first rows of D⁻¹ Wᵀ.
 * out[j·nv + row], j = 0 … 5.
 */
static inline void base_columns(const hml_plan *plan, const topology *t, const plan_tree *tree,
                                const linearize_scratch *s, triple *const out[6])
{
    const plan_column *pc = plan_columns(plan);
    const mass_factor *f = &s->f;
    const column_state *columns = s->columns, *turn = &columns[tree->begin + 3];
    triple *y = s->branch; /* q, v, m: the right-hand sides of the three angular velocities */
    num Y[6][6];           /* D⁻¹ Wᵀ of the unit vectors */
    for (int32_t i = tree->begin; i < tree->end; i++) {
        y[i].q = -(columns[i].g.x + vec3_dot(columns[i].F.t, turn[0].PS.w));
        y[i].v = -(columns[i].g.y + vec3_dot(columns[i].F.t, turn[1].PS.w));
        y[i].m = -(columns[i].g.z + vec3_dot(columns[i].F.t, turn[2].PS.w));
    }
    for (int32_t c = tree->begin; c < tree->end; c++) { /* Wᵀ */
        const int32_t *path = column_path(plan, t, c);
        const num *row = factor_row(f, c);
        triple b = y[c];
        int32_t d = 0;
        if (pc[c].depth >= 6) {
            for (; d < 6; d++) y[tree->begin + d] = triple_axpy(row[d], b, y[tree->begin + d]);
        }
        for (; d < pc[c].depth; d++) y[path[d]] = triple_axpy(row[d], b, y[path[d]]);
    }
    for (int32_t c = tree->begin; c < tree->end; c++) {
        y[c].q *= f->diagonal[c], y[c].v *= f->diagonal[c], y[c].m *= f->diagonal[c];
    }
    for (int32_t j = 0; j < 6; j++) {
        num inverse = f->diagonal[tree->begin + j];
        for (int32_t b = 0; b < j; b++) Y[j][b] = K(0);
        Y[j][j] = inverse;
        for (int32_t b = j + 1; b < 6; b++) Y[j][b] = inverse * factor_row(f, tree->begin + b)[j];
    }
    for (int32_t i = tree->begin; i < tree->end; i++) {
        const int32_t *path = column_path(plan, t, i);
        const num *row = factor_row(f, i);
        int32_t own = i - tree->begin, n = own < 6 ? own : 6;
        triple x = y[i];
        for (int32_t d = 0; d < n; d++) x = triple_axpy(row[d], y[tree->begin + d], x);
        for (int32_t d = n; d < pc[i].depth; d++) x = triple_axpy(row[d], y[path[d]], x);
        for (int32_t b = 0; b < 6; b++) {
            num m = own < 6 ? Y[own][b] : K(0);
            for (int32_t d = 0; d < n; d++) m += row[d] * Y[d][b];
            out[b][i].q = K(0);
            out[b][i].v = K(0);
            out[b][i].m = m;
        }
        out[3][i].v = x.q, out[4][i].v = x.v, out[5][i].v = x.m;
    }
}

#endif
