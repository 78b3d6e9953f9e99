/*
 * The Coriolis matrix, Christoffel's symbols and the regressor, which use few numbers of a composite body, against full
 * matrices of every body alone: C = Σ J_iᵀ (I_i (J̇_i + V_i × J_i) + B_i J_i) with B of 36 entries as it is defined,
 * Jacobians from hamel/kinematics.h, and the wrench of every parameter by itself.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/kinematics.h"
#include "hamel/parameters.h"
#include "hamel/reference/textbook.h"

enum { NV = 48, NQ = 64, NB = 16 };

/* V × and V ×* of the twist (v, ω), and the matrix of ten inertial parameters; 6 × 6 */
static void hat(const double a[3], double scale, double *to)
{
    to[1] -= scale * a[2], to[2] += scale * a[1], to[6] += scale * a[2];
    to[8] -= scale * a[0], to[12] -= scale * a[1], to[13] += scale * a[0];
}

static void cross_matrix(const double V[6], double X[36])
{
    memset(X, 0, 36 * sizeof *X);
    hat(V + 3, 1, X), hat(V, 1, X + 3), hat(V + 3, 1, X + 21);
}

static void inertia_of_parameters(const double p[10], double I[36])
{
    memset(I, 0, 36 * sizeof *I);
    I[0] = I[7] = I[14] = p[0];
    hat(p + 1, -1, I + 3), hat(p + 1, 1, I + 18);
    I[21] = p[4], I[22] = I[27] = p[5], I[23] = I[33] = p[6], I[28] = p[7], I[29] = I[34] = p[8], I[35] = p[9];
}

static void apply(const double A[36], const double x[6], double y[6])
{
    for (int r = 0; r < 6; r++) {
        y[r] = 0;
        for (int c = 0; c < 6; c++) y[r] += A[6 * r + c] * x[c];
    }
}

/* −(V ×)ᵀ f */
static void apply_dual(const double V[6], const double f[6], double y[6])
{
    double X[36];
    cross_matrix(V, X);
    for (int r = 0; r < 6; r++) {
        y[r] = 0;
        for (int c = 0; c < 6; c++) y[r] -= X[6 * c + r] * f[c];
    }
}

/* ½ (V ×* I − I V × + [I V]) m, [f] m = m ×* f */
static void apply_B(const double I[36], const double V[6], const double m[6], double y[6])
{
    double X[36], Im[6], turned[6], IV[6], a[6], b[6], c[6];
    cross_matrix(V, X);
    apply(I, m, Im), apply_dual(V, Im, a);
    apply(X, m, turned), apply(I, turned, b);
    apply(I, V, IV), apply_dual(m, IV, c);
    for (int k = 0; k < 6; k++) y[k] = (a[k] - b[k] + c[k]) / 2;
}

typedef struct robot {
    hml_model *model;
    hml_work *work;
    void *scratch;
    size_t n, bodies;
    double q[NQ], v[NV], a[NV], p[10 * NB];
    double J[NB][6 * NV], Jdot[NB][6 * NV], V[NB][6], A[NB][6]; /* in the bodies; A: intrinsic */
} robot;

static robot r;

static void column(const double *J, size_t k, double S[6])
{
    for (size_t e = 0; e < 6; e++) S[e] = J[e * r.n + k];
}

static void open_robot(uint64_t *seed, const draw_tree_spec *spec)
{
    r.model = draw_tree(seed, spec);
    assert_non_null(r.model);
    r.n = (size_t)hml_model_nv(r.model), r.bodies = (size_t)hml_model_nbodies(r.model);
    assert_true(r.n <= NV && r.bodies <= NB);
    assert_int_equal(hml_work_new(r.model, HML_ISA_BEST, HML_USE_ALL, &r.work), HML_OK);
    r.scratch = malloc(hml_recursive_size(r.model));
    draw_configuration(seed, r.model, 1.0, r.q);
    for (size_t i = 0; i < r.n; i++) r.v[i] = draw(seed), r.a[i] = draw(seed);
    assert_int_equal(hml_model_parameters(r.model, r.p), HML_OK);
    for (size_t b = 0; b < r.bodies; b++) {
        hml_frame_motion m = {.struct_size = sizeof m, .J = r.J[b], .Jdot = r.Jdot[b], .twist = r.V[b]};
        assert_int_equal(hml_frame(r.model, r.work, (int32_t)b, HML_LEFT, r.q, r.v, r.a, &m), HML_OK);
        assert_int_equal(
            hml_frame_acceleration(r.model, r.work, (int32_t)b, HML_INTRINSIC, (int32_t)b, r.q, r.v, r.a, r.A[b]),
            HML_OK);
    }
}

