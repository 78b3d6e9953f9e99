/*
 * Müller, section 4 and appendix A: screws, products of exponentials and the recursions of twists and accelerations,
 * step by step from body to body, against the motion that hml_frame_series gives, which knows no recursion in these
 * forms. Where the paper has a slip, the printed form must fail.
 */
#include "muller_check.h"

#define TINY   1e-12 /* some dozen roundings of numbers of size one */
#define FINITE 0.05  /* a formula that is off by this much is wrong, not inexact */

enum { CHAINS = 10 };

/* ---- appendix A: screws and poses ---- */

/* (91)-(94): C_{i−1,i} = B_i exp(X_i q_i), their product, and exp(Y_1 q_1) … exp(Y_i q_i) A_i; (66a), (70a), (75a) */
static void test_products_of_exponentials(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CHAINS; seed++) {
        chain x;
        double body[16], spatial[16];
        chain_open(&x, seed);
        identity(4, body), identity(4, spatial);
        for (int i = 1; i <= N; i++) {
            double B[16], hat[16], E[16], step[16], next[16], screw[6], C[16], exponential[16 * N];
            relative(x.A0, i - 1, i, B);
            scaled(x.q[i - 1], x.X[i - 1], screw);
            assert_int_equal(hml_se3_hat(screw, hat), HML_OK);
            matrix_exponential(4, hat, E);
            multiply(4, 4, 4, B, E, step);
            relative(x.C, i - 1, i, C);
            CHECK(C, step, 16, TINY); /* (91) */
            multiply(4, 4, 4, body, step, next), memcpy(body, next, sizeof body);
            CHECK(body, x.C[i], 16, TINY); /* (92) */
            scaled(x.q[i - 1], x.Y[i - 1], screw);
            assert_int_equal(hml_se3_hat(screw, hat), HML_OK);
            matrix_exponential(4, hat, E);
            multiply(4, 4, 4, spatial, E, next), memcpy(spatial, next, sizeof spatial);
            multiply(4, 4, 4, spatial, x.A0[i], C);
            CHECK(C, x.C[i], 16, TINY); /* (93) */
            assert_int_equal(hml_body_poses_exponential(x.model, x.work, x.q, exponential), HML_OK);
            CHECK(exponential + 16 * (i - 1), C, 16, TINY);
        }
        chain_close(&x);
    }
}

/* (98)-(102), (106), (111): twists and Jacobians from each other, and twists as J q̇; (99) must fail as printed */
static void test_representations(void **state)
{
    (void)state;
    double printed = 0;
    for (uint64_t seed = 1; seed <= CHAINS; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int i = 1; i <= N; i++) {
            double(*V)[N + 1][6] = x.V, r[6], y[6], m[6];
            offset(&x, 0, i, 0, r);
            rotate(x.C[i], V[HML_LEFT][i], y); /* (98) */
            CHECK(y, V[HML_MIXED][i], 6, TINY);
            transform(x.C[i], V[HML_LEFT][i], y); /* (99): Ad_C V^b = Ad_r V^h */
            CHECK(y, V[HML_RIGHT][i], 6, TINY);
            shift(r, V[HML_MIXED][i], y);
            CHECK(y, V[HML_RIGHT][i], 6, TINY);
            shift(r, V[HML_LEFT][i], y); /* Ad_r V^b in print */
            printed = fmax(printed, off(y, V[HML_RIGHT][i], 6));
            /* (100): V^m = (ω^b, ṙ) from V^b, from V^h and from V^s */
            assert_int_equal(hml_twist_convert(x.C[i], HML_LEFT, V[HML_LEFT][i], HML_SPLIT, m), HML_OK);
            memcpy(y, V[HML_MIXED][i], 3 * sizeof *y), memcpy(y + 3, V[HML_LEFT][i] + 3, 3 * sizeof *y);
            CHECK(m, y, 6, TINY);
            const double *w = V[HML_RIGHT][i] + 3;
            const double arm[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]};
            for (int k = 0; k < 3; k++) {
                y[k] = V[HML_RIGHT][i][k] + arm[k], y[3 + k] = 0; /* v^s − r^ω, R_iᵀω */
                for (int l = 0; l < 3; l++) y[3 + k] += x.C[i][4 * l + k] * w[l];
            }
            CHECK(m, y, 6, TINY);
            for (int rep = HML_LEFT; rep <= HML_MIXED; rep++) { /* (101), (102) */
                double sum[6] = {0};
                for (int j = 0; j < N; j++) add(sum, x.d[0][j], x.J[rep][i][j]);
                CHECK(sum, V[rep][i], 6, 10 * TINY);
            }
            for (int j = 0; j < i; j++) { /* (106) */
                transform(x.C[i], x.J[HML_LEFT][i][j], y);
                CHECK(y, x.J[HML_RIGHT][i][j], 6, TINY);
                shift(r, x.J[HML_MIXED][i][j], y);
                CHECK(y, x.J[HML_RIGHT][i][j], 6, TINY);
                rotate(x.C[i], x.J[HML_LEFT][i][j], y);
                CHECK(y, x.J[HML_MIXED][i][j], 6, TINY);
            }
        }
        chain_close(&x);
    }
    assert_true(printed > FINITE);
}

