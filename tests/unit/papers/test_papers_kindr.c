/*
 * Kindr's formulas for rotations, entry by entry as the cheat sheet prints them, against the public functions; where it
 * has a slip, the printed form must fail. test_rotation*.c prove the same functions by complex steps and round trips.
 */
#include "arrays.h"
#include "difference.h"
#include "hamel/se3.h"
#include "hamel/so3.h"

#define TOL      (50 * EPS) /* a dozen roundings of numbers up to about 5 */
#define RATE_TOL 1e-11      /* of a difference, see difference.h */
#define FINITE   0.1        /* a formula that is off by this much is wrong, not inexact */

static const double zero9[9] = {0};

static void hat3(const double w[3], double W[9])
{
    const double out[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memcpy(W, out, sizeof out);
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    double A[9];
    hat3(a, A), multiply(3, 3, 1, A, b, out);
}

static void draw_quat(double q[4])
{
    double size = 0;
    while (size < 0.1) {
        draw_array(q, 4, 1);
        size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
    for (int k = 0; k < 4; k++) q[k] /= size;
}

/* q and −q are one rotation */
static void check_same(const double q[4], const double p[4])
{
    double dot = 0, r[4];
    for (int k = 0; k < 4; k++) dot += q[k] * p[k];
    for (int k = 0; k < 4; k++) r[k] = dot < 0 ? -p[k] : p[k];
    CHECK(q, r, 4, TOL);
}

/* a + b A + c A² for a matrix A = v^ */
static void series3(double a, double b, double c, const double v[3], double out[9])
{
    double V[9], V2[9];
    hat3(v, V), multiply(3, 3, 3, V, V, V2);
    for (int k = 0; k < 9; k++) out[k] = a * (k % 4 == 0) + b * V[k] + c * V2[k];
}

/* ---- quaternions ---- */

/* i² = j² = k² = ijk = −1; (q₀p₀ − q·p, q₀p + p₀q + q × p); Q(q) p = Q̄(p) q; Q⁻¹ = Q* */
static void test_quaternion_product(void **state)
{
    (void)state;
    const double one[4] = {1, 0, 0, 0}, units[3][4] = {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    double q[4], p[4], r[4], y[4], z[4], Q[16];
    for (int k = 0; k < 3; k++) {
        ASSERT_OK(hml_quat_left_matrix(units[k], Q));
        multiply(4, 4, 1, Q, units[k], r);
        for (int e = 0; e < 4; e++) assert_true(r[e] == -one[e]);
    }
    ASSERT_OK(hml_quat_left_matrix(units[0], Q));
    multiply(4, 4, 1, Q, units[1], r); /* ij = k */
    CHECK(r, units[2], 4, 0);
    for (int i = 0; i < DRAWS; i++) {
        draw_quat(q), draw_quat(p);
        double c[3];
        cross3(q + 1, p + 1, c);
        r[0] = q[0] * p[0];
        for (int k = 1; k < 4; k++) r[0] -= q[k] * p[k], r[k] = q[0] * p[k] + p[0] * q[k] + c[k - 1];
        ASSERT_OK(hml_quat_compose(q, p, y));
        check_same(y, r);
        ASSERT_OK(hml_quat_left_matrix(q, Q));
        multiply(4, 4, 1, Q, p, z);
        CHECK(z, r, 4, TOL);
        ASSERT_OK(hml_quat_right_matrix(p, Q));
        multiply(4, 4, 1, Q, q, z);
        CHECK(z, r, 4, TOL);
        const double conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
        ASSERT_OK(hml_quat_invert(q, y));
        check_same(y, conjugate);
        ASSERT_OK(hml_quat_compose(q, y, z));
        check_same(z, one);
    }
}

/* C(q): 1 + 2q₀q^ + 2q^², (2q₀² − 1)1 + 2q₀q^ + 2qqᵀ, and the nine entries; its inverse has −2q₀q^ */
static void test_quaternion_to_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double q[4], C[9], D[9], E[9], Ct[9];
        draw_quat(q);
        double a = q[0], b = q[1], c = q[2], d = q[3];
        const double entries[9] = {
            a * a + b * b - c * c - d * d, 2 * b * c - 2 * a * d,         2 * a * c + 2 * b * d,
            2 * a * d + 2 * b * c,         a * a - b * b + c * c - d * d, 2 * c * d - 2 * a * b,
            2 * b * d - 2 * a * c,         2 * a * b + 2 * c * d,         a * a - b * b - c * c + d * d};
        ASSERT_OK(hml_quat_to_matrix(q, C));
        CHECK(C, entries, 9, TOL);
        series3(1, 2 * a, 2, q + 1, D);
        CHECK(C, D, 9, TOL);
        series3(2 * a * a - 1, 2 * a, 0, q + 1, E);
        for (int k = 0; k < 9; k++) E[k] += 2 * q[1 + k / 3] * q[1 + k % 3];
        CHECK(C, E, 9, TOL);
        series3(1, -2 * a, 2, q + 1, D), transpose(3, C, Ct);
        CHECK(Ct, D, 9, TOL);
    }
}

/* (cos θ/2, n sin θ/2) and back. arccos q₀ loses half the digits near the identity, atan2 does not; and p₀ in print is
 * q₀ */
static void test_angle_and_axis(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < DRAWS; i++) {
        double n[3], size = 0, x[4], q[4], back[4];
        while (size < 0.1) draw_array(n, 3, 1), size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        x[0] = i % 2 ? draw(0.1, 3.1) : 1e-9;
        for (int k = 0; k < 3; k++) x[1 + k] = n[k] / size;
        const double expected[4] = {cos(x[0] / 2), sin(x[0] / 2) * x[1], sin(x[0] / 2) * x[2], sin(x[0] / 2) * x[3]};
        ASSERT_OK(hml_angle_axis_to_quat(x, q));
        CHECK(q, expected, 4, TOL);
        ASSERT_OK(hml_quat_to_angle_axis(q, back));
        assert_true(fabs(back[0] - x[0]) < 10 * EPS * x[0]);
        CHECK(back + 1, x + 1, 3, TOL);
        if (i % 2 == 0) worst = fmax(worst, fabs(2 * acos(q[0]) - x[0]) / x[0]);
    }
    assert_true(worst > FINITE);
    const double none[4] = {1, 0, 0, 0};
    double x[4];
    ASSERT_OK(hml_quat_to_angle_axis(none, x)); /* (0, [1 0 0]) */
    const double still[4] = {0, 1, 0, 0};
    CHECK(x, still, 4, 0);
}

