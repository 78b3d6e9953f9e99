/*
 * SE(3) on random draws, at angles from 1e-300 to beyond π, and every kind of number: exponential, logarithm,
 * Jacobians, their duals and derivatives. References: Taylor series of 6x6 matrices and rates of curves.
 */
#include "se3_check.h"

/* round-off of the closed forms and series; the 6x6 Taylor references lose a digit more */
#define TOL        (100 * NUM_EPS)
#define TAYLOR_TOL (1000 * NUM_EPS)
#define RATE_TOL   (200 * RATE_EPS)

/* on both sides of every border between series and closed form, and towards both ends */
static const double angles[] = {0,     1e-300, 1e-160, 1e-30, 1e-12, 1e-8, 1e-6, 1e-4, 1e-3,   1e-2, 1e-1, 0.3, 0.7,
                                0.999, 1.001,  1.5,    1.99,  2.001, 2.5,  3,    3.1,  3.1415, 3.5,  4,    5};
enum { ANGLES = sizeof angles / sizeof *angles };

static twist load_twist(const num *x) { return twist_at(x); }
static void store_twist(twist V, num *out)
{
    out[0] = V.v.x, out[1] = V.v.y, out[2] = V.v.z, out[3] = V.w.x, out[4] = V.w.y, out[5] = V.w.z;
}

static twist draw_at(int i) { return draw_twist_of_angle(angles[i % ANGLES]); }

static twist matrix_apply(const num A[36], twist V)
{
    num x[6], y[6];
    store_twist(V, x);
    for (int r = 0; r < 6; r++) {
        y[r] = K(0);
        for (int c = 0; c < 6; c++) y[r] += A[6 * r + c] * x[c];
    }
    return load_twist(y);
}

/* Σ ad_ξⁿ η / (n + shift)!: exp(ad) η for shift 0, dexp η for shift 1. Horner from the last term. */
static twist taylor(twist xi, twist eta, int shift)
{
    twist sum = eta;
    for (int n = 60; n >= 1; n--) sum = twist_axpy(K(1) / K(n + shift), twist_cross(xi, sum), eta);
    return sum;
}

static vec3 quat_turn(quat q, vec3 a) { return mat3_mul_vec(quat_to_mat3(q), a); }

/* Ad of exp is exp of ad; the matrix and the quaternion are the same pose */
static void test_exp_against_taylor(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist xi = draw_at(i), eta = draw_twist();
        pose H = se3_exp(xi);
        twist carried = pose_ad(H, eta), series = taylor(xi, eta, 0);
        CHECK(carried, series, 10 * TAYLOR_TOL); /* the series' terms reach 5^5/5! = 26 */
        quat q;
        vec3 p, a = draw_vec3(1);
        se3_exp_quat(xi, &q, &p);
        vec3 turned = quat_turn(q, a), moved = mat3_mul_vec(H.R, a);
        CHECK(turned, moved, TOL);
        CHECK(p, H.p, TOL);
    }
}

/* a one-parameter subgroup: exp(sξ) exp(tξ) = exp((s + t) ξ), and exp(−ξ) undoes exp(ξ) */
static void test_exp_is_a_subgroup(void **state)
{
    (void)state;
    pose one = pose_identity();
    for (int i = 0; i < DRAWS; i++) {
        twist xi = draw_at(i);
        num s = draw(-1, 1), t = draw(-1, 1);
        pose product = pose_mul(se3_exp(twist_scale(s, xi)), se3_exp(twist_scale(t, xi)));
        pose sum = se3_exp(twist_scale(s + t, xi)), back = pose_mul(se3_exp(xi), se3_exp(twist_neg(xi)));
        CHECK(product, sum, TOL);
        CHECK(back, one, TOL);
    }
}

/* log undoes exp for angles below π, whichever of q and −q it is given */
static void test_log_undoes_exp(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        if (angles[i % ANGLES] > 3.14159) continue;
        twist xi = draw_at(i);
        quat q;
        vec3 p;
        se3_exp_quat(xi, &q, &p);
        twist back = se3_log_quat(q, p), twin = se3_log_quat(quat_of(-q.w, -q.x, -q.y, -q.z), p);
        CHECK(back, xi, TOL);
        CHECK(twin, back, 0);
        twist of_matrix = se3_log(se3_exp(xi));
        CHECK(of_matrix, xi, TOL);
    }
}

