/*
 * Rates of the parameterizations. The velocity is taken from the derivative of the rotation matrix along x + t ẋ: a
 * complex step through the plain definitions in this file, exact to round-off and without a line of the library.
 */
#include <complex.h>
#undef I

#include "hamel/rotation.h"
#include "rotation_check.h"

enum { DRAWS = 2000 };

static const double TOL = 2e-14;

/* ---- the rotation matrix of complex numbers ---- */

typedef double _Complex cnum;

static void complex_multiply(const cnum *A, const cnum *B, cnum *C)
{
    cnum out[9];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c];
    }
    memcpy(C, out, sizeof out);
}

static void complex_elementary(int k, cnum angle, cnum *C)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int e = 0; e < 9; e++) C[e] = 0;
    C[4 * k] = 1, C[4 * i] = ccos(angle), C[4 * j] = ccos(angle), C[3 * i + j] = -csin(angle),
          C[3 * j + i] = csin(angle);
}

/* I + s N + v N² with N = n^ */
static void complex_rodrigues(cnum s, cnum v, const cnum *n, cnum *C)
{
    cnum N[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0}, N2[9];
    complex_multiply(N, N, N2);
    for (int e = 0; e < 9; e++) C[e] = (e % 4 == 0) + s * N[e] + v * N2[e];
}

static void complex_matrix_of(int kind, const cnum *x, cnum *C)
{
    cnum A[9], t;
    switch (kind) {
    case MATRIX: memcpy(C, x, 9 * sizeof *C); return;
    case QUAT: complex_rodrigues(2 * x[0], 2, x + 1, C); return; /* Kindr: 1 + 2 q₀ q^ + 2 q^² */
    case ANGLE_AXIS: complex_rodrigues(csin(x[0]), 1 - ccos(x[0]), x + 1, C); return;
    case ROTVEC:
        t = csqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        complex_rodrigues(csin(t) / t, (1 - ccos(t)) / (t * t), x, C);
        return;
    default:
        complex_elementary(kind == ZYX ? 2 : 0, x[0], C);
        complex_elementary(1, x[1], A), complex_multiply(C, A, C);
        complex_elementary(kind == ZYX ? 0 : 2, x[2], A), complex_multiply(C, A, C);
    }
}

/* Ċ Cᵀ globally, Cᵀ Ċ locally, its vector */
static void velocity_of(hml_side side, int kind, const double *x, const double *rate, double *w)
{
    const double h = 1e-100;
    cnum z[9], C[9];
    double A[9], D[9], T[9], W[9];
    for (int k = 0; k < lengths[kind]; k++) z[k] = __builtin_complex(x[k], h * rate[k]);
    complex_matrix_of(kind, z, C);
    for (int k = 0; k < 9; k++) A[k] = creal(C[k]), D[k] = cimag(C[k]) / h;
    transpose(A, T);
    if (side == HML_GLOBAL)
        multiply(D, T, W);
    else
        multiply(T, D, W);
    w[0] = (W[7] - W[5]) / 2, w[1] = (W[2] - W[6]) / 2, w[2] = (W[3] - W[1]) / 2;
}

/* ---- the functions ---- */

typedef hml_status rate_function(hml_side, const double *, const double *, double *);

#define BOTH(a)                                                                                                        \
    {                                                                                                                  \
        hml_##a##_rate, hml_##a##_velocity                                                                             \
    }
static rate_function *const functions[KINDS][2] = {BOTH(matrix), BOTH(quat),      BOTH(angle_axis),
                                                   BOTH(rotvec), BOTH(euler_zyx), BOTH(euler_xyz)};

static const hml_side sides[] = {HML_LOCAL, HML_GLOBAL};

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* numbers of a kind away from its singularities, and a rate that keeps their constraints */
static void draw_motion(int kind, double *x, double *rate)
{
    double v[3], E[9];
    draw_kind(kind, x);
    if (kind == ANGLE_AXIS) x[0] = draw(0.2, 5);
    if (kind == ROTVEC) draw_vector(2, x);
    if (kind >= ZYX) x[1] = draw(-1.3, 1.3);
    for (int k = 0; k < lengths[kind]; k++) rate[k] = draw(-2, 2);
    switch (kind) {
    case MATRIX: /* any skew matrix times x */
        draw_vector(2, v);
        memcpy(E, (double[]){0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0}, sizeof E);
        multiply(E, x, rate);
        return;
    case QUAT: {
        double dot = 0;
        for (int k = 0; k < 4; k++) dot += x[k] * rate[k];
        for (int k = 0; k < 4; k++) rate[k] -= dot * x[k];
        return;
    }
    case ANGLE_AXIS: draw_vector(2, v), cross(x + 1, v, rate + 1); return;
    default: return;
    }
}