/* ---- rates ---- */

/* ω_I = n θ̇ + ṅ sin θ + n^ṅ (1 − cos θ), in the body − n^ṅ, and back */
static void test_rates_of_angle_and_axis(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double x[4], rate[4], n[3], size = 0, c[3], w[3], y[4];
        while (size < 0.1) draw_array(n, 3, 1), size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        x[0] = draw(0.3, 3), rate[0] = draw(-1, 1);
        for (int k = 0; k < 3; k++) x[1 + k] = n[k] /= size;
        draw_array(c, 3, 1), cross3(n, c, rate + 1), cross3(n, rate + 1, c);
        for (int body = 0; body < 2; body++) {
            double expected[3], sign = body ? -1 : 1, s = sin(x[0]), v = 1 - cos(x[0]), A[9];
            for (int k = 0; k < 3; k++) expected[k] = n[k] * rate[0] + rate[1 + k] * s + sign * c[k] * v;
            ASSERT_OK(hml_angle_axis_velocity(body ? HML_LOCAL : HML_GLOBAL, x, rate, w));
            CHECK(w, expected, 3, TOL);
            ASSERT_OK(hml_angle_axis_rate(body ? HML_LOCAL : HML_GLOBAL, x, w, y));
            double turning = n[0] * w[0] + n[1] * w[1] + n[2] * w[2], axis[3];
            series3(0, -0.5 * sign, -0.5 * s / v, n, A), multiply(3, 3, 1, A, w, axis);
            assert_true(fabs(y[0] - turning) < TOL);
            CHECK(y + 1, axis, 3, 10 * TOL); /* s/v is up to 7 */
        }
    }
}

