#include "control/peak.h"

#include <math.h>

#include "control/balance.h"
#include "control/eigenvalues.h"
#include "control/matrix.h"

static const double ABOVE = 1e-7; /* how much larger the bound is than a value that is reached */

void hmli_peaks_lay_out(size_t n, size_t m, layout_cursor *c, peaks *w)
{
    const size_t grid = hmli_response_grid_count(n);
    w->D = layout_doubles(c, m * m);
    w->R = layout_doubles(c, m * m);
    w->RB = layout_doubles(c, m * n);
    w->RDC = layout_doubles(c, m * n);
    w->DC = layout_doubles(c, m * n);
    w->H = layout_doubles(c, 4 * n * n);
    w->room = layout_doubles(c, 4 * n * n);
    w->marks = layout_array(c, 4 * n * n, 1);
    w->d = layout_doubles(c, 2 * n);
    w->values = layout_doubles(c, 4 * n);
    w->omega = layout_doubles(c, grid);
    w->at = layout_array(c, m * m, sizeof *w->at);
    w->copy = layout_array(c, m * m, sizeof *w->copy);
    w->sizes = layout_doubles(c, m);
}

/* ---- values ---- */

static double scale_of(peak_of which, size_t i, size_t j) { return which.scale ? which.scale[j] / which.scale[i] : 1; }

/* whether γ² − GᴴG is positive definite: Cholesky's method, which costs less than singular values */
static int is_below(size_t m, const cplx *G, double gamma, cplx *L)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j <= i; j++) {
            cplx sum = i == j ? gamma * gamma : 0;
            for (size_t k = 0; k < m; k++) sum -= conj(G[k * m + i]) * G[k * m + j];
            for (size_t k = 0; k < j; k++) sum -= L[i * m + k] * conj(L[j * m + k]);
            if (i == j && !(creal(sum) > 0)) return 0;
            L[i * m + j] = i == j ? sqrt(creal(sum)) : sum / L[j * m + j];
        }
    }
    return 1;
}

/* looks at one frequency; *peak is the largest so far */
static void look(response *r, peak_of which, peaks *w, double omega, double *peak, double *where)
{
    const size_t m = r->m;
    hmli_response_at(r, omega, w->at);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            w->at[i * m + j] = (which.sign * w->at[i * m + j] + (i == j ? which.shift : 0)) * scale_of(which, i, j);
    if (*peak > 0 && is_below(m, w->at, *peak, w->copy)) return;
    hmli_singular(m, m, w->at, NULL, w->sizes);
    for (size_t i = 0; i < m; i++)
        if (w->sizes[i] > *peak) *peak = w->sizes[i], *where = omega;
}

/* ---- the Hamiltonian matrix ---- */

/* of γ above all singular values of D: R = γ² − DᵀD; 1 where it is not */
static int fill(response *r, peak_of which, double gamma, peaks *w)
{
    const size_t n = r->n, m = r->m, N = 2 * n;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            w->D[i * m + j] = (which.sign * r->D[i * m + j] + (i == j ? which.shift : 0)) * scale_of(which, i, j);
    matrix_multiply_tn(m, m, m, w->D, w->D, w->R);
    for (size_t i = 0; i < m * m; i++) w->R[i] = (i % (m + 1) == 0 ? gamma * gamma : 0) - w->R[i];
    if (matrix_cholesky(m, w->R)) return 1;
    double *C = w->RDC;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n; k++) {
            const double s = which.scale ? which.scale[i] : 1;
            w->RB[i * n + k] = r->B[k * m + i] * s;
            w->DC[i * n + k] = which.sign * r->C[i * n + k] / s;
        }
    }
    matrix_solve_lower(m, w->R, n, w->RB);
    matrix_solve_upper(m, w->R, n, w->RB); /* R⁻¹Bᵀ */
    matrix_multiply_tn(m, m, n, w->D, w->DC, C);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double a = r->F[i * n + j], g = 0;
            for (size_t k = 0; k < m; k++) {
                a += w->RB[k * n + i] * C[k * n + j];
                g += r->B[i * m + k] * (which.scale ? which.scale[k] : 1) * w->RB[k * n + j];
            }
            w->H[i * N + j] = a, w->H[(n + j) * N + n + i] = -a;
            w->H[i * N + n + j] = g;
        }
    }
    matrix_solve_lower(m, w->R, n, C); /* Cᵀ (1 + D R⁻¹ Dᵀ) C is CᵀC and the square of this */
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double q = 0;
            for (size_t k = 0; k < m; k++) q += w->DC[k * n + i] * w->DC[k * n + j] + C[k * n + i] * C[k * n + j];
            w->H[(n + i) * N + j] = -q;
        }
    }
    return 0;
}

