/*
 * What is misprinted in From's paper: each formula as printed is wrong by a finite amount, so that nobody puts it back,
 * and each correction is right.
 */
#include "from_check.h"

/* ---- misprints ---- */

/* (50) as printed has ∂S_sj/∂φ_l where (54) has ∂S_sm/∂φ_l: the same at φ = 0, wrong elsewhere */
static void test_misprint_of_49_and_50(void **state)
{
    (void)state;
    const hml_subgroup G = group_about_z(HML_GROUP_SO3);
    static const double places[2][3] = {{0, 0, 0}, {0.8, -0.5, 1.1}};
    for (int at = 0; at < 2; at++) {
        double M[36], p[6], dS[27], inverse[9], printed[9] = {0}, corrected[9] = {0}, tilde[9];
        momentum_of(&G, M, p);
        derivative_of_jacobian(&G, places[at], dS);
        assert_int_equal(hml_subgroup_jacobian_inverse(&G, places[at], inverse), HML_OK);
        for (int index = 0; index < 243; index++) { /* five indices that run to three */
            int i = index / 81, j = index / 27 % 3, l = index / 9 % 3, m = index / 3 % 3, s = index % 3;
            double factor = inverse[3 * l + i] * inverse[3 * m + j] * p[s], first = dS[(3 * s + l) * 3 + m];
            printed[3 * i + j] += (first - dS[(3 * s + j) * 3 + l]) * factor;
            corrected[3 * i + j] += (first - dS[(3 * s + m) * 3 + l]) * factor;
        }
        assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
        assert_near(corrected, tilde, 9, DIFFERENCE_TOL);
        if (at == 0)
            assert_near(printed, tilde, 9, DIFFERENCE_TOL);
        else
            assert_true(distance(printed, tilde, 9) > FINITE);
    }
}

/* (79) and (90) print S_r = +½ ad_φ: then the Coriolis matrix has the wrong sign; S_r = −½ ad_φ gives (83) and (93) */
static void test_misprinted_sign_of_79_and_90(void **state)
{
    (void)state;
    static const hml_group groups[] = {HML_GROUP_SE2, HML_GROUP_X};
    for (int g = 0; g < 2; g++) {
        const hml_subgroup G = group_about_z(groups[g]);
        int m = hml_group_dimension(groups[g]);
        double M[36], p[6], one[16], tilde[16], C[16], dS[64], true_dS[64], work[32];
        const double zero[4] = {0};
        momentum_of(&G, M, p);
        assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
        derivative_of_jacobian(&G, zero, true_dS);
        for (int i = 0; i < m * m; i++) one[i] = i % (m + 1) == 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int l = 0; l < m; l++) {
                double unit[4] = {0}, ad[16];
                unit[l] = 1;
                assert_int_equal(hml_subgroup_ad(&G, unit, ad), HML_OK);
                for (int i = 0; i < m * m; i++) dS[i * m + l] = 0.5 * sign * ad[i];
            }
            assert_int_equal(hml_boltzmann_hamel_coriolis(m, one, dS, p, work, C), HML_OK);
            if (sign < 0) {
                assert_near(dS, true_dS, m * m * m, DIFFERENCE_TOL);
                assert_near(C, tilde, m * m, ROUND_OFF);
            } else {
                for (int i = 0; i < m * m; i++) C[i] = -C[i];
                assert_near(C, tilde, m * m, ROUND_OFF);
                assert_true(distance(dS, true_dS, m * m * m) > FINITE);
            }
        }
    }
}

/* the last equation of SE(3) ends in I_y·r·q as printed */
static void test_misprint_of_the_last_equation_of_se3(void **state)
{
    (void)state;
    const hml_subgroup G = group_about_z(HML_GROUP_SE3);
    const double m = 2, Ix = 0.5, Iy = 0.8, Iz = 1.1, p = motion[3], q = motion[4], r = motion[5];
    const double vdot[6] = {0, 0, 0, 0, 0, 1};
    double I[36] = {0}, M[36], tau[6];
    I[0] = I[7] = I[14] = m, I[21] = Ix, I[28] = Iy, I[35] = Iz;
    assert_int_equal(hml_subgroup_mass(&G, I, M), HML_OK);
    assert_int_equal(hml_subgroup_inverse_dynamics(&G, M, motion, vdot, NULL, tau), HML_OK);
    double corrected = Iz * vdot[5] - Ix * q * p + Iy * p * q, printed = Iz * vdot[5] - Ix * q * p + Iy * r * q;
    assert_near(&tau[5], &corrected, 1, ROUND_OFF);
    assert_true(fabs(printed - corrected) > FINITE);
}

