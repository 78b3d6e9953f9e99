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

/*
 * M → L, D⁻¹, in place. Returns the lanes in which a pivot vanished against its diagonal entry in M, as a mask; there
 * the pivot is replaced by 1, so that the other lanes and columns stay finite.
 */
static inline mask factor_ltdl(const hml_plan *plan, const topology *t, const plan_tree *tree, num *original,
                               mass_factor *f)
{
    const plan_column *pc = plan_columns(plan);
    const num tiny = K(0x1p-46); /* about 64 ε: what is left of a pivot that should be zero */
    mask failed = num_lt(K(1), K(0));
    for (int32_t c = tree->begin; c < tree->end; c++) original[c] = f->diagonal[c];
    for (int32_t k = tree->end - 1; k >= tree->begin; k--) {
        const int32_t *path = column_path(plan, t, k);
        num *row = factor_row(f, k);
        num pivot = f->diagonal[k], floor = tiny * original[k];
        mask regular = num_lt(floor * floor, pivot * pivot);
        failed |= ~regular;
        num inverse = num_select(regular, K(1) / num_select(regular, pivot, K(1)), K(0));
        f->diagonal[k] = inverse;
        for (int32_t e = pc[k].depth - 1; e >= 0; e--) {
            num *above = factor_row(f, path[e]);
            num a = row[e] * inverse;
            f->diagonal[path[e]] -= a * row[e];
            for (int32_t d = 0; d < e; d++) above[d] -= a * row[d];
            row[e] = a;
        }
    }
    return failed;
}

/* L → W = L⁻¹, in place, root to leaves */
static inline void factor_invert(const hml_plan *plan, const topology *t, const plan_tree *tree, mass_factor *f)
{
    const plan_column *pc = plan_columns(plan);
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(plan, t, c);
        num *row = factor_row(f, c);
        int32_t depth = pc[c].depth;
        for (int32_t j = 0; j < depth; j++) {
            num sum = row[j];
            for (int32_t k = j + 1; k < depth; k++) sum += row[k] * factor_row(f, path[k])[j];
            row[j] = -sum;
        }
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
        num bc = b[c];
        for (int32_t d = 0; d < pc[c].depth; d++) b[path[d]] += row[d] * bc;
    }
    for (int32_t c = tree->begin; c < tree->end; c++) b[c] *= f->diagonal[c];
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(plan, t, c);
        const num *row = factor_row(f, c);
        num sum = b[c];
        for (int32_t d = 0; d < pc[c].depth; d++) sum += row[d] * b[path[d]];
        x[c] = sum;
    }
}

#endif
