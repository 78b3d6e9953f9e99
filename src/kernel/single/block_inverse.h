/*
 * M and its inverse for one state, one column per lane: M⁻¹ b = G s + N b of pack/columns.h, and ν̇.
 *
 * M of a block and its inverse N are rows of packs. Which entries belong to ancestors and which to descendants is a set
 * of lanes, known from the paths. N is computed by Gauss-Jordan elimination in place, leaves first, which has the same
 * pivots as LᵀDL and keeps the same zeros. The six columns of a free root and b are right-hand sides of the
 * elimination: R = N F, with N b in ROW8_SPARE. Then S = M_root − Fᵀ N F is inverted, with s of ν̇ as a right-hand side;
 * and G = −R S⁻¹ has ν̇ − N b in ROW8_SPARE.
 */
#ifndef HML_KERNEL_SINGLE_BLOCK_INVERSE_H
#define HML_KERNEL_SINGLE_BLOCK_INVERSE_H

#include "kernel/single/passes.h"

/* a row of the three results, D_q, D_ν and M⁻¹, in a panel of columns */
typedef struct result_row {
    num q, v, m;
} result_row;

/* six numbers of each: s; in single/long_chains.h p and a */
typedef struct base_rhs {
    num q[6], v[6], m[6];
} base_rhs;

/* what single/long_chains.h uses instead of N and R */
typedef struct single_sweep {
    double *IA;       /* by slots, six rows each: articulated inertias */
    double *W;        /* n rows, with 1/D in ROW8_SPARE */
    double *p;        /* by slots, rows: what is left of the forces on a body, of ν̇ alone */
    result_row *u;    /* n: right-hand sides, then what is left of them on the way in */
    base_rhs *ends;   /* nsegments: p at a segment's end, then a there */
    base_rhs *root;   /* the same of the root */
    int32_t *touched; /* nsegments: the last panel that passed through it inwards */
    double *stage;    /* three results, nv rows of SWEEP_STAGE each; NULL: results are written directly */
} single_sweep;

typedef struct single_solver {
    single_tree t;
    single_sweep sweep;
    double *N; /* n rows of ld */
    size_t ld;
    double *diagonal; /* n: of M */
    double *R;        /* n rows: N F, with N b in ROW8_SPARE */
    double *response; /* rows of G: six of the free root, which are S⁻¹, then n; ROW8_SPARE: what the root adds to ν̇ */
    double pivot_score; /* Σ (diagonal / pivot)²: not finite, or large, where a pivot vanished */
} single_solver;

/* rows of one of the results, `ld` apart */
typedef struct output_rows {
    double *to;
    size_t ld;
} output_rows;

/* the sets of a row */
NUM_INLINE const uint8_t *columns_above(const single_tree *t, int32_t i)
{
    return t->call->paths->above + (size_t)(t->below + i) * t->call->paths->bytes;
}

NUM_INLINE const uint8_t *columns_below(const single_tree *t, int32_t i)
{
    return t->call->paths->below + (size_t)(t->below + i) * t->call->paths->bytes;
}

/* ---- M and its inverse ---- */

static inline void block_mass(const single_solver *m, int32_t begin, int32_t end)
{
    const single_tree *t = &m->t;
    const size_t ld = m->ld, bytes = t->call->paths->bytes;
    for (int32_t k = begin / LANES * LANES; k < end; k += LANES) {
        const column_pack *c = &t->pack[k / LANES];
        const twist cS = c->S;
        const wrench cF = c->F;
        const double *F = t->F + begin * ROW8, *S = t->S + begin * ROW8;
        const uint8_t *above = columns_above(t, begin), *below = columns_below(t, begin);
        double *to = m->N + (size_t)begin * ld + k;
        for (int32_t i = begin; i < end; i++, F += ROW8, S += ROW8, to += ld, above += bytes, below += bytes) {
            num x = K(0);
            if (lanes_any(below, k)) x = lanes_where(lanes_of(below, k), row8_dot_wrench(S, &cF));
            if (lanes_any(above, k)) x = lanes_select(lanes_of(above, k), row8_dot_twist(F, &cS), x);
            pack_put(to, x);
        }
    }
    double *diagonal = m->N + (size_t)begin * (ld + 1);
    for (int32_t i = begin; i < end; i++, diagonal += ld + 1) {
        if (t->call->plan->passive) *diagonal += t->call->coordinates[t->below + i].armature;
        m->diagonal[i] = *diagonal;
    }
}

/* 1/pivot; if it vanished against the diagonal, the score becomes large or not finite */
NUM_INLINE double pivot_reciprocal(double pivot, double diagonal, double *pivot_score)
{
    const double inverse = 1 / pivot, ratio = diagonal * inverse;
    *pivot_score += ratio * ratio;
    return inverse;
}

