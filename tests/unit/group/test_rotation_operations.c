/* Operations on quaternions, their derivatives, the quaternion matrices, and the group's public exp, log and Jacobians.
 */
#include "rotation_check.h"

enum { DRAWS = 1000 };

static const double TOL = 1e-14;
static const hml_side sides[] = {HML_LOCAL, HML_GLOBAL};

static void same_rotation(const double *q, const double *C)
{
    double D[9];
    matrix_of(QUAT, q, D);
    NEAR(D, C, 9, TOL);
}

/* ---- compose, invert, rotate ---- */

static void test_operations_are_those_of_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double a[4], b[4], q[4], r[3], v[3], x[3], A[9], B[9], C[9];
        draw_unit(4, a), draw_unit(4, b), draw_vector(10, r);
        matrix_of(QUAT, a, A), matrix_of(QUAT, b, B);
        OK(hml_quat_compose(a, b, q));
        multiply(A, B, C);
        same_rotation(q, C);
        OK(hml_quat_invert(a, q));
        transpose(A, C);
        same_rotation(q, C);
        OK(hml_quat_rotate(a, r, v));
        apply(A, r, x);
        NEAR(v, x, 3, 10 * TOL);
        OK(hml_quat_rotate_inverse(a, r, v));
        apply(C, r, x);
        NEAR(v, x, 3, 10 * TOL);
    }
}

/* a little off unit is normalized */
static void test_nearly_unit(void **state)
{
    (void)state;
    double v[3], q[4], C[9];
    OK(hml_quat_rotate((double[]){0.9995, 0, 0, 0}, (double[]){1, 2, 3}, v));
    NEAR(v, ((double[]){1, 2, 3}), 3, 1e-15);
    OK(hml_quat_to_matrix((double[]){0, 1.0009, 0, 0}, C));
    NEAR(C, ((double[]){1, 0, 0, 0, -1, 0, 0, 0, -1}), 9, 1e-15);
    OK(hml_angle_axis_to_quat((double[]){PI / 2, 0, 0, 1.0005}, q));
    NEAR(q, ((double[]){sqrt(0.5), 0, 0, sqrt(0.5)}), 4, 1e-15);
}

static void test_box(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double q[4], v[3], sum[4], back[3], A[9], E[9], C[9];
        draw_unit(4, q), draw_vector(1.8, v);
        matrix_of(QUAT, q, A), matrix_of(ROTVEC, v, E);
        OK(hml_quat_boxplus(HML_GLOBAL, q, v, sum));
        multiply(E, A, C);
        same_rotation(sum, C);
        OK(hml_quat_boxminus(HML_GLOBAL, sum, q, back));
        NEAR(back, v, 3, TOL);
        OK(hml_quat_boxplus(HML_LOCAL, q, v, sum));
        multiply(A, E, C);
        same_rotation(sum, C);
        OK(hml_quat_boxminus(HML_LOCAL, sum, q, back));
        NEAR(back, v, 3, TOL);
    }
}

static void test_slerp_and_distance(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double a[4], b[4], c[4], q[4], A[9], B[9], whole, part, rest, t = draw(0, 1);
        draw_unit(4, a), draw_unit(4, b);
        matrix_of(QUAT, a, A), matrix_of(QUAT, b, B);
        OK(hml_quat_slerp(a, b, 0, q));
        NEAR(q, a, 4, TOL); /* not −a */
        OK(hml_quat_slerp(a, b, 1, q));
        same_rotation(q, B);
        for (int k = 0; k < 4; k++) c[k] = -b[k];
        OK(hml_quat_slerp(a, b, t, q));
        OK(hml_quat_slerp(a, c, t, c)); /* −b is b */
        NEAR(c, q, 4, TOL);
        OK(hml_quat_distance(a, b, &whole));
        OK(hml_quat_distance(a, q, &part));
        OK(hml_quat_distance(q, b, &rest));
        NEAR(&part, ((double[]){t * whole}), 1, TOL);
        NEAR(&rest, ((double[]){(1 - t) * whole}), 1, TOL);
        double cosine = 0; /* 1 + 2 cos θ = tr(Aᵀ B) */
        for (int k = 0; k < 9; k++) cosine += A[k] * B[k];
        NEAR(((double[]){1 + 2 * cos(whole)}), &cosine, 1, TOL);
        OK(hml_quat_slerp(a, b, -2, q)); /* beyond the ends: the same velocity */
        OK(hml_quat_boxminus(HML_GLOBAL, b, a, A));
        for (int k = 0; k < 3; k++) A[k] *= -2;
        OK(hml_quat_boxplus(HML_GLOBAL, a, A, c));
        NEAR(c, q, 4, TOL);
    }
    double angle;
    OK(hml_quat_distance((double[]){1, 0, 0, 0}, (double[]){-1, 0, 0, 0}, &angle));
    assert_true(angle == 0);
}

