/*
 * SO(3) on random draws, at angles from 0 to several turns, and every kind of number: coefficients, exponential,
 * logarithm, Jacobians, their inverses and derivatives. References: Taylor series, scaled and squared where they would
 * cancel, and rates of curves, which for complex numbers are exact.
 */
#include "se3_check.h"

/* round-off of a few products; the references by series lose up to three digits at several turns */
#define TOL        (50 * NUM_EPS)
#define TAYLOR_TOL (2000 * NUM_EPS)
#define RATE_TOL   (200 * RATE_EPS)

/* both sides of the border at θ² = 2, both ends, half a turn and full turns */
static const double angles[] = {0,    1e-300, 1e-160, 1e-30, 1e-12, 1e-8,  1e-6,   1e-4,    1e-3,  1e-2,
                                1e-1, 0.3,    0.7,    0.999, 1.001, 1.414, 1.4143, 1.99999, 2.001, 2.5,
                                3,    3.1,    3.14,   3.5,   4,     5,     7,      12};
enum { ANGLES = sizeof angles / sizeof *angles };

static vec3 draw_phi(double angle)
{
    vec3 a = draw_vec3(1);
    return vec3_scale(K(angle) / vec3_norm(a), a);
}

static vec3 draw_at(int i) { return draw_phi(angles[i % ANGLES]); }

/* ---- exponential ---- */

/* Taylor series of φ^/2⁵, squared five times */
static mat3 matrix_exponential(vec3 phi)
{
    mat3 A = mat3_hat(vec3_scale(K(0x1p-5), phi)), C = mat3_identity();
    for (int k = 24; k >= 1; k--) C = mat3_add(mat3_identity(), mat3_scale(K(1) / K(k), mat3_mul(A, C)));
    for (int k = 0; k < 5; k++) C = mat3_mul(C, C);
    return C;
}

static void test_exp_is_the_matrix_exponential(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        vec3 phi = draw_at(i);
        mat3 C = so3_exp(phi), reference = matrix_exponential(phi);
        CHECK(C, reference, TAYLOR_TOL);
    }
}

static void test_exp_is_a_rotation(void **state)
{
    (void)state;
    mat3 one = mat3_identity();
    for (int i = 0; i < DRAWS; i++) {
        vec3 phi = draw_at(i), turned = mat3_mul_vec(so3_exp(phi), phi);
        mat3 C = so3_exp(phi), product = mat3_tmul(C, C), back = mat3_mul(C, so3_exp(vec3_neg(phi)));
        num determinant = vec3_dot(vec3_cross(C.x, C.y), C.z), unit = K(1);
        CHECK(product, one, TOL);
        CHECK(back, one, TOL);
        CHECK(determinant, unit, TOL);
        CHECK(turned, phi, 12 * TOL); /* the axis stays, to round-off of its length */
    }
}

/* ---- logarithm ---- */

static void test_log_undoes_exp(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        if (angles[i % ANGLES] > 3.14159) continue;
        vec3 phi = draw_at(i);
        quat q = so3_exp_quat(phi), twin = quat_of(-q.w, -q.x, -q.y, -q.z);
        quat longer = quat_of(K(3) * q.w, K(3) * q.x, K(3) * q.y, K(3) * q.z);
        vec3 back = so3_log_quat(q), same = so3_log_quat(twin), any_length = so3_log_quat(longer);
        CHECK(back, phi, TOL);
        CHECK(same, back, 0);
        CHECK(any_length, back, TOL);
    }
}

/* relative to the tiny angle itself, down to where doubles and floats end */
static void test_log_undoes_exp_at_the_small_end(void **state)
{
    (void)state;
#if defined HML_NUM_F32
    double tiny = 0x1p-100;
#else
    double tiny = 0x1p-990;
#endif
    for (int i = 0; i < DRAWS; i++) {
        vec3 a = draw_vec3(1), back = so3_log_quat(so3_exp_quat(vec3_scale(K(tiny), a)));
        vec3 scaled = vec3_scale(K(1 / tiny), back);
        CHECK(scaled, a, TOL);
    }
}

/* half a turn: q and −q have w = 0 and would give opposite vectors; the first entry that is not zero decides */
static void test_log_of_half_turns(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        vec3 a = draw_vec3(1);
        if (i % 3 == 0) a.x = K(0);
        if (i % 9 == 0) a.y = K(0);
        a = vec3_scale(K(1) / vec3_norm(a), a);
        vec3 phi = so3_log_quat(quat_of(K(0), a.x, a.y, a.z)), same = so3_log_quat(quat_of(-K(0), -a.x, -a.y, -a.z));
        CHECK(same, phi, 0);
        num length = vec3_norm(phi), pi = num_pi();
        CHECK(length, pi, TOL);
        num first = i % 9 == 0 ? phi.z : i % 3 == 0 ? phi.y : phi.x;
        assert_false(num_any(num_lt(first, K(0))));
    }
}

