/*
 * Every scheme on trees with every joint type, under forces that depend on time and velocity: the error falls
 * with the power of the step that theory says, and all schemes go to the same motion.
 */
#include <stdio.h>

#include "motion_check.h"

static const draw_tree_spec specs[] = {
    {.nbodies = 6, .root = HML_JOINT_FREE},
    {.nbodies = 6, .root = HML_JOINT_SPHERICAL, .points = 1},
    {.nbodies = 6, .root = HML_JOINT_PLANAR, .forest = 1},
    {.nbodies = 5, .root = HML_JOINT_SCHOENFLIES, .passive = 1},
};

enum { SPECS = sizeof specs / sizeof *specs };

/* the state at the end of `duration` with fixed steps */
static void end_state(const mover *m, hml_scheme scheme, int steps, double duration, double *q, double *v)
{
    hml_forces forces = {.struct_size = sizeof forces, .function = mover_push, .context = (void *)m};
    hml_motion *motion = mover_start(m, scheme, duration / steps, 0, &forces);
    assert_int_equal(hml_motion_advance(motion, duration), HML_OK);
    assert_true(hml_motion_time(motion) == duration);
    memcpy(q, hml_motion_position(motion), m->nq * sizeof *q);
    memcpy(v, hml_motion_velocity(motion), m->n * sizeof *v);
    hml_motion_info info = {.struct_size = sizeof info};
    assert_int_equal(hml_motion_get_info(motion, &info), HML_OK);
    assert_int_equal(info.steps, steps);
    hml_motion_free(motion);
}

/*
 * Orders from two halvings, against a reference by fifth order with far shorter steps. Where the next power of the step
 * adds c h to the order that one halving shows, 2 p(h/2) − p(h) is free of it: so steps can be long enough that
 * round-off does not show. Fifth order on the first tree: longer steps are not on the slope yet, a second halving is
 * lost in round-off, the first one is enough.
 */
static void test_orders(void **state)
{
    (void)state;
    static const int steps[HML_SCHEME_COUNT] = {512, 128, 64, 0, 128, 128, 64}, fifth[SPECS] = {96, 80, 40, 40};
    const double duration = 1;
    uint64_t seed = 21;
    for (int i = 0; i < SPECS; i++) {
        double q_ref[NQ], v_ref[NV];
        mover m = mover_draw(&seed, &specs[i]);
        end_state(&m, HML_SCHEME_DOPRI5, 2048, duration, q_ref, v_ref);
        for (int k = 0; k < HML_SCHEME_COUNT; k++) {
            double error[3];
            for (int half = 0; half < 3; half++) {
                double q[NQ], v[NV];
                end_state(&m, (hml_scheme)k, (steps[k] ? steps[k] : fifth[i]) << half, duration, q, v);
                error[half] = mover_distance(&m, q_ref, v_ref, q, v);
            }
            double first = log2(error[0] / error[1]), second = log2(error[1] / error[2]);
            double order = steps[k] || i ? 2 * second - first : first;
            printf("tree %d, %-12s errors %.2e %.2e %.2e, order %.3f\n", i, hml_scheme_name((hml_scheme)k), error[0],
                   error[1], error[2], order);
            assert_true(fabs(order - hml_scheme_order((hml_scheme)k)) < 0.1);
        }
        mover_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
