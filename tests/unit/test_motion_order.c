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
 * Orders from one halving, against a reference by fifth order with far shorter steps. The steps are short enough that
 * the next power of the step adds less than 0.1 to the order, long enough that round-off does not show; for the fifth
 * order both are near, tree by tree.
 */
static void test_orders(void **state)
{
    (void)state;
    static const int steps[HML_SCHEME_COUNT] = {1024, 256, 128, 0, 256, 256}, fifth[SPECS] = {112, 256, 80, 80};
    const double duration = 1;
    uint64_t seed = 21;
    for (int i = 0; i < SPECS; i++) {
        double q_ref[NQ], v_ref[NV];
        mover m = mover_draw(&seed, &specs[i]);
        end_state(&m, HML_SCHEME_DOPRI5, 2048, duration, q_ref, v_ref);
        for (int k = 0; k < HML_SCHEME_COUNT; k++) {
            double error[2];
            for (int half = 0; half < 2; half++) {
                double q[NQ], v[NV];
                end_state(&m, (hml_scheme)k, (steps[k] ? steps[k] : fifth[i]) << half, duration, q, v);
                error[half] = mover_distance(&m, q_ref, v_ref, q, v);
            }
            double order = log2(error[0] / error[1]);
            printf("tree %d, %-12s errors %.2e %.2e, order %.3f\n", i, hml_scheme_name((hml_scheme)k), error[0],
                   error[1], order);
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
