/*
 * Representations, accelerations and points: the worked example of docs/conventions.md, whose numbers were computed
 * elsewhere, and a moving frame whose position and rotation are elementary functions of time.
 */
#include "arrays.h"
#include "hamel/se3.h"
#include "hamel/so3.h"

#define TOL (100 * EPS)

/* ---- the worked example ---- */

static const double example_pose[16] = {0.6, -0.48, 0.64, 1, 0.8, 0.36, -0.48, 2, 0, 0.8, 0.6, 3, 0, 0, 0, 1};

static const double example_twist[4][6] = {
    {2, -1, 0.5, 1, 2, -1}, {-2, -3, 3.5, -1, 2, 1}, {2, 1, -0.5, -1, 2, 1}, {2, 1, -0.5, 1, 2, -1}};

/* printed with six decimals */
static const double example_rate[4][6] = {{0.8, -4.974667, 0.164, 0.666667, -0.5, -0.4},
                                          {0.0568, 0.5624, -4.104, 0.384, 0.545333, -0.64},
                                          {0.9728, 0.2704, -8.881333, 0.384, 0.545333, -0.64},
                                          {0.9728, 0.2704, -8.881333, 0.666667, -0.5, -0.4}};

static const double example_wrench[4][6] = {
    {1, 0, 0, 0, 0, 0}, {0.6, 0.8, 0, -2.4, 1.8, -0.4}, {0.6, 0.8, 0, 0, 0, 0}, {0.6, 0.8, 0, 0, 0, 0}};

static void test_worked_example(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            hml_representation from = (hml_representation)i, to = (hml_representation)j;
            double r[6];
            ASSERT_OK(hml_twist_convert(example_pose, from, example_twist[i], to, r));
            CHECK(r, example_twist[j], 6, TOL);
            ASSERT_OK(hml_wrench_convert(example_pose, from, example_wrench[i], to, r));
            CHECK(r, example_wrench[j], 6, TOL);
            ASSERT_OK(hml_acceleration_convert(example_pose, from, example_twist[i], example_rate[i], to, r));
            CHECK(r, example_rate[j], 6, 5e-6); /* six decimals, times the lever of (1, 2, 3) */
        }
    }
}

/* T is the matrix of the conversion; the power of dual pairs is the same in all four */
static void test_matrix_and_power(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double H[16], V[6], F[6], T[36], TV[6], r[6], s[6], power, left = 0;
        draw_pose(H), draw_array(V, 6, 1), draw_array(F, 6, 1);
        for (int k = 0; k < 6; k++) left += F[k] * V[k];
        for (int j = 0; j < 4; j++) {
            hml_representation to = (hml_representation)j;
            ASSERT_OK(hml_representation_matrix(H, to, T));
            multiply(6, 6, 1, T, V, TV);
            ASSERT_OK(hml_twist_convert(H, HML_LEFT, V, to, r));
            CHECK(r, TV, 6, TOL);
            ASSERT_OK(hml_wrench_convert(H, HML_LEFT, F, to, s));
            ASSERT_OK(hml_wrench_power(s, r, &power));
            CHECK(&power, &left, 1, TOL);
        }
    }
}

/* ---- a moving frame ---- */

/* turns about z with sin, then about x with t², and moves along a curve; seed makes the frames differ */
static void moving_frame(double t, double seed, double H[16])
{
    double a = sin(0.7 * t + seed), b = 0.3 * t * t - 0.5 * t * seed;
    double Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    double X[9] = {1, 0, 0, 0, cos(b), -sin(b), 0, sin(b), cos(b)}, R[9];
    double p[3] = {cos(t) - seed, 0.5 * sin(t + seed), 0.2 * t * t * t + seed * t};
    multiply(3, 3, 3, Z, X, R);
    for (int i = 0; i < 3; i++) {
        memcpy(H + 4 * i, R + 3 * i, 3 * sizeof *H);
        H[4 * i + 3] = p[i];
    }
    H[12] = H[13] = H[14] = 0, H[15] = 1;
}

typedef void curve(double t, double *out);

