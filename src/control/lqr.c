#include "hamel/control/lqr.h"

#include "base/dense.h"
#include "base/struct_size.h"
#include "control/riccati.h"
#include "control/stage.h"
#include "control/staircase.h"

typedef struct space {
    riccati r;
    stage_space stage;
    double *S; /* m × m: R, or R + BᵀPB, and its factor */
    double *K; /* m × n */
    double *P; /* n × n */
} space;

static size_t lay_out(size_t n, size_t m, double *memory, space *s)
{
    layout_cursor c = layout_begin(memory);
    hmli_riccati_lay_out(n, &c, &s->r);
    hmli_stage_lay_out(n, m, &c, &s->stage);
    s->S = layout_doubles(&c, m * m);
    s->K = layout_doubles(&c, n * m);
    s->P = layout_doubles(&c, n * n);
    return layout_count(&c);
}

size_t hml_lqr_scratch_doubles(size_t n, size_t m)
{
    space s;
    if (n > STAGE_MOST || m > STAGE_MOST) return SIZE_MAX;
    return lay_out(n, m, NULL, &s);
}

/* ---- arguments ---- */

static hml_status check(const hml_lqr *p)
{
    if (!p->A || !p->B || !p->Q || !p->R || !stage_size_fits(p->n, p->m)) return HML_INVALID_ARGUMENT;
    return stage_check(p->n, p->m, &(stage){p->A, p->B, p->Q, p->R, p->N});
}

/* A − B R⁻¹ Nᵀ, G = B R⁻¹ Bᵀ, Q − N R⁻¹ Nᵀ: the equation without a cross term */
static hml_status prepare(const hml_lqr *p, space *s)
{
    const stage g = {p->A, p->B, p->Q, p->R, p->N};
    return hmli_stage_reduce(p->n, p->m, &g, &s->stage, s->r.A, s->r.G, s->r.Q);
}

/* ---- can it be stabilized? ---- */

static const double tolerance = 0x1p-36, tolerance_of_failures = 0x1p-24;

/* how far a mode is from being stable */
static double growth(const riccati *r, const double *mode)
{
    return r->discrete ? hypot(mode[0], mode[1]) - 1 : mode[0];
}

static double border(const riccati *r)
{
    const double size = matrix_norm(r->n * r->n, r->A);
    return tolerance * (r->discrete ? fmax(size, 1) : size);
}

/*
 * The modes of A, or of Aᵀ where turned, that the columns of B do not move, in r.poles. A − I has the same ones as A, less
 * 1; of a short step, which is I and a little more, it has them with more digits. B and T are destroyed.
 */
static hml_status unmoved(space *s, int turned, size_t m, double *B, double least, size_t *count)
{
    riccati *r = &s->r;
    const size_t n = r->n;
    double *room = m > n ? s->stage.turn : r->wide; /* for a column per input or per state */
    if (turned)
        matrix_transpose(n, n, r->A, r->T);
    else
        matrix_copy(n * n, r->A, r->T);
    for (size_t i = 0; r->discrete && i < n; i++) r->T[i * n + i] -= 1;
    const hml_status status = hmli_uncontrollable(n, m, r->T, B, least, room, r->poles, count);
    for (size_t i = 0; r->discrete && !status && i < *count; i++) r->poles[2 * i] += 1;
    return status;
}

static hml_status look_at_inputs(const hml_lqr *p, double least, space *s, hml_lqr_report *report)
{
    const size_t n = p->n, m = p->m;
    double worst = -INFINITY;
    size_t count;
    hmli_stage_inputs(n, m, p->B, &s->stage);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) s->stage.B[i * m + j] /= s->r.scale[i];
    const hml_status status = unmoved(s, 0, m, s->stage.B, least, &count);
    if (status) return status;
    report->uncontrollable = (int32_t)count;
    for (size_t i = 0; i < count; i++) {
        const double *mode = s->r.poles + 2 * i;
        if (!(growth(&s->r, mode) > worst)) continue;
        worst = growth(&s->r, mode);
        report->mode[0] = mode[0], report->mode[1] = mode[1];
    }
    return worst > -border(&s->r) ? HML_NOT_STABILIZABLE : HML_OK;
}

/* why was there no solution? By duality: a mode on the border that Q does not see is one that Qᵀ does not move in Aᵀ */
static hml_status look_at_weights(space *s, hml_lqr_report *report)
{
    const size_t n = s->r.n;
    double *values = s->r.poles;
    size_t count;
    matrix_copy(n * n, s->r.Q, s->r.U);
    const hml_status status = unmoved(s, 1, n, s->r.U, tolerance, &count);
    if (status) return status;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(growth(&s->r, values + 2 * i)) <= border(&s->r))) continue;
        report->unseen = 1;
        report->mode[0] = values[2 * i], report->mode[1] = values[2 * i + 1];
        return HML_NOT_STABILIZABLE;
    }
    return HML_NOT_CONVERGED;
}

/* ---- results ---- */

