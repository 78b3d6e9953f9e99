/* How many steps a way may take: ways too long for their steps, stiff robots, and what is said about them. */
#include <stdio.h>

#include "motion_check.h"

/* a wheel of 1 kg m², and a damper of 1e6 N m s: dopri5 needs steps of 3.3 µs though nothing moves */
static const double TARGET[1] = {0}, NONE[1] = {0}, DAMPING[1] = {1e6};

static mover wheel(void)
{
    mover m = mover_body(HML_JOINT_REVOLUTE, 1, (const double[3]){0, 0, 0}, (const double[3]){1, 1, 1},
                         (const double[3]){0, 0, 0});
    m.v[0] = 1;
    return m;
}

static hml_motion *start(const mover *m, hml_scheme scheme, double step, int64_t max_steps, int stiff)
{
    const hml_forces forces = {.struct_size = sizeof forces, .target = TARGET, .stiffness = NONE, .damping = DAMPING};
    hml_motion_options options;
    hml_motion *motion = NULL;
    hml_motion_options_init(&options);
    options.scheme = scheme;
    options.step = step;
    options.max_steps = max_steps;
    assert_int_equal(hml_motion_new(m->model, m->work, &options, stiff ? &forces : NULL, 0, m->q, m->v, &motion),
                     HML_OK);
    return motion;
}

static int64_t tried(const hml_motion *motion)
{
    hml_motion_info info = {.struct_size = sizeof info};
    assert_int_equal(hml_motion_get_info(motion, &info), HML_OK);
    return info.steps + info.rejected;
}

/* the sentence about a status has both texts */
static void says(const hml_motion *motion, hml_status status, double until, const char *a, const char *b)
{
    hml_error error;
    assert_int_equal(hml_motion_explain(motion, status, until, &error), HML_OK);
    assert_int_equal(error.status, status);
    if (!strstr(error.message, a) || !strstr(error.message, b)) fail_msg("'%s'", error.message);
}

/* nothing moves back, and what cannot be reached is not answered with OK */
static void test_motions_go_forward(void **state)
{
    (void)state;
    mover m = wheel();
    hml_motion *motion = start(&m, HML_SCHEME_RK4, 1e-3, 0, 0);
    assert_int_equal(hml_motion_advance(motion, 0.5), HML_OK);
    assert_int_equal(hml_motion_advance(motion, 0.5), HML_OK);
    assert_int_equal(hml_motion_advance(motion, 0.25), HML_INVALID_ARGUMENT);
    says(motion, HML_INVALID_ARGUMENT, 0.25, "is at 0.5 s and cannot go to 0.25 s", "forward");
    assert_int_equal(hml_motion_advance(motion, NAN), HML_INVALID_ARGUMENT);
    says(motion, HML_INVALID_ARGUMENT, NAN, "nan", "not a time");
    assert_true(hml_motion_time(motion) == 0.5);
    hml_motion_free(motion);
    mover_close(&m);
}

static void test_a_stiff_motion_stops_and_goes_on(void **state)
{
    (void)state;
    mover m = wheel();
    hml_motion *motion = start(&m, HML_SCHEME_DOPRI5, 0, 2000, 1);
    double before = 0;
    for (int call = 1; call <= 3; call++) {
        assert_int_equal(hml_motion_advance(motion, 100), HML_TOO_MANY_STEPS);
        assert_int_equal(tried(motion), 2000 * call);
        assert_true(hml_motion_time(motion) > before && hml_motion_time(motion) < 0.1);
        assert_true(isfinite(hml_motion_velocity(motion)[0]));
        before = hml_motion_time(motion);
        char reached[64];
        snprintf(reached, sizeof reached, "at %.9g s", before);
        says(motion, HML_TOO_MANY_STEPS, 100, reached, "alpha");
    }
    assert_int_equal(hml_motion_advance(motion, before + 1e-3), HML_OK); /* which takes some 300 of them */
    hml_motion_free(motion);
    mover_close(&m);
}

/* what the sentence advises works */
static void test_implicit_integrators_go_over_it(void **state)
{
    (void)state;
    static const hml_scheme schemes[] = {HML_SCHEME_ALPHA, HML_SCHEME_VARIATIONAL, HML_SCHEME_EULER};
    mover m = wheel();
    for (int k = 0; k < 3; k++) {
        hml_motion *motion = start(&m, schemes[k], 1e-3, 2000, 1);
        assert_int_equal(hml_motion_advance(motion, 1), HML_OK);
        assert_true(fabs(hml_motion_velocity(motion)[0]) <= 1);
        hml_motion_free(motion);
    }
    mover_close(&m);
}

