/*
 * The last step of the linearization: G s + N b of every state, into its matrices.
 *
 * Up to here a lane of a pack is a state. Transposing finished results costs as much as computing them. So their
 * factors (G, s, N b) are transposed instead, which are smaller: the staging buffer of packs becomes one staging buffer
 * of doubles per state, with the same numbers at the same places. From there on the lanes of a register are
 * neighbouring columns (simd/columns.h). In a scalar object the two buffers are the same.
 *
 *   D_q, D_ν = tile − G s        M⁻¹ = tile + G s
 *
 * The tiles hold N b, or N itself for M⁻¹; a row has entries only in the columns of its own block.
 */
#ifndef HML_KERNEL_PACK_ASSEMBLE_H
#define HML_KERNEL_PACK_ASSEMBLE_H

#include "kernel/call.h"
#include "kernel/simd/columns.h"

/* ---- the staging buffer ---- */

/* the tile of one row of a panel: column j of D_q is at `at` + j, those of D_ν and M⁻¹ n and 2 n further */
typedef struct tile_row {
    int64_t at, n;
    uint64_t part; /* one bit per column that the tile has */
} tile_row;

/* COLREG_WIDTH columns, or those that are left */
typedef struct column_panel {
    int32_t begin, n;    /* columns, counted from the tree's first */
    int32_t s;           /* six rows of s: `width` numbers each for D_q, D_ν and M⁻¹ */
    int32_t width;       /* COLREG_WIDTH, or half of it if that is enough: then D_q and D_ν share a register */
    tile_row *rows;      /* of the tree */
    int32_t first, last; /* only rows from first to last − 1 have tiles */
} column_panel;

enum {
    STAGING_PANELS = 32 / COLREG_WIDTH,
    STAGING_LINE = sizeof(lane) == 4 ? 16 : 8 /* entries of a cache line, and of the widest pack */
};

typedef struct staging {
    num *packs;
    entry *states; /* one part per state */
    size_t stride;
    int32_t used;
    int32_t G;      /* nv rows of BASE6_STRIDE */
    int32_t Dq, Dv; /* rows of six: the columns of a free root; those of M⁻¹ are G */
    int32_t Dq_rows;
    int32_t npanels;
    column_panel panels[STAGING_PANELS];
    tile_row *rows; /* STAGING_PANELS × nv */
    lane *discard;  /* nv + COLREG_WIDTH: takes the rows of a matrix that was not asked for */
} staging;

/* panels of a robot that are staged at once, at most */
static inline size_t staging_panels(const hml_plan *plan)
{
    const size_t all = ((size_t)plan->nv + COLREG_WIDTH - 1) / COLREG_WIDTH;
    return all < STAGING_PANELS ? all : (size_t)STAGING_PANELS;
}

/* entries: G, D_q and D_ν of a free root; s and tiles of the panels; what registers read before and after them */
static inline size_t staging_size(const hml_plan *plan)
{
    const size_t panel = COLREG_WIDTH * (19 + 3 * (size_t)plan->block);
    const size_t all = (size_t)plan->nv * (BASE6_STRIDE + 12) + staging_panels(plan) * panel + 2 * COLREG_WIDTH + 8;
    return (all + STAGING_LINE - 1) / STAGING_LINE * STAGING_LINE;
}

/* takes n entries; returns where they begin */
static inline int32_t staging_reserve(staging *s, int32_t n)
{
    const int32_t at = s->used;
    s->used += n;
    return at;
}

/* entries from `begin` on, to the part of every state */
static inline void staging_transpose(const staging *s, int32_t begin)
{
#if LANES > 1
    const size_t stride = s->stride;
    for (int32_t i = begin / LANES * LANES; i < s->used; i += LANES) {
        const num *from = s->packs + i;
        entry *to = s->states + i;
        num x[LANES];
#define X(l) x[l] = from[l];
        PANEL_EACH(X)
#undef X
        num_transpose(x);
#define X(l) memcpy(to + l * stride, &x[l], sizeof(num));
        PANEL_EACH(X)
#undef X
    }
#else
    (void)s, (void)begin;
#endif
}

/* ---- rows of the matrices ---- */

