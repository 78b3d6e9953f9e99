/* What pushes a motion: samples, wrenches, servos, and the leaders of mimic joints. */
#include "hamel/edit.h"
#include "hamel/random.h"
#include "motion_check.h"

/* samples on a straight line are the line; held, they are steps, and a motion knows where */
static void test_sampled_forces(void **state)
{
    (void)state;
    mover m = mover_body(HML_JOINT_PRISMATIC, 2, (const double[3]){0, 0, 0}, (const double[3]){1, 1, 1},
                         (const double[3]){0, 0, 0});
    const double times[3] = {0, 1, 2}, force[3] = {0, 4, 8};
    for (int hold = 0; hold < 2; hold++) {
        hml_forces forces = {.struct_size = sizeof forces, .nsamples = 3, .sample_times = times, .samples = force};
        forces.hold = hold;
        hml_motion *motion = mover_start(&m, HML_SCHEME_RK4, 0.01, 0, &forces);
        assert_int_equal(hml_motion_advance(motion, 3), HML_OK);
        /* ramp: ∫ 4t/2 over two seconds, then 4 for one more; held: 0, then 2, then 4 */
        double expected = hold ? 0 + 2 + 4 : 4 + 4;
        /* a step that ends where a sample begins feels it a little: one stage of weight h/6 at each */
        assert_true(fabs(hml_motion_velocity(motion)[0] - expected) < (hold ? 0.01 : 1e-12));
        hml_motion_free(motion);
    }
    mover_close(&m);
}

/* a weight in the world's axes, as a wrench at the com, is gravity */
static void test_wrenches_at_frames(void **state)
{
    (void)state;
    const double none[3] = {0, 0, 0}, earth[3] = {0, 0, -9.81}, moments[3] = {1, 2, 2.5};
    mover floats = mover_body(HML_JOINT_FREE, 2, none, moments, none);
    mover falls = mover_body(HML_JOINT_FREE, 2, none, moments, earth);
    const hml_frame_wrench weight = {.frame = 0, .in_world = 1, .wrench = {0, 0, -2 * 9.81, 0, 0, 0}};
    hml_forces forces = {.struct_size = sizeof forces, .nframe_wrenches = 1, .frame_wrenches = &weight};
    for (int i = 0; i < 6; i++) floats.v[i] = falls.v[i] = 0.3 * i;
    for (int k = 0; k < HML_SCHEME_COUNT; k++) {
        hml_motion *a = mover_start(&floats, (hml_scheme)k, 0.01, 1e-12, &forces);
        hml_motion *b = mover_start(&falls, (hml_scheme)k, 0.01, 1e-12, NULL);
        assert_int_equal(hml_motion_advance(a, 1), HML_OK);
        assert_int_equal(hml_motion_advance(b, 1), HML_OK);
        assert_true(mover_distance(&falls, hml_motion_position(a), hml_motion_velocity(a), hml_motion_position(b),
                                   hml_motion_velocity(b)) < 1e-11);
        hml_motion_free(a);
        hml_motion_free(b);
    }
    mover_close(&floats);
    mover_close(&falls);
}

