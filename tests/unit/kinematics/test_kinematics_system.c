/*
 * Müller's system matrices, as products of dense matrices; the way back from the bodies to the joints; jerk and jounce
 * through the public functions.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/se3.h"
#include "worst.h"

enum { MAX_NV = 64, MAX_NQ = 96, MAX_BODIES = 16, N6 = 6 * MAX_BODIES };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    int32_t nv, nb;
    double q[MAX_NQ], rates[4 * MAX_NV];
} robot;

static void robot_open(robot *r, uint64_t seed, hml_random_shape shape, hml_joint_type root, unsigned types,
                       double mimic)
{
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.shape = shape;
    spec.root = root;
    spec.nbodies = 9;
    spec.joint_types = types;
    spec.mimic = mimic;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &r->model), HML_OK);
    assert_int_equal(hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_TREE, &r->work), HML_OK);
    assert_int_equal(hml_configuration_random(r->model, &rng, r->q), HML_OK);
    r->nv = hml_model_nv(r->model), r->nb = hml_model_nbodies(r->model);
    assert_true(r->nv <= MAX_NV && r->nb <= MAX_BODIES);
    for (int32_t i = 0; i < 4 * r->nv; i++) r->rates[i] = hml_rng_normal(&rng);
}

static void robot_close(robot *r)
{
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* C = A B, (rows × n)(n × columns) */
static void product(int32_t rows, int32_t n, int32_t columns, const double *A, const double *B, double *C)
{
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int32_t k = 0; k < n; k++) sum += A[i * n + k] * B[k * columns + j];
            C[i * columns + j] = sum;
        }
    }
}

typedef struct matrices {
    double A[N6 * N6], a[N6 * N6], Adot[N6 * N6], D[N6 * N6], X[N6 * MAX_NV], J[N6 * MAX_NV], Jdot[N6 * MAX_NV];
} matrices;

static void matrices_at(const robot *r, hml_representation rep, hml_screws screws, const double *q, matrices *x)
{
    hml_system s = {sizeof s, x->A, x->X, x->a, x->J, x->Jdot, x->Adot, x->D, screws};
    assert_int_equal(hml_system_matrices(r->model, r->work, rep, q, r->rates, &s), HML_OK);
}

/* (112) and (8), (18), (27) as products; J and J̇ themselves are those of hml_frame, which shares no code */
static void test_products(void **state)
{
    (void)state;
    static matrices x;
    static double P[N6 * MAX_NV], Q[N6 * MAX_NV], each[6 * MAX_NV], each_dot[6 * MAX_NV];
    for (uint64_t seed = 1; seed < 16; seed++) {
        robot r;
        robot_open(&r, seed, HML_RANDOM_ANY, HML_JOINT_FREE, 0xffe, seed % 3 ? 0 : 0.5);
        int32_t n6 = 6 * r.nb, wide = n6 * r.nv;
        for (int k = 0; k < 12; k++) {
            hml_representation rep = (hml_representation)(k % 4);
            hml_screws screws = (hml_screws)(k / 4);
            matrices_at(&r, rep, screws, r.q, &x);
            product(n6, n6, r.nv, x.A, x.X, P);
            assert_true(worst(P, x.J, wide) < 1e-12); /* (112): screws go to the reference and back */
            product(n6, n6, r.nv, x.Adot, x.X, Q);
            if (screws == HML_SCREWS_MOVING && rep != HML_LEFT) {
                product(n6, n6, r.nv, x.a, x.X, P); /* (18) */
                double *aX = each;                  /* row block by row block: A a X */
                for (int32_t i = 0; i < r.nb; i++) {
                    product(6, n6, r.nv, x.A + 6 * i * n6, P, aX);
                    for (int32_t e = 0; e < 6 * r.nv; e++) Q[6 * i * r.nv + e] += aX[e];
                }
            }
            assert_true(worst(Q, x.Jdot, wide) < 1e-11);
            if (rep == HML_LEFT && screws != HML_SCREWS_REFERENCE) { /* (8): −A a (J − X) */
                for (int32_t i = 0; i < wide; i++) P[i] = x.X[i] - x.J[i];
                product(n6, n6, r.nv, x.a, P, Q);
                product(n6, n6, r.nv, x.A, Q, P);
                assert_true(worst(P, x.Jdot, wide) < 1e-12);
            }
            for (int32_t b = 0; b < r.nb; b++) {
                hml_frame_motion m = {.struct_size = sizeof m, .J = each, .Jdot = each_dot};
                assert_int_equal(hml_frame(r.model, r.work, b, rep, r.q, r.rates, NULL, &m), HML_OK);
                assert_true(worst(each, x.J + 6 * b * r.nv, 6 * r.nv) < 1e-12);
                assert_true(worst(each_dot, x.Jdot + 6 * b * r.nv, 6 * r.nv) < 1e-11);
            }
        }
        robot_close(&r);
    }
}

