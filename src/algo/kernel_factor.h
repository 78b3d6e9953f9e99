/*
 * The mass matrix and its branch-sparse factors, over num.
 *
 * M is factored as Lᵀ D L (Featherstone, "Rigid body dynamics algorithms", chapter 8): L is unit lower triangular and
 * row c has entries only for the ancestors of c. W = L⁻¹ has the same pattern, and
 *
 *   M⁻¹ b = W D⁻¹ Wᵀ b.
 *
 * With W explicit there is no recurrence left in a solve: every row is a dot product over the shared ancestors.
 *
 * Row c is stored by depth: rows[c·depth + d] belongs to the ancestor of c at depth d, the same place for all columns
 * that share it. First it holds M, then L, then W; the diagonal stands apart.
 */
#ifndef HML_ALGO_KERNEL_FACTOR_H
#define HML_ALGO_KERNEL_FACTOR_H

#include "algo/kernel_tree.h"
#include "algo/topology.h"

typedef struct mass_factor {
    int32_t depth; /* doubles a row */
    num *rows;     /* nv × depth */
    num *diagonal; /* nv: of M; then of D⁻¹ */
} mass_factor;

static inline num *factor_row(const mass_factor *f, int32_t c) { return f->rows + (int64_t)c * f->depth; }

/* the path of a column and, behind it, the column itself */
static inline const int32_t *column_path(const hml_plan *plan, const topology *t, int32_t column)
{
    return t->list + t->start[plan_columns(plan)[column].segment];
}

/*
 * Rows begin with the six columns of a free root where the tree has one. Those six are always there, for every row
 * below the root, so they are done without a loop that a processor would have to guess the length of: `begin` is where
 * the others start, 6 or 0.
 */
static inline void row_axpy(int32_t begin, int32_t end, num a, const num *x, num *y)
{
    if (begin == 6) {
        for (int32_t d = 0; d < 6; d++) y[d] += a * x[d];
    }
    for (int32_t d = begin; d < end; d++) y[d] += a * x[d];
}

/* M of a tree, from F = I S of the subtrees */
static inline void factor_mass_matrix(const hml_plan *plan, const topology *t, const plan_tree *tree,
                                      const column_state *columns, mass_factor *f)
{
    const plan_column *pc = plan_columns(plan);
    const model_coordinate *passive = plan_coordinates(plan);
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(plan, t, c);
        num *row = factor_row(f, c);
        wrench F = columns[c].F;
        int32_t d = 0, depth = pc[c].depth;
        if (tree->base && depth >= 6) { /* columns of a free root are the identity */
            row[0] = F.f.x, row[1] = F.f.y, row[2] = F.f.z;
            row[3] = F.t.x, row[4] = F.t.y, row[5] = F.t.z;
            d = 6;
        }
        for (; d < depth; d++) row[d] = wrench_dot(F, columns[path[d]].S);
        f->diagonal[c] = wrench_dot(F, columns[c].S) + K(passive[c].armature);
    }
}

/* 1/pivot; 0 in lanes where the pivot vanished against the diagonal entry of M, which are added to failed */
static inline num pivot_inverse(num pivot, num original, mask *failed)
{
    const num tiny = K(0x1p-46); /* about 64 ε: what is left of a pivot that should be zero */
    num floor = tiny * original;
    mask regular = num_lt(floor * floor, pivot * pivot);
    *failed |= ~regular;
    return num_select(regular, K(1) / num_select(regular, pivot, K(1)), K(0));
}

/* eliminates the six columns of a free root from below: row of a column under it, and its D⁻¹ */
static inline void factor_base(mass_factor *f, int32_t base, num *row, num inverse)
{
    for (int32_t e = 0; e < 6; e++) {
        num *above = factor_row(f, base + e);
        num a = row[e] * inverse;
        f->diagonal[base + e] -= a * row[e];
        for (int32_t d = 0; d < e; d++) above[d] -= a * row[d];
    }
    for (int32_t e = 0; e < 6; e++) row[e] *= inverse;
}

/*
 * M → L, D⁻¹, in place. Returns the lanes in which a pivot vanished against its diagonal entry in M, as a mask; there
 * its inverse is 0, which leaves the coordinate out and marks it.
 */
static inline mask factor_ltdl(const hml_plan *plan, const topology *t, const plan_tree *tree, num *original,
                               mass_factor *f)
{
    const plan_column *pc = plan_columns(plan);
    mask failed = num_lt(K(1), K(0));
    for (int32_t c = tree->begin; c < tree->end; c++) original[c] = f->diagonal[c];
    for (int32_t k = tree->end - 1; k >= tree->begin; k--) {
        const int32_t *path = column_path(plan, t, k);
        num *row = factor_row(f, k);
        int32_t depth = pc[k].depth, base = depth >= 6 ? tree->base : 0;
        num inverse = pivot_inverse(f->diagonal[k], original[k], &failed);
        f->diagonal[k] = inverse;
        for (int32_t e = depth - 1; e >= base; e--) {
            num a = row[e] * inverse;
            f->diagonal[path[e]] -= a * row[e];
            row_axpy(base, e, -a, row, factor_row(f, path[e]));
            row[e] = a;
        }
        if (base) factor_base(f, tree->begin, row, inverse);
    }
    return failed;
}

/* L → W = L⁻¹, in place, root to leaves: row c of W is −(row c of L) W on the rows above */
static inline void factor_invert(const hml_plan *plan, const topology *t, const plan_tree *tree, mass_factor *f)
{
    const plan_column *pc = plan_columns(plan);
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(plan, t, c);
        num *row = factor_row(f, c);
        int32_t depth = pc[c].depth, base = depth >= 6 ? tree->base : 0;
        if (base) {
            for (int32_t e = 1; e < 6; e++) {
                const num *above = factor_row(f, tree->begin + e);
                for (int32_t d = 0; d < e; d++) row[d] += row[e] * above[d];
            }
        }
        for (int32_t e = base; e < depth; e++) {
            num a = row[e]; /* entries before e already hold their sums; e itself is still L */
            row_axpy(base, e, a, factor_row(f, path[e]), row);
        }
        if (base) {
            for (int32_t d = 0; d < 6; d++) row[d] = -row[d];
        }
        for (int32_t d = base; d < depth; d++) row[d] = -row[d];
    }
}

/* x = M⁻¹ b for a full right-hand side; b is overwritten by D⁻¹ Wᵀ b */
static inline void factor_solve(const hml_plan *plan, const topology *t, const plan_tree *tree, const mass_factor *f,
                                num *b, num *x)
{
    const plan_column *pc = plan_columns(plan);
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(plan, t, c);
        const num *row = factor_row(f, c);
        int32_t d = 0;
        num bc = b[c];
        if (tree->base && pc[c].depth >= 6) {
            for (; d < 6; d++) b[tree->begin + d] += row[d] * bc;
        }
        for (; d < pc[c].depth; d++) b[path[d]] += row[d] * bc;
    }
    for (int32_t c = tree->begin; c < tree->end; c++) b[c] *= f->diagonal[c];
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(plan, t, c);
        const num *row = factor_row(f, c);
        int32_t d = 0;
        num sum = b[c];
        if (tree->base && pc[c].depth >= 6) {
            for (; d < 6; d++) sum += row[d] * b[tree->begin + d];
        }
        for (; d < pc[c].depth; d++) sum += row[d] * b[path[d]];
        x[c] = sum;
    }
}

#endif
