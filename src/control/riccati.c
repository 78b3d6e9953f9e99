#include "control/riccati.h"

#include "base/dense.h"
#include "base/finite.h"
#include "control/eigenvalues.h"
#include "control/lyapunov.h"
#include "control/matrix.h"

enum { REFINEMENTS = 4, KLEINMAN = 100 };

void hmli_riccati_lay_out(size_t n, layout_cursor *c, riccati *r)
{
    double **const squares[] = {&r->A, &r->G, &r->Q, &r->X, &r->closed, &r->F, &r->H, &r->T, &r->U};
    r->n = n;
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) *squares[i] = layout_doubles(c, n * n);
    r->scale = layout_doubles(c, n);
    r->wide = layout_doubles(c, 4 * n * n);
    r->tall = layout_doubles(c, 4 * n * n);
    r->poles = layout_doubles(c, 2 * n);
}

/* ---- balancing ---- */

/* row i of [A G] and column i of [A; Q], without the diagonal of A */
static void norms(const riccati *r, size_t i, double *row, double *column)
{
    const size_t n = r->n;
    *row = *column = 0;
    for (size_t j = 0; j < n; j++) {
        if (j != i) *row = fmax(*row, fabs(r->A[i * n + j])), *column = fmax(*column, fabs(r->A[j * n + i]));
        *row = fmax(*row, fabs(r->G[i * n + j]));
        *column = fmax(*column, fabs(r->Q[i * n + j]));
    }
}

/* state i in a unit that is 2ᵉ times larger */
static void rescale(riccati *r, size_t i, int e)
{
    const size_t n = r->n;
    r->scale[i] = ldexp(r->scale[i], e);
    for (size_t j = 0; j < n; j++) {
        r->A[i * n + j] = ldexp(r->A[i * n + j], -e), r->A[j * n + i] = ldexp(r->A[j * n + i], e);
        r->G[i * n + j] = ldexp(r->G[i * n + j], -e), r->G[j * n + i] = ldexp(r->G[j * n + i], -e);
        r->Q[i * n + j] = ldexp(r->Q[i * n + j], e), r->Q[j * n + i] = ldexp(r->Q[j * n + i], e);
    }
}

/*
 * Osborne's method on the Hamiltonian matrix [A −G; −Q −Aᵀ] with scales D and D⁻¹, which keep its structure. Powers of
 * two: nothing is rounded.
 */
void hmli_riccati_balance(riccati *r)
{
    for (size_t i = 0; i < r->n; i++) r->scale[i] = 1;
    int changed = 1;
    for (int sweep = 0; changed && sweep < 20; sweep++) {
        changed = 0;
        for (size_t i = 0; i < r->n; i++) {
            double row, column;
            int a, b;
            norms(r, i, &row, &column);
            if (!(row > 0) || !(column > 0)) continue;
            (void)frexp(row, &a), (void)frexp(column, &b);
            const int e = (a - b) / 2;
            if (e == 0 || fabs(log2(r->scale[i]) + e) > 200) continue;
            rescale(r, i, e);
            changed = 1;
        }
    }
}

/* ---- doubling ---- */

static void hamiltonian(const riccati *r, double shift, double *K)
{
    const size_t n = r->n, w = 2 * n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double on = i == j ? shift : 0;
            K[i * w + j] = r->A[i * n + j] - on;
            K[i * w + n + j] = -r->G[i * n + j];
            K[(n + i) * w + j] = -r->H[i * n + j];
            K[(n + i) * w + n + j] = on - r->A[j * n + i];
        }
    }
}

/*
 * F, U, H of the first doubling step, from A, G and the Q in H. With L = Hamiltonian − γ, M = Hamiltonian + γ and their
 * halves of columns L₁, L₂, M₁, M₂: [L₁ M₂] [F U; −H Fᵀ] = [M₁ L₂]. The matrix on the left is a Hamiltonian one with
 * A − γ in place of A, which is regular wherever every unstable mode is controllable and seen by Q.
 */
