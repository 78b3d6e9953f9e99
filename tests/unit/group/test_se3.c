/* Poses, adjoints, exponential and Jacobians through the public functions, against plain matrix arithmetic. */
#include "arrays.h"
#include "hamel/se3.h"

/* a few dozen roundings of numbers up to about 10 */
#define TOL (200 * EPS)

static void rotation_of(const double H[16], double R[9])
{
    for (int i = 0; i < 9; i++) R[i] = H[4 * (i / 3) + i % 3];
}

static void hat3(const double w[3], double W[9])
{
    double H[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    memcpy(W, H, sizeof H);
}

/* [A B; C D] of 3x3 blocks */
static void blocks(const double A[9], const double B[9], const double C[9], const double D[9], double M[36])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            M[6 * i + j] = A[3 * i + j], M[6 * i + j + 3] = B[3 * i + j];
            M[6 * i + j + 18] = C[3 * i + j], M[6 * i + j + 21] = D[3 * i + j];
        }
    }
}

static const double zero9[9] = {0};

static void test_poses_are_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double A[16], B[16], AB[16], C[16], I[16], one[16];
        draw_pose(A), draw_pose(B);
        multiply(4, 4, 4, A, B, AB);
        ASSERT_OK(hml_se3_compose(A, B, C));
        CHECK(C, AB, 16, TOL);
        ASSERT_OK(hml_se3_between(A, AB, C));
        CHECK(C, B, 16, TOL);
        ASSERT_OK(hml_se3_inverse(A, I));
        multiply(4, 4, 4, A, I, C);
        ASSERT_OK(hml_se3_identity(one));
        CHECK(C, one, 16, TOL);
        identity(4, C);
        CHECK(C, one, 16, 0);

        double a[4] = {draw(-1, 1), draw(-1, 1), draw(-1, 1), 1}, b[4], c[3];
        multiply(4, 4, 1, A, a, b);
        ASSERT_OK(hml_se3_act_point(A, a, c));
        CHECK(c, b, 3, TOL);
        a[3] = 0;
        multiply(4, 4, 1, A, a, b);
        ASSERT_OK(hml_se3_act_vector(A, a, c));
        CHECK(c, b, 3, TOL);

        double R[9], p[3] = {A[3], A[7], A[11]};
        rotation_of(A, R);
        ASSERT_OK(hml_se3_make(R, p, C));
        CHECK(C, A, 16, 0);
        ASSERT_OK(hml_se3_compose(A, B, A)); /* the output may be an input */
        CHECK(A, AB, 16, TOL);
    }
}

static void test_quaternions(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double H[16], q[4], p[3], again[16];
        draw_pose(H);
        ASSERT_OK(hml_se3_to_quaternion(H, q, p));
        assert_true(q[0] >= 0);
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), unit = 1;
        CHECK(&length, &unit, 1, TOL);
        for (int k = 0; k < 4; k++) q[k] *= 1.0005; /* within what is normalized */
        ASSERT_OK(hml_se3_from_quaternion(q, p, again));
        CHECK(again, H, 16, TOL);
    }
    /* the rotation of docs/conventions.md */
    double q[4] = {0.8, 0.4, 0.2, 0.4}, p[3] = {1, 2, 3}, H[16];
    double R[16] = {0.6, -0.48, 0.64, 1, 0.8, 0.36, -0.48, 2, 0, 0.8, 0.6, 3, 0, 0, 0, 1};
    ASSERT_OK(hml_se3_from_quaternion(q, p, H));
    CHECK(H, R, 16, TOL);
}

static void test_hat_and_vee(void **state)
{
    (void)state;
    double xi[6] = {1, 2, 3, 4, 5, 6}, M[16], back[6];
    double hat[16] = {0, -6, 5, 1, 6, 0, -4, 2, -5, 4, 0, 3, 0, 0, 0, 0};
    ASSERT_OK(hml_se3_hat(xi, M));
    CHECK(M, hat, 16, 0);
    ASSERT_OK(hml_se3_vee(M, back));
    CHECK(back, xi, 6, 0);
    M[1] += 1, M[4] += 1; /* a symmetric part is not seen */
    ASSERT_OK(hml_se3_vee(M, back));
    CHECK(back, xi, 6, 0);
}

