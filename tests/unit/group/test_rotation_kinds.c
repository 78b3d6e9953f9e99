/*
 * The operations of hamel/rotation.h on every parameterization against products of plain matrices, their derivatives
 * against differences of eighth order of such products, the signs of quaternions, and what bad input answers.
 */
#include "hamel/rotation.h"

#include "hamel/configuration.h"
#include "rotation_check.h"

enum { DRAWS = 300 };

static const double TOL = 2e-14;
static const hml_side sides[] = {HML_LOCAL, HML_GLOBAL};

/* ---- plain matrices: the definitions, without the library ---- */

/* the vector of a rotation by less than a quarter turn */
static void small_log(const double *C, double *v)
{
    double w[3] = {(C[7] - C[5]) / 2, (C[2] - C[6]) / 2, (C[3] - C[1]) / 2};
    double s = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), f = s > 0 ? asin(s) / s : 1;
    for (int k = 0; k < 3; k++) v[k] = f * w[k];
}

/* C ⊞ v */
static void plus(hml_side side, const double *C, const double *v, double *out)
{
    double E[9];
    matrix_of(ROTVEC, v, E);
    if (side == HML_GLOBAL)
        multiply(E, C, out);
    else
        multiply(C, E, out);
}

/* A ⊟ B for neighbours */
static void minus(hml_side side, const double *A, const double *B, double *v)
{
    double T[9], D[9];
    transpose(B, T);
    if (side == HML_GLOBAL)
        multiply(A, T, D);
    else
        multiply(T, A, D);
    small_log(D, v);
}

static void same(int kind, const double *x, const double *C, double tolerance)
{
    double D[9];
    matrix_of(kind, x, D);
    NEAR(D, C, 9, tolerance);
}

/* ---- operations ---- */

static void test_operations_on_every_kind(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double a[9], b[9], x[9], A[9], B[9], C[9], r[3], s[3], v[3], w[3], t = draw(-0.5, 1.5);
            draw_kind(kind, a), draw_kind(kind, b), draw_vector(5, r), draw_vector(1.8, v);
            matrix_of(kind, a, A), matrix_of(kind, b, B);
            OK(hml_rotation_compose((hml_rotation)kind, a, b, x));
            multiply(A, B, C);
            same(kind, x, C, TOL);
            OK(hml_rotation_invert((hml_rotation)kind, a, x));
            transpose(A, C);
            same(kind, x, C, TOL);
            OK(hml_rotation_rotate((hml_rotation)kind, a, r, s));
            apply(A, r, w);
            NEAR(s, w, 3, 10 * TOL);
            for (int j = 0; j < 2; j++) {
                OK(hml_rotation_boxplus((hml_rotation)kind, sides[j], a, v, x));
                plus(sides[j], A, v, C);
                same(kind, x, C, TOL);
                OK(hml_rotation_boxminus((hml_rotation)kind, sides[j], x, a, w));
                NEAR(w, v, 3, 4 * TOL);
                OK(hml_rotation_boxminus((hml_rotation)kind, sides[j], b, a, w));
                plus(sides[j], A, w, C); /* a ⊞ (b ⊟ a) = b */
                NEAR(C, B, 9, TOL);
                for (int k = 0; k < 3; k++) w[k] *= t;
                plus(sides[j], A, w, C); /* Kindr's interpolation, from both sides */
                OK(hml_rotation_slerp((hml_rotation)kind, a, b, t, x));
                same(kind, x, C, 2 * TOL);
            }
            OK(hml_rotation_convert((hml_rotation)kind, a, (hml_rotation)((kind + 1) % KINDS), x));
            same((kind + 1) % KINDS, x, A, TOL);
        }
    }
}

/* ---- derivatives ---- */

typedef struct {
    hml_rotation kind;
    hml_side side;
    double a[9], b[9], r[3], t;
} scene;

/*
 * Each map takes a vector u that moves one argument and gives coordinates of the result about that at u = 0. The
 * argument is moved by plain matrices and handed to the library in its own kind.
 */
typedef void moved(const scene *s, const double *u, double *out);

