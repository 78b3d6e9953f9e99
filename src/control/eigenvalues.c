#include "control/eigenvalues.h"

#include "control/reflector.h"

/* A ← Hessenberg form by similarity; the zeros below are set */
static void to_hessenberg(size_t n, double *A)
{
    for (size_t k = 0; k + 2 < n; k++) {
        const size_t rows = n - k - 1;
        double below = 0;
        for (size_t i = k + 2; i < n; i++) below = fmax(below, fabs(A[i * n + k]));
        if (!(below > 0)) continue;
        /* the reflector is kept in the column that it empties while it is applied */
        double beta, *v = A + (k + 1) * n + k;
        const double head = reflector_make(rows, v, n, &beta);
        reflector_rows(rows, v, n, beta, n - k - 1, A + (k + 1) * n + k + 1, n);
        reflector_columns(rows, v, n, beta, n, A + k + 1, n);
        v[0] = head;
        for (size_t i = 1; i < rows; i++) v[i * n] = 0;
    }
}

/* eigenvalues of [a b; c d] */
static void two_by_two(double a, double b, double c, double d, double *values)
{
    const double p = 0.5 * (a - d), scale = fmax(fabs(p), fmax(fabs(b), fabs(c)));
    const double q = scale > 0 ? p / scale * p + b / scale * c : 0; /* discriminant / scale */
    if (q >= 0) {
        const double root = sqrt(q) * sqrt(scale), z = p + (p < 0 ? -root : root);
        values[0] = d + z;
        values[2] = z != 0 ? d - b / z * c : values[0];
        values[1] = values[3] = 0;
    } else {
        values[0] = values[2] = d + p;
        values[1] = sqrt(-q) * sqrt(scale);
        values[3] = -values[1];
    }
}

/*
 * One double-shift step on rows and columns lo … hi, at least three. The shifts are the eigenvalues of [x b; c y] with
 * b·c = product. All that enters is a difference from the first diagonal entry: eigenvalues that are nearly equal are
 * told apart by small differences, and sums and products of shifts would have lost them.
 */
static void francis_step(size_t n, double *H, size_t lo, size_t hi, double x, double y, double product)
{
    const double *top = H + lo * n + lo, scale = fabs(top[n]);
    x -= top[0], y -= top[0];
    double v[3] = {(x / scale) * y - product / scale + top[1] * (top[n] / scale),
                   (top[n] / scale) * (top[n + 1] - top[0] - x - y), (top[n] / scale) * top[2 * n + 1]};
    for (size_t k = lo; k < hi; k++) {
        const size_t size = k + 2 <= hi ? 3 : 2, left = k > lo ? k - 1 : lo;
        const size_t last = k + 3 <= hi ? k + 3 : hi;
        double beta;
        (void)reflector_make(size, v, 1, &beta);
        reflector_rows(size, v, 1, beta, hi - left + 1, H + k * n + left, n);
        reflector_columns(size, v, 1, beta, last - lo + 1, H + lo * n + k, n);
        v[0] = H[(k + 1) * n + k];
        v[1] = k + 2 <= hi ? H[(k + 2) * n + k] : 0;
        v[2] = k + 3 <= hi ? H[(k + 3) * n + k] : 0;
    }
    for (size_t i = lo + 2; i <= hi; i++)
        for (size_t j = lo; j + 1 < i; j++) H[i * n + j] = 0;
}

/*
 * Where the block that ends in hi begins: behind the last negligible entry below the diagonal, which becomes zero.
 * Defective eigenvalues whose neighbours are as small as themselves converge down to rounding errors of the large entries
 * and then go round in circles: after many steps what is small against the norm is negligible.
 */
static size_t block_begin(size_t n, double *H, size_t hi, double norm, int steps)
{
    const double slack = steps > 16 ? ldexp(norm, steps / 4 - 53) : 0;
    size_t lo = hi;
    for (; lo > 0; lo--) {
        double *entry = H + lo * n + lo - 1;
        double beside = fabs(H[(lo - 1) * n + lo - 1]) + fabs(H[lo * n + lo]);
        if (beside == 0) beside = norm;
        if (fabs(*entry) > fmax(0x1p-53 * beside, slack)) continue;
        *entry = 0;
        break;
    }
    return lo;
}

hml_status hmli_eigenvalues(size_t n, double *A, double *values)
{
    enum { MOST = 60 };
    to_hessenberg(n, A);
    double norm = 0;
    for (size_t i = 0; i < n * n; i++) norm = fmax(norm, fabs(A[i]));
    if (!(norm <= 0x1p1000)) return HML_NOT_FINITE;
    int steps = 0;
    for (size_t end = n; end > 0;) {
        const size_t hi = end - 1, lo = block_begin(n, A, hi, norm, steps);
        const double *d = A + hi * n + hi;
        if (lo == hi) {
            values[2 * hi] = d[0], values[2 * hi + 1] = 0;
            end--, steps = 0;
        } else if (lo + 1 == hi) {
            two_by_two(d[-(ptrdiff_t)n - 1], d[-(ptrdiff_t)n], d[-1], d[0], values + 2 * lo);
            end -= 2, steps = 0;
        } else {
            if (++steps > MOST) return HML_NOT_CONVERGED;
            double x = d[-(ptrdiff_t)n - 1], y = d[0], product = d[-(ptrdiff_t)n] * d[-1];
            if (steps % 10 == 0) { /* a shift by chance, where the usual ones go round in circles */
                const double w = fabs(d[-1]) + fabs(d[-(ptrdiff_t)n - 2]);
                x = y = d[0] + 0.75 * w, product = -0.4375 * w * w;
            }
            francis_step(n, A, lo, hi, x, y, product);
        }
    }
    return HML_OK;
}