/* g ξ^ g⁻¹ = (Ad_g ξ)^, Notation (29); the blocks (27), (38), (59), (62); [ξ^, η^] = (ξ × η)^, Müller (113) */
static void test_adjoints(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double H[16], I[16], V[6], U[6], F[6], Vh[16], Uh[16], a[16], b[16], r[6], s[6], X[36], Y[36];
        draw_pose(H), draw_array(V, 6, 1), draw_array(U, 6, 1), draw_array(F, 6, 1);
        ASSERT_OK(hml_se3_inverse(H, I));
        ASSERT_OK(hml_se3_hat(V, Vh));
        ASSERT_OK(hml_se3_hat(U, Uh));
        multiply(4, 4, 4, H, Vh, a);
        multiply(4, 4, 4, a, I, b);
        ASSERT_OK(hml_se3_vee(b, s));
        ASSERT_OK(hml_twist_transform(H, V, r));
        CHECK(r, s, 6, TOL);
        ASSERT_OK(hml_se3_adjoint(H, X));
        multiply(6, 6, 1, X, V, s);
        CHECK(r, s, 6, TOL);

        double R[9], P[9], PR[9], p[3] = {H[3], H[7], H[11]}, M[36];
        rotation_of(H, R), hat3(p, P);
        multiply(3, 3, 3, P, R, PR);
        blocks(R, PR, zero9, R, M);
        CHECK(X, M, 36, TOL);
        blocks(R, zero9, PR, R, M);
        ASSERT_OK(hml_se3_adjoint_dual(H, Y));
        CHECK(Y, M, 36, TOL);
        multiply(6, 6, 1, Y, F, s);
        ASSERT_OK(hml_wrench_transform(H, F, r));
        CHECK(r, s, 6, TOL);

        double VU[16], UV[16], v[9], w[9];
        multiply(4, 4, 4, Vh, Uh, VU);
        multiply(4, 4, 4, Uh, Vh, UV);
        for (int k = 0; k < 16; k++) VU[k] -= UV[k];
        ASSERT_OK(hml_se3_vee(VU, s));
        ASSERT_OK(hml_twist_cross(V, U, r));
        CHECK(r, s, 6, TOL);
        hat3(V, v), hat3(V + 3, w);
        blocks(w, v, zero9, w, M);
        ASSERT_OK(hml_se3_cross(V, X));
        CHECK(X, M, 36, 0);
        blocks(w, zero9, v, w, M);
        ASSERT_OK(hml_se3_cross_dual(V, Y));
        CHECK(Y, M, 36, 0);
        multiply(6, 6, 1, Y, F, s);
        ASSERT_OK(hml_wrench_cross(V, F, r));
        CHECK(r, s, 6, TOL);
        ASSERT_OK(hml_se3_ad_tilde(F, Y));
        multiply(6, 6, 1, Y, V, s);
        CHECK(r, s, 6, TOL);

        double power, by_hand = 0;
        for (int k = 0; k < 6; k++) by_hand += F[k] * V[k];
        ASSERT_OK(hml_wrench_power(F, V, &power));
        CHECK(&power, &by_hand, 1, TOL);
    }
}

static const double angles[] = {0, 1e-300, 1e-20, 1e-8, 1e-4, 0.1, 0.9, 1.1, 1.9, 2.1, 3, 3.14, 3.14159};
enum { ANGLES = sizeof angles / sizeof *angles };

static void draw_twist_at(int i, double xi[6])
{
    draw_array(xi, 6, 1);
    double n = sqrt(xi[3] * xi[3] + xi[4] * xi[4] + xi[5] * xi[5]);
    for (int k = 3; k < 6; k++) xi[k] *= angles[i % ANGLES] / n;
}

static void test_exp_and_log(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double xi[6], H[16], M[16], E[16], back[6];
        draw_twist_at(i, xi);
        ASSERT_OK(hml_se3_exp(xi, H));
        ASSERT_OK(hml_se3_hat(xi, M));
        matrix_exponential(4, M, E);
        CHECK(H, E, 16, TOL);
        ASSERT_OK(hml_se3_log(H, back));
        CHECK(back, xi, 6, TOL);
        ASSERT_OK(hml_se3_check(H));
    }
}

