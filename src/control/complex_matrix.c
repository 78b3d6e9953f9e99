#include "control/complex_matrix.h"

#include <float.h>
#include <math.h>

/* ---- rotations [c s; −s̄ c] of two rows, and of two columns from the other side ---- */

typedef struct rotation {
    double c;
    cplx s;
} rotation;

/* the one that maps (a, b) to (·, 0) */
static rotation rotation_of(cplx a, cplx b)
{
    const double x = cabs(a), y = cabs(b), r = hypot(x, y);
    if (!(y > 0)) return (rotation){1, 0};
    if (!(x > 0)) return (rotation){0, conj(b) / y};
    return (rotation){x / r, a / x * conj(b) / r};
}

static void rotate_rows(rotation g, cplx *x, cplx *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cplx a = x[i], b = y[i];
        x[i] = g.c * a + g.s * b;
        y[i] = g.c * b - conj(g.s) * a;
    }
}

/* columns k and k + 1 of the first `rows` rows */
static void rotate_columns(rotation g, size_t n, cplx *M, size_t k, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        cplx *at = M + i * n + k;
        const cplx a = at[0], b = at[1];
        at[0] = g.c * a + conj(g.s) * b;
        at[1] = g.c * b - g.s * a;
    }
}

/* ---- Schur's form ---- */

static void to_hessenberg(size_t n, cplx *T, cplx *Q)
{
    for (size_t k = 0; k + 2 < n; k++) {
        for (size_t i = n - 1; i > k + 1; i--) {
            if (T[i * n + k] == 0) continue;
            const rotation g = rotation_of(T[(i - 1) * n + k], T[i * n + k]);
            rotate_rows(g, T + (i - 1) * n + k, T + i * n + k, n - k);
            rotate_columns(g, n, T, i - 1, n);
            rotate_columns(g, n, Q, i - 1, n);
            T[i * n + k] = 0;
        }
    }
}

/* the eigenvalue of the last two rows and columns up to hi that is nearer to the last entry */
static cplx shift_of(size_t n, const cplx *T, size_t hi)
{
    const cplx a = T[(hi - 1) * n + hi - 1], b = T[(hi - 1) * n + hi], c = T[hi * n + hi - 1], d = T[hi * n + hi];
    const cplx half = (a - d) / 2, root = csqrt(half * half + b * c);
    const cplx far = creal(conj(half) * root) >= 0 ? half + root : half - root;
    return far != 0 ? d - b * c / far : d;
}

static void qr_step(size_t n, cplx *T, cplx *Q, size_t lo, size_t hi, cplx shift)
{
    rotation last = {1, 0};
    for (size_t k = lo; k <= hi; k++) T[k * n + k] -= shift;
    for (size_t k = lo; k < hi; k++) {
        const rotation g = rotation_of(T[k * n + k], T[(k + 1) * n + k]);
        rotate_rows(g, T + k * n + k, T + (k + 1) * n + k, n - k);
        if (k > lo) {
            rotate_columns(last, n, T, k - 1, k + 1);
            rotate_columns(last, n, Q, k - 1, n);
        }
        last = g;
    }
    rotate_columns(last, n, T, hi - 1, hi + 1);
    rotate_columns(last, n, Q, hi - 1, n);
    for (size_t k = lo; k <= hi; k++) T[k * n + k] += shift;
}

/* where the block that ends in hi begins; the entry before it becomes zero. After many steps more is negligible */
static size_t block_begin(size_t n, cplx *T, size_t hi, double norm, int steps)
{
    const double slack = steps > 16 ? ldexp(norm, steps / 4 - 53) : 0;
    for (size_t lo = hi; lo > 0; lo--) {
        cplx *entry = T + lo * n + lo - 1;
        double beside = cabs(T[(lo - 1) * n + lo - 1]) + cabs(T[lo * n + lo]);
        if (!(beside > 0)) beside = norm;
        if (cabs(*entry) > fmax(0x1p-53 * beside, slack)) continue;
        *entry = 0;
        return lo;
    }
    return 0;
}

