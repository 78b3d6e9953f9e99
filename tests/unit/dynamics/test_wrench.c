/*
 * External wrenches at frames: their generalized force against the power they give, and the derivative of a wrench that
 * keeps its direction in the world against fourth-order differences of forward dynamics.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/linearize.h"
#include "hamel/random.h"
#include "hamel/representation.h"

enum { MOST = 40, BODIES = 16 };

static hml_model *model;
static hml_work *work;
static int nv, nq, frame;
static double q[MOST], v[MOST], tau[MOST];
static const double W[6] = {3, -2, 5, 0.7, 1.1, -0.4};

/* also false for NaN */
#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static int setup(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.nbodies = 9;
    spec.shape = HML_RANDOM_CHAIN;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_SPHERICAL | 1u << HML_JOINT_PLANAR;
    spec.nframes = 6;
    if (hml_model_random(&spec, &model) || hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work)) return 1;
    nv = hml_model_nv(model);
    nq = hml_model_nq(model);
    if (nv > MOST || nq > MOST || hml_model_nbodies(model) > BODIES) return 1;
    int deepest = -1;
    for (int i = 0; i < hml_model_nframes(model); i++) { /* one that is turned and moved against its body */
        hml_frame_info info = {.struct_size = sizeof info};
        if (!hml_model_frame(model, i, &info) && info.body > deepest && info.position[0] != 0) {
            deepest = info.body;
            frame = i;
        }
    }
    hml_rng_seed(&rng, 5);
    for (int i = 0; i < nv; i++) v[i] = hml_rng_normal(&rng), tau[i] = hml_rng_normal(&rng);
    return deepest < 2 || hml_configuration_random(model, &rng, q) != HML_OK;
}

static int teardown(void **state)
{
    (void)state;
    hml_work_free(work);
    hml_model_free(model);
    return 0;
}

/* Jᵀ W with the Jacobian whose rows fit the wrench's axes is what inverse dynamics takes off the forces */
static void generalized_force_gives_the_same_power(void **state)
{
    (void)state;
    for (int in_world = 0; in_world < 2; in_world++) {
        double J[6 * MOST], wrenches[6 * BODIES] = {0}, with[MOST], without[MOST], a[MOST] = {0};
        hml_frame_motion motion = {.struct_size = sizeof motion, .J = J};
        assert_int_equal(hml_frame(model, work, frame, in_world ? HML_MIXED : HML_LEFT, q, NULL, NULL, &motion),
                         HML_OK);
        assert_int_equal(hml_wrench_add(model, work, q, frame, in_world, W, wrenches), HML_OK);
        assert_int_equal(hml_inverse_dynamics(model, work, q, v, a, wrenches, with), HML_OK);
        assert_int_equal(hml_inverse_dynamics(model, work, q, v, a, NULL, without), HML_OK);
        for (int i = 0; i < nv; i++) {
            double force = 0;
            for (int k = 0; k < 6; k++) force += J[k * nv + i] * W[k];
            near(without[i] - with[i], force, 1e-11); /* round-off of forces of order 100 */
        }
    }
}

static void accelerate(const double *at, double *a)
{
    double wrenches[6 * BODIES] = {0};
    assert_int_equal(hml_wrench_add(model, work, at, frame, 1, W, wrenches), HML_OK);
    assert_int_equal(hml_forward_dynamics(model, work, at, v, tau, wrenches, a), HML_OK);
}

static void world_wrench_keeps_its_direction(void **state)
{
    (void)state;
    static const double weights[4] = {1, -8, 8, -1}, h = 1e-3;
    static const int steps[4] = {-2, -1, 1, 2};
    double wrenches[6 * BODIES] = {0}, J[6 * MOST], Dq[MOST * MOST], held[MOST * MOST], Minv[MOST * MOST], scale = 0;
    assert_int_equal(hml_wrench_add(model, work, q, frame, 1, W, wrenches), HML_OK);
    hml_linearization x = {.struct_size = sizeof x,
                           .q = {q, 0},
                           .v = {v, 0},
                           .tau = {tau, 0},
                           .wrenches = {wrenches, 0},
                           .Dq = {Dq, 0, 0},
                           .Minv = {Minv, 0, 0}};
    hml_frame_motion motion = {.struct_size = sizeof motion, .J = J};
    assert_int_equal(hml_linearize(model, work, &x), HML_OK);
    assert_int_equal(hml_frame(model, work, frame, HML_MIXED, q, NULL, NULL, &motion), HML_OK);
    memcpy(held, Dq, sizeof held);
    assert_int_equal(hml_wrench_world_derivative(nv, J, W, Minv, (size_t)nv, held), HML_OK);
    for (int i = 0; i < nv * nv; i++) scale = fmax(scale, fabs(held[i]));
    double correction = 0;
    for (int c = 0; c < nv; c++) {
        double difference[MOST] = {0};
        for (int k = 0; k < 4; k++) {
            double z[MOST] = {0}, at[MOST], a[MOST];
            z[c] = steps[k] * h;
            assert_int_equal(hml_configuration_integrate(model, q, z, at), HML_OK);
            accelerate(at, a);
            for (int i = 0; i < nv; i++) difference[i] += weights[k] * a[i] / (12 * h);
        }
        /* truncation h⁴ = 1e-12 and round-off 1e-16/h = 1e-13, times ratios of derivatives up to 1e3 */
        for (int i = 0; i < nv; i++) {
            near(held[i * nv + c], difference[i], 1e-8 * scale);
            correction = fmax(correction, fabs(held[i * nv + c] - Dq[i * nv + c]));
        }
    }
    assert_true(correction > 1e-3 * scale); /* without the correction this would have failed */
}

