/*
 * What the tests of Müller's equations share: a chain of joints of one coordinate with the motion of every body in
 * three representations, and screws in his letters. Linear first throughout; [X, Y] is hml_twist_cross, Ad of a pose
 * hml_twist_transform, Ad of a translation `shift`.
 */
#ifndef HML_TESTS_MULLER_CHECK_H
#define HML_TESTS_MULLER_CHECK_H

#include "arrays.h"
#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "hamel/random.h"
#include "hamel/se3.h"

enum { N = 6 };

/* body i is on joint i; [0] of what is indexed by bodies is the world */
typedef struct chain {
    hml_model *model;
    hml_work *work;
    double q[N + 1], d[3][N];                     /* q; q̇, q̈, q⃛ */
    double C[N + 1][16], A0[N + 1][16];           /* poses, now and at q = 0 */
    double V[3][N + 1][6], A[3][N + 1][6];        /* twists and their derivatives: left, right, mixed */
    double J[3][N + 1][N][6], Jd[3][N + 1][N][6]; /* columns of body i, and their derivatives */
    double Jdd[N + 1][N][6], jerk[N + 1][6];      /* second derivatives, mixed */
    double X[N][6], Y[N][6];                      /* the joint's own screw in its body; in the world at q = 0 */
} chain;

static inline void chain_place(const chain *x, const double *q, double C[N + 1][16])
{
    identity(4, C[0]);
    assert_int_equal(hml_body_poses(x->model, x->work, q, C[1]), HML_OK);
}

static inline void chain_open(chain *x, uint64_t seed)
{
    hml_random_spec spec;
    hml_rng rng;
    const double zero[N] = {0};
    memset(x, 0, sizeof *x);
    hml_random_spec_init(&spec);
    spec.seed = seed, spec.shape = HML_RANDOM_CHAIN, spec.root = HML_JOINT_REVOLUTE, spec.nbodies = N;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_HELICAL;
    hml_rng_seed(&rng, seed);
    assert_int_equal(hml_model_random(&spec, &x->model), HML_OK);
    assert_int_equal(hml_model_nv(x->model), N);
    assert_int_equal(hml_model_nbodies(x->model), N);
    assert_int_equal(hml_work_new(x->model, HML_ISA_SCALAR, HML_USE_ALL, &x->work), HML_OK);
    assert_int_equal(hml_configuration_random(x->model, &rng, x->q), HML_OK);
    for (int n = 0; n < 3; n++)
        for (int j = 0; j < N; j++) x->d[n][j] = hml_rng_normal(&rng);
    chain_place(x, x->q, x->C), chain_place(x, zero, x->A0);
    for (int i = 1; i <= N; i++) {
        for (int rep = HML_LEFT; rep <= HML_MIXED; rep++) {
            double V[18], J[3 * 6 * N];
            assert_int_equal(
                hml_frame_series(x->model, x->work, i - 1, HML_WORLD, (hml_representation)rep, 2, x->q, x->d[0], V, J),
                HML_OK);
            memcpy(x->V[rep][i], V, 6 * sizeof *V), memcpy(x->A[rep][i], V + 6, 6 * sizeof *V);
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < 6; k++) {
                    x->J[rep][i][j][k] = J[k * N + j], x->Jd[rep][i][j][k] = J[6 * N + k * N + j];
                    if (rep == HML_MIXED) x->Jdd[i][j][k] = J[12 * N + k * N + j];
                }
            }
            if (rep == HML_MIXED) memcpy(x->jerk[i], V + 12, 6 * sizeof *V);
        }
        memcpy(x->X[i - 1], x->J[HML_LEFT][i][i - 1], sizeof x->X[0]);
        assert_int_equal(hml_twist_transform(x->A0[i], x->X[i - 1], x->Y[i - 1]), HML_OK); /* (94) */
    }
}

static inline void chain_close(chain *x)
{
    hml_work_free(x->work);
    hml_model_free(x->model);
}

/* ---- three numbers, and a pose that moves along elementary functions of time ---- */

static inline void cross3(const double a[3], const double b[3], double out[3])
{
    const double y[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, y, sizeof y);
}

static inline void moving_pose(double t, double H[16])
{
    double a = sin(0.7 * t + 0.4), b = 0.3 * t * t - 0.2 * t;
    const double Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    const double X[9] = {1, 0, 0, 0, cos(b), -sin(b), 0, sin(b), cos(b)};
    const double p[3] = {cos(t) - 0.4, 0.5 * sin(t + 0.4), 0.2 * t * t * t + 0.4 * t};
    double R[9];
    multiply(3, 3, 3, Z, X, R);
    identity(4, H);
    for (int i = 0; i < 9; i++) H[4 * (i / 3) + i % 3] = R[i];
    for (int i = 0; i < 3; i++) H[4 * i + 3] = p[i];
}

/* ---- screws ---- */

static inline double off(const double *x, const double *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= most) && !isnan(most)) most = fabs(x[i] - y[i]);
    return most;
}

static inline void add(double sum[6], double factor, const double x[6])
{
    for (int i = 0; i < 6; i++) sum[i] += factor * x[i];
}

static inline void scaled(double factor, const double x[6], double out[6])
{
    for (int i = 0; i < 6; i++) out[i] = factor * x[i];
}

static inline void bracket(const double x[6], const double y[6], double out[6])
{
    assert_int_equal(hml_twist_cross(x, y, out), HML_OK);
}

static inline void transform(const double H[16], const double x[6], double out[6])
{
    assert_int_equal(hml_twist_transform(H, x, out), HML_OK);
}

/* his marks over a screw: the linear part alone, the angular part alone */
static inline void linear_part(const double x[6], double out[6])
{
    const double y[6] = {x[0], x[1], x[2], 0, 0, 0};
    memcpy(out, y, sizeof y);
}

static inline void angular_part(const double x[6], double out[6])
{
    const double y[6] = {0, 0, 0, x[3], x[4], x[5]};
    memcpy(out, y, sizeof y);
}

/* Ad of the translation in the linear part of r */
static inline void shift(const double r[6], const double x[6], double out[6])
{
    double y[6], translation[6];
    linear_part(r, translation);
    bracket(translation, x, y);
    add(y, 1, x);
    memcpy(out, y, sizeof y);
}

/* Ad of the rotation of a pose */
static inline void rotate(const double H[16], const double x[6], double out[6])
{
    double R[16], y[6];
    memcpy(R, H, sizeof R);
    R[3] = R[7] = R[11] = 0;
    transform(R, x, y);
    memcpy(out, y, sizeof y);
}

/* C_i⁻¹ C_j */
static inline void relative(double C[N + 1][16], int i, int j, double H[16])
{
    assert_int_equal(hml_se3_between(C[i], C[j], H), HML_OK);
}

/* r_ij = r_j − r_i (order 0), and its derivatives, as screws without angular part */
static inline void offset(const chain *x, int i, int j, int order, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int k = 0; k < 3; k++) {
        out[k] = order == 0   ? x->C[j][4 * k + 3] - x->C[i][4 * k + 3]
                 : order == 1 ? x->V[HML_MIXED][j][k] - x->V[HML_MIXED][i][k]
                              : x->A[HML_MIXED][j][k] - x->A[HML_MIXED][i][k];
    }
}

#endif