/* P in the caller's units, K = (R + BᵀPB)⁻¹ (BᵀPA + Nᵀ), or R⁻¹ (BᵀP + Nᵀ) where not discrete */
static hml_status gain(const hml_lqr *p, space *s)
{
    const size_t n = p->n, m = p->m;
    riccati *r = &s->r;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) s->P[i * n + j] = r->X[i * n + j] / r->scale[i] / r->scale[j];
    matrix_copy(m * m, p->R, s->S);
    matrix_symmetrize(m, s->S);
    matrix_multiply_tn(m, n, n, p->B, s->P, s->stage.turn);
    matrix_copy(m * n, s->stage.turn, s->K);
    if (r->discrete) {
        double *BPB = s->stage.L;
        matrix_multiply(m, n, m, s->stage.turn, p->B, BPB);
        for (size_t i = 0; i < m * m; i++) s->S[i] += BPB[i];
        matrix_symmetrize(m, s->S);
        matrix_multiply(m, n, n, s->stage.turn, p->A, s->K);
    }
    for (size_t i = 0; p->N && i < m; i++)
        for (size_t j = 0; j < n; j++) s->K[i * n + j] += p->N[j * m + i];
    matrix_copy(m * n, s->K, s->stage.turn); /* S K */
    matrix_copy(m * m, s->S, s->stage.L);
    if (matrix_cholesky(m, s->stage.L)) return HML_NOT_CONVERGED;
    matrix_solve_lower(m, s->stage.L, n, s->K);
    matrix_solve_upper(m, s->stage.L, n, s->K);
    return all_finite(s->K, m * n) && all_finite(s->P, n * n) ? HML_OK : HML_NOT_FINITE;
}

/* of the caller's equation, in the caller's units */
static double relative_residual(const hml_lqr *p, space *s)
{
    const size_t n = p->n;
    double *AP = s->r.T, *term = s->r.U, *sum = s->r.F;
    matrix_multiply_tn(n, n, n, p->A, s->P, AP);
    matrix_multiply_tn(n, p->m, n, s->K, s->stage.turn, term);
    double size = matrix_norm(n * n, term) + matrix_norm(n * n, p->Q);
    for (size_t i = 0; i < n * n; i++) sum[i] = p->Q[i] - term[i];
    if (s->r.discrete) {
        matrix_multiply(n, n, n, AP, p->A, term);
        size += matrix_norm(n * n, term) + matrix_norm(n * n, s->P);
        for (size_t i = 0; i < n * n; i++) sum[i] += term[i] - s->P[i];
    } else {
        matrix_transpose(n, n, AP, term);
        size += 2 * matrix_norm(n * n, AP);
        for (size_t i = 0; i < n * n; i++) sum[i] += AP[i] + term[i];
    }
    return size > 0 ? matrix_norm(n * n, sum) / size : 0;
}

static void give(const hml_lqr *p, const space *s)
{
    const size_t n = p->n, m = p->m;
    if (p->K) matrix_copy(m * n, s->K, p->K);
    if (p->P) matrix_copy(n * n, s->P, p->P);
    if (p->poles) matrix_copy(2 * n, s->r.poles, p->poles);
    if (!p->closed) return;
    matrix_multiply(n, m, n, p->B, s->K, s->r.T);
    for (size_t i = 0; i < n * n; i++) p->closed[i] = p->A[i] - s->r.T[i];
}

static hml_status solve(const hml_lqr *p, int discrete, double *scratch, hml_lqr_report *report)
{
    space s = {.r = {.discrete = discrete}};
    hml_status status = check(p);
    if (status) return status;
    (void)lay_out(p->n, p->m, scratch, &s);
    status = prepare(p, &s);
    if (status) return status;
    hmli_riccati_balance(&s.r);
    status = look_at_inputs(p, tolerance, &s, report);
    if (status) return status;
    status = hmli_riccati_solve(&s.r);
    report->iterations = s.r.iterations;
    report->refinements = s.r.refinements;
    if (status) {
        status = look_at_weights(&s, report);
        return status == HML_NOT_CONVERGED && look_at_inputs(p, tolerance_of_failures, &s, report)
                   ? HML_NOT_STABILIZABLE
                   : status;
    }
    status = gain(p, &s);
    if (status) return status;
    report->residual = relative_residual(p, &s);
    if (!(report->residual <= 0x1p-13)) return HML_NOT_CONVERGED; /* not even four digits */
    give(p, &s);
    return HML_OK;
}

static hml_status take(const hml_lqr *given, int discrete, double *scratch, hml_lqr_report *report)
{
    hml_lqr room;
    hml_lqr_report all = {.struct_size = sizeof all};
    const hml_lqr *problem = STRUCT_TAKE(hml_lqr, given, &room, poles);
    if (!problem || !scratch || !struct_is_writable(report, STRUCT_END(hml_lqr_report, mode)))
        return HML_INVALID_ARGUMENT;
    const hml_status status = solve(problem, discrete, scratch, &all);
    struct_give(report, &all, sizeof all);
    return status;
}

hml_status hml_lqr_solve(const hml_lqr *problem, double *scratch, hml_lqr_report *report)
{
    return take(problem, 0, scratch, report);
}

hml_status hml_lqr_solve_discrete(const hml_lqr *problem, double *scratch, hml_lqr_report *report)
{
    return take(problem, 1, scratch, report);
}
