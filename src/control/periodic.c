/*
 * The periodic regulator. What a step makes of the cost behind it, X⁻ = H + Fᵀ X (I + G X)⁻¹ F, has three matrices, and so
 * has what all steps of a period make of it: those of its steps joined one by one, as in the doubling algorithm. F of the
 * period fades where the product of all A_k would grow, since it is under the best feedback of the period's own cost. The
 * X that a period leaves as it is solves a discrete Riccati equation with A = F, B Bᵀ = G, R = I and Q = H, and it is the
 * stabilizing one for the same matrices: a direction that no input of the period moves keeps its multiplier in F.
 *
 * A pass through the steps then gives K_k and P_k. It contracts errors of X like the closed loop, squared, so that what it
 * returns is better than what it began with.
 */
#include <stdint.h>

#include "base/struct_size.h"
#include "control/horizon.h"
#include "control/riccati.h"

enum { PASSES = 4 };

typedef struct space {
    horizon_space pass;
    stage_space stage;
    riccati_step period, step;
    double *wide, *tall;
    double *B, *I, *X, *poles; /* n × n, n × n, n × n, 2n */
    double *rest;              /* of hml_lqr_solve_discrete */
} space;

static size_t lay_out(size_t n, size_t m, double *memory, space *s)
{
    layout_cursor c = layout_begin(memory);
    double **const squares[] = {&s->period.F, &s->period.G, &s->period.H, &s->step.F, &s->step.G,
                                &s->step.H,   &s->B,        &s->I,        &s->X};
    hmli_horizon_lay_out(n, m, &c, &s->pass);
    hmli_stage_lay_out(n, m, &c, &s->stage);
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) *squares[i] = layout_doubles(&c, n * n);
    s->wide = layout_doubles(&c, 2 * n * n);
    s->tall = layout_doubles(&c, 4 * n * n);
    s->poles = layout_doubles(&c, 2 * n);
    s->rest = layout_doubles(&c, hml_lqr_scratch_doubles(n, n));
    return layout_count(&c);
}

size_t hml_lqr_periodic_scratch_doubles(size_t n, size_t m)
{
    space s;
    return n > STAGE_MOST || m > STAGE_MOST ? SIZE_MAX : lay_out(n, m, NULL, &s);
}

/* the period as one step; *step: the one that is at fault */
static hml_status join(const hml_lqr_horizon *p, const space *s, size_t *step)
{
    const size_t n = p->n, m = p->m;
    for (size_t k = 0; k < p->steps; k++) {
        const stage g = hmli_horizon_stage(p, k);
        const riccati_step *to = k ? &s->step : &s->period;
        *step = k;
        hml_status status = stage_check(n, m, &g);
        if (!status) status = hmli_stage_reduce(n, m, &g, &s->stage, to->F, to->G, to->H);
        if (status) return status;
        if (k && hmli_riccati_join(n, &s->period, &s->step, s->wide, s->tall) < 0) return HML_NOT_FINITE;
    }
    *step = p->steps;
    return HML_OK;
}

/* B with B Bᵀ = G, positive semidefinite, by Cholesky's method on the largest pivots; G is destroyed */
static void factor(size_t n, double *G, double *B)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, G[i * n + i]);
    for (size_t i = 0; i < n * n; i++) B[i] = 0;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = 0;
        for (size_t i = 1; i < n; i++)
            if (G[i * n + i] > G[pivot * n + pivot]) pivot = i;
        if (!(G[pivot * n + pivot] > 0x1p-50 * most)) return;
        const double root = sqrt(G[pivot * n + pivot]);
        for (size_t i = 0; i < n; i++) B[i * n + k] = G[i * n + pivot] / root;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) G[i * n + j] -= B[i * n + k] * B[j * n + k];
    }
}

/* X behind the period, which is X before it too */
static hml_status fixed_point(size_t n, const space *s, hml_lqr_report *report)
{
    factor(n, s->period.G, s->B);
    for (size_t i = 0; i < n * n; i++) s->I[i] = i % (n + 1) == 0;
    return hml_lqr_solve_discrete(&HML_STRUCT(hml_lqr, .n = n, .m = n, .A = s->period.F, .B = s->B, .Q = s->period.H,
                                              .R = s->I, .P = s->X, .poles = s->poles),
                                  s->rest, report);
}

/* K and P of all steps; the residual of the last pass */
static hml_status passes(const hml_lqr_horizon *p, const space *s, size_t *step, double *residual)
{
    const size_t n = p->n;
    horizon_space pass = s->pass;
    double before = INFINITY;
    for (int i = 0; i < PASSES; i++) {
        matrix_copy(n * n, s->X, pass.P);
        if (p->P) matrix_copy(n * n, s->X, p->P + p->steps * n * n);
        const hml_status status = hmli_horizon_pass(p, &pass, step);
        if (status) return status;
        const double size = matrix_norm(n * n, pass.P);
        for (size_t k = 0; k < n * n; k++) s->wide[k] = pass.P[k] - s->X[k];
        *residual = size > 0 ? matrix_norm(n * n, s->wide) / size : 0;
        if (!(*residual < 0.5 * before) || *residual <= 0x1p-52) break;
        before = *residual;
        matrix_copy(n * n, pass.P, s->X);
    }
    *step = p->steps;
    return *residual <= 0x1p-13 ? HML_OK : HML_NOT_CONVERGED; /* not even four digits */
}

static hml_status solve(const hml_lqr_horizon *p, double *scratch, size_t *step, hml_lqr_report *report)
{
    space s;
    if (!hmli_horizon_fits(p) || !scratch || p->Q_end) return HML_INVALID_ARGUMENT;
    (void)lay_out(p->n, p->m, scratch, &s);
    hml_status status = join(p, &s, step);
    if (!status) status = fixed_point(p->n, &s, report);
    if (!status) status = passes(p, &s, step, &report->residual);
    if (!status && p->multipliers) matrix_copy(2 * p->n, s.poles, p->multipliers);
    return status;
}

hml_status hml_lqr_periodic_solve(const hml_lqr_horizon *given, double *scratch, size_t *step, hml_lqr_report *report)
{
    hml_lqr_horizon room;
    hml_lqr_report all = {.struct_size = sizeof all};
    size_t here = 0;
    const hml_lqr_horizon *p = STRUCT_TAKE(hml_lqr_horizon, given, &room, P);
    if (!struct_is_writable(report, STRUCT_END(hml_lqr_report, mode))) return HML_INVALID_ARGUMENT;
    const hml_status status = solve(p, scratch, &here, &all);
    if (step) *step = here;
    struct_give(report, &all, sizeof all);
    return status;
}
