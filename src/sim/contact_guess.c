/*
 * The guess of contact_solve.c: what touches sticks, what has run into a limit stays there, a joint with friction does
 * not move. Where that asks for impulses that the laws do not allow, contacts that would pull are let go, joints slip,
 * and it is tried again.
 *
 * The rows of many robots are redundant: two feet with four contacts each have 24 rows and 12 motions to stop. So K on
 * the active rows is factored with pivots and its rank found, K = RᵀR with R rank × rows, and of all impulses that do it
 * the shortest is taken:
 *
 *   Rᵀ y = −w,   P = Rᵀ (R Rᵀ)⁻¹ y
 *
 * That squares the condition number. Where the answer is not good enough, orthogonal factors of G find a better one.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "sim/contact_laws.h"

enum { GUESSES = 6 };

/* rows whose velocity the guess makes zero; the others keep P: zero, or their bound */
static int32_t choose(const hml_contact *c)
{
    int32_t count = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) {
            int touches = c->P[i] > 0 || c->w[i]<0, rough = c->now.items[row->index].friction> 0;
            for (int32_t k = 0; k < 3; k++) {
                if (touches && (k == 0 || rough))
                    c->active[count++] = i + k;
                else
                    c->P[i + k] = 0;
            }
        } else if (row->kind == ROW_LIMIT) {
            if (c->P[i] > 0 || c->w[i] < 0)
                c->active[count++] = i;
            else
                c->P[i] = 0;
        } else if (row->kind == ROW_FRICTION && (fabs(c->P[i]) < row->bound || c->P[i] * c->w[i] > 0)) {
            c->active[count++] = i;
        }
    }
    return count;
}

/* ---- K P = −w on the active rows ---- */

/* y −= f₀ x₀ + … + f₃ x₃, rows of x `ld` apart: y goes through memory once for four of them */
static void subtract_four(size_t n, const double *restrict x, size_t ld, const double f[4], double *restrict y)
{
    const double a = f[0], b = f[1], c = f[2], d = f[3];
    for (size_t i = 0; i < n; i++) y[i] -= (a * x[i] + b * x[ld + i]) + (c * x[2 * ld + i] + d * x[3 * ld + i]);
}

/* K's rows and columns k and p change places, in R's first k rows and in what is left of the pivots */
static void exchange(size_t m, size_t k, size_t p, rank_factor *f)
{
    const size_t order = f->order[k];
    f->order[k] = f->order[p], f->order[p] = order;
    f->diagonal[p] = f->diagonal[k];
    for (size_t t = 0; t < k; t++) {
        double *row = f->Z + t * m, x = row[k];
        row[k] = row[p], row[p] = x;
    }
}

/*
 * R of K = RᵀR, in f->Z, and the rank. The largest pivot comes first, each measured against its own entry of K; one of
 * which less than `tiny` is left is rounding, or what contact_rows.c has added. Column k of R is that of row f->order[k].
 */
static void factor_gram(size_t m, const double *K, rank_factor *f)
{
    const double tiny = 1e-11;
    double *left = f->diagonal;
    for (size_t i = 0; i < m; i++) left[i] = 1, f->order[i] = i;
    for (f->rank = 0; f->rank < m; f->rank++) {
        const size_t k = f->rank;
        double *row = f->Z + k * m;
        size_t p = k;
        for (size_t i = k + 1; i < m; i++)
            if (left[i] > left[p]) p = i;
        if (!(left[p] > tiny)) return;
        if (p != k) exchange(m, k, p, f);
        const double *from = K + f->order[k] * m;
        for (size_t i = k; i < m; i++) row[i] = from[f->order[i]];
        size_t t = 0;
        for (; t + 4 <= k; t += 4) {
            const double *before = f->Z + t * m + k, parts[4] = {before[0], before[m], before[2 * m], before[3 * m]};
            subtract_four(m - k, before, m, parts, row + k);
        }
        for (; t < k; t++) {
            const double *before = f->Z + t * m, part = before[k];
            for (size_t i = k; i < m; i++) row[i] -= part * before[i];
        }
        const double scale = 1 / sqrt(row[k]);
        for (size_t i = k; i < m; i++) row[i] *= scale;
        for (size_t i = k + 1; i < m; i++) left[i] -= row[i] * row[i] / K[f->order[i] * (m + 1)];
    }
}

