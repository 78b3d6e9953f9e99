/*
 * How exact the rotations are: the library's functions over double against 113-bit references that share no code with
 * them. exp: Taylor series of the 3x3 matrix, scaled and squared. Γ: its own Taylor series, and the series' derivative;
 * inverses by Cramer's rule. Parameterizations: products of elementary rotations, Rodrigues' formula, |q|⁻² q r q*.
 *
 *   accuracy_so3          prints the page docs/accuracy/so3.md
 *   accuracy_so3 quick    fewer samples; both fail if a bound does not hold
 *
 * Inputs are taken as exact; a NaN is an infinite error.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "group/spatial.h"
#include "hamel/so3.h"

/* ---- what is measured ---- */

typedef struct {
    const char *what, *measure;
    double bound, worst, angle;
} row;

enum {
    EXP,
    LOG,
    LOG_PI,
    LEFT,
    RIGHT,
    LEFT_INVERSE,
    RIGHT_INVERSE,
    GRADIENT,
    INVERSE_GRADIENT,
    TO_MATRIX,
    TO_QUAT,
    TO_ANGLE_AXIS,
    TO_ROTVEC,
    TO_ZYX,
    TO_XYZ,
    AT_LOCK,
    SMALL,
    PROJECT,
    BATCH_EXP,
    BATCH_LOG,
    BATCH_DEXP,
    BATCH_MATRIX,
    ROWS
};

static row table[ROWS] = {
    [EXP] = {"hml_so3_exp", "norm", 2e-15, 0, 0},
    [LOG] = {"hml_so3_log", "norm", 2e-15, 0, 0},
    [LOG_PI] = {"hml_so3_log, θ > π − 1e-3", "norm", 2e-15, 0, 0},
    [LEFT] = {"hml_so3_dexp_left", "norm", 2e-15, 0, 0},
    [RIGHT] = {"hml_so3_dexp_right", "norm", 2e-15, 0, 0},
    [LEFT_INVERSE] = {"hml_so3_dexp_left_inverse", "norm", 2e-15, 0, 0},
    [RIGHT_INVERSE] = {"hml_so3_dexp_right_inverse", "norm", 2e-15, 0, 0},
    [GRADIENT] = {"hml_so3_dexp_left_gradient", "norm", 4e-15, 0, 0},
    [INVERSE_GRADIENT] = {"hml_so3_dexp_left_inverse_gradient", "norm", 4e-15, 0, 0},
    [TO_MATRIX] = {"five parameterizations to matrix", "angle", 2e-15, 0, 0},
    [TO_QUAT] = {"five parameterizations to quat", "angle", 2e-15, 0, 0},
    [TO_ANGLE_AXIS] = {"five parameterizations to angle_axis", "angle", 2e-15, 0, 0},
    [TO_ROTVEC] = {"five parameterizations to rotvec", "angle", 2e-15, 0, 0},
    [TO_ZYX] = {"five parameterizations to euler_zyx", "angle", 4e-15, 0, 0},
    [TO_XYZ] = {"five parameterizations to euler_xyz", "angle", 4e-15, 0, 0},
    [AT_LOCK] = {"to Euler angles, within 1e-16 … 1e-2 of ±90°", "angle", 4e-15, 0, 0},
    [SMALL] = {"all conversions but from and to matrix", "angle/θ", 4e-15, 0, 0},
    [PROJECT] = {"hml_matrix_project of a rotation plus 1e-3", "norm", 4e-15, 0, 0},
    [BATCH_EXP] = {"hml_so3_exp_batch, all instruction sets", "norm", 2e-15, 0, 0},
    [BATCH_LOG] = {"hml_quat_to_rotvec_batch, all instruction sets", "norm", 2e-15, 0, 0},
    [BATCH_DEXP] = {"hml_so3_dexp_left_batch, all instruction sets", "norm", 2e-15, 0, 0},
    [BATCH_MATRIX] = {"hml_quat_to_matrix_batch, all instruction sets", "norm", 2e-15, 0, 0},
};

static void note(int which, num error, double angle)
{
    double e = (double)error;
    if (isnan(e)) e = HUGE_VAL;
    if (e > table[which].worst) table[which].worst = e, table[which].angle = angle;
}

static void must(hml_status status, int which)
{
    if (status != HML_OK) note(which, K(HUGE_VAL), 0);
}