/* half a turn minus a little: the length is right to round-off, and never more than π by more than that */
static void test_log_near_half_turns(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        vec3 a = draw_vec3(1);
        a = vec3_scale(K(1) / vec3_norm(a), a);
        num angle = num_pi() * (K(1) - K(64 * NUM_EPS * (1 + i % 10)));
        vec3 phi = vec3_scale(angle, a), back = so3_log_quat(so3_exp_quat(phi));
        CHECK(back, phi, TOL);
        num length = vec3_norm(back);
        assert_false(num_any(num_lt(num_pi() * (K(1) + K(4 * NUM_EPS)), length)));
    }
}

/* ---- coefficients ---- */

/* Σ (−t)ʲ/(2j + n)!, which at several turns loses e^θ/θⁿ */
static num series(num t, int n)
{
    num sum = K(1), first = K(1);
    for (int j = 60; j >= 1; j--) sum = K(1) - t * sum / K((2 * j + n) * (2 * j + n - 1));
    for (int i = 2; i <= n; i++) first = first * K(i);
    return sum / first;
}

static void test_coefficients_are_their_series(void **state)
{
    (void)state;
    for (int i = 0; i < ANGLES; i++) {
        num t = K(angles[i]) * K(angles[i]), half = K(0.5) * K(angles[i]), one = K(1), s, c;
        so3_abc f = so3_coefficients(t);
        num a = series(t, 1), b = series(t, 2), third = series(t, 3);
        double tolerance = angles[i] > 6 ? 1e5 * NUM_EPS : TOL; /* e^12 = 1.6e5 */
        CHECK(f.a, a, tolerance);
        CHECK(f.b, b, tolerance);
        CHECK(f.c, third, tolerance);
        so3_half(t, &s, &c);
        num sum = half * half * s * s + c * c, cosine = c * c - half * half * s * s, expected = K(1) - t * f.b;
        CHECK(sum, one, TOL);
        CHECK(cosine, expected, TOL);
        so3_ke g = so3_inverse_coefficients(t);
        num k = g.k * s, sum_ke = g.k + t * g.e;
        CHECK(k, c, TOL); /* k = cos(θ/2)/σ */
        CHECK(sum_ke, one, TOL);
    }
}

/* D f = 2 df/dt: of all coefficients and of their first D, along t */
static void curve_coefficients(const void *context, num t, num *out)
{
    so3_abc f, f1, f2;
    so3_ke g, g1, g2;
    num at = *(const num *)context + t;
    so3_coefficients_2(at, &f, &f1, &f2);
    so3_inverse_coefficients_2(at, &g, &g1, &g2);
    out[0] = f.a, out[1] = f.b, out[2] = f.c, out[3] = f1.a, out[4] = f1.b, out[5] = f1.c;
    out[6] = g.k, out[7] = g.e, out[8] = g1.k, out[9] = g1.e;
}

static void test_derivatives_of_coefficients(void **state)
{
    (void)state;
    for (int i = 0; i < ANGLES; i++) {
        if (angles[i] < 0.6 || angles[i] > 6) continue; /* differences must stay at t > 0 and away from the pole */
        num t = K(angles[i]) * K(angles[i]), slope[10];
        rate(curve_coefficients, &t, 10, slope);
        so3_abc f, f1, f2;
        so3_ke g, g1, g2;
        so3_coefficients_2(t, &f, &f1, &f2);
        so3_inverse_coefficients_2(t, &g, &g1, &g2);
        num D[10] = {f1.a, f1.b, f1.c, f2.a, f2.b, f2.c, g1.k, g1.e, g2.k, g2.e};
        for (int k = 0; k < 10; k++) slope[k] = K(2) * slope[k];
        CHECK_ARRAY(D, slope, 10, RATE_TOL);
    }
}

/* ---- Jacobians ---- */

/* Σ (φ^)ⁿ u/(n+1)! */
static vec3 dexp_series(vec3 phi, vec3 u)
{
    vec3 sum = u;
    for (int n = 80; n >= 1; n--) sum = vec3_axpy(K(1) / K(n + 1), vec3_cross(phi, sum), u);
    return sum;
}

