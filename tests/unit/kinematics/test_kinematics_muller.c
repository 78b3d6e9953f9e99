/*
 * Müller's closed forms for a chain of joints of one coordinate, section 2, as sums of brackets over the columns of the
 * Jacobians, against the series. Where the paper has a slip, the printed form must fail.
 *
 * i is the last body, j, k, r joints on the way. [X, Y] is hml_twist_cross. Linear first throughout.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/se3.h"

enum { N = 7 };
#define TINY  1e-10 /* seven joints, rates of about 1: jerks are some tens */
#define LARGE 1e-3

typedef struct chain {
    hml_model *model;
    hml_work *work;
    double q[N], rate[3][N];    /* q̇, q̈, q⃛ */
    double V[3][6];             /* twist, acceleration, jerk of the last body, in the representation asked for */
    double c[N][6], cdot[N][6]; /* its columns and their rates */
    double at[N + 1][3][6];     /* mixed twist, acceleration, jerk of body j − 1; at[0]: the world */
    double p[N + 1][3], H[N][16];
    double own[N][6]; /* ⁰X_j: joint j's screw at its own body's origin, in the world's axes */
} chain;

static void chain_open(chain *x, uint64_t seed)
{
    hml_random_spec spec;
    hml_rng rng;
    memset(x, 0, sizeof *x);
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.shape = HML_RANDOM_CHAIN;
    spec.root = HML_JOINT_REVOLUTE;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_HELICAL;
    spec.nbodies = N;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &x->model), HML_OK);
    assert_int_equal(hml_model_nv(x->model), N);
    assert_int_equal(hml_work_new(x->model, HML_ISA_SCALAR, HML_USE_TREE, &x->work), HML_OK);
    assert_int_equal(hml_configuration_random(x->model, &rng, x->q), HML_OK);
    for (int n = 0; n < 3; n++)
        for (int j = 0; j < N; j++) x->rate[n][j] = hml_rng_normal(&rng);
    assert_int_equal(hml_body_poses(x->model, x->work, x->q, x->H[0]), HML_OK);
    for (int b = 0; b < N; b++) {
        double J[3 * 6 * N];
        assert_int_equal(
            hml_frame_series(x->model, x->work, b, HML_WORLD, HML_MIXED, 2, x->q, x->rate[0], x->at[b + 1][0], J),
            HML_OK);
        for (int i = 0; i < 6; i++) x->own[b][i] = J[i * N + b];
        for (int i = 0; i < 3; i++) x->p[b + 1][i] = x->H[b][4 * i + 3];
    }
}

static void chain_close(chain *x)
{
    hml_work_free(x->work);
    hml_model_free(x->model);
}

static void represent(chain *x, hml_representation rep)
{
    double J[3 * 6 * N];
    assert_int_equal(hml_frame_series(x->model, x->work, N - 1, HML_WORLD, rep, 2, x->q, x->rate[0], x->V[0], J),
                     HML_OK);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < 6; i++) x->c[j][i] = J[i * N + j], x->cdot[j][i] = J[6 * N + i * N + j];
}

static double worst(const double *x, const double *y, int n)
{
    double off = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= off)) off = fabs(x[i] - y[i]);
    return off;
}

static void add(double sum[6], double factor, const double x[6])
{
    for (int i = 0; i < 6; i++) sum[i] += factor * x[i];
}

static void bracket(const double x[6], const double y[6], double out[6]) { hml_twist_cross(x, y, out); }

/* his marks over a screw: the linear part alone, the angular part alone */
static void linear_part(const double x[6], double out[6])
{
    const double y[6] = {x[0], x[1], x[2], 0, 0, 0};
    memcpy(out, y, sizeof y);
}

static void angular_part(const double x[6], double out[6])
{
    const double y[6] = {0, 0, 0, x[3], x[4], x[5]};
    memcpy(out, y, sizeof y);
}

/* ---- left: (6), (13) ---- */