/* (103)-(105), (70b), (75b), (107): columns from X, Y and ⁰X. In (75b) and (107) the current J^s stands for the Y in
 * print */
static void test_joint_screws(void **state)
{
    (void)state;
    double printed = 0;
    for (uint64_t seed = 1; seed <= CHAINS; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int j = 1; j <= N; j++) {
            double inverse[16], to[16], H[16], r[6], back[6], y[6], own[6];
            const double *X = x.X[j - 1], *Y = x.Y[j - 1], *Js = x.J[HML_RIGHT][j][j - 1];
            assert_int_equal(hml_se3_inverse(x.A0[j], inverse), HML_OK);
            multiply(4, 4, 4, x.C[j], inverse, to);
            transform(x.C[j], X, y); /* (104), (70b): Ad_Cj X = Ad of C_j A_j⁻¹ Y */
            CHECK(y, Js, 6, TINY);
            transform(to, Y, y);
            CHECK(y, Js, 6, TINY);
            rotate(x.C[j], X, own); /* ⁰X = Ad_R X, (75b), (107) */
            CHECK(own, x.J[HML_MIXED][j][j - 1], 6, TINY);
            offset(&x, 0, j, 0, r), scaled(-1, r, back);
            shift(back, Js, y);
            CHECK(y, own, 6, TINY);
            shift(back, Y, y);
            printed = fmax(printed, off(y, own, 6));
            shift(r, own, y);
            CHECK(y, Js, 6, TINY);
            printed = fmax(printed, off(y, Y, 6));
            for (int i = j; i <= N; i++) {
                relative(x.C, i, j, H);
                transform(H, X, y); /* (103) */
                CHECK(y, x.J[HML_LEFT][i][j - 1], 6, TINY);
                multiply(4, 4, 4, H, inverse, to);
                transform(to, Y, y);
                CHECK(y, x.J[HML_LEFT][i][j - 1], 6, TINY);
                offset(&x, i, j, 0, r);
                shift(r, own, y); /* (105) */
                CHECK(y, x.J[HML_MIXED][i][j - 1], 6, TINY);
            }
        }
        chain_close(&x);
    }
    assert_true(printed > FINITE);
}

/* ---- section 4: recursions ---- */

/* (65a)-(65c), (66b), (66c), (108), and solved for q̇ and q̈: (11) in components, Remarks 1 and 3 */
static void test_body_fixed_recursion(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CHAINS; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int i = 1; i <= N; i++) {
            double H[16], before[6], carried[6], Xd[6], y[6], sum[6], length = 0;
            const double *X = x.X[i - 1], *V = x.V[HML_LEFT][i], *A = x.A[HML_LEFT][i], d1 = x.d[0][i - 1],
                         d2 = x.d[1][i - 1];
            relative(x.C, i, i - 1, H);
            transform(H, x.V[HML_LEFT][i - 1], before), transform(H, x.A[HML_LEFT][i - 1], carried);
            scaled(d1, X, Xd);
            scaled(1, before, y), add(y, 1, Xd); /* (66b), (108) */
            CHECK(y, V, 6, TINY);
            const double *pairs[3][2] = {{before, Xd}, {before, V}, {V, Xd}}; /* (65a), (65b), (65c) */
            for (int form = 0; form < 3; form++) {
                bracket(pairs[form][0], pairs[form][1], y);
                scaled(1, carried, sum), add(sum, 1, y), add(sum, d2, X);
                CHECK(sum, A, 6, 10 * TINY);
            }
            bracket(X, V, y); /* (66c) */
            scaled(1, carried, sum), add(sum, -d1, y), add(sum, d2, X);
            CHECK(sum, A, 6, 10 * TINY);
            /* q̈ = Xᵀ(V̇_i − Ad V̇_{i−1} + q̇ [X, V]) / |X|², Remark 1; with [V_i, Ad V_{i−1}], Remark 3 */
            double found[2] = {0}, z[6];
            bracket(V, before, z);
            for (int k = 0; k < 6; k++) {
                length += X[k] * X[k];
                found[0] += X[k] * (A[k] - carried[k] + d1 * y[k]);
                found[1] += X[k] * (A[k] - carried[k] + z[k]);
            }
            for (int k = 0; k < 2; k++) assert_true(fabs(found[k] / length - d2) < 10 * TINY);
        }
        chain_close(&x);
    }
}

