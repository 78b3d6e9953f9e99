/*
 * Jacobians of every kind through the public functions, with mimic joints and several trees among the robots: what they
 * say about velocities and accelerations must be what the frames do.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "any_robot.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/representation.h"
#include "hamel/se3.h"
#include "worst.h"

enum { MAX_NV = 64, MAX_NQ = 96, MAX_BODIES = 40 };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    int32_t nv, nframes;
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV];
} robot;

static void robot_open(robot *r, uint64_t seed)
{
    hml_random_spec spec = any_robot(seed, 0.4);
    hml_rng rng;
    spec.nframes = 5;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &r->model), HML_OK);
    assert_int_equal(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_TREE, &r->work), HML_OK);
    assert_int_equal(hml_configuration_random(r->model, &rng, r->q), HML_OK);
    r->nv = hml_model_nv(r->model), r->nframes = hml_model_nframes(r->model);
    assert_true(r->nv <= MAX_NV && hml_model_nbodies(r->model) <= MAX_BODIES);
    for (int32_t i = 0; i < r->nv; i++) r->v[i] = hml_rng_normal(&rng), r->a[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

static void multiply(int32_t rows, int32_t n, const double *A, const double *x, double *y)
{
    for (int32_t i = 0; i < rows; i++) {
        y[i] = 0;
        for (int32_t k = 0; k < n; k++) y[i] += A[i * n + k] * x[k];
    }
}

static void frame_motion(const robot *r, int32_t frame, hml_representation rep, double *pose, double *V, double *A)
{
    hml_frame_motion m = {.struct_size = sizeof m, .pose = pose, .twist = V, .acceleration = A};
    assert_int_equal(hml_frame(r->model, r->work, frame, rep, r->q, r->v, r->a, &m), HML_OK);
}

/* ν and ν̇ of the base in a representation */
static void base_motion(const robot *r, hml_representation base, double *v, double *a)
{
    assert_int_equal(hml_velocity_to_representation(r->model, base, r->q, r->v, v), HML_OK);
    assert_int_equal(hml_acceleration_to_representation(r->model, base, r->q, r->v, r->a, a), HML_OK);
}

/* the derivative of what J says: J ν̇ + J̇ ν */
static void acceleration_of(const robot *r, int32_t rows, const double *J, const double *Jdot, const double *v,
                            const double *a, double *out)
{
    double x[6], y[6];
    multiply(rows, r->nv, J, a, x);
    multiply(rows, r->nv, Jdot, v, y);
    for (int32_t i = 0; i < rows; i++) out[i] = x[i] + y[i];
}

static void test_any_expression_frame_and_base(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 14; seed++) {
        robot r;
        double J[6 * MAX_NV], Jdot[6 * MAX_NV], v[MAX_NV], a[MAX_NV];
        robot_open(&r, seed);
        for (int32_t E = 0; E < r.nframes; E += 3) {
            for (int32_t D = HML_WORLD; D < r.nframes; D += 4) {
                for (int base = HML_LEFT; base <= HML_SPLIT; base++) {
                    double H_E[16], H_D[16], H[16], V[6], U[6], A[6], B[6];
                    frame_motion(&r, E, HML_LEFT, H_E, V, A);
                    hml_se3_identity(H_D);
                    if (D >= 0) frame_motion(&r, D, HML_LEFT, H_D, U, A);
                    hml_se3_between(H_D, H_E, H);
                    hml_twist_transform(H, V, V); /* X_DE V */
                    base_motion(&r, (hml_representation)base, v, a);
                    assert_int_equal(hml_jacobian(r.model, r.work, E, D, HML_AXES_OF_FRAME, (hml_representation)base,
                                                  r.q, r.v, J, Jdot),
                                     HML_OK);
                    multiply(6, r.nv, J, v, U);
                    assert_true(worst(U, V, 6) < 1e-11);
                    acceleration_of(&r, 6, J, Jdot, v, a, A);
                    assert_int_equal(hml_frame_acceleration(r.model, r.work, E, HML_APPARENT, D, r.q, r.v, r.a, B),
                                     HML_OK);
                    assert_true(worst(A, B, 6) < 1e-10);
                    /* D[A]: the same, turned */
                    assert_int_equal(hml_jacobian(r.model, r.work, E, D, HML_AXES_OF_WORLD, (hml_representation)base,
                                                  r.q, NULL, J, NULL),
                                     HML_OK);
                    multiply(6, r.nv, J, v, U);
                    hml_se3_act_vector(H_D, V, V);
                    hml_se3_act_vector(H_D, V + 3, V + 3);
                    assert_true(worst(U, V, 6) < 1e-11);
                }
            }
        }
        robot_close(&r);
    }
}

