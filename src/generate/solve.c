/*
 * The solution over expressions, for robots whose limbs and trunk are small enough that straight-line code beats loops:
 *
 *   T = M⁻¹ MP of limbs     S = M − Σ MPᵀ T of the trunk     σ = S⁻¹ (h − Σ Tᵀ h_limb)     ν̇_limb = M⁻¹ h_limb − T σ
 *
 * and the same with −∂τ/∂q and −∂τ/∂ν as right-hand sides, up to the products with S⁻¹, which stay loops (emit_rows.c).
 * Inverses are adjugates of blocks of three: one division each, which the compiler computes beside other work. All
 * entries are read from the tables of a region (program.h), in which the passes have left them.
 */
#include "generate/solve.h"

#include <string.h>

enum { LARGEST = SOLVE_TRUNK > SOLVE_LIMB ? SOLVE_TRUNK : SOLVE_LIMB };

typedef struct square {
    ex m[LARGEST][LARGEST];
} square;

int hmli_solve_fits(const robot_shape *s, int vectors)
{
    int fits = s->model->nfollowers == 0 && s->trunk_columns <= (vectors ? SOLVE_TRUNK : SOLVE_TRUNK_SMALL);
    for (int32_t i = 0; i < s->nclasses; i++) fits &= s->classes[i].n <= SOLVE_LIMB;
    return fits;
}

static ex product_sum(graph *g, ex sum, ex a, ex b) { return hmli_graph_add(g, sum, hmli_graph_mul(g, a, b)); }

static ex ex_minus(graph *g, ex sum, ex a, ex b) { return ex_sub(g, sum, hmli_graph_mul(g, a, b)); }

/* ---- inverses ---- */

/* adds (diagonal / pivot)²: large where a pivot nearly vanishes */
static ex add_score(graph *g, ex score, ex diagonal, ex pivot_over, ex pivot_under)
{
    const ex ratio = hmli_graph_div(g, hmli_graph_mul(g, diagonal, pivot_under), pivot_over);
    return product_sum(g, score, ratio, ratio);
}

/* the leading block of at most three rows, from `at` on, becomes its inverse; d: the diagonal before any elimination */
static ex invert_block(graph *g, square *a, int32_t at, int32_t n, const ex *d, ex score)
{
    const ex a00 = a->m[at][at];
    score = add_score(g, score, d[at], a00, EX_ONE);
    if (n == 1) {
        a->m[at][at] = hmli_graph_div(g, EX_ONE, a00);
        return score;
    }
    const ex a10 = a->m[at + 1][at], a11 = a->m[at + 1][at + 1], minor = ex_cross2(g, a00, a11, a10, a10);
    score = add_score(g, score, d[at + 1], minor, a00);
    if (n == 2) {
        const ex scale = hmli_graph_div(g, EX_ONE, minor);
        a->m[at][at] = hmli_graph_mul(g, scale, a11);
        a->m[at + 1][at + 1] = hmli_graph_mul(g, scale, a00);
        a->m[at + 1][at] = a->m[at][at + 1] = ex_neg(hmli_graph_mul(g, scale, a10));
        return score;
    }
    const ex a20 = a->m[at + 2][at], a21 = a->m[at + 2][at + 1], a22 = a->m[at + 2][at + 2];
    const exs3 c = {ex_cross2(g, a11, a22, a21, a21), ex_cross2(g, a20, a21, a10, a22),
                    ex_cross2(g, a10, a21, a20, a11), ex_cross2(g, a00, a22, a20, a20),
                    ex_cross2(g, a10, a20, a00, a21), minor};
    const ex det = ex3_dot(g, ex3_of(a00, a10, a20), ex3_of(c.xx, c.xy, c.xz));
    score = add_score(g, score, d[at + 2], det, minor);
    const ex scale = hmli_graph_div(g, EX_ONE, det);
    const ex33 full = exs3_matrix(c);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++)
            a->m[at + i][at + j] = a->m[at + j][at + i] = hmli_graph_mul(g, scale, full.m[i][j]);
    }
    return score;
}

