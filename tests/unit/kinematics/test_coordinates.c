/*
 * Generalized coordinates with rotations in any parameterization. F against differences of eighth order of the numbers
 * along q ⊕ t ν, F̄ by F̄ F = I and by the velocities it returns, on random trees with joints of every type.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "any_robot.h"
#include "hamel/configuration.h"
#include "hamel/representation.h"
#include "worst.h"

#define OK(call) assert_int_equal(call, HML_OK)

enum { MAX_NV = 64, MAX_NX = 160, KINDS = HML_ROTATION_EULER_XYZ + 1 };

typedef struct robot {
    hml_model *model;
    int32_t nv, nq;
    double q[MAX_NX], v[MAX_NV];
} robot;

static void robot_open(robot *r, uint64_t seed)
{
    hml_random_spec spec = any_robot(seed, 0.3);
    hml_rng rng;
    hml_rng_seed(&rng, seed);
    OK(hml_model_random(&spec, &r->model));
    OK(hml_configuration_random(r->model, &rng, r->q));
    r->nv = hml_model_nv(r->model), r->nq = hml_model_nq(r->model);
    assert_true(r->nv <= MAX_NV && hml_coordinates_count(r->model, HML_ROTATION_MATRIX) <= MAX_NX);
    for (int32_t i = 0; i < r->nv; i++) r->v[i] = hml_rng_normal(&rng) / 2;
}

/* x after the time t of the motion with constant ν */
static void at(const robot *r, hml_rotation kind, double t, double *x)
{
    double q[MAX_NX], step[MAX_NV];
    for (int32_t i = 0; i < r->nv; i++) step[i] = t * r->v[i];
    OK(hml_configuration_integrate(r->model, r->q, step, q));
    OK(hml_coordinates_from_configuration(r->model, kind, q, x));
}

/* ẋ; 0 where the unique form jumps nearby */
static int differences(const robot *r, hml_rotation kind, int32_t nx, double *rate)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 1.0 / 512;
    double largest = 0;
    memset(rate, 0, (size_t)nx * sizeof *rate);
    for (int k = 1; k <= 4; k++) {
        double ahead[MAX_NX], behind[MAX_NX];
        at(r, kind, k * h, ahead), at(r, kind, -k * h, behind);
        for (int32_t i = 0; i < nx; i++) {
            rate[i] += weight[k - 1] / h * (ahead[i] - behind[i]);
            largest = fmax(largest, fabs(ahead[i] - behind[i]) / (k * h));
        }
    }
    return largest < 30; /* twice the speed of anything here; a jump is 2π or 2 over 1/512 */
}

static void multiply(int32_t rows, int32_t n, const double *A, const double *x, double *y)
{
    for (int32_t i = 0; i < rows; i++) {
        y[i] = 0;
        for (int32_t k = 0; k < n; k++) y[i] += A[i * n + k] * x[k];
    }
}

static void test_rates_of_every_kind(void **state)
{
    (void)state;
    static double F[MAX_NX * MAX_NV], back[MAX_NX * MAX_NV], product[MAX_NV * MAX_NV];
    int compared[KINDS] = {0};
    for (uint64_t seed = 1; seed < 60; seed++) {
        robot r;
        robot_open(&r, seed);
        for (int k = 0; k < KINDS; k++) {
            const hml_rotation kind = (hml_rotation)k;
            const int32_t nx = hml_coordinates_count(r.model, kind);
            double x[MAX_NX], rate[MAX_NX], exact[MAX_NX], v[MAX_NV], w[MAX_NV];
            at(&r, kind, 0, x);
            if (!differences(&r, kind, nx, rate)) continue;
            compared[k]++;
            for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
                const hml_representation base = (hml_representation)rep;
                OK(hml_velocity_to_representation(r.model, base, r.q, r.v, v));
                OK(hml_coordinates_rate_matrix(r.model, kind, base, x, F));
                multiply(nx, r.nv, F, v, exact);
                assert_true(worst(exact, rate, nx) < 1e-8); /* h⁸ times ninth derivatives of angles near 90° */
                OK(hml_coordinates_velocity_matrix(r.model, kind, base, x, back));
                multiply(r.nv, nx, back, exact, w);
                assert_true(worst(w, v, r.nv) < 1e-11);
                for (int32_t i = 0; i < r.nv; i++) {
                    for (int32_t j = 0; j < r.nv; j++) {
                        double sum = i == j ? -1 : 0;
                        for (int32_t n = 0; n < nx; n++) sum += back[i * nx + n] * F[n * r.nv + j];
                        product[i * r.nv + j] = sum;
                    }
                }
                for (int32_t i = 0; i < r.nv * r.nv; i++) assert_true(fabs(product[i]) < 1e-11);
            }
        }
        hml_model_free(r.model);
    }
    for (int k = 0; k < KINDS; k++) assert_true(compared[k] > 10);
}