static void test_named_jacobians(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        robot r;
        double J[6 * MAX_NV], v[MAX_NV], a[MAX_NV], U[6], V[6];
        robot_open(&r, seed);
        for (int32_t E = 0; E < r.nframes; E++) {
            assert_int_equal(hml_jacobian_doubly_left(r.model, r.work, E, r.q, J), HML_OK);
            multiply(6, r.nv, J, r.v, U);
            frame_motion(&r, E, HML_LEFT, NULL, V, NULL);
            assert_true(worst(U, V, 6) < 1e-12);
            assert_int_equal(hml_jacobian_doubly_mixed(r.model, r.work, E, r.q, J), HML_OK);
            base_motion(&r, HML_MIXED, v, a);
            multiply(6, r.nv, J, v, U);
            frame_motion(&r, E, HML_MIXED, NULL, V, NULL);
            assert_true(worst(U, V, 6) < 1e-12);
        }
        robot_close(&r);
    }
}

/* Notation (82): a contact wrench does the same work in the contact frame and on the link */
static void test_contact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 14; seed++) {
        robot r;
        hml_rng rng;
        double J[6 * MAX_NV], Jdot[6 * MAX_NV], J0[6 * MAX_NV], H[16], xi[6], slip[6], V[6], U[6], A[6], B[6];
        robot_open(&r, seed);
        hml_rng_seed(&rng, seed);
        for (int i = 0; i < 6; i++) xi[i] = hml_rng_normal(&rng), slip[i] = hml_rng_normal(&rng);
        hml_se3_exp(xi, H);
        int32_t L = r.nframes - 1;
        frame_motion(&r, L, HML_LEFT, NULL, V, A);
        hml_se3_inverse(H, H);
        hml_twist_transform(H, V, V); /* X_CL V_L */
        hml_twist_transform(H, A, A);
        hml_se3_inverse(H, H);
        hml_contact_frame C = {.link = L};
        memcpy(C.H, H, sizeof C.H), memcpy(C.V, slip, sizeof C.V);
        assert_int_equal(hml_link_jacobian(r.model, r.work, &C, HML_LEFT, r.q, r.v, J, Jdot), HML_OK);
        multiply(6, r.nv, J, r.v, U);
        assert_true(worst(U, V, 6) < 1e-12);
        acceleration_of(&r, 6, J, Jdot, r.v, r.a, B);
        hml_twist_cross(slip, V, U); /* d/dt (X_CL V) = X_CL V̇ − slip × X_CL V */
        for (int i = 0; i < 6; i++) A[i] -= U[i];
        assert_true(worst(A, B, 6) < 1e-10);
        /* the slip does not change J */
        memset(C.V, 0, sizeof C.V); /* it changes J̇ alone */
        assert_int_equal(hml_link_jacobian(r.model, r.work, &C, HML_LEFT, r.q, r.v, J0, NULL), HML_OK);
        assert_memory_equal(J, J0, (size_t)(6 * r.nv) * sizeof(double));
        robot_close(&r);
    }
}

static void test_points(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        robot r;
        const double point[3] = {0.3, -0.2, 0.7};
        double J[3 * MAX_NV], Jdot[3 * MAX_NV], p[3], v[3], a[3], H[16], V[6], A[6], x[3];
        robot_open(&r, seed);
        for (int32_t f = 0; f < r.nframes; f += 2) {
            hml_point_motion m = {
                .struct_size = sizeof m, .position = p, .J = J, .Jdot = Jdot, .velocity = v, .acceleration = a};
            assert_int_equal(hml_point(r.model, r.work, f, point, r.q, r.v, r.a, &m), HML_OK);
            frame_motion(&r, f, HML_LEFT, H, V, A);
            hml_se3_act_point(H, point, x);
            assert_true(worst(p, x, 3) < 1e-13);
            hml_point_velocity(H, V, point, NULL, x);
            assert_true(worst(v, x, 3) < 1e-12);
            multiply(3, r.nv, J, r.v, x);
            assert_true(worst(v, x, 3) < 1e-12);
            hml_point_acceleration(H, V, A, point, NULL, NULL, x);
            assert_true(worst(a, x, 3) < 1e-11);
            acceleration_of(&r, 3, J, Jdot, r.v, r.a, x);
            assert_true(worst(a, x, 3) < 1e-11);
        }
        robot_close(&r);
    }
}

