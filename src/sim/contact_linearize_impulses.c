/*
 * The impulses that rows ask for while the start of a step changes: (J M⁻¹ Fᵀ + soft) dP = −J du − J_q z.
 *
 * The rows of many robots are redundant, and what slides makes the matrix unsymmetric: it is eliminated with complete
 * pivoting, rows that depend on others get no impulse.
 */
#include "sim/contact_linearize.h"

#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "hamel/reference/textbook.h"

void hmli_contact_tangent_solve_mass(const hml_contact *c, double *x)
{
    for (int transposed = 1; transposed >= 0; transposed--)
        hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, transposed, x);
}

/* M⁻¹ Fᵀ, and K = J M⁻¹ Fᵀ + soft, its rows and columns scaled to be moved alike */
static void fill_conditions(const contact_tangent *t)
{
    const contact_conditions *s = &t->rows;
    const size_t n = t->n, r = s->count;
    for (size_t i = 0; i < r; i++) {
        double *push = t->pushes + i * n;
        memcpy(push, s->J + i * n, n * sizeof *push);
        hmli_contact_tangent_solve_mass(t->c, push);
        const double own = contact_dot(n, s->J + i * n, push);
        t->scales[i] = own > 0 ? 1 / sqrt(own) : 0;
        memcpy(push, s->F + i * n, n * sizeof *push);
        hmli_contact_tangent_solve_mass(t->c, push);
    }
    for (size_t i = 0; i < r; i++) {
        for (size_t k = 0; k < r; k++) {
            const double K = contact_dot(n, s->J + i * n, t->pushes + k * n) + (i == k ? s->soft[i] : 0);
            t->K[i * r + k] = t->scales[i] * t->scales[k] * K;
        }
    }
}

/* right: what the rows lack in direction k, if `change` is that of the velocity without impulses */
static void fill_right(const contact_tangent *t, size_t k, const double *change)
{
    const contact_conditions *s = &t->rows;
    for (size_t i = 0; i < s->count; i++) {
        const double lack =
            contact_dot(t->n, s->J + i * t->n, change) + contact_dot(t->n, s->Jq + i * t->n, t->z + k * t->n);
        t->right[i * t->directions + k] = -t->scales[i] * lack;
    }
}

static void exchange(size_t n, double *a, double *b, size_t step)
{
    for (size_t i = 0; i < n; i++) {
        const double x = a[i * step];
        a[i * step] = b[i * step], b[i * step] = x;
    }
}

/* the largest entry from (k, k) on goes there; 0 if it is rounding */
static int bring_pivot(const contact_tangent *t, size_t k)
{
    const size_t r = t->rows.count, d = t->directions;
    const double rounding = 1e-10; /* of rows that are moved by one */
    size_t row = k, column = k;
    for (size_t i = k; i < r; i++) {
        for (size_t j = k; j < r; j++)
            if (fabs(t->K[i * r + j]) > fabs(t->K[row * r + column])) row = i, column = j;
    }
    if (!(fabs(t->K[row * r + column]) > rounding)) return 0;
    const int32_t order = t->order[k];
    t->order[k] = t->order[column], t->order[column] = order;
    exchange(r, t->K + k * r, t->K + row * r, 1);
    exchange(d, t->right + k * d, t->right + row * d, 1);
    exchange(r, t->K + k, t->K + column, r);
    return 1;
}

/* what rows that depend on others still lack, against all that was lacking */
static int contradicts(const contact_tangent *t, size_t rank, double most)
{
    for (size_t i = rank * t->directions; i < t->rows.count * t->directions; i++)
        if (!(fabs(t->right[i]) <= 1e-6 * most)) return 1;
    return 0;
}

/*
 * Does an impulse that the rows leave free, that of row `free` in t->order and what it asks of the first `rank` ones, move
 * the robot? So it is where redundant contacts slide in different directions: what each of them carries is not known.
 */
static int moves(const contact_tangent *t, size_t rank, size_t free)
{
    const size_t n = t->n, r = t->rows.count;
    double *u = t->a, *parts = t->x, most = 0, left = 0;
    memset(u, 0, n * sizeof *u);
    memset(parts, 0, n * sizeof *parts);
    for (size_t k = rank + 1; k-- > 0;) {
        double *x = t->impulse + k; /* of the free row at the end */
        const size_t row = (size_t)t->order[k < rank ? k : free];
        *x = k < rank ? -t->K[k * r + free] : 1;
        for (size_t i = k + 1; i < rank; i++) *x -= t->K[k * r + i] * t->impulse[i];
        if (k < rank) *x /= t->K[k * r + k];
        for (size_t i = 0; i < n; i++) {
            const double part = *x * t->scales[row] * t->pushes[row * n + i];
            u[i] += part, parts[i] += fabs(part);
        }
    }
    for (size_t i = 0; i < n; i++) most = fmax(most, parts[i]), left = fmax(left, fabs(u[i]));
    return left > 1e-6 * most;
}

/* dP in right, in t->order; rows that depend on others get none. HML_SINGULAR if that is not the only motion */
static hml_status solve_conditions(const contact_tangent *t)
{
    const size_t r = t->rows.count, d = t->directions;
    size_t rank = 0;
    double most = 0;
    for (size_t i = 0; i < r * d; i++) most = fmax(most, fabs(t->right[i]));
    for (size_t i = 0; i < r; i++) t->order[i] = (int32_t)i;
    for (; rank < r && bring_pivot(t, rank); rank++) {
        for (size_t i = rank + 1; i < r; i++) {
            const double f = t->K[i * r + rank] / t->K[rank * r + rank];
            for (size_t j = rank; f != 0 && j < r; j++) t->K[i * r + j] -= f * t->K[rank * r + j];
            for (size_t j = 0; f != 0 && j < d; j++) t->right[i * d + j] -= f * t->right[rank * d + j];
        }
    }
    if (contradicts(t, rank, most)) return HML_SINGULAR;
    for (size_t i = rank; i < r; i++)
        if (moves(t, rank, i)) return HML_SINGULAR;
    memset(t->right + rank * d, 0, (r - rank) * d * sizeof *t->right);
    for (size_t k = rank; k-- > 0;) {
        for (size_t j = 0; j < d; j++) {
            double *x = t->right + k * d + j;
            for (size_t i = k + 1; i < rank; i++) *x -= t->K[k * r + i] * t->right[i * d + j];
            *x /= t->K[k * r + k];
        }
    }
    return HML_OK;
}

hml_status hmli_contact_tangent_impulses(const contact_tangent *t, double *table)
{
    const size_t n = t->n, d = t->directions;
    fill_conditions(t);
    for (size_t k = 0; k < d; k++) fill_right(t, k, table + k * n);
    const hml_status status = solve_conditions(t);
    for (size_t i = 0; !status && i < t->rows.count; i++) {
        const size_t row = (size_t)t->order[i];
        for (size_t k = 0; k < d; k++) {
            const double dP = t->scales[row] * t->right[i * d + k];
            for (size_t j = 0; dP != 0 && j < n; j++) table[k * n + j] += dP * t->pushes[row * n + j];
        }
    }
    return status;
}