/* Ȧ by differences of A, a as the rate of X, and (I − D) A = I */
static void test_rates_and_inverse_of_A(void **state)
{
    (void)state;
    static matrices x, side[2];
    static double P[N6 * N6], Q[N6 * MAX_NV];
    const double h = 1e-5;
    for (uint64_t seed = 1; seed < 9; seed++) {
        robot r;
        double z[MAX_NV], q[2][MAX_NQ];
        robot_open(&r, seed, HML_RANDOM_ANY, seed % 2 ? HML_JOINT_FREE : HML_JOINT_SPHERICAL, 0xffe, 0);
        int32_t n6 = 6 * r.nb;
        for (int s = 0; s < 2; s++) { /* ν is held along the way: q ⊕ h ν is exact */
            for (int32_t i = 0; i < r.nv; i++) z[i] = (s ? h : -h) * r.rates[i];
            assert_int_equal(hml_configuration_integrate(r.model, r.q, z, q[s]), HML_OK);
        }
        for (int k = 0; k < 12; k++) {
            hml_representation rep = (hml_representation)(k % 4);
            hml_screws screws = (hml_screws)(k / 4);
            matrices_at(&r, rep, screws, r.q, &x);
            for (int s = 0; s < 2; s++) matrices_at(&r, rep, screws, q[s], &side[s]);
            double size = 1, off = 0;
            for (int32_t e = 0; e < n6 * n6; e++) {
                double d = (side[1].A[e] - side[0].A[e]) / (2 * h);
                size = fmax(size, fabs(d)), off = fmax(off, fabs(d - x.Adot[e]));
            }
            assert_true(off < 1e-8 * size); /* h², and round-off over h */
            int constant = screws != HML_SCREWS_MOVING || rep == HML_LEFT;
            product(n6, n6, r.nv, x.a, x.X, Q);
            for (int32_t e = 0; e < n6 * r.nv; e++) {
                double d = (side[1].X[e] - side[0].X[e]) / (2 * h);
                if (constant)
                    assert_true(side[1].X[e] == side[0].X[e]); /* to the bit */
                else
                    assert_true(fabs(d - Q[e]) < 1e-7);
            }
            if (screws != HML_SCREWS_MOVING) continue;
            product(n6, n6, n6, x.D, x.A, P);
            for (int32_t e = 0; e < n6 * n6; e++) assert_true(fabs(x.A[e] - P[e] - (e % (n6 + 1) == 0)) < 1e-12);
        }
        robot_close(&r);
    }
}

/* Y are the columns in the world at the neutral configuration, which hml_all_jacobians computes by other means */
static void test_reference_screws(void **state)
{
    (void)state;
    static matrices x;
    static double J[6 * MAX_NV];
    for (uint64_t seed = 1; seed < 9; seed++) {
        robot r;
        double neutral[MAX_NQ];
        robot_open(&r, seed, HML_RANDOM_ANY, HML_JOINT_FREE, 0xffe, 0);
        assert_int_equal(hml_configuration_neutral(r.model, neutral), HML_OK);
        hml_jacobian_columns columns = {.struct_size = sizeof columns};
        columns.q.data = neutral, columns.J.data = J;
        assert_int_equal(hml_all_jacobians(r.model, r.work, &columns), HML_OK);
        for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
            matrices_at(&r, (hml_representation)rep, HML_SCREWS_REFERENCE, r.q, &x);
            for (int32_t c = 0; c < r.nv; c++) {
                for (int i = 0; i < 6; i++) { /* one body's block of six rows has the column */
                    double sum = 0;
                    for (int32_t b = 0; b < r.nb; b++) sum += x.X[(6 * b + i) * r.nv + c];
                    assert_true(fabs(sum - J[i * r.nv + c]) < 1e-13);
                }
            }
        }
        robot_close(&r);
    }
}

