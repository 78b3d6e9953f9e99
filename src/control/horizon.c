#include "control/horizon.h"

#include <stdint.h>

#include "base/struct_size.h"

typedef horizon_space space;

void hmli_horizon_lay_out(size_t n, size_t m, layout_cursor *c, space *s)
{
    s->P = layout_doubles(c, n * n);
    s->S = layout_doubles(c, m * m);
    s->K = layout_doubles(c, m * n);
    s->BP = layout_doubles(c, m * n);
    s->closed = layout_doubles(c, n * n);
    s->T = layout_doubles(c, n * n);
    s->U = layout_doubles(c, n * n);
}

size_t hml_lqr_horizon_scratch_doubles(size_t n, size_t m)
{
    space s;
    layout_cursor c = layout_begin(NULL);
    if (n > STAGE_MOST || m > STAGE_MOST) return SIZE_MAX;
    hmli_horizon_lay_out(n, m, &c, &s);
    return layout_count(&c);
}

/* K = (R + BᵀPB)⁻¹ (BᵀPA + Nᵀ) */
static hml_status gain(size_t n, size_t m, const stage *g, space *s)
{
    matrix_multiply_tn(m, n, n, g->B, s->P, s->BP);
    matrix_multiply(m, n, m, s->BP, g->B, s->S);
    for (size_t i = 0; i < m * m; i++) s->S[i] += g->R[i];
    matrix_symmetrize(m, s->S);
    matrix_multiply(m, n, n, s->BP, g->A, s->K);
    for (size_t i = 0; g->N && i < m; i++)
        for (size_t j = 0; j < n; j++) s->K[i * n + j] += g->N[j * m + i];
    if (!all_finite(s->S, m * m) || !all_finite(s->K, m * n)) return HML_NOT_FINITE;
    if (matrix_cholesky(m, s->S)) return HML_SINGULAR;
    matrix_solve_lower(m, s->S, n, s->K);
    matrix_solve_upper(m, s->S, n, s->K);
    return HML_OK;
}

/*
 * P ← Q + KᵀRK − NK − KᵀNᵀ + (A − BK)ᵀ P (A − BK): the cost under this K. An error of K enters it squared, and P stays
 * positive semidefinite, which the shorter formula with one product does not keep.
 */
static void cost(size_t n, size_t m, const stage *g, space *s)
{
    matrix_multiply(n, m, n, g->B, s->K, s->T);
    for (size_t i = 0; i < n * n; i++) s->closed[i] = g->A[i] - s->T[i];
    matrix_multiply(n, n, n, s->P, s->closed, s->T);
    matrix_multiply_tn(n, n, n, s->closed, s->T, s->P);
    matrix_multiply(m, m, n, g->R, s->K, s->BP);
    for (size_t i = 0; g->N && i < m; i++)
        for (size_t j = 0; j < n; j++) s->BP[i * n + j] -= 2 * g->N[j * m + i];
    matrix_multiply_tn(n, m, n, s->K, s->BP, s->U);
    matrix_symmetrize(n, s->U);
    for (size_t i = 0; i < n * n; i++) s->P[i] += g->Q[i] + s->U[i];
    matrix_symmetrize(n, s->P);
}

static hml_status begin(const hml_lqr_horizon *p, space *s)
{
    const size_t n = p->n;
    for (size_t i = 0; i < n * n; i++) s->P[i] = 0;
    if (p->Q_end) {
        if (!all_finite(p->Q_end, n * n)) return HML_NOT_FINITE;
        if (!matrix_is_symmetric(n, p->Q_end)) return HML_INVALID_ARGUMENT;
        matrix_copy(n * n, p->Q_end, s->P);
        matrix_symmetrize(n, s->P);
    }
    if (p->P) matrix_copy(n * n, s->P, p->P + p->steps * n * n);
    return HML_OK;
}

hml_status hmli_horizon_pass(const hml_lqr_horizon *p, space *s, size_t *step)
{
    const size_t n = p->n, m = p->m;
    for (size_t k = p->steps; k-- > 0;) {
        const stage g = hmli_horizon_stage(p, k);
        *step = k;
        hml_status status = stage_check(n, m, &g);
        if (!status) status = gain(n, m, &g, s);
        if (status) return status;
        cost(n, m, &g, s);
        if (!all_finite(s->P, n * n)) return HML_NOT_FINITE;
        if (p->K) matrix_copy(m * n, s->K, p->K + k * m * n);
        if (p->P) matrix_copy(n * n, s->P, p->P + k * n * n);
    }
    return HML_OK;
}

int hmli_horizon_fits(const hml_lqr_horizon *p)
{
    return p && p->A.data && p->B.data && p->Q.data && p->R.data && stage_size_fits(p->n, p->m) && p->steps >= 1;
}

hml_status hml_lqr_horizon_solve(const hml_lqr_horizon *given, double *scratch, size_t *step)
{
    hml_lqr_horizon room;
    space s;
    size_t here;
    layout_cursor c = layout_begin(scratch);
    const hml_lqr_horizon *p = STRUCT_TAKE(hml_lqr_horizon, given, &room, P);
    if (!hmli_horizon_fits(p) || !scratch) return HML_INVALID_ARGUMENT;
    hmli_horizon_lay_out(p->n, p->m, &c, &s);
    here = p->steps;
    hml_status status = begin(p, &s);
    if (!status) status = hmli_horizon_pass(p, &s, &here);
    if (step) *step = here;
    return status;
}
