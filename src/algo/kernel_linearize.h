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
 * A tree falls into blocks: the subtrees that hang on a free root, or the whole tree under any other. Of a block b
 * everything is small and dense, N = M_bb⁻¹ too. The root acts on every row through six numbers of a column:
 *
 *   M⁻¹ b = G s + N b_b      s = b_root + Tᵀ b_b      T = −N M_b,root      G = [1; T] S⁻¹
 *
 * with S the root's block of M after everything below is eliminated. Rows of other blocks have nothing but G s.
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
    panel_row *q, *v;        /* rows of the tree: right-hand sides for D_q and D_ν */
    panel_row *sq, *sv, *sm; /* 6 each: s */
    num *base_inverse;       /* S⁻¹: six rows of SIX_SPAN */
    num *G;                  /* nv rows of SIX_SPAN */
    num *N;                  /* nv rows of N_ld, by columns of the tree; as far as a panel around its block, zeros */
    int32_t N_ld;
    num *springs;           /* nv × PASSIVE_LD: ∂h/∂q of the springs, see kernel_passive.h */
    struct panel_run *runs; /* nv: scratch */
} panel;

NUM_INLINE num *panel_entry(panel_row *rows, int32_t row, int32_t j) { return (num *)&rows[row] + j; }

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

/* the first row below a free root, or of the tree */
static inline int32_t tree_below(const plan_tree *tree) { return tree->begin + tree->base; }

/* ---- the inverse ---- */

/*
 * Rows c of T and N, root to leaves: M_bb = Lᵀ D L, so that row c of N before the diagonal is −(row c of L) N on the
 * rows above, and its end is D⁻¹ minus the same product with what was just found. What is behind the diagonal comes
 * with the rows below. PANEL entries at a time: those beyond the row are written again later, or not read.
 */
static inline void inverse_row(const walk *w, const panel *p, int32_t block, int32_t end, int32_t c)
{
    const plan_tree *tree = w->tree;
    const int32_t *path = column_path(w->paths, c);
    const int32_t depth = plan_columns(w->plan)[c].depth, base = tree->base, ld = p->N_ld, n = c - block;
    const num *own = factor_own(&w->f, tree, c);
    num *N = p->N + (int64_t)(block - tree->begin) * (ld + 1), *row = N + (int64_t)n * ld;
    num diagonal = w->f.diagonal[c];
    if (base) {
        num *T = factor_row(&w->f, c);
        six sum = six_scale(K(-1), six_load(T));
        for (int32_t d = base; d < depth; d++) sum = six_axpy(-own[d], six_load(factor_row(&w->f, path[d])), sum);
        six_store(sum, T);
    }
    for (int32_t j = 0; j < n; j += PANEL) {
        panel_row sum = panel_zero();
        for (int32_t d = base; d < depth; d++)
            sum = panel_axpy_from(-own[d], N + (int64_t)(path[d] - block) * ld + j, sum);
        memcpy(row + j, &sum, sizeof sum);
    }
    for (int32_t d = base; d < depth; d++) diagonal -= own[d] * row[path[d] - block];
    for (int32_t j = 0; j < n; j++) N[(int64_t)j * ld + n] = row[j];
    row[n] = diagonal;
    if (!base) return;
    const panel_row zero = panel_zero(); /* a panel may stand astride two blocks */
    memcpy(row - PANEL, &zero, sizeof zero);
    memcpy(row + (end - block), &zero, sizeof zero);
}

/* G of a tree with a free root */
static inline void base_response(const walk *w, const panel *p)
{
    const plan_tree *tree = w->tree;
    const num *inverse = p->base_inverse;
    num *G = p->G;
    six S0 = six_load(inverse), S1 = six_load(inverse + SIX_SPAN), S2 = six_load(inverse + 2 * SIX_SPAN);
    six S3 = six_load(inverse + 3 * SIX_SPAN), S4 = six_load(inverse + 4 * SIX_SPAN);
    six S5 = six_load(inverse + 5 * SIX_SPAN);
    six_store(S0, G), six_store(S1, G + SIX_SPAN), six_store(S2, G + 2 * SIX_SPAN);
    six_store(S3, G + 3 * SIX_SPAN), six_store(S4, G + 4 * SIX_SPAN), six_store(S5, G + 5 * SIX_SPAN);
    for (int32_t i = tree_below(tree); i < tree->end; i++) {
        const num *T = factor_row(&w->f, i);
        six low = six_axpy(T[2], S2, six_axpy(T[1], S1, six_scale(T[0], S0)));
        six high = six_axpy(T[5], S5, six_axpy(T[4], S4, six_scale(T[3], S3)));
        six_store(six_axpy(K(1), low, high), G + (i - tree->begin) * SIX_SPAN);
    }
}