/* ---- derivatives with respect to ⊞, against differences of eighth order ---- */

typedef struct {
    hml_side side;
    double a[4], b[4], r[3];
    int which;
} scene;

/* the operation at an argument moved by v: coordinates of the result about that at v = 0 */
static void moved(const scene *s, const double v[3], double out[3])
{
    double p[4], x[4], x0[4];
    OK(hml_quat_boxplus(s->side, s->which == 1 ? s->b : s->a, v, p));
    switch (s->which) {
    case 0: OK(hml_quat_compose(p, s->b, x)), OK(hml_quat_compose(s->a, s->b, x0)); break;
    case 1: OK(hml_quat_compose(s->a, p, x)), OK(hml_quat_compose(s->a, s->b, x0)); break;
    case 2: OK(hml_quat_invert(p, x)), OK(hml_quat_invert(s->a, x0)); break;
    default: OK(hml_quat_rotate(p, s->r, out)); return;
    }
    OK(hml_quat_boxminus(s->side, x, x0, out));
}

static void differences(const scene *s, double D[9])
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 0x1p-7;
    memset(D, 0, 9 * sizeof *D);
    for (int c = 0; c < 3; c++) {
        for (int k = 1; k <= 4; k++) {
            double v[3] = {0}, ahead[3], behind[3];
            v[c] = k * h, moved(s, v, ahead);
            v[c] = -k * h, moved(s, v, behind);
            for (int r = 0; r < 3; r++) D[3 * r + c] += weight[k - 1] / h * (ahead[r] - behind[r]);
        }
    }
}

static void test_derivatives_of_operations(void **state)
{
    (void)state;
    const double tolerance = 2e-12; /* round-off over h, 2e-16·128, times the length of r and a few terms */
    for (int i = 0; i < 200; i++) {
        for (int j = 0; j < 2; j++) {
            scene s = {.side = sides[j]};
            double D[9], E[9], N[9], C[9];
            draw_unit(4, s.a), draw_unit(4, s.b), draw_vector(3, s.r);
            OK(hml_quat_compose_derivatives(s.side, s.a, s.b, D, E));
            s.which = 0, differences(&s, N);
            NEAR(D, N, 9, tolerance);
            s.which = 1, differences(&s, N);
            NEAR(E, N, 9, tolerance);
            OK(hml_quat_invert_derivative(s.side, s.a, D));
            s.which = 2, differences(&s, N);
            NEAR(D, N, 9, tolerance);
            OK(hml_quat_rotate_derivatives(s.side, s.a, s.r, D, E));
            s.which = 3, differences(&s, N);
            NEAR(D, N, 9, tolerance);
            matrix_of(QUAT, s.a, C);
            NEAR(E, C, 9, TOL);
        }
    }
}

/* ---- quaternion matrices ---- */

static void test_quaternion_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double a[4], b[4], q[4], L[16], R[16], by_left[4], by_right[4], H[12], C[9], D[9];
        draw_unit(4, a), draw_unit(4, b);
        OK(hml_quat_left_matrix(a, L));
        OK(hml_quat_right_matrix(b, R));
        OK(hml_quat_compose(a, b, q));
        for (int r = 0; r < 4; r++) {
            by_left[r] = by_right[r] = 0;
            for (int k = 0; k < 4; k++) by_left[r] += L[4 * r + k] * b[k], by_right[r] += R[4 * r + k] * a[k];
        }
        NEAR(by_left, by_right, 4, TOL);
        NEAR(by_right, q, 4, TOL); /* with the sign of the product */

        /* H H̄ᵀ = C, H Hᵀ = I, H q = 0 */
        double local[12];
        OK(hml_quat_velocity_matrix(HML_GLOBAL, a, H));
        OK(hml_quat_velocity_matrix(HML_LOCAL, a, local));
        matrix_of(QUAT, a, C);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                D[3 * r + c] = 0;
                for (int k = 0; k < 4; k++) D[3 * r + c] += H[4 * r + k] * local[4 * c + k];
            }
        }
        NEAR(D, C, 9, TOL);
        double w[3], v[3], rate[4];
        draw_vector(2, w);
        for (int j = 0; j < 2; j++) {
            OK(hml_quat_velocity_matrix(sides[j], a, H));
            OK(hml_quat_rate(sides[j], a, w, rate));
            for (int r = 0; r < 3; r++) {
                v[r] = 0;
                for (int k = 0; k < 4; k++) v[r] += 2 * H[4 * r + k] * rate[k];
            }
            NEAR(v, w, 3, TOL);
        }
    }
    double Q[16];
    OK(hml_quat_left_matrix((double[]){1, 2, 3, 4}, Q)); /* Kindr's layout, any length */
    NEAR(Q, ((double[]){1, -2, -3, -4, 2, 1, -4, 3, 3, 4, 1, -2, 4, -3, 2, 1}), 16, 0);
    OK(hml_quat_right_matrix((double[]){1, 2, 3, 4}, Q));
    NEAR(Q, ((double[]){1, -2, -3, -4, 2, 1, 4, -3, 3, -4, 1, 2, 4, 3, -2, 1}), 16, 0);
}