/*
 * Gauss-Jordan elimination in a block whose columns are in `packs` packs from `first` on: pivots from the last to the
 * first. Row p has entries for its ancestors and descendants, and only those rows have one in column p. R is updated
 * too.
 */
NUM_INLINE void block_invert_packs(const single_solver *m, int32_t begin, int32_t end, int32_t first, const int packs,
                                   double *pivot_score)
{
    const single_tree *t = &m->t;
    const size_t ld = m->ld, bytes = t->call->paths->bytes;
    const uint8_t *above = columns_above(t, end - 1) + first / 8, *below = columns_below(t, end - 1) + first / 8;
    double *N = m->N + (size_t)first * (ld + 1), *R = m->R + first * ROW8, sum = *pivot_score;
    const double *diagonal = m->diagonal + first;
    for (int32_t p = end - 1 - first; p >= begin - first; p--, above -= bytes, below -= bytes) {
        uint64_t a, b, own = (uint64_t)1 << p;
        memcpy(&a, above, sizeof a), memcpy(&b, below, sizeof b);
        uint64_t set = ((a | b) >> first % 8) & ~own;
        double *row = N + (size_t)p * ld;
        const double inverse = pivot_reciprocal(row[p], diagonal[p], &sum);
        const row8 r = row8_scale(inverse, row8_at(R + p * ROW8));
        num x[6];
        lane_set but[6];
        for (int k = 0; k < packs; k++) {
            const unsigned lanes = (unsigned)(own >> (k * LANES)) & ((1u << LANES) - 1);
            but[k] = lanes_in(~lanes);
            x[k] = lanes_select(but[k], inverse * pack_at(row + k * LANES), K(inverse));
            pack_put(row + k * LANES, x[k]);
        }
        row8_put(R + p * ROW8, r);
        set &= ((uint64_t)1 << (end - first - 1) << 1) - 1; /* not the next block's columns, nor bytes behind the set */
        for (; set; set &= set - 1) {
            const size_t i = (size_t)__builtin_ctzll(set);
            double *other = N + i * ld, *other_R = R + i * ROW8;
            const double f = other[p];
            for (int k = 0; k < packs; k++) {
                pack_put(other + k * LANES, lanes_where(but[k], pack_at(other + k * LANES)) - f * x[k]);
            }
            row8_put(other_R, row8_less(f, r, row8_at(other_R)));
        }
    }
    *pivot_score = sum;
}

/* the same for blocks of any size */
static inline void block_invert_wide(const single_solver *m, int32_t begin, int32_t end, int32_t first,
                                     double *pivot_score)
{
    const single_tree *t = &m->t;
    const int32_t base = t->tree->base, below = t->below;
    const plan_column *pc = plan_columns(t->call->plan) + below;
    const size_t ld = m->ld;
    for (int32_t p = end - 1; p >= begin; p--) {
        const int32_t last = pc[p].subtree_end - below, above = pc[p].depth - base, own = p / LANES * LANES;
        const int32_t *path = column_path(t->call->paths, below + p) + base;
        const lane_set only = lanes_in(1u << (p - own)), but = lanes_in(~(1u << (p - own)));
        double *row = m->N + (size_t)p * ld, *R = m->R + p * ROW8;
        const double inverse = pivot_reciprocal(row[p], m->diagonal[p], pivot_score);
        const row8 r = row8_scale(inverse, row8_at(R));
        for (int32_t k = first; k < last; k += LANES) pack_put(row + k, inverse * pack_at(row + k));
        pack_put(row + own, lanes_select(only, K(inverse), pack_at(row + own)));
        row8_put(R, r);
        for (int32_t k = 0; k < above + last - p - 1; k++) {
            const int32_t i = k < above ? path[k] - below : p + 1 + k - above;
            double *other = m->N + (size_t)i * ld, *other_R = m->R + i * ROW8;
            const double f = other[p];
            const num x = lanes_where(but, pack_at(other + own)) - f * pack_at(row + own);
            for (int32_t j = first; j < last; j += LANES) {
                pack_put(other + j, pack_at(other + j) - f * pack_at(row + j));
            }
            pack_put(other + own, x);
            row8_put(other_R, row8_less(f, r, row8_at(other_R)));
        }
    }
}