/* ---- right-hand sides ---- */

/* rows that a column of the panel does not touch are zero there */
static inline void panel_clear(const walk *w, const panel *p, int32_t begin, int32_t carried)
{
    const int32_t *path = column_path(w->paths, begin);
    const int32_t depth = plan_columns(w->plan)[begin].depth, first = w->tree->begin, below = tree_below(w->tree);
    for (int32_t d = w->tree->base; d < depth; d++) {
        int32_t k = path[d] - first;
        p->q[k] = panel_zero(), p->v[k] = panel_zero();
    }
    for (int32_t k = (begin < below ? below : begin) - first; k < carried - first; k++) {
        p->q[k] = panel_zero(), p->v[k] = panel_zero();
    }
}

/* s of D_q and D_ν */
typedef struct six_pair {
    six q, v;
} six_pair;

/* an entry of b_l joins Tᵀ b_l */
NUM_INLINE six_pair six_pair_axpy(const walk *w, int32_t row, num bq, num bv, six_pair s)
{
    six T = six_load(factor_row(&w->f, row));
    s.q = six_axpy(bq, T, s.q);
    s.v = six_axpy(bv, T, s.v);
    return s;
}

/* −∂τ/∂q_c and −∂τ/∂ν_c into column j of the panel; not for the columns of a free root */
static inline void column_right_hand_sides(const walk *w, const panel *p, const int32_t *path, int32_t c, int32_t j)
{
    const plan_column *pc = &plan_columns(w->plan)[c];
    const branch_column *columns = w->columns, *col = &columns[c];
    const int32_t depth = plan_columns(w->plan)[pc->first].depth, begin = w->tree->begin, base = w->tree->base;
    six_pair s;
    if (base) {
        s.q = six_scale(K(-1), six_of(&col->Uq.f.x)), s.v = six_scale(K(-1), six_of(&col->Uv.f.x));
    } else {
        s.q = s.v = six_zero();
    }
    if (depth > base) {
        wrench Uq = col->Uq, Uv = col->Uv;
        for (int32_t d = base; d < depth; d++) {
            twist S = columns[path[d]].S;
            num bq = -wrench_dot(Uq, S), bv = -wrench_dot(Uv, S);
            *panel_entry(p->q, path[d] - begin, j) = bq;
            *panel_entry(p->v, path[d] - begin, j) = bv;
            if (base) s = six_pair_axpy(w, path[d], bq, bv, s);
        }
    }
    vec3 Pd = col->Pd.w, S = col->S.w;
    twist Pdd = col->Pdd, PS = column_PS(col, plan_bodies(w->plan)[pc->body].nv > 1);
    for (int32_t i = pc->first; i < pc->subtree_end; i++) {
        const branch_column *row = &columns[i];
        num bq = -(vec3_dot(row->g, Pd) + wrench_dot(row->F, Pdd));
        num bv = -(vec3_dot(row->g, S) + wrench_dot(row->F, PS));
        *panel_entry(p->q, i - begin, j) = bq;
        *panel_entry(p->v, i - begin, j) = bv;
        if (base) s = six_pair_axpy(w, i, bq, bv, s);
    }
    if (!base) return;
    six_scatter(s.q, panel_entry(p->sq, 0, j), PANEL);
    six_scatter(s.v, panel_entry(p->sv, 0, j), PANEL);
    six_scatter(six_load(factor_row(&w->f, c)), panel_entry(p->sm, 0, j), PANEL); /* of the unit vector, for M⁻¹ */
}

