/*
 * Other generalized velocities by any matrix: Kindr, "Transformation of equations of motion".
 *
 *   ū = B(q) u        ū̇ = B u̇ + Ḃ u        δū = B δu
 *
 * Jourdain's principle, δūᵀ (M̄ ū̇ + h̄ − τ̄) = 0 for all δū = B δu, gives
 *
 *   M = Bᵀ M̄ B        h = Bᵀ (h̄ + M̄ Ḃ u)        τ = Bᵀ τ̄
 *
 * Deviation: Kindr has h on the right-hand side and prints h = Bᵀ h̄ − Bᵀ M̄ Ḃ u, and no M; here h is on the left.
 */
#include <string.h>

#include "base/overflow.h"
#include "group/arrays.h"
#include "hamel/representation.h"

/* the sizes, and that an array of rows × columns is there and finite */
static hml_status read_matrix(const double *x, size_t rows, size_t columns)
{
    for (size_t r = 0; r < rows; r++) TRY(read_check(x ? x + r * columns : NULL, (int)columns));
    return HML_OK;
}

static hml_status read_substitution(int32_t m, int32_t n, const double *B, const double *Bdot)
{
    if (m <= 0 || n <= 0 || !B) return HML_INVALID_ARGUMENT;
    TRY(read_matrix(B, (size_t)m, (size_t)n));
    return Bdot ? read_matrix(Bdot, (size_t)m, (size_t)n) : HML_OK;
}

/* row i of A times x */
static double row_dot(const double *A, size_t i, size_t n, const double *x)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += A[i * n + k] * x[k];
    return sum;
}

/* out (+)= A B, A: rows × m, B: m × n */
static void multiply(size_t rows, size_t m, size_t n, const double *A, const double *B, int add, double *out)
{
    if (!add) memset(out, 0, rows * n * sizeof *out);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < m; k++) {
            for (size_t j = 0; j < n; j++) out[i * n + j] += A[i * m + k] * B[k * n + j];
        }
    }
}

hml_status hml_substitute_velocity(int32_t m, int32_t n, const double *B, const double *u, double *ubar)
{
    TRY(read_substitution(m, n, B, NULL));
    TRY(read_check(u, n));
    if (!ubar) return HML_INVALID_ARGUMENT;
    for (size_t i = 0; i < (size_t)m; i++) ubar[i] = row_dot(B, i, (size_t)n, u);
    return FINITE_STATUS({ubar, (size_t)m});
}

hml_status hml_substitute_acceleration(int32_t m, int32_t n, const double *B, const double *Bdot, const double *u,
                                       const double *udot, double *ubardot)
{
    TRY(read_substitution(m, n, B, Bdot));
    TRY(read_check(u, n));
    TRY(read_check(udot, n));
    if (!ubardot) return HML_INVALID_ARGUMENT;
    for (size_t i = 0; i < (size_t)m; i++) {
        ubardot[i] = row_dot(B, i, (size_t)n, udot) + (Bdot ? row_dot(Bdot, i, (size_t)n, u) : 0);
    }
    return FINITE_STATUS({ubardot, (size_t)m});
}

hml_status hml_substitute_force(int32_t m, int32_t n, const double *B, const double *taubar, double *tau)
{
    TRY(read_substitution(m, n, B, NULL));
    TRY(read_check(taubar, m));
    if (!tau) return HML_INVALID_ARGUMENT;
    multiply(1, (size_t)m, (size_t)n, taubar, B, 0, tau);
    return FINITE_STATUS({tau, (size_t)n});
}

hml_status hml_substitute_dynamics(int32_t m, int32_t n, const double *B, const double *Bdot, const double *u,
                                   const double *Mbar, const double *hbar, double *M, double *h)
{
    const size_t rows = (size_t)m, columns = (size_t)n;
    TRY(read_substitution(m, n, B, Bdot));
    TRY(read_check(u, n));
    TRY(read_matrix(Mbar, rows, rows));
    TRY(read_check(hbar, m));
    if (h) memset(h, 0, columns * sizeof *h);
    if (M) memset(M, 0, columns * columns * sizeof *M);
    for (size_t i = 0; i < rows; i++) { /* row i of M̄ B and of h̄ + M̄ Ḃ u, spread by column i of Bᵀ */
        double force = hbar[i];
        for (size_t k = 0; Bdot && k < rows; k++) force += Mbar[i * rows + k] * row_dot(Bdot, k, columns, u);
        for (size_t a = 0; h && a < columns; a++) h[a] += B[i * columns + a] * force;
        for (size_t b = 0; M && b < columns; b++) {
            double entry = 0;
            for (size_t k = 0; k < rows; k++) entry += Mbar[i * rows + k] * B[k * columns + b];
            for (size_t a = 0; a < columns; a++) M[a * columns + b] += B[i * columns + a] * entry;
        }
    }
    return FINITE_STATUS({M, columns * columns}, {h, columns});
}

hml_status hml_substitute_jacobian(int32_t m, int32_t n, const double *B, const double *Bdot, int32_t rows,
                                   const double *Jbar, const double *Jbardot, double *J, double *Jdot)
{
    const size_t r = (size_t)rows;
    TRY(read_substitution(m, n, B, Bdot));
    if (rows < 0 || (Jdot && !Jbardot)) return HML_INVALID_ARGUMENT;
    TRY(read_matrix(Jbar, r, (size_t)m));
    if (Jdot) TRY(read_matrix(Jbardot, r, (size_t)m));
    if (J) multiply(r, (size_t)m, (size_t)n, Jbar, B, 0, J);
    if (Jdot) multiply(r, (size_t)m, (size_t)n, Jbardot, B, 0, Jdot);
    if (Jdot && Bdot) multiply(r, (size_t)m, (size_t)n, Jbar, Bdot, 1, Jdot);
    return FINITE_STATUS({J, r * (size_t)n}, {Jdot, r * (size_t)n});
}