static void close_robot(void)
{
    free(r.scratch);
    hml_work_free(r.work);
    hml_model_free(r.model);
}

/* C by full matrices, body by body */
static void full_coriolis(double *C)
{
    memset(C, 0, r.n * r.n * sizeof *C);
    for (size_t b = 0; b < r.bodies; b++) {
        double I[36], X[36];
        inertia_of_parameters(r.p + 10 * b, I);
        cross_matrix(r.V[b], X);
        for (size_t k = 0; k < r.n; k++) {
            double S[6], rate[6], turned[6], f[6], g[6];
            column(r.J[b], k, S), column(r.Jdot[b], k, rate);
            apply(X, S, turned);
            for (int e = 0; e < 6; e++) rate[e] += turned[e];
            apply(I, rate, f), apply_B(I, r.V[b], S, g);
            for (size_t j = 0; j < r.n; j++) {
                for (size_t e = 0; e < 6; e++) C[j * r.n + k] += r.J[b][e * r.n + j] * (f[e] + g[e]);
            }
        }
    }
}

static void assert_close(const double *x, const double *y, size_t count)
{
    double worst = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fabs(y[i]));
        if (!(fabs(x[i] - y[i]) <= worst)) worst = fabs(x[i] - y[i]);
    }
    assert_true(worst <= 1e-12 * (1 + size));
}

static const hml_joint_type roots[] = {HML_JOINT_FREE,     HML_JOINT_SPHERICAL,   HML_JOINT_PLANAR,
                                       HML_JOINT_REVOLUTE, HML_JOINT_SCHOENFLIES, HML_JOINT_FIXED};

static void each_robot(void (*check)(void))
{
    uint64_t seed = 81;
    for (int i = 0; i < 18; i++) {
        const draw_tree_spec spec = {
            .nbodies = 2 + i / 2, .root = roots[i % 6], .points = i % 2, .forest = i % 4 == 3, .passive = i % 5 == 4};
        open_robot(&seed, &spec);
        check();
        close_robot();
    }
}

static void check_coriolis(void)
{
    static double C[NV * NV], expected[NV * NV], Gamma[NV * NV * NV];
    assert_int_equal(hml_coriolis_matrix(r.model, r.scratch, r.q, r.v, C, NULL), HML_OK);
    full_coriolis(expected);
    assert_close(C, expected, r.n * r.n);
    assert_int_equal(hml_christoffel(r.model, r.scratch, r.q, Gamma), HML_OK);
    memset(C, 0, sizeof C);
    for (size_t i = 0; i < r.n * r.n * r.n; i++) C[i / r.n] += Gamma[i] * r.v[i % r.n];
    assert_close(C, expected, r.n * r.n);
}

static void test_coriolis(void **state)
{
    (void)state;
    each_robot(check_coriolis);
}

/* J_bᵀ of the wrench that a body with parameter k alone needs */
static void check_regressor(void)
{
    static double Y[NV * 10 * NB], expected[NV * 10 * NB];
    const size_t columns = 10 * r.bodies;
    double gravity[3];
    hml_model_gravity(r.model, gravity);
    assert_int_equal(hml_regressor(r.model, r.scratch, r.q, r.v, r.a, Y), HML_OK);
    for (size_t b = 0; b < r.bodies; b++) {
        double H[16], I[36], p[10], A[6], f[6], momentum[6], g[6];
        hml_frame_motion m = {.struct_size = sizeof m, .pose = H};
        assert_int_equal(hml_frame(r.model, r.work, (int32_t)b, HML_LEFT, r.q, NULL, NULL, &m), HML_OK);
        memcpy(A, r.A[b], sizeof A);
        for (int e = 0; e < 9; e++) A[e / 3] -= H[4 * (e % 3) + e / 3] * gravity[e % 3];
        for (size_t k = 0; k < 10; k++) {
            memset(p, 0, sizeof p);
            p[k] = 1;
            inertia_of_parameters(p, I);
            apply(I, A, f), apply(I, r.V[b], momentum), apply_dual(r.V[b], momentum, g);
            for (size_t j = 0; j < r.n; j++) {
                double sum = 0;
                for (size_t e = 0; e < 6; e++) sum += r.J[b][e * r.n + j] * (f[e] + g[e]);
                expected[j * columns + 10 * b + k] = sum;
            }
        }
    }
    assert_close(Y, expected, r.n * columns);
}

static void test_regressor(void **state)
{
    (void)state;
    each_robot(check_regressor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coriolis), cmocka_unit_test(test_regressor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
