/*
 * Derivatives of optimal control problems against differences of eighth order: the terms at each kind of knot, every step, and
 * along the step of an iteration the sum of all costs, which passes through every linearized step and across the gaps; with
 * each scheme. And the steps of rk2 and rk4 against those of hml_motion, which knows nothing of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "control/shooting.h"
#include "difference.h"
#include "hamel/configuration.h"
#include "hamel/io.h"

enum { HELD = 3, FLYING = 2, N = HELD + 1 + FLYING, TERMS = 17, NQ = 32, NV = 32 };

typedef struct scene {
    hml_model *model;
    hml_constraint feet[2][4];
    hml_constraints holds[2];
    hml_phase phases[3];
    hml_term terms[TERMS];
    hml_problem problem;
    double q[NQ], reference[NQ], turned[16], numbers[64], lower[64], upper[64];
    hml_solver *solver;
    hml_rng rng;
} scene;

static hml_status own(void *context, size_t knot, const double *q, const double *v, const double *u, double *r,
                      double *r_x, double *r_u)
{
    (void)knot;
    const size_t n = *(const size_t *)context;
    r[0] = sin(v[7]) * v[8] + 0.5 * q[7 + 2];
    r[1] = v[9] + (u ? u[1] * u[0] : 0);
    if (r_x) {
        memset(r_x, 0, 4 * n * sizeof *r_x);
        r_x[n + 7] = cos(v[7]) * v[8], r_x[n + 8] = sin(v[7]), r_x[6 + 2] = 0.5, r_x[3 * n + 9] = 1;
    }
    if (r_u) {
        memset(r_u, 0, 2 * 12 * sizeof *r_u);
        r_u[12] = u[1], r_u[13] = u[0];
    }
    return HML_OK;
}

static size_t size_18 = 18;

/* the same at many knots, of which the end has no input */
static hml_status own_at_all(void *context, size_t knot, size_t count, const double *q, const double *v,
                             const double *u, double *r, double *r_x, double *r_u)
{
    const size_t n = *(const size_t *)context;
    hml_status status = HML_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const int ends = knot + i == N;
        status = own(context, knot + i, q + i * (n + 1), v + i * n, ends ? NULL : u + i * 12, r + i * 2,
                     r_x ? r_x + i * 4 * n : NULL, r_u && !ends ? r_u + i * 2 * 12 : NULL);
    }
    return status;
}

/* four feet on the ground, an impact of two, then the air; every kind of term wherever it can be */
static void set_terms(scene *s)
{
    const int32_t foot = hml_model_find_frame(s->model, "fl_foot"), camera = hml_model_find_frame(s->model, "camera");
    const hml_term all[TERMS] = {
        {.kind = HML_TERM_CONFIGURATION, .last = N, .weight = 3, .reference = {s->reference, 0}},
        {.kind = HML_TERM_VELOCITY, .last = N, .weight = 0.3, .weights = s->numbers, .reference = {s->numbers, 0}},
        {.kind = HML_TERM_INPUT, .last = N - 1, .weight = 0.01, .reference = {s->numbers, 0}},
        {.kind = HML_TERM_POSITION, .frame = foot, .last = N, .weight = 10, .reference = {s->numbers, 0}},
        {.kind = HML_TERM_ORIENTATION, .frame = camera, .last = N, .weight = 2},
        {.kind = HML_TERM_POSE, .frame = camera, .last = N, .weight = 2, .reference = {s->turned, 0}},
        {.kind = HML_TERM_TWIST, .frame = foot, .representation = HML_MIXED, .last = N, .weight = 0.5},
        {.kind = HML_TERM_TWIST, .frame = camera, .representation = HML_LEFT, .last = N, .weight = 0.5},
        {.kind = HML_TERM_COM, .last = N, .weight = 7, .weights = s->numbers},
        {.kind = HML_TERM_FORCE, .hold = 1, .last = HELD, .weight = 1e-4, .reference = {s->numbers, 0}},
        {.kind = HML_TERM_CONE,
         .role = HML_ROLE_BARRIER,
         .hold = 0,
         .last = HELD,
         .weight = 1e-3,
         .friction = 0.6,
         .normal = {0.1, -0.2, 2},
         .facets = 6},
        {.kind = HML_TERM_LIMITS, .role = HML_ROLE_BARRIER, .first = 1, .last = N, .weight = 5},
        {.kind = HML_TERM_OWN, .last = N, .weight = 2, .rows = 2, .function = own, .context = &size_18},
        {.kind = HML_TERM_VELOCITY,
         .role = HML_ROLE_CONSTRAINT,
         .first = 2,
         .last = N,
         .weight = 1,
         .lower = s->lower,
         .upper = s->upper},
        {.kind = HML_TERM_MOMENTUM, .last = N, .weight = 0.2, .weights = s->numbers, .reference = {s->numbers, 0}},
        {.kind = HML_TERM_DISTANCE,
         .frame = foot,
         .other = camera,
         .last = N,
         .weight = 30,
         .reference = {s->numbers, 0}},
        {.kind = HML_TERM_OWN,
         .first = 1,
         .last = N,
         .weight = 2,
         .rows = 2,
         .knots_function = own_at_all,
         .context = &size_18},
    };
    memcpy(s->terms, all, sizeof all);
}