/* the rows of a state's three matrices; of a matrix that is not wanted, `discard` again and again */
typedef struct assemble_target {
    lane *q, *v, *m;
    size_t q_ld, v_ld, m_ld;
} assemble_target;

/* rows at once: three sums each and what they share should fit into the registers */
#if COLREG_WIDTH == 16 || (COLREG_WIDTH == 8 && !defined NUM_SINGLE)
#define ASSEMBLE_ROWS 6
#elif COLREG_WIDTH >= 4
#define ASSEMBLE_ROWS 3
#else
#define ASSEMBLE_ROWS 2
#endif
#define ASSEMBLE_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5)

/* R rows from row i on; base: is there a free root, whose G s joins them? halves: D_q and D_ν share registers */
NUM_INLINE void assemble_rows(const int R, const int base, const int halves, const entry *x, const staging *all,
                              const column_panel *p, int32_t i, const assemble_target *to)
{
    const tile_row *row = p->rows + i;
    const entry *g = x + all->G + i * BASE6_STRIDE, *s = x + p->s;
    const size_t q_ld = to->q_ld, v_ld = to->v_ld, m_ld = to->m_ld, k = (size_t)i, first = (size_t)p->begin;
    lane *q = to->q + k * q_ld + first, *v = to->v + k * v_ld + first, *m = to->m + k * m_ld + first;
    const int32_t n = p->n;
    const colreg zero = {0};
#define X(r) colreg q##r = zero, v##r = zero, m##r = zero;
    ASSEMBLE_EACH(X)
#undef X
    if (!base || (i < p->last && i + R > p->first)) {
#define X(r)                                                                                                           \
    if (R > r) {                                                                                                       \
        const entry *tile = x + row[r].at;                                                                             \
        const int64_t gap = row[r].n;                                                                                  \
        if (halves) {                                                                                                  \
            q##r = colreg_load_halves(tile, gap, row[r].part);                                                         \
        } else {                                                                                                       \
            q##r = colreg_load_part(tile, row[r].part);                                                                \
            v##r = colreg_load_part(tile + gap, row[r].part);                                                          \
        }                                                                                                              \
        tile += gap;                                                                                                   \
        m##r = colreg_load_part(tile + gap, row[r].part);                                                              \
    }
        ASSEMBLE_EACH(X)
#undef X
    }
    for (int32_t d = 0; base && halves && d < 6; d++, s += 3 * COLREG_WIDTH / 2, g++) {
        const colreg sq = colreg_load(s), sm = colreg_load(s + COLREG_WIDTH);
#define X(r)                                                                                                           \
    if (R > r) {                                                                                                       \
        const entry e = g[r * BASE6_STRIDE];                                                                           \
        q##r = colreg_subtract(e, sq, q##r), m##r = colreg_add(e, sm, m##r);                                           \
    }
        ASSEMBLE_EACH(X)
#undef X
    }
    for (int32_t d = 0; base && !halves && d < 6; d++, s += 3 * COLREG_WIDTH, g++) {
        const colreg sq = colreg_load(s), sv = colreg_load(s + COLREG_WIDTH), sm = colreg_load(s + 2 * COLREG_WIDTH);
#define X(r)                                                                                                           \
    if (R > r) {                                                                                                       \
        const entry e = g[r * BASE6_STRIDE];                                                                           \
        q##r = colreg_subtract(e, sq, q##r), v##r = colreg_subtract(e, sv, v##r);                                      \
        m##r = colreg_add(e, sm, m##r);                                                                                \
    }
        ASSEMBLE_EACH(X)
#undef X
    }
#define X(r)                                                                                                           \
    if (R > r) {                                                                                                       \
        if (halves)                                                                                                    \
            colreg_store_halves(q, v, n, q##r);                                                                        \
        else                                                                                                           \
            colreg_store(q, n, q##r), colreg_store(v, n, v##r);                                                        \
        colreg_store(m, n, m##r);                                                                                      \
        q += q_ld, v += v_ld, m += m_ld;                                                                               \
    }
    ASSEMBLE_EACH(X)
#undef X
}

/* six numbers of a row */
NUM_INLINE void store_base6(lane *to, const entry *x)
{
#if COLREG_WIDTH == 16
    colreg_store(to, 6, colreg_load_part(x, 63));
#elif COLREG_WIDTH == 8
    colreg_store(to, 6, colreg_load(x));
#elif COLREG_WIDTH == 4
    colreg_store(to, COLREG_WIDTH, colreg_load(x));
    memcpy(to + 4, x + 4, 2 * sizeof *to);
#elif LANES > 1
    memcpy(to, x, 6 * sizeof *to);
#else
    for (int k = 0; k < 6; k++) to[k] = num_get(x[k], 0);
#endif
}

/* R rows in the columns of a free root; in M⁻¹ they are G */
NUM_INLINE void assemble_base(const int R, const staging *s, const entry *x, int32_t i, const assemble_target *to)
{
    const entry *Dq = x + s->Dq + 6 * i, *Dv = x + s->Dv + 6 * i, *G = x + s->G + BASE6_STRIDE * i, zero[8] = {0};
    const size_t q_ld = to->q_ld, v_ld = to->v_ld, m_ld = to->m_ld;
    lane *q = to->q + (size_t)i * q_ld, *v = to->v + (size_t)i * v_ld, *m = to->m + (size_t)i * m_ld;
    for (int r = 0; r < R; r++, q += q_ld, v += v_ld, m += m_ld) {
        store_base6(q, i + r < s->Dq_rows ? Dq + 6 * r : zero);
        store_base6(v, Dv + 6 * r);
        store_base6(m, G + BASE6_STRIDE * r);
    }
}

/* R rows in all staged columns; first: in those of a free root too */
NUM_INLINE void assemble_row_group(const int R, const int base, const staging *s, const entry *x, int32_t i,
                                   const assemble_target *to, int first)
{
    if (base && first) assemble_base(R, s, x, i, to);
    for (const column_panel *p = s->panels; p < s->panels + s->npanels; p++) {
        if (COLREG_HALVES && base && p->width < COLREG_WIDTH)
            assemble_rows(R, base, 1, x, s, p, i, to);
        else
            assemble_rows(R, base, 0, x, s, p, i, to);
    }
}

/* all rows of a state; the last few overlap those before */
NUM_INLINE void assemble_state(const int base, const staging *s, const entry *x, int32_t rows,
                               const assemble_target *to, int first)
{
    const int R = ASSEMBLE_ROWS;
    int32_t i = 0;
    for (; i + R < rows; i += R) assemble_row_group(R, base, s, x, i, to, first);
    if (rows >= R)
        assemble_row_group(R, base, s, x, rows - R, to, first);
    else
        for (; !base && i < rows; i++) assemble_row_group(1, base, s, x, i, to, first);
}

/* where the rows of a tree are in the matrices of state l */
static inline lane *tree_output(kernel_output out, const plan_tree *tree, int l, lane *discard)
{
    if (!out.data) return discard;
    return out.data + (size_t)l * out.stride + (size_t)tree->begin * out.ld + tree->begin;
}

/* all staged columns, to the matrices; base: is there a free root? first: its columns as well */
NUM_INLINE void assemble_states(const int base, const kernel_call *call, const plan_tree *tree, const staging *s,
                                int first)
{
    const int32_t rows = tree->end - tree->begin;
    const kernel_output q = call->Dq, v = call->Dv, m = call->Minv;
    for (int l = 0; l < call->count; l++) {
        const entry *x = s->states + (size_t)l * s->stride;
        const assemble_target to = {tree_output(q, tree, l, s->discard),
                                    tree_output(v, tree, l, s->discard),
                                    tree_output(m, tree, l, s->discard),
                                    q.data ? q.ld : 0,
                                    v.data ? v.ld : 0,
                                    m.data ? m.ld : 0};
        assemble_state(base, s, x, rows, &to, first);
    }
}

static inline void assemble_tree(const kernel_call *call, const plan_tree *tree, const staging *s, int first)
{
    if (tree->base)
        assemble_states(1, call, tree, s, first);
    else
        assemble_states(0, call, tree, s, first);
}

/* entries between different trees */
static inline void clear_between(const kernel_call *call, kernel_output out)
{
    size_t nv = (size_t)call->plan->nv;
    for (size_t l = 0; out.data && l < (size_t)call->count; l++) {
        for (size_t i = 0; i < nv; i++) memset(out.data + l * out.stride + i * out.ld, 0, nv * sizeof(lane));
    }
}

#endif
