/*
 * The mass matrix and its branch-sparse factors, over num.
 *
 * M is factored as Lᵀ D L (Featherstone, "Rigid body dynamics algorithms", chapter 8): L is unit lower triangular and
 * row c has entries only for the ancestors of c. It is eliminated column by column from the leaves to the root, each
 * as soon as its joint's subtree is known.
 *
 * Row c is stored by depth: entry d belongs to the ancestor of c at depth d, which has the same place in all rows. The
 * diagonal is stored separately: D⁻¹ after the elimination. The six entries of a free root come first and take
 * BASE6_STRIDE places; the other entries of its tree are shifted accordingly (factor_own).
 */
#ifndef HML_KERNEL_PACK_LTDL_H
#define HML_KERNEL_PACK_LTDL_H

#include "kernel/composite.h"
#include "kernel/paths.h"
#include "kernel/simd/base6.h"

/* what the other columns read of a column */
typedef struct branch_row {
    twist S;
    wrench F; /* I S of the subtree */
    vec3 g;   /* angular part of (2B)ᵀ S */
} branch_row;

typedef struct mass_factor {
    int32_t ld;    /* from one row to the next */
    num *rows;     /* nv × ld */
    num *diagonal; /* nv: D⁻¹ */
} mass_factor;

static inline int32_t factor_ld(const hml_plan *plan)
{
#if COLS > 1
    return plan->depth ? (plan->depth + 2 + 7) / 8 * 8 : 0;
#else
    return plan->depth;
#endif
}

static inline num *factor_row(const mass_factor *f, int32_t c) { return f->rows + (int64_t)c * f->ld; }

/* factor_own(…)[d] is entry d: d ≥ 6 in a tree with a free root, any d in another tree */
static inline num *factor_own(const mass_factor *f, const plan_tree *tree, int32_t c)
{
    return factor_row(f, c) + (tree->base ? BASE6_STRIDE - 6 : 0);
}

/* zeros, since rows further out will be subtracted; the row of a column that carries none is written at once */
NUM_INLINE void factor_clear(const hml_plan *plan, const mass_factor *f, int32_t c)
{
    const plan_column *pc = &plan_columns(plan)[c];
    num *row = factor_row(f, c);
    f->diagonal[c] = K(0);
    if (pc->subtree_end == c + 1 && COLS == 1) return;
    const int32_t n = COLS == 1 ? pc->depth : f->ld;
    for (int32_t d = 0; d < n; d += COLS) {
        const cols zero = {0};
        *(cols *)(row + d) = zero;
    }
}

/* 1/pivot; 0 in lanes where the pivot vanished against the diagonal entry of M, which are added to failed */
static inline num pivot_inverse(num pivot, num original, mask *failed)
{
    const num tiny = K(64 * NUM_EPS); /* what is left of a pivot that should be zero */
    num floor = tiny * original;
    mask regular = num_lt(floor * floor, pivot * pivot);
    *failed |= ~regular;
    return num_select(regular, K(1) / num_select(regular, pivot, K(1)), K(0));
}

/* the block of a free root, lower triangle: M less what the columns below take, then L and D⁻¹ */
typedef struct base_block {
    num m[6][6];
} base_block;

/* eliminates a row from the block of a free root and from its b; `row`: the six entries of the root */
NUM_INLINE void factor_base(num *row, num inverse, num bc, base_block *block, num *b)
{
    num r0 = row[0], r1 = row[1], r2 = row[2], r3 = row[3], r4 = row[4], r5 = row[5], a;
/* clang-format off */
#define ENTRY(e, d) block->m[e][d] -= a * r##d;
    a = r0 * inverse, row[0] = a, b[0] -= a * bc;  ENTRY(0, 0)
    a = r1 * inverse, row[1] = a, b[1] -= a * bc;  ENTRY(1, 0) ENTRY(1, 1)
    a = r2 * inverse, row[2] = a, b[2] -= a * bc;  ENTRY(2, 0) ENTRY(2, 1) ENTRY(2, 2)
    a = r3 * inverse, row[3] = a, b[3] -= a * bc;  ENTRY(3, 0) ENTRY(3, 1) ENTRY(3, 2) ENTRY(3, 3)
    a = r4 * inverse, row[4] = a, b[4] -= a * bc;  ENTRY(4, 0) ENTRY(4, 1) ENTRY(4, 2) ENTRY(4, 3) ENTRY(4, 4)
    a = r5 * inverse, row[5] = a, b[5] -= a * bc;  ENTRY(5, 0) ENTRY(5, 1) ENTRY(5, 2) ENTRY(5, 3) ENTRY(5, 4)
                                                   ENTRY(5, 5)
#undef ENTRY
    /* clang-format on */
}

/*
 * Adds M's row of column c to what the columns below have left there, then eliminates it: row c becomes that of L, and
 * b of the ancestors loses Lᵀ b. Lanes whose pivot vanished against its entry of M are added to failed; their D⁻¹ is 0,
 * which leaves the coordinate out and marks it.
 */