/* (11) in every representation, and as it is printed: (XᵀX)⁻¹ Xᵀ ((I − D) V̇ + a V) with the bodies' screws */
static void test_from_bodies_to_joints(void **state)
{
    (void)state;
    static matrices x;
    for (uint64_t seed = 1; seed < 16; seed++) {
        robot r;
        double V[6 * MAX_BODIES], A[6 * MAX_BODIES], v[MAX_NV], a[MAX_NV];
        robot_open(&r, seed, HML_RANDOM_ANY, HML_JOINT_FREE, 0xffe, seed % 3 ? 0 : 0.5);
        for (int k = HML_LEFT; k <= HML_SPLIT; k++) {
            hml_representation rep = (hml_representation)k;
            assert_int_equal(hml_frame_motions(r.model, r.work, r.nb, rep, r.q, r.rates, r.rates + r.nv, NULL, V, A),
                             HML_OK);
            assert_int_equal(hml_joint_velocities(r.model, r.work, rep, r.q, V, v), HML_OK);
            assert_int_equal(hml_joint_accelerations(r.model, r.work, rep, r.q, V, A, a), HML_OK);
            assert_true(worst(v, r.rates, r.nv) < 1e-12);
            assert_true(worst(a, r.rates + r.nv, r.nv) < 1e-11);
        }
        robot_close(&r);
    }
    for (uint64_t seed = 1; seed < 16; seed++) {
        robot r;
        double V[6 * MAX_BODIES], A[6 * MAX_BODIES], a[MAX_NV];
        unsigned one = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_HELICAL;
        robot_open(&r, seed, HML_RANDOM_ANY, HML_JOINT_HELICAL, one, 0);
        int32_t n6 = 6 * r.nb;
        hml_frame_motions(r.model, r.work, r.nb, HML_LEFT, r.q, r.rates, r.rates + r.nv, NULL, V, A);
        for (int32_t i = 0; i < n6; i++) A[i] += 0.1 * sin(i); /* and for accelerations that no motion has */
        assert_int_equal(hml_joint_accelerations(r.model, r.work, HML_LEFT, r.q, V, A, a), HML_OK);
        matrices_at(&r, HML_LEFT, HML_SCREWS_BODY, r.q, &x);
        for (int32_t c = 0; c < r.nv; c++) {
            double top = 0, bottom = 0;
            for (int32_t i = 0; i < n6; i++) {
                double rest = A[i];
                for (int32_t j = 0; j < n6; j++) rest += x.a[i * n6 + j] * V[j] - x.D[i * n6 + j] * A[j];
                top += x.X[i * r.nv + c] * rest, bottom += x.X[i * r.nv + c] * x.X[i * r.nv + c];
            }
            assert_true(fabs(top / bottom - a[c]) < 1e-12 * (1 + fabs(a[c])));
        }
        robot_close(&r);
    }
}

/* twists that no motion has: the same answer in every representation */
static void test_from_any_twists_to_joints(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        robot r;
        double H[16 * MAX_BODIES], V[6 * MAX_BODIES], A[6 * MAX_BODIES], U[6 * MAX_BODIES], B[6 * MAX_BODIES];
        double v[MAX_NV], a[MAX_NV], w[MAX_NV], b[MAX_NV];
        robot_open(&r, seed, HML_RANDOM_ANY, HML_JOINT_FREE, 0xffe, 0);
        assert_int_equal(hml_body_poses(r.model, r.work, r.q, H), HML_OK);
        for (int32_t i = 0; i < 6 * r.nb; i++) V[i] = cos(3 * i), A[i] = sin(5 * i);
        assert_int_equal(hml_joint_velocities(r.model, r.work, HML_LEFT, r.q, V, v), HML_OK);
        assert_int_equal(hml_joint_accelerations(r.model, r.work, HML_LEFT, r.q, V, A, a), HML_OK);
        for (int k = HML_RIGHT; k <= HML_SPLIT; k++) {
            hml_representation rep = (hml_representation)k;
            for (int32_t i = 0; i < r.nb; i++) {
                const double *h = H + 16 * i;
                assert_int_equal(hml_twist_convert(h, HML_LEFT, V + 6 * i, rep, U + 6 * i), HML_OK);
                assert_int_equal(hml_acceleration_convert(h, HML_LEFT, V + 6 * i, A + 6 * i, rep, B + 6 * i), HML_OK);
            }
            assert_int_equal(hml_joint_velocities(r.model, r.work, rep, r.q, U, w), HML_OK);
            assert_int_equal(hml_joint_accelerations(r.model, r.work, rep, r.q, U, B, b), HML_OK);
            assert_true(worst(v, w, r.nv) < 1e-12 && worst(a, b, r.nv) < 1e-11);
        }
        robot_close(&r);
    }
}

