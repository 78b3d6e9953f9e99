/*
 * Derivatives of the centroidal momentum and of what keeps a robot at rest, against differences of eighth order of the
 * functions they are the derivatives of: robots of all joint types, several trees, mimic joints.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "any_robot.h"
#include "difference.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics_derivatives.h"
#include "worst.h"

enum { MAX_NV = 64, MAX_NQ = 96, MAX_BODIES = 40 };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    int32_t nv;
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV], wrenches[6 * MAX_BODIES];
} robot;

static void robot_open(robot *r, uint64_t seed)
{
    hml_random_spec spec = any_robot(seed, 0.4);
    hml_rng rng;
    spec.passive = seed % 3 ? 0 : 1;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &r->model), HML_OK);
    assert_int_equal(hml_work_new(r->model, HML_ISA_BEST, HML_USE_ALL, &r->work), HML_OK);
    assert_int_equal(hml_configuration_random(r->model, &rng, r->q), HML_OK);
    r->nv = hml_model_nv(r->model);
    assert_true(r->nv <= MAX_NV && hml_model_nbodies(r->model) <= MAX_BODIES);
    for (int32_t i = 0; i < r->nv; i++) r->v[i] = hml_rng_normal(&rng), r->a[i] = hml_rng_normal(&rng);
    for (int32_t i = 0; i < 6 * hml_model_nbodies(r->model); i++) r->wrenches[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* along coordinate k of q, or of ν */
typedef struct along {
    const robot *r;
    int32_t k;
    int of_v;
    const double *wrenches; /* NULL: gravity alone */
} along;

static void moved(const along *x, double t, double *q, double *v)
{
    double z[MAX_NV] = {0};
    memcpy(v, x->r->v, sizeof x->r->v);
    if (x->of_v)
        v[x->k] += t;
    else
        z[x->k] = t;
    assert_int_equal(hml_configuration_integrate(x->r->model, x->r->q, z, q), HML_OK);
}

/* com_velocity, momentum, momentum_rate: 15 numbers */
static void motion_along(const void *context, double t, double *out)
{
    const along *x = context;
    double q[MAX_NQ], v[MAX_NV];
    hml_centroidal_motion m = {.struct_size = sizeof m, .com_velocity = out, .momentum = out + 3};
    m.momentum_rate = out + 9;
    moved(x, t, q, v);
    assert_int_equal(hml_centroidal(x->r->model, x->r->work, q, v, x->r->a, &m), HML_OK);
}

static void jacobian_along(const void *context, double t, double *out)
{
    const along *x = context;
    double q[MAX_NQ], v[MAX_NV], J[3 * MAX_NV];
    hml_centroidal_motion m = {.struct_size = sizeof m, .com_J = J};
    moved(x, t, q, v);
    assert_int_equal(hml_centroidal(x->r->model, x->r->work, q, NULL, NULL, &m), HML_OK);
    for (int32_t i = 0; i < x->r->nv; i++) { /* each row has another weight, so that mistakes do not cancel */
        out[i] = J[i] + 2 * J[x->r->nv + i] + 3 * J[2 * x->r->nv + i];
    }
}

static double largest(const double *x, int32_t n)
{
    double size = 1;
    for (int32_t i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static void compare_column(const double *matrix, int32_t rows, int32_t nv, int32_t k, const double *slope)
{
    const double size = largest(matrix, rows * nv);
    for (int32_t i = 0; i < rows; i++) {
        if (!(fabs(matrix[i * nv + k] - slope[i]) <= 1e-9 * size))
            fail_msg("row %d, column %d: %.12g, but the difference is %.12g", i, k, matrix[i * nv + k], slope[i]);
    }
}

static void test_momentum(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 16; seed++) {
        static double J_q[3 * MAX_NV * MAX_NV], c_q[3 * MAX_NV], h_q[6 * MAX_NV], f_q[6 * MAX_NV], f_v[6 * MAX_NV];
        double slope[DIFFERENCE_MAX], row[MAX_NV];
        robot r;
        robot_open(&r, seed);
        const int32_t nv = r.nv;
        const hml_centroidal_derivative d = {sizeof d, J_q, c_q, h_q, f_q, f_v};
        assert_int_equal(hml_centroidal_derivatives(r.model, r.work, r.q, r.v, r.a, &d), HML_OK);
        for (int32_t k = 0; k < nv; k++) {
            along x = {&r, k, 0, NULL};
            difference(motion_along, &x, 15, slope);
            compare_column(c_q, 3, nv, k, slope);
            compare_column(h_q, 6, nv, k, slope + 3);
            compare_column(f_q, 6, nv, k, slope + 9);
            difference(jacobian_along, &x, (size_t)nv, slope);
            const double *J = J_q + 3 * nv * k;
            for (int32_t i = 0; i < nv; i++) row[i] = J[i] + 2 * J[nv + i] + 3 * J[2 * nv + i];
            assert_true(worst(row, slope, nv) < 1e-9 * largest(row, nv));
            x.of_v = 1;
            difference(motion_along, &x, 15, slope);
            compare_column(f_v, 6, nv, k, slope + 9);
        }
        robot_close(&r);
    }
}

static void torque_along(const void *context, double t, double *out)
{
    const along *x = context;
    double q[MAX_NQ], v[MAX_NV], tau[MAX_NV], M[MAX_NV * MAX_NV], zero[MAX_NV] = {0};
    moved(x, t, q, v);
    if (x->wrenches) {
        assert_int_equal(hml_inverse_dynamics(x->r->model, x->r->work, q, zero, zero, x->wrenches, out), HML_OK);
        return;
    }
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = tau, .gravity = out};
    assert_int_equal(hml_dynamics(x->r->model, x->r->work, q, zero, NULL, NULL, &d), HML_OK);
}