hml_status hmli_schur(size_t n, cplx *T, cplx *Q)
{
    enum { MOST = 120 };
    double norm = 0;
    for (size_t i = 0; i < n * n; i++) {
        norm = fmax(norm, cabs(T[i]));
        Q[i] = i % (n + 1) == 0;
    }
    to_hessenberg(n, T, Q);
    int steps = 0;
    for (size_t end = n; end > 1;) {
        const size_t hi = end - 1, lo = block_begin(n, T, hi, norm, steps);
        if (lo == hi) {
            end--;
            steps = 0;
            continue;
        }
        if (++steps > MOST) return HML_NOT_CONVERGED;
        cplx shift = shift_of(n, T, hi);
        if (steps % 10 == 0) shift += cabs(T[hi * n + hi - 1]); /* where the usual ones go round in circles */
        qr_step(n, T, Q, lo, hi, shift);
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++) T[i * n + j] = 0;
    return HML_OK;
}

void hmli_schur_exchange(size_t n, cplx *T, cplx *Q, size_t k)
{
    const cplx a = T[k * n + k], b = T[(k + 1) * n + k + 1];
    const rotation g = rotation_of(T[k * n + k + 1], b - a);
    rotate_rows(g, T + k * n + k, T + (k + 1) * n + k, n - k);
    rotate_columns(g, n, T, k, k + 2);
    rotate_columns(g, n, Q, k, n);
    T[k * n + k] = b, T[(k + 1) * n + k + 1] = a;
    T[(k + 1) * n + k] = 0;
}

/* ---- singular values ---- */

/* columns a and b of M: b ← its phase, then both turned by the real angle (c, s) */
static void turn_columns(size_t rows, size_t n, cplx *M, size_t a, size_t b, double c, double s, cplx phase)
{
    for (size_t i = 0; i < rows; i++) {
        cplx *x = M + i * n + a, *y = M + i * n + b;
        const cplx p = *x, q = *y * phase;
        *x = c * p - s * q;
        *y = s * p + c * q;
    }
}

/* makes two columns orthogonal; 0 if they are */
static int orthogonalize(size_t rows, size_t n, cplx *M, cplx *V, size_t a, size_t b, double least)
{
    double p = 0, q = 0;
    cplx r = 0;
    for (size_t i = 0; i < rows; i++) {
        p += cplx_square(M[i * n + a]);
        q += cplx_square(M[i * n + b]);
        r += conj(M[i * n + a]) * M[i * n + b];
    }
    const double size = cabs(r);
    if (!(size > DBL_EPSILON * sqrt(p) * sqrt(q)) || size <= least) return 0;
    const double z = (q - p) / (2 * size), t = (z < 0 ? -1 : 1) / (fabs(z) + hypot(1, z));
    const double c = 1 / hypot(1, t), s = c * t;
    turn_columns(rows, n, M, a, b, c, s, conj(r) / size);
    if (V) turn_columns(n, n, V, a, b, c, s, conj(r) / size);
    return 1;
}

void hmli_singular(size_t rows, size_t n, cplx *M, cplx *V, double *values)
{
    enum { SWEEPS = 40 };
    double all = 0;
    for (size_t i = 0; i < rows * n; i++) all += cplx_square(M[i]);
    for (size_t i = 0; V && i < n * n; i++) V[i] = i % (n + 1) == 0;
    /* what rounding leaves of columns of zeros need not be orthogonal */
    const double least = 0x1p-106 * all;
    for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; sweep++) {
        turned = 0;
        for (size_t a = 0; a + 1 < n; a++)
            for (size_t b = a + 1; b < n; b++) turned += orthogonalize(rows, n, M, V, a, b, least);
    }
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += cplx_square(M[i * n + j]);
        values[j] = sqrt(sum);
    }
}

/* ---- the inverse ---- */

static void exchange_rows(size_t n, cplx *M, size_t a, size_t b)
{
    for (size_t j = 0; j < n && a != b; j++) {
        const cplx t = M[a * n + j];
        M[a * n + j] = M[b * n + j], M[b * n + j] = t;
    }
}

int hmli_inverse(size_t n, cplx *A, cplx *inverse)
{
    for (size_t i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k; i < n; i++)
            if (cabs(A[i * n + k]) > cabs(A[pivot * n + k])) pivot = i;
        if (!(cabs(A[pivot * n + k]) > 0)) return 1;
        exchange_rows(n, A, k, pivot);
        exchange_rows(n, inverse, k, pivot);
        const cplx scale = 1 / A[k * n + k];
        for (size_t j = 0; j < n; j++) A[k * n + j] *= scale, inverse[k * n + j] *= scale;
        for (size_t i = 0; i < n; i++) {
            const cplx f = A[i * n + k];
            if (i == k || f == 0) continue;
            for (size_t j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            for (size_t j = 0; j < n; j++) inverse[i * n + j] -= f * inverse[k * n + j];
        }
    }
    return 0;
}