static void test_dexp_is_its_series(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        vec3 phi = draw_at(i), u = draw_vec3(1);
        double tolerance = angles[i % ANGLES] > 6 ? 1e5 * NUM_EPS : TAYLOR_TOL;
        vec3 left = so3_dexp_left_apply(phi, u), right = so3_dexp_right_apply(phi, u);
        vec3 left_series = dexp_series(phi, u), right_series = dexp_series(vec3_neg(phi), u);
        CHECK(left, left_series, tolerance);
        CHECK(right, right_series, tolerance);
        vec3 by_matrix = mat3_mul_vec(so3_dexp_left(phi), u), by_right = mat3_mul_vec(so3_dexp_right(phi), u);
        CHECK(by_matrix, left, TOL);
        CHECK(by_right, right, TOL);
        vec3 carried = mat3_mul_vec(so3_exp(phi), right); /* Γ(φ) = exp(φ^) Γ(−φ) */
        CHECK(carried, left, TOL);
    }
}

typedef struct {
    vec3 phi, delta, u;
} line;

static line draw_line(int i)
{
    line L;
    L.phi = draw_at(i), L.delta = draw_vec3(1), L.u = draw_vec3(1);
    return L;
}

static vec3 line_at(const void *context, num t)
{
    const line *L = context;
    return vec3_axpy(t, L->delta, L->phi);
}

static void curve_exp(const void *L, num t, num *out) { *(mat3 *)out = so3_exp(line_at(L, t)); }

static void test_dexp_is_the_velocity_of_exp(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line L = draw_line(i);
        mat3 C = so3_exp(L.phi), dC;
        rate(curve_exp, &L, 9, (num *)&dC);
        mat3 local = mat3_tmul(C, dC), global = mat3_mul(dC, mat3_transpose(C));
        mat3 right = mat3_hat(so3_dexp_right_apply(L.phi, L.delta)),
             left = mat3_hat(so3_dexp_left_apply(L.phi, L.delta));
        CHECK(right, local, RATE_TOL);
        CHECK(left, global, RATE_TOL);
    }
}

static void test_inverse_undoes_dexp(void **state)
{
    (void)state;
    mat3 one = mat3_identity();
    for (int i = 0; i < DRAWS; i++) {
        vec3 phi = draw_at(i), u = draw_vec3(1);
        mat3 left = mat3_mul(so3_dexp_left_inverse(phi), so3_dexp_left(phi));
        mat3 right = mat3_mul(so3_dexp_right(phi), so3_dexp_right_inverse(phi));
        CHECK(left, one, 10 * TOL); /* |Γ⁻¹| reaches 20 at 7 and 12 */
        CHECK(right, one, 10 * TOL);
        vec3 back = so3_dexp_left_inverse_apply(phi, so3_dexp_left_apply(phi, u));
        vec3 right_back = so3_dexp_right_inverse_apply(phi, so3_dexp_right_apply(phi, u));
        CHECK(back, u, 10 * TOL);
        CHECK(right_back, u, 10 * TOL);
    }
}

/* ---- derivatives of the Jacobians ---- */

enum { LEFT, RIGHT, LEFT_INVERSE, RIGHT_INVERSE, JACOBIANS };

static mat3 (*const jacobian[])(vec3) = {so3_dexp_left, so3_dexp_right, so3_dexp_left_inverse, so3_dexp_right_inverse};
static mat3 (*const derivative[])(vec3, vec3) = {so3_dexp_left_derivative, so3_dexp_right_derivative,
                                                 so3_dexp_left_inverse_derivative, so3_dexp_right_inverse_derivative};
static mat3 (*const gradient[])(vec3, vec3) = {so3_dexp_left_gradient, so3_dexp_right_gradient,
                                               so3_dexp_left_inverse_gradient, so3_dexp_right_inverse_gradient};

static void curve_left(const void *L, num t, num *out) { *(mat3 *)out = so3_dexp_left(line_at(L, t)); }
static void curve_right(const void *L, num t, num *out) { *(mat3 *)out = so3_dexp_right(line_at(L, t)); }
static void curve_left_inverse(const void *L, num t, num *out) { *(mat3 *)out = so3_dexp_left_inverse(line_at(L, t)); }
static void curve_right_inverse(const void *L, num t, num *out)
{
    *(mat3 *)out = so3_dexp_right_inverse(line_at(L, t));
}
static const curve curves[] = {curve_left, curve_right, curve_left_inverse, curve_right_inverse};

static void test_derivatives_are_rates(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line L = draw_line(i);
        for (int k = 0; k < JACOBIANS; k++) {
            if (k >= LEFT_INVERSE && angles[i % ANGLES] > 4) continue; /* differences near the pole at 2π */
            mat3 D = derivative[k](L.phi, L.delta), slope;
            rate(curves[k], &L, 9, (num *)&slope);
            CHECK(D, slope, RATE_TOL);
        }
    }
}

