/*
 * Inverse kinematics by damped least squares on the group, with Nielsen's control of the damping ("Damping parameter in
 * Marquardt's method") and limits as an active set.
 *
 *   e       residual: [w_p (o* − o); w_r log(RᵀR*)] a target; w_c (c* − c) of the centre of mass; and of the momentum
 *           (w/m) (T h* − A₀ d) with d = q ⊖ q₀ and A₀ the centroidal momentum matrix at the start q₀
 *   J       −∂e/∂z: linear rows of the split Jacobian, angular rows turned by the Jacobian of log; the Jacobian of the
 *           centre of mass; (w/m) A₀ ∂d/∂z
 *   A, g    JᵀJ and Jᵀe
 */
#include "hamel/inverse_kinematics.h"

#include <math.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "algo/work.h"
#include "base/dense.h"
#include "base/layout.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/configuration.h"
#include "model/limits.h"

typedef struct solver {
    const hml_model *model;
    hml_work *work;
    const hml_ik_problem *problem;
    size_t nv;
    double *J;             /* 6 × nv */
    double *A, *L;         /* nv × nv */
    double *g, *z;         /* nv */
    double *lower, *upper; /* nv: of q's number that belongs to a coordinate */
    double *held;          /* nv: 1 if the coordinate stays in this step */
    double *trial, *best;  /* nq */
    double *start;         /* nq */
    double *A0;            /* 6 × nv: rows of the momentum at the start, with their weights */
    double *d, *D;         /* nv: q ⊖ start; nv × nv: its derivative */
    double best_error;
} solver;

static size_t lay_out(const hml_model *m, double *at, solver *s)
{
    const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
    layout_cursor c = layout_begin(at);
    s->J = layout_doubles(&c, 6 * nv);
    s->A = layout_doubles(&c, nv * nv);
    s->L = layout_doubles(&c, nv * nv);
    s->g = layout_doubles(&c, nv);
    s->z = layout_doubles(&c, nv);
    s->lower = layout_doubles(&c, nv);
    s->upper = layout_doubles(&c, nv);
    s->held = layout_doubles(&c, nv);
    s->trial = layout_doubles(&c, nq);
    s->best = layout_doubles(&c, nq);
    s->start = layout_doubles(&c, nq);
    s->A0 = layout_doubles(&c, 6 * nv);
    s->d = layout_doubles(&c, nv);
    s->D = layout_doubles(&c, nv * nv);
    return layout_count(&c);
}

size_t hml_ik_scratch_doubles(const hml_model *model)
{
    solver s;
    return model ? lay_out(model, NULL, &s) : 0;
}

/* ---- limits ---- */

static int locked(const solver *s, size_t coordinate) { return s->problem->locked && s->problem->locked[coordinate]; }

/* limits of the user's coordinates that may move */
static void read_limits(const solver *s)
{
    if (!s->problem->ignore_limits) {
        limits_read(s->model, s->problem->locked, s->lower, s->upper);
        return;
    }
    for (size_t i = 0; i < s->nv; i++) s->lower[i] = -HUGE_VAL, s->upper[i] = HUGE_VAL;
}

static void clamp(const solver *s, double *q) { limits_clamp(s->model, s->lower, s->upper, q); }

/* coordinates that are locked, or at a limit and pushed further by the gradient */
static void hold(const solver *s, const double *q)
{
    limits_hold(s->model, s->problem->locked, s->lower, s->upper, q, s->g, s->held);
}

/* ---- errors ---- */

/* A += JᵀJ and g += Jᵀe, of the first rows of J */
static void add_rows(const solver *s, size_t rows, const double *e)
{
    const size_t n = s->nv;
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < rows; i++) s->g[r] += s->J[i * n + r] * e[i];
        for (size_t c = 0; c <= r; c++) {
            for (size_t i = 0; i < rows; i++) s->A[r * n + c] += s->J[i * n + r] * s->J[i * n + c];
        }
    }
}