static void random_motion(scene *s, double speed)
{
    double q[(N + 1) * NQ], v[(N + 1) * NV], u[N * NV];
    const size_t nq = s->solver->nq, n = s->solver->n, m = s->solver->m;
    for (size_t k = 0; k <= N; k++) {
        for (size_t i = 0; i < n; i++) v[k * n + i] = hml_rng_uniform(&s->rng, -0.4, 0.4);
        assert_int_equal(hml_configuration_integrate(s->model, s->q, v + k * n, q + k * nq), HML_OK);
        for (size_t i = 0; i < n; i++) v[k * n + i] = hml_rng_uniform(&s->rng, -speed, speed);
        for (size_t i = 0; k < N && i < m; i++) u[k * m + i] = hml_rng_uniform(&s->rng, -5, 5);
    }
    assert_int_equal(hml_solver_start(s->solver, q, v), HML_OK);
    assert_int_equal(hml_solver_guess(s->solver, q, v, u), HML_OK);
    s->solver->penalty = 2;
    for (size_t i = 0; i < s->solver->terms[13].rows; i++) s->solver->terms[13].multipliers[i] = i % 3 ? 1 : -1;
}

static const hml_scheme schemes[] = {HML_SCHEME_EULER, HML_SCHEME_RK2, HML_SCHEME_RK4};

static void open_scene(scene *s, double h, hml_scheme scheme)
{
    static const char *const names[4] = {"fl_foot", "hr_foot", "fr_foot", "hl_foot"};
    memset(s, 0, sizeof *s);
    hml_rng_seed(&s->rng, 3);
    assert_int_equal(hml_load_builtin("quadruped", NULL, &s->model, NULL), HML_OK);
    assert_int_equal(hml_configuration_neutral(s->model, s->q), HML_OK);
    assert_int_equal(hml_configuration_random(s->model, &s->rng, s->reference), HML_OK);
    const double turned[16] = {0, -1, 0, 0.3, 1, 0, 0, 0.1, 0, 0, 1, 0.2, 0, 0, 0, 1};
    memcpy(s->turned, turned, sizeof turned);
    for (int i = 0; i < 64; i++) {
        s->numbers[i] = hml_rng_uniform(&s->rng, 0, 1);
        s->lower[i] = i % 2 ? -0.2 : 0.1, s->upper[i] = i % 2 ? 0.2 : i % 4 ? 0.1 : INFINITY;
    }
    for (int i = 0; i < 4; i++) {
        s->feet[0][i] =
            (hml_constraint){.kind = HML_HOLD_POINT, .frame = hml_model_find_frame(s->model, names[i]), .damping = 20};
        s->feet[1][i] = s->feet[0][i];
    }
    for (int i = 0; i < 2; i++) s->holds[i] = HML_STRUCT(hml_constraints, .items = s->feet[i], .count = i ? 2 : 4);
    s->phases[0] = (hml_phase){.knots = HELD, .h = h, .holds = &s->holds[0], .scheme = scheme};
    s->phases[1] = (hml_phase){.knots = 1, .holds = &s->holds[1], .impact = 1};
    s->phases[2] = (hml_phase){.knots = FLYING, .h = h, .scheme = scheme};
    set_terms(s);
    s->problem = HML_STRUCT(hml_problem, .model = s->model, .phases = s->phases, .nphases = 3, .terms = s->terms,
                            .nterms = TERMS, .q = s->q);
    hml_error error = {0};
    if (hml_solver_new(&s->problem, NULL, &s->solver, &error)) fail_msg("%s", error.message);
}