/* ---- exp, log, Jacobians ---- */

typedef hml_status map_matrix(const double[3], double[9]);
typedef hml_status map_apply(const double[3], const double[3], double[3]);
typedef hml_status map_derivative(const double[3], const double[3], const double[3], double[3]);
typedef hml_status map_gradient(const double[3], const double[3], double[9]);

static const struct {
    map_matrix *J;
    map_apply *apply;
    map_derivative *derivative;
    map_gradient *gradient;
} jacobians[] = {
#define JACOBIAN(name)                                                                                                 \
    {                                                                                                                  \
        name, name##_apply, name##_derivative, name##_gradient                                                         \
    }
    JACOBIAN(hml_so3_dexp_left),
    JACOBIAN(hml_so3_dexp_right),
    JACOBIAN(hml_so3_dexp_left_inverse),
    JACOBIAN(hml_so3_dexp_right_inverse),
};

/* the mathematics is tested over num; here: rows and columns are in their places, and the forms agree */
static void test_group(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        double phi[3], u[3], delta[3], C[9], D[9], back[3], J[4][9];
        draw_vector(i % 2 ? 1.8 : 0.5, phi), draw_vector(1, u), draw_vector(1, delta);
        OK(hml_so3_exp(phi, C));
        matrix_of(ROTVEC, phi, D);
        NEAR(C, D, 9, TOL);
        OK(hml_so3_log(C, back));
        NEAR(back, phi, 3, TOL);
        for (int k = 0; k < COUNT(jacobians); k++) {
            double Ju[3], a[3], G[9], b[3];
            OK(jacobians[k].J(phi, J[k]));
            OK(jacobians[k].apply(phi, u, a));
            apply(J[k], u, Ju);
            NEAR(a, Ju, 3, TOL);
            OK(jacobians[k].derivative(phi, delta, u, a));
            OK(jacobians[k].gradient(phi, u, G));
            apply(G, delta, b);
            NEAR(a, b, 3, TOL);
            double h = 1e-6, ahead[3], behind[3], moved_phi[3];
            for (int c = 0; c < 3; c++) moved_phi[c] = phi[c] + h * delta[c];
            OK(jacobians[k].apply(moved_phi, u, ahead));
            for (int c = 0; c < 3; c++) moved_phi[c] = phi[c] - h * delta[c];
            OK(jacobians[k].apply(moved_phi, u, behind));
            for (int c = 0; c < 3; c++) ahead[c] = (ahead[c] - behind[c]) / (2 * h);
            NEAR(a, ahead, 3, 1e-8); /* central differences: 1e-16/h + h² */
        }
        transpose(J[0], D);
        NEAR(J[1], D, 9, TOL);
        multiply(J[0], J[2], D);
        NEAR(D, ((double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}), 9, TOL);
        multiply(C, J[1], D);
        NEAR(D, J[0], 9, TOL);
    }
}

static void test_inverse_is_singular_at_full_turns(void **state)
{
    (void)state;
    double J[9], v[3];
    const double full[3] = {0, 2 * PI, 0}, two[3] = {0, 0, -4 * PI}, near_one[3] = {6.28, 0, 0}, u[3] = {1, 2, 3};
    for (int k = 2; k < 4; k++) {
        assert_int_equal(jacobians[k].J(full, J), HML_SINGULAR_PARAMETERIZATION);
        assert_int_equal(jacobians[k].J(two, J), HML_SINGULAR_PARAMETERIZATION);
        assert_int_equal(jacobians[k].apply(full, u, v), HML_SINGULAR_PARAMETERIZATION);
        assert_int_equal(jacobians[k].derivative(full, u, u, v), HML_SINGULAR_PARAMETERIZATION);
        assert_int_equal(jacobians[k].gradient(full, u, J), HML_SINGULAR_PARAMETERIZATION);
        OK(jacobians[k].J(near_one, J));
        OK(jacobians[k].J((double[]){0, 0, 0}, J));
    }
    OK(jacobians[0].J(full, J)); /* Γ itself is fine there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_are_those_of_matrices),
        cmocka_unit_test(test_nearly_unit),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_slerp_and_distance),
        cmocka_unit_test(test_derivatives_of_operations),
        cmocka_unit_test(test_quaternion_matrices),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_inverse_is_singular_at_full_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
