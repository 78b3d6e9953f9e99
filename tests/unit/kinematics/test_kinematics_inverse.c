/* Inverse kinematics: targets that can be reached, singular starts, targets out of reach, limits, locked coordinates.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/inverse_kinematics.h"
#include "hamel/se3.h"

enum { MAX_NV = 64, MAX_NQ = 96 };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    double *memory;
    hml_rng rng;
} robot;

static void robot_of_model(robot *r, hml_model *model, uint64_t seed)
{
    r->model = model;
    assert_true(hml_model_nv(model) <= MAX_NV && hml_model_nq(model) <= MAX_NQ);
    assert_int_equal(hml_work_new(model, HML_ISA_SCALAR, HML_USE_TREE, &r->work), HML_OK);
    r->memory = malloc(hml_ik_scratch_doubles(model) * sizeof(double));
    hml_rng_seed(&r->rng, seed);
}

static void robot_random(robot *r, hml_random_spec spec)
{
    hml_model *model;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    robot_of_model(r, model, spec.seed);
}

static void robot_close(robot *r)
{
    free(r->memory);
    hml_work_free(r->work);
    hml_model_free(r->model);
}

static void pose_of_frame(const robot *r, const double *q, int32_t frame, int32_t reference, double *H)
{
    hml_frame_motion m = {.struct_size = sizeof m, .pose = H};
    assert_int_equal(hml_frame_relative(r->model, r->work, frame, reference, HML_LEFT, q, NULL, NULL, &m), HML_OK);
}

/* the targets as they are at a configuration */
static void set_targets(const robot *r, const double *q, int n, hml_ik_target *targets)
{
    for (int i = 0; i < n; i++) pose_of_frame(r, q, targets[i].frame, targets[i].reference, targets[i].pose);
}

static void assert_reached(const robot *r, const double *q, int n, const hml_ik_target *targets)
{
    for (int i = 0; i < n; i++) {
        double H[16], X[16], xi[6];
        pose_of_frame(r, q, targets[i].frame, targets[i].reference, H);
        hml_se3_between(H, targets[i].pose, X);
        hml_se3_log(X, xi);
        for (int k = 0; k < 3 && targets[i].position > 0; k++)
            assert_true(fabs(H[4 * k + 3] - targets[i].pose[4 * k + 3]) < 1e-8);
        for (int k = 3; k < 6 && targets[i].rotation > 0; k++) assert_true(fabs(xi[k]) < 1e-8);
    }
}

static void test_reachable_targets(void **state)
{
    (void)state;
    int solved = 0, tried = 0;
    for (uint64_t seed = 1; seed < 60; seed++) {
        hml_random_spec spec;
        robot r;
        double goal[MAX_NQ], q[MAX_NQ], z[MAX_NV];
        hml_random_spec_init(&spec);
        spec.seed = seed;
        spec.shape = HML_RANDOM_ANY;
        spec.joint_types = seed % 2 ? 0xffeu : 1u << HML_JOINT_REVOLUTE;
        spec.mimic = seed % 3 ? 0 : 0.3;
        robot_random(&r, spec);
        int32_t nb = hml_model_nbodies(r.model);
        hml_ik_target targets[] = {{.frame = nb - 1, .reference = HML_WORLD, .position = 1, .rotation = 0.5},
                                   {.frame = nb / 2, .reference = HML_WORLD, .position = 1, .rotation = 0},
                                   {.frame = 1, .reference = nb - 2, .position = 0, .rotation = 1}};
        hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 3, .targets = targets, .attempts = 10};
        hml_ik_result result = {.struct_size = sizeof result};
        p.iterations = 500;
        assert_int_equal(hml_configuration_random(r.model, &r.rng, goal), HML_OK);
        set_targets(&r, goal, 3, targets);
        for (int i = 0; i < hml_model_nv(r.model); i++) z[i] = 0.5 * hml_rng_normal(&r.rng);
        assert_int_equal(hml_configuration_integrate(r.model, goal, z, q), HML_OK);
        hml_status status = hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result);
        tried++;
        if (status == HML_OK) {
            solved++;
            assert_true(result.error <= 1e-9);
            assert_reached(&r, q, 3, targets);
        } else {
            assert_int_equal(status, HML_NOT_CONVERGED); /* a local minimum of a mimic joint or a prismatic chain */
            assert_true(result.error > 1e-9);
        }
        robot_close(&r);
    }
    assert_true(solved >= tried - 3);
}