/* adds an entry to the right-hand side of row i of the tree */
static inline void panel_add_entry(const walk *w, panel_row *rows, panel_row *s, int32_t i, int32_t j, num x)
{
    if (i < w->tree->base) {
        *panel_entry(s, i, j) += x;
        return;
    }
    *panel_entry(rows, i, j) += x;
    const num *T = factor_row(&w->f, w->tree->begin + i);
    for (int32_t d = 0; d < w->tree->base; d++) *panel_entry(s, d, j) += x * T[d];
}

/* derivatives of damping and springs join them */
static inline void passive_right_hand_sides(const walk *w, const panel *p, int32_t c, int32_t j)
{
    const plan_column *pc = &plan_columns(w->plan)[c];
    int32_t m = plan_bodies(w->plan)[pc->body].nv, first = pc->first - w->tree->begin;
    for (int32_t k = 0; k < m; k++) {
        panel_add_entry(w, p->q, p->sq, first + k, j, -p->springs[(pc->first + k) * PASSIVE_LD + c - pc->first]);
    }
    panel_add_entry(w, p->v, p->sv, c - w->tree->begin, j, K(-plan_coordinates(w->plan)[c].damping));
}

/* ---- the matrices ---- */

/* rows of a block in which a panel has right-hand sides, counted from the tree's first: begin … end − 1 */
typedef struct panel_run {
    int32_t begin, end;
} panel_run;

/* those of a panel's columns from `begin` on, whose subtrees end at `carried`, in the block from `block` to end − 1 */
static inline int32_t panel_runs(const walk *w, int32_t begin, int32_t carried, int32_t block, int32_t end,
                                 panel_run *runs)
{
    const int32_t *path = column_path(w->paths, begin);
    const int32_t above = plan_columns(w->plan)[begin].depth - w->tree->base; /* of its path, below a free root */
    int32_t n = 0;
    for (int32_t d = 0; d <= (above > 0 ? above : 0); d++) { /* the path, then the columns themselves */
        const int32_t from = d < above ? path[w->tree->base + d] : begin, to = d < above ? from + 1 : carried;
        if (from >= end || to <= block) continue;
        const int32_t first = (from > block ? from : block) - w->tree->begin,
                      last = (to < end ? to : end) - w->tree->begin;
        if (n && runs[n - 1].end == first)
            runs[n - 1].end = last;
        else
            runs[n].begin = first, runs[n++].end = last;
    }
    return n;
}

/* ---- rows of the three matrices ---- */

/* one of the three, as it leaves a panel */
typedef struct panel_result {
    kernel_output out;
    const panel_row *s;
    const panel_row *b; /* what N multiplies; NULL: the identity */
} panel_result;

/* a row and, if two, the one behind it: G s + N b; G and N at that row, `column` the panel's first in N */
NUM_INLINE void panel_rows(const panel *p, const panel_result *r, const int base, const num *G, const num *N,
                           int32_t column, int32_t nruns, const int two, panel_row *x, panel_row *y)
{
    const num *next = N + p->N_ld;
    if (base) {
        const num *a = G, *b = G + SIX_SPAN;
        const panel_row *s = r->s;
        panel_row t = panel_load(&s[0]);
        *x = panel_scale(a[0], &t);
        if (two) *y = panel_scale(b[0], &t);
#define STEP(d)                                                                                                        \
    t = panel_load(&s[d]);                                                                                             \
    *x = panel_axpy(a[d], &t, *x);                                                                                     \
    if (two) *y = panel_axpy(b[d], &t, *y);
        STEP(1) STEP(2) STEP(3) STEP(4) STEP(5)
#undef STEP
    } else {
        *x = panel_zero();
        if (two) *y = panel_zero();
    }
    if (!r->b && nruns) {
        *x = panel_add_from(N + column, *x);
        if (two) *y = panel_add_from(next + column, *y);
        return;
    }
    for (const panel_run *run = p->runs; run < p->runs + nruns; run++) {
        for (int32_t j = run->begin; j < run->end; j++) {
            const panel_row b = panel_load(&r->b[j]);
            *x = panel_axpy(N[j], &b, *x);
            if (two) *y = panel_axpy(next[j], &b, *y);
        }
    }
}