static void test_there_and_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        robot r;
        robot_open(&r, seed);
        for (int k = 0; k < KINDS; k++) {
            double x[MAX_NX], q[MAX_NX], distance;
            OK(hml_coordinates_from_configuration(r.model, (hml_rotation)k, r.q, x));
            OK(hml_coordinates_to_configuration(r.model, (hml_rotation)k, x, q));
            OK(hml_configuration_distance(r.model, r.q, q, &distance));
            assert_true(distance < 1e-14 * r.nq); /* a few roundings in every number */
        }
        hml_model_free(r.model);
    }
}

/* Kindr: q̇ = F u with F = diag(1, ½H̄ᵀ, 1), u = F̄ q̇ with F̄ = diag(1, 2H̄, 1), for the quaternion and u = split */
static void test_kindr_F(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_model *model = NULL;
    hml_joint_spec_init(&joint, HML_JOINT_FREE), joint.name = "base";
    OK(hml_builder_add_body(b, "trunk", NULL, &joint, NULL, NULL));
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE), joint.name = "hip", joint.axis[0] = 1, joint.axis[2] = 0;
    OK(hml_builder_add_body(b, "leg", "trunk", &joint, NULL, NULL));
    OK(hml_builder_build(b, 0, &model, NULL));
    const double q[8] = {1, 2, 3, 0.5, -0.5, 0.1, 0.7, 0.4};
    double x[8], F[56], back[56], H[12], expected[56] = {0}, expected_back[56] = {0};
    OK(hml_coordinates_from_configuration(model, HML_ROTATION_QUAT, q, x));
    OK(hml_coordinates_rate_matrix(model, HML_ROTATION_QUAT, HML_SPLIT, x, F));
    OK(hml_coordinates_velocity_matrix(model, HML_ROTATION_QUAT, HML_SPLIT, x, back));
    OK(hml_quat_velocity_matrix(HML_LOCAL, x + 3, H));
    for (int i = 0; i < 3; i++) expected[7 * i + i] = expected_back[8 * i + i] = 1;
    for (int i = 0; i < 4; i++) {
        for (int c = 0; c < 3; c++) {
            expected[7 * (3 + i) + 3 + c] = H[4 * c + i] / 2;
            expected_back[8 * (3 + c) + 3 + i] = 2 * H[4 * c + i];
        }
    }
    expected[7 * 7 + 6] = expected_back[8 * 6 + 7] = 1;
    assert_true(worst(F, expected, 56) < 1e-15 && worst(back, expected_back, 56) < 1e-15);
    OK(hml_configuration_rate_matrix(model, x, expected)); /* and the left one is the one that was always there */
    OK(hml_coordinates_rate_matrix(model, HML_ROTATION_QUAT, HML_LEFT, x, F));
    assert_true(worst(F, expected, 56) < 1e-15);
    hml_model_free(model);
    hml_builder_free(b);
}

static void test_bad_input(void **state)
{
    (void)state;
    robot r;
    static double F[MAX_NX * MAX_NV];
    double x[MAX_NX];
    const hml_rotation none = (hml_rotation)6, zyx = HML_ROTATION_EULER_ZYX;
    robot_open(&r, 3);
    assert_int_equal(hml_coordinates_count(r.model, none), 0);
    assert_int_equal(hml_coordinates_count(NULL, zyx), 0);
    assert_int_equal(hml_coordinates_count(r.model, HML_ROTATION_QUAT), r.nq);
    OK(hml_coordinates_from_configuration(r.model, zyx, r.q, x));
    assert_int_equal(hml_coordinates_from_configuration(r.model, none, r.q, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_coordinates_to_configuration(r.model, zyx, NULL, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_coordinates_rate_matrix(r.model, zyx, (hml_representation)4, x, F), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_coordinates_rate_matrix(r.model, zyx, HML_LEFT, x, NULL), HML_INVALID_ARGUMENT);
    x[0] = NAN;
    assert_int_equal(hml_coordinates_velocity_matrix(r.model, zyx, HML_LEFT, x, F), HML_NOT_FINITE);
    assert_int_equal(hml_coordinates_to_configuration(r.model, zyx, x, r.q), HML_NOT_FINITE);
    hml_model_free(r.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_of_every_kind),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_kindr_F),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
