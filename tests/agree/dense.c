/* Plain linear algebra and differences: nothing here is shared with the library. See agree.h. */
#include "agree.h"

void dense_multiply(size_t n, size_t m, size_t k, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++) C[i * k + j] = 0;
        for (size_t l = 0; l < m; l++)
            for (size_t j = 0; j < k; j++) C[i * k + j] += A[i * m + l] * B[l * k + j];
    }
}

void dense_apply(size_t n, size_t m, const double *A, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t l = 0; l < m; l++) y[i] += A[i * m + l] * x[l];
    }
}

void dense_apply_transposed(size_t n, size_t m, const double *A, const double *y, double *x)
{
    for (size_t l = 0; l < m; l++) x[l] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < m; l++) x[l] += A[i * m + l] * y[i];
}

/* Cholesky of M scaled to a unit diagonal, then column after column of the inverse */
int dense_invert_spd(size_t n, const double *M, double *inverse)
{
    double *L = calloc(n * n + n + 1, sizeof *L), *s = L + n * n;
    int good = L != NULL;
    for (size_t i = 0; good && i < n; i++) good = M[i * n + i] > 0, s[i] = sqrt(M[i * n + i]);
    for (size_t j = 0; good && j < n; j++) {
        for (size_t i = j; good && i < n; i++) {
            double sum = M[i * n + j] / (s[i] * s[j]);
            for (size_t k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            if (i == j)
                good = sum > 0, L[i * n + i] = sqrt(sum);
            else
                L[i * n + j] = sum / L[j * n + j];
        }
    }
    for (size_t c = 0; good && c < n; c++) {
        double *x = inverse + c * n; /* symmetric: rows are columns */
        for (size_t i = 0; i < n; i++) {
            x[i] = i == c ? 1 : 0;
            for (size_t k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
            x[i] /= L[i * n + i];
        }
        for (size_t i = n; i-- > 0;) {
            for (size_t k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
            x[i] /= L[i * n + i];
        }
        for (size_t i = 0; i < n; i++) x[i] /= s[i] * s[c];
    }
    free(L);
    return good;
}

int dense_solve(size_t n, double *A, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        if (!(fabs(A[best * n + k]) > 0)) return 0;
        for (size_t j = 0; j < n && best != k; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[best * n + j], A[best * n + j] = t;
        }
        double t = b[k];
        b[k] = b[best], b[best] = t;
        for (size_t i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return 1;
}

double dense_norm(size_t n, size_t m, const double *A)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++) sum += fabs(A[i * m + j]);
        if (!(sum <= most)) most = sum;
    }
    return most;
}

double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

void draw_direction(hml_rng *rng, size_t n, double *z)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) z[i] = hml_rng_normal(rng), sum += z[i] * z[i];
    for (size_t i = 0; i < n; i++) z[i] /= sqrt(sum) + 1e-300;
}

static int difference_with(agree *g, curve *f, void *context, double h, size_t n, double *out)
{
    static const double at[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    double *each = room(g, n);
    for (size_t i = 0; i < n; i++) out[i] = 0;
    for (int k = 0; k < 4; k++) {
        if (!f(context, at[k] * h, each)) return 0;
        for (size_t i = 0; i < n; i++) out[i] += weights[k] * each[i] / (12 * h);
    }
    return 1;
}

/*
 * A long step bends, a short one rounds. Which one to trust is seen from the differences alone: two that follow each
 * other and agree best. Light bodies under forces of other robots' size need the short ones.
 */
int difference(agree *g, curve *f, void *context, double h, size_t n, double *out)
{
    enum { STEPS = 6 };
    double *last = room(g, n), *next = room(g, n), *doubt = room(g, n), best = INFINITY;
    h *= 4; /* where much is rounded the longer step is the better one */
    if (!difference_with(g, f, context, h, n, last)) return 0;
    for (size_t i = 0; i < n; i++) doubt[i] = 0;
    g->difference = out, g->doubt = doubt, g->doubts = n;
    memcpy(out, last, n * sizeof *out);
    for (int k = 1; k < STEPS; k++) {
        double off = 0, size = largest(n, last);
        if (!difference_with(g, f, context, h / (1 << 2 * k), n, next)) return 0;
        for (size_t i = 0; i < n; i++) off = fmax(off, fabs(next[i] - last[i]));
        if (off < best) {
            best = off;
            memcpy(out, k == 1 ? last : next, n * sizeof *out);
            for (size_t i = 0; i < n; i++) doubt[i] = fabs(next[i] - last[i]);
        }
        if (!(off > 1e-8 * size)) break; /* good enough, or nothing that can be mended */
        memcpy(last, next, n * sizeof *last);
    }
    return 1;
}