/* the four formulas for a rotation vector, and Γ, which is the first */
static void test_rates_of_a_rotation_vector(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double x[3], rate[3], w[3], y[3], A[9], G[9], expected[3];
        draw_array(x, 3, 1.7), draw_array(rate, 3, 1);
        double t = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        if (t < 0.1) continue;
        for (int body = 0; body < 2; body++) {
            double sign = body ? -1 : 1;
            series3(1, sign * (1 - cos(t)) / (t * t), (t - sin(t)) / (t * t * t), x, A);
            multiply(3, 3, 1, A, rate, expected);
            ASSERT_OK(hml_rotvec_velocity(body ? HML_LOCAL : HML_GLOBAL, x, rate, w));
            CHECK(w, expected, 3, 100 * TOL); /* 1 − cos loses two digits at 0.1 */
            ASSERT_OK(body ? hml_so3_dexp_right(x, G) : hml_so3_dexp_left(x, G));
            CHECK(G, A, 9, 100 * TOL);
            series3(1, -0.5 * sign, (1 - t / 2 * sin(t) / (1 - cos(t))) / (t * t), x, A);
            multiply(3, 3, 1, A, w, expected);
            ASSERT_OK(hml_rotvec_rate(body ? HML_LOCAL : HML_GLOBAL, x, w, y));
            CHECK(y, expected, 3, 1000 * TOL); /* 1 − … loses three */
            ASSERT_OK(body ? hml_so3_dexp_right_inverse(x, G) : hml_so3_dexp_left_inverse(x, G));
            CHECK(G, A, 9, 1000 * TOL);
        }
    }
    const double tiny[3] = {1e-9, -2e-9, 3e-9}; /* otherwise: 1 + ½ v^ */
    double G[9], A[9];
    series3(1, 0.5, 0, tiny, A);
    ASSERT_OK(hml_so3_dexp_left(tiny, G));
    CHECK(G, A, 9, EPS);
}

/* H and H̄ as printed: ω = 2Hq̇, q̇ = ½Hᵀω, H for I and H̄ for B */
static void test_rates_of_a_quaternion(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double q[4], w[3], rate[4], y[4], z[3], H[12], dot = 0;
        draw_quat(q), draw_array(w, 3, 1), draw_array(rate, 4, 1);
        for (int k = 0; k < 4; k++) dot += q[k] * rate[k];
        for (int k = 0; k < 4; k++) rate[k] -= dot * q[k];
        const double global[12] = {-q[1], q[0], -q[3], q[2], -q[2], q[3], q[0], -q[1], -q[3], -q[2], q[1], q[0]};
        const double local[12] = {-q[1], q[0], q[3], -q[2], -q[2], -q[3], q[0], q[1], -q[3], q[2], -q[1], q[0]};
        for (int body = 0; body < 2; body++) {
            const double *printed = body ? local : global;
            hml_side side = body ? HML_LOCAL : HML_GLOBAL;
            ASSERT_OK(hml_quat_velocity_matrix(side, q, H));
            CHECK(H, printed, 12, EPS);
            double expected[4] = {0};
            for (int k = 0; k < 12; k++) expected[k % 4] += 0.5 * printed[k] * w[k / 4];
            ASSERT_OK(hml_quat_rate(side, q, w, y));
            CHECK(y, expected, 4, TOL);
            multiply(3, 4, 1, printed, rate, z);
            for (int k = 0; k < 3; k++) z[k] *= 2;
            ASSERT_OK(hml_quat_velocity(side, q, rate, y));
            CHECK(y, z, 3, TOL);
        }
    }
}

/* ---- Euler angles ZYX, and appendix I ---- */

static void turn(int axis, double angle, double C[9])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memcpy(C, zero9, sizeof zero9);
    C[4 * axis] = 1, C[4 * i] = C[4 * j] = cos(angle), C[3 * i + j] = -sin(angle), C[3 * j + i] = sin(angle);
}