/* frequencies of eigenvalues on the axis or near it, which rounding may have moved; rising, in w->omega */
static hml_status frequencies(response *r, peaks *w, size_t *count)
{
    const size_t N = 2 * r->n;
    hmli_balance(N, w->H, w->marks, w->room, w->d);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) w->H[i * N + j] *= w->d[j] / w->d[i];
    const double norm = matrix_norm(N * N, w->H);
    const hml_status status = hmli_eigenvalues(N, w->H, w->values);
    if (status) return status;
    *count = 0;
    for (size_t i = 0; i < N; i++) {
        const double re = fabs(w->values[2 * i]), im = w->values[2 * i + 1];
        if (im < 0 || re > 0.01 * hypot(re, im) + 1e-9 * norm) continue;
        size_t k = (*count)++;
        for (; k > 0 && w->omega[k - 1] > im; k--) w->omega[k] = w->omega[k - 1];
        w->omega[k] = im;
    }
    return HML_OK;
}

/* the top of a peak that is not lower than its neighbours: golden section over the logarithm of ω */
static void climb(response *r, peak_of which, peaks *w, double low, double high, double *peak, double *where)
{
    const double ratio = 0.6180339887498949;
    double a = log(low), b = log(high), x = b - ratio * (b - a), y = a + ratio * (b - a), fx = 0, fy = 0, at;
    look(r, which, w, exp(x), &fx, &at), look(r, which, w, exp(y), &fy, &at);
    for (int k = 0; k < 40; k++) {
        if (fx > fy) {
            b = y, y = x, fy = fx, x = b - ratio * (b - a), fx = 0;
            look(r, which, w, exp(x), &fx, &at);
        } else {
            a = x, x = y, fx = fy, y = a + ratio * (b - a), fy = 0;
            look(r, which, w, exp(y), &fy, &at);
        }
    }
    if (fx > *peak) *peak = fx, *where = exp(x);
    if (fy > *peak) *peak = fy, *where = exp(y);
}

hml_status hmli_peak_find(response *r, peak_of which, peaks *w, double *bound, double *omega)
{
    enum { ROUNDS = 30 };
    const size_t grid = hmli_response_grid_count(r->n);
    double peak = 0;
    *omega = 0;
    look(r, which, w, HUGE_VAL, &peak, omega);
    look(r, which, w, 0, &peak, omega);
    hmli_response_grid(r, w->omega);
    for (size_t k = 0; k < grid; k++) look(r, which, w, w->omega[k], &peak, omega);
    if (!(peak > 0)) {
        *bound = 0;
        return HML_OK;
    }
    if (*omega > 0 && !isinf(*omega)) climb(r, which, w, *omega / 1.5, *omega * 1.5, &peak, omega);
    for (int round = 0; round < ROUNDS; round++) {
        const double level = peak * (1 + ABOVE);
        size_t count;
        if (fill(r, which, level, w)) return HML_NOT_CONVERGED;
        const hml_status status = frequencies(r, w, &count);
        if (status) return status;
        for (size_t k = 0; k < count; k++) {
            look(r, which, w, w->omega[k], &peak, omega);
            if (k + 1 < count) look(r, which, w, 0.5 * w->omega[k] + 0.5 * w->omega[k + 1], &peak, omega);
        }
        *bound = level;
        if (peak <= level) return HML_OK;
    }
    return HML_NOT_CONVERGED;
}