/* the number of equal steps is known before the first one */
static void test_too_short_steps_are_refused_at_once(void **state)
{
    (void)state;
    mover m = wheel();
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        hml_motion *motion = start(&m, (hml_scheme)scheme, 1e-3, 0, 0);
        assert_int_equal(hml_motion_advance(motion, 1e9), HML_TOO_MANY_STEPS);
        assert_int_equal(tried(motion), 0);
        assert_true(hml_motion_time(motion) == 0);
        says(motion, HML_TOO_MANY_STEPS, 1e9, "1e+12 steps", "max_steps");
        assert_int_equal(hml_motion_step(motion, 1e9), HML_OK); /* one step is not too many */
        hml_motion_free(motion);
    }
    mover_close(&m);
}

static void test_as_many_as_needed_suffice(void **state)
{
    (void)state;
    mover m = wheel();
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        if (scheme == HML_SCHEME_DOPRI5) continue; /* begins with shorter ones */
        hml_motion *enough = start(&m, (hml_scheme)scheme, 1e-3, 1000, 0);
        assert_int_equal(hml_motion_advance(enough, 1), HML_OK);
        assert_int_equal(tried(enough), 1000);
        hml_motion *few = start(&m, (hml_scheme)scheme, 1e-3, 999, 0);
        assert_int_equal(hml_motion_advance(few, 1), HML_TOO_MANY_STEPS);
        assert_int_equal(tried(few), 0);
        hml_motion_free(few);
        hml_motion_free(enough);
    }
    mover_close(&m);
}

static void test_the_default_grows_with_the_way(void **state)
{
    (void)state;
    mover m = wheel();
    hml_motion *free_steps = start(&m, HML_SCHEME_DOPRI5, 0, 0, 0), *motion = start(&m, HML_SCHEME_DOPRI5, 1e-3, 0, 0);
    assert_int_equal(hml_motion_most_steps(free_steps, 1e9), 1000000);
    assert_int_equal(hml_motion_most_steps(motion, 10), 1010000);
    assert_int_equal(hml_motion_most_steps(motion, 99999), 100000000);
    assert_int_equal(hml_motion_most_steps(motion, 100001), 0);
    assert_int_equal(hml_motion_most_steps(motion, -1), 1000000); /* nothing to do */
    assert_int_equal(hml_motion_most_steps(motion, NAN), 0);
    assert_int_equal(hml_motion_most_steps(NULL, 1), 0);
    hml_motion_free(free_steps);
    hml_motion_free(motion);
    motion = start(&m, HML_SCHEME_RK4, 1e-3, INT64_MAX, 0);
    assert_true(hml_motion_most_steps(motion, 1e12) == INT64_MAX);
    hml_motion_free(motion);
    mover_close(&m);
}

static void test_other_failures_have_sentences(void **state)
{
    (void)state;
    mover m = wheel();
    hml_error error;
    hml_motion *adaptive = start(&m, HML_SCHEME_DOPRI5, 0, 0, 0), *implicit = start(&m, HML_SCHEME_ALPHA, 1e-3, 0, 0);
    says(adaptive, HML_NOT_CONVERGED, 1, "at 0 s", "tolerance of 1e-12");
    says(implicit, HML_NOT_CONVERGED, 1, "a step of 0.001 s", "50 iterations");
    says(implicit, HML_NOT_FINITE, 1, "at 0 s", hml_status_message(HML_NOT_FINITE));
    assert_int_equal(hml_motion_explain(NULL, HML_SINGULAR, 1, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_motion_explain(implicit, HML_SINGULAR, 1, NULL), HML_INVALID_ARGUMENT);
    hml_motion_free(adaptive);
    hml_motion_free(implicit);
    hml_motion_options options;
    hml_motion_options_init(&options);
    options.max_steps = -1;
    assert_int_equal(hml_motion_new(m.model, m.work, &options, NULL, 0, m.q, m.v, &adaptive), HML_INVALID_ARGUMENT);
    mover_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions_go_forward),
        cmocka_unit_test(test_a_stiff_motion_stops_and_goes_on),
        cmocka_unit_test(test_implicit_integrators_go_over_it),
        cmocka_unit_test(test_too_short_steps_are_refused_at_once),
        cmocka_unit_test(test_as_many_as_needed_suffice),
        cmocka_unit_test(test_the_default_grows_with_the_way),
        cmocka_unit_test(test_other_failures_have_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