/* sixth-order differences with h = 0.01: h⁶/140 and EPS/h are about 1e-14 */
static void rate(curve *f, double t, int n, double *out)
{
    static const double weight[3] = {45, -9, 1};
    double ahead[16], behind[16], h = 0.01;
    for (int i = 0; i < n; i++) out[i] = 0;
    for (int k = 3; k >= 1; k--) {
        f(t + k * h, ahead), f(t - k * h, behind);
        for (int i = 0; i < n; i++) out[i] += weight[k - 1] * (ahead[i] - behind[i]) / (60 * h);
    }
}

#define RATE_TOL   1e-12 /* of a first derivative */
#define SECOND_TOL 1e-10 /* of the derivative of one */

static void B(double t, double *H) { moving_frame(t, 0.4, H); }
static void C(double t, double *H) { moving_frame(t, -0.9, H); }

/* twist of a moving frame in itself, from the rate of its 4x4 matrix, Notation (21) */
static void left_twist(curve *f, double t, double V[6])
{
    double H[16], I[16], dH[16], W[16];
    f(t, H);
    assert_int_equal(hml_se3_inverse(H, I), HML_OK);
    rate(f, t, 16, dH);
    multiply(4, 4, 4, I, dH, W);
    assert_int_equal(hml_se3_vee(W, V), HML_OK);
}

static void B_left(double t, double *V) { left_twist(B, t, V); }
static void C_left(double t, double *V) { left_twist(C, t, V); }
static void B_in(hml_representation r, double t, double *V)
{
    double H[16], L[6];
    B(t, H), B_left(t, L);
    assert_int_equal(hml_twist_convert(H, HML_LEFT, L, r, V), HML_OK);
}
static void B_right(double t, double *V) { B_in(HML_RIGHT, t, V); }
static void B_mixed(double t, double *V) { B_in(HML_MIXED, t, V); }
static void B_split(double t, double *V) { B_in(HML_SPLIT, t, V); }
static void CB(double t, double *H)
{
    double H_C[16], H_B[16];
    C(t, H_C), B(t, H_B);
    assert_int_equal(hml_se3_between(H_C, H_B, H), HML_OK);
}
static void CB_left(double t, double *V) { left_twist(CB, t, V); }
static void B_seen_from_C(double t, double *V)
{
    double H[16], L[6];
    CB(t, H), B_left(t, L);
    assert_int_equal(hml_twist_transform(H, L, V), HML_OK);
}
static void B_position(double t, double *p)
{
    double H[16];
    B(t, H);
    p[0] = H[3], p[1] = H[7], p[2] = H[11];
}

/* every conversion of an acceleration is the rate of the converted twist */
static void test_acceleration_is_the_rate(void **state)
{
    (void)state;
    static curve *const twists[4] = {B_left, B_right, B_mixed, B_split};
    for (double t = -1; t < 1; t += 0.25) {
        double H[16], rates[4][6], V[4][6], r[6];
        B(t, H);
        for (int i = 0; i < 4; i++) rate(twists[i], t, 6, rates[i]), twists[i](t, V[i]);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                ASSERT_OK(hml_acceleration_convert(H, (hml_representation)i, V[i], rates[i], (hml_representation)j, r));
                CHECK(r, rates[j], 6, SECOND_TOL);
            }
        }
        /* the mixed twist starts with the velocity of the origin, and its rate with the second derivative, (52) */
        double dp[3];
        rate(B_position, t, 3, dp);
        CHECK(dp, V[HML_MIXED], 3, RATE_TOL);
        double ddp[3] = {-cos(t), -0.5 * sin(t + 0.4), 1.2 * t};
        CHECK(ddp, rates[HML_MIXED], 3, SECOND_TOL);
    }
}

/* (45) and back; (49) and back */
static void test_third_frame(void **state)
{
    (void)state;
    for (double t = -1; t < 1; t += 0.25) {
        double H[16], V_CB[6], V_AB[6], a[6], apparent[6], r[6], intrinsic[6], V_AC[6], V_in_C[6];
        CB(t, H), CB_left(t, V_CB), B_left(t, V_AB), C_left(t, V_AC), B_seen_from_C(t, V_in_C);
        rate(B_left, t, 6, a);
        rate(B_seen_from_C, t, 6, apparent);
        ASSERT_OK(hml_acceleration_apparent(H, V_CB, V_AB, a, r));
        CHECK(r, apparent, 6, SECOND_TOL);
        ASSERT_OK(hml_acceleration_intrinsic(H, V_CB, V_AB, apparent, r));
        CHECK(r, a, 6, SECOND_TOL);
        ASSERT_OK(hml_twist_transform(H, a, intrinsic)); /* (47) */
        ASSERT_OK(hml_acceleration_add_frame(V_AC, V_in_C, apparent, r));
        CHECK(r, intrinsic, 6, SECOND_TOL);
        ASSERT_OK(hml_acceleration_drop_frame(V_AC, V_in_C, intrinsic, r));
        CHECK(r, apparent, 6, SECOND_TOL);
    }
}

