/*
 * What is misprinted in Notation, where numbers can tell: each formula as printed is wrong by a finite amount, and each
 * correction is right. The motion is H(t) with elementary functions of time, its rate by sixth-order differences.
 */
#include "arrays.h"
#include "hamel/se3.h"
#include "hamel/so3.h"

#define RATE_TOL 1e-12
#define FINITE   0.1

static void moving_pose(double t, double H[16])
{
    double a = 0.4 + sin(0.7 * t), b = 0.3 * t * t - 0.5 * t + 1;
    const double Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    const double X[9] = {1, 0, 0, 0, cos(b), -sin(b), 0, sin(b), cos(b)}, p[3] = {1 + cos(t), 2 + sin(t), 3 - 2 * t};
    double R[9];
    multiply(3, 3, 3, Z, X, R);
    for (int i = 0; i < 16; i++) H[i] = i % 4 == 3 ? (i < 12 ? p[i / 4] : 1) : i < 12 ? R[3 * (i / 4) + i % 4] : 0;
}

static void pose_rate(double t, double dH[16])
{
    static const double weight[3] = {45, -9, 1};
    double ahead[16], behind[16], h = 0.01;
    for (int i = 0; i < 16; i++) dH[i] = 0;
    for (int k = 3; k >= 1; k--) {
        moving_pose(t + k * h, ahead), moving_pose(t - k * h, behind);
        for (int i = 0; i < 16; i++) dH[i] += weight[k - 1] * (ahead[i] - behind[i]) / (60 * h);
    }
}

static double apart(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* R, p and their rates */
static void parts(const double H[16], double R[9], double p[3])
{
    for (int i = 0; i < 3; i++) {
        memcpy(R + 3 * i, H + 4 * i, 3 * sizeof *R);
        p[i] = H[4 * i + 3];
    }
}

/*
 * (20) and (25) stack v and ω^, three numbers and nine, and call it a vector of six. With ω = (ω^)ˇ, hat of the six is
 * H⁻¹Ḣ and ḢH⁻¹, (21) and (26); with any column of ω^ in its place it is not.
 */
static void test_twists_hold_omega_and_not_its_matrix(void **state)
{
    (void)state;
    double H[16], dH[16], I[16], R[9], dR[9], p[3], dp[3], Rt[9], W[2][9], product[2][16];
    moving_pose(0.3, H), pose_rate(0.3, dH);
    parts(H, R, p), parts(dH, dR, dp);
    transpose(3, R, Rt);
    ASSERT_OK(hml_se3_inverse(H, I));
    multiply(4, 4, 4, I, dH, product[0]);
    multiply(4, 4, 4, dH, I, product[1]);
    multiply(3, 3, 3, Rt, dR, W[0]); /* (19) */
    multiply(3, 3, 3, dR, Rt, W[1]); /* (24) */
    for (int side = 0; side < 2; side++) {
        double V[6], hat[16];
        for (int i = 0; i < 3; i++) V[i] = product[side][4 * i + 3];
        ASSERT_OK(hml_so3_vee(W[side], V + 3));
        ASSERT_OK(hml_se3_hat(V, hat));
        CHECK(hat, product[side], 16, RATE_TOL);
        for (int column = 0; column < 3; column++) {
            for (int i = 0; i < 3; i++) V[3 + i] = W[side][3 * i + column];
            ASSERT_OK(hml_se3_hat(V, hat));
            assert_true(apart(hat, product[side], 16) > FINITE);
        }
    }
}

/* (93) has p twice: −ṘRᵀ p p + ṗ. With it once it is the linear part of ḢH⁻¹, (23); entry by entry with both it is not
 */
static void test_murrays_spatial_velocity_has_p_once(void **state)
{
    (void)state;
    double H[16], dH[16], R[9], dR[9], p[3], dp[3], Rt[9], W[9], Wp[3], V[6], once[3], twice[3];
    moving_pose(0.3, H), pose_rate(0.3, dH);
    parts(H, R, p), parts(dH, dR, dp);
    transpose(3, R, Rt);
    multiply(3, 3, 3, dR, Rt, W);
    multiply(3, 3, 1, W, p, Wp);
    for (int i = 0; i < 3; i++) once[i] = dp[i] - Wp[i], twice[i] = dp[i] - Wp[i] * p[i];
    ASSERT_OK(hml_se3_velocity(H, HML_RIGHT, dH, V));
    CHECK(V, once, 3, RATE_TOL);
    assert_true(apart(V, twice, 3) > FINITE);
}

/* after (42): ad_{g⁻¹ġ} is ᴮv ×, not ᴬv × */
static void test_rate_of_the_adjoint_has_the_left_twist(void **state)
{
    (void)state;
    double H[16], dH[16], X[36], dX[36] = {0}, V[2][6], ad[36], product[2][36];
    static const double weight[3] = {45, -9, 1};
    moving_pose(0.3, H), pose_rate(0.3, dH);
    ASSERT_OK(hml_se3_adjoint(H, X));
    for (int k = 3; k >= 1; k--) {
        double ahead[36], behind[36], Hk[16], h = 0.01;
        moving_pose(0.3 + k * h, Hk);
        ASSERT_OK(hml_se3_adjoint(Hk, ahead));
        moving_pose(0.3 - k * h, Hk);
        ASSERT_OK(hml_se3_adjoint(Hk, behind));
        for (int i = 0; i < 36; i++) dX[i] += weight[k - 1] * (ahead[i] - behind[i]) / (60 * h);
    }
    for (int side = 0; side < 2; side++) {
        ASSERT_OK(hml_se3_velocity(H, (hml_representation)side, dH, V[side]));
        ASSERT_OK(hml_se3_cross(V[side], ad));
        multiply(6, 6, 6, X, ad, product[side]);
    }
    CHECK(product[0], dX, 36, 10 * RATE_TOL);
    assert_true(apart(product[1], dX, 36) > FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twists_hold_omega_and_not_its_matrix),
        cmocka_unit_test(test_murrays_spatial_velocity_has_p_once),
        cmocka_unit_test(test_rate_of_the_adjoint_has_the_left_twist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
