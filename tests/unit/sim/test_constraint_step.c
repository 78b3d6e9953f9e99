/*
 * Steps of held robots: against their definition, their derivatives against central differences of eighth order of the
 * steps themselves, many states against each by itself.
 */
#include "constraint_check.h"
#include "difference.h"

enum { STATES = 70 }; /* more than are linearized at once */

static const double h = 0.02;

typedef struct matrices {
    double q[MOST], v[MOST], lambda[MOST];
    double Ad[4 * MOST * MOST], Bd[2 * MOST * MOST], Lq[MOST * MOST], Lv[MOST * MOST], Ltau[MOST * MOST];
} matrices;

static double *step_room;

static void open_step(stage *s, int count)
{
    open_stage(s, count);
    for (int i = 0; i < s->nv; i++) s->v[i] *= 0.3;
    step_room = calloc(hml_constrained_step_scratch_doubles(s->model, &s->set), sizeof *step_room);
    assert_non_null(step_room);
}

static void close_step(stage *s)
{
    free(step_room);
    close_stage(s);
}

static hml_constrained_discrete_step step_of(const stage *s, const double *q, const double *v, const double *tau,
                                             matrices *out, int derivatives)
{
    hml_constrained_discrete_step x = {.struct_size = sizeof x, .h = h};
    x.q.data = q, x.v.data = v, x.tau.data = tau, x.wrenches.data = s->wrenches;
    x.q_next.data = out->q, x.v_next.data = out->v, x.lambda.data = out->lambda;
    if (!derivatives) return x;
    x.Ad.data = out->Ad, x.Bd.data = out->Bd;
    x.lambda_q.data = out->Lq, x.lambda_v.data = out->Lv, x.lambda_tau.data = out->Ltau;
    return x;
}

static hml_status take_step(const stage *s, size_t n, const hml_constrained_discrete_step *x, hml_status *status)
{
    return hml_constrained_step(s->model, s->work, &s->set, step_room, n, x, status);
}

/* ---- the definition ---- */

static void check_definition(stage *s, const matrices *got)
{
    double q[MOST], v[MOST], z[MOST];
    ASSERT_OK(forward(s, NULL));
    for (int i = 0; i < s->nv; i++) v[i] = s->v[i] + h * s->a[i], z[i] = h * v[i];
    ASSERT_OK(hml_configuration_integrate(s->model, s->q, z, q));
    assert_all_close(got->q, q, hml_model_nq(s->model), 1e-12);
    assert_all_close(got->v, v, s->nv, 1e-12);
    for (int i = 0; i < s->m; i++) assert_close(got->lambda[i], s->lambda[i], 1e-10 * (1 + fabs(s->lambda[i])));
}

/* ---- differences ---- */

typedef struct moved {
    const stage *s;
    const matrices *end;
    int column; /* of (z_q, z_ν, w) */
} moved;

/* q⁺, ν⁺ and λ at t along the column, the first seen from the end of the step itself */
static void end_at(const void *context, double t, double *out)
{
    const moved *x = context;
    const stage *s = x->s;
    const int n = s->nv;
    double q[MOST], v[MOST], tau[MOST], z[MOST] = {0};
    static matrices at;
    memcpy(v, s->v, sizeof v), memcpy(tau, s->tau, sizeof tau);
    if (x->column < n)
        z[x->column] = t;
    else if (x->column < 2 * n)
        v[x->column - n] += t;
    else
        tau[x->column - 2 * n] += t;
    ASSERT_OK(hml_configuration_integrate(s->model, s->q, z, q));
    const hml_constrained_discrete_step step = step_of(s, q, v, tau, &at, 0);
    ASSERT_OK(take_step(s, 1, &step, NULL));
    ASSERT_OK(hml_configuration_difference(s->model, x->end->q, at.q, out));
    memcpy(out + n, at.v, (size_t)n * sizeof *out);
    memcpy(out + 2 * n, at.lambda, (size_t)s->m * sizeof *out);
}