/* the rest after the leading block loses K Bᵀ, K = B A⁻¹, which takes the place of B */
static void eliminate_block(graph *g, square *a, int32_t at, int32_t size, int32_t n)
{
    ex K[LARGEST][3] = {{EX_ZERO}};
    for (int32_t i = at + size; i < n; i++) {
        for (int32_t j = 0; j < size; j++) {
            K[i][j] = EX_ZERO;
            for (int32_t k = 0; k < size; k++) K[i][j] = product_sum(g, K[i][j], a->m[i][at + k], a->m[at + k][at + j]);
        }
    }
    for (int32_t i = at + size; i < n; i++) {
        for (int32_t j = at + size; j <= i; j++) {
            for (int32_t k = 0; k < size; k++) a->m[i][j] = ex_minus(g, a->m[i][j], K[i][k], a->m[j][at + k]);
            a->m[j][i] = a->m[i][j];
        }
    }
    for (int32_t i = at + size; i < n; i++) {
        for (int32_t j = 0; j < size; j++) a->m[i][at + j] = K[i][j];
    }
}

/* with the inverse C of the rest: −C K beside it, and A⁻¹ + Kᵀ C K in the block */
static void restore_block(graph *g, square *a, int32_t at, int32_t size, int32_t n)
{
    ex CK[LARGEST][3] = {{EX_ZERO}};
    for (int32_t i = at + size; i < n; i++) {
        for (int32_t j = 0; j < size; j++) {
            CK[i][j] = EX_ZERO;
            for (int32_t k = at + size; k < n; k++) CK[i][j] = product_sum(g, CK[i][j], a->m[i][k], a->m[k][at + j]);
        }
    }
    for (int32_t i = 0; i < size; i++) {
        for (int32_t j = 0; j <= i; j++) {
            ex sum = a->m[at + i][at + j];
            for (int32_t k = at + size; k < n; k++) sum = product_sum(g, sum, a->m[k][at + i], CK[k][j]);
            a->m[at + i][at + j] = a->m[at + j][at + i] = sum;
        }
    }
    for (int32_t i = at + size; i < n; i++) {
        for (int32_t j = 0; j < size; j++) a->m[i][at + j] = a->m[at + j][i] = ex_neg(CK[i][j]);
    }
}

/* the other way round: what was the last row is the first */
static void reverse(square *a, int32_t n)
{
    const square old = *a;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) a->m[i][j] = old.m[n - 1 - i][n - 1 - j];
    }
}

/*
 * A symmetric matrix becomes its inverse; the score is large or NaN where it is singular. Leaves are eliminated first: their
 * inertias may be smaller than those of the root by many orders of magnitude, and keep their digits that way.
 */
static ex invert(graph *g, square *a, int32_t n)
{
    ex d[LARGEST] = {EX_ZERO}, score = EX_ZERO;
    int32_t at = 0;
    reverse(a, n);
    for (int32_t i = 0; i < n; i++) d[i] = a->m[i][i];
    for (; at < n; at += 3) {
        const int32_t size = n - at < 3 ? n - at : 3;
        score = invert_block(g, a, at, size, d, score);
        eliminate_block(g, a, at, size, n);
    }
    for (at -= 3; at >= 0; at -= 3) {
        if (at + 3 < n) restore_block(g, a, at, 3, n);
    }
    reverse(a, n);
    return score;
}

static square read_square(const ex *table, int32_t n)
{
    square a;
    memset(&a, 0, sizeof a);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) a.m[i][j] = table[i * n + j];
    }
    return a;
}

/* ---- the acceleration ---- */

void hmli_solve_limbs(region *r)
{
    graph *g = &r->g;
    square a = read_square(r->table[ARRAY_M], r->n);
    r->score = invert(g, &a, r->n);
    for (int32_t i = 0; i < r->n; i++) {
        for (int32_t j = 0; j < r->n; j++) r->table[ARRAY_INVERSE][i * r->n + j] = a.m[i][j];
        for (int32_t j = 0; j < r->npath; j++) {
            ex sum = EX_ZERO;
            for (int32_t k = 0; k < r->n; k++)
                sum = product_sum(g, sum, a.m[i][k], r->table[ARRAY_MP][k * r->npath + j]);
            r->table[ARRAY_T][i * r->npath + j] = sum;
        }
    }
}