static void shifted(const scene *s, const double *x, const double *u, double *out)
{
    double C[9];
    matrix_of((int)s->kind, x, C);
    plus(s->side, C, u, C);
    OK(hml_rotation_convert(HML_ROTATION_MATRIX, C, s->kind, out));
}

static void about(const scene *s, const double *x, const double *x0, double *out)
{
    double C[9], C0[9];
    matrix_of((int)s->kind, x, C), matrix_of((int)s->kind, x0, C0);
    minus(s->side, C, C0, out);
}

static void compose_a(const scene *s, const double *u, double *out)
{
    double x[9], y[9], y0[9];
    shifted(s, s->a, u, x);
    OK(hml_rotation_compose(s->kind, x, s->b, y)), OK(hml_rotation_compose(s->kind, s->a, s->b, y0));
    about(s, y, y0, out);
}

static void compose_b(const scene *s, const double *u, double *out)
{
    double x[9], y[9], y0[9];
    shifted(s, s->b, u, x);
    OK(hml_rotation_compose(s->kind, s->a, x, y)), OK(hml_rotation_compose(s->kind, s->a, s->b, y0));
    about(s, y, y0, out);
}

static void invert_x(const scene *s, const double *u, double *out)
{
    double x[9], y[9], y0[9];
    shifted(s, s->a, u, x);
    OK(hml_rotation_invert(s->kind, x, y)), OK(hml_rotation_invert(s->kind, s->a, y0));
    about(s, y, y0, out);
}

static void rotate_x(const scene *s, const double *u, double *out)
{
    double x[9];
    shifted(s, s->a, u, x);
    OK(hml_rotation_rotate(s->kind, x, s->r, out));
}

static void plus_x(const scene *s, const double *u, double *out)
{
    double x[9], y[9], y0[9];
    shifted(s, s->a, u, x);
    OK(hml_rotation_boxplus(s->kind, s->side, x, s->r, y)), OK(hml_rotation_boxplus(s->kind, s->side, s->a, s->r, y0));
    about(s, y, y0, out);
}

static void plus_v(const scene *s, const double *u, double *out)
{
    double y[9], y0[9];
    const double v[3] = {s->r[0] + u[0], s->r[1] + u[1], s->r[2] + u[2]};
    OK(hml_rotation_boxplus(s->kind, s->side, s->a, v, y)), OK(hml_rotation_boxplus(s->kind, s->side, s->a, s->r, y0));
    about(s, y, y0, out);
}

static void minus_a(const scene *s, const double *u, double *out)
{
    double x[9];
    shifted(s, s->a, u, x);
    OK(hml_rotation_boxminus(s->kind, s->side, x, s->b, out));
}

static void minus_b(const scene *s, const double *u, double *out)
{
    double x[9];
    shifted(s, s->b, u, x);
    OK(hml_rotation_boxminus(s->kind, s->side, s->a, x, out));
}

static void slerp_a(const scene *s, const double *u, double *out)
{
    double x[9], y[9], y0[9];
    shifted(s, s->a, u, x);
    OK(hml_rotation_slerp(s->kind, x, s->b, s->t, y)), OK(hml_rotation_slerp(s->kind, s->a, s->b, s->t, y0));
    about(s, y, y0, out);
}

static void slerp_b(const scene *s, const double *u, double *out)
{
    double x[9], y[9], y0[9];
    shifted(s, s->b, u, x);
    OK(hml_rotation_slerp(s->kind, s->a, x, s->t, y)), OK(hml_rotation_slerp(s->kind, s->a, s->b, s->t, y0));
    about(s, y, y0, out);
}

static void slerp_t(const scene *s, const double *u, double *out)
{
    double y[9], y0[9];
    OK(hml_rotation_slerp(s->kind, s->a, s->b, s->t + u[0], y));
    OK(hml_rotation_slerp(s->kind, s->a, s->b, s->t, y0));
    about(s, y, y0, out);
}

static void differences(moved *f, const scene *s, double D[9])
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const double h = 0x1p-7;
    memset(D, 0, 9 * sizeof *D);
    for (int c = 0; c < 3; c++) {
        for (int k = 1; k <= 4; k++) {
            double u[3] = {0}, ahead[3], behind[3];
            u[c] = k * h, f(s, u, ahead);
            u[c] = -k * h, f(s, u, behind);
            for (int r = 0; r < 3; r++) D[3 * r + c] += weight[k - 1] / h * (ahead[r] - behind[r]);
        }
    }
}