/* the four matrices of the cheat sheet, (1)-(8): columns of E, its inverse, both sides; (4) fails as printed, twice */
static void test_euler_angles(void **state)
{
    (void)state;
    double printed = 0, printed_turn = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x[3] = {draw(-3, 3), draw(-1.4, 1.4), draw(-3, 3)}, rate[3], w[3], y[3], expected[3], C[9];
        double sz = sin(x[0]), cz = cos(x[0]), sy = sin(x[1]), cy = cos(x[1]), sx = sin(x[2]), cx = cos(x[2]);
        double Cz[9], Cy[9], Cx[9], CzCy[9], product[9], column[3];
        draw_array(rate, 3, 1);
        turn(2, x[0], Cz), turn(1, x[1], Cy), turn(0, x[2], Cx);
        multiply(3, 3, 3, Cz, Cy, CzCy), multiply(3, 3, 3, CzCy, Cx, product);
        ASSERT_OK(hml_euler_zyx_to_matrix(x, C));
        CHECK(C, product, 9, TOL);
        const double E[9] = {0, -sz, cy * cz, 0, cz, cy * sz, 1, 0, -sy};             /* (5) */
        const double axes[3][3] = {{0, 0, 1}, {-sz, cz, 0}, {cy * cz, cy * sz, -sy}}; /* (2)-(4) */
        const double ey[3] = {0, 1, 0}, ex[3] = {1, 0, 0};
        multiply(3, 3, 1, Cz, ey, column);
        CHECK(column, axes[1], 3, TOL);
        multiply(3, 3, 1, CzCy, ex, column);
        CHECK(column, axes[2], 3, TOL);
        printed = fmax(printed, fabs(-sz - column[2]));
        Cy[8] = cz; /* the y-rotation in (4) is no rotation */
        double CyT[9], one[9], should[9];
        transpose(3, Cy, CyT), multiply(3, 3, 3, Cy, CyT, one), identity(3, should);
        for (int k = 0; k < 9; k++) printed_turn = fmax(printed_turn, fabs(one[k] - should[k]));
        multiply(3, 3, 1, E, rate, expected); /* (1) */
        ASSERT_OK(hml_euler_zyx_velocity(HML_GLOBAL, x, rate, w));
        CHECK(w, expected, 3, TOL);
        for (int k = 0; k < 3; k++) { /* the columns are what unit rates do */
            double unit[3] = {0};
            unit[k] = 1;
            ASSERT_OK(hml_euler_zyx_velocity(HML_GLOBAL, x, unit, y));
            CHECK(y, axes[k], 3, TOL);
        }
        const double inverse[9] = {cz * sy / cy, sy * sz / cy, 1, -sz, cz, 0, cz / cy, sz / cy, 0}; /* (6) */
        multiply(3, 3, 1, inverse, w, expected);
        ASSERT_OK(hml_euler_zyx_rate(HML_GLOBAL, x, w, y));
        CHECK(y, expected, 3, 10 * TOL);
        CHECK(y, rate, 3, 100 * TOL); /* 1/cos(1.4) twice */
        double determinant = E[0] * (E[4] * E[8] - E[5] * E[7]) - E[1] * (E[3] * E[8] - E[5] * E[6]) +
                             E[2] * (E[3] * E[7] - E[4] * E[6]);
        assert_true(fabs(determinant + cy) < TOL);
        double Ct[9], local[3];
        transpose(3, C, Ct), multiply(3, 3, 1, Ct, w, local); /* (7), (8) */
        ASSERT_OK(hml_euler_zyx_velocity(HML_LOCAL, x, rate, y));
        CHECK(y, local, 3, TOL);
        const double body[9] = {-sy, 0, 1, cy * sx, cx, 0, cx * cy, -sx, 0};
        multiply(3, 3, 1, body, rate, expected);
        CHECK(y, expected, 3, TOL);
        const double back[9] = {0, sx / cy, cx / cy, 0, cx, -sx, 1, sx * sy / cy, cx * sy / cy};
        multiply(3, 3, 1, back, local, expected);
        ASSERT_OK(hml_euler_zyx_rate(HML_LOCAL, x, local, y));
        CHECK(y, expected, 3, 10 * TOL);
    }
    assert_true(printed > FINITE && printed_turn > FINITE);
}

/* ---- angular velocity, discrete motion ---- */

/* ω_IB in I and B, its matrix, its inverse, and the sum along a chain of frames that turn */
static void rotation_of_chain(const void *context, double t, double *C)
{
    const double *w = context; /* three angular velocities, in their own frames */
    double A[9], product[9], x[3];
    identity(3, C);
    for (int k = 0; k < 3; k++) {
        for (int e = 0; e < 3; e++) x[e] = 0.3 * (k + 1) * (e == k) + t * w[3 * k + e]; /* away from the identity */
        assert_int_equal(hml_so3_exp(x, A), HML_OK);
        multiply(3, 3, 3, C, A, product), memcpy(C, product, sizeof product);
    }
}