/* y of Rᵀ y = b, by the rows of the pivots; b is lost */
static void solve_pivots(size_t m, const rank_factor *f, double *b, double *y)
{
    for (size_t k = 0; k < m; k++) f->x[k] = b[f->order[k]];
    for (size_t k = 0; k < f->rank; k++) {
        const double *row = f->Z + k * m;
        y[k] = f->x[k] / row[k];
        for (size_t i = k + 1; i < f->rank; i++) f->x[i] -= y[k] * row[i];
    }
}

/* R x = y for full rank */
static void solve_rows(size_t m, const rank_factor *f, const double *y, double *x)
{
    for (size_t k = m; k-- > 0;) {
        const double *row = f->Z + k * m;
        f->x[k] = (y[k] - contact_dot(m - k - 1, row + k + 1, f->x + k + 1)) / row[k];
        x[f->order[k]] = f->x[k];
    }
}

/* the shortest x of R x = y, by S = R Rᵀ; a second round makes good what S has lost */
static void solve_shortest(size_t m, const rank_factor *f, double *S, const double *y, double *x)
{
    const size_t n = f->rank;
    double *z = f->beta, *sum = f->x;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) S[i * n + k] = contact_dot(m - i, f->Z + i * m + i, f->Z + k * m + i);
    dense_factor(n, S, NULL);
    memset(sum, 0, m * sizeof *sum);
    for (int round = 0; round < 2; round++) {
        for (size_t k = 0; k < n; k++) z[k] = y[k] - contact_dot(m - k, f->Z + k * m + k, sum + k);
        dense_solve(n, S, z);
        for (size_t k = 0; k < n; k++)
            for (size_t i = k; i < m; i++) sum[i] += z[k] * f->Z[k * m + i];
    }
    for (size_t k = 0; k < m; k++) x[f->order[k]] = sum[k];
}

static void put_active(hml_contact *c, int32_t count, const double *P)
{
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = P[i];
    update_velocities(c);
}

/* the largest velocity of active rows, as the residual measures it */
static double moving(const hml_contact *c, int32_t count)
{
    double most = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = c->active[i];
        if (c->w[row] != 0) most = larger(most, fabs(c->w[row]) / c->speed[row]);
    }
    return most;
}

static void solve_active(hml_contact *c, int32_t count, double enough)
{
    const size_t m = (size_t)count;
    rank_factor *f = &c->rank;
    double *b = f->z_beta, *y = f->z_diagonal;
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = 0;
    update_velocities(c);
    for (int32_t i = 0; i < count; i++) {
        const double *row = K_row(c, c->active[i]);
        b[i] = -c->w[c->active[i]];
        for (int32_t k = 0; k < count; k++) c->A[(size_t)i * m + (size_t)k] = row[c->active[k]];
    }
    factor_gram(m, c->A, f);
    solve_pivots(m, f, b, y);
    if (f->rank == m)
        solve_rows(m, f, y, c->y);
    else
        solve_shortest(m, f, c->A, y, c->y);
    put_active(c, count, c->y);
    if (moving(c, count) <= enough) return;
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = 0;
    update_velocities(c);
    for (int32_t i = 0; i < count; i++) c->y[i] = -c->w[c->active[i]];
    f->n = c->n;
    f->m = m;
    for (size_t i = 0; i < m; i++) {
        memcpy(f->columns + i * c->n, c->G + (size_t)c->active[i] * c->n, c->n * sizeof(double));
    }
    hmli_rank_factor(f, 1e-9);
    hmli_rank_solve_gram(f, c->y, c->y);
    put_active(c, count, c->y);
}

/* ---- one after the other ---- */

/* a number for the rows that are active and the bounds that the others have: with the same ones the guess is the same */
static uint64_t set_of(const hml_contact *c, int32_t count)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < count; i++) sum = (sum ^ (uint64_t)(uint32_t)c->active[i]) * 0x100000001b3u + 1;
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind == ROW_FRICTION) sum = (sum ^ (uint64_t)(c->P[i] > 0)) * 0x100000001b3u + 1;
    }
    return sum;
}

double hmli_contact_guess(hml_contact *c, double enough)
{
    uint64_t seen[GUESSES];
    double left = residual(c);
    for (int n = 0; n < GUESSES && !(left <= enough); n++) {
        const int32_t count = choose(c);
        seen[n] = set_of(c, count);
        for (int k = 0; k < n; k++)
            if (seen[k] == seen[n]) return left; /* it goes round in circles */
        solve_active(c, count, enough);
        left = residual(c);
        if (left <= enough) break;
        take_back(c);
        update_velocities(c);
    }
    return left;
}
