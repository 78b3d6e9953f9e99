/* Frames through the public functions: refusals, the world, mimic joints, distance from the origin, frames of links. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/se3.h"

enum { MAX_NV = 64, MAX_NQ = 96, MAX_BODIES = 40 };
#define ALL_TYPES 0xffeu /* every joint type but fixed */

typedef struct robot {
    hml_model *model;
    hml_work *work;
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV];
} robot;

static void robot_open(robot *r, const hml_random_spec *spec)
{
    hml_rng rng;
    hml_rng_seed(&rng, spec->seed + 100);
    assert_int_equal(hml_model_random(spec, &r->model), HML_OK);
    assert_true(hml_model_nv(r->model) <= MAX_NV && hml_model_nbodies(r->model) <= MAX_BODIES);
    assert_int_equal(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_TREE, &r->work), HML_OK);
    assert_int_equal(hml_configuration_random(r->model, &rng, r->q), HML_OK);
    for (int i = 0; i < MAX_NV; i++) r->v[i] = hml_rng_normal(&rng), r->a[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

static hml_random_spec spec_of(uint64_t seed)
{
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.shape = HML_RANDOM_ANY;
    spec.nframes = 6;
    return spec;
}

typedef struct results {
    double pose[16], J[6 * MAX_NV], Jdot[6 * MAX_NV], twist[6], acceleration[6];
} results;

static hml_status frame(const robot *r, int32_t index, hml_representation rep, results *x)
{
    hml_frame_motion m = {sizeof m, x->pose, x->J, x->Jdot, x->twist, x->acceleration};
    return hml_frame(r->model, r->work, index, rep, r->q, r->v, r->a, &m);
}

static double worst(const double *x, const double *y, int n)
{
    double off = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= off)) off = fabs(x[i] - y[i]);
    return off;
}

static void test_representations_are_of_one_motion(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        hml_random_spec spec = spec_of(seed);
        robot r;
        spec.joint_types = ALL_TYPES & ~(1u << HML_JOINT_UNIVERSAL);
        spec.mimic = seed % 2 ? 0.4 : 0;
        robot_open(&r, &spec);
        int nv = hml_model_nv(r.model);
        for (int32_t f = 0; f < hml_model_nframes(r.model); f++) {
            results left, x;
            assert_int_equal(frame(&r, f, HML_LEFT, &left), HML_OK);
            for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
                double V[6], A[6], sum[6] = {0};
                assert_int_equal(frame(&r, f, (hml_representation)rep, &x), HML_OK);
                assert_memory_equal(x.pose, left.pose, sizeof x.pose);
                assert_int_equal(hml_twist_convert(x.pose, HML_LEFT, left.twist, (hml_representation)rep, V), HML_OK);
                assert_int_equal(hml_acceleration_convert(x.pose, HML_LEFT, left.twist, left.acceleration,
                                                          (hml_representation)rep, A),
                                 HML_OK);
                assert_true(worst(V, x.twist, 6) < 1e-12 && worst(A, x.acceleration, 6) < 1e-11);
                for (int i = 0; i < 6; i++)
                    for (int c = 0; c < nv; c++) sum[i] += x.J[i * nv + c] * r.a[c] + x.Jdot[i * nv + c] * r.v[c];
                assert_true(worst(sum, x.acceleration, 6) < 1e-11);
            }
        }
        robot_close(&r);
    }
}