static double square(size_t n, const double *e)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += e[i] * e[i];
    return sum;
}

static double target_residual(const solver *s, const hml_ik_target *target, const double *q, int system)
{
    const int32_t nv = s->model->nv;
    const state_series state = {.q = q};
    const jacobian_series j = {.order = 0, .nv = nv, .J = {s->J}};
    const double wp = target->position, wr = target->rotation;
    twist V[SERIES_LENGTH];
    double e[6];
    pose H = frame_series(s->model, target->frame, target->reference, HML_SPLIT, &state, 0, V, system ? &j : NULL);
    pose goal = pose_of(mat3_at(target->pose, 4), vec3_of(target->pose[3], target->pose[7], target->pose[11]));
    vec3 left = so3_log_quat(mat3_to_quat(mat3_tmul(H.R, goal.R)));
    write_vec3(vec3_scale(wp, vec3_sub(goal.p, H.p)), e);
    write_vec3(vec3_scale(wr, left), e + 3);
    for (int32_t c = 0; system && c < nv; c++) { /* weights and the Jacobian of log */
        twist U = matrix_column(s->J, nv, c);
        U = twist_of(vec3_scale(wp, U.v), vec3_scale(wr, so3_dexp_left_inverse_apply(left, U.w)));
        matrix_put_column(s->J, nv, c, U);
    }
    if (system) add_rows(s, 6, e);
    return square(6, e);
}

static double com_residual(const solver *s, const double *q, int system)
{
    const double w = s->problem->com_weight > 0 ? s->problem->com_weight : 1;
    double com[3], e[3];
    const hml_centroidal_motion x = {.struct_size = sizeof x, .com = com, .com_J = system ? s->J : NULL};
    if (hml_centroidal(s->model, s->work, q, NULL, NULL, &x)) return HUGE_VAL; /* too far away to be added up */
    for (int i = 0; i < 3; i++) e[i] = w * (s->problem->com[i] - com[i]);
    for (size_t i = 0; system && i < 3 * s->nv; i++) s->J[i] *= w;
    if (system) add_rows(s, 3, e);
    return square(3, e);
}

static void momentum_weights(const hml_ik_problem *p, double w[2])
{
    w[0] = p->momentum_weight[0], w[1] = p->momentum_weight[1];
    if (!(w[0] > 0) && !(w[1] > 0)) w[0] = w[1] = 1;
}

static double momentum_residual(const solver *s, const double *q, int system)
{
    const hml_ik_problem *p = s->problem;
    const size_t n = s->nv;
    const double scale = (p->duration > 0 ? p->duration : 1) / hml_model_mass(s->model);
    double w[2], e[6];
    momentum_weights(p, w);
    if (hml_configuration_difference(s->model, s->start, q, s->d)) return HUGE_VAL;
    if (system && hml_configuration_difference_jacobians(s->model, s->start, q, NULL, s->D)) return HUGE_VAL;
    for (size_t i = 0; i < 6; i++) {
        e[i] = w[i / 3] * scale * p->momentum[i];
        for (size_t k = 0; k < n; k++) e[i] -= s->A0[i * n + k] * s->d[k];
        for (size_t c = 0; system && c < n; c++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += s->A0[i * n + k] * s->D[k * n + c];
            s->J[i * n + c] = sum;
        }
    }
    if (system) add_rows(s, 6, e);
    return square(6, e);
}

/* |e|², and A and g if `system` */
static double residual(const solver *s, const double *q, int system)
{
    const hml_ik_problem *p = s->problem;
    double sum = 0;
    if (system) memset(s->A, 0, s->nv * s->nv * sizeof(double)), memset(s->g, 0, s->nv * sizeof(double));
    for (int32_t t = 0; t < p->ntargets; t++) sum += target_residual(s, &p->targets[t], q, system);
    if (p->com) sum += com_residual(s, q, system);
    if (p->momentum) sum += momentum_residual(s, q, system);
    return sum;
}