static void test_left(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        chain x;
        double A[6] = {0}, jerk[6] = {0}, printed[6] = {0}, y[6], z[6];
        chain_open(&x, seed);
        represent(&x, HML_LEFT);
        const double *d1 = x.rate[0], *d2 = x.rate[1], *d3 = x.rate[2];
        for (int j = 0; j < N; j++) {
            add(A, d2[j], x.c[j]);
            add(jerk, d3[j], x.c[j]);
            for (int k = j + 1; k < N; k++) {
                bracket(x.c[j], x.c[k], y);
                add(A, d1[j] * d1[k], y);
                add(jerk, 2 * d2[j] * d1[k] + d1[j] * d2[k], y);
                for (int r = k; r < N; r++) { /* k = r counts once, not twice as printed */
                    bracket(y, x.c[r], z);
                    add(jerk, (r == k ? 1 : 2) * d1[j] * d1[k] * d1[r], z);
                    add(printed, r == k ? d1[j] * d1[k] * d1[r] : 0, z);
                }
            }
        }
        add(printed, 1, jerk);
        assert_true(worst(A, x.V[1], 6) < TINY && worst(jerk, x.V[2], 6) < TINY);
        assert_true(worst(printed, x.V[2], 6) > LARGE);
        chain_close(&x);
    }
}

/* ---- right: (17), (21), (22) ---- */

static void test_right(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        chain x;
        double A[6] = {0}, jerk[6] = {0}, other[6] = {0}, at[N + 1][6] = {{0}}, sum[6] = {0}, y[6], z[6], w[6];
        chain_open(&x, seed);
        represent(&x, HML_RIGHT);
        const double *d1 = x.rate[0], *d2 = x.rate[1], *d3 = x.rate[2];
        for (int j = 0; j < N; j++)
            for (int i = 0; i < 6; i++) at[j + 1][i] = at[j][i] + x.c[j][i] * d1[j];
        for (int j = 0; j < N; j++) {
            const double *J = x.c[j];
            bracket(at[j + 1], J, y); /* [V_j, J_j] */
            add(sum, d2[j], J);       /* Σ J_k q̈_k, k ≤ j */
            add(A, d2[j], J);
            add(A, d1[j], y);
            add(jerk, d3[j], J); /* (21) */
            add(jerk, 2 * d2[j], y);
            bracket(sum, J, z);
            add(jerk, d1[j], z);
            for (int i = 0; i < 6; i++) w[i] = at[j][i] + at[j + 1][i] - at[N][i];
            bracket(w, y, z);
            add(jerk, d1[j], z);
            add(other, d3[j], J); /* (22) */
            for (int i = 0; i < 6; i++) w[i] = at[N][i] - 2 * at[j + 1][i];
            bracket(y, w, z);
            add(other, d1[j], z);
            for (int i = 0; i < 6; i++) w[i] = sum[i] + y[i] * d1[j];
            bracket(w, J, z);
            add(other, d1[j], z);
            add(other, 2 * d2[j], y);
        }
        assert_true(worst(A, x.V[1], 6) < TINY);
        assert_true(worst(jerk, x.V[2], 6) < TINY && worst(other, x.V[2], 6) < TINY);
        chain_close(&x);
    }
}

/* ---- mixed, his hybrid form: (25)-(32) ---- */

static void test_mixed_partial_derivatives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        chain x;
        static double H[N * 6 * N];
        double printed = 0;
        chain_open(&x, seed);
        represent(&x, HML_MIXED);
        assert_int_equal(hml_frame_hessian(x.model, x.work, N - 1, HML_MIXED, HML_LEFT, x.q, H), HML_OK);
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < N; k++) {
                double part[6], y[6], h[6];
                const double zero[6] = {0};
                for (int i = 0; i < 6; i++) h[i] = H[(6 * k + i) * N + j];
                if (k >= j) {
                    linear_part(x.c[k], part);
                    bracket(x.c[j], part, y);
                } else { /* zero in print */
                    angular_part(x.c[k], part);
                    bracket(part, x.c[j], y);
                    printed = fmax(printed, worst(zero, h, 6));
                }
                assert_true(worst(y, h, 6) < 1e-13);
            }
        }
        assert_true(printed > LARGE);
        chain_close(&x);
    }
}

/* r_ij, ṙ_ij, r̈_ij as screws without angular part: from the last body's origin to that of body j */
static void offset(const chain *x, int j, int order, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        out[i] = order == 0 ? x->p[j + 1][i] - x->p[N][i] : x->at[j + 1][order - 1][i] - x->at[N][order - 1][i];
    }
}

/* Ad of a translation r */
static void shift(const double r[6], const double X[6], double out[6])
{
    double y[6];
    bracket(r, X, y);
    for (int i = 0; i < 6; i++) y[i] += X[i];
    memcpy(out, y, sizeof y);
}