/* dexp of the left: the upper right block of exp([ad 1; 0 0]) holds Σ adⁿ/(n+1)!; here its series, term by term */
static void dexp_series(const double xi[6], double sign, double J[36])
{
    double ad[36], term[36], next[36];
    assert_int_equal(hml_se3_cross(xi, ad), HML_OK);
    identity(6, J), identity(6, term);
    for (int n = 1; n < 60; n++) {
        multiply(6, 6, 6, term, ad, next);
        for (int k = 0; k < 36; k++) term[k] = sign * next[k] / (n + 1), J[k] += term[k];
    }
}

typedef hml_status matrix_function(const double *, double *);
typedef hml_status apply_function(const double *, const double *, double *);
typedef hml_status derivative_function(const double *, const double *, const double *, double *);

typedef struct {
    matrix_function *matrix;
    apply_function *apply, *dual;
    derivative_function *derivative;
    double sign; /* of ad in the series */
    int inverse;
} jacobian;

static const jacobian jacobians[] = {
    {hml_se3_dexp_left, hml_se3_dexp_left_apply, hml_se3_dexp_left_apply_dual, hml_se3_dexp_left_derivative, 1, 0},
    {hml_se3_dexp_right, hml_se3_dexp_right_apply, hml_se3_dexp_right_apply_dual, hml_se3_dexp_right_derivative, -1, 0},
    {hml_se3_dexp_left_inverse, hml_se3_dexp_left_inverse_apply, hml_se3_dexp_left_inverse_apply_dual,
     hml_se3_dexp_left_inverse_derivative, 1, 1},
    {hml_se3_dexp_right_inverse, hml_se3_dexp_right_inverse_apply, hml_se3_dexp_right_inverse_apply_dual,
     hml_se3_dexp_right_inverse_derivative, -1, 1},
};

static void test_jacobians(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const jacobian *f = &jacobians[i % 4];
        double xi[6], eta[6], J[36], S[36], r[6], s[6], T[36];
        draw_twist_at(i / 4, xi), draw_array(eta, 6, 1);
        dexp_series(xi, f->sign, S);
        ASSERT_OK(f->matrix(xi, J));
        if (f->inverse) {
            double P[36], one[36];
            multiply(6, 6, 6, J, S, P);
            identity(6, one);
            CHECK(P, one, 36, 10 * TOL); /* the series' terms reach π³/4! */
        } else {
            CHECK(J, S, 36, 10 * TOL);
        }
        multiply(6, 6, 1, J, eta, s);
        ASSERT_OK(f->apply(xi, eta, r));
        CHECK(r, s, 6, TOL);
        transpose(6, J, T);
        multiply(6, 6, 1, T, eta, s);
        ASSERT_OK(f->dual(xi, eta, r));
        CHECK(r, s, 6, TOL);
    }
}

/* fourth-order differences: h⁴ and EPS/h meet at 1e-12 */
static void test_jacobian_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const jacobian *f = &jacobians[i % 4];
        static const double steps[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
        double xi[6], delta[6], eta[6], r[6], difference[6] = {0}, h = 1e-3;
        draw_twist_at(i / 4, xi), draw_array(delta, 6, 1), draw_array(eta, 6, 1);
        for (int k = 0; k < 4; k++) {
            double x[6], y[6];
            for (int j = 0; j < 6; j++) x[j] = xi[j] + steps[k] * h * delta[j];
            ASSERT_OK(f->apply(x, eta, y));
            for (int j = 0; j < 6; j++) difference[j] += weights[k] * y[j] / (12 * h);
        }
        ASSERT_OK(f->derivative(xi, delta, eta, r));
        CHECK(r, difference, 6, 2e-11);
    }
}

static void test_interpolation(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double A[16], B[16], H[16], half[16], D[16], xi[6], yi[6];
        draw_pose(A), draw_pose(B);
        hml_status (*both[2])(const double *, const double *, double, double *) = {hml_se3_interpolate,
                                                                                   hml_se3_interpolate_split};
        for (int k = 0; k < 2; k++) {
            ASSERT_OK(both[k](A, B, 0, H));
            CHECK(H, A, 16, TOL);
            ASSERT_OK(both[k](A, B, 1, H));
            CHECK(H, B, 16, 10 * TOL);
        }
        double t = draw(0, 1);
        /* the twist from A to a point of the screw motion is t times the whole, and so is its square root's */
        ASSERT_OK(hml_se3_interpolate(A, B, t, H));
        ASSERT_OK(hml_se3_between(A, H, D));
        ASSERT_OK(hml_se3_log(D, xi));
        ASSERT_OK(hml_se3_between(A, B, D));
        ASSERT_OK(hml_se3_log(D, yi));
        for (int k = 0; k < 6; k++) yi[k] *= t;
        CHECK(xi, yi, 6, 20 * TOL); /* log amplifies up to about 10 near half turns */
        /* the split one goes straight, and turns as the other does */
        ASSERT_OK(hml_se3_interpolate_split(A, B, t, half));
        for (int k = 0; k < 3; k++) {
            double straight = A[4 * k + 3] + t * (B[4 * k + 3] - A[4 * k + 3]);
            CHECK(&half[4 * k + 3], &straight, 1, TOL);
            CHECK(half + 4 * k, H + 4 * k, 3, TOL);
        }
    }
}