/* every octant of rotations, half turns about the axes among them: R → q → R */
static void test_quaternion_of_a_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        quat q = draw_quat();
        if (i < 16) q = quat_of(K(i >> 3 & 1), K(i >> 2 & 1), K(i >> 1 & 1), K(i == 0 ? 1 : i & 1));
        if (i >= 16 && i % 2) q.w = -q.w;
        mat3 R = quat_to_mat3(quat_normalize(q)), again = quat_to_mat3(quat_normalize(mat3_to_quat(R)));
        CHECK(again, R, TOL);
    }
}

/* at the small end the answer is right to linear order, relative to the tiny rotation itself */
static void test_small_end(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        vec3 w = draw_vec3(1), v = draw_vec3(1);
#if defined HML_NUM_F32
        num tiny = K(0x1p-120), big = K(0x1p120);
#else
        num tiny = K(0x1p-1000), big = K(0x1p1000);
#endif
        twist xi = twist_of(v, vec3_scale(tiny, w));
        quat q;
        vec3 p;
        se3_exp_quat(xi, &q, &p);
        twist back = se3_log_quat(q, p);
        vec3 half = vec3_scale(big + big, vec3_of(q.x, q.y, q.z)), again = vec3_scale(big, back.w);
        CHECK(half, w, TOL);
        CHECK(again, w, TOL);
        CHECK(p, v, TOL);
        twist u = draw_twist(), same = se3_dexp_left_apply(xi, u), undone = se3_dexp_left_inverse_apply(xi, u);
        twist linear = twist_axpy(K(0.5), twist_cross(xi, u), u), back_u = twist_axpy(K(-0.5), twist_cross(xi, u), u);
        CHECK(same, linear, TOL); /* up to |v||ω||η|, out of sight */
        CHECK(undone, back_u, TOL);
    }
}

/* dexp_ξ η = Σ ad_ξⁿ η/(n+1)!, as matrix, as blocks and applied */
static void test_dexp_against_taylor(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist xi = draw_at(i), eta = draw_twist(), series = taylor(xi, eta, 1);
        twist applied = se3_dexp_left_apply(xi, eta);
        CHECK(applied, series, 10 * TAYLOR_TOL);
        num D[36];
        se3_jacobian_matrix(se3_dexp_left(xi), D);
        twist by_matrix = matrix_apply(D, eta), by_blocks = se3_jacobian_apply(se3_dexp_left(xi), eta);
        CHECK(by_matrix, applied, TOL);
        CHECK(by_blocks, applied, TOL);

        twist mirrored = taylor(twist_neg(xi), eta, 1), right = se3_dexp_right_apply(xi, eta);
        twist right_blocks = se3_jacobian_apply(se3_dexp_right(xi), eta);
        CHECK(right, mirrored, 10 * TAYLOR_TOL);
        CHECK(right_blocks, right, TOL);
    }
}

/* the Jacobians are the velocities of the exponential: right-trivialized for the left one, and conversely */
typedef struct {
    twist xi, delta, eta;
} line;

static twist line_at(const line *L, num t) { return twist_axpy(t, L->delta, L->xi); }
static void curve_exp(const void *context, num t, num *out) { pose_matrix(se3_exp(line_at(context, t)), out); }

static line draw_line(int i)
{
    line L;
    L.xi = draw_at(i), L.delta = draw_twist(), L.eta = draw_twist();
    return L;
}

static void test_dexp_is_the_velocity_of_exp(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line L = draw_line(i);
        pose H = se3_exp(L.xi);
        num dH[16];
        rate(curve_exp, &L, 16, dH);
        mat3 dR = mat3_of(vec3_of(dH[0], dH[4], dH[8]), vec3_of(dH[1], dH[5], dH[9]), vec3_of(dH[2], dH[6], dH[10]));
        vec3 dp = vec3_of(dH[3], dH[7], dH[11]);
        mat3 W = mat3_tmul(H.R, dR);
        twist body = twist_of(mat3_tmul_vec(H.R, dp), vec3_of(W.y.z, W.z.x, W.x.y));
        twist right = se3_dexp_right_apply(L.xi, L.delta), left = se3_dexp_left_apply(L.xi, L.delta);
        CHECK(right, body, RATE_TOL);
        twist spatial = pose_ad(H, body);
        CHECK(left, spatial, RATE_TOL);
    }
}

/* dexp_ξ = Ad_exp(ξ) dexp_−ξ */
static void test_left_is_Ad_right(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist xi = draw_at(i), eta = draw_twist();
        twist left = se3_dexp_left_apply(xi, eta), carried = pose_ad(se3_exp(xi), se3_dexp_right_apply(xi, eta));
        CHECK(left, carried, TOL);
    }
}