/* jerk and jounce of the four representations are of one motion: differences of acceleration and jerk along it */
static void test_series_against_differences(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        robot r;
        robot_open(&r, seed, HML_RANDOM_ANY, HML_JOINT_FREE, 0xffe, seed % 2 ? 0.5 : 0);
        const double h = 1e-4;
        double q[2][MAX_NQ], rates[2][4 * MAX_NV], z[MAX_NV];
        for (int side = 0; side < 2; side++) {
            double t = side ? h : -h;
            for (int32_t i = 0; i < r.nv; i++) {
                const double *d = r.rates + i;
                /* ν(t) from its derivatives; q(t) by the midpoint of the step, good to t³ like the differences */
                z[i] = t * (d[0] + t / 2 * d[r.nv] + t * t / 6 * d[2 * r.nv]);
                rates[side][i] = d[0] + t * (d[r.nv] + t / 2 * (d[2 * r.nv] + t / 3 * d[3 * r.nv]));
                rates[side][r.nv + i] = d[r.nv] + t * (d[2 * r.nv] + t / 2 * d[3 * r.nv]);
                rates[side][2 * r.nv + i] = d[2 * r.nv] + t * d[3 * r.nv];
            }
            assert_int_equal(hml_configuration_integrate(r.model, r.q, z, q[side]), HML_OK);
        }
        for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
            double V[24], W[2][18];
            int32_t frame = r.nb - 1;
            assert_int_equal(
                hml_frame_series(r.model, r.work, frame, HML_WORLD, (hml_representation)rep, 3, r.q, r.rates, V, NULL),
                HML_OK);
            for (int side = 0; side < 2; side++) {
                assert_int_equal(hml_frame_series(r.model, r.work, frame, HML_WORLD, (hml_representation)rep, 2,
                                                  q[side], rates[side], W[side], NULL),
                                 HML_OK);
            }
            for (int i = 0; i < 18; i++) {
                double d = (W[1][i] - W[0][i]) / (2 * h);
                assert_true(fabs(d - V[6 + i]) < 1e-4 * (1 + fabs(d)));
            }
        }
        robot_close(&r);
    }
}