static void test_velocities(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double x[9], rate[9], w[3], expected[3];
            draw_motion(kind, x, rate);
            for (int s = 0; s < 2; s++) {
                OK(functions[kind][1](sides[s], x, rate, w));
                velocity_of(sides[s], kind, x, rate, expected);
                NEAR(w, expected, 3, 5 * TOL); /* rates up to 4 and several terms */
            }
        }
    }
}

/* rate undoes velocity, and its rotation moves with the velocity it was given */
static void test_rates(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double x[9], rate[9], w[3], back[9], expected[3];
            draw_motion(kind, x, rate);
            for (int s = 0; s < 2; s++) {
                OK(functions[kind][1](sides[s], x, rate, w));
                OK(functions[kind][0](sides[s], x, w, back));
                NEAR(back, rate, lengths[kind], 50 * TOL); /* 1/cos(1.3), 1/sin(0.1), 1/(2π − 5) */
                velocity_of(sides[s], kind, x, back, expected);
                NEAR(expected, w, 3, 50 * TOL);
            }
        }
    }
}

/* a velocity in the body and the same in the world give the same rate */
static void test_sides_agree(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double x[9], rate[9], local[3], global[3], C[9], a[9], b[9];
            draw_motion(kind, x, rate);
            draw_vector(1, local);
            matrix_of(kind, x, C);
            apply(C, local, global);
            OK(functions[kind][0](HML_LOCAL, x, local, a));
            OK(functions[kind][0](HML_GLOBAL, x, global, b));
            NEAR(a, b, lengths[kind], 50 * TOL);
        }
    }
}

/* ---- as matrices ---- */

/* E takes the rates that x can have to the velocity of the complex step, E F = I, and F ω keeps the constraints of x */
static void test_rate_matrices(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            const int n = lengths[kind];
            double x[9], rate[9], E[27], F[27], w[3], expected[3], product[9];
            draw_motion(kind, x, rate);
            for (int s = 0; s < 2; s++) {
                OK(hml_rotation_velocity_matrix((hml_rotation)kind, sides[s], x, E));
                OK(hml_rotation_rate_matrix((hml_rotation)kind, sides[s], x, F));
                velocity_of(sides[s], kind, x, rate, expected);
                for (int r = 0; r < 3; r++) {
                    w[r] = 0;
                    for (int k = 0; k < n; k++) w[r] += E[r * n + k] * rate[k];
                }
                NEAR(w, expected, 3, 5 * TOL);
                for (int r = 0; r < 3; r++) {
                    for (int c = 0; c < 3; c++) {
                        product[3 * r + c] = 0;
                        for (int k = 0; k < n; k++) product[3 * r + c] += E[r * n + k] * F[3 * k + c];
                    }
                }
                NEAR(product, ((double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}), 9, 50 * TOL);
                for (int c = 0; c < 3; c++) { /* x moves by a column of F, and turns about that axis */
                    const double unit[3] = {c == 0, c == 1, c == 2};
                    double column[9], dot = 0;
                    for (int k = 0; k < n; k++) column[k] = F[3 * k + c];
                    velocity_of(sides[s], kind, x, column, expected);
                    NEAR(expected, unit, 3, 50 * TOL);
                    for (int k = 0; k < 4; k++) dot += kind == QUAT || (kind == ANGLE_AXIS && k) ? x[k] * column[k] : 0;
                    assert_true(fabs(dot) < 50 * TOL); /* stays unit */
                }
            }
        }
    }
}

/*
 * Kindr, appendix I: (5), (6) and (7) are right, and so is the remark det E = −cos y. (4) as printed is not: its third
 * entry −sin z would be the third entry of E's last column.
 */