/* Σ over rows of limbs and over their members: column i of T times column j of a matrix with the same rows */
static ex sum_over_limbs(program *p, region *limbs, int32_t i, const ex *right, int32_t width, int32_t j)
{
    ex sum = EX_ZERO;
    for (int32_t k = 0; k < limbs->n; k++)
        sum = product_sum(&limbs->g, sum, limbs->table[ARRAY_T][k * limbs->npath + i], right[k * width + j]);
    return hmli_program_sum(p, limbs, sum);
}

static void reduce_trunk(program *p, region *limbs, square *S, ex *s)
{
    graph *g = &p->regions[0].g;
    const int32_t *path = limbs->limbs->path;
    for (int32_t i = 0; i < limbs->npath; i++) {
        s[path[i]] = ex_sub(g, s[path[i]], sum_over_limbs(p, limbs, i, limbs->table[ARRAY_H], 1, 0));
        for (int32_t j = 0; j <= i; j++) {
            const ex sum = sum_over_limbs(p, limbs, i, limbs->table[ARRAY_MP], limbs->npath, j);
            const ex entry = ex_sub(g, S->m[path[i]][path[j]], sum);
            S->m[path[i]][path[j]] = S->m[path[j]][path[i]] = entry;
        }
    }
}

void hmli_solve_trunk(program *p)
{
    region *r = &p->regions[0];
    graph *g = &r->g;
    square S = read_square(r->table[ARRAY_M], r->n);
    ex s[LARGEST] = {EX_ZERO}, score = EX_ZERO;
    for (int32_t i = 0; i < r->n; i++) s[i] = r->table[ARRAY_H][i];
    for (int32_t k = 1; k < p->nregions; k++) {
        reduce_trunk(p, &p->regions[k], &S, s);
        score = hmli_graph_add(g, score, hmli_program_sum(p, &p->regions[k], p->regions[k].score));
    }
    if (r->n) score = hmli_graph_add(g, score, invert(g, &S, r->n));
    hmli_program_store(r, ARRAY_SCORE, 0, score);
    for (int32_t i = 0; i < r->n; i++) {
        ex sigma = EX_ZERO;
        for (int32_t j = 0; j < r->n; j++) {
            r->table[ARRAY_INVERSE][i * r->n + j] = S.m[i][j];
            sigma = product_sum(g, sigma, S.m[i][j], s[j]);
        }
        r->table[ARRAY_OWN][i] = sigma;
        hmli_program_store(r, ARRAY_ACCELERATION, i, sigma);
    }
}

void hmli_solve_accelerations(program *p, region *r)
{
    graph *g = &r->g;
    for (int32_t i = 0; i < r->n; i++) {
        ex sum = EX_ZERO;
        for (int32_t k = 0; k < r->n; k++)
            sum = product_sum(g, sum, r->table[ARRAY_INVERSE][i * r->n + k], r->table[ARRAY_H][k]);
        for (int32_t k = 0; k < r->npath; k++) {
            const ex sigma = hmli_program_import(p, r, p->regions[0].table[ARRAY_OWN][r->limbs->path[k]]);
            sum = ex_minus(g, sum, r->table[ARRAY_T][i * r->npath + k], sigma);
        }
        r->table[ARRAY_OWN][i] = sum;
        hmli_program_store(r, ARRAY_ACCELERATION, i, sum);
    }
}

/* ---- the derivatives ---- */

/* M⁻¹ X of limbs, columns from `first` on */
static void store_own(region *r, program_array to, program_array from, int32_t width, int32_t first)
{
    for (int32_t i = 0; i < r->n; i++) {
        for (int32_t j = first; j < width; j++) {
            ex sum = EX_ZERO;
            for (int32_t k = 0; k < r->n; k++)
                sum = product_sum(&r->g, sum, r->table[ARRAY_INVERSE][i * r->n + k], r->table[from][k * width + j]);
            hmli_program_store(r, to, i * width + j, sum);
        }
    }
}

