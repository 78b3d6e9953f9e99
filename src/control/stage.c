/* See stage.h. */
#include "control/stage.h"

#include "base/dense.h"

void hmli_stage_lay_out(size_t n, size_t m, layout_cursor *c, stage_space *s)
{
    s->L = layout_doubles(c, m * m);
    s->B = layout_doubles(c, n * m);
    s->N = layout_doubles(c, n * m);
    s->T = layout_doubles(c, n * n);
    s->turn = layout_doubles(c, n * m);
}

/* by Cholesky's method with exchanges: A is destroyed */
static int is_semidefinite(size_t n, double *A, double least)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k; i < n; i++) {
            if (A[i * n + i] < -least) return 0;
            if (A[i * n + i] > A[pivot * n + pivot]) pivot = i;
        }
        if (A[pivot * n + pivot] <= least) {
            for (size_t i = k; i < n; i++)
                for (size_t j = k; j < n; j++)
                    if (fabs(A[i * n + j]) > 2 * least) return 0;
            return 1;
        }
        dense_exchange(n, A + k * n, A + pivot * n);
        for (size_t i = 0; i < n; i++) {
            const double t = A[i * n + k];
            A[i * n + k] = A[i * n + pivot], A[i * n + pivot] = t;
        }
        for (size_t i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (size_t j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
        }
    }
    return 1;
}

/* X L⁻ᵀ, X: n × m; its transpose stays in turn */
static void divide(size_t n, size_t m, const double *X, const stage_space *s, double *to)
{
    matrix_transpose(n, m, X, s->turn);
    matrix_solve_lower(m, s->L, n, s->turn);
    matrix_transpose(m, n, s->turn, to);
}

void hmli_stage_inputs(size_t n, size_t m, const double *B, const stage_space *s) { divide(n, m, B, s, s->B); }

hml_status hmli_stage_reduce(size_t n, size_t m, const stage *g, const stage_space *s, double *A, double *G, double *Q)
{
    matrix_copy(m * m, g->R, s->L);
    matrix_symmetrize(m, s->L);
    if (matrix_cholesky(m, s->L)) return HML_INVALID_ARGUMENT;
    hmli_stage_inputs(n, m, g->B, s);
    matrix_multiply_nt(n, m, n, s->B, s->B, G);
    matrix_copy(n * n, g->A, A);
    matrix_copy(n * n, g->Q, Q);
    matrix_symmetrize(n, Q);
    double size = matrix_largest(n * n, Q);
    if (g->N) {
        divide(n, m, g->N, s, s->N);
        matrix_multiply(n, m, n, s->B, s->turn, s->T);
        for (size_t i = 0; i < n * n; i++) A[i] -= s->T[i];
        matrix_multiply(n, m, n, s->N, s->turn, s->T);
        size = fmax(size, matrix_largest(n * n, s->T));
        for (size_t i = 0; i < n * n; i++) Q[i] -= s->T[i];
    }
    if (!all_finite(A, n * n) || !all_finite(G, n * n) || !all_finite(Q, n * n)) return HML_NOT_FINITE;
    matrix_copy(n * n, Q, s->T);
    return is_semidefinite(n, s->T, 0x1p-40 * size) ? HML_OK : HML_INVALID_ARGUMENT;
}
