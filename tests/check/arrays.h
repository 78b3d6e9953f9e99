/*
 * Draws and plain matrix arithmetic for the tests of the public group functions: everything over double arrays, and
 * nothing from the library.
 */
#ifndef HML_TESTS_ARRAYS_H
#define HML_TESTS_ARRAYS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "hamel/base.h"

enum { DRAWS = 2000 };

#define EPS             0x1p-52
#define ASSERT_OK(call) assert_int_equal(call, HML_OK)

static uint64_t draw_state = 1877;

static inline double draw(double low, double high)
{
    uint64_t z = (draw_state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

static inline void draw_array(double *x, int n, double size)
{
    for (int i = 0; i < n; i++) x[i] = draw(-size, size);
}

static inline void multiply(int n, int m, int k, const double *A, const double *B, double *out) /* n×m times m×k */
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int l = 0; l < m; l++) sum += A[i * m + l] * B[l * k + j];
            out[i * k + j] = sum;
        }
    }
}

static inline void transpose(int n, const double *A, double *out)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) out[j * n + i] = A[i * n + j];
    }
}

static inline void identity(int n, double *A)
{
    for (int i = 0; i < n * n; i++) A[i] = i % (n + 1) == 0;
}

/* exp(A) by halving until the norm is small, Taylor, and squaring back; n <= 6 */
static inline void matrix_exponential(int n, const double *A, double *out)
{
    double B[36], term[36], next[36], most = 0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(A[i]));
    int halvings = most > 0.1 ? 4 + ilogb(most) + 1 : 0;
    for (int i = 0; i < n * n; i++) B[i] = ldexp(A[i], -halvings);
    identity(n, out), identity(n, term);
    for (int k = 1; k < 18; k++) {
        multiply(n, n, n, term, B, next);
        for (int i = 0; i < n * n; i++) term[i] = next[i] / k, out[i] += term[i];
    }
    for (int k = 0; k < halvings; k++) {
        multiply(n, n, n, out, out, next);
        memcpy(out, next, (size_t)(n * n) * sizeof *out);
    }
}

/* a rotation as the product of turns about z, y and x, and a position */
static inline void draw_pose(double H[16])
{
    double a = draw(-3.1, 3.1), b = draw(-1.5, 1.5), c = draw(-3.1, 3.1);
    double Z[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    double Y[9] = {cos(b), 0, sin(b), 0, 1, 0, -sin(b), 0, cos(b)};
    double X[9] = {1, 0, 0, 0, cos(c), -sin(c), 0, sin(c), cos(c)};
    double ZY[9], R[9], p[3];
    multiply(3, 3, 3, Z, Y, ZY);
    multiply(3, 3, 3, ZY, X, R);
    draw_array(p, 3, 2);
    for (int i = 0; i < 3; i++) {
        memcpy(H + 4 * i, R + 3 * i, 3 * sizeof *H);
        H[4 * i + 3] = p[i];
    }
    H[12] = H[13] = H[14] = 0, H[15] = 1;
}

static inline void check_near(const double *a, const double *b, int n, double tolerance, const char *file, int line)
{
    for (int i = 0; i < n; i++) {
        int near = fabs(a[i] - b[i]) <= tolerance;
        if (!near) print_error("entry %d: %.17g and %.17g, allowed %g\n", i, a[i], b[i], tolerance);
        _assert_true((unsigned long)near, "near", file, line);
    }
}

#define CHECK(a, b, n, tolerance) check_near(a, b, n, tolerance, __FILE__, __LINE__)

#endif