/* (103) as printed pairs the wrong components; the first row of ad_X Y is −X₆Y₂ + X₅Y₃ − X₃Y₅ + X₂Y₆ */
static void test_misprint_of_103(void **state)
{
    (void)state;
    const hml_subgroup G = group_about_z(HML_GROUP_SE3);
    const double *X = motion, Y[6] = {0.2, 0.9, -1.4, 0.6, 1.7, -0.8};
    double ad[36], first = 0;
    assert_int_equal(hml_subgroup_ad(&G, X, ad), HML_OK);
    for (int j = 0; j < 6; j++) first += ad[j] * Y[j];
    double corrected = -X[5] * Y[1] + X[4] * Y[2] - X[2] * Y[4] + X[1] * Y[5];
    double printed = -X[2] * Y[1] + Y[2] * X[1] - X[5] * Y[2] + Y[5] * X[4];
    assert_near(&first, &corrected, 1, ROUND_OFF);
    assert_true(fabs(printed - corrected) > FINITE);
}

/*
 * (110), (111): on the left a vector, on the right, with a free j, a matrix; a factor v_j and the sum over j are
 * missing. And it is −(111), not (110), that is the Coriolis matrix (109): the two agree for SO(3), where adᵀ = −ad,
 * only.
 */
static void test_misprint_of_110_and_111(void **state)
{
    (void)state;
    for (int g = 0; g < HML_GROUP_COUNT; g++) {
        const hml_subgroup G = group_about_z((hml_group)g);
        int m = hml_group_dimension(G.group);
        double M[36], p[6], ad[36], of_110[36] = {0}, of_111[36] = {0}, minus[36], C[36];
        momentum_of(&G, M, p);
        for (int j = 0; j < m; j++) { /* ad is linear in v: its derivative by v_j is ad of e_j */
            double unit[6] = {0};
            unit[j] = 1;
            assert_int_equal(hml_subgroup_ad(&G, unit, ad), HML_OK);
            for (int i = 0; i < m; i++) {
                for (int k = 0; k < m; k++) {
                    of_110[i * m + j] += ad[i * m + k] * p[k];
                    of_111[i * m + j] += ad[k * m + i] * p[k];
                }
            }
        }
        double left[2][6] = {{0}}, right[2][6] = {{0}}, printed[2][6] = {{0}};
        assert_int_equal(hml_subgroup_ad(&G, motion, ad), HML_OK);
        for (int i = 0; i < m * m; i++) {
            left[0][i / m] += ad[i] * p[i % m], left[1][i % m] += ad[i] * p[i / m];
            right[0][i / m] += of_110[i] * motion[i % m], right[1][i / m] += of_111[i] * motion[i % m];
            printed[0][i / m] += of_110[i], printed[1][i / m] += of_111[i]; /* summed over j, but without v_j */
            minus[i] = -of_111[i];
        }
        for (int e = 0; e < 2; e++) assert_near(left[e], right[e], m, ROUND_OFF * 20);
        assert_int_equal(hml_subgroup_coriolis(&G, M, motion, C), HML_OK);
        assert_near(minus, C, m * m, ROUND_OFF);
        int alone = g == HML_GROUP_SE3 || g == HML_GROUP_SE2 || g == HML_GROUP_X, turns = alone || g == HML_GROUP_SO3;
        for (int e = 0; e < 2 && turns; e++) assert_true(distance(printed[e], left[e], m) > FINITE);
        if (alone)
            assert_true(distance(of_110, C, m * m) > FINITE);
        else
            assert_near(of_110, C, m * m, ROUND_OFF);
    }
}

/* ---- Table 1 ---- */

