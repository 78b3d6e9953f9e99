/*
 * The Boltzmann-Hamel equations for any velocity variables v = S(q) q̇ (From, sections 2.2 and 3).
 *
 *   A_j   n×n, skew: (A_j)_lm = ∂S_jl/∂q_m − ∂S_jm/∂q_l, what is left of S where the order of differentiation matters
 *   γ_k   (γ_k)_ij = (S⁻ᵀ A_j S⁻¹)_ik                                                                  From (46)
 *   C     S⁻ᵀ (Σ_j p_j A_j) S⁻¹ with p = M v                                                           From (54)
 *   τ     M v̇ + S⁻ᵀ ( (Σ_j p_j A_j) q̇ + ∂U/∂q ) with q̇ = S⁻¹ v                                        From (26), (38)
 *
 * From's (49) and (50) print ∂S_sj/∂φ_l as the second derivative; it is ∂S_sm/∂φ_l, as (54) has it.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "hamel/subgroup.h"

/* inverse of A (n×n, destroyed) by Gauss-Jordan elimination with row pivots; 0 if a pivot is lost in round-off */
static int invert(size_t n, double *A, double *inverse)
{
    double scale = 0;
    for (size_t i = 0; i < n * n; i++) scale = fmax(scale, fabs(A[i]));
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t i = 0; i < n; i++) inverse[i * n + i] = 1;

    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        for (size_t r = c + 1; r < n; r++) {
            if (fabs(A[r * n + c]) > fabs(A[pivot * n + c])) pivot = r;
        }
        if (!(fabs(A[pivot * n + c]) > (double)n * DBL_EPSILON * scale)) return 0;
        double factor = 1 / A[pivot * n + c];
        for (size_t j = 0; j < n; j++) {
            double a = A[pivot * n + j], b = inverse[pivot * n + j];
            A[pivot * n + j] = A[c * n + j];
            inverse[pivot * n + j] = inverse[c * n + j];
            A[c * n + j] = factor * a;
            inverse[c * n + j] = factor * b;
        }
        for (size_t r = 0; r < n; r++) {
            double multiple = A[r * n + c];
            if (r == c) continue;
            for (size_t j = 0; j < n; j++) {
                A[r * n + j] -= multiple * A[c * n + j];
                inverse[r * n + j] -= multiple * inverse[c * n + j];
            }
        }
    }
    return 1;
}

/* checks the arguments, then scratch = [S⁻¹ | the rest] */
static hml_status begin(int32_t n, const double *S, const double *dS, double *scratch)
{
    if (n < 1 || !S || !dS || !scratch) return HML_INVALID_ARGUMENT;
    size_t N = (size_t)n;
    if (!all_finite(S, N * N) || !all_finite(dS, N * N * N)) return HML_NOT_FINITE;
    memcpy(scratch + N * N, S, N * N * sizeof *S);
    return invert(N, scratch + N * N, scratch) ? HML_OK : HML_SINGULAR_PARAMETERIZATION;
}

/* (A_j)_lm */
static double rotation_of(size_t n, const double *dS, size_t j, size_t l, size_t m)
{
    return dS[(j * n + l) * n + m] - dS[(j * n + m) * n + l];
}

size_t hml_boltzmann_hamel_scratch_doubles(int32_t n) { return n < 1 ? 0 : (2 * (size_t)n + 3) * (size_t)n; }

hml_status hml_boltzmann_hamel_gamma(int32_t n, const double S[], const double dS[], double scratch[], double gamma[])
{
    if (!gamma) return HML_INVALID_ARGUMENT;
    hml_status status = begin(n, S, dS, scratch);
    if (status) return status;
    size_t N = (size_t)n;
    const double *inverse = scratch;
    double *B = scratch + N * N;

    for (size_t j = 0; j < N; j++) {
        for (size_t l = 0; l < N; l++) { /* B = A_j S⁻¹ */
            for (size_t k = 0; k < N; k++) {
                double sum = 0;
                for (size_t m = 0; m < N; m++) sum += rotation_of(N, dS, j, l, m) * inverse[m * N + k];
                B[l * N + k] = sum;
            }
        }
        for (size_t k = 0; k < N; k++) { /* (γ_k)_ij = (S⁻ᵀ B)_ik */
            for (size_t i = 0; i < N; i++) {
                double sum = 0;
                for (size_t l = 0; l < N; l++) sum += inverse[l * N + i] * B[l * N + k];
                gamma[(k * N + i) * N + j] = sum;
            }
        }
    }
    return HML_OK;
}