/* V^ H for every V, 4x4 */
static void hat_times(const double V[6], const double H[16], double out[16])
{
    const double W[16] = {0, -V[5], V[4], V[0], V[5], 0, -V[3], V[1], -V[4], V[3], 0, V[2], 0, 0, 0, 0};
    multiply(4, 4, 4, W, H, out);
}

/* H, Ḣ to the twist by the products of Notation (17) and (22), written with their entries; and back */
static void test_rate_of_the_matrix_is_the_twist(void **state)
{
    (void)state;
    for (double t = -1; t < 1; t += 0.25) {
        double H[16], I[16], dH[16], W[16], left[6], right[6], V[6], back[16];
        B(t, H);
        rate(B, t, 16, dH);
        ASSERT_OK(hml_se3_inverse(H, I));
        multiply(4, 4, 4, I, dH, W); /* (17), (21) */
        for (int i = 0; i < 3; i++) left[i] = W[4 * i + 3];
        left[3] = W[9], left[4] = W[2], left[5] = W[4];
        multiply(4, 4, 4, dH, I, W); /* (22), (26) */
        for (int i = 0; i < 3; i++) right[i] = W[4 * i + 3];
        right[3] = W[9], right[4] = W[2], right[5] = W[4];
        const double expected[4][6] = {{left[0], left[1], left[2], left[3], left[4], left[5]},
                                       {right[0], right[1], right[2], right[3], right[4], right[5]},
                                       {dH[3], dH[7], dH[11], right[3], right[4], right[5]},
                                       {dH[3], dH[7], dH[11], left[3], left[4], left[5]}};
        for (int r = 0; r < 4; r++) {
            ASSERT_OK(hml_se3_velocity(H, (hml_representation)r, dH, V));
            CHECK(V, expected[r], 6, RATE_TOL);
            ASSERT_OK(hml_se3_rate(H, (hml_representation)r, V, back));
            CHECK(back, dH, 16, RATE_TOL);
        }
        ASSERT_OK(hml_se3_rate(H, HML_RIGHT, right, back));
        hat_times(right, H, W); /* Ḣ = ᴬv^ H */
        CHECK(back, W, 16, RATE_TOL);
    }
    double dH[16] = {0}, V[6] = {0}, bent[16];
    memcpy(bent, example_pose, sizeof bent);
    bent[0] = 0.7;
    assert_int_equal(hml_se3_velocity(bent, HML_LEFT, dH, V), HML_NOT_NORMALIZED);
    assert_int_equal(hml_se3_velocity(example_pose, (hml_representation)4, dH, V), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_velocity(example_pose, HML_LEFT, NULL, V), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_rate(example_pose, HML_LEFT, V, NULL), HML_INVALID_ARGUMENT);
    dH[5] = INFINITY;
    assert_int_equal(hml_se3_velocity(example_pose, HML_LEFT, dH, V), HML_NOT_FINITE);
}

static void test_hat_and_vee(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double w[3], u[3], W[9], Wu[3], back[3], noisy[9];
        draw_array(w, 3, 5), draw_array(u, 3, 5);
        const double cross[3] = {w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]};
        ASSERT_OK(hml_so3_hat(w, W));
        multiply(3, 3, 1, W, u, Wu);
        CHECK(Wu, cross, 3, 4 * 50 * EPS); /* two products of numbers up to 5 */
        ASSERT_OK(hml_so3_vee(W, back));
        CHECK(back, w, 3, 0);
        for (int k = 0; k < 9; k++) noisy[k] = W[k] + (k % 4 == 0 ? 0.3 : k == 1 || k == 3 ? 0.2 : 0); /* symmetric */
        ASSERT_OK(hml_so3_vee(noisy, back));
        CHECK(back, w, 3, 20 * EPS);
    }
    double w[3] = {0, NAN, 0}, W[9] = {0};
    assert_int_equal(hml_so3_hat(w, W), HML_NOT_FINITE);
    assert_int_equal(hml_so3_hat(NULL, W), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_so3_vee(W, NULL), HML_INVALID_ARGUMENT);
    W[3] = NAN;
    assert_int_equal(hml_so3_vee(W, w), HML_NOT_FINITE);
}