static double largest(const double *x, int n)
{
    double size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static void check_differences(const stage *s, const matrices *r)
{
    const int n = s->nv, m = s->m;
    const double *by[3] = {r->Lq, r->Lv, r->Ltau};
    for (int c = 0; c < 3 * n; c++) {
        const moved x = {s, r, c};
        double out[DIFFERENCE_MAX];
        assert_true(2 * n + m <= DIFFERENCE_MAX);
        difference(end_at, &x, (size_t)(2 * n + m), out);
        const double *force = by[c / n], scale = largest(force, m * n);
        for (int i = 0; i < 2 * n; i++)
            assert_close(c < 2 * n ? r->Ad[i * 2 * n + c] : r->Bd[i * n + c - 2 * n], out[i], 1e-9);
        for (int i = 0; i < m; i++) assert_close(force[i * n + c % n] / scale, out[2 * n + i] / scale, 1e-9);
    }
}

static void check_step(stage *s)
{
    static matrices plain, all;
    const hml_constrained_discrete_step a = step_of(s, s->q, s->v, s->tau, &plain, 0);
    const hml_constrained_discrete_step b = step_of(s, s->q, s->v, s->tau, &all, 1);
    ASSERT_OK(take_step(s, 1, &a, NULL));
    ASSERT_OK(take_step(s, 1, &b, NULL));
    check_definition(s, &plain);
    check_definition(s, &all);
    check_differences(s, &all);
}

static void test_frame(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[0].damping = 4;
    open_step(&s, 1);
    check_step(&s);
    close_step(&s);
}

static void test_points_under_wrenches(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double wrenches[6 * MOST];
    draw_array(wrenches, 6 * MOST, 2);
    s.wrenches = wrenches;
    s.items[0] = hold(s.model, HML_HOLD_POINT, "foot");
    s.items[1] = hold(s.model, HML_HOLD_POINT, "left_foot");
    open_step(&s, 2);
    check_step(&s);
    close_step(&s);
}

static void test_plane_and_loop(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_PLANE, "foot");
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "foot", "left_foot");
    s.nloops = 1;
    open_step(&s, 1);
    check_step(&s);
    close_step(&s);
}

/* held by nothing, and without dampers: the step of a free robot, to the last bit */
static void test_nothing_held(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    open_step(&s, 0);
    static matrices held, free_one;
    double *room = calloc(hml_step_scratch_doubles(s.model), sizeof *room);
    const hml_constrained_discrete_step x = step_of(&s, s.q, s.v, s.tau, &held, 1);
    ASSERT_OK(take_step(&s, 1, &x, NULL));
    ASSERT_OK(hml_step(s.model, s.work, room,
                       &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = h, .q.data = s.q, .v.data = s.v,
                                   .tau.data = s.tau, .q_next.data = free_one.q, .v_next.data = free_one.v,
                                   .Ad.data = free_one.Ad, .Bd.data = free_one.Bd)));
    assert_all_close(held.Ad, free_one.Ad, 4 * s.nv * s.nv, 1e-12);
    assert_all_close(held.Bd, free_one.Bd, 2 * s.nv * s.nv, 1e-12);
    assert_all_close(held.v, free_one.v, s.nv, 1e-12);
    free(room);
    close_step(&s);
}

/* ---- many states ---- */