static void test_inverse_undoes_dexp(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist xi = draw_at(i), eta = draw_twist();
        twist left = se3_dexp_left_inverse_apply(xi, se3_dexp_left_apply(xi, eta));
        twist right = se3_dexp_right_inverse_apply(xi, se3_dexp_right_apply(xi, eta));
        CHECK(left, eta, 5 * TOL); /* |dexp⁻¹| reaches about 20 at θ = 5, near its pole at 2π */
        CHECK(right, eta, 5 * TOL);
        twist applied = se3_dexp_left_inverse_apply(xi, eta), mirrored = se3_dexp_right_inverse_apply(xi, eta);
        twist by_blocks = se3_jacobian_apply(se3_dexp_left_inverse(xi), eta);
        twist right_blocks = se3_jacobian_apply(se3_dexp_right_inverse(xi), eta);
        CHECK(by_blocks, applied, 5 * TOL);
        CHECK(right_blocks, mirrored, 5 * TOL);
    }
}

/* <dexpᵀ F, η> = <F, dexp η>, for all four, by the coefficients and by the blocks */
static void test_duals_are_transposes(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist xi = draw_at(i), eta = draw_twist();
        wrench F = draw_wrench();
        num a[8], b[8];
        a[0] = wrench_dot(se3_dexp_left_apply_dual(xi, F), eta);
        b[0] = wrench_dot(F, se3_dexp_left_apply(xi, eta));
        a[1] = wrench_dot(se3_dexp_right_apply_dual(xi, F), eta);
        b[1] = wrench_dot(F, se3_dexp_right_apply(xi, eta));
        a[2] = wrench_dot(se3_dexp_left_inverse_apply_dual(xi, F), eta);
        b[2] = wrench_dot(F, se3_dexp_left_inverse_apply(xi, eta));
        a[3] = wrench_dot(se3_dexp_right_inverse_apply_dual(xi, F), eta);
        b[3] = wrench_dot(F, se3_dexp_right_inverse_apply(xi, eta));
        a[4] = wrench_dot(se3_jacobian_apply_dual(se3_dexp_left(xi), F), eta);
        b[4] = b[0];
        a[5] = wrench_dot(se3_jacobian_apply_dual(se3_dexp_right(xi), F), eta);
        b[5] = b[1];
        a[6] = wrench_dot(se3_jacobian_apply_dual(se3_dexp_left_inverse(xi), F), eta);
        b[6] = b[2];
        a[7] = wrench_dot(se3_jacobian_apply_dual(se3_dexp_right_inverse(xi), F), eta);
        b[7] = b[3];
        CHECK_ARRAY(a, b, 8, 5 * TOL);
    }
}

/* d/dε of dexp_{ξ + ε δ} η and its inverse */
static void curve_left(const void *context, num t, num *out)
{
    const line *L = context;
    store_twist(se3_dexp_left_apply(line_at(L, t), L->eta), out);
}
static void curve_right(const void *context, num t, num *out)
{
    const line *L = context;
    store_twist(se3_dexp_right_apply(line_at(L, t), L->eta), out);
}
static void curve_left_inverse(const void *context, num t, num *out)
{
    const line *L = context;
    store_twist(se3_dexp_left_inverse_apply(line_at(L, t), L->eta), out);
}
static void curve_right_inverse(const void *context, num t, num *out)
{
    const line *L = context;
    store_twist(se3_dexp_right_inverse_apply(line_at(L, t), L->eta), out);
}

static void test_derivatives_are_rates(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        line L = draw_line(i);
        num d[6];
        rate(curve_left, &L, 6, d);
        twist formula = se3_dexp_left_derivative(L.xi, L.delta, L.eta);
        CHECK_ARRAY(d, (const num *)&formula, 6, RATE_TOL);
        rate(curve_right, &L, 6, d);
        formula = se3_dexp_right_derivative(L.xi, L.delta, L.eta);
        CHECK_ARRAY(d, (const num *)&formula, 6, RATE_TOL);
        if (angles[i % ANGLES] > 4) continue; /* towards the pole at 2π differences lose their order */
        rate(curve_left_inverse, &L, 6, d);
        formula = se3_dexp_left_inverse_derivative(L.xi, L.delta, L.eta);
        CHECK_ARRAY(d, (const num *)&formula, 6, 10 * RATE_TOL);
        rate(curve_right_inverse, &L, 6, d);
        formula = se3_dexp_right_inverse_derivative(L.xi, L.delta, L.eta);
        CHECK_ARRAY(d, (const num *)&formula, 6, 10 * RATE_TOL);
    }
}