/* a servo is the same as springs and dampers of the model, for every scheme and joint type */
static void test_servo_is_a_spring(void **state)
{
    (void)state;
    uint64_t seed = 41, again = 41;
    const draw_tree_spec spec = {.nbodies = 5, .root = HML_JOINT_FREE, .passive = 1};
    mover soft = mover_draw(&seed, &spec), bare = mover_draw(&again, &spec);
    double stiffness[NV], damping[NV], rest[NQ];
    for (int32_t j = 0; j < hml_model_njoints(soft.model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        assert_int_equal(hml_model_joint(soft.model, j, &joint), HML_OK);
        for (int32_t k = 0; k < joint.nv; k++) stiffness[joint.v + k] = joint.stiffness[k];
        for (int32_t k = 0; k < joint.nv; k++) damping[joint.v + k] = joint.damping[k];
        for (int32_t k = 0; k < joint.nq; k++) rest[joint.q + k] = joint.rest[k];
    }
    for (int32_t i = 0; i < bare.model->tree_nv; i++) { /* armature stays */
        model_coordinate *c = (model_coordinate *)(uintptr_t)&model_coordinates(bare.model)[i];
        c->stiffness = c->damping = 0;
    }
    hml_forces forces = {.struct_size = sizeof forces, .target = rest, .stiffness = stiffness, .damping = damping};
    for (int k = 0; k < HML_SCHEME_COUNT; k++) {
        hml_motion *a = mover_start(&soft, (hml_scheme)k, 0.01, 1e-12, NULL);
        hml_motion *b = mover_start(&bare, (hml_scheme)k, 0.01, 1e-12, &forces);
        assert_int_equal(hml_motion_advance(a, 0.2), HML_OK);
        assert_int_equal(hml_motion_advance(b, 0.2), HML_OK);
        double gap = mover_distance(&soft, hml_motion_position(a), hml_motion_velocity(a), hml_motion_position(b),
                                    hml_motion_velocity(b));
        assert_true(gap < 1e-12); /* rounding of twenty steps */
        hml_motion_free(a);
        hml_motion_free(b);
    }
    mover_close(&bare);
    mover_close(&soft);
}

/* a robot whose followers mimic moves like its tree does under the constraint: momentum and energy are kept */
static void test_mimic_joints(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_model *model = NULL;
    hml_random_spec_init(&spec);
    spec.mimic = 0.5, spec.nbodies = 9, spec.seed = 5;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    assert_true(model->nfollowers > 0);
    assert_int_equal(hml_model_set_gravity(model, (const double[3]){0, 0, 0}), HML_OK);
    mover m = mover_of(model);
    for (size_t i = 0; i < m.n; i++) m.v[i] = 0.5 + 0.1 * (double)i;
    const totals start = mover_totals(&m, m.q, m.v);
    double q[NQ], v[NV];
    for (int k = 0; k < 2; k++) {
        hml_motion *motion = k ? mover_start(&m, HML_SCHEME_VARIATIONAL, 1e-3, 0, NULL)
                               : mover_start(&m, HML_SCHEME_DOPRI5, 0, 1e-12, NULL);
        assert_int_equal(hml_motion_advance(motion, 1), HML_OK);
        const totals end = mover_totals(&m, hml_motion_position(motion), hml_motion_velocity(motion));
        for (int i = 0; i < 6; i++) assert_true(fabs(end.momentum[i] - start.momentum[i]) < 1e-9);
        assert_true(fabs(end.energy / start.energy - 1) < (k ? 1e-4 : 1e-9));
        if (k) { /* both go the same way: h² of a second order */
            double gap = mover_distance(&m, q, v, hml_motion_position(motion), hml_motion_velocity(motion));
            assert_true(gap < 1e-3);
        } else {
            memcpy(q, hml_motion_position(motion), sizeof(double) * m.nq);
            memcpy(v, hml_motion_velocity(motion), sizeof(double) * m.n);
        }
        hml_motion_free(motion);
    }
    mover_close(&m);
}

/* more armature is more on M's diagonal, and nothing else */
static void test_more_armature(void **state)
{
    (void)state;
    static double M[2][NV * NV], h[NV];
    uint64_t seed = 44;
    const draw_tree_spec spec = {.nbodies = 5, .root = HML_JOINT_FREE};
    mover m = mover_draw(&seed, &spec);
    double more[NV];
    hml_model *heavier = NULL;
    for (size_t i = 0; i < m.n; i++) more[i] = 0.1 * (double)i;
    assert_int_equal(hml_model_with_armature(m.model, more, &heavier), HML_OK);
    mover other = mover_of(heavier);
    for (int k = 0; k < 2; k++) {
        const mover *x = k ? &other : &m;
        hml_dynamics_result d = {.struct_size = sizeof d, .M = M[k], .h = h};
        assert_int_equal(hml_dynamics(x->model, x->work, m.q, m.v, NULL, NULL, &d), HML_OK);
    }
    for (size_t i = 0; i < m.n * m.n; i++) {
        double expected = i % (m.n + 1) == 0 ? more[i / (m.n + 1)] : 0;
        assert_true(fabs(M[1][i] - M[0][i] - expected) < 1e-13);
    }
    heavier = NULL;
    more[1] = -1;
    assert_int_equal(hml_model_with_armature(m.model, more, &heavier), HML_INVALID_ARGUMENT);
    more[1] = NAN;
    assert_int_equal(hml_model_with_armature(m.model, more, &heavier), HML_NOT_FINITE);
    assert_int_equal(hml_model_with_armature(m.model, NULL, &heavier), HML_INVALID_ARGUMENT);
    assert_null(heavier);
    mover_close(&other);
    mover_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sampled_forces),    cmocka_unit_test(test_wrenches_at_frames),
        cmocka_unit_test(test_servo_is_a_spring), cmocka_unit_test(test_mimic_joints),
        cmocka_unit_test(test_more_armature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