static const double body_point[3] = {0.3, -0.7, 0.2};

static void point_in_A(double t, double *p)
{
    double H[16];
    B(t, H);
    assert_int_equal(hml_se3_act_point(H, body_point, p), HML_OK);
}
static void point_rate(double t, double *v) { rate(point_in_A, t, 3, v); }

static void test_points(void **state)
{
    (void)state;
    for (double t = -1; t < 1; t += 0.25) {
        double H[16], V[6], dV[6], v[3], a[3], r[3];
        B(t, H), B_left(t, V);
        rate(B_left, t, 6, dV);
        point_rate(t, v);
        rate(point_rate, t, 3, a);
        ASSERT_OK(hml_point_velocity(H, V, body_point, NULL, r));
        CHECK(r, v, 3, RATE_TOL);
        ASSERT_OK(hml_point_acceleration(H, V, dV, body_point, NULL, NULL, r));
        CHECK(r, a, 3, SECOND_TOL);
    }
}

/* a point that walks over the body, and its rates by hand */
static void walking(double t, double *p) { p[0] = sin(t), p[1] = t * t - 0.3, p[2] = 0.4 - cos(t); }
static void walking_rate(double t, double *p) { p[0] = cos(t), p[1] = 2 * t, p[2] = sin(t); }
static void walking_second(double t, double *p) { p[0] = -sin(t), p[1] = 2, p[2] = cos(t); }

static void walking_in_A(double t, double *p)
{
    double H[16], point[3];
    B(t, H), walking(t, point);
    assert_int_equal(hml_se3_act_point(H, point, p), HML_OK);
}
static void walking_rate_in_A(double t, double *v) { rate(walking_in_A, t, 3, v); }

static void test_points_that_move(void **state)
{
    (void)state;
    const double first = 128 * RATE_TOL,
                 second = 128 * SECOND_TOL; /* frequencies add up: 2⁷ in the seventh derivative */
    for (double t = -1; t < 1; t += 0.25) {
        double H[16], V[6], dV[6], p[3], p1[3], p2[3], v[3], a[3], r[3], T[16], x[3];
        B(t, H), B_left(t, V), walking(t, p), walking_rate(t, p1), walking_second(t, p2);
        rate(B_left, t, 6, dV);
        walking_rate_in_A(t, v);
        rate(walking_rate_in_A, t, 3, a);
        ASSERT_OK(hml_point_velocity(H, V, p, p1, r));
        CHECK(r, v, 3, first);
        ASSERT_OK(hml_point_acceleration(H, V, dV, p, p1, p2, r));
        CHECK(r, a, 3, second);
        /* Kindr's own form, in the axes of B: v_A + ṙ + ω × r */
        ASSERT_OK(hml_se3_identity(T));
        ASSERT_OK(hml_point_velocity(T, V, p, p1, r));
        ASSERT_OK(hml_se3_act_vector(H, r, x));
        CHECK(x, v, 3, first);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    double V[6] = {0}, out[36];
    const hml_representation fifth = (hml_representation)4;
    assert_int_equal(hml_twist_convert(example_pose, fifth, V, HML_LEFT, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_convert(example_pose, HML_LEFT, V, fifth, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_acceleration_convert(example_pose, fifth, V, V, HML_LEFT, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_representation_matrix(example_pose, fifth, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_representation_matrix(example_pose, HML_LEFT, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_point_velocity(NULL, V, V, NULL, out), HML_INVALID_ARGUMENT);
    V[2] = NAN;
    assert_int_equal(hml_point_velocity(example_pose, example_pose, example_pose, V, out), HML_NOT_FINITE);
    assert_int_equal(hml_point_acceleration(example_pose, V, V, V, NULL, NULL, out), HML_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_matrix_and_power),
        cmocka_unit_test(test_acceleration_is_the_rate),
        cmocka_unit_test(test_third_frame),
        cmocka_unit_test(test_rate_of_the_matrix_is_the_twist),
        cmocka_unit_test(test_hat_and_vee),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_points_that_move),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