/* central differences of poses and twists along the motion: they know nothing of Jacobians, and follow mimic joints */
static void test_against_differences(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        hml_random_spec spec = spec_of(seed);
        robot r, p, m;
        const double h = 1e-5;
        spec.joint_types = ALL_TYPES;
        spec.mimic = seed % 2 ? 0.4 : 0;
        robot_open(&r, &spec);
        p = m = r;
        int nv = hml_model_nv(r.model);
        double z[MAX_NV];
        for (int i = 0; i < nv; i++) z[i] = h * (r.v[i] + h / 2 * r.a[i]), p.v[i] = r.v[i] + h * r.a[i];
        assert_int_equal(hml_configuration_integrate(r.model, r.q, z, p.q), HML_OK);
        for (int i = 0; i < nv; i++) z[i] = -h * (r.v[i] - h / 2 * r.a[i]), m.v[i] = r.v[i] - h * r.a[i];
        assert_int_equal(hml_configuration_integrate(r.model, r.q, z, m.q), HML_OK);
        for (int32_t f = 0; f < hml_model_nframes(r.model); f++) {
            for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
                results x, xp, xm;
                double back[16], forth[16], xi[6], V[6], A[6];
                assert_int_equal(frame(&r, f, (hml_representation)rep, &x), HML_OK);
                assert_int_equal(frame(&p, f, (hml_representation)rep, &xp), HML_OK);
                assert_int_equal(frame(&m, f, (hml_representation)rep, &xm), HML_OK);
                hml_se3_between(x.pose, xp.pose, forth);
                hml_se3_between(x.pose, xm.pose, back);
                hml_se3_log(forth, xi);
                hml_se3_log(back, V);
                for (int i = 0; i < 6; i++) {
                    V[i] = (xi[i] - V[i]) / (2 * h);
                    A[i] = (xp.twist[i] - xm.twist[i]) / (2 * h);
                }
                hml_twist_convert(x.pose, HML_LEFT, V, (hml_representation)rep, V);
                assert_true(worst(V, x.twist, 6) < 1e-6); /* third derivatives are a few hundred: h² 1e2 */
                assert_true(worst(A, x.acceleration, 6) < 1e-6);
            }
        }
        robot_close(&r);
    }
}

static void test_a_thousand_kilometres_away(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        hml_random_spec spec = spec_of(seed);
        robot r, far;
        robot_open(&r, &spec);
        far = r;
        far.q[0] += 1e6, far.q[1] -= 2e6, far.q[2] += 3e6;
        for (int32_t f = 0; f < hml_model_nframes(r.model); f++) {
            static const hml_representation here[] = {HML_LEFT, HML_MIXED, HML_SPLIT};
            for (int i = 0; i < 3; i++) { /* to the last bit: the position does not enter */
                results x, y;
                memset(&x, 0, sizeof x);
                memset(&y, 0, sizeof y);
                assert_int_equal(frame(&r, f, here[i], &x), HML_OK);
                assert_int_equal(frame(&far, f, here[i], &y), HML_OK);
                assert_memory_equal(x.J, y.J, sizeof x.J);
                assert_memory_equal(x.Jdot, y.Jdot, sizeof x.Jdot);
                assert_memory_equal(x.twist, y.twist, sizeof x.twist);
                assert_memory_equal(x.acceleration, y.acceleration, sizeof x.acceleration);
            }
        }
        robot_close(&r);
    }
}

/* a chain of four joints on the world, the first of them at x */
static void chain_open(robot *r, double x)
{
    hml_builder *b = hml_builder_new();
    char names[5][4] = {"", "a", "b", "c", "d"};
    memset(r, 0, sizeof *r);
    for (int i = 1; i < 5; i++) {
        hml_joint_spec j;
        hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
        j.name = names[i];
        j.axis[0] = 0.2 * i, j.axis[1] = 1, j.axis[2] = 0.7 - 0.3 * i;
        j.position[0] = i == 1 ? x : 0.4, j.position[1] = 0.1 * i;
        assert_int_equal(hml_builder_add_body(b, names[i], i == 1 ? NULL : names[i - 1], &j, NULL, NULL), HML_OK);
        r->q[i - 1] = 0.3 * i, r->v[i - 1] = 1 - 0.4 * i, r->a[i - 1] = 0.5;
    }
    assert_int_equal(hml_builder_build(b, 0, &r->model, NULL), HML_OK);
    assert_int_equal(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_TREE, &r->work), HML_OK);
    hml_builder_free(b);
}

static void test_a_robot_fixed_a_thousand_kilometres_away(void **state)
{
    (void)state;
    robot here, far;
    results x, y;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    chain_open(&here, 0);
    chain_open(&far, 1e6);
    assert_int_equal(frame(&here, 3, HML_LEFT, &x), HML_OK);
    assert_int_equal(frame(&far, 3, HML_LEFT, &y), HML_OK);
    assert_memory_equal(x.J, y.J, sizeof x.J);
    assert_memory_equal(x.Jdot, y.Jdot, sizeof x.Jdot);
    assert_memory_equal(x.acceleration, y.acceleration, sizeof x.acceleration);
    robot_close(&here);
    robot_close(&far);
}