static void test_centroidal_agrees_with_dynamics(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 14; seed++) {
        robot r;
        hml_work *work;
        double com[3], cv[3], ca[3], A[6 * MAX_NV], Adot[6 * MAX_NV], Jc[3 * MAX_NV], Jcdot[3 * MAX_NV], h[6], hd[6];
        double com2[3], h2[6], x[6], H[16 * MAX_BODIES];
        robot_open(&r, seed);
        assert_int_equal(hml_work_new(r.model, HML_ISA_SCALAR, HML_USE_ALL, &work), HML_OK);
        hml_centroidal_motion m = {sizeof m, com, Jc, Jcdot, cv, ca, A, Adot, h, hd};
        static double M[MAX_NV * MAX_NV], bias[MAX_NV];
        hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = bias, .com = com2, .centroidal_momentum = h2};
        assert_int_equal(hml_centroidal(r.model, r.work, r.q, r.v, r.a, &m), HML_OK);
        assert_int_equal(hml_dynamics(r.model, work, r.q, r.v, r.a, NULL, &d), HML_OK);
        assert_true(worst(com, com2, 3) < 1e-12 && worst(h, h2, 6) < 1e-10);
        multiply(6, r.nv, A, r.v, x);
        assert_true(worst(h, x, 6) < 1e-10);
        multiply(3, r.nv, Jc, r.v, x);
        assert_true(worst(cv, x, 3) < 1e-12);
        acceleration_of(&r, 6, A, Adot, r.v, r.a, x);
        assert_true(worst(hd, x, 6) < 1e-9);
        acceleration_of(&r, 3, Jc, Jcdot, r.v, r.a, x);
        assert_true(worst(ca, x, 3) < 1e-11);
        /* Newton and Euler: without gravity the momentum's rate is what the free base's joint force says */
        assert_int_equal(hml_body_poses(r.model, r.work, r.q, H), HML_OK);
        const double none[3] = {0, 0, 0};
        double tau[MAX_NV], mass = hml_model_mass(r.model), f[6];
        assert_int_equal(hml_model_set_gravity(r.model, none), HML_OK);
        assert_int_equal(hml_inverse_dynamics(r.model, work, r.q, r.v, r.a, NULL, tau), HML_OK);
        hml_wrench_convert(H, HML_LEFT, tau, HML_MIXED, f); /* at the base's origin, world axes */
        for (int i = 0; i < 3; i++) x[i] = com[i] - H[4 * i + 3];
        f[3] -= x[1] * f[2] - x[2] * f[1], f[4] -= x[2] * f[0] - x[0] * f[2], f[5] -= x[0] * f[1] - x[1] * f[0];
        assert_true(worst(hd, f, 6) < 1e-9 * (1 + mass * 100));
        hml_work_free(work);
        robot_close(&r);
    }
}

/* derivatives along the user's coordinates, which move leaders and followers: J̇ is the Hessian along ν; differences */
static void test_derivatives_with_mimic_joints(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 14; seed += 2) {
        robot r, moved;
        static double H[MAX_NV * 6 * MAX_NV], Vq[6 * MAX_NV], Aq[6 * MAX_NV], J[6 * MAX_NV], Jdot[6 * MAX_NV];
        robot_open(&r, seed);
        int32_t f = hml_model_nbodies(r.model) - 1;
        for (int rep_ = HML_LEFT; rep_ <= HML_SPLIT; rep_++) {
            hml_representation rep = (hml_representation)rep_;
            hml_frame_motion m = {.struct_size = sizeof m, .J = J, .Jdot = Jdot};
            hml_frame_derivative d = {.struct_size = sizeof d, .twist_q = Vq, .acceleration_q = Aq};
            assert_int_equal(hml_frame(r.model, r.work, f, rep, r.q, r.v, NULL, &m), HML_OK);
            assert_int_equal(hml_frame_derivatives(r.model, r.work, f, rep, r.q, r.v, r.a, &d), HML_OK);
            assert_int_equal(hml_frame_hessian(r.model, r.work, f, rep, HML_LEFT, r.q, H), HML_OK);
            for (int32_t i = 0; i < 6 * r.nv; i++) {
                double sum = 0;
                for (int32_t k = 0; k < r.nv; k++) sum += r.v[k] * H[6 * r.nv * k + i];
                assert_true(fabs(sum - Jdot[i]) < 1e-12);
            }
            for (int32_t k = 0; k < r.nv; k++) {
                const double h = 1e-6;
                double V[2][6], A[2][6], z[MAX_NV] = {0};
                for (int side = 0; side < 2; side++) {
                    moved = r;
                    z[k] = side ? h : -h;
                    assert_int_equal(hml_configuration_integrate(r.model, r.q, z, moved.q), HML_OK);
                    frame_motion(&moved, f, rep, NULL, V[side], A[side]);
                }
                for (int i = 0; i < 6; i++) { /* round-off of values near 1e2 over h, and h² */
                    assert_true(fabs((V[1][i] - V[0][i]) / (2 * h) - Vq[i * r.nv + k]) < 1e-6);
                    assert_true(fabs((A[1][i] - A[0][i]) / (2 * h) - Aq[i * r.nv + k]) < 1e-5);
                }
            }
        }
        robot_close(&r);
    }
}