/* ---- 113-bit linear algebra; the range is that of 15 exponent bits, so squares of 1e-300 are fine ---- */

static mat3 from_array(const double *x)
{
    return mat3_of(vec3_of(K(x[0]), K(x[3]), K(x[6])), vec3_of(K(x[1]), K(x[4]), K(x[7])),
                   vec3_of(K(x[2]), K(x[5]), K(x[8])));
}

static vec3 vec_from_array(const double *x) { return vec3_of(K(x[0]), K(x[1]), K(x[2])); }

static num frobenius(mat3 A) { return num_sqrt(vec3_dot(A.x, A.x) + vec3_dot(A.y, A.y) + vec3_dot(A.z, A.z)); }
static num matrix_error(const double *given, mat3 reference)
{
    return frobenius(mat3_sub(from_array(given), reference)) / frobenius(reference);
}

static num vector_error(const double *given, vec3 reference)
{
    num size = vec3_norm(reference), d = vec3_norm(vec3_sub(vec_from_array(given), reference));
    return num_lt(K(0), size) ? d / size : d;
}

static mat3 inverse(mat3 A)
{
    vec3 x = vec3_cross(A.y, A.z), y = vec3_cross(A.z, A.x), z = vec3_cross(A.x, A.y);
    return mat3_scale(K(1) / vec3_dot(A.x, x), mat3_transpose(mat3_of(x, y, z)));
}

/* ---- references ---- */

/* exp(φ^): Taylor series of φ^/2⁸, squared eight times */
static mat3 reference_exp(vec3 phi)
{
    mat3 A = mat3_hat(vec3_scale(K(0x1p-8), phi)), C = mat3_identity();
    for (int k = 20; k >= 1; k--) C = mat3_add(mat3_identity(), mat3_scale(K(1) / K(k), mat3_mul(A, C)));
    for (int k = 0; k < 8; k++) C = mat3_mul(C, C);
    return C;
}

/* Γ(φ) = Σ (φ^)ⁿ/(n+1)! and its derivative in direction δ, term by term */
static mat3 reference_dexp(vec3 phi, vec3 delta, mat3 *derivative)
{
    mat3 A = mat3_hat(phi), B = mat3_hat(delta), T = mat3_identity(), D = mat3_zero(), sum = T, change = D;
    for (int n = 1; n < 60; n++) {
        num s = K(1) / K(n + 1);
        D = mat3_scale(s, mat3_add(mat3_mul(D, A), mat3_mul(T, B)));
        T = mat3_scale(s, mat3_mul(T, A));
        sum = mat3_add(sum, T), change = mat3_add(change, D);
    }
    if (derivative) *derivative = change;
    return sum;
}

/* columns: derivative of Γ u, or of Γ⁻¹ u, with each entry of φ */
static mat3 reference_gradient(vec3 phi, vec3 u, int of_inverse)
{
    vec3 column[3];
    for (int i = 0; i < 3; i++) {
        mat3 D, G = reference_dexp(phi, vec3_of(K(i == 0), K(i == 1), K(i == 2)), &D), V = inverse(G);
        column[i] = of_inverse ? vec3_neg(mat3_mul_vec(V, mat3_mul_vec(D, mat3_mul_vec(V, u)))) : mat3_mul_vec(D, u);
    }
    return mat3_of(column[0], column[1], column[2]);
}

/* elementary rotation about axis k = 0, 1, 2 */
static mat3 elementary(int k, double angle)
{
    num s, c, z = K(0), i = K(1);
    num_sincos(K(angle), &s, &c);
    if (k == 0) return mat3_of(vec3_of(i, z, z), vec3_of(z, c, s), vec3_of(z, -s, c));
    if (k == 1) return mat3_of(vec3_of(c, z, -s), vec3_of(z, i, z), vec3_of(s, z, c));
    return mat3_of(vec3_of(c, s, z), vec3_of(-s, c, z), vec3_of(z, z, i));
}

/* I + sin θ n^ + (1 − cos θ) n^² with n = axis/|axis| */
static mat3 rodrigues(num angle, vec3 axis)
{
    num s, c, size = vec3_norm(axis);
    if (!num_lt(K(0), size)) return mat3_identity();
    mat3 N = mat3_hat(vec3_scale(K(1) / size, axis));
    num_sincos(K(0.5) * angle, &s, &c);
    return mat3_add(mat3_identity(), mat3_add(mat3_scale(K(2) * s * c, N), mat3_scale(K(2) * s * s, mat3_mul(N, N))));
}

