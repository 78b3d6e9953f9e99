/*
 * Subgroups about any axis: a group about n is the group about z, seen from a frame that is turned. And vee and ∂S/∂φ
 * of every group. Judges: conjugation by a rotation, hat itself, eighth-order differences.
 */
#include "from_check.h"

enum { AXES = 7 };

/* frame axes, their negatives, and what lies between; two are equally near to several frame axes */
static const double axes[AXES][3] = {{0, 0, 1},          {1, 0, 0}, {0, 0, -1}, {0.48, 0.6, 0.64},
                                     {-0.36, 0.8, 0.48}, {1, 1, 1}, {3, -1, 3}};
static const hml_group planar[] = {HML_GROUP_X, HML_GROUP_SE2, HML_GROUP_R2};
static const double some[6] = {0.3, -0.8, 0.5, 1.2, 0.7, -0.4};

static hml_subgroup group_about(hml_group group, const double axis[3])
{
    hml_subgroup G;
    assert_int_equal(hml_subgroup_make(group, axis, 0.35, &G), HML_OK);
    return G;
}

/* columns i, j, n of the plane across n */
static void frame_of(const double axis[3], double R[9])
{
    const hml_subgroup G = group_about(HML_GROUP_SE2, axis);
    double S[18];
    assert_int_equal(hml_subgroup_selection(&G, S), HML_OK);
    for (int i = 0; i < 3; i++) R[3 * i] = S[3 * i], R[3 * i + 1] = S[3 * i + 1], R[3 * i + 2] = S[3 * (i + 3) + 2];
}

static void product(int n, const double *A, const double *B, int transposed, double *out)
{
    for (int i = 0; i < n * n; i++) {
        out[i] = 0;
        for (int k = 0; k < n; k++) out[i] += A[i / n * n + k] * (transposed ? B[i % n * n + k] : B[k * n + i % n]);
    }
}

/* T A Tᵀ, n×n, with T = [R 0; 0 1] */
static void turned(int n, const double R[9], const double *A, double *out)
{
    double T[36] = {0}, TA[36];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) T[n * i + j] = i < 3 && j < 3 ? R[3 * i + j] : i == j;
    }
    product(n, T, A, 0, TA);
    product(n, TA, T, 1, out);
}