/*
 * Round-off 1e-15 over h = 1/128, a few terms, and the eighth power of h times the ninth derivative: for Γ⁻¹ with
 * |v| < 2.7 that is below 1e-9, for everything else below 1e-12.
 */
static void check(moved *f, const scene *s, const double *D, double tolerance)
{
    double N[9];
    differences(f, s, N);
    NEAR(D, N, 9, tolerance);
}

static void test_derivatives_on_every_kind(void **state)
{
    (void)state;
    const double smooth = 5e-12, logarithm = 2e-9;
    for (int i = 0; i < 40; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int j = 0; j < 2; j++) {
                scene s = {.kind = (hml_rotation)kind, .side = sides[j], .t = draw(-0.5, 1.5)};
                double D[9], E[9], v[3], C[9];
                draw_kind(kind, s.a), draw_vector(1.5, s.r), draw_vector(1.5, v);
                shifted(&s, s.a, v, s.b); /* less than 2.6 rad away: ⊟ does not jump */
                OK(hml_rotation_compose_derivatives(s.kind, s.side, s.a, s.b, D, E));
                check(compose_a, &s, D, smooth), check(compose_b, &s, E, smooth);
                OK(hml_rotation_invert_derivative(s.kind, s.side, s.a, D));
                check(invert_x, &s, D, smooth);
                OK(hml_rotation_rotate_derivatives(s.kind, s.side, s.a, s.r, D, E));
                check(rotate_x, &s, D, smooth);
                matrix_of(kind, s.a, C);
                NEAR(E, C, 9, TOL);
                OK(hml_rotation_boxplus_derivatives(s.kind, s.side, s.a, s.r, D, E));
                check(plus_x, &s, D, smooth), check(plus_v, &s, E, smooth);
                OK(hml_rotation_boxminus_derivatives(s.kind, s.side, s.a, s.b, D, E));
                check(minus_a, &s, D, logarithm), check(minus_b, &s, E, logarithm);
                double N[9], velocity[3];
                OK(hml_rotation_slerp_derivatives(s.kind, s.side, s.a, s.b, s.t, D, E, velocity));
                check(slerp_a, &s, D, logarithm), check(slerp_b, &s, E, logarithm);
                differences(slerp_t, &s, N);
                NEAR(velocity, ((double[]){N[0], N[3], N[6]}), 3, smooth);
            }
        }
    }
}

/* ∂y/∂x of the numbers is F(y) D E(x): y = x ⊞ v for Euler angles, rotation vectors, angle and axis */
static void test_derivatives_of_the_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        for (int kind = ANGLE_AXIS; kind < KINDS; kind++) {
            const hml_rotation k = (hml_rotation)kind;
            const int n = hml_rotation_count(k);
            double x[4], y[4], v[3], w[3], rate[4], E[12], F[12], D[9], along[3], turned[3], wanted[4], got[4];
            const double h = 1e-4;
            draw_vector(0.4, v), draw_vector(1, w);
            OK(hml_rotation_convert(HML_ROTATION_ROTVEC, (double[]){0.7, 0.6 + 0.1 * w[0], -0.5}, k, x));
            OK(hml_rotation_boxplus(k, HML_GLOBAL, x, v, y));
            OK(hml_rotation_rate_matrix(k, HML_GLOBAL, x, F)); /* a rate that x can have */
            for (int r = 0; r < n; r++) rate[r] = F[3 * r] * w[0] + F[3 * r + 1] * w[1] + F[3 * r + 2] * w[2];
            OK(hml_rotation_velocity_matrix(k, HML_GLOBAL, x, E));
            OK(hml_rotation_rate_matrix(k, HML_GLOBAL, y, F));
            OK(hml_rotation_boxplus_derivatives(k, HML_GLOBAL, x, v, D, NULL));
            for (int r = 0; r < 3; r++) {
                along[r] = 0;
                for (int c = 0; c < n; c++) along[r] += E[n * r + c] * rate[c];
            }
            apply(D, along, turned);
            for (int r = 0; r < n; r++) {
                wanted[r] = F[3 * r] * turned[0] + F[3 * r + 1] * turned[1] + F[3 * r + 2] * turned[2];
            }
            double ahead[4], behind[4], moved_x[4];
            for (int r = 0; r < n; r++) moved_x[r] = x[r] + h * rate[r];
            OK(hml_rotation_boxplus(k, HML_GLOBAL, moved_x, v, ahead));
            for (int r = 0; r < n; r++) moved_x[r] = x[r] - h * rate[r];
            OK(hml_rotation_boxplus(k, HML_GLOBAL, moved_x, v, behind));
            for (int r = 0; r < n; r++) got[r] = (ahead[r] - behind[r]) / (2 * h);
            NEAR(got, wanted, n, 1e-5); /* central differences: h² times third derivatives of up to 100 */
        }
    }
}