/* ---- the whole robot ---- */

static void floating(robot *r, uint64_t seed)
{
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_SPHERICAL | 1u << HML_JOINT_PRISMATIC;
    robot_random(r, spec);
}

static void com_at(const robot *r, const double *q, double com[3])
{
    const hml_centroidal_motion x = {.struct_size = sizeof x, .com = com};
    assert_int_equal(hml_centroidal(r->model, r->work, q, NULL, NULL, &x), HML_OK);
}

static void momentum_at(const robot *r, const double *q, const double *v, double momentum[6])
{
    const hml_centroidal_motion x = {.struct_size = sizeof x, .momentum = momentum};
    assert_int_equal(hml_centroidal(r->model, r->work, q, v, NULL, &x), HML_OK);
}

/* a foot stays where it is and the centre of mass goes elsewhere; at a solution the steps are Newton's, so few do it */
static void test_centre_of_mass(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        robot r;
        double goal[MAX_NQ], q[MAX_NQ], z[MAX_NV], wanted[3], com[3];
        floating(&r, seed);
        hml_ik_target foot = {.frame = hml_model_nbodies(r.model) - 1, .reference = HML_WORLD, .position = 1};
        hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &foot, .com = wanted};
        hml_ik_result result = {.struct_size = sizeof result};
        p.com_weight = seed % 2 ? 0 : 3;
        hml_configuration_random(r.model, &r.rng, goal);
        set_targets(&r, goal, 1, &foot);
        com_at(&r, goal, wanted);
        for (int i = 0; i < hml_model_nv(r.model); i++) z[i] = 0.2 * hml_rng_normal(&r.rng);
        hml_configuration_integrate(r.model, goal, z, q);
        assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result), HML_OK);
        assert_true(result.attempts == 1 && result.iterations <= 12);
        assert_reached(&r, q, 1, &foot);
        com_at(&r, q, com);
        for (int i = 0; i < 3; i++) assert_true(fabs(com[i] - wanted[i]) < 1e-8);
        robot_close(&r);
    }
}

/* an arm of a floating robot reaches while its momentum is given: the base turns the other way */
static void test_momentum(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        robot r;
        double q0[MAX_NQ], q[MAX_NQ], goal[MAX_NQ], z[MAX_NV], wanted[6], had[6];
        floating(&r, seed);
        const int32_t nv = hml_model_nv(r.model);
        hml_ik_target hand = {.frame = hml_model_nbodies(r.model) - 1, .reference = HML_WORLD, .position = 1};
        hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &hand, .momentum = wanted};
        hml_ik_result result = {.struct_size = sizeof result};
        const double duration = seed % 2 ? 1 : 0.25;
        p.duration = seed % 2 ? 0 : duration;
        p.momentum_weight[1] = seed % 3 ? 0 : 2; /* sometimes only the angular part */
        hml_configuration_random(r.model, &r.rng, q0);
        for (int i = 0; i < nv; i++) z[i] = 0.3 * hml_rng_normal(&r.rng);
        hml_configuration_integrate(r.model, q0, z, goal);
        set_targets(&r, goal, 1, &hand);
        for (int i = 0; i < nv; i++) z[i] /= duration;
        momentum_at(&r, q0, z, wanted);
        memcpy(q, q0, sizeof q);
        assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result), HML_OK);
        assert_true(result.attempts == 1 && result.iterations <= 20);
        assert_reached(&r, q, 1, &hand);
        hml_configuration_difference(r.model, q0, q, z);
        for (int i = 0; i < nv; i++) z[i] /= duration;
        momentum_at(&r, q0, z, had);
        const double scale = hml_model_mass(r.model) / duration;
        for (int i = seed % 3 ? 0 : 3; i < 6; i++) assert_true(fabs(had[i] - wanted[i]) < 1e-8 * scale);
        robot_close(&r);
    }
}