/* rows begin … end − 1 of one matrix, n columns from `column` on, all counted from the tree's first */
static inline void panel_finish(const walk *w, const panel *p, const panel_result *r, int count, int32_t begin,
                                int32_t end, int32_t nruns, int32_t column, int32_t n)
{
    const int base = w->tree->base != 0;
    const size_t first = (size_t)w->tree->begin, ld = r->out.ld, stride = r->out.stride;
    lane *to = r->out.data + (first + (size_t)begin) * ld + first + (size_t)column;
    const num *G = p->G + begin * SIX_SPAN, *N = p->N + (int64_t)begin * p->N_ld;
    panel_row x, y;
    for (int32_t rows = end - begin; rows > 1; rows -= 2) {
        panel_rows(p, r, base, G, N, column, nruns, 1, &x, &y);
        kernel_store_panel(to, stride, count, n, x);
        kernel_store_panel(to + ld, stride, count, n, y);
        to += 2 * ld, G += 2 * SIX_SPAN, N += 2 * p->N_ld;
    }
    if ((end - begin) % 2 == 0) return;
    panel_rows(p, r, base, G, N, column, nruns, 0, &x, &y);
    kernel_store_panel(to, stride, count, n, x);
}

/* all rows of one matrix; first, carried: where the blocks and the rows begin and end that the panel's columns touch */
static inline void panel_matrix(const walk *w, const panel *p, const panel_result *r, int count, int32_t column,
                                int32_t n, int32_t first, int32_t carried)
{
    const plan_tree *tree = w->tree;
    const int32_t at = tree->begin, c = column - at;
    int32_t begin = first, end;
    if (!r->out.data) return;
    panel_finish(w, p, r, count, 0, first - at, 0, c, n);
    for (; begin < carried; begin = end) {
        end = plan_block_end(w->plan, tree, begin);
        panel_finish(w, p, r, count, begin - at, end - at, panel_runs(w, column, carried, begin, end, p->runs), c, n);
    }
    panel_finish(w, p, r, count, begin - at, tree->end - at, 0, c, n);
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

/* the first six columns of M⁻¹ are G */
static inline void base_inverse_columns(const walk *w, const panel *p, kernel_output out, int count)
{
    const plan_tree *tree = w->tree;
    for (int32_t i = tree->begin; out.data && i < tree->end; i++) {
        num row[8];
        for (int32_t d = 0; d < 6; d++) row[d] = p->G[(i - tree->begin) * SIX_SPAN + d];
        kernel_store_run(out, count, i, tree->begin, 6, row);
    }
}

/* adds x to entries (row … row + 2, column) of every state's matrix */
static inline void kernel_add3(kernel_output out, int count, int32_t row, int32_t column, vec3 x)
{
    for (int l = 0; out.data && l < count; l++) {
        lane *to = out.data + (size_t)l * out.stride + (size_t)row * out.ld + (size_t)column;
        to[0] += num_get(x.x, l);
        to[out.ld] += num_get(x.y, l);
        to[2 * out.ld] += num_get(x.z, l);
    }
}

/* right-hand sides of columns k … k + n − 1 of a free root: of its motion only the angular velocity has any */
static inline void base_right_hand_sides(const walk *w, const panel *p, int32_t k, int32_t n)
{
    const plan_tree *tree = w->tree;
    const branch_column *turn = &w->columns[tree->begin + 3];
    for (int32_t d = 0; d < 6; d++) p->sq[d] = p->sv[d] = panel_zero();
    for (int32_t j = k < 3 ? 3 - k : 0; j < n; j++) {
        const vec3 S = turn[k + j - 3].S.w, PS = turn[k + j - 3].Sd.w;
        num x[SIX_SPAN];
        for (int32_t d = 0; d < SIX_SPAN; d++) x[d] = K(0);
        for (int32_t d = 0; d < 6; d++) {
            const branch_column *row = &w->columns[tree->begin + d];
            x[d] = -(vec3_dot(row->g, S) + vec3_dot(row->F.t, PS));
        }
        six s = six_of(x);
        for (int32_t i = tree_below(tree); i < tree->end; i++) {
            const branch_column *row = &w->columns[i];
            num b = -(vec3_dot(row->g, S) + vec3_dot(row->F.t, PS));
            *panel_entry(p->v, i - tree->begin, j) = b;
            s = six_axpy(b, six_load(factor_row(&w->f, i)), s);
        }
        six_scatter(s, panel_entry(p->sv, 0, j), PANEL);
    }
}

#endif