static void on_the_world_nothing_happens(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_model *still;
    hml_work *scratch;
    const double zero[3] = {0, 0, 0}, unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hml_joint_spec joint;
    hml_inertia_spec inertia = {1, {0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    joint.name = "hinge", joint.axis[2] = 1;
    assert_int_equal(hml_builder_add_body(b, "door", NULL, &joint, &inertia, NULL), HML_OK);
    assert_int_equal(hml_builder_add_frame(b, "wall", NULL, zero, unit, NULL), HML_OK);
    assert_int_equal(hml_builder_build(b, 0, &still, NULL), HML_OK);
    assert_int_equal(hml_work_new(still, HML_ISA_SCALAR, HML_USE_ALL, &scratch), HML_OK);
    double angle = 0.3, wrenches[6] = {0};
    assert_int_equal(hml_wrench_add(still, scratch, &angle, hml_model_find_frame(still, "wall"), 1, W, wrenches),
                     HML_OK);
    for (int i = 0; i < 6; i++) assert_true(wrenches[i] == 0);
    assert_int_not_equal(hml_wrench_add(still, scratch, &angle, 99, 0, W, wrenches), HML_OK);
    assert_int_equal(hml_wrench_add(still, scratch, NULL, 0, 0, W, wrenches), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_world_derivative(1, wrenches, W, wrenches, 0, wrenches), HML_INVALID_ARGUMENT);
    hml_work_free(scratch);
    hml_model_free(still);
    hml_builder_free(b);
}

/* ---- generalized forces ---- */

/* where a point of a frame is after q ⊕ t d, and the frame's axes */
static void placed(int at, const double *point, double t, const double *d, double *p, double *R)
{
    double moved[MOST], step[MOST], H[16];
    hml_frame_motion m = {.struct_size = sizeof m, .pose = H};
    for (int i = 0; i < nv; i++) step[i] = t * d[i];
    assert_int_equal(hml_configuration_integrate(model, q, step, moved), HML_OK);
    assert_int_equal(hml_frame(model, work, at, HML_LEFT, moved, NULL, NULL, &m), HML_OK);
    for (int i = 0; i < 3; i++) {
        p[i] = H[4 * i] * point[0] + H[4 * i + 1] * point[1] + H[4 * i + 2] * point[2] + H[4 * i + 3];
        for (int k = 0; k < 3; k++) R[3 * i + k] = H[4 * i + k];
    }
}

/* the power of a load on the motion d: f·ṗ + t·ω, ω from Ṙ Rᵀ, by differences of eighth order of poses */
static double power(const hml_frame_load *x, const double *d)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 1.0 / 128;
    double p[3], R[9], p_rate[3] = {0}, D[9] = {0}, W3[9], f[3], t[3];
    for (int k = 1; k <= 4; k++) {
        double ahead[3], behind[3], A[9], B[9];
        placed(x->frame, x->point, k * h, d, ahead, A), placed(x->frame, x->point, -k * h, d, behind, B);
        for (int i = 0; i < 3; i++) p_rate[i] += weight[k - 1] / h * (ahead[i] - behind[i]);
        for (int i = 0; i < 9; i++) D[i] += weight[k - 1] / h * (A[i] - B[i]);
    }
    placed(x->frame, x->point, 0, d, p, R);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            W3[3 * i + k] = D[3 * i] * R[3 * k] + D[3 * i + 1] * R[3 * k + 1] + D[3 * i + 2] * R[3 * k + 2];
        }
        f[i] = x->wrench[i], t[i] = x->wrench[3 + i];
    }
    for (int i = 0; i < 3 && x->axes == HML_AXES_OF_FRAME; i++) {
        f[i] = R[3 * i] * x->wrench[0] + R[3 * i + 1] * x->wrench[1] + R[3 * i + 2] * x->wrench[2];
        t[i] = R[3 * i] * x->wrench[3] + R[3 * i + 1] * x->wrench[4] + R[3 * i + 2] * x->wrench[5];
    }
    const double w[3] = {(W3[7] - W3[5]) / 2, (W3[2] - W3[6]) / 2, (W3[3] - W3[1]) / 2};
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += f[i] * p_rate[i] + t[i] * w[i];
    return sum;
}