static hml_status cayley(riccati *r)
{
    const size_t n = r->n, w = 2 * n;
    hamiltonian(r, 0, r->wide);
    const double gamma = hmli_geometric_shift(w, r->wide);
    hamiltonian(r, gamma, r->wide);
    hamiltonian(r, 0, r->tall);
    for (size_t i = 0; i < n; i++) {
        r->tall[i * w + i] += gamma;
        r->tall[(n + i) * w + n + i] -= gamma;
    }
    if (dense_eliminate(w, r->wide, 0, w, r->tall)) return HML_NOT_CONVERGED;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            r->F[i * n + j] = r->tall[i * w + j];
            r->U[i * n + j] = r->tall[i * w + n + j];
            r->H[i * n + j] = -r->tall[(n + i) * w + j];
        }
    }
    matrix_symmetrize(n, r->U);
    matrix_symmetrize(n, r->H);
    return HML_OK;
}

double hmli_riccati_join(size_t n, const riccati_step *first, const riccati_step *then, double *wide, double *tall)
{
    const size_t w = 2 * n;
    double *right = wide, *T = tall, *next = T + n * n, *part = next + n * n, *V = part + n * n;
    matrix_multiply(n, n, n, first->G, then->H, T);
    for (size_t i = 0; i < n; i++) {
        T[i * n + i] += 1;
        matrix_copy(n, first->F + i * n, right + i * w);
        matrix_copy(n, first->G + i * n, right + i * w + n);
    }
    if (dense_eliminate(n, T, 0, w, right)) return -1;
    for (size_t i = 0; i < n; i++) matrix_copy(n, right + i * w, V + i * n);
    matrix_multiply(n, n, n, then->H, V, part);
    matrix_multiply_tn(n, n, n, first->F, part, next);
    matrix_symmetrize(n, next);
    for (size_t i = 0; i < n * n; i++) first->H[i] += next[i];
    const double change = matrix_norm(n * n, next), size = matrix_norm(n * n, first->H);
    for (size_t i = 0; i < n; i++) matrix_copy(n, right + i * w + n, T + i * n);
    matrix_multiply(n, n, n, then->F, T, part);
    matrix_multiply_nt(n, n, n, part, then->F, next);
    for (size_t i = 0; i < n * n; i++) first->G[i] = then->G[i] + next[i];
    matrix_symmetrize(n, first->G);
    matrix_multiply(n, n, n, then->F, V, next);
    matrix_copy(n * n, next, first->F);
    if (!all_finite(first->H, n * n) || !all_finite(first->F, n * n) || !all_finite(first->G, n * n)) return -1;
    return size > 0 ? change / size : 0;
}

/* X of the equation whose Q is in H */
static hml_status doubling(riccati *r)
{
    const size_t n = r->n;
    if (r->discrete) {
        matrix_copy(n * n, r->A, r->F);
        matrix_copy(n * n, r->G, r->U);
    } else {
        const hml_status status = cayley(r);
        if (status) return status;
    }
    const riccati_step once = {r->F, r->U, r->H};
    for (int k = 0; k < DOUBLINGS; k++) {
        const double change = hmli_riccati_join(n, &once, &once, r->wide, r->tall);
        r->iterations++;
        if (change < 0) return HML_NOT_CONVERGED;
        if (change <= 0x1p-52) {
            matrix_copy(n * n, r->H, r->X);
            return HML_OK;
        }
    }
    return HML_NOT_CONVERGED;
}

/* ---- Newton's method ---- */

/* closed and the residual (in T) at X; returns the norm of the residual, or −1 */
static double residual(riccati *r)
{
    const size_t n = r->n;
    if (r->discrete) {
        double *T = r->wide;
        matrix_multiply(n, n, n, r->G, r->X, T);
        for (size_t i = 0; i < n; i++) T[i * n + i] += 1;
        matrix_copy(n * n, r->A, r->closed);
        if (dense_eliminate(n, T, 0, n, r->closed)) return -1;
        matrix_multiply(n, n, n, r->X, r->closed, r->U);
        matrix_multiply_tn(n, n, n, r->A, r->U, r->T);
        for (size_t i = 0; i < n * n; i++) r->T[i] += r->Q[i] - r->X[i];
    } else {
        matrix_multiply(n, n, n, r->G, r->X, r->closed);
        for (size_t i = 0; i < n * n; i++) r->closed[i] = r->A[i] - r->closed[i];
        /* X A + Aᵀ X − X G X, half of it once and half of it transposed */
        for (size_t i = 0; i < n * n; i++) r->U[i] = 0.5 * r->A[i] + 0.5 * r->closed[i];
        matrix_multiply(n, n, n, r->X, r->U, r->T);
        matrix_transpose(n, n, r->T, r->U);
        for (size_t i = 0; i < n * n; i++) r->T[i] += r->U[i] + r->Q[i];
    }
    matrix_symmetrize(n, r->T);
    return all_finite(r->T, n * n) ? matrix_norm(n * n, r->T) : -1;
}