enum { MATRIX, QUAT, ANGLE_AXIS, ROTVEC, ZYX, XYZ, KINDS };

static mat3 rotation_of(int kind, const double *x)
{
    switch (kind) {
    case MATRIX: return from_array(x);
    case QUAT: return rodrigues(K(2) * num_atan2(vec3_norm(vec_from_array(x + 1)), K(x[0])), vec_from_array(x + 1));
    case ANGLE_AXIS: return rodrigues(K(x[0]), vec_from_array(x + 1));
    case ROTVEC: return rodrigues(vec3_norm(vec_from_array(x)), vec_from_array(x));
    case ZYX: return mat3_mul(elementary(2, x[0]), mat3_mul(elementary(1, x[1]), elementary(0, x[2])));
    default: return mat3_mul(elementary(0, x[0]), mat3_mul(elementary(1, x[1]), elementary(2, x[2])));
    }
}

/* ---- samples ---- */

static uint64_t seed = 1;

static double uniform(double low, double high)
{
    uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static const double pi = 0x1.921fb54442d18p+1;

/* every fourth angle from each of: all magnitudes, the ordinary range, the border of the series, close to π */
static double sample_angle(int i)
{
    switch (i % 4) {
    case 0: return pow(10, uniform(-300, 0.49));
    case 1: return uniform(0, pi);
    case 2: return uniform(1.35, 1.45);
    default: return pi - pow(10, uniform(-12, 0));
    }
}

/* random, or one of few entries, or nearly along a coordinate axis */
static void sample_axis(int i, double n[3])
{
    for (int k = 0; k < 3; k++) n[k] = uniform(-1, 1);
    if (i % 7 == 0) n[i % 3] = 0;
    if (i % 11 == 0) n[i % 3] *= 1e-9, n[(i + 1) % 3] *= 1e-14;
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] /= size;
}

/* ---- measurements ---- */

static void measure_group(double angle, const double n[3])
{
    double phi[3] = {angle * n[0], angle * n[1], angle * n[2]}, u[3], C[9], J[9], out[3];
    vec3 v = vec_from_array(phi), e = vec3_of(K(1), K(0), K(0));
    mat3 R = reference_exp(v), G = reference_dexp(v, e, NULL), V = inverse(G);
    for (int k = 0; k < 3; k++) u[k] = uniform(-1, 1);

    must(hml_so3_exp(phi, C), EXP);
    note(EXP, matrix_error(C, R), angle);
    for (int i = 0; i < 9; i++) C[i] = (double)((num *)&R)[3 * (i % 3) + i / 3]; /* the nearest doubles */
    must(hml_so3_log(C, out), LOG);
    note(angle > pi - 1e-3 ? LOG_PI : LOG, vector_error(out, v), angle);

    must(hml_so3_dexp_left(phi, J), LEFT);
    note(LEFT, matrix_error(J, G), angle);
    must(hml_so3_dexp_right(phi, J), RIGHT);
    note(RIGHT, matrix_error(J, mat3_transpose(G)), angle);
    must(hml_so3_dexp_left_inverse(phi, J), LEFT_INVERSE);
    note(LEFT_INVERSE, matrix_error(J, V), angle);
    must(hml_so3_dexp_right_inverse(phi, J), RIGHT_INVERSE);
    note(RIGHT_INVERSE, matrix_error(J, mat3_transpose(V)), angle);
    must(hml_so3_dexp_left_gradient(phi, u, J), GRADIENT);
    note(GRADIENT, matrix_error(J, reference_gradient(v, vec_from_array(u), 0)), angle);
    must(hml_so3_dexp_left_inverse_gradient(phi, u, J), INVERSE_GRADIENT);
    note(INVERSE_GRADIENT, matrix_error(J, reference_gradient(v, vec_from_array(u), 1)), angle);
}

typedef hml_status conversion(const double *, double *);

