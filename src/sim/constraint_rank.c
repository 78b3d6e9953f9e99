/* See constraint_rank.h; Golub and Van Loan, "Matrix computations", sections 5.4 and 5.5. */
#include "sim/constraint_rank.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

void hmli_rank_lay_out(size_t n, size_t m, layout_cursor *c, rank_factor *f)
{
    f->n = n;
    f->m = m;
    f->rank = 0;
    f->columns = layout_doubles(c, m * n);
    f->diagonal = layout_doubles(c, m);
    f->beta = layout_doubles(c, m);
    f->Z = layout_doubles(c, m * m);
    f->z_diagonal = layout_doubles(c, m);
    f->z_beta = layout_doubles(c, m);
    f->x = layout_doubles(c, m);
    f->order = layout_array(c, m, sizeof *f->order);
}

/* x ← (I − β v vᵀ) x */
static void reflect(size_t n, const double *v, double beta, double *x)
{
    double s = beta * dense_dot(n, v, x);
    for (size_t i = 0; i < n; i++) x[i] -= s * v[i];
}

/* x becomes the reflector that takes it to [diagonal, 0, …]; a zero vector has none */
static double reflector(size_t n, double *x, double *diagonal)
{
    double norm = sqrt(dense_dot(n, x, x));
    *diagonal = x[0] > 0 ? -norm : norm;
    x[0] -= *diagonal;
    double square = dense_dot(n, x, x);
    return square > 0 ? 2 / square : 0;
}

static void swap_columns(rank_factor *f, size_t a, size_t b)
{
    size_t order = f->order[a];
    if (a == b) return;
    f->order[a] = f->order[b];
    f->order[b] = order;
    for (size_t i = 0; i < f->n; i++) {
        double t = f->columns[a * f->n + i];
        f->columns[a * f->n + i] = f->columns[b * f->n + i];
        f->columns[b * f->n + i] = t;
    }
}

/* QR of Rᵀ, m × rank: its column k is row k of R */
static void factor_rows(rank_factor *f)
{
    const size_t m = f->m, n = f->n, r = f->rank;
    for (size_t k = 0; k < r; k++) {
        double *z = f->Z + k * m;
        for (size_t j = 0; j < m; j++) z[j] = j < k ? 0 : j == k ? f->diagonal[k] : f->columns[j * n + k];
    }
    for (size_t k = 0; k < r; k++) {
        double *z = f->Z + k * m + k;
        f->z_beta[k] = reflector(m - k, z, &f->z_diagonal[k]);
        for (size_t j = k + 1; j < r; j++) reflect(m - k, z, f->z_beta[k], f->Z + j * m + k);
    }
}

void hmli_rank_factor(rank_factor *f, double tolerance)
{
    const size_t n = f->n, m = f->m, most = n < m ? n : m;
    double first = 0;
    for (size_t j = 0; j < m; j++) f->order[j] = j;
    for (f->rank = 0; f->rank < most; f->rank++) {
        const size_t k = f->rank;
        size_t pivot = k;
        double largest = -1;
        for (size_t j = k; j < m; j++) {
            double square = dense_dot(n - k, f->columns + j * n + k, f->columns + j * n + k);
            if (square > largest) largest = square, pivot = j;
        }
        if (k == 0) first = sqrt(largest);
        if (!(sqrt(largest) > tolerance * first)) break;
        swap_columns(f, k, pivot);
        double *v = f->columns + k * n + k;
        f->beta[k] = reflector(n - k, v, &f->diagonal[k]);
        for (size_t j = k + 1; j < m; j++) reflect(n - k, v, f->beta[k], f->columns + j * n + k);
    }
    if (f->rank < m) factor_rows(f);
}

/* Rᵀ y = x and R y = x for full rank, in place */
static void solve_lower(const rank_factor *f, double *x)
{
    for (size_t j = 0; j < f->m; j++) x[j] = (x[j] - dense_dot(j, f->columns + j * f->n, x)) / f->diagonal[j];
}

static void solve_upper(const rank_factor *f, double *x)
{
    for (size_t j = f->m; j-- > 0;) {
        x[j] /= f->diagonal[j];
        for (size_t i = 0; i < j; i++) x[i] -= f->columns[j * f->n + i] * x[j];
    }
}

/* T y = x and Tᵀ y = x, in place */
static void solve_T(const rank_factor *f, double *x)
{
    for (size_t k = f->rank; k-- > 0;) {
        x[k] /= f->z_diagonal[k];
        for (size_t i = 0; i < k; i++) x[i] -= f->Z[k * f->m + i] * x[k];
    }
}

static void solve_T_transposed(const rank_factor *f, double *x)
{
    for (size_t k = 0; k < f->rank; k++) x[k] = (x[k] - dense_dot(k, f->Z + k * f->m, x)) / f->z_diagonal[k];
}

/* x ← Z [x; 0] */
static void apply_Z(const rank_factor *f, double *x)
{
    memset(x + f->rank, 0, (f->m - f->rank) * sizeof *x);
    for (size_t k = f->rank; k-- > 0;) reflect(f->m - k, f->Z + k * f->m + k, f->z_beta[k], x + k);
}

static void put_back(const rank_factor *f, double *x)
{
    for (size_t j = 0; j < f->m; j++) x[f->order[j]] = f->x[j];
}

double hmli_rank_solve_gram(const rank_factor *f, const double *b, double *x)
{
    double missing = 0;
    for (size_t j = 0; j < f->m; j++) f->x[j] = b[f->order[j]];
    if (f->rank == f->m) {
        solve_lower(f, f->x);
        solve_upper(f, f->x);
    } else {
        for (size_t k = 0; k < f->rank; k++) reflect(f->m - k, f->Z + k * f->m + k, f->z_beta[k], f->x + k);
        missing = sqrt(dense_dot(f->m - f->rank, f->x + f->rank, f->x + f->rank));
        solve_T(f, f->x);
        solve_T_transposed(f, f->x);
        apply_Z(f, f->x);
    }
    put_back(f, x);
    return missing;
}

double hmli_rank_solve(const rank_factor *f, double *c, double *x)
{
    for (size_t k = 0; k < f->rank; k++) reflect(f->n - k, f->columns + k * f->n + k, f->beta[k], c + k);
    memcpy(f->x, c, f->rank * sizeof *c);
    if (f->rank == f->m) {
        solve_upper(f, f->x);
    } else {
        solve_T_transposed(f, f->x);
        apply_Z(f, f->x);
    }
    put_back(f, x);
    return sqrt(dense_dot(f->n - f->rank, c + f->rank, c + f->rank));
}

void hmli_rank_project(const rank_factor *f, double *x)
{
    for (size_t k = 0; k < f->rank; k++) reflect(f->n - k, f->columns + k * f->n + k, f->beta[k], x + k);
    memset(x + f->rank, 0, (f->n - f->rank) * sizeof *x);
    for (size_t k = f->rank; k-- > 0;) reflect(f->n - k, f->columns + k * f->n + k, f->beta[k], x + k);
}

void hmli_rank_null(const rank_factor *f, size_t k, double *x)
{
    for (size_t i = 0; i < f->n; i++) x[i] = i == f->rank + k ? 1 : 0;
    for (size_t j = f->rank; j-- > 0;) reflect(f->n - j, f->columns + j * f->n + j, f->beta[j], x + j);
}