/* (w/m) A at the start, for the task of the momentum */
static hml_status read_start(const solver *s, const double *q)
{
    double w[2];
    memcpy(s->start, q, (size_t)s->model->nq * sizeof *q);
    if (!s->problem->momentum) return HML_OK;
    const hml_centroidal_motion x = {.struct_size = sizeof x, .A = s->A0};
    TRY(hml_centroidal(s->model, s->work, q, NULL, NULL, &x));
    momentum_weights(s->problem, w);
    for (size_t i = 0; i < 6 * s->nv; i++) s->A0[i] *= w[i / (3 * s->nv)] / hml_model_mass(s->model);
    return HML_OK;
}

/* ---- steps ---- */

/* z of (A + μ) z = g on the coordinates that are not held; 0 where that is singular */
static int solve(const solver *s, double mu)
{
    const size_t n = s->nv;
    for (size_t r = 0; r < n; r++) {
        s->z[r] = s->held[r] > 0 ? 0 : s->g[r];
        for (size_t c = 0; c < r; c++) s->L[r * n + c] = s->held[r] + s->held[c] > 0 ? 0 : s->A[r * n + c];
        s->L[r * n + r] = s->held[r] > 0 ? 1 : s->A[r * n + r] + mu;
    }
    if (dense_factor(n, s->L, NULL)) return 0;
    dense_solve(n, s->L, s->z);
    return 1;
}

static void remember(solver *s, const double *q, double error)
{
    if (error >= s->best_error) return;
    s->best_error = error;
    memcpy(s->best, q, (size_t)s->model->nq * sizeof *q);
}

static double largest_free(const solver *s, const double *x)
{
    double size = 0;
    for (size_t i = 0; i < s->nv; i++)
        if (!(s->held[i] > 0)) size = fmax(size, fabs(x[i]));
    return size;
}

/*
 * From q to a stationary point. Returns 1 there, 0 when the error is within the tolerance (squared) or the budget of
 * steps is spent.
 */
static int descend(solver *s, double *q, double tolerance, int32_t *budget)
{
    const size_t nq = (size_t)s->model->nq;
    double error = residual(s, q, 1), lambda = 1e-3, growth = 2;
    while (error > tolerance && *budget > 0) {
        double diagonal = 0, predicted = 0;
        hold(s, q);
        for (size_t i = 0; i < s->nv; i++) diagonal = fmax(diagonal, s->A[i * s->nv + i]);
        /* the gradient against what it could be: it vanishes to round-off */
        if (largest_free(s, s->g) <= 1e-13 * sqrt(diagonal * error)) return 1;
        double mu = lambda * diagonal;
        (*budget)--;
        if (solve(s, mu)) {
            for (size_t i = 0; i < s->nv; i++) predicted += s->z[i] * (mu * s->z[i] + s->g[i]);
            hml_configuration_integrate(s->model, q, s->z, s->trial);
            clamp(s, s->trial);
            double next = residual(s, s->trial, 0), gain = (error - next) / predicted;
            if (next < error) {
                int tiny = largest_free(s, s->z) < 1e-15;
                memcpy(q, s->trial, nq * sizeof *q);
                error = residual(s, q, 1);
                remember(s, q, error);
                lambda = fmax(1e-15, lambda * fmax(1.0 / 3, 1 - pow(2 * gain - 1, 3)));
                growth = 2;
                if (tiny) return 1;
                continue;
            }
        }
        lambda *= growth;
        growth *= 2;
        if (lambda > 1e15) return 1; /* not even the smallest step down the gradient helps */
    }
    return 0;
}

/* ---- the whole ---- */