static void test_exponentials(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        robot r;
        double H[16 * MAX_BODIES], E[16 * MAX_BODIES];
        robot_open(&r, seed);
        assert_int_equal(hml_body_poses(r.model, r.work, r.q, H), HML_OK);
        assert_int_equal(hml_body_poses_exponential(r.model, r.work, r.q, E), HML_OK);
        assert_true(worst(H, E, 16 * hml_model_nbodies(r.model)) < 1e-12);
        robot_close(&r);
    }
}

/* a joint's placement, changed for good: the pose moves as the derivative said */
static void test_placements(void **state)
{
    (void)state;
    robot r;
    robot_open(&r, 4);
    int32_t frame = r.nframes - 1, np = 6 * (hml_model_njoints(r.model) + 1);
    double *dpose = calloc((size_t)(6 * np), sizeof *dpose), *dJ = calloc((size_t)(6 * np * r.nv), sizeof *dJ);
    double J[6 * MAX_NV], twist[6], v[6];
    assert_int_equal(hml_placement_derivatives(r.model, r.work, frame, HML_LEFT, r.q, dpose, dJ), HML_OK);
    assert_int_equal(hml_jacobian_doubly_left(r.model, r.work, frame, r.q, J), HML_OK);
    /* the base's placement and the base itself: at the neutral position they move the frame alike */
    assert_int_equal(hml_configuration_neutral(r.model, r.q), HML_OK);
    assert_int_equal(hml_placement_derivatives(r.model, r.work, frame, HML_LEFT, r.q, dpose, NULL), HML_OK);
    assert_int_equal(hml_jacobian_doubly_left(r.model, r.work, frame, r.q, J), HML_OK);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 6; i++) twist[i] = dpose[i * np + k], v[i] = J[i * r.nv + k];
        assert_true(worst(twist, v, 6) < 1e-13);
    }
    assert_int_equal(hml_placement_derivatives(r.model, r.work, -1, HML_LEFT, r.q, dpose, NULL), HML_INVALID_ARGUMENT);
    free(dpose), free(dJ);
    robot_close(&r);
}

static void test_refusals(void **state)
{
    (void)state;
    robot r;
    double J[6 * MAX_NV], x[6];
    robot_open(&r, 2);
    assert_int_equal(hml_jacobian(r.model, r.work, 0, r.nframes, HML_AXES_OF_FRAME, HML_LEFT, r.q, NULL, J, NULL),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_jacobian(r.model, r.work, 0, 0, (hml_axes)2, HML_LEFT, r.q, NULL, J, NULL),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_jacobian(r.model, r.work, 0, 0, HML_AXES_OF_FRAME, HML_LEFT, r.q, NULL, J, J),
                     HML_INVALID_ARGUMENT);
    hml_contact_frame C = {.H = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    assert_int_equal(hml_link_jacobian(r.model, r.work, &C, HML_LEFT, r.q, NULL, J, NULL), HML_NOT_NORMALIZED);
    C.H[0] = 1, C.V[3] = NAN;
    assert_int_equal(hml_link_jacobian(r.model, r.work, &C, HML_LEFT, r.q, NULL, J, NULL), HML_NOT_FINITE);
    assert_int_equal(hml_link_jacobian(r.model, r.work, NULL, HML_LEFT, r.q, NULL, J, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_frame_acceleration(r.model, r.work, 0, HML_CLASSICAL, -2, r.q, r.v, r.a, x),
                     HML_INVALID_ARGUMENT);
    hml_centroidal_motion m = {.struct_size = sizeof m, .momentum = x};
    assert_int_equal(hml_centroidal(r.model, r.work, r.q, NULL, NULL, &m), HML_INVALID_ARGUMENT);
    hml_point_motion p = {.struct_size = sizeof p, .velocity = x};
    assert_int_equal(hml_point(r.model, r.work, 0, x, r.q, NULL, NULL, &p), HML_INVALID_ARGUMENT);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_expression_frame_and_base),
        cmocka_unit_test(test_named_jacobians),
        cmocka_unit_test(test_contact),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_centroidal_agrees_with_dynamics),
        cmocka_unit_test(test_derivatives_with_mimic_joints),
        cmocka_unit_test(test_exponentials),
        cmocka_unit_test(test_placements),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