static void test_rest(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 16; seed++) {
        static double G_q[MAX_NV * MAX_NV], tau_q[MAX_NV * MAX_NV];
        double G[MAX_NV], tau[MAX_NV], value[MAX_NV], slope[DIFFERENCE_MAX];
        robot r;
        robot_open(&r, seed);
        along x = {.r = &r};
        const size_t nv = (size_t)r.nv;
        assert_int_equal(hml_gravity_torque(r.model, r.work, r.q, G, G_q), HML_OK);
        assert_int_equal(hml_static_torque(r.model, r.work, r.q, r.wrenches, tau, tau_q), HML_OK);
        torque_along(&x, 0, value);
        assert_true(worst(G, value, r.nv) < 1e-11 * largest(G, r.nv));
        for (x.k = 0; x.k < r.nv; x.k++) {
            x.wrenches = NULL;
            difference(torque_along, &x, nv, slope);
            compare_column(G_q, r.nv, r.nv, x.k, slope);
            x.wrenches = r.wrenches;
            difference(torque_along, &x, nv, slope);
            compare_column(tau_q, r.nv, r.nv, x.k, slope);
        }
        torque_along(&x, 0, value);
        assert_true(worst(tau, value, r.nv) < 1e-11 * largest(tau, r.nv));
        robot_close(&r);
    }
}

/* each output alone is what it is beside the others, ∂(velocity of the com)/∂q to some roundings; what is missing is said */
static void test_arguments(void **state)
{
    (void)state;
    static double all[5][3 * MAX_NV * MAX_NV], one[3 * MAX_NV * MAX_NV];
    robot r;
    robot_open(&r, 2);
    const size_t nv = (size_t)r.nv, sizes[5] = {3 * nv * nv, 3 * nv, 6 * nv, 6 * nv, 6 * nv};
    const hml_centroidal_derivative d = {sizeof d, all[0], all[1], all[2], all[3], all[4]};
    assert_int_equal(hml_centroidal_derivatives(r.model, r.work, r.q, r.v, r.a, &d), HML_OK);
    for (int k = 0; k < 5; k++) {
        double *out[5] = {NULL};
        out[k] = one;
        const hml_centroidal_derivative x = {sizeof x, out[0], out[1], out[2], out[3], out[4]};
        assert_int_equal(hml_centroidal_derivatives(r.model, r.work, r.q, r.v, r.a, &x), HML_OK);
        if (k == 1)
            assert_true(worst(one, all[k], (int32_t)sizes[k]) < 1e-14 * largest(all[k], (int32_t)sizes[k]));
        else
            assert_memory_equal(one, all[k], sizes[k] * sizeof *one);
        const hml_status without_v = hml_centroidal_derivatives(r.model, r.work, r.q, NULL, r.a, &x);
        const hml_status without_a = hml_centroidal_derivatives(r.model, r.work, r.q, r.v, NULL, &x);
        assert_int_equal(without_v, k ? HML_INVALID_ARGUMENT : HML_OK);
        assert_int_equal(without_a, k == 3 ? HML_INVALID_ARGUMENT : HML_OK);
    }
    assert_int_equal(hml_centroidal_derivatives(r.model, r.work, r.q, r.v, r.a, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_gravity_torque(r.model, r.work, NULL, one, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_static_torque(r.model, NULL, r.q, NULL, one, NULL), HML_INVALID_ARGUMENT);
    r.v[0] = NAN;
    assert_int_equal(hml_centroidal_derivatives(r.model, r.work, r.q, r.v, r.a, &d), HML_NOT_FINITE);
    r.wrenches[1] = INFINITY;
    assert_int_equal(hml_static_torque(r.model, r.work, r.q, r.wrenches, one, NULL), HML_NOT_FINITE);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
