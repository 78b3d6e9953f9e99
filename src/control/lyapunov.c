#include "control/lyapunov.h"

#include "base/dense.h"
#include "base/finite.h"
#include "control/matrix.h"

size_t hmli_lyapunov_room(size_t n) { return 3 * n * n; }

/* between the largest entry and a small part of it, so that one slow mode does not make the transform singular */
double hmli_geometric_shift(size_t n, double *A)
{
    const double most = matrix_largest(n * n, A) * sqrt((double)n);
    double sum = 0;
    if (!(most > 0)) return 1;
    if (dense_eliminate(n, A, 0, 0, A)) return 0x1p-10 * most;
    for (size_t i = 0; i < n; i++) sum += log(fabs(A[i * n + i]));
    return fmin(most, fmax(exp(sum / (double)n), 0x1p-20 * most));
}

/* S = (A − γ)⁻¹ (A + γ), X = 2γ (A − γ)⁻¹ Q (A − γ)⁻ᵀ: the discrete equation with the same solution */
static hml_status cayley(size_t n, const double *A, const double *Q, double *S, double *T, double *X)
{
    matrix_copy(n * n, A, T);
    const double gamma = hmli_geometric_shift(n, T);
    matrix_copy(n * n, A, T);
    matrix_copy(n * n, Q, X);
    for (size_t i = 0; i < n; i++) T[i * n + i] -= gamma;
    if (dense_eliminate(n, T, 0, n, X)) return HML_SINGULAR;
    matrix_transpose(n, n, X, S);
    matrix_copy(n * n, A, T);
    for (size_t i = 0; i < n; i++) T[i * n + i] -= gamma;
    if (dense_eliminate(n, T, 0, n, S)) return HML_SINGULAR;
    for (size_t i = 0; i < n * n; i++) X[i] = 2 * gamma * S[i];
    matrix_copy(n * n, A, T);
    matrix_copy(n * n, A, S);
    for (size_t i = 0; i < n; i++) T[i * n + i] -= gamma, S[i * n + i] += gamma;
    return dense_eliminate(n, T, 0, n, S) ? HML_SINGULAR : HML_OK;
}

hml_status hmli_lyapunov(size_t n, int discrete, const double *A, const double *Q, double *room, double *X)
{
    double *S = room, *T = S + n * n, *U = T + n * n;
    if (discrete) {
        matrix_copy(n * n, A, S);
        matrix_copy(n * n, Q, X);
    } else {
        const hml_status status = cayley(n, A, Q, S, T, X);
        if (status) return status;
    }
    for (int k = 0; k < DOUBLINGS; k++) {
        matrix_multiply(n, n, n, S, X, T);
        matrix_multiply_nt(n, n, n, T, S, U);
        for (size_t i = 0; i < n * n; i++) X[i] += U[i];
        matrix_symmetrize(n, X);
        if (!all_finite(X, n * n)) return HML_NOT_CONVERGED;
        if (matrix_norm(n * n, U) <= 0x1p-54 * matrix_norm(n * n, X)) return HML_OK;
        matrix_multiply(n, n, n, S, S, T);
        matrix_copy(n * n, T, S);
    }
    return HML_NOT_CONVERGED;
}
