#include "hamel/control/lyapunov.h"

#include <stdint.h>

#include "base/finite.h"
#include "control/eigenvalues.h"
#include "control/lyapunov.h"
#include "control/matrix.h"

/* X, the residual, a correction, and the room of the doubling */
size_t hml_lyapunov_scratch_doubles(size_t n)
{
    return n > 0xffff ? SIZE_MAX : 4 * n * n + 2 * n + hmli_lyapunov_room(n);
}

/* not with a mode on the border of stability, which rounding may have put on either side */
static hml_status check_stable(size_t n, int discrete, const double *A, double *T, double *values)
{
    matrix_copy(n * n, A, T);
    const double margin = 0x1p-46 * (discrete ? 1 : matrix_norm(n * n, A));
    const hml_status status = hmli_eigenvalues(n, T, values);
    if (status) return status;
    for (size_t i = 0; i < n; i++) {
        const double re = values[2 * i], im = values[2 * i + 1];
        if (!((discrete ? hypot(re, im) - 1 : re) < -margin)) return HML_NOT_STABILIZABLE;
    }
    return HML_OK;
}

/* what X leaves of the equation, into rest; returns it relative to its terms */
static double residual_of(size_t n, int discrete, const double *A, const double *Q, const double *X, double *T,
                          double *rest)
{
    matrix_multiply(n, n, n, A, X, T);
    double size = matrix_norm(n * n, Q);
    if (discrete) {
        matrix_multiply_nt(n, n, n, T, A, rest);
        size += matrix_norm(n * n, rest) + matrix_norm(n * n, X);
        for (size_t i = 0; i < n * n; i++) rest[i] += Q[i] - X[i];
    } else {
        matrix_transpose(n, n, T, rest);
        size += 2 * matrix_norm(n * n, T);
        for (size_t i = 0; i < n * n; i++) rest[i] += T[i] + Q[i];
    }
    matrix_symmetrize(n, rest);
    return size > 0 ? matrix_norm(n * n, rest) / size : 0;
}

static hml_status solve(size_t n, int discrete, const double *A, const double *Q, double *scratch, double *X,
                        double *residual)
{
    double *best = scratch, *rest = best + n * n, *step = rest + n * n, *T = step + n * n, *values = T + n * n;
    double *room = values + 2 * n, relative;
    hml_status status = check_stable(n, discrete, A, T, values);
    if (!status) status = hmli_lyapunov(n, discrete, A, Q, room, best);
    if (status) return status;
    relative = residual_of(n, discrete, A, Q, best, T, rest);
    for (int k = 0; k < 3 && !hmli_lyapunov(n, discrete, A, rest, room, step); k++) {
        for (size_t i = 0; i < n * n; i++) step[i] += best[i];
        const double after = residual_of(n, discrete, A, Q, step, T, rest);
        if (!(after < relative)) break;
        const int good = after > 0.5 * relative;
        relative = after;
        matrix_copy(n * n, step, best);
        if (good) break;
    }
    if (!all_finite(best, n * n)) return HML_NOT_FINITE;
    matrix_copy(n * n, best, X);
    if (residual) *residual = relative;
    return HML_OK;
}

static hml_status check(size_t n, int discrete, const double *A, const double *Q, double *scratch, double *X,
                        double *residual)
{
    if (!A || !Q || !scratch || !X || n < 1 || n > 0xffff) return HML_INVALID_ARGUMENT;
    if (!all_finite(A, n * n) || !all_finite(Q, n * n)) return HML_NOT_FINITE;
    if (!matrix_is_symmetric(n, Q)) return HML_INVALID_ARGUMENT;
    return solve(n, discrete, A, Q, scratch, X, residual);
}

hml_status hml_lyapunov_solve(size_t n, const double *A, const double *Q, double *scratch, double *X, double *residual)
{
    return check(n, 0, A, Q, scratch, X, residual);
}

hml_status hml_lyapunov_solve_discrete(size_t n, const double *A, const double *Q, double *scratch, double *X,
                                       double *residual)
{
    return check(n, 1, A, Q, scratch, X, residual);
}