/* (68), (69), (70c), (70d), (109); the second form of (69) lacks J q̈ in print, and its V_i is V_{i−1} */
static void test_spatial_recursion(void **state)
{
    (void)state;
    double printed = 0;
    for (uint64_t seed = 1; seed <= CHAINS; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int i = 1; i <= N; i++) {
            double y[6], sum[6];
            const double *J = x.J[HML_RIGHT][i][i - 1], *V = x.V[HML_RIGHT][i], *A = x.A[HML_RIGHT][i];
            const double *V1 = x.V[HML_RIGHT][i - 1], *A1 = x.A[HML_RIGHT][i - 1], d1 = x.d[0][i - 1],
                         d2 = x.d[1][i - 1];
            scaled(1, V1, sum), add(sum, d1, J);
            CHECK(sum, V, 6, TINY);
            bracket(V, J, y);
            scaled(1, A1, sum), add(sum, d1, y);
            printed = fmax(printed, off(sum, A, 6));
            add(sum, d2, J);
            CHECK(sum, A, 6, 10 * TINY);
            bracket(V1, V, y);
            scaled(1, A1, sum), add(sum, d2, J), add(sum, 1, y);
            CHECK(sum, A, 6, 10 * TINY);
        }
        chain_close(&x);
    }
    assert_true(printed > FINITE);
}

/* (72)-(74), (75c), (75d), (110) */
static void test_hybrid_recursion(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CHAINS; seed++) {
        chain x;
        chain_open(&x, seed);
        for (int i = 1; i <= N; i++) {
            double r[6], rd[6], own[6], before[6], omega[6], common[6], sum[6], y[6], z[6];
            const double *X = x.J[HML_MIXED][i][i - 1], *V = x.V[HML_MIXED][i], *A = x.A[HML_MIXED][i];
            const double *V1 = x.V[HML_MIXED][i - 1], *A1 = x.A[HML_MIXED][i - 1], d1 = x.d[0][i - 1],
                         d2 = x.d[1][i - 1];
            offset(&x, i, i - 1, 0, r), offset(&x, i, i - 1, 1, rd);
            linear_part(V, own), linear_part(V1, before), angular_part(V, omega);
            shift(r, V1, sum), add(sum, d1, X); /* (75c), (110) */
            CHECK(sum, V, 6, TINY);
            shift(r, A1, common), add(common, d2, X);
            scaled(1, common, sum); /* (72), (75d) */
            bracket(rd, V1, y), bracket(omega, X, z), add(sum, 1, y), add(sum, d1, z);
            CHECK(sum, A, 6, 10 * TINY);
            scaled(1, common, sum); /* (73) */
            bracket(before, V1, y), bracket(own, V, z), add(sum, 1, y), add(sum, -1, z);
            bracket(V, X, z), add(sum, d1, z);
            CHECK(sum, A, 6, 10 * TINY);
            scaled(1, common, sum); /* (74) */
            bracket(rd, V, y), add(sum, 1, y), add(sum, d1, z);
            bracket(before, X, z), add(sum, -d1, z);
            CHECK(sum, A, 6, 10 * TINY);
        }
        chain_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_of_exponentials),
        cmocka_unit_test(test_representations),
        cmocka_unit_test(test_joint_screws),
        cmocka_unit_test(test_body_fixed_recursion),
        cmocka_unit_test(test_spatial_recursion),
        cmocka_unit_test(test_hybrid_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