static const hml_frame_load LOADS[] = {
    {.axes = HML_AXES_OF_WORLD, .point = {0.2, -0.5, 0.7}, .wrench = {3, -2, 5, 1, 0, -1}},
    {.axes = HML_AXES_OF_FRAME, .point = {0.4, 0.1, -0.3}, .wrench = {1, 4, -2, 0.3, 2, 1}},
    {.axes = HML_AXES_OF_WORLD, .wrench = {0, 0, -9, 0, 0, 0}}};

static void test_generalized_force_has_the_power_of_the_loads(void **state)
{
    (void)state;
    hml_frame_load loads[3];
    double left[MOST], there[MOST], u[MOST];
    memcpy(loads, LOADS, sizeof loads);
    loads[0].frame = frame, loads[1].frame = hml_model_nbodies(model) / 2, loads[2].frame = 1;
    for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
        assert_int_equal(hml_generalized_force(model, work, q, 3, loads, (hml_representation)rep, there), HML_OK);
        for (int k = 0; k <= nv; k++) { /* every coordinate alone, then all together */
            double d[MOST] = {0}, sum = 0, wanted = 0;
            for (int i = 0; i < nv; i++) d[i] = k == nv ? v[i] / 2 : i == k;
            for (int i = 0; i < 3; i++) wanted += power(&loads[i], d);
            assert_int_equal(hml_velocity_to_representation(model, (hml_representation)rep, q, d, u), HML_OK);
            for (int i = 0; i < nv; i++) sum += there[i] * u[i];
            near(sum, wanted, 1e-9); /* eighth order, h = 1/128, forces of 10 N on arms of several metres */
        }
    }
    /* the same through the wrenches of the bodies: τ that holds them is −Σ Jᵀf */
    double wrenches[6 * BODIES] = {0}, at_rest[MOST] = {0}, with[MOST], without[MOST];
    for (int i = 0; i < 2; i++) memset(loads[i].point, 0, sizeof loads[i].point);
    assert_int_equal(hml_generalized_force(model, work, q, 3, loads, HML_LEFT, left), HML_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hml_wrench_add(model, work, q, loads[i].frame, loads[i].axes == HML_AXES_OF_WORLD,
                                        loads[i].wrench, wrenches),
                         HML_OK);
    }
    assert_int_equal(hml_inverse_dynamics(model, work, q, at_rest, at_rest, wrenches, with), HML_OK);
    assert_int_equal(hml_inverse_dynamics(model, work, q, at_rest, at_rest, NULL, without), HML_OK);
    for (int i = 0; i < nv; i++) near(without[i] - with[i], left[i], 1e-11);
}

static void test_generalized_force_of_bad_input(void **state)
{
    (void)state;
    hml_frame_load load = LOADS[0];
    double out[MOST];
    for (int i = 0; i < nv; i++) out[i] = 7;
    assert_int_equal(hml_generalized_force(model, work, q, 0, NULL, HML_LEFT, out), HML_OK);
    for (int i = 0; i < nv; i++) assert_true(out[i] == 0);
    assert_int_equal(hml_generalized_force(model, work, q, 1, NULL, HML_LEFT, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_generalized_force(model, work, q, 1, &load, (hml_representation)4, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_generalized_force(model, work, q, 1, &load, HML_LEFT, NULL), HML_INVALID_ARGUMENT);
    load.frame = hml_model_nframes(model);
    assert_int_equal(hml_generalized_force(model, work, q, 1, &load, HML_LEFT, out), HML_INVALID_ARGUMENT);
    load.frame = 0, load.axes = (hml_axes)2;
    assert_int_equal(hml_generalized_force(model, work, q, 1, &load, HML_LEFT, out), HML_INVALID_ARGUMENT);
    load.axes = HML_AXES_OF_FRAME, load.frame = frame, load.wrench[0] = load.wrench[1] = 1e308, load.point[2] = 1e10;
    assert_int_equal(hml_generalized_force(model, work, q, 1, &load, HML_LEFT, out), HML_NOT_FINITE);
    load.wrench[4] = INFINITY;
    assert_int_equal(hml_generalized_force(model, work, q, 1, &load, HML_LEFT, out), HML_NOT_FINITE);
}

static void test_world_derivative_of_bad_input(void **state)
{
    (void)state;
    const double J[6] = {0}, f[6] = {0}, M[1] = {1};
    double D[1] = {7};
    assert_int_equal(hml_wrench_world_derivative(-1, J, f, M, 1, D), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_world_derivative(1, NULL, f, M, 1, D), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_world_derivative(1, J, NULL, M, 1, D), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_world_derivative(1, J, f, NULL, 1, D), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_world_derivative(1, J, f, M, 1, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_world_derivative(1, J, f, M, 0, D), HML_INVALID_ARGUMENT);
    assert_true(D[0] == 7);
    assert_int_equal(hml_wrench_world_derivative(1, J, f, M, 1, D), HML_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world_derivative_of_bad_input),
        cmocka_unit_test(generalized_force_gives_the_same_power),
        cmocka_unit_test(world_wrench_keeps_its_direction),
        cmocka_unit_test(on_the_world_nothing_happens),
        cmocka_unit_test(test_generalized_force_has_the_power_of_the_loads),
        cmocka_unit_test(test_generalized_force_of_bad_input),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