#define TO(a, b) hml_##a##_to_##b
static conversion *const convert[KINDS][KINDS] = {
    {NULL, TO(matrix, quat), TO(matrix, angle_axis), TO(matrix, rotvec), TO(matrix, euler_zyx), TO(matrix, euler_xyz)},
    {TO(quat, matrix), NULL, TO(quat, angle_axis), TO(quat, rotvec), TO(quat, euler_zyx), TO(quat, euler_xyz)},
    {TO(angle_axis, matrix), TO(angle_axis, quat), NULL, TO(angle_axis, rotvec), TO(angle_axis, euler_zyx),
     TO(angle_axis, euler_xyz)},
    {TO(rotvec, matrix), TO(rotvec, quat), TO(rotvec, angle_axis), NULL, TO(rotvec, euler_zyx), TO(rotvec, euler_xyz)},
    {TO(euler_zyx, matrix), TO(euler_zyx, quat), TO(euler_zyx, angle_axis), TO(euler_zyx, rotvec), NULL,
     TO(euler_zyx, euler_xyz)},
    {TO(euler_xyz, matrix), TO(euler_xyz, quat), TO(euler_xyz, angle_axis), TO(euler_xyz, rotvec),
     TO(euler_xyz, euler_zyx), NULL},
};

/* from x, a parameterization of the given kind, to the five others; the angle between two near rotations is |A − B|/√2
 */
static void measure_conversions(int kind, const double *x, int at_lock)
{
    mat3 A = rotation_of(kind, x);
    num size = frobenius(mat3_sub(A, mat3_identity()));
    double angle = 2 * asin(fmin(1, (double)(size / num_sqrt(K(8)))));
    for (int to = 0; to < KINDS; to++) {
        if (to == kind) continue;
        double y[9];
        int which = at_lock && to >= ZYX ? AT_LOCK : TO_MATRIX + to;
        must(convert[kind][to](x, y), which);
        num error = frobenius(mat3_sub(A, rotation_of(to, y)));
        note(which, error / num_sqrt(K(2)), angle);
        if (kind == MATRIX || to == MATRIX || !num_lt(K(0), size)) continue;
        note(SMALL, error / size, angle);
    }
}

static void measure_all_conversions(int i, double angle, const double n[3])
{
    double phi[3] = {angle * n[0], angle * n[1], angle * n[2]}, q[4], C[9], a[4] = {angle, n[0], n[1], n[2]}, e[3];
    mat3 R = rotation_of(ROTVEC, phi);
    num s, c;
    num_sincos(K(0.5) * K(angle), &s, &c);
    q[0] = (double)c;
    for (int k = 0; k < 3; k++) q[k + 1] = (double)(s * K(n[k]));
    for (int k = 0; k < 9; k++) C[k] = (double)((num *)&R)[3 * (k % 3) + k / 3];
    measure_conversions(MATRIX, C, 0);
    measure_conversions(QUAT, q, 0);
    measure_conversions(ANGLE_AXIS, a, 0);
    measure_conversions(ROTVEC, phi, 0);

    int small = i % 4 == 0;
    for (int k = 0; k < 3; k++) e[k] = small ? pow(10, uniform(-300, 0)) : uniform(-pi, pi);
    measure_conversions(ZYX, e, 0);
    measure_conversions(XYZ, e, 0);

    /* at the lock: as angles, and as the quaternion and the matrix nearest to them */
    double off = i % 3 == 0 ? 0 : pow(10, uniform(-16, -2));
    e[0] = uniform(-pi, pi), e[2] = i % 5 == 0 ? 0 : uniform(-pi, pi), e[1] = (i % 2 ? 1 : -1) * (pi / 2 - off);
    for (int kind = ZYX; kind <= XYZ; kind++) {
        measure_conversions(kind, e, 1);
        R = rotation_of(kind, e);
        for (int k = 0; k < 9; k++) C[k] = (double)((num *)&R)[3 * (k % 3) + k / 3];
        measure_conversions(MATRIX, C, 1);
        must(hml_matrix_to_quat(C, q), TO_QUAT);
        measure_conversions(QUAT, q, 1);
    }
}

/* polar factor by Newton's iteration X ← (X + X⁻ᵀ)/2, which near a rotation converges to the nearest one */
static void measure_projection(double angle, const double n[3])
{
    double A[9], C[9];
    mat3 X = rodrigues(K(angle), vec_from_array(n));
    for (int k = 0; k < 9; k++) A[k] = (double)((num *)&X)[3 * (k % 3) + k / 3] + uniform(-1e-3, 1e-3);
    X = from_array(A);
    for (int k = 0; k < 10; k++) X = mat3_scale(K(0.5), mat3_add(X, mat3_transpose(inverse(X))));
    must(hml_matrix_project(A, C), PROJECT);
    note(PROJECT, matrix_error(C, X), angle);
}