/* the tasks of the whole robot */
static hml_status check_whole(const hml_model *model, const hml_ik_problem *p)
{
    if (!(p->com_weight >= 0) || !(p->momentum_weight[0] >= 0) || !(p->momentum_weight[1] >= 0) ||
        !(p->duration >= 0)) {
        return HML_INVALID_ARGUMENT;
    }
    for (int i = 0; p->com && i < 3; i++)
        if (!isfinite(p->com[i])) return HML_NOT_FINITE;
    for (int i = 0; p->momentum && i < 6; i++)
        if (!isfinite(p->momentum[i])) return HML_NOT_FINITE;
    return (p->com || p->momentum) && !(hml_model_mass(model) > 0) ? HML_SINGULAR : HML_OK;
}

static hml_status check(const hml_model *model, const hml_work *work, const hml_ik_problem *p, const double *scratch,
                        const double *q)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !p || !scratch || !q) {
        return HML_INVALID_ARGUMENT;
    }
    if (p->ntargets < 0 || (p->ntargets && !p->targets) || p->iterations < 0 || p->attempts < 0 ||
        !(p->tolerance >= 0)) {
        return HML_INVALID_ARGUMENT;
    }
    for (int32_t t = 0; t < p->ntargets; t++) {
        const hml_ik_target *target = &p->targets[t];
        pose H;
        if (target->frame < 0 || target->frame >= model->nframes || target->reference < HML_WORLD ||
            target->reference >= model->nframes || !(target->position >= 0) || !(target->rotation >= 0)) {
            return HML_INVALID_ARGUMENT;
        }
        TRY(read_placement(target->pose, &H));
    }
    TRY(check_whole(model, p));
    return hmli_work_check_state(model, q, NULL, NULL, NULL);
}

/* a random configuration around q: a little at first, then anywhere */
static void restart(const solver *s, hml_rng *rng, double size, double *q)
{
    for (size_t i = 0; i < s->nv; i++) {
        double z = size * hml_rng_normal(rng);
        s->z[i] = locked(s, i) ? 0 : z;
    }
    hml_configuration_integrate(s->model, q, s->z, q);
    clamp(s, q);
}

hml_status hml_inverse_kinematics(const hml_model *model, hml_work *work, const hml_ik_problem *problem,
                                  double *scratch, double *q, hml_ik_result *result)
{
    hml_ik_problem room;
    const hml_ik_problem *p = STRUCT_TAKE(hml_ik_problem, problem, &room, targets);
    TRY(check(model, work, p, scratch, q));
    if (!struct_is_writable(result, STRUCT_END(hml_ik_result, error))) return HML_INVALID_ARGUMENT;
    solver s = {.model = model, .work = work, .problem = p, .nv = (size_t)model->nv, .best_error = HUGE_VAL};
    hml_rng rng;
    const size_t bytes = (size_t)model->nq * sizeof *q;
    const double tolerance = p->tolerance > 0 ? p->tolerance : 1e-9, enough = tolerance * tolerance;
    const int32_t iterations = p->iterations ? p->iterations : 200;
    const int32_t attempts = p->attempts ? p->attempts : 4;
    int32_t budget = iterations, attempt = 0;
    int stationary = 0;
    lay_out(model, scratch, &s);
    read_limits(&s);
    hml_rng_seed(&rng, p->seed);
    hml_configuration_integrate(model, q, memset(s.z, 0, s.nv * sizeof(double)), q); /* quaternions become unit */
    TRY(read_start(&s, q));
    clamp(&s, q);
    memcpy(s.best, q, bytes); /* where nothing can be added up, it is the best there is */
    remember(&s, q, residual(&s, q, 0));
    for (; attempt < attempts && s.best_error > enough && budget > 0; attempt++) {
        if (attempt) {
            memcpy(q, s.best, bytes);
            restart(&s, &rng, 0.1 * pow(3, attempt - 1), q);
        }
        stationary = descend(&s, q, enough, &budget);
    }
    memcpy(q, s.best, bytes);
    const hml_ik_result all = {
        .error = sqrt(s.best_error), .iterations = iterations - budget, .attempts = attempt, .stationary = stationary};
    struct_give(result, &all, sizeof all);
    return s.best_error <= enough ? HML_OK : HML_NOT_CONVERGED;
}