/* the derivative of SE(3)'s Jacobian holds the second derivative of SO(3)'s, which stands on its own in so3.h */
static void test_derivative_holds_the_second_of_so3(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist xi = draw_at(i), delta = draw_twist();
        vec3 u = draw_vec3(1);
        delta.v = vec3_zero();
        twist d = se3_dexp_left_derivative(xi, delta, twist_of(vec3_zero(), u));
        vec3 second = mat3_mul_vec(so3_dexp_left_second_derivative(xi.w, xi.v, delta.w), u);
        CHECK(d.v, second, TOL);
    }
}

/* ãd_F V = −ad_Vᵀ F for every V, as matrix and as the dual cross product */
static void test_ad_tilde(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        twist V = draw_twist();
        wrench F = draw_wrench(), dual = twist_cross_dual(V, F);
        num A[36], ad[36], f[6] = {F.f.x, F.f.y, F.f.z, F.t.x, F.t.y, F.t.z}, r[6];
        wrench_cross_matrix(F, A);
        twist tilde = matrix_apply(A, V);
        twist_cross_matrix(V, ad);
        for (int c = 0; c < 6; c++) {
            r[c] = K(0);
            for (int k = 0; k < 6; k++) r[c] -= ad[6 * k + c] * f[k];
        }
        CHECK_ARRAY((const num *)&tilde, r, 6, TOL);
        CHECK_ARRAY((const num *)&dual, r, 6, TOL);
    }
}

/* a lane knows neither its place nor its neighbours: turning the inputs round turns the results, bit by bit */
static num turn_lanes(num x)
{
    num y = x;
    for (int i = 0; i < LANES; i++) num_set(&y, i, num_get(x, (i + 1) % LANES));
    return y;
}
static void turn_all(num *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = turn_lanes(x[i]);
}

enum { EVERY_IN = 13, EVERY_OUT = 16 + 6 + 36 + 36 + 6 + 6 };

static void every_function(const num *x, num *y)
{
    twist xi = load_twist(x), eta = load_twist(x + 6);
    pose H = se3_exp(xi);
    pose_matrix(H, y), y += 16;
    store_twist(se3_log_quat(quat_of(x[6], x[3], x[4], x[5]), xi.v), y), y += 6;
    se3_jacobian_matrix(se3_dexp_left(xi), y), y += 36;
    se3_jacobian_matrix(se3_dexp_left_inverse(xi), y), y += 36;
    store_twist(se3_dexp_left_derivative(xi, eta, twist_scale(x[12], eta)), y), y += 6;
    store_twist(twist_cross(pose_ad(H, eta), xi), y);
}

static void test_lanes_are_alike(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        num x[EVERY_IN], y[EVERY_OUT], z[EVERY_OUT];
        for (int k = 0; k < EVERY_IN; k++) x[k] = draw(-1, 1);
        for (int k = 0; k < LANES; k++) { /* lanes on every side of the borders, one of them far away */
            lane size = (lane)angles[(i + 5 * k) % ANGLES];
            if (i % 10 == 0 && k == 0) size = (lane)1e7;
            for (int j = 3; j < 6; j++) num_set(&x[j], k, size * num_get(x[j], k));
        }
        every_function(x, y);
        turn_all(x, EVERY_IN);
        every_function(x, z);
        turn_all(y, EVERY_OUT);
        CHECK_ARRAY(y, z, EVERY_OUT, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_against_taylor),
        cmocka_unit_test(test_exp_is_a_subgroup),
        cmocka_unit_test(test_log_undoes_exp),
        cmocka_unit_test(test_quaternion_of_a_matrix),
        cmocka_unit_test(test_small_end),
        cmocka_unit_test(test_dexp_against_taylor),
        cmocka_unit_test(test_dexp_is_the_velocity_of_exp),
        cmocka_unit_test(test_left_is_Ad_right),
        cmocka_unit_test(test_inverse_undoes_dexp),
        cmocka_unit_test(test_duals_are_transposes),
        cmocka_unit_test(test_derivatives_are_rates),
        cmocka_unit_test(test_derivative_holds_the_second_of_so3),
        cmocka_unit_test(test_ad_tilde),
        cmocka_unit_test(test_lanes_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