static void measure_batches(int i, double angle, const double n[3])
{
    enum { N = 11 };
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    double phi[N][3], q[N][4], C[N][9], out[N][3];
    for (int j = 0; j < N; j++) {
        double a = angle * (1 - 0.01 * j);
        for (int k = 0; k < 3; k++) phi[j][k] = a * n[(k + j) % 3];
        for (int k = 0; k < 3; k++) q[j][k + 1] = sin(a / 2) * n[(k + j) % 3];
        q[j][0] = (i + j) % 2 ? cos(a / 2) : -cos(a / 2);
    }
    for (int k = 0; k < 4; k++) {
        if (!hml_isa_available(all[k])) continue;
        must(hml_so3_exp_batch(all[k], N, phi[0], C[0]), BATCH_EXP);
        for (int j = 0; j < N; j++) note(BATCH_EXP, matrix_error(C[j], rotation_of(ROTVEC, phi[j])), angle);
        must(hml_so3_dexp_left_batch(all[k], N, phi[0], C[0]), BATCH_DEXP);
        note(BATCH_DEXP, matrix_error(C[i % N], reference_dexp(vec_from_array(phi[i % N]), vec3_zero(), NULL)), angle);
        must(hml_quat_to_matrix_batch(all[k], N, q[0], C[0]), BATCH_MATRIX);
        for (int j = 0; j < N; j++) note(BATCH_MATRIX, matrix_error(C[j], rotation_of(QUAT, q[j])), angle);
        must(hml_quat_to_rotvec_batch(all[k], N, q[0], out[0]), BATCH_LOG);
        for (int j = 0; j < N; j++) {
            num sign = K(q[j][0] < 0 ? -1 : 1);
            vec3 v = vec3_scale(sign, vec_from_array(q[j] + 1));
            num size = vec3_norm(v), f = num_lt(K(0), size) ? K(2) * num_atan2(size, sign * K(q[j][0])) / size : K(2);
            note(BATCH_LOG, vector_error(out[j], vec3_scale(f, v)), angle);
        }
    }
}

/* ---- the page ---- */

static void print_page(int samples)
{
    printf(
        "# How exact the rotations are\n\n"
        "Worst errors of the functions of `hamel/so3.h` against 113-bit references that share no code with them\n"
        "(`tests/accuracy/so3_accuracy.c`), over %d angles between 1e-300 and π − 1e-12, on a logarithmic scale,\n"
        "in the ordinary range, around the border between series and closed form, and close to π; random axes,\n"
        "some of them along or almost along coordinate axes. `ctest` checks the bounds on fewer samples.\n\n"
        "*norm*: Frobenius norm of the error over that of the result. *angle*: the angle in radians between the\n"
        "rotation given and the one that the result describes. *angle/θ*: the same over the angle θ of the rotation.\n"
        "The unit round-off is 1.1e-16.\n\n"
        "| what | measure | worst error | at angle | bound |\n| --- | --- | --- | --- | --- |\n",
        samples);
    for (int i = 0; i < ROWS; i++) {
        const row *r = &table[i];
        printf("| %s | %s | %.1e | %.3g | %.0e |\n", r->what, r->measure, r->worst, r->angle, r->bound);
    }
}

int main(int argc, char **argv)
{
    int quick = argc > 1 && strcmp(argv[1], "quick") == 0, samples = quick ? 400 : 10000, broken = 0;
    for (int i = 0; i < samples; i++) {
        double n[3], angle = sample_angle(i);
        sample_axis(i, n);
        measure_group(angle, n);
        measure_all_conversions(i, angle, n);
        measure_projection(angle, n);
        measure_batches(i, angle, n);
    }
    print_page(samples);
    for (int i = 0; i < ROWS; i++) {
        if (table[i].worst <= table[i].bound) continue;
        fprintf(stderr, "%s: %g exceeds %g\n", table[i].what, table[i].worst, table[i].bound);
        broken = 1;
    }
    return broken;
}