static void test_mixed_motion(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        chain x;
        double A[6] = {0}, printed[6] = {0}, B[6] = {0}, jerk[6] = {0}, y[6], z[6], w[6];
        chain_open(&x, seed);
        represent(&x, HML_MIXED);
        const double *d1 = x.rate[0], *d2 = x.rate[1], *d3 = x.rate[2];
        for (int j = 0; j < N; j++) {
            double omega[6], alpha[6], before[6], r[6], rd[6], rdd[6], rate[6] = {0};
            const double *X = x.own[j];
            angular_part(x.at[j + 1][0], omega);
            angular_part(x.at[j + 1][1], alpha);
            angular_part(x.at[j][0], before);
            offset(&x, j, 0, r), offset(&x, j, 1, rd), offset(&x, j, 2, rdd);
            shift(r, X, y);
            assert_true(worst(y, x.c[j], 6) < 1e-13); /* (105) */
            for (int k = j; k < N; k++) {             /* (28), with ad_{ω_{j−1}} J_ij added */
                linear_part(x.c[k], y);
                bracket(x.c[j], y, z);
                add(A, d1[j] * d1[k], z);
                add(printed, d1[j] * d1[k], z);
            }
            add(A, d2[j], x.c[j]), add(printed, d2[j], x.c[j]);
            bracket(before, x.c[j], y);
            add(A, d1[j], y);
            /* (27), (29): J̇_ij = (ad_ṙ + Ad_r ad_ω) X */
            bracket(rd, X, rate);
            bracket(omega, X, y);
            shift(r, y, z);
            add(rate, 1, z);
            assert_true(worst(rate, x.cdot[j], 6) < 1e-12);
            add(B, d2[j], x.c[j]);
            add(B, d1[j], rate);
            /* (31)-(32): J q⃛ + 2 J̇ q̈ + (ad_r̈ + 2 ad_ṙ ad_ω + Ad_r (ad_ω̇ + ad_ω ad_ω)) X q̇ */
            add(jerk, d3[j], x.c[j]);
            add(jerk, 2 * d2[j], rate);
            bracket(rdd, X, z);
            add(jerk, d1[j], z);
            bracket(rd, y, z);
            add(jerk, 2 * d1[j], z);
            bracket(alpha, X, w);
            bracket(omega, y, z);
            add(w, 1, z);
            shift(r, w, z);
            add(jerk, d1[j], z);
        }
        assert_true(worst(A, x.V[1], 6) < TINY && worst(B, x.V[1], 6) < TINY);
        assert_true(worst(printed, x.V[1], 6) > LARGE);
        assert_true(worst(jerk, x.V[2], 6) < TINY);
        chain_close(&x);
    }
}

/* ---- split, his mixed form: (33) ---- */

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* a mixed screw to a split one: the angular part minus `less`, turned by Rᵀ */
static void to_split(const chain *x, const double mixed[6], const double less[3], double out[6])
{
    memcpy(out, mixed, 3 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        out[3 + i] = 0;
        for (int k = 0; k < 3; k++) out[3 + i] += x->H[N - 1][4 * k + i] * (mixed[3 + k] - less[k]);
    }
}

static void test_split(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        chain x, h;
        double y[6], less[3];
        const double none[3] = {0, 0, 0};
        chain_open(&x, seed);
        h = x;
        represent(&x, HML_SPLIT);
        represent(&h, HML_MIXED);
        to_split(&h, h.V[1], none, y); /* ω × ω = 0: as printed */
        assert_true(worst(y, x.V[1], 6) < TINY);
        cross(h.V[0] + 3, h.V[1] + 3, less);
        to_split(&h, h.V[2], less, y);
        assert_true(worst(y, x.V[2], 6) < TINY);
        to_split(&h, h.V[2], none, y);
        assert_true(worst(y, x.V[2], 6) > LARGE);
        double printed = 0;
        for (int j = 0; j < N; j++) {
            cross(h.V[0] + 3, h.c[j] + 3, less);
            to_split(&h, h.cdot[j], less, y);
            assert_true(worst(y, x.cdot[j], 6) < TINY);
            to_split(&h, h.cdot[j], none, y);
            printed = fmax(printed, worst(y, x.cdot[j], 6));
        }
        assert_true(printed > LARGE);
        chain_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_mixed_partial_derivatives),
        cmocka_unit_test(test_mixed_motion),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