static void close_scene(scene *s)
{
    hml_solver_free(s->solver);
    hml_model_free(s->model);
}

/* ---- at one knot ---- */

typedef struct direction {
    scene *s;
    size_t knot, term;
    double z[2 * NV], w[NV];
} direction;

/* the knot moved by t along the direction, in trial, with its forces */
static void move(const direction *d, double t)
{
    hml_solver *s = d->s->solver;
    const size_t k = d->knot, n = s->n, nq = s->nq, m = s->m;
    double z[NV] = {0};
    for (size_t i = 0; i < n; i++) z[i] = t * d->z[i];
    assert_int_equal(hml_configuration_integrate(s->model, s->now.q + k * nq, z, s->trial.q + k * nq), HML_OK);
    for (size_t i = 0; i < n; i++) s->trial.v[k * n + i] = s->now.v[k * n + i] + t * d->z[n + i];
    if (k == s->N) return;
    for (size_t i = 0; i < m; i++) s->trial.u[k * m + i] = s->now.u[k * m + i] + t * d->w[i];
    hmli_shooting_force(s, s->trial.u + k * m, s->trial.tau + k * n);
    assert_int_equal(hmli_shooting_step(s, &s->workers[0], &s->trial, k), HML_OK);
}

static void merit_at(const void *context, double t, double *out)
{
    const direction *d = context;
    hml_solver *s = d->s->solver;
    move(d, t / 4);
    assert_int_equal(hmli_shooting_cost(s, &s->workers[0], &s->trial, d->knot, 0, 0), HML_OK);
    *out = s->trial.merit[d->knot];
}

static void residual_at(const void *context, double t, double *out)
{
    const direction *d = context;
    hml_solver *s = d->s->solver;
    const size_t k = d->knot;
    term_place at = {.term = d->term, .knot = k, .q = s->trial.q + k * s->nq, .v = s->trial.v + k * s->n};
    term_shape shape;
    if (k < s->N) at.u = s->trial.u + k * s->m, at.lambda = s->trial.lambda + k * s->forces;
    move(d, t / 4);
    assert_int_equal(hmli_term_residual(s, &s->workers[0], &at, &shape), HML_OK);
    for (size_t i = 0; i < s->terms[d->term].rows; i++) out[i] = shape == TERM_NONE ? 0 : s->workers[0].r[i];
}

/* zᵀ lₓₓ z + 2 wᵀ l_ux z + wᵀ l_uu w */
static double curvature(const direction *d)
{
    const hml_solver *s = d->s->solver;
    const size_t n = s->n, m = s->m, ldx = s->size.ldx;
    const double *lxx = s->lxx + d->knot * 2 * n * ldx, *lu = s->lu + d->knot * m * s->size.ld;
    double sum = 0;
    for (size_t i = 0; i < 2 * n; i++)
        for (size_t j = 0; j <= i; j++) sum += (i == j ? 1 : 2) * d->z[i] * lxx[i * ldx + j] * d->z[j];
    for (size_t i = 0; d->knot < s->N && i < m; i++) {
        for (size_t j = 0; j < 2 * n; j++) sum += 2 * d->w[i] * lu[i * s->size.ld + j] * d->z[j];
        for (size_t j = 0; j < m; j++) sum += d->w[i] * lu[i * s->size.ld + 2 * n + j] * d->w[j];
    }
    return sum;
}