/* N of the block from `begin` to end − 1, R of its rows */
static inline void block_invert(single_solver *m, int32_t begin, int32_t end)
{
    const int32_t first = begin / LANES * LANES;
    const double *F = m->t.F + begin * ROW8;
    double *R = m->R + begin * ROW8;
    for (int32_t p = begin; p < end; p++, R += ROW8, F += ROW8) row8_put(R, row8_at(F));
    switch ((end - first + LANES - 1) / LANES) {
    case 1: block_invert_packs(m, begin, end, first, 1, &m->pivot_score); break;
    case 2: block_invert_packs(m, begin, end, first, 2, &m->pivot_score); break;
    case 3: block_invert_packs(m, begin, end, first, 3, &m->pivot_score); break;
    case 4: block_invert_packs(m, begin, end, first, 4, &m->pivot_score); break;
    case 5: block_invert_packs(m, begin, end, first, 5, &m->pivot_score); break;
    case 6: block_invert_packs(m, begin, end, first, 6, &m->pivot_score); break;
    default: block_invert_wide(m, begin, end, first, &m->pivot_score); break;
    }
}

/* ---- a free root ---- */

/* S⁻¹ and S⁻¹ s into the first six rows of the response, and ν̇ of the root; S has s in ROW8_SPARE */
static inline void root_invert(single_solver *m, const row8 S[6])
{
    const single_tree *t = &m->t;
    const double *I = t->sum + COMPOSITE_STRIDE, mass = I[0];
    row8 r0 = S[0], r1 = S[1], r2 = S[2], r3 = S[3], r4 = S[4], r5 = S[5];
    double inverse;
    num w;
#define SCALE(r, at, diagonal)                                                                                         \
    inverse = pivot_reciprocal(ROW8_SPREAD(r, at)[0], diagonal, &m->pivot_score);                                      \
    r = row8_scale(inverse, row8_but(r, at, K(1)));
#define CLEAR(e, r, at)                                                                                                \
    w = ROW8_SPREAD(e, at);                                                                                            \
    e = row8_minus(w, r, row8_but(e, at, K(0)));
#define PIVOT(r, at, diagonal, a, b, c, d, e)                                                                          \
    SCALE(r, at, diagonal) CLEAR(a, r, at) CLEAR(b, r, at) CLEAR(c, r, at) CLEAR(d, r, at) CLEAR(e, r, at)
    PIVOT(r5, 6, I[9], r0, r1, r2, r3, r4)
    PIVOT(r4, 5, I[7], r0, r1, r2, r3, r5)
    PIVOT(r3, 4, I[4], r0, r1, r2, r4, r5)
    PIVOT(r2, 2, mass, r0, r1, r3, r4, r5)
    PIVOT(r1, 1, mass, r0, r2, r3, r4, r5)
    PIVOT(r0, 0, mass, r1, r2, r3, r4, r5)
#undef PIVOT
#undef CLEAR
#undef SCALE
    double *B = m->response, *x = t->x + t->tree->begin;
    row8_put(B, r0), row8_put(B + ROW8, r1), row8_put(B + 2 * ROW8, r2);
    row8_put(B + 3 * ROW8, r3), row8_put(B + 4 * ROW8, r4), row8_put(B + 5 * ROW8, r5);
    const double *b = B + ROW8_SPARE;
    const quad linear = {b[0], b[ROW8], b[2 * ROW8], 0}, angular = {b[3 * ROW8], b[4 * ROW8], b[5 * ROW8], 0};
    quads_put(t->da + ROW8, linear, angular);
    for (int d = 0; d < 3; d++) x[d] = linear[d], x[d + 3] = angular[d];
}

/* the six rows of an inertia, from its ten numbers, with b in ROW8_SPARE */
NUM_INLINE void inertia_rows8(const double *I, const double b[6], row8 to[6])
{
    const double m = I[0], hx = I[1], hy = I[2], hz = I[3];
    const double rows[6][ROW8] = {{m, 0, 0, b[0], 0, hz, -hy, 0},          {0, m, 0, b[1], -hz, 0, hx, 0},
                                  {0, 0, m, b[2], hy, -hx, 0, 0},          {0, -hz, hy, b[3], I[4], I[5], I[6], 0},
                                  {hz, 0, -hx, b[4], I[5], I[7], I[8], 0}, {-hy, hx, 0, b[5], I[6], I[8], I[9], 0}};
    for (int d = 0; d < 6; d++) to[d] = row8_at(rows[d]);
}

