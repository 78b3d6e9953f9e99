/*
 * Motions far from t = 0, where a clock ticks more coarsely than the steps are long: 0.24 µs at 1.7e9 s (seconds since
 * 1970), 0.12 ms at 1e12 s, 0.125 s at 1e15 s. What is integrated is the time that passes, wherever it begins.
 */
#include "motion_check.h"

static const double ORIGINS[] = {0, 1.7e9, 1e12, 1e15, -1e15};
enum { NORIGINS = sizeof ORIGINS / sizeof *ORIGINS };

static mover ball(void)
{
    mover m = mover_body(HML_JOINT_FREE, 1, (const double[3]){0, 0, 0}, (const double[3]){1, 1, 1},
                         (const double[3]){0, 0, -9.81});
    m.q[2] = 1;
    return m;
}

static hml_motion *start_at(const mover *m, hml_scheme scheme, double step, double t, const hml_forces *forces)
{
    hml_motion_options options;
    hml_motion *motion = NULL;
    hml_motion_options_init(&options);
    options.scheme = scheme;
    options.step = step;
    assert_int_equal(hml_motion_new(m->model, m->work, &options, forces, t, m->q, m->v, &motion), HML_OK);
    return motion;
}

/* a second of free fall; semi-implicit Euler falls g h/2 s too far, the others are exact for a parabola */
static void test_a_second_is_a_second(void **state)
{
    (void)state;
    mover m = ball();
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        for (int k = 0; k < NORIGINS; k++) {
            const double h = 1e-3, t = ORIGINS[k], fall = 0.5 * 9.81 * (1 + (scheme == HML_SCHEME_EULER ? h : 0));
            hml_motion *motion = start_at(&m, (hml_scheme)scheme, h, t, NULL);
            assert_int_equal(hml_motion_advance(motion, t + 1), HML_OK);
            assert_true(hml_motion_time(motion) == t + 1);
            /* 1000 steps, each rounded to a few units in the last place of 10 m/s */
            assert_true(fabs(hml_motion_position(motion)[2] - (1 - fall)) < 1e-11);
            assert_true(fabs(hml_motion_velocity(motion)[2] + 9.81) < 1e-11);
            hml_motion_free(motion);
        }
    }
    mover_close(&m);
}

/* the same by a user's own loop, step by step: the clock reads `until` when everything is done and not before */
static void test_a_loop_over_steps_ends_at_its_end(void **state)
{
    (void)state;
    mover m = ball();
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        for (int k = 0; k < NORIGINS; k++) {
            double t = ORIGINS[k], before = t;
            hml_motion *motion = start_at(&m, (hml_scheme)scheme, 0.01, t, NULL);
            while (hml_motion_time(motion) < t + 1) {
                assert_int_equal(hml_motion_step(motion, t + 1), HML_OK);
                assert_true(hml_motion_time(motion) >= before && hml_motion_time(motion) <= t + 1);
                before = hml_motion_time(motion);
            }
            assert_true(fabs(hml_motion_velocity(motion)[2] + 9.81) < 1e-12);
            hml_motion_free(motion);
        }
    }
    mover_close(&m);
}

/* a robot of every joint moves alike, whenever it begins; dopri5 chooses the same steps up to their rounding */
static void test_robots_do_not_know_the_date(void **state)
{
    (void)state;
    static const draw_tree_spec tree = {.nbodies = 6, .root = HML_JOINT_FREE};
    uint64_t seed = 61;
    mover m = mover_draw(&seed, &tree);
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        hml_motion *now = start_at(&m, (hml_scheme)scheme, 0.004, 0, NULL);
        assert_int_equal(hml_motion_advance(now, 0.5), HML_OK);
        for (int k = 1; k < NORIGINS; k++) {
            double t = ORIGINS[k];
            hml_motion *then = start_at(&m, (hml_scheme)scheme, 0.004, t, NULL);
            assert_int_equal(hml_motion_advance(then, t + 0.5), HML_OK);
            /* rounding of the lengths of 125 steps, and dopri5's own local error of 1e-12 a step */
            assert_true(mover_distance(&m, hml_motion_position(now), hml_motion_velocity(now),
                                       hml_motion_position(then), hml_motion_velocity(then)) < 1e-9);
            hml_motion_free(then);
        }
        hml_motion_free(now);
    }
    mover_close(&m);
}

static hml_status height(void *context, double t, const double *q, const double *v, double *value)
{
    const double *range = context; /* the first and the last time that may be asked for */
    (void)v;
    assert_true(t >= range[0] && t <= range[1]);
    *value = q[2];
    return HML_OK;
}