hml_status hml_boltzmann_hamel_coriolis(int32_t n, const double S[], const double dS[], const double momentum[],
                                        double scratch[], double C[])
{
    if (!momentum || !C) return HML_INVALID_ARGUMENT;
    hml_status status = begin(n, S, dS, scratch);
    if (status) return status;
    size_t N = (size_t)n;
    if (!all_finite(momentum, N)) return HML_NOT_FINITE;
    const double *inverse = scratch;
    double *B = scratch + N * N;

    for (size_t l = 0; l < N; l++) { /* C = Σ_j p_j A_j */
        for (size_t m = 0; m < N; m++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++) sum += momentum[j] * rotation_of(N, dS, j, l, m);
            C[l * N + m] = sum;
        }
    }
    for (size_t l = 0; l < N; l++) { /* B = C S⁻¹ */
        for (size_t k = 0; k < N; k++) {
            double sum = 0;
            for (size_t m = 0; m < N; m++) sum += C[l * N + m] * inverse[m * N + k];
            B[l * N + k] = sum;
        }
    }
    for (size_t i = 0; i < N; i++) { /* C = S⁻ᵀ B */
        for (size_t k = 0; k < N; k++) {
            double sum = 0;
            for (size_t l = 0; l < N; l++) sum += inverse[l * N + i] * B[l * N + k];
            C[i * N + k] = sum;
        }
    }
    return HML_OK;
}

/* ---- with a potential ---- */

/* y = Aᵀ x + b; b may be y */
static void transposed_add(size_t n, const double *A, const double *x, const double *b, double *y)
{
    for (size_t i = 0; i < n; i++) {
        double sum = b ? b[i] : 0;
        for (size_t l = 0; l < n; l++) sum += A[l * n + i] * x[l];
        y[i] = sum;
    }
}

static void multiply(size_t n, const double *A, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
    }
}

hml_status hml_boltzmann_hamel_potential(int32_t n, const double S[], const double dU[], double scratch[],
                                         double force[])
{
    if (n < 1 || !S || !dU || !scratch || !force) return HML_INVALID_ARGUMENT;
    size_t N = (size_t)n;
    if (!all_finite(S, N * N) || !all_finite(dU, N)) return HML_NOT_FINITE;
    memcpy(scratch + N * N, S, N * N * sizeof *S);
    if (!invert(N, scratch + N * N, scratch)) return HML_SINGULAR_PARAMETERIZATION;
    transposed_add(N, scratch, dU, NULL, force);
    return HML_OK;
}

/* bias = C v + S⁻ᵀ ∂U/∂q, without the matrix C */
static hml_status bias_of(int32_t n, const double *S, const double *dS, const double *M, const double *v,
                          const double *dU, double *scratch, double *bias)
{
    if (!M || !v) return HML_INVALID_ARGUMENT;
    hml_status status = begin(n, S, dS, scratch);
    if (status) return status;
    size_t N = (size_t)n;
    if (!all_finite(M, N * N) || !all_finite(v, N) || (dU && !all_finite(dU, N))) return HML_NOT_FINITE;
    double *p = scratch + 2 * N * N, *qdot = p + N, *y = qdot + N;
    multiply(N, M, v, p);
    multiply(N, scratch, v, qdot);
    for (size_t l = 0; l < N; l++) { /* y = (Σ_j p_j A_j) q̇ + ∂U/∂q */
        y[l] = dU ? dU[l] : 0;
        for (size_t m = 0; m < N; m++) {
            for (size_t j = 0; j < N; j++) y[l] += p[j] * rotation_of(N, dS, j, l, m) * qdot[m];
        }
    }
    transposed_add(N, scratch, y, NULL, bias);
    return HML_OK;
}

hml_status hml_boltzmann_hamel_inverse_dynamics(int32_t n, const double S[], const double dS[], const double M[],
                                                const double v[], const double vdot[], const double dU[],
                                                double scratch[], double tau[])
{
    if (!vdot || !tau) return HML_INVALID_ARGUMENT;
    if (n >= 1 && !all_finite(vdot, (size_t)n)) return HML_NOT_FINITE;
    hml_status status = bias_of(n, S, dS, M, v, dU, scratch, tau);
    if (status) return status;
    size_t N = (size_t)n;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) tau[i] += M[i * N + j] * vdot[j];
    }
    return HML_OK;
}

hml_status hml_boltzmann_hamel_forward_dynamics(int32_t n, const double S[], const double dS[], const double M[],
                                                const double v[], const double tau[], const double dU[],
                                                double scratch[], double vdot[])
{
    if (!tau || !vdot) return HML_INVALID_ARGUMENT;
    if (n >= 1 && !all_finite(tau, (size_t)n)) return HML_NOT_FINITE;
    hml_status status = bias_of(n, S, dS, M, v, dU, scratch, vdot);
    if (status) return status;
    size_t N = (size_t)n;
    double *rest = scratch + 2 * N * N;
    for (size_t i = 0; i < N; i++) rest[i] = tau[i] - vdot[i];
    memcpy(scratch + N * N, M, N * N * sizeof *M);
    if (!invert(N, scratch + N * N, scratch)) return HML_SINGULAR;
    multiply(N, scratch, rest, vdot);
    return HML_OK;
}
