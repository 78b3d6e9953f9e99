/*
 * Zero-order hold: [A_d B_d; 0 I] = exp(h [A B; 0 0]), by scaling and squaring with the diagonal Padé approximant of
 * order 13 (Higham, "The scaling and squaring method for the matrix exponential revisited", 2005):
 *
 *   exp(X) ≈ (V − U)⁻¹ (V + U),  U = X (X⁶(b₁₃X⁶ + b₁₁X⁴ + b₉X²) + b₇X⁶ + b₅X⁴ + b₃X² + b₁),
 *   V = X⁶(b₁₂X⁶ + b₁₀X⁴ + b₈X²) + b₆X⁶ + b₄X⁴ + b₂X² + b₀,  with |X|₁ brought below 5.4 by halving.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/dense.h"
#include "base/overflow.h"
#include "hamel/discrete.h"

static const double b[14] = {64764752532480000,
                             32382376266240000,
                             7771770303897600,
                             1187353796428800,
                             129060195264000,
                             10559470521600,
                             670442572800,
                             33522128640,
                             1323241920,
                             40840800,
                             960960,
                             16380,
                             182,
                             1};

size_t hml_discretize_scratch_doubles(size_t nstates, size_t ninputs)
{
    size_t n = nstates + ninputs;
    if (n < nstates || (n && n > SIZE_MAX / sizeof(double) / 7 / n)) return 0;
    return 7 * n * n;
}

/* C = A B */
static void multiply(size_t n, const double *A, const double *B, double *C)
{
    memset(C, 0, n * n * sizeof *C);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            double a = A[i * n + k];
            for (size_t j = 0; a != 0 && j < n; j++) C[i * n + j] += a * B[k * n + j];
        }
    }
}

/* C = p A + q B + r D + s 1 */
static void combine(size_t n, double p, const double *A, double q, const double *B, double r, const double *D, double s,
                    double *C)
{
    for (size_t i = 0; i < n * n; i++) C[i] = p * A[i] + q * B[i] + r * D[i] + (i % (n + 1) == 0 ? s : 0);
}

static double norm1(size_t n, const double *A)
{
    double worst = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += fabs(A[i * n + j]);
        if (!(sum <= worst)) worst = sum; /* keeps a NaN */
    }
    return worst;
}

hml_status hml_discretize(size_t nstates, size_t ninputs, const double *A, const double *B, double h, double *scratch,
                          double *Ad, double *Bd)
{
    size_t n = nstates + ninputs, nn = n * n;
    if (n < nstates || (n && !hml_discretize_scratch_doubles(nstates, ninputs))) return HML_INVALID_ARGUMENT;
    if (!A || (!B && ninputs) || !scratch || !Ad || (!Bd && ninputs) || !isfinite(h)) return HML_INVALID_ARGUMENT;
    double *X = scratch, *X2 = X + nn, *X4 = X2 + nn, *X6 = X4 + nn, *U = X6 + nn, *V = U + nn, *T = V + nn;
    memset(X, 0, nn * sizeof *X);
    for (size_t i = 0; i < nstates; i++) {
        for (size_t j = 0; j < nstates; j++) X[i * n + j] = h * A[i * nstates + j];
        for (size_t j = 0; j < ninputs; j++) X[i * n + nstates + j] = h * B[i * ninputs + j];
    }
    double size = norm1(n, X);
    if (!isfinite(size)) return HML_NOT_FINITE;
    int halvings = 0;
    for (; size > 5.371920351148152; size /= 2) halvings++;
    for (size_t i = 0; i < nn; i++) X[i] = ldexp(X[i], -halvings);

    multiply(n, X, X, X2);
    multiply(n, X2, X2, X4);
    multiply(n, X2, X4, X6);
    combine(n, b[13], X6, b[11], X4, b[9], X2, 0, T);
    multiply(n, X6, T, V);
    combine(n, b[7], X6, b[5], X4, b[3], X2, b[1], T);
    for (size_t i = 0; i < nn; i++) T[i] += V[i];
    multiply(n, X, T, U);
    combine(n, b[12], X6, b[10], X4, b[8], X2, 0, T);
    multiply(n, X6, T, V);
    combine(n, b[6], X6, b[4], X4, b[2], X2, b[0], T);
    for (size_t i = 0; i < nn; i++) {
        V[i] += T[i];
        T[i] = V[i] - U[i];
        V[i] += U[i];
    }
    hml_status status = dense_eliminate(n, T, 0, n, V) ? HML_SINGULAR : HML_OK;
    if (status) return status;
    for (int k = 0; k < halvings; k++) {
        multiply(n, V, V, T);
        memcpy(V, T, nn * sizeof *V);
    }
    for (size_t i = 0; i < nstates; i++) {
        memcpy(Ad + i * nstates, V + i * n, nstates * sizeof *Ad);
        if (ninputs) memcpy(Bd + i * ninputs, V + i * n + nstates, ninputs * sizeof *Bd);
    }
    return FINITE_STATUS({Ad, nstates * nstates}, {Bd, nstates * ninputs});
}