/* X ← X + the solution of the Lyapunov equation of the residual; returns how large that was against X, or −1 */
static double newton_step(riccati *r)
{
    const size_t n = r->n;
    matrix_transpose(n, n, r->closed, r->F);
    if (hmli_lyapunov(n, r->discrete, r->F, r->T, r->wide, r->U)) return -1;
    for (size_t i = 0; i < n * n; i++) r->X[i] += r->U[i];
    const double step = matrix_norm(n * n, r->U), size = matrix_norm(n * n, r->X);
    r->refinements++;
    return size > 0 ? step / size : 0;
}

/* as long as the residual falls to half; X before the last step is kept in H */
static hml_status refine(riccati *r)
{
    const size_t n = r->n;
    double before = residual(r);
    for (int k = 0; k < REFINEMENTS && before > 0; k++) {
        matrix_copy(n * n, r->X, r->H);
        const double step = newton_step(r), after = step < 0 ? -1 : residual(r);
        if (after >= 0 && after < 0.5 * before) {
            before = after;
            continue;
        }
        if (!(after >= 0 && after < before)) {
            matrix_copy(n * n, r->H, r->X);
            r->refinements -= step >= 0;
            before = residual(r);
        }
        break;
    }
    return before >= 0 ? HML_OK : HML_NOT_CONVERGED;
}

/* not with a mode on the border of stability, which rounding may have put on either side */
static int is_stable(riccati *r)
{
    matrix_copy(r->n * r->n, r->closed, r->T);
    if (hmli_eigenvalues(r->n, r->T, r->poles)) return 0;
    const double margin = 0x1p-42 * (r->discrete ? 1 : matrix_norm(r->n * r->n, r->closed));
    for (size_t i = 0; i < r->n; i++) {
        const double re = r->poles[2 * i], im = r->poles[2 * i + 1];
        if (!((r->discrete ? hypot(re, im) - 1 : re) < -margin)) return 0;
    }
    return 1;
}

/*
 * Unstable modes that Q does not see: doubling finds the cheapest solution, which leaves them alone. So we begin with the
 * solution for Q + ρ I, which sees everything and is stabilizing, and go on with Newton's method.
 */
static hml_status kleinman(riccati *r)
{
    const size_t n = r->n;
    const double most = matrix_largest(n * n, r->Q), rho = most > 0 ? most : 1;
    matrix_copy(n * n, r->Q, r->H);
    for (size_t i = 0; i < n; i++) r->H[i * n + i] += rho;
    const hml_status status = doubling(r);
    if (status) return status;
    double last = INFINITY;
    for (int k = 0; k < KLEINMAN; k++) {
        if (residual(r) < 0 || !is_stable(r) || residual(r) < 0) return HML_NOT_CONVERGED;
        const double step = newton_step(r);
        if (step < 0) return HML_NOT_CONVERGED;
        if (step <= 0x1p-50 || (step <= 0x1p-40 && step >= last)) return residual(r) < 0 ? HML_NOT_CONVERGED : HML_OK;
        last = step;
    }
    return HML_NOT_CONVERGED;
}

hml_status hmli_riccati_solve(riccati *r)
{
    r->iterations = r->refinements = 0;
    matrix_copy(r->n * r->n, r->Q, r->H);
    if (!doubling(r) && !refine(r) && is_stable(r)) return HML_OK;
    const hml_status status = kleinman(r);
    if (status) return status;
    return is_stable(r) ? HML_OK : HML_NOT_CONVERGED;
}