/* what is right there: ãd_p of SE(3), X and SE(2) */
static void test_table_1_where_it_is_right(void **state)
{
    (void)state;
    const double p1 = 2, p2 = 3, p3 = 5, p4 = 7, p5 = 11, p6 = 13, p[6] = {p1, p2, p3, p4, p5, p6};
    const double se3[36] = {0, 0,  0,   0, p3, -p2, 0,   0, 0,  -p3, 0, p1, 0,  0,   0, p2, -p1, 0,
                            0, p3, -p2, 0, p6, -p5, -p3, 0, p1, -p6, 0, p4, p2, -p1, 0, p5, -p4, 0};
    const double x[16] = {0, 0, 0, -p2, 0, 0, 0, p1, 0, 0, 0, 0, p2, -p1, 0, 0},
                 se2[9] = {0, 0, -p2, 0, 0, p1, p2, -p1, 0};
    double tilde[36];
    hml_subgroup G = group_about_z(HML_GROUP_SE3);
    assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
    assert_near(tilde, se3, 36, 0);
    G = group_about_z(HML_GROUP_X);
    assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
    assert_near(tilde, x, 16, 0);
    G = group_about_z(HML_GROUP_SE2);
    assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
    assert_near(tilde, se2, 9, 0);
}

/* row SO(3): ãd_p is printed as p^; (68), Table 2 and −ad_vᵀ p say −p^ */
static void test_table_1_so3(void **state)
{
    (void)state;
    const hml_subgroup G = group_about_z(HML_GROUP_SO3);
    const double p[3] = {2, 3, 5}, v[3] = {7, -11, 13}, printed[9] = {0, -5, 3, 5, 0, -2, -3, 2, 0};
    double ad[9], tilde[9], expected[3] = {0}, got[3] = {0}, wrong[3] = {0};
    assert_int_equal(hml_subgroup_ad(&G, v, ad), HML_OK);
    assert_int_equal(hml_subgroup_ad_tilde(&G, p, tilde), HML_OK);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            expected[i] -= ad[3 * j + i] * p[j];
            got[i] += tilde[3 * i + j] * v[j];
            wrong[i] += printed[3 * i + j] * v[j];
        }
    }
    assert_near(got, expected, 3, 0);
    assert_true(distance(wrong, expected, 3) > FINITE);
}

/* row ℝ³: V^ is printed with a rotation r. Such matrices do not commute, but the same row says ad = 0. */
static void test_table_1_r3(void **state)
{
    (void)state;
    const hml_subgroup G = group_about_z(HML_GROUP_R3);
    const double u[2] = {2, 3}, v[2] = {5, 7}, w[2] = {11, 13}, r[2] = {17, 19};
    double printed[2][16] = {{0}}, hat[2][16], bracket[2][16] = {{0}};
    const double zero[16] = {0};
    for (int n = 0; n < 2; n++) {
        const double x[3] = {u[n], v[n], w[n]};
        printed[n][1] = -r[n], printed[n][4] = r[n], printed[n][3] = u[n], printed[n][7] = v[n], printed[n][11] = w[n];
        assert_int_equal(hml_subgroup_hat(&G, x, hat[n]), HML_OK);
    }
    for (int i = 0; i < 16; i++) {
        for (int k = 0; k < 4; k++) {
            int row = i / 4 * 4 + k, column = 4 * k + i % 4;
            bracket[0][i] += printed[0][row] * printed[1][column] - printed[1][row] * printed[0][column];
            bracket[1][i] += hat[0][row] * hat[1][column] - hat[1][row] * hat[0][column];
        }
    }
    assert_true(distance(bracket[0], zero, 16) > FINITE);
    assert_near(bracket[1], zero, 16, 0);
}

/* rows ℝ, H, SO(2): V^ is printed as 0, and exp(0) does not move; the element is the axis' own */
static void test_table_1_one_dimension(void **state)
{
    (void)state;
    static const hml_group groups[] = {HML_GROUP_R, HML_GROUP_H, HML_GROUP_SO2};
    const double rate = 0.5, zero[16] = {0}, one[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    for (int g = 0; g < 3; g++) {
        const hml_subgroup G = group_about_z(groups[g]);
        double hat[16], H[16];
        assert_int_equal(hml_subgroup_hat(&G, &rate, hat), HML_OK);
        assert_int_equal(hml_subgroup_exp(&G, &rate, H), HML_OK);
        assert_true(distance(hat, zero, 16) > FINITE);
        assert_true(distance(H, one, 16) > FINITE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misprint_of_49_and_50),
        cmocka_unit_test(test_misprinted_sign_of_79_and_90),
        cmocka_unit_test(test_misprint_of_the_last_equation_of_se3),
        cmocka_unit_test(test_misprint_of_103),
        cmocka_unit_test(test_misprint_of_110_and_111),
        cmocka_unit_test(test_table_1_where_it_is_right),
        cmocka_unit_test(test_table_1_so3),
        cmocka_unit_test(test_table_1_r3),
        cmocka_unit_test(test_table_1_one_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