static void test_tasks_that_make_no_sense(void **state)
{
    (void)state;
    robot r;
    double q[MAX_NQ], six[6] = {0};
    floating(&r, 1);
    hml_ik_problem p = {.struct_size = sizeof p, .com = six, .momentum = six};
    hml_configuration_neutral(r.model, q);
    p.com_weight = -1;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_INVALID_ARGUMENT);
    p.com_weight = 0, p.duration = NAN;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_INVALID_ARGUMENT);
    p.duration = 0, p.momentum_weight[0] = -1;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_INVALID_ARGUMENT);
    p.momentum_weight[0] = 0, six[5] = NAN;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_NOT_FINITE);
    six[5] = 0, six[2] = INFINITY, p.momentum = NULL;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_NOT_FINITE);
    robot_close(&r);
}

static hml_model *planar_arm(int n, double lower, double upper);

static void test_nothing_has_mass(void **state)
{
    (void)state;
    robot r;
    double q[MAX_NQ] = {0};
    const double com[3] = {1, 1, 0};
    robot_of_model(&r, planar_arm(2, -3, 3), 1);
    hml_ik_problem p = {.struct_size = sizeof p, .com = com};
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_SINGULAR);
    robot_close(&r);
}

/* an arm of n unit links in a plane, joints j0, j1, …, tool at the end */
static hml_model *planar_arm(int n, double lower, double upper)
{
    hml_builder *b = hml_builder_new();
    hml_model *model = NULL;
    const double tip[3] = {1, 0, 0}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    char name[8] = "", parent[8] = "", joint[8];
    for (int i = 0; i < n; i++) {
        hml_joint_spec j;
        hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
        name[0] = 'b', name[1] = (char)('0' + i), joint[0] = 'j', joint[1] = (char)('0' + i), joint[2] = 0;
        j.name = joint;
        j.axis[0] = 0, j.axis[1] = 0, j.axis[2] = 1;
        j.position[0] = i ? 1 : 0;
        j.lower[0] = lower, j.upper[0] = upper;
        assert_int_equal(hml_builder_add_body(b, name, i ? parent : NULL, &j, NULL, NULL), HML_OK);
        memcpy(parent, name, sizeof parent);
    }
    assert_int_equal(hml_builder_add_frame(b, "tool", name, tip, one, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    return model;
}

static hml_ik_target tool_target(const robot *r, double x, double y)
{
    hml_ik_target t = {.frame = hml_model_find_frame(r->model, "tool"), .reference = HML_WORLD, .position = 1};
    hml_se3_identity(t.pose);
    t.pose[3] = x, t.pose[7] = y;
    return t;
}

/* stretched out, and the target on the line of the arm: the gradient is zero, only a kick helps */
static void test_singular_starts(void **state)
{
    (void)state;
    robot r;
    robot_of_model(&r, planar_arm(3, -HUGE_VAL, HUGE_VAL), 1);
    for (int i = 0; i < 10; i++) {
        double q[3] = {0, 0, 0}, a = 0.3 * i, reach = 0.2 + 0.25 * i;
        hml_ik_target t = tool_target(&r, reach * cos(a), reach * sin(a));
        hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &t};
        hml_ik_result result = {.struct_size = sizeof result};
        assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result), HML_OK);
        assert_reached(&r, q, 1, &t);
        if (i == 0) assert_true(result.attempts > 1);
    }
    /* and the target at the very end of the reach, where the Jacobian of the solution is singular */
    double q[3] = {0.4, 0.5, -0.7};
    hml_ik_target t = tool_target(&r, 3 * cos(0.2), 3 * sin(0.2));
    hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &t, .tolerance = 1e-7};
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_OK);
    assert_true(fabs(q[0] - 0.2) < 1e-2 && fabs(q[1]) < 1e-2 && fabs(q[2]) < 1e-2);
    robot_close(&r);
}

static void test_out_of_reach(void **state)
{
    (void)state;
    robot r;
    robot_of_model(&r, planar_arm(3, -HUGE_VAL, HUGE_VAL), 1);
    double q[3] = {0.4, 0.5, -0.7};
    hml_ik_target t = tool_target(&r, 3, 4);
    hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &t};
    hml_ik_result result = {.struct_size = sizeof result};
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result), HML_NOT_CONVERGED);
    assert_true(fabs(result.error - 2) < 1e-9); /* stretched towards it, two metres are left */
    assert_true(fabs(q[0] - atan2(4, 3)) < 1e-4 && fabs(q[1]) < 1e-4 && fabs(q[2]) < 1e-4);
    robot_close(&r);
}

