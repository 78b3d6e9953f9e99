/*
 * Müller, section 7 and appendix B: the exponential in time, with (89) as printed failing, and brackets of screws.
 * Linear first.
 */
#include "difference.h"
#include "muller_check.h"

#define TOL      (1000 * EPS) /* some dozen roundings of numbers up to about 20 */
#define RATE_TOL 1e-10        /* of a difference, numbers up to about 20 */
#define FINITE   0.05         /* a formula that is off by this much is wrong, not inexact */

/* ---- section 7 ---- */

typedef struct {
    double at, screw[6], rate[6], bend[6];
} exponential;

/* C_{k−1} exp X(t), X(t) = X + t Ẋ + t² Ẍ: not a straight line */
static void exponential_on_curve(const void *context, double t, double *out)
{
    const exponential *m = context;
    double screw[6], E[16], H[16];
    for (int k = 0; k < 6; k++) screw[k] = m->screw[k] + t * m->rate[k] + t * t * m->bend[k];
    assert_int_equal(hml_se3_exp(screw, E), HML_OK);
    moving_pose(m->at, H);
    multiply(4, 4, 4, H, E, out);
}

/* (88), (89) for C = C_{k−1} exp X: V^b = dexp_{−X} Ẋ as printed, V^s = Ad of C_{k−1} dexp_X Ẋ, not as printed */
static void test_exponential_in_time(void **state)
{
    (void)state;
    double printed = 0;
    for (int i = 0; i < 50; i++) {
        double C[16], dC[16], inverse[16], W[16], V[6], y[6], start[16];
        exponential m = {.at = -1 + 0.04 * i};
        draw_array(m.screw, 6, 1.2), draw_array(m.rate, 6, 1), draw_array(m.bend, 6, 1);
        exponential_on_curve(&m, 0, C);
        difference(exponential_on_curve, &m, 16, dC);
        ASSERT_OK(hml_se3_inverse(C, inverse));
        multiply(4, 4, 4, inverse, dC, W);
        ASSERT_OK(hml_se3_vee(W, V));
        ASSERT_OK(hml_se3_dexp_right_apply(m.screw, m.rate, y));
        CHECK(y, V, 6, RATE_TOL);
        multiply(4, 4, 4, dC, inverse, W);
        ASSERT_OK(hml_se3_vee(W, V));
        ASSERT_OK(hml_se3_dexp_left_apply(m.screw, m.rate, y));
        printed = fmax(printed, off(y, V, 6));
        moving_pose(m.at, start), transform(start, y, y);
        CHECK(y, V, 6, RATE_TOL);
    }
    assert_true(printed > FINITE);
}

/* ---- appendix B ---- */

static void pose_curve(const void *context, double t, double *out) { moving_pose(*(const double *)context + t, out); }

typedef struct {
    double at, value[6], rate[6];
} moving_screw;

static void screw_in_world(const void *context, double t, double *out)
{
    const moving_screw *s = context;
    double H[16], X[6];
    moving_pose(s->at + t, H);
    for (int k = 0; k < 6; k++) X[k] = s->value[k] + t * s->rate[k];
    transform(H, X, out);
}

/* (113)-(117), (119), (120); (95), (96), (115) are angular first there: swap the halves */
static void test_brackets(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        double X[3][6], H[2][16], P[16], Q[16], y[6], z[6], sum[6] = {0}, ad[36], turning[6], sliding[6], a[36], b[36];
        for (int k = 0; k < 3; k++) draw_array(X[k], 6, 1);
        for (int k = 0; k < 2; k++) ASSERT_OK(hml_se3_hat(X[k], H[k]));
        multiply(4, 4, 4, H[0], H[1], P), multiply(4, 4, 4, H[1], H[0], Q);
        for (int k = 0; k < 16; k++) P[k] -= Q[k];
        ASSERT_OK(hml_se3_vee(P, z));
        bracket(X[0], X[1], y);
        CHECK(y, z, 6, TOL); /* (113) */
        double lin[3], other[3];
        cross3(X[0] + 3, X[1] + 3, z + 3), cross3(X[0], X[1] + 3, lin), cross3(X[0] + 3, X[1], other);
        for (int k = 0; k < 3; k++) z[k] = lin[k] + other[k];
        CHECK(y, z, 6, TOL); /* (114) */
        for (int k = 0; k < 3; k++) {
            bracket(X[(k + 1) % 3], X[(k + 2) % 3], y), bracket(X[k], y, z), add(sum, 1, z);
        }
        const double zero[6] = {0};
        CHECK(sum, zero, 6, TOL); /* (116) */
        ASSERT_OK(hml_se3_cross(X[0], ad));
        angular_part(X[0], turning), linear_part(X[0], sliding);
        ASSERT_OK(hml_se3_cross(turning, a));
        ASSERT_OK(hml_se3_cross(sliding, b));
        for (int k = 0; k < 36; k++) { /* (119): diag(ω^, ω^), and v^ off the diagonal */
            int r = k / 6, c = k % 6, first = r < 3, before = c < 3;
            assert_true(a[k] + b[k] == ad[k] && (first == before ? b[k] == 0 : a[k] == 0) &&
                        (first || !before || ad[k] == 0));
        }
        /* (96): Ad_C = Ad_r Ad_R */
        double C[16], R[16], r[16], XC[36], XR[36], Xr[36], product[36];
        draw_pose(C), memcpy(R, C, sizeof R), identity(4, r);
        R[3] = R[7] = R[11] = 0;
        for (int k = 0; k < 3; k++) r[4 * k + 3] = C[4 * k + 3];
        ASSERT_OK(hml_se3_adjoint(C, XC));
        ASSERT_OK(hml_se3_adjoint(R, XR));
        ASSERT_OK(hml_se3_adjoint(r, Xr));
        multiply(6, 6, 6, Xr, XR, product);
        CHECK(product, XC, 36, TOL);
        /* (120): ²W = Ad of S_12, transposed, ¹W; the power is the same */
        double W[6], moved[6], V1[6], power[2] = {0}, inverse[16];
        draw_array(W, 6, 1), transform(C, X[0], V1);
        ASSERT_OK(hml_se3_inverse(C, inverse));
        ASSERT_OK(hml_wrench_transform(inverse, W, moved));
        transpose(6, XC, a), multiply(6, 6, 1, a, W, y);
        CHECK(moved, y, 6, TOL);
        for (int k = 0; k < 6; k++) power[0] += W[k] * V1[k], power[1] += moved[k] * X[0][k];
        CHECK(&power[0], &power[1], 1, TOL);
    }
    for (int i = 0; i < 20; i++) { /* (117) */
        moving_screw s = {.at = -1 + 0.1 * i};
        double rate[6], H[16], dH[16], W[16], inverse[16], body_twist[6], y[6], back[6];
        draw_array(s.value, 6, 1), draw_array(s.rate, 6, 1);
        difference(screw_in_world, &s, 6, rate);
        moving_pose(s.at, H), difference(pose_curve, &s.at, 16, dH);
        ASSERT_OK(hml_se3_inverse(H, inverse));
        multiply(4, 4, 4, inverse, dH, W);
        ASSERT_OK(hml_se3_vee(W, body_twist)); /* (97) */
        transform(inverse, rate, back);
        bracket(body_twist, s.value, y), add(y, 1, s.rate);
        CHECK(back, y, 6, RATE_TOL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential_in_time),
        cmocka_unit_test(test_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