/* ---- signs ---- */

static void test_products_keep_their_sign(void **state)
{
    (void)state;
    double q[4];
    OK(hml_quat_compose((double[]){0, 1, 0, 0}, (double[]){0, 1, 0, 0}, q)); /* i² = j² = k² = ijk = −1 */
    NEAR(q, ((double[]){-1, 0, 0, 0}), 4, 0);
    OK(hml_quat_compose((double[]){0, 0, 1, 0}, (double[]){0, 0, 1, 0}, q));
    NEAR(q, ((double[]){-1, 0, 0, 0}), 4, 0);
    OK(hml_quat_compose((double[]){0, 1, 0, 0}, (double[]){0, 0, 1, 0}, q));
    OK(hml_quat_compose(q, (double[]){0, 0, 0, 1}, q));
    NEAR(q, ((double[]){-1, 0, 0, 0}), 4, 0);
    OK(hml_quat_invert((double[]){-1, 0, 0, 0}, q)); /* the conjugate */
    NEAR(q, ((double[]){-1, 0, 0, 0}), 4, 0);
    OK(hml_quat_unique((double[]){-1, 0, 0, 0}, q)); /* unique forms are for those who ask */
    NEAR(q, ((double[]){1, 0, 0, 0}), 4, 0);
    OK(hml_rotation_convert(HML_ROTATION_QUAT, (double[]){-1, 0, 0, 0}, HML_ROTATION_QUAT, q));
    NEAR(q, ((double[]){1, 0, 0, 0}), 4, 0);
    for (int i = 0; i < DRAWS; i++) { /* q q⁻¹ = +1, (ab)c = a(bc), signs included */
        double a[4], b[4], c[4], left[4], right[4];
        draw_unit(4, a), draw_unit(4, b), draw_unit(4, c);
        OK(hml_quat_invert(a, q)), OK(hml_quat_compose(a, q, q));
        NEAR(q, ((double[]){1, 0, 0, 0}), 4, TOL);
        OK(hml_quat_compose(a, b, left)), OK(hml_quat_compose(left, c, left));
        OK(hml_quat_compose(b, c, right)), OK(hml_quat_compose(a, right, right));
        NEAR(left, right, 4, TOL);
    }
}

/* turned on and on, and interpolated: never a jump */
static void test_motions_have_no_jumps(void **state)
{
    (void)state;
    for (int j = 0; j < 2; j++) {
        double q0[4], q[4], last[4], axis[3], v[3], size = 0;
        draw_unit(4, q0), draw_unit(3, axis);
        memcpy(last, q0, sizeof last);
        for (int i = 1; i <= 800; i++) { /* two turns: q comes back to itself only after both */
            for (int k = 0; k < 3; k++) v[k] = 4 * PI * i / 800 * axis[k];
            OK(hml_quat_boxplus(sides[j], q0, v, q));
            double step = 0;
            for (int k = 0; k < 4; k++) step = fmax(step, fabs(q[k] - last[k]));
            assert_true(step < 0.01); /* half of 4π/800 */
            memcpy(last, q, sizeof last);
            if (i == 400) {
                for (int k = 0; k < 4; k++) size = fmax(size, fabs(q[k] + q0[k]));
                assert_true(size < TOL); /* one turn: −q0 */
            }
        }
        NEAR(q, q0, 4, TOL);
    }
    for (int i = 0; i < DRAWS; i++) {
        double a[4], b[4], q[4], last[4];
        draw_unit(4, a), draw_unit(4, b);
        memcpy(last, a, sizeof last);
        for (int n = 0; n <= 100; n++) {
            OK(hml_quat_slerp(a, b, n / 100.0, q));
            for (int k = 0; k < 4; k++) assert_true(fabs(q[k] - last[k]) < 0.016); /* half of π/100 */
            memcpy(last, q, sizeof last);
        }
    }
}