/* a residual whose square overflows is no way to go: q stays */
static void test_too_far_to_be_measured(void **state)
{
    (void)state;
    robot r;
    robot_of_model(&r, planar_arm(3, -HUGE_VAL, HUGE_VAL), 1);
    double q[3] = {0.4, 0.5, -0.7};
    hml_ik_target t = tool_target(&r, 1e200, 4);
    hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &t};
    memset(r.memory, 0xff, hml_ik_scratch_doubles(r.model) * sizeof(double));
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_NOT_CONVERGED);
    assert_true(q[0] == 0.4 && q[1] == 0.5 && q[2] == -0.7);
    robot_close(&r);
}

static void test_limits(void **state)
{
    (void)state;
    robot r;
    double q[2] = {0.1, 0.3};
    robot_of_model(&r, planar_arm(2, -0.5, 1.0), 1);
    /* within the limits */
    hml_ik_target t = tool_target(&r, cos(0.7) + cos(1.6), sin(0.7) + sin(1.6));
    hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &t};
    hml_ik_result result = {.struct_size = sizeof result};
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result), HML_OK);
    assert_true(fabs(q[0] - 0.7) < 1e-8 && fabs(q[1] - 0.9) < 1e-8);
    /* behind the arm: the shoulder ends at its limit, and the elbow makes the best of it */
    t = tool_target(&r, -1, 0.5);
    q[0] = 0.1, q[1] = 0.3;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result), HML_NOT_CONVERGED);
    assert_true(q[0] <= 1 && q[0] >= -0.5 && q[1] <= 1 && q[1] >= -0.5);
    assert_true(fabs(q[0] - 1) < 1e-12 && fabs(q[1] - 1) < 1e-12);
    assert_true(result.stationary);
    /* the same without limits */
    p.ignore_limits = 1;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, &result), HML_OK);
    assert_reached(&r, q, 1, &t);
    robot_close(&r);
}

static void test_locked_coordinates_stay(void **state)
{
    (void)state;
    hml_random_spec spec;
    robot r;
    double goal[MAX_NQ], q[MAX_NQ], start[MAX_NQ];
    int locked[MAX_NV] = {1, 1, 1, 1, 1, 1};
    hml_random_spec_init(&spec);
    spec.shape = HML_RANDOM_CHAIN;
    robot_random(&r, spec);
    assert_int_equal(hml_configuration_random(r.model, &r.rng, goal), HML_OK);
    memcpy(q, goal, sizeof q);
    for (int i = 7; i < hml_model_nq(r.model); i++) q[i] += 0.4 * hml_rng_normal(&r.rng);
    memcpy(start, q, sizeof q);
    hml_ik_target t = {.frame = hml_model_nbodies(r.model) - 1, .reference = HML_WORLD, .position = 1, .rotation = 0.3};
    hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &t, .locked = locked};
    set_targets(&r, goal, 1, &t);
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_OK);
    assert_reached(&r, q, 1, &t);
    for (int i = 0; i < 7; i++) assert_true(fabs(q[i] - start[i]) < 1e-12);
    robot_close(&r);
}

static void test_refusals(void **state)
{
    (void)state;
    robot r;
    double q[2] = {0, 0};
    robot_of_model(&r, planar_arm(2, -1, 1), 1);
    hml_ik_target t = tool_target(&r, 1, 1);
    hml_ik_problem p = {.struct_size = sizeof p, .ntargets = 1, .targets = &t};
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, NULL, q, NULL), HML_INVALID_ARGUMENT);
    t.frame = 99;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_INVALID_ARGUMENT);
    t = tool_target(&r, 1, 1);
    t.rotation = NAN;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_INVALID_ARGUMENT);
    t = tool_target(&r, 1, NAN);
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_NOT_FINITE);
    t = tool_target(&r, 1, 1);
    t.pose[0] = 2;
    assert_int_equal(hml_inverse_kinematics(r.model, r.work, &p, r.memory, q, NULL), HML_NOT_NORMALIZED);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reachable_targets),
        cmocka_unit_test(test_centre_of_mass),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_tasks_that_make_no_sense),
        cmocka_unit_test(test_nothing_has_mass),
        cmocka_unit_test(test_singular_starts),
        cmocka_unit_test(test_out_of_reach),
        cmocka_unit_test(test_too_far_to_be_measured),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_locked_coordinates_stay),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