/* Σ c (dr/dt)², the rule's curvature c as the cost itself uses it: active or not */
static double curvature_by_differences(direction *d)
{
    hml_solver *s = d->s->solver;
    double sum = 0;
    for (d->term = 0; d->term < TERMS; d->term++) {
        const hml_term *t = &s->problem.terms[d->term];
        double rate[DIFFERENCE_MAX], here[DIFFERENCE_MAX];
        if (d->knot < t->first || d->knot > t->last) continue;
        difference(residual_at, d, s->terms[d->term].rows, rate);
        residual_at(d, 0, here);
        for (size_t i = 0; i < s->terms[d->term].rows; i++) {
            const shooting_term *x = &s->terms[d->term];
            double c = t->weight * (t->weights ? t->weights[i] : 1), r = here[i];
            if (t->role == HML_ROLE_CONSTRAINT)
                r += x->multipliers[(d->knot - t->first) * x->rows + i] / (s->penalty * c), c *= s->penalty;
            const int active = t->role == HML_ROLE_COST || r < x->lower[i] || r > x->upper[i] ||
                               (t->role == HML_ROLE_CONSTRAINT && x->lower[i] == x->upper[i]);
            if (active) sum += c * 16 * rate[i] * rate[i]; /* t runs at a quarter of the speed */
        }
    }
    return sum;
}

static void near(double a, double b, double tolerance, const char *what, size_t knot)
{
    if (!(fabs(a - b) <= tolerance * (1 + fabs(b)))) fail_msg("%s of knot %zu: %.17g is not %.17g", what, knot, a, b);
}

static void check_terms(hml_scheme scheme)
{
    scene s;
    open_scene(&s, 0.02, scheme);
    random_motion(&s, 1);
    hml_solver *x = s.solver;
    assert_int_equal(hmli_shooting_evaluate(x, &x->now, 1), HML_OK);
    for (size_t k = 0; k <= N; k++) {
        for (int trial = 0; trial < 6; trial++) {
            direction d = {.s = &s, .knot = k};
            double slope = 0, should;
            for (size_t i = 0; i < 2 * x->n; i++) d.z[i] = hml_rng_uniform(&s.rng, -0.1, 0.1);
            for (size_t i = 0; k < N && k != HELD && i < x->m; i++) d.w[i] = hml_rng_uniform(&s.rng, -0.1, 0.1);
            difference(merit_at, &d, 1, &should);
            for (size_t i = 0; i < 2 * x->n; i++) slope += x->lx[k * 2 * x->n + i] * d.z[i];
            for (size_t i = 0; k < N && i < x->m; i++)
                slope += x->lu[(k * x->m + i) * x->size.ld + 2 * x->n + x->m] * d.w[i];
            near(slope, 4 * should, 1e-9, "gradient", k); /* forces of 1e2, squared, lose four digits */
            near(curvature(&d), curvature_by_differences(&d), 1e-9, "curvature", k);
        }
    }
    close_scene(&s);
}

static void test_terms(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check_terms(schemes[i]);
}

/* ---- one step ---- */

/* where the step leads, seen from the next knot: (q⁺ ⊖ q, ν⁺ − ν) */
static void next_at(const void *context, double t, double *out)
{
    const direction *d = context;
    hml_solver *s = d->s->solver;
    const size_t k = d->knot, n = s->n, nq = s->nq;
    move(d, t / 4);
    assert_int_equal(hml_configuration_difference(s->model, s->now.q + (k + 1) * nq, s->trial.q_next + k * nq, out),
                     HML_OK);
    for (size_t i = 0; i < n; i++) out[n + i] = s->trial.v_next[k * n + i] - s->now.v[(k + 1) * n + i];
}

/* D and F of schemes with stages; the others have no D, and the slope below sees their E and H */
static void test_steps(void **state)
{
    (void)state;
    for (int scheme = 1; scheme < 3; scheme++) {
        scene s;
        open_scene(&s, 0.05, schemes[scheme]);
        random_motion(&s, 1);
        hml_solver *x = s.solver;
        const size_t n = x->n, ld = x->size.ld;
        assert_int_equal(hmli_shooting_evaluate(x, &x->now, 1), HML_OK);
        for (size_t k = 0; k < N; k++) {
            if (k == HELD) continue; /* the impact */
            direction d = {.s = &s, .knot = k};
            double should[2 * NV], is[2 * NV];
            for (size_t i = 0; i < 2 * n; i++) d.z[i] = hml_rng_uniform(&s.rng, -0.1, 0.1);
            for (size_t i = 0; i < x->m; i++) d.w[i] = hml_rng_uniform(&s.rng, -1, 1);
            difference(next_at, &d, 2 * n, should);
            for (size_t r = 0; r < 2 * n; r++) {
                const double *row = (r < n ? x->D : x->F) + (k * n + r % n) * ld;
                is[r] = 0;
                for (size_t c = 0; c < 2 * n; c++) is[r] += row[c] * d.z[c];
                for (size_t c = 0; c < x->m; c++) is[r] += row[2 * n + c] * d.w[c];
                near(is[r], 4 * should[r], 1e-10, "step", k);
            }
        }
        close_scene(&s);
    }
}