/* hml_configuration_integrate turns spherical and free joints by the local ⊞, with the same sign; so does its rate */
static void test_integrate_is_the_local_boxplus(void **state)
{
    (void)state;
    static const hml_joint_type types[] = {HML_JOINT_SPHERICAL, HML_JOINT_FREE};
    for (int i = 0; i < 2; i++) {
        hml_joint_spec joint;
        hml_model *model = NULL;
        hml_builder *builder = hml_builder_new();
        hml_joint_spec_init(&joint, types[i]);
        joint.name = "joint";
        OK(hml_builder_add_body(builder, "body", NULL, &joint, NULL, NULL));
        OK(hml_builder_build(builder, 0, &model, NULL));
        const int at = types[i] == HML_JOINT_FREE ? 3 : 0;
        int negative = 0;
        for (int n = 0; n < DRAWS; n++) {
            double q[7] = {0}, v[6] = {0}, moved_q[7], sum[4], back[6], rate[7], quaternion_rate[4];
            draw_unit(4, q + at), draw_vector(1.8, v + at);
            OK(hml_configuration_integrate(model, q, v, moved_q));
            OK(hml_quat_boxplus(HML_LOCAL, q + at, v + at, sum));
            NEAR(moved_q + at, sum, 4, 1e-15);
            negative += sum[0] < 0;
            OK(hml_configuration_difference(model, q, moved_q, back));
            OK(hml_quat_boxminus(HML_LOCAL, sum, q + at, sum));
            NEAR(back + at, sum, 3, TOL);
            OK(hml_configuration_rate(model, q, v, rate));
            OK(hml_quat_rate(HML_LOCAL, q + at, v + at, quaternion_rate));
            NEAR(rate + at, quaternion_rate, 4, 1e-15);
        }
        assert_true(negative > DRAWS / 10); /* signs were seen */
        hml_model_free(model);
        hml_builder_free(builder);
    }
}

/* ---- ranges in Kindr's print ---- */

/* y ∈ [−π/2, π/2) leaves out the rotation by +90° about y; 2 arccos q₀ leaves [0, π] where q₀ < 0 */
static void test_kindr_ranges(void **state)
{
    (void)state;
    double C[9], e[3], a[4];
    elementary(1, PI / 2, C);
    OK(hml_matrix_to_euler_zyx(C, e));
    NEAR(e + 1, ((double[]){PI / 2}), 1, 1e-15);
    same(ZYX, e, C, 1e-15);
    OK(hml_matrix_to_euler_xyz(C, e));
    NEAR(e + 1, ((double[]){PI / 2}), 1, 1e-15);
    for (double y = -PI / 2; y < PI / 2 - 1e-6; y += 1e-3) { /* C₃₁ = −sin y and C₁₃ = sin y never reach ±1 there */
        matrix_of(ZYX, (double[]){draw(-3, 3), y, draw(-3, 3)}, C);
        assert_true(C[6] > -1);
        matrix_of(XYZ, (double[]){draw(-3, 3), y, draw(-3, 3)}, C);
        assert_true(C[2] < 1);
    }
    const double q[4] = {-0.6, 0.8, 0, 0};
    assert_true(2 * acos(q[0]) > PI);
    OK(hml_quat_to_angle_axis(q, a));
    assert_true(a[0] >= 0 && a[0] <= PI);
    matrix_of(QUAT, q, C);
    same(ANGLE_AXIS, a, C, 1e-15);
}