static inline void factor_column(const hml_plan *plan, const model_coordinate *passive, const plan_paths *t,
                                 const plan_tree *tree, int32_t c, const branch_row *columns, const mass_factor *f,
                                 base_block *block, num *b, mask *failed)
{
    const int32_t *path = column_path(t, c);
    const int32_t depth = plan_columns(plan)[c].depth, base = tree->base;
    const branch_row *col = &columns[c];
    num *row = factor_row(f, c), *own = factor_own(f, tree, c);
    wrench F = col->F;
    num diagonal = wrench_dot(F, col->S) + K(passive[c].armature);
    num bc = b[c], inverse = pivot_inverse(f->diagonal[c] + diagonal, diagonal, failed);
    f->diagonal[c] = inverse;
#if COLS == 1
    if (plan_columns(plan)[c].subtree_end == c + 1) {
        if (base) base6_store(base6_of(&F.f.x), row); /* columns of a free root are the identity */
        for (int32_t d = base; d < depth; d++) own[d] = wrench_dot(F, columns[path[d]].S);
    } else
#endif
    {
        if (base) {
            row[0] += F.f.x, row[1] += F.f.y, row[2] += F.f.z;
            row[3] += F.t.x, row[4] += F.t.y, row[5] += F.t.z;
        }
        for (int32_t d = base; d < depth; d++) own[d] += wrench_dot(F, columns[path[d]].S);
    }
#if COLS == 1
    const base6 of_root = base ? base6_load(row) : base6_zero();
#endif
    for (int32_t e = depth - 1; e >= base; e--) {
        num r = own[e], a = r * inverse;
        int32_t k = path[e];
        num *above = factor_row(f, k);
        f->diagonal[k] -= a * r;
        b[k] -= a * bc;
        own[e] = a;
#if COLS > 1 /* in whole registers: what they write behind the end of the row above is not read */
        const int32_t end = base ? e + BASE6_STRIDE - 6 : e;
        for (int32_t d = 0; d < end; d += COLS) *(cols *)(above + d) -= a * *(const cols *)(row + d);
#else
        if (base) base6_store(base6_axpy(-a, of_root, base6_load(above)), above);
        int32_t d = base;
        for (; d + 1 < e; d += 2) above[d] -= a * row[d], above[d + 1] -= a * row[d + 1];
        if (d < e) above[d] -= a * row[d];
#endif
    }
    if (base) factor_base(row, inverse, bc, block, b + tree->begin);
}

/* the six columns of a free root, from the composite inertia I of its tree: L and D⁻¹ in their rows, b half solved */
static inline void factor_root(const model_coordinate *passive, const plan_tree *tree, const inertia *I,
                               const mass_factor *f, base_block *block, num *b, mask *failed)
{
    const num z = K(0);
    const num M[6][6] = {{I->m, z, z, z, z, z},
                         {z, I->m, z, z, z, z},
                         {z, z, I->m, z, z, z},
                         {z, -I->h.z, I->h.y, I->J.xx, z, z},
                         {I->h.z, z, -I->h.x, I->J.xy, I->J.yy, z},
                         {-I->h.y, I->h.x, z, I->J.xz, I->J.yz, I->J.zz}};
    num(*m)[6] = block->m;
    passive += tree->begin;
    b += tree->begin;
    for (int32_t e = 0; e < 6; e++) {
        for (int32_t d = 0; d <= e; d++) m[e][d] += M[e][d];
        m[e][e] += K(passive[e].armature);
    }
    for (int32_t k = 5; k >= 0; k--) {
        num *row = factor_row(f, tree->begin + k);
        num inverse = pivot_inverse(m[k][k], M[k][k] + K(passive[k].armature), failed);
        f->diagonal[tree->begin + k] = inverse;
        for (int32_t e = 0; e < k; e++) {
            num a = m[k][e] * inverse;
            b[e] -= a * b[k];
            for (int32_t d = 0; d <= e; d++) m[e][d] -= a * m[k][d];
            row[e] = a;
        }
    }
}

/* the other half of a solve, x = L⁻¹ D⁻¹ b, for one column of a free root; those before it are solved */
static inline num factor_back(const plan_tree *tree, const mass_factor *f, int32_t c, const num *b, const num *x)
{
    const num *row = factor_row(f, c);
    num sum = f->diagonal[c] * b[c];
    for (int32_t d = 0; d < c - tree->begin; d++) sum -= row[d] * x[tree->begin + d];
    return sum;
}

/* S⁻¹ of a free root, six rows of BASE6_STRIDE: the inverse of its block of M after all columns below are eliminated */
static inline void factor_base_inverse(const plan_tree *tree, const mass_factor *f, num *inverse)
{
    num W[6][6], WD[6][6];
    for (int32_t i = 0; i < 6; i++) {
        const num *row = factor_row(f, tree->begin + i);
        for (int32_t d = 0; d < i; d++) {
            num sum = -row[d];
            for (int32_t e = d + 1; e < i; e++) sum -= row[e] * W[e][d];
            W[i][d] = sum;
        }
        W[i][i] = K(1);
        for (int32_t d = 0; d <= i; d++) WD[i][d] = W[i][d] * f->diagonal[tree->begin + d];
    }
    for (int32_t i = 0; i < 6; i++) {
        for (int32_t j = 0; j <= i; j++) {
            num sum = WD[i][j];
            for (int32_t k = 0; k < j; k++) sum += WD[i][k] * W[j][k];
            inverse[i * BASE6_STRIDE + j] = sum;
            inverse[j * BASE6_STRIDE + i] = sum;
        }
        for (int32_t j = 6; j < BASE6_STRIDE; j++) inverse[i * BASE6_STRIDE + j] = K(0);
    }
}

#endif
