/*
 * Draws, comparisons and plain formulas for the tests of rotations. The formulas are the definitions, written without
 * the library: products of elementary rotations, Rodrigues' formula, the sandwich q r q*.
 */
#ifndef HAMEL_TESTS_ROTATION_CHECK_H
#define HAMEL_TESTS_ROTATION_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/so3.h"

static const double PI = 0x1.921fb54442d18p+1;

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define OK(call) assert_int_equal(call, HML_OK)

/* ---- draws ---- */

static uint64_t draw_state = 1843;

static inline double draw(double low, double high)
{
    uint64_t z = (draw_state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static inline void draw_vector(double size, double v[3])
{
    for (int k = 0; k < 3; k++) v[k] = draw(-size, size);
}

static inline void draw_unit(int n, double *v)
{
    double size = 0;
    for (int k = 0; k < n; k++) v[k] = draw(-1, 1), size += v[k] * v[k];
    for (int k = 0; k < n; k++) v[k] /= sqrt(size);
}

/* ---- comparisons ---- */

static inline void near_at(const double *a, const double *b, int n, double tolerance, const char *file, int line)
{
    for (int i = 0; i < n; i++) {
        double e = fabs(a[i] - b[i]);
        if (!(e <= tolerance)) print_error("entry %d: %.17g and %.17g, off by %g\n", i, a[i], b[i], e);
        _assert_true(e <= tolerance, "near", file, line);
    }
}
#define NEAR(a, b, n, tolerance) near_at(a, b, n, tolerance, __FILE__, __LINE__)

/* ---- 3x3 matrices, row-major ---- */

static inline void multiply(const double *A, const double *B, double *C)
{
    double out[9];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c];
    }
    memcpy(C, out, sizeof out);
}

static inline void transpose(const double *A, double *T)
{
    const double out[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
    memcpy(T, out, sizeof out);
}

static inline void apply(const double *A, const double *v, double *out)
{
    double x[3] = {v[0], v[1], v[2]};
    for (int r = 0; r < 3; r++) out[r] = A[3 * r] * x[0] + A[3 * r + 1] * x[1] + A[3 * r + 2] * x[2];
}

static inline double determinant(const double *A)
{
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
}

/* elementary rotation about axis k */
static inline void elementary(int k, double angle, double *C)
{
    double s = sin(angle), c = cos(angle);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    memset(C, 0, 9 * sizeof *C);
    C[4 * k] = 1, C[4 * i] = c, C[4 * j] = c, C[3 * i + j] = -s, C[3 * j + i] = s;
}

/* ---- the six parameterizations ---- */

enum { MATRIX, QUAT, ANGLE_AXIS, ROTVEC, ZYX, XYZ, KINDS };
static const int lengths[KINDS] = {9, 4, 4, 3, 3, 3};

static inline void rodrigues(double angle, const double *n, double *C)
{
    double s = sin(angle), v = 2 * sin(angle / 2) * sin(angle / 2), x = n[0], y = n[1], z = n[2];
    const double out[9] = {1 - v * (y * y + z * z), v * x * y - s * z,       v * x * z + s * y,
                           v * x * y + s * z,       1 - v * (x * x + z * z), v * y * z - s * x,
                           v * x * z - s * y,       v * y * z + s * x,       1 - v * (x * x + y * y)};
    memcpy(C, out, sizeof out);
}

static inline void euler_matrix(const int axes[3], const double *e, double *C)
{
    double A[9];
    elementary(axes[0], e[0], C);
    for (int k = 1; k < 3; k++) elementary(axes[k], e[k], A), multiply(C, A, C);
}

/* the rotation matrix that numbers of a kind describe */
static inline void matrix_of(int kind, const double *x, double *C)
{
    static const int zyx[3] = {2, 1, 0}, xyz[3] = {0, 1, 2};
    double n[3], size;
    switch (kind) {
    case MATRIX: memmove(C, x, 9 * sizeof *C); return;
    case QUAT: /* columns: q e_k q* */
        for (int k = 0; k < 3; k++) {
            double w = x[0], a = x[1], b = x[2], c = x[3];
            double p[4] = {-x[1 + k],
                           k == 0   ? w
                           : k == 1 ? -c
                                    : b,
                           k == 0   ? c
                           : k == 1 ? w
                                    : -a,
                           k == 0   ? -b
                           : k == 1 ? a
                                    : w}; /* q e_k */
            C[k] = -p[0] * a + p[1] * w - p[2] * c + p[3] * b;
            C[3 + k] = -p[0] * b + p[2] * w - p[3] * a + p[1] * c;
            C[6 + k] = -p[0] * c + p[3] * w - p[1] * b + p[2] * a;
        }
        return;
    case ANGLE_AXIS: rodrigues(x[0], x + 1, C); return;
    case ROTVEC:
        size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int k = 0; k < 3; k++) n[k] = size > 0 ? x[k] / size : k == 0;
        rodrigues(size, n, C);
        return;
    case ZYX: euler_matrix(zyx, x, C); return;
    default: euler_matrix(xyz, x, C); return;
    }
}

/* any rotation in numbers of a kind; angles beyond the unique ranges too */
static inline void draw_kind(int kind, double *x)
{
    double q[4];
    switch (kind) {
    case MATRIX:
        draw_unit(4, q);
        matrix_of(QUAT, q, x);
        return;
    case QUAT: draw_unit(4, x); return;
    case ANGLE_AXIS: x[0] = draw(-7, 7), draw_unit(3, x + 1); return;
    case ROTVEC: draw_vector(4, x); return;
    default: draw_vector(4, x); return;
    }
}

/* ---- every conversion, and the unique forms on the diagonal ---- */

typedef hml_status conversion(const double *, double *);

#define TO(a, b)  hml_##a##_to_##b
#define UNIQUE(a) hml_##a##_unique

static conversion *const convert[KINDS][KINDS] = {
    {NULL, TO(matrix, quat), TO(matrix, angle_axis), TO(matrix, rotvec), TO(matrix, euler_zyx), TO(matrix, euler_xyz)},
    {TO(quat, matrix), UNIQUE(quat), TO(quat, angle_axis), TO(quat, rotvec), TO(quat, euler_zyx), TO(quat, euler_xyz)},
    {TO(angle_axis, matrix), TO(angle_axis, quat), UNIQUE(angle_axis), TO(angle_axis, rotvec),
     TO(angle_axis, euler_zyx), TO(angle_axis, euler_xyz)},
    {TO(rotvec, matrix), TO(rotvec, quat), TO(rotvec, angle_axis), UNIQUE(rotvec), TO(rotvec, euler_zyx),
     TO(rotvec, euler_xyz)},
    {TO(euler_zyx, matrix), TO(euler_zyx, quat), TO(euler_zyx, angle_axis), TO(euler_zyx, rotvec), UNIQUE(euler_zyx),
     TO(euler_zyx, euler_xyz)},
    {TO(euler_xyz, matrix), TO(euler_xyz, quat), TO(euler_xyz, angle_axis), TO(euler_xyz, rotvec),
     TO(euler_xyz, euler_zyx), UNIQUE(euler_xyz)},
};

#endif