/* S = M_root − Fᵀ N F */
static inline void root_schur(single_solver *m)
{
    const single_tree *t = &m->t;
    const double *I = t->sum + COMPOSITE_STRIDE, *f = I + COMPOSITE_FORCE, *tau = t->tau + t->tree->begin;
    const double b[6] = {tau[0] - f[0], tau[1] - f[1], tau[2] - f[2], tau[3] - f[3], tau[4] - f[4], tau[5] - f[5]};
    row8 r[6];
    inertia_rows8(I, b, r);
    const double *F = t->F, *R = m->R, *end = F + t->n * ROW8;
    for (; F < end; F += ROW8, R += ROW8) {
        const row8 x = row8_at(R);
        for (int d = 0; d < 6; d++) r[d] = row8_less(F[row8_index(d)], x, r[d]);
    }
    root_invert(m, r);
}

/* G and ν̇ */
static inline void solve_accelerations(const single_solver *m)
{
    const single_tree *t = &m->t;
    double *x = t->x + t->below, *B = m->response, *G = B + 6 * ROW8;
    const double *R = m->R;
    if (!t->tree->base) {
        for (int32_t i = 0; i < t->n; i++, R += ROW8) x[i] = R[ROW8_SPARE];
        return;
    }
    const row8 b0 = row8_at(B), b1 = row8_at(B + ROW8), b2 = row8_at(B + 2 * ROW8), b3 = row8_at(B + 3 * ROW8);
    const row8 b4 = row8_at(B + 4 * ROW8), b5 = row8_at(B + 5 * ROW8);
    for (int32_t i = 0; i < t->n; i++, R += ROW8, G += ROW8) {
        row8 low = row8_less(R[2], b2, row8_less(R[1], b1, row8_less(R[0], b0, row8_zero())));
        row8 high = row8_less(R[6], b5, row8_less(R[5], b4, row8_less(R[4], b3, row8_zero())));
        row8 sum = row8_add(low, high);
        row8_put(G, sum);
        x[i] = R[ROW8_SPARE] + G[ROW8_SPARE];
    }
    for (int32_t i = t->n; i < t->packs * LANES; i++, G += ROW8)
        row8_put(m->R + i * ROW8, row8_zero()), row8_put(G, row8_zero());
}

/* N, G, ν̇ */
static inline void solve_blocks(single_solver *m)
{
    const single_tree *t = &m->t;
    for (int32_t begin = 0, end; begin < t->n; begin = end) {
        end = plan_block_end(t->call->plan, t->tree, t->below + begin) - t->below;
        block_mass(m, begin, end);
        block_invert(m, begin, end);
    }
    if (t->tree->base) root_schur(m);
    solve_accelerations(m);
}

/* did a pivot vanish? 2^-46 of the diagonal and less, as in pack/ltdl.h */
static inline int pivot_vanished(const single_solver *m) { return !(m->pivot_score < 0x1p92); }

/* ---- rows of M⁻¹ ---- */

NUM_INLINE void store_lanes(double *to, int n, const int full_width, num x)
{
    if (full_width)
        pack_put(to, x);
    else
        num_store_part(to, n, x);
}

/* the first six columns of M⁻¹, from their first row on, are G */
static inline void inverse_base_columns(const single_solver *m, output_rows out, int32_t rows)
{
    const double *G = m->response, *end = G + rows * ROW8;
    for (; G < end; G += ROW8, out.to += out.ld) {
        *(quad_anywhere *)out.to = quad_from(G);
        out.to[3] = G[4], out.to[4] = G[5], out.to[5] = G[6];
    }
}

/* LANES columns from `at` on: G s + N, s a column of −Rᵀ each */
static inline void inverse_panel_columns(const single_solver *m, output_rows out, int32_t at)
{
    const single_tree *t = &m->t;
    const int32_t base = t->tree->base, stop = at + LANES < t->n ? at + LANES : t->n;
    const int n = stop - at, full_width = n == LANES;
    const double *G = m->response;
    num s[ROW8] = {K(0), K(0), K(0), K(0), K(0), K(0), K(0), K(0)};
    if (base) {
        num R[ROW8];
        rows8_in(m->R + at * ROW8, ROW8, R);
        for (int d = 0; d < 6; d++) s[d] = -R[row8_index(d)];
        for (int d = 0; d < 6; d++, G += ROW8, out.to += out.ld) store_lanes(out.to, n, full_width, row8_dot(G, s));
    }
    for (int32_t begin = 0, end; begin < t->n; begin = end) {
        end = plan_block_end(t->call->plan, t->tree, t->below + begin) - t->below;
        const double *N = m->N + (size_t)begin * m->ld + at;
        const int inside = begin < stop && end > at;
        for (int32_t i = begin; i < end; i++, G += ROW8, N += m->ld, out.to += out.ld) {
            num x = base ? row8_dot(G, s) : K(0);
            if (inside) x += pack_at(N);
            store_lanes(out.to, n, full_width, x);
        }
    }
}

#endif