static void test_partials_and_refusals(void **state)
{
    (void)state;
    robot r;
    double x[6], y[6], H[MAX_NV * 6 * MAX_NV];
    robot_open(&r, 2, HML_RANDOM_CHAIN, HML_JOINT_FREE, 0xffe, 0);
    int32_t indices[] = {r.nv - 1, 3}, frame = r.nb - 1;
    for (int rep = HML_LEFT; rep <= HML_SPLIT; rep++) {
        assert_int_equal(hml_frame_hessian(r.model, r.work, frame, (hml_representation)rep, HML_LEFT, r.q, H), HML_OK);
        for (int32_t c = 0; c < r.nv; c++) {
            for (int32_t k = 0; k < r.nv; k++) {
                assert_int_equal(
                    hml_jacobian_partial(r.model, r.work, frame, (hml_representation)rep, r.q, c, 1, &k, x), HML_OK);
                for (int i = 0; i < 6; i++) y[i] = H[(6 * k + i) * r.nv + c];
                assert_true(worst(x, y, 6) < 1e-13);
            }
        }
    }
    assert_int_equal(hml_jacobian_partial(r.model, r.work, frame, (hml_representation)4, r.q, 0, 2, indices, x),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_jacobian_partial(r.model, r.work, frame, HML_LEFT, r.q, r.nv, 2, indices, x),
                     HML_INVALID_ARGUMENT);
    indices[1] = -1;
    assert_int_equal(hml_jacobian_partial(r.model, r.work, frame, HML_LEFT, r.q, 0, 2, indices, x),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(
        hml_frame_series(r.model, r.work, frame, HML_WORLD, HML_LEFT, HML_ORDER_MAX + 1, r.q, r.rates, x, NULL),
        HML_INVALID_ARGUMENT);
    hml_system s = {.struct_size = sizeof s, .Jdot = H};
    assert_int_equal(hml_system_matrices(r.model, r.work, HML_LEFT, r.q, r.rates, &s), HML_INVALID_ARGUMENT);
    s.Jdot = NULL;
    assert_int_equal(hml_system_matrices(r.model, r.work, (hml_representation)4, r.q, r.rates, &s),
                     HML_INVALID_ARGUMENT);
    s.Adot = H;
    assert_int_equal(hml_system_matrices(r.model, r.work, HML_SPLIT, r.q, NULL, &s), HML_INVALID_ARGUMENT);
    s.Adot = NULL, s.screws = (hml_screws)3;
    assert_int_equal(hml_system_matrices(r.model, r.work, HML_SPLIT, r.q, r.rates, &s), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_joint_accelerations(r.model, r.work, HML_LEFT, r.q, H, NULL, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_joint_velocities(r.model, r.work, (hml_representation)-1, r.q, H, x), HML_INVALID_ARGUMENT);
    robot_close(&r);
}

/* a user's coordinate moves its followers, too: the first derivative is the Hessian, the next are differences of it */
static void test_partials_with_mimic_joints(void **state)
{
    (void)state;
    static double H[MAX_NV * 6 * MAX_NV];
    const double h = 1e-4;
    int several = 0, many = 0;
    for (uint64_t seed = 1; seed < 9; seed++) {
        robot r;
        robot_open(&r, seed, HML_RANDOM_CHAIN, HML_JOINT_FREE, 0xffe, 0.5);
        int32_t frame = r.nb - 1, leader = -1, same[32];
        for (int32_t j = 0; j < hml_model_njoints(r.model); j++) {
            hml_joint_info joint = {.struct_size = sizeof joint}, leads = {.struct_size = sizeof leads};
            assert_int_equal(hml_model_joint(r.model, j, &joint), HML_OK);
            if (joint.leader < 0) continue;
            assert_int_equal(hml_model_joint(r.model, joint.leader, &leads), HML_OK);
            leader = leads.v;
        }
        if (leader < 0) {
            robot_close(&r);
            continue;
        }
        for (int i = 0; i < 32; i++) same[i] = leader;
        for (int32_t k = 0; k < 4 * r.nv; k++) {
            hml_representation rep = (hml_representation)(k % 4);
            int32_t column = k / 4, indices[3] = {leader, (column + 1) % r.nv, leader};
            double x[6], y[6], side[2][6], z[MAX_NV] = {0}, q[MAX_NQ], size = 0;
            assert_int_equal(hml_frame_hessian(r.model, r.work, frame, rep, HML_LEFT, r.q, H), HML_OK);
            assert_int_equal(hml_jacobian_partial(r.model, r.work, frame, rep, r.q, column, 1, indices, x), HML_OK);
            for (int i = 0; i < 6; i++) y[i] = H[(6 * leader + i) * r.nv + column], size = fmax(size, fabs(y[i]));
            assert_true(worst(x, y, 6) < 1e-12);
            several += size > 0;
            for (int n = 2; n <= 3; n++) {
                assert_int_equal(hml_jacobian_partial(r.model, r.work, frame, rep, r.q, column, n, indices, x), HML_OK);
                for (int s = 0; s < 2; s++) {
                    memset(z, 0, sizeof z);
                    z[indices[n - 1]] = s ? h : -h;
                    assert_int_equal(hml_configuration_integrate(r.model, r.q, z, q), HML_OK);
                    assert_int_equal(
                        hml_jacobian_partial(r.model, r.work, frame, rep, q, column, n - 1, indices, side[s]), HML_OK);
                }
                for (int i = 0; i < 6; i++) { /* h², and round-off over h */
                    y[i] = (side[1][i] - side[0][i]) / (2 * h);
                    assert_true(fabs(x[i] - y[i]) < 1e-5 * (1 + fabs(y[i])));
                }
            }
        }
        double x[6];
        hml_status status = hml_jacobian_partial(r.model, r.work, frame, HML_RIGHT, r.q, leader, 32, same, x);
        many += status == HML_UNSUPPORTED; /* 2^32 choices, or more */
        robot_close(&r);
    }
    assert_true(several > 10 && many > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_rates_and_inverse_of_A),
        cmocka_unit_test(test_reference_screws),
        cmocka_unit_test(test_from_bodies_to_joints),
        cmocka_unit_test(test_from_any_twists_to_joints),
        cmocka_unit_test(test_series_against_differences),
        cmocka_unit_test(test_partials_and_refusals),
        cmocka_unit_test(test_partials_with_mimic_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