static void test_directions_of_the_plane(void **state)
{
    (void)state;
    for (int a = 0; a < AXES; a++) {
        double R[9], RRt[9], length = sqrt(axes[a][0] * axes[a][0] + axes[a][1] * axes[a][1] + axes[a][2] * axes[a][2]);
        const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        frame_of(axes[a], R);
        product(3, R, R, 1, RRt);
        assert_near(RRt, one, 9, 4 * ROUND_OFF);
        double handed = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                        R[2] * (R[3] * R[7] - R[4] * R[6]);
        assert_true(handed > 0.9);
        for (int i = 0; i < 3; i++) assert_true(fabs(R[3 * i + 2] - axes[a][i] / length) < ROUND_OFF);
    }
    const double z[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* columns i, j, n */
    double R[9];
    frame_of(axes[0], R);
    assert_near(R, z, 9, 0);
    frame_of(axes[1], R);
    assert_near(R, x, 9, 0);
    frame_of(axes[5], R); /* all are as near: z counts, so i leans to x */
    assert_true(R[0] > 0.8 && fabs(R[3] - R[6]) < ROUND_OFF);
}

/* coordinates of the group about z for those about n: X has the frame's x, y, z, the others the plane's own */
static void coordinates_about_z(hml_group group, const double R[9], const double *v, double *w)
{
    memcpy(w, v, (size_t)hml_group_dimension(group) * sizeof *w);
    for (int i = 0; i < 3 && group == HML_GROUP_X; i++) w[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
}

static void test_any_axis_is_z_in_a_turned_frame(void **state)
{
    (void)state;
    typedef hml_status matrix_of(const hml_subgroup *, const double *, double *);
    static matrix_of *const square[] = {hml_subgroup_ad, hml_subgroup_ad_tilde, hml_subgroup_jacobian,
                                        hml_subgroup_jacobian_inverse};
    static matrix_of *const poses[] = {hml_subgroup_hat, hml_subgroup_exp};
    for (int c = 0; c < AXES * 3; c++) {
        hml_group group = planar[c % 3];
        const hml_subgroup G = group_about(group, axes[c / 3]), Z = group_about_z(group);
        int m = hml_group_dimension(group);
        double R[9], w[6], A[16], B[16], C[16], phi[6];
        frame_of(axes[c / 3], R);
        coordinates_about_z(group, R, some, w);
        for (int f = 0; f < 2; f++) {
            assert_int_equal(poses[f](&G, some, A), HML_OK);
            assert_int_equal(poses[f](&Z, w, B), HML_OK);
            turned(4, R, B, C);
            assert_near(A, C, 16, 10 * ROUND_OFF);
        }
        assert_int_equal(hml_subgroup_exp(&G, some, A), HML_OK);
        assert_int_equal(hml_subgroup_log(&G, A, phi), HML_OK);
        assert_near(phi, some, m, 10 * ROUND_OFF);
        for (int f = 0; f < 4; f++) {
            assert_int_equal(square[f](&G, some, A), HML_OK);
            assert_int_equal(square[f](&Z, w, B), HML_OK);
            if (group == HML_GROUP_X)
                turned(4, R, B, C);
            else
                memcpy(C, B, sizeof C);
            assert_near(A, C, m * m, 10 * ROUND_OFF);
        }
    }
}

/* ---- vee ---- */

static void test_vee_undoes_hat(void **state)
{
    (void)state;
    for (int c = 0; c < AXES * HML_GROUP_COUNT; c++) {
        const hml_subgroup G = group_about((hml_group)(c % HML_GROUP_COUNT), axes[c / HML_GROUP_COUNT]);
        int m = hml_group_dimension(G.group);
        for (double size = 1e-3; size < 1e7; size *= 1e3) {
            double v[6], hat[16], back[7] = {0, 0, 0, 0, 0, 0, 0};
            for (int i = 0; i < m; i++) v[i] = size * some[i];
            back[m] = 77;
            assert_int_equal(hml_subgroup_hat(&G, v, hat), HML_OK);
            assert_int_equal(hml_subgroup_vee(&G, hat, back), HML_OK);
            assert_near(back, v, m, size * 10 * ROUND_OFF);
            assert_true(back[m] == 77);
        }
    }
}

static void test_vee_refuses_strangers(void **state)
{
    (void)state;
    double hat[16], v[6] = {5, 5, 5, 5, 5, 5};
    const hml_subgroup all = group_about_z(HML_GROUP_SE3);
    assert_int_equal(hml_subgroup_hat(&all, some, hat), HML_OK);
    for (int g = HML_GROUP_SE3 + 1; g < HML_GROUP_COUNT; g++) {
        const hml_subgroup G = group_about((hml_group)g, axes[3]);
        assert_int_equal(hml_subgroup_vee(&G, hat, v), HML_INVALID_ARGUMENT);
    }
    hat[1] += 1e-3; /* no longer skew */
    assert_int_equal(hml_subgroup_vee(&all, hat, v), HML_INVALID_ARGUMENT);
    hat[1] -= 1e-3, hat[15] = 1; /* a pose is no velocity */
    assert_int_equal(hml_subgroup_vee(&all, hat, v), HML_INVALID_ARGUMENT);
    hat[15] = 0, hat[3] = NAN;
    assert_int_equal(hml_subgroup_vee(&all, hat, v), HML_NOT_FINITE);
    assert_int_equal(hml_subgroup_vee(&all, NULL, v), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_vee(&all, hat, NULL), HML_INVALID_ARGUMENT);
    for (int i = 0; i < 6; i++) assert_true(v[i] == 5); /* nothing was written */
}

/* ---- ∂S/∂φ ---- */

static void test_derivative_of_the_jacobian(void **state)
{
    (void)state;
    static const double sizes[] = {0, 1e-9, 1e-4, 0.5, 1, 2.2};
    for (int c = 0; c < AXES * HML_GROUP_COUNT; c++) {
        const hml_subgroup G = group_about((hml_group)(c % HML_GROUP_COUNT), axes[c / HML_GROUP_COUNT]);
        int m = hml_group_dimension(G.group);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            double phi[6], ours[217], reference[216];
            for (int i = 0; i < m; i++) phi[i] = sizes[k] * some[i];
            ours[m * m * m] = 77;
            assert_int_equal(hml_subgroup_jacobian_derivative(&G, phi, ours), HML_OK);
            assert_true(ours[m * m * m] == 77);
            derivative_of_jacobian(&G, phi, reference);
            assert_near(ours, reference, m * m * m, DIFFERENCE_TOL);
        }
    }
    double out[216];
    const hml_subgroup G = group_about_z(HML_GROUP_SE2);
    assert_int_equal(hml_subgroup_jacobian_derivative(&G, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_subgroup_jacobian_derivative(&G, some, NULL), HML_INVALID_ARGUMENT);
}

/* with it From's theorem needs no differences: C = ãd_(Mv) at every φ */
static void test_boltzmann_hamel_with_the_exact_derivative(void **state)
{
    (void)state;
    for (int c = 0; c < AXES * HML_GROUP_COUNT; c++) {
        const hml_subgroup G = group_about((hml_group)(c % HML_GROUP_COUNT), axes[c / HML_GROUP_COUNT]);
        int m = hml_group_dimension(G.group);
        double S[36], dS[216], work[90], C[36], tilde[36];
        assert_int_equal(hml_subgroup_jacobian(&G, some, S), HML_OK);
        assert_int_equal(hml_subgroup_jacobian_derivative(&G, some, dS), HML_OK);
        assert_int_equal(hml_boltzmann_hamel_coriolis(m, S, dS, motion, work, C), HML_OK);
        assert_int_equal(hml_subgroup_ad_tilde(&G, motion, tilde), HML_OK);
        assert_near(C, tilde, m * m, 50 * ROUND_OFF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directions_of_the_plane),
        cmocka_unit_test(test_any_axis_is_z_in_a_turned_frame),
        cmocka_unit_test(test_vee_undoes_hat),
        cmocka_unit_test(test_vee_refuses_strangers),
        cmocka_unit_test(test_derivative_of_the_jacobian),
        cmocka_unit_test(test_boltzmann_hamel_with_the_exact_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