static void test_states_of_a_batch(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[1] = hold(s.model, HML_HOLD_POINT, "left_foot");
    open_step(&s, 2);
    const size_t n = (size_t)s.nv, nq = (size_t)hml_model_nq(s.model), m = (size_t)s.m, bad = 66;
    double *q = calloc(STATES * nq, sizeof *q), *v = calloc(STATES * n, sizeof *v);
    double *Ad = calloc(STATES * 4 * n * n, sizeof *Ad), *Bd = calloc(STATES * 2 * n * n, sizeof *Bd);
    double *lambda = calloc(STATES * m, sizeof *lambda), *force_q = calloc(STATES * m * n, sizeof *force_q);
    hml_status status[STATES];
    hml_rng rng;
    hml_rng_seed(&rng, 8);
    for (size_t i = 0; i < STATES; i++) ASSERT_OK(hml_configuration_random(s.model, &rng, q + i * nq));
    draw_array(v, (int)(STATES * n), 1);
    v[bad * n + 2] = NAN;
    static matrices one[2];
    for (int i = 0; i < 2; i++) { /* the first and the last one, before they are overwritten */
        const size_t at = i ? STATES - 1 : 0;
        const hml_constrained_discrete_step x = step_of(&s, q + at * nq, v + at * n, s.tau, &one[i], 1);
        ASSERT_OK(take_step(&s, 1, &x, NULL));
    }
    const hml_constrained_discrete_step x = {.struct_size = sizeof x,
                                             .h = h,
                                             .q = {q, nq},
                                             .v = {v, n},
                                             .tau = {s.tau, 0},
                                             .q_next.data = q, /* in place */
                                             .v_next.data = v,
                                             .lambda.data = lambda,
                                             .Ad.data = Ad,
                                             .Bd.data = Bd,
                                             .lambda_q.data = force_q};
    assert_int_equal(take_step(&s, STATES, &x, status), HML_NOT_FINITE);
    for (size_t i = 0; i < STATES; i++) {
        assert_int_equal(status[i], i == bad ? HML_NOT_FINITE : HML_OK);
        const double *outputs[] = {q + i * nq, v + i * n, lambda + i * m, Ad + i * 4 * n * n, Bd + i * 2 * n * n};
        for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++)
            assert_int_equal(isnan(*outputs[k]) != 0, i == bad);
    }
    for (int i = 0; i < 2; i++) {
        const size_t at = i ? STATES - 1 : 0;
        const double size = largest(one[i].Ad, (int)(4 * n * n)), force = largest(one[i].Lq, (int)(m * n));
        assert_all_close(q + at * nq, one[i].q, (int)nq, 1e-11);
        for (size_t k = 0; k < 4 * n * n; k++) assert_close(Ad[at * 4 * n * n + k] / size, one[i].Ad[k] / size, 1e-11);
        for (size_t k = 0; k < 2 * n * n; k++) assert_close(Bd[at * 2 * n * n + k], one[i].Bd[k], 1e-11);
        for (size_t k = 0; k < m * n; k++) assert_close(force_q[at * m * n + k] / force, one[i].Lq[k] / force, 1e-11);
    }
    free(q), free(v), free(Ad), free(Bd), free(lambda), free(force_q);
    close_step(&s);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_POINT, "foot");
    open_step(&s, 1);
    static matrices r;
    const hml_constrained_discrete_step good = step_of(&s, s.q, s.v, s.tau, &r, 1);
    hml_constrained_discrete_step x[6] = {good, good, good, good, good, good};
    x[0].h = NAN, x[1].q.data = NULL, x[2].v_next.data = NULL, x[3].Bd.data = NULL, x[4].struct_size = 8;
    x[5].Ad.ld = 2 * (size_t)s.nv + 1;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        assert_int_equal(take_step(&s, 1, &x[i], NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_step(s.model, s.work, &s.set, NULL, 1, &good, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_step(s.model, s.work, NULL, step_room, 1, &good, NULL), HML_INVALID_ARGUMENT);
    ASSERT_OK(take_step(&s, 0, &good, NULL));
    assert_int_equal(hml_constrained_step_scratch_doubles(NULL, &s.set), 0);
    s.items[0].frame = 1000;
    assert_int_equal(take_step(&s, 1, &good, NULL), HML_INVALID_ARGUMENT);
    close_step(&s);
}

int main(void)
{
    int failed = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),
        cmocka_unit_test(test_points_under_wrenches),
        cmocka_unit_test(test_plane_and_loop),
        cmocka_unit_test(test_nothing_held),
        cmocka_unit_test(test_states_of_a_batch),
        cmocka_unit_test(test_bad_arguments),
    };
    static const hml_isa sets[] = {HML_ISA_BEST, HML_ISA_SCALAR};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        stage_isa = sets[i];
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
