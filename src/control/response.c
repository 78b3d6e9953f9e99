#include "control/response.h"

#include <math.h>

#include "base/dense.h"
#include "base/finite.h"
#include "control/balance.h"
#include "control/matrix.h"

void hmli_response_lay_out(size_t n, size_t m, layout_cursor *c, response *r)
{
    r->n = n, r->m = m;
    r->F = layout_doubles(c, n * n);
    r->B = layout_doubles(c, n * m);
    r->C = layout_doubles(c, n * m);
    r->D = layout_doubles(c, m * m);
    r->T = layout_array(c, n * n, sizeof *r->T);
    r->Q = layout_array(c, n * n, sizeof *r->Q);
    r->TB = layout_array(c, n * m, sizeof *r->TB);
    r->TC = layout_array(c, n * m, sizeof *r->TC);
    r->X = layout_array(c, n * m, sizeof *r->X);
    r->TX = layout_doubles(c, n * m);
    r->room = layout_doubles(c, n * n);
    r->room2 = layout_doubles(c, n * n);
    r->d = layout_doubles(c, n);
    r->marks = layout_array(c, n * n, 1);
}

/*
 * C (z − F)⁻¹ B with z = (1 + w)/(1 − w): F_w = (F − 1)(F + 1)⁻¹ and B_w = (F + 1)⁻¹ B give (1 − w) C (w − F_w)⁻¹ B_w, hence
 * C_w = C (1 − F_w) = 2 C (F + 1)⁻¹ and D = −C B_w
 */
static hml_status to_continuous(response *r)
{
    const size_t n = r->n, m = r->m;
    double *plus = r->room, *inverse = r->room2;
    for (size_t i = 0; i < n * n; i++) {
        const double one = i % (n + 1) == 0;
        plus[i] = r->F[i] + one, inverse[i] = one;
    }
    if (dense_eliminate(n, plus, 0, n, inverse)) return HML_NOT_STABILIZABLE; /* a pole at −1 */
    double *lines = r->room; /* F_w = 1 − 2 (F + 1)⁻¹ would lose what a short step changes */
    for (size_t i = 0; i < n; i++) r->F[i * n + i] -= 1;
    matrix_multiply(n, n, n, r->F, inverse, lines);
    matrix_copy(n * n, lines, r->F);
    double *turned = r->TX; /* n × m */
    matrix_multiply(n, n, m, inverse, r->B, turned);
    matrix_copy(n * m, turned, r->B);
    matrix_multiply(m, n, m, r->C, r->B, r->D);
    matrix_multiply(m, n, n, r->C, inverse, turned);
    matrix_copy(n * m, turned, r->C);
    for (size_t i = 0; i < n * m; i++) r->C[i] *= 2;
    for (size_t i = 0; i < m * m; i++) r->D[i] *= -1;
    return HML_OK;
}

static void balance(response *r)
{
    const size_t n = r->n, m = r->m;
    hmli_balance(n, r->F, r->marks, r->room, r->d);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) r->F[i * n + j] *= r->d[j] / r->d[i];
        for (size_t j = 0; j < m; j++) r->B[i * m + j] /= r->d[i], r->C[j * n + i] *= r->d[i];
    }
}

hml_status hmli_response_set(const double *A, const double *B, const double *K, response *r)
{
    const size_t n = r->n, m = r->m;
    matrix_multiply(n, m, n, B, K, r->F);
    for (size_t i = 0; i < n * n; i++) r->F[i] = A[i] - r->F[i];
    matrix_copy(n * m, B, r->B);
    matrix_copy(n * m, K, r->C);
    for (size_t i = 0; i < m * m; i++) r->D[i] = 0;
    if (!all_finite(r->F, n * n)) return HML_NOT_FINITE;
    hml_status status = r->step > 0 ? to_continuous(r) : HML_OK;
    if (status) return status;
    if (!all_finite(r->F, n * n) || !all_finite(r->B, n * m) || !all_finite(r->C, n * m)) return HML_NOT_STABILIZABLE;
    balance(r);
    for (size_t i = 0; i < n * n; i++) r->T[i] = r->F[i];
    status = hmli_schur(n, r->T, r->Q);
    if (status) return status;
    const double margin = 0x1p-46 * matrix_norm(n * n, r->F);
    for (size_t i = 0; i < n; i++)
        if (!(creal(r->T[i * n + i]) < -margin)) return HML_NOT_STABILIZABLE;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            cplx b = 0, c = 0;
            for (size_t k = 0; k < n; k++) {
                b += conj(r->Q[k * n + i]) * r->B[k * m + j];
                c += r->C[j * n + k] * r->Q[k * n + i];
            }
            r->TB[i * m + j] = b, r->TC[j * n + i] = c;
        }
    }
    return HML_OK;
}

void hmli_response_at(response *r, double omega, cplx *out)
{
    const size_t n = r->n, m = r->m;
    for (size_t i = 0; i < m * m; i++) out[i] = r->D[i];
    if (isinf(omega)) return;
    for (size_t i = n; i-- > 0;) {
        cplx *row = r->X + i * m;
        for (size_t j = 0; j < m; j++) row[j] = r->TB[i * m + j];
        for (size_t k = i + 1; k < n; k++) {
            const cplx f = r->T[i * n + k];
            for (size_t j = 0; f != 0 && j < m; j++) row[j] += f * r->X[k * m + j];
        }
        const cplx scale = 1 / (I * omega - r->T[i * n + i]);
        for (size_t j = 0; j < m; j++) row[j] *= scale;
    }
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < m; j++) out[i * m + j] += r->TC[i * n + k] * r->X[k * m + j];
}

cplx hmli_response_entry(response *r, double omega, size_t i)
{
    const size_t n = r->n, m = r->m;
    cplx sum = r->D[i * m + i], *x = r->X;
    for (size_t k = n; k-- > 0;) {
        cplx rest = r->TB[k * m + i];
        for (size_t l = k + 1; l < n; l++) rest += r->T[k * n + l] * x[l];
        x[k] = rest / (I * omega - r->T[k * n + k]);
        sum += r->TC[i * n + k] * x[k];
    }
    return sum;
}

double hmli_response_frequency(const response *r, double omega)
{
    return r->step > 0 ? 2 * atan(omega) / r->step : omega;
}

size_t hmli_response_grid_count(size_t n) { return 2 * n + RESPONSE_GRID; }

void hmli_response_grid(const response *r, double *omega)
{
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < r->n; i++) {
        const cplx z = r->T[i * r->n + i];
        omega[2 * i] = cabs(z), omega[2 * i + 1] = fabs(cimag(z)) > 0 ? fabs(cimag(z)) : cabs(z);
        least = fmin(least, cabs(z)), most = fmax(most, cabs(z));
    }
    const double from = log(least) - log(1e4), to = log(most) + log(1e4);
    for (size_t k = 0; k < RESPONSE_GRID; k++)
        omega[2 * r->n + k] = exp(from + (to - from) * (double)k / (RESPONSE_GRID - 1));
}