static void test_distance(void **state)
{
    (void)state;
    /* a quarter turn about z and a step of (3, 4, 0) */
    double A[16], B[16] = {0, -1, 0, 3, 1, 0, 0, 4, 0, 0, 1, 0, 0, 0, 0, 1}, d, expected;
    identity(4, A);
    ASSERT_OK(hml_se3_distance(A, B, 0, &d));
    expected = 5;
    CHECK(&d, &expected, 1, TOL);
    ASSERT_OK(hml_se3_distance(A, B, 2, &d));
    expected = hypot(5, 3.14159265358979323846);
    CHECK(&d, &expected, 1, TOL);
    assert_int_equal(hml_se3_distance(A, B, -1, &d), HML_INVALID_ARGUMENT);
    for (int i = 0; i < DRAWS; i++) {
        double G[16], GA[16], GB[16], e, f;
        draw_pose(G), draw_pose(A), draw_pose(B);
        multiply(4, 4, 4, G, A, GA), multiply(4, 4, 4, G, B, GB);
        ASSERT_OK(hml_se3_distance(A, B, 0.5, &d));
        ASSERT_OK(hml_se3_distance(GA, GB, 0.5, &e));
        ASSERT_OK(hml_se3_distance(B, A, 0.5, &f));
        CHECK(&d, &e, 1, TOL);
        CHECK(&d, &f, 1, TOL);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    double H[16], V[6] = {0}, out[36], number, q[4] = {1, 0, 0, 0}, R[9];
    identity(4, H), identity(3, R);
    assert_int_equal(hml_se3_identity(NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_exp(NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_exp(V, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_hat(V, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_adjoint(H, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_adjoint_dual(H, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_cross(V, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_cross_dual(V, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_ad_tilde(V, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_wrench_power(V, V, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_to_quaternion(H, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_se3_act_point(H, V, NULL), HML_INVALID_ARGUMENT);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(jacobians[k].matrix(V, NULL), HML_INVALID_ARGUMENT);
        assert_int_equal(jacobians[k].apply(V, V, NULL), HML_INVALID_ARGUMENT);
    }
    V[4] = NAN;
    assert_int_equal(hml_se3_exp(V, out), HML_NOT_FINITE);
    V[4] = INFINITY;
    assert_int_equal(hml_twist_cross(V, V, out), HML_NOT_FINITE);
    assert_int_equal(hml_se3_interpolate(H, H, (double)NAN, out), HML_NOT_FINITE);

    V[4] = 0;
    q[0] = 1.002;
    assert_int_equal(hml_se3_from_quaternion(q, V, out), HML_NOT_NORMALIZED);
    H[0] = -1; /* a mirror */
    assert_int_equal(hml_se3_check(H), HML_NOT_NORMALIZED);
    assert_int_equal(hml_se3_log(H, out), HML_NOT_NORMALIZED);
    H[0] = 1.001;
    assert_int_equal(hml_se3_distance(H, H, 1, &number), HML_NOT_NORMALIZED);
    H[0] = 1.0004; /* rounded to three digits, say */
    assert_int_equal(hml_se3_check(H), HML_OK);
    assert_int_equal(hml_se3_make(R, NULL, out), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poses_are_matrices),
        cmocka_unit_test(test_quaternions),
        cmocka_unit_test(test_hat_and_vee),
        cmocka_unit_test(test_adjoints),
        cmocka_unit_test(test_exp_and_log),
        cmocka_unit_test(test_jacobians),
        cmocka_unit_test(test_jacobian_derivatives),
        cmocka_unit_test(test_interpolation),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