static void test_poses_of_bodies_are_those_of_their_frames(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        hml_random_spec spec = spec_of(seed);
        robot r;
        double H[16 * MAX_BODIES];
        spec.joint_types = ALL_TYPES;
        spec.mimic = 0.3;
        robot_open(&r, &spec);
        assert_int_equal(hml_body_poses(r.model, r.work, r.q, H), HML_OK);
        for (int32_t b = 0; b < hml_model_nbodies(r.model); b++) {
            results x;
            assert_int_equal(frame(&r, b, HML_LEFT, &x), HML_OK);
            assert_true(worst(x.pose, H + 16 * b, 16) < 1e-14);
        }
        robot_close(&r);
    }
}

static void test_partial_outputs_are_the_same(void **state)
{
    (void)state;
    hml_random_spec spec = spec_of(3);
    robot r;
    results all, x;
    robot_open(&r, &spec);
    int nv = hml_model_nv(r.model);
    assert_int_equal(frame(&r, 7, HML_MIXED, &all), HML_OK);
    hml_frame_motion only_J = {.struct_size = sizeof only_J, .J = x.J}, only_Jdot = {sizeof only_Jdot, .Jdot = x.Jdot};
    hml_frame_motion only_A = {.struct_size = sizeof only_A, .acceleration = x.acceleration};
    assert_int_equal(hml_frame(r.model, r.work, 7, HML_MIXED, r.q, NULL, NULL, &only_J), HML_OK);
    assert_int_equal(hml_frame(r.model, r.work, 7, HML_MIXED, r.q, r.v, NULL, &only_Jdot), HML_OK);
    assert_int_equal(hml_frame(r.model, r.work, 7, HML_MIXED, r.q, r.v, r.a, &only_A), HML_OK);
    assert_memory_equal(x.J, all.J, (size_t)(6 * nv) * sizeof(double));
    assert_memory_equal(x.Jdot, all.Jdot, (size_t)(6 * nv) * sizeof(double));
    assert_memory_equal(x.acceleration, all.acceleration, sizeof all.acceleration);
    robot_close(&r);
}

static void test_refusals(void **state)
{
    (void)state;
    hml_random_spec spec = spec_of(4);
    robot r;
    results x;
    double H[16 * MAX_BODIES];
    robot_open(&r, &spec);
    hml_frame_motion m = {.struct_size = sizeof m, .twist = x.twist};
    assert_int_equal(frame(&r, -1, HML_LEFT, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(frame(&r, hml_model_nframes(r.model), HML_LEFT, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(frame(&r, 0, (hml_representation)4, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_frame(r.model, r.work, 0, HML_LEFT, r.q, NULL, NULL, &m), HML_INVALID_ARGUMENT);
    m.twist = NULL, m.acceleration = x.acceleration;
    assert_int_equal(hml_frame(r.model, r.work, 0, HML_LEFT, r.q, r.v, NULL, &m), HML_INVALID_ARGUMENT);
    m.struct_size = 3;
    assert_int_equal(hml_frame(r.model, r.work, 0, HML_LEFT, r.q, r.v, r.a, &m), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_body_poses(r.model, r.work, NULL, H), HML_INVALID_ARGUMENT);
    r.q[4] = 9;
    assert_int_equal(frame(&r, 0, HML_LEFT, &x), HML_NOT_NORMALIZED);
    assert_int_equal(hml_body_poses(r.model, r.work, r.q, H), HML_NOT_NORMALIZED);
    r.q[4] = NAN;
    assert_int_equal(frame(&r, 0, HML_LEFT, &x), HML_NOT_FINITE);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_representations_are_of_one_motion),
        cmocka_unit_test(test_against_differences),
        cmocka_unit_test(test_a_thousand_kilometres_away),
        cmocka_unit_test(test_a_robot_fixed_a_thousand_kilometres_away),
        cmocka_unit_test(test_poses_of_bodies_are_those_of_their_frames),
        cmocka_unit_test(test_partial_outputs_are_the_same),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