/* ---- bad input ---- */

static void test_names_and_sizes(void **state)
{
    (void)state;
    hml_rotation kind;
    for (int i = 0; i < KINDS; i++) {
        assert_int_equal(hml_rotation_count((hml_rotation)i), lengths[i]);
        OK(hml_rotation_from_name(hml_rotation_name((hml_rotation)i), &kind));
        assert_int_equal(kind, i);
    }
    assert_int_equal(hml_rotation_count((hml_rotation)6), 0);
    assert_int_equal(hml_rotation_count((hml_rotation)-1), 0);
    assert_null(hml_rotation_name((hml_rotation)6));
    assert_int_equal(hml_rotation_from_name("gibbs", &kind), HML_NOT_FOUND);
    assert_int_equal(hml_rotation_from_name(NULL, &kind), HML_INVALID_ARGUMENT);
}

static void test_bad_input(void **state)
{
    (void)state;
    const hml_rotation none = (hml_rotation)6, zyx = HML_ROTATION_EULER_ZYX, quat = HML_ROTATION_QUAT;
    const hml_side wrong = (hml_side)2;
    const double e[4] = {0.1, 0.2, 0.3}, bad[9] = {NAN}, q[4] = {1, 0, 0, 0}, lock[3] = {0.3, PI / 2, 0.1};
    double out[27], D[9];
    assert_int_equal(hml_rotation_compose(none, e, e, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_compose(zyx, e, bad, out), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_compose(zyx, e, NULL, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_compose(zyx, e, e, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_invert(none, e, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_rotate(zyx, e, bad, out), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_boxplus(zyx, wrong, e, e, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_boxplus(zyx, HML_LOCAL, e, bad, out), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_boxplus(quat, HML_LOCAL, e, e, out), HML_NOT_NORMALIZED);
    assert_int_equal(hml_rotation_boxminus(zyx, wrong, e, e, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_boxminus(zyx, HML_GLOBAL, bad, e, out), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_slerp(zyx, e, e, NAN, out), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_slerp(zyx, e, e, 1e200, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_convert(zyx, e, none, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_compose_derivatives(zyx, wrong, e, e, D, D), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_invert_derivative(none, HML_LOCAL, e, D), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_rotate_derivatives(zyx, HML_LOCAL, bad, e, D, D), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_boxplus_derivatives(zyx, HML_LOCAL, e, bad, D, D), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_boxminus_derivatives(zyx, HML_LOCAL, e, bad, D, D), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_slerp_derivatives(zyx, HML_LOCAL, e, e, NAN, D, D, D), HML_NOT_FINITE);
    OK(hml_rotation_slerp_derivatives(zyx, HML_LOCAL, e, e, 0.5, NULL, NULL, NULL)); /* nothing is wanted */
    assert_int_equal(hml_rotation_velocity_matrix(none, HML_LOCAL, e, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_velocity_matrix(zyx, wrong, e, out), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_velocity_matrix(zyx, HML_LOCAL, e, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_rotation_rate_matrix(zyx, HML_LOCAL, bad, out), HML_NOT_FINITE);
    assert_int_equal(hml_rotation_rate_matrix(zyx, HML_LOCAL, lock, out), HML_SINGULAR_PARAMETERIZATION);
    OK(hml_rotation_velocity_matrix(zyx, HML_LOCAL, lock, out)); /* E itself is fine there */
    assert_int_equal(hml_rotation_rate_matrix(HML_ROTATION_ANGLE_AXIS, HML_LOCAL, (double[]){0, 1, 0, 0}, out),
                     HML_SINGULAR_PARAMETERIZATION);
    OK(hml_rotation_rate_matrix(quat, HML_LOCAL, q, out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_on_every_kind),
        cmocka_unit_test(test_derivatives_on_every_kind),
        cmocka_unit_test(test_derivatives_of_the_numbers),
        cmocka_unit_test(test_products_keep_their_sign),
        cmocka_unit_test(test_motions_have_no_jumps),
        cmocka_unit_test(test_integrate_is_the_local_boxplus),
        cmocka_unit_test(test_kindr_ranges),
        cmocka_unit_test(test_names_and_sizes),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