/* the gradient's product with a direction is the derivative's product with u */
static void test_gradients_are_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line L = draw_line(i);
        for (int k = 0; k < JACOBIANS; k++) {
            vec3 a = mat3_mul_vec(gradient[k](L.phi, L.u), L.delta);
            vec3 b = mat3_mul_vec(derivative[k](L.phi, L.delta), L.u);
            CHECK(a, b, 20 * TOL); /* up to 60 in size at 7 and 12 */
        }
    }
}

/* everywhere, near the poles too: d(Γ⁻¹) = −Γ⁻¹ dΓ Γ⁻¹ */
static void test_derivative_of_the_inverse(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line L = draw_line(i);
        mat3 V = jacobian[LEFT_INVERSE](L.phi), D = derivative[LEFT_INVERSE](L.phi, L.delta);
        mat3 product = mat3_scale(K(-1), mat3_mul(V, mat3_mul(derivative[LEFT](L.phi, L.delta), V)));
        CHECK(D, product, 200 * TOL); /* |Γ⁻¹|² */
    }
}

static void curve_derivative(const void *context, num t, num *out)
{
    const line *L = context;
    *(mat3 *)out = so3_dexp_left_derivative(vec3_axpy(t, L->u, L->phi), L->delta);
}

static void test_second_derivative_is_a_rate(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line L = draw_line(i);
        mat3 D = so3_dexp_left_second_derivative(L.phi, L.delta, L.u), slope;
        mat3 swapped = so3_dexp_left_second_derivative(L.phi, L.u, L.delta);
        rate(curve_derivative, &L, 9, (num *)&slope);
        CHECK(D, slope, RATE_TOL);
        CHECK(D, swapped, TOL);
    }
}

/* ---- lanes ---- */

#if LANES > 1
/* a lane's bits depend on nothing but the lane: not on its place, not on its neighbours */
static void test_every_lane_has_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double size = angles[i % ANGLES];
        vec3 mixed = draw_vec3(1), u = draw_vec3(1);
        for (int k = 0; k < LANES; k += 2) num_set(&mixed.x, k, size);
        mat3 exp = so3_exp(mixed), left = so3_dexp_left(mixed), second = so3_dexp_left_second_derivative(mixed, u, u);
        mat3 inverse = so3_dexp_left_inverse_gradient(mixed, u);
        vec3 log = so3_log_quat(so3_exp_quat(mixed));
        for (int k = 0; k < LANES; k++) {
            vec3 same = vec3_of(K(num_get(mixed.x, k)), K(num_get(mixed.y, k)), K(num_get(mixed.z, k)));
            vec3 v = vec3_of(K(num_get(u.x, k)), K(num_get(u.y, k)), K(num_get(u.z, k)));
            struct {
                mat3 exp, left, second, inverse;
                vec3 log;
            } all = {so3_exp(same), so3_dexp_left(same), so3_dexp_left_second_derivative(same, v, v),
                     so3_dexp_left_inverse_gradient(same, v), so3_log_quat(so3_exp_quat(same))},
              given = {exp, left, second, inverse, log};
            for (size_t e = 0; e < sizeof all / sizeof(num); e++) {
                double a = num_get(((num *)&given)[e], k);
                for (int l = 0; l < LANES; l++) {
                    double b = num_get(((num *)&all)[e], l);
                    assert_memory_equal(&a, &b, sizeof a);
                }
            }
        }
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_is_the_matrix_exponential),
        cmocka_unit_test(test_exp_is_a_rotation),
        cmocka_unit_test(test_log_undoes_exp),
        cmocka_unit_test(test_log_undoes_exp_at_the_small_end),
        cmocka_unit_test(test_log_of_half_turns),
        cmocka_unit_test(test_log_near_half_turns),
        cmocka_unit_test(test_coefficients_are_their_series),
        cmocka_unit_test(test_derivatives_of_coefficients),
        cmocka_unit_test(test_dexp_is_its_series),
        cmocka_unit_test(test_dexp_is_the_velocity_of_exp),
        cmocka_unit_test(test_inverse_undoes_dexp),
        cmocka_unit_test(test_derivatives_are_rates),
        cmocka_unit_test(test_gradients_are_derivatives),
        cmocka_unit_test(test_derivative_of_the_inverse),
        cmocka_unit_test(test_second_derivative_is_a_rate),
#if LANES > 1
        cmocka_unit_test(test_every_lane_has_the_same_bits),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