static void test_kindr_appendix_1(void **state)
{
    (void)state;
    for (int i = 0; i < DRAWS; i++) {
        const double e[3] = {draw(-3, 3), draw(-1.3, 1.3), draw(-3, 3)}, z = e[0], y = e[1];
        const double E5[9] = {0, -sin(z), cos(y) * cos(z), 0, cos(z), cos(y) * sin(z), 1, 0, -sin(y)};
        const double E6[9] = {cos(z) * tan(y), tan(y) * sin(z), 1, -sin(z), cos(z), 0,
                              cos(z) / cos(y), sin(z) / cos(y), 0};
        double E[9], F[9], C[9], T[9], local[9], rate[3], w[3];
        OK(hml_rotation_velocity_matrix(HML_ROTATION_EULER_ZYX, HML_GLOBAL, e, E));
        OK(hml_rotation_rate_matrix(HML_ROTATION_EULER_ZYX, HML_GLOBAL, e, F));
        NEAR(E, E5, 9, TOL);
        NEAR(F, E6, 9, 10 * TOL);
        const double det = determinant(E), cosine = -cos(y);
        NEAR(&det, &cosine, 1, TOL);
        matrix_of(ZYX, e, C), transpose(C, T);
        multiply(T, E5, local); /* (7) */
        OK(hml_rotation_velocity_matrix(HML_ROTATION_EULER_ZYX, HML_LOCAL, e, E));
        NEAR(E, local, 9, TOL);
        double printed[9]; /* with (4) as printed the velocity of the complex step is missed */
        memcpy(printed, E5, sizeof printed), printed[8] = -sin(z);
        draw_vector(1, rate), rate[2] = 1;
        velocity_of(HML_GLOBAL, ZYX, e, rate, w);
        double missed = fabs(printed[6] * rate[0] + printed[7] * rate[1] + printed[8] * rate[2] - w[2]);
        const double expected = fabs(sin(z) - sin(y));
        NEAR(&missed, &expected, 1, TOL);
    }
}

/* ---- singularities ---- */

static void test_gimbal_lock_is_said(void **state)
{
    (void)state;
    const double w[3] = {0.1, 0.2, 0.3};
    for (int kind = ZYX; kind <= XYZ; kind++) {
        for (int s = 0; s < 2; s++) {
            for (int k = -3; k <= 3; k += 2) {
                double rate[3], e[3] = {0.3, k * PI / 2, -0.4}, near[3] = {0.3, k * PI / 2 + 1e-9, -0.4};
                assert_int_equal(functions[kind][0](sides[s], e, w, rate), HML_SINGULAR_PARAMETERIZATION);
                assert_int_equal(functions[kind][0](sides[s], near, w, rate), HML_SINGULAR_PARAMETERIZATION);
                OK(functions[kind][1](sides[s], e, w, rate)); /* the other way is always possible */
                e[1] += 1e-5;
                double back[3];
                OK(functions[kind][0](sides[s], e, w, rate));
                OK(functions[kind][1](sides[s], e, rate, back));
                NEAR(back, w, 3, 1e-10); /* the rates are of size 1e5 */
            }
        }
    }
}

static void test_angle_axis_without_an_axis(void **state)
{
    (void)state;
    const double w[3] = {0.1, 0.2, 0.3};
    static const double turns[] = {0, 2 * 0x1.921fb54442d18p+1, -4 * 0x1.921fb54442d18p+1, 1e-320};
    for (int s = 0; s < 2; s++) {
        double rate[4];
        for (int i = 0; i < COUNT(turns); i++) {
            double a[4] = {turns[i], 0, 0.6, 0.8};
            assert_int_equal(hml_angle_axis_rate(sides[s], a, w, rate), HML_SINGULAR_PARAMETERIZATION);
        }
        double a[4] = {1e-100, 0, 0.6, 0.8}, back[3]; /* tiny is not zero: the axis turns fast, and that is right */
        OK(hml_angle_axis_rate(sides[s], a, w, rate));
        OK(hml_angle_axis_velocity(sides[s], a, rate, back));
        NEAR(back, w, 3, 1e-15);
    }
}

static void test_rotation_vector_at_turns(void **state)
{
    (void)state;
    const double w[3] = {0.1, 0.2, 0.3}, full[3] = {2 * PI, 0, 0}, near[3] = {0, 2 * PI + 1e-9, 0}, zero[3] = {0};
    for (int s = 0; s < 2; s++) {
        double rate[3];
        assert_int_equal(hml_rotvec_rate(sides[s], full, w, rate), HML_SINGULAR_PARAMETERIZATION);
        assert_int_equal(hml_rotvec_rate(sides[s], near, w, rate), HML_SINGULAR_PARAMETERIZATION);
        OK(hml_rotvec_rate(sides[s], zero, w, rate));
        NEAR(rate, w, 3, 0);
        OK(hml_rotvec_velocity(sides[s], full, w, rate));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_sides_agree),
        cmocka_unit_test(test_rate_matrices),
        cmocka_unit_test(test_kindr_appendix_1),
        cmocka_unit_test(test_gimbal_lock_is_said),
        cmocka_unit_test(test_angle_axis_without_an_axis),
        cmocka_unit_test(test_rotation_vector_at_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