static void test_angular_velocities(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        double rates[9], C[9], Ct[9], dC[9], dCt[9], w[3], v[3], y[3], W[9], V[9], left[9], sum[3] = {0};
        draw_array(rates, 9, 1);
        rotation_of_chain(rates, 0, C);
        difference(rotation_of_chain, rates, 9, dC);
        ASSERT_OK(hml_matrix_velocity(HML_GLOBAL, C, dC, w));
        ASSERT_OK(hml_matrix_velocity(HML_LOCAL, C, dC, v));
        multiply(3, 3, 1, C, v, y);
        CHECK(w, y, 3, RATE_TOL);
        transpose(3, C, Ct), transpose(3, dC, dCt);
        hat3(v, V), multiply(3, 3, 3, C, V, left), multiply(3, 3, 3, left, Ct, W); /* ω_I^ = C ω_B^ Cᵀ */
        hat3(w, V);
        CHECK(W, V, 9, RATE_TOL);
        ASSERT_OK(hml_matrix_velocity(HML_GLOBAL, Ct, dCt, y)); /* of I in B, in B: −ω_B; ∂Φ_BI/∂t */
        for (int k = 0; k < 3; k++) y[k] = -y[k];
        CHECK(y, v, 3, RATE_TOL);
        double along[9];
        identity(3, along);
        for (int k = 0; k < 3; k++) { /* ω_AD = ω_AB + ω_BC + ω_CD, all in A */
            double x[3] = {0}, A[9], product[9], local[3], turned[3];
            x[k] = 0.3 * (k + 1);
            ASSERT_OK(hml_so3_dexp_left_apply(x, rates + 3 * k, local));
            multiply(3, 3, 1, along, local, turned);
            for (int e = 0; e < 3; e++) sum[e] += turned[e];
            ASSERT_OK(hml_so3_exp(x, A));
            multiply(3, 3, 3, along, A, product), memcpy(along, product, sizeof product);
        }
        CHECK(w, sum, 3, RATE_TOL);
    }
}

/* 10), 11): Φ_IB ⊞ (ω_I Δt) and Φ_BI ⊞ (−ω_B Δt) are the same step; and back */
static void test_discrete_integration(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double q[4], w[3], v[3], step[3], back[3], next[4], inverse[4], next_inverse[4], dt = 0.1;
        draw_quat(q), draw_array(w, 3, 2);
        ASSERT_OK(hml_quat_rotate_inverse(q, w, v));
        for (int k = 0; k < 3; k++) step[k] = w[k] * dt, back[k] = -v[k] * dt;
        ASSERT_OK(hml_quat_boxplus(HML_GLOBAL, q, step, next));
        ASSERT_OK(hml_quat_invert(q, inverse));
        ASSERT_OK(hml_quat_boxplus(HML_GLOBAL, inverse, back, next_inverse));
        double other[4], difference_[3];
        ASSERT_OK(hml_quat_invert(next_inverse, other));
        check_same(next, other);
        ASSERT_OK(hml_quat_boxminus(HML_GLOBAL, next, q, difference_));
        for (int k = 0; k < 3; k++) difference_[k] /= dt;
        CHECK(difference_, w, 3, 10 * TOL);
        ASSERT_OK(hml_quat_boxminus(HML_GLOBAL, next_inverse, inverse, difference_));
        for (int k = 0; k < 3; k++) difference_[k] /= -dt;
        CHECK(difference_, v, 3, 10 * TOL);
        /* 12): Φ₀ ⊞ ((Φ₁ ⊟ Φ₀) t) */
        double t = draw(0, 1), between[3], part[4], slerp[4];
        ASSERT_OK(hml_quat_boxminus(HML_GLOBAL, next, q, between));
        for (int k = 0; k < 3; k++) between[k] *= t;
        ASSERT_OK(hml_quat_boxplus(HML_GLOBAL, q, between, part));
        ASSERT_OK(hml_quat_slerp(q, next, t, slerp));
        check_same(slerp, part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quaternion_product),
        cmocka_unit_test(test_quaternion_to_matrix),
        cmocka_unit_test(test_angle_and_axis),
        cmocka_unit_test(test_rates_of_angle_and_axis),
        cmocka_unit_test(test_rates_of_a_rotation_vector),
        cmocka_unit_test(test_rates_of_a_quaternion),
        cmocka_unit_test(test_euler_angles),
        cmocka_unit_test(test_angular_velocities),
        cmocka_unit_test(test_discrete_integration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