/* the ball hits the ground after √(2/g); its state is found to the last bits, its time to those a number there has */
static void test_events_and_dense_output(void **state)
{
    (void)state;
    static const hml_scheme schemes[] = {HML_SCHEME_DOPRI5, HML_SCHEME_RK4};
    mover m = ball();
    for (int k = 0; k < 2 * NORIGINS; k++) {
        double origin = ORIGINS[k / 2], expected = sqrt(2 / 9.81), t = 0, q[NQ], v[NV], range[2];
        double tick = nextafter(fabs(origin) + 1, INFINITY) - (fabs(origin) + 1);
        hml_motion *motion = start_at(&m, schemes[k % 2], 0.03, origin, NULL);
        for (int found = 0; !found;) {
            range[0] = hml_motion_time(motion);
            assert_int_equal(hml_motion_step(motion, origin + 2), HML_OK);
            range[1] = hml_motion_time(motion);
            assert_int_equal(hml_motion_find(motion, height, range, &found, &t, q, v), HML_OK);
            double end[NQ];
            assert_int_equal(hml_motion_at(motion, range[1], end, NULL), HML_OK);
            assert_memory_equal(end, hml_motion_position(motion), m.nq * sizeof *end);
            assert_int_equal(hml_motion_at(motion, range[0], end, NULL), HML_OK);
            assert_int_equal(hml_motion_at(motion, range[1] + 0.03 + 2 * tick, end, NULL), HML_INVALID_ARGUMENT);
        }
        assert_true(fabs(t - origin - expected) <= 1e-11 + tick);
        assert_true(q[2] <= 0 && q[2] > -1e-12);
        assert_true(fabs(v[2] + sqrt(2 * 9.81)) < 1e-10);
        assert_int_equal(hml_motion_at(motion, t, q, v), HML_OK);
        assert_true(fabs(q[2]) <= 1e-11 + 4.5 * fmin(tick, 0.03)); /* it falls at 4.43 m/s */
        hml_motion_free(motion);
    }
    mover_close(&m);
}

/* what pushes is asked at times of the step: a force that doubles after half a second does so there */
static hml_status late(void *context, double t, const double *q, const double *v, double *tau, double *wrenches)
{
    (void)q, (void)v, (void)wrenches;
    if (t >= *(const double *)context + 0.5) tau[2] -= 9.81;
    return HML_OK;
}

static void test_forces_see_the_time(void **state)
{
    (void)state;
    mover m = ball();
    for (int k = 0; k < NORIGINS; k++) {
        double origin = ORIGINS[k];
        hml_forces forces = {.struct_size = sizeof forces, .function = late, .context = &origin};
        hml_motion *motion = start_at(&m, HML_SCHEME_RK4, 1e-3, origin, &forces);
        assert_int_equal(hml_motion_advance(motion, origin + 1), HML_OK);
        /* 9.81 + 4.905: one step of 1 ms straddles the moment; at 1e15 the clock knows eighths of a second */
        assert_true(fabs(hml_motion_velocity(motion)[2] + 1.5 * 9.81) < (fabs(origin) > 1e14 ? 1.3 : 0.011));
        hml_motion_free(motion);
    }
    mover_close(&m);
}

/* a motion that blows up stops with a status: steps do not shrink for ever */
static void test_hopeless_steps_stop(void **state)
{
    (void)state;
    mover m = ball();
    m.v[0] = 1e60, m.v[4] = 1e60;
    for (int k = 0; k < NORIGINS; k++) {
        hml_motion *motion = start_at(&m, HML_SCHEME_DOPRI5, 0, ORIGINS[k], NULL);
        assert_int_not_equal(hml_motion_advance(motion, ORIGINS[k] + 1), HML_OK);
        hml_motion_free(motion);
    }
    hml_motion *motion = start_at(&m, HML_SCHEME_DOPRI5, 0, -1e308, NULL);
    assert_int_equal(hml_motion_step(motion, 1e308), HML_INVALID_ARGUMENT); /* that time is no number */
    hml_motion_free(motion);
    mover_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_second_is_a_second),        cmocka_unit_test(test_a_loop_over_steps_ends_at_its_end),
        cmocka_unit_test(test_robots_do_not_know_the_date), cmocka_unit_test(test_events_and_dense_output),
        cmocka_unit_test(test_forces_see_the_time),         cmocka_unit_test(test_hopeless_steps_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