/* the steps of hml_motion, one by one and linearized */
static void test_motion(void **state)
{
    (void)state;
    for (int scheme = 1; scheme < 3; scheme++) {
        scene s;
        open_scene(&s, 0.03, schemes[scheme]);
        random_motion(&s, 1);
        hml_solver *x = s.solver;
        const size_t n = x->n, nq = x->nq;
        double tau[NV], to[NV];
        double *room = malloc(hml_constraint_scratch_doubles(s.model, &s.holds[0]) * sizeof *room);
        assert_non_null(room);
        assert_int_equal(hmli_shooting_evaluate(x, &x->now, 1), HML_OK);
        for (size_t k = 0; k < N; k++) {
            if (k == HELD) continue;
            hml_motion_options options;
            hml_motion *motion = NULL;
            hmli_shooting_force(x, x->now.u + k * x->m, tau);
            hml_motion_options_init(&options);
            options.scheme = schemes[scheme], options.step = 0.03;
            if (k < HELD) options.constraints = &s.holds[0], options.constraint_scratch = room;
            assert_int_equal(hml_motion_new(s.model, x->workers[0].work, &options, &HML_STRUCT(hml_forces, .tau = tau),
                                            0, x->now.q + k * nq, x->now.v + k * n, &motion),
                             HML_OK);
            assert_int_equal(hml_motion_step(motion, 0.03), HML_OK);
            memcpy(x->trial.q + k * nq, x->now.q + k * nq, nq * sizeof *to);
            memcpy(x->trial.v + k * n, x->now.v + k * n, n * sizeof *to);
            memcpy(x->trial.tau + k * n, tau, n * sizeof *to);
            assert_int_equal(hmli_shooting_step(x, &x->workers[0], &x->trial, k), HML_OK);
            const shooting_motion *both[2] = {&x->now, &x->trial};
            for (int e = 0; e < 2; e++) {
                assert_int_equal(
                    hml_configuration_difference(s.model, hml_motion_position(motion), both[e]->q_next + k * nq, to),
                    HML_OK);
                for (size_t i = 0; i < n; i++) {
                    near(to[i], 0, 1e-12, "q of hml_motion", k);
                    near(both[e]->v_next[k * n + i], hml_motion_velocity(motion)[i], 1e-11, "ν of hml_motion", k);
                }
            }
            hml_motion_free(motion);
        }
        free(room);
        close_scene(&s);
    }
}

/* ---- along the step of an iteration ---- */

static void sum_at(const void *context, double t, double *out)
{
    hml_solver *s = (hml_solver *)context; /* its trial changes */
    assert_int_equal(hmli_shooting_try(s, t / 64), HML_OK);
    *out = 0;
    for (size_t k = 0; k <= s->N; k++) *out += s->trial.merit[k];
}

static void check_slope(hml_scheme scheme)
{
    scene s;
    open_scene(&s, 0.01, scheme);
    for (int trial = 0; trial < 5; trial++) {
        random_motion(&s, 0.5);
        hml_solver *x = s.solver;
        double should;
        assert_int_equal(hmli_shooting_evaluate(x, &x->now, 1), HML_OK);
        assert_true(x->now.gap_sum > 1); /* the guess jumps */
        x->regularization = 1e-3;
        assert_int_equal(hmli_shooting_backward(x), HML_OK);
        const double slope = hmli_shooting_slope(x);
        difference(sum_at, x, 1, &should);
        near(slope, 64 * should, 1e-6, "slope", 0);
    }
    close_scene(&s);
}

static void test_slope(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) check_slope(schemes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terms), cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_motion), cmocka_unit_test(test_slope)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
