#include "hamel/control/integral.h"

#include "base/layout.h"
#include "base/struct_size.h"
#include "control/stage.h"

typedef struct space {
    double *A, *B, *Q, *K; /* of (x, ξ) */
    double *rest;          /* of hml_lqr_solve */
} space;

static size_t lay_out(size_t n, size_t m, size_t p, double *memory, space *s)
{
    const size_t all = n + p;
    layout_cursor c = layout_begin(memory);
    s->A = layout_doubles(&c, all * all);
    s->B = layout_doubles(&c, all * m);
    s->Q = layout_doubles(&c, all * all);
    s->K = layout_doubles(&c, all * m);
    s->rest = layout_doubles(&c, hml_lqr_scratch_doubles(all, m));
    return layout_count(&c);
}

size_t hml_lqr_integral_scratch_doubles(size_t n, size_t m, size_t p)
{
    space s;
    if (n > STAGE_MOST || m > STAGE_MOST || p > STAGE_MOST || n + p > STAGE_MOST) return SIZE_MAX;
    return lay_out(n, m, p, NULL, &s);
}

static void join(const hml_lqr_integral *g, space *s)
{
    const size_t n = g->n, m = g->m, p = g->p, all = n + p;
    for (size_t i = 0; i < all * all; i++) s->A[i] = s->Q[i] = 0;
    for (size_t i = 0; i < all * m; i++) s->B[i] = i < n * m ? g->B[i] : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) s->A[i * all + j] = g->A[i * n + j], s->Q[i * all + j] = g->Q[i * n + j];
    for (size_t i = 0; i < p; i++) {
        double *row = s->A + (n + i) * all;
        for (size_t j = 0; j < n; j++) row[j] = g->step > 0 ? g->step * g->C[i * n + j] : g->C[i * n + j];
        row[n + i] = g->step > 0;
        for (size_t j = 0; j < p; j++) s->Q[(n + i) * all + n + j] = g->Qi[i * p + j];
    }
}

static void give(const hml_lqr_integral *g, const space *s)
{
    const size_t n = g->n, p = g->p, all = n + p;
    for (size_t i = 0; i < g->m; i++) {
        if (g->K) matrix_copy(n, s->K + i * all, g->K + i * n);
        if (g->Ki) matrix_copy(p, s->K + i * all + n, g->Ki + i * p);
    }
    if (g->A_all) matrix_copy(all * all, s->A, g->A_all);
    if (g->B_all) matrix_copy(all * g->m, s->B, g->B_all);
    if (g->K_all) matrix_copy(all * g->m, s->K, g->K_all);
}

hml_status hml_lqr_integral_solve(const hml_lqr_integral *given, double *scratch, hml_lqr_report *report)
{
    hml_lqr_integral room;
    const hml_lqr_integral *g = STRUCT_TAKE(hml_lqr_integral, given, &room, poles);
    if (!g || !scratch || !g->A || !g->B || !g->C || !g->Q || !g->Qi || !g->R || g->p < 1 || !(g->step >= 0) ||
        !stage_size_fits(g->n, g->m) || !stage_size_fits(g->p, 1) || !stage_size_fits(g->n + g->p, 1))
        return HML_INVALID_ARGUMENT;
    if (!all_finite(g->C, g->p * g->n) || isinf(g->step)) return HML_NOT_FINITE;
    space s;
    (void)lay_out(g->n, g->m, g->p, scratch, &s);
    join(g, &s);
    const hml_lqr problem = HML_STRUCT(hml_lqr, .n = g->n + g->p, .m = g->m, .A = s.A, .B = s.B, .Q = s.Q, .R = g->R,
                                       .K = s.K, .P = g->P, .poles = g->poles);
    const hml_status status = (g->step > 0 ? hml_lqr_solve_discrete : hml_lqr_solve)(&problem, s.rest, report);
    if (!status) give(g, &s);
    return status;
}