/* U − Tᵀ B: what own columns leave to the trunk */
static void store_left(region *r, program_array to, program_array U, program_array B)
{
    for (int32_t i = 0; i < r->npath; i++) {
        for (int32_t j = 0; j < r->n; j++) {
            ex sum = r->table[U][i * r->n + j];
            for (int32_t k = 0; k < r->n; k++)
                sum = ex_minus(&r->g, sum, r->table[ARRAY_T][k * r->npath + i], r->table[B][k * r->n + j]);
            hmli_program_store(r, to, i * r->n + j, sum);
        }
    }
}

/* entries of a table, columns from `first` on */
static void keep_table(region *r, program_array array, program_array table, int32_t rows, int32_t width, int32_t first)
{
    for (int32_t i = 0; i < rows * width; i++) {
        if (i % width >= first) hmli_program_keep(r, array, i, r->table[table][i]);
    }
}

/* what loops multiply */
static void keep_right(region *r, int32_t first_q, int32_t first_v)
{
    keep_table(r, ARRAY_BQ, ARRAY_BQ, r->n, r->n, 0);
    keep_table(r, ARRAY_BV, ARRAY_BV, r->n, r->n, 0);
    keep_table(r, ARRAY_UQ, ARRAY_UQ, r->npath, r->n, 0);
    keep_table(r, ARRAY_UV, ARRAY_UV, r->npath, r->n, 0);
    keep_table(r, ARRAY_RQ, ARRAY_RQ, r->n, r->npath, first_q);
    keep_table(r, ARRAY_RV, ARRAY_RV, r->n, r->npath, first_v);
}

/* what rows of the results, and loops, read */
void hmli_solve_keep(region *r)
{
    keep_table(r, ARRAY_INVERTED, ARRAY_INVERSE, r->n, r->n, 0);
    keep_table(r, ARRAY_KEPT_T, ARRAY_T, r->n, r->npath, 0);
}

void hmli_solve_right_limbs(region *r, int32_t first_q, int32_t first_v)
{
    if (r->multiplies) {
        keep_right(r, first_q, first_v);
        return;
    }
    hmli_solve_keep(r);
    store_own(r, ARRAY_QQ, ARRAY_BQ, r->n, 0);
    store_own(r, ARRAY_QV, ARRAY_BV, r->n, 0);
    store_left(r, ARRAY_SQ, ARRAY_UQ, ARRAY_BQ);
    store_left(r, ARRAY_SV, ARRAY_UV, ARRAY_BV);
    store_own(r, ARRAY_PQ, ARRAY_RQ, r->npath, first_q);
    store_own(r, ARRAY_PV, ARRAY_RV, r->npath, first_v);
}

/* the trunk's own columns of a sheet: what limbs move there as well */
static void store_sheet(program *p, program_array to, program_array B, program_array R)
{
    region *r = &p->regions[0];
    for (int32_t k = 1; k < p->nregions; k++) {
        region *limbs = &p->regions[k];
        for (int32_t i = 0; i < limbs->npath * limbs->npath; i++) {
            const int32_t row = i / limbs->npath, column = i % limbs->npath;
            ex *at = &r->table[B][limbs->limbs->path[row] * r->n + limbs->limbs->path[column]];
            *at = ex_sub(&r->g, *at, sum_over_limbs(p, limbs, row, limbs->table[R], limbs->npath, column));
        }
    }
    for (int32_t i = 0; i < r->n * r->n; i++) hmli_program_store(r, to, i, r->table[B][i]);
}

void hmli_solve_right_trunk(program *p)
{
    region *r = &p->regions[0];
    for (int32_t i = 0; i < r->n * r->n; i++) hmli_program_store(r, ARRAY_INVERTED, i, r->table[ARRAY_INVERSE][i]);
    store_sheet(p, ARRAY_SQ, ARRAY_BQ, ARRAY_RQ);
    store_sheet(p, ARRAY_SV, ARRAY_BV, ARRAY_RV);
}
